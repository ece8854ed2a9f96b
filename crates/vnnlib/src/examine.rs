//! A file part by part: what contradicts the box, what says nothing in it, which inputs have no bounds.
//!
//! A *part* is a condition that must hold; `and` is taken apart, the alternatives of an `or` are looked at one by one.
//! Whether a part is true or false all over the box is decided by intervals, so what is told is so, and not all that is so
//! is told. A query with such parts has a meaning, and an answer; it is rarely the one that was wanted.

use surefoot_linear::{Atom, Formula, Interval, Relation, Symbol};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span};

use crate::declare::Declared;
use crate::expression::Reader;
use crate::hull::{Bounds, hull};
use crate::names::Names;
use crate::propagate::propagate;
use crate::read::{Commands, commands};
use crate::tree::{Node, Tree};

/// A file that is well-formed.
#[derive(Debug)]
pub struct Examined {
    /// How it calls inputs and outputs.
    pub names: Names,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs.
    pub outputs: usize,
    /// The factors of each product, whose symbols come after inputs and outputs.
    pub products: Vec<(Symbol, Symbol)>,
    /// The interval of each input that the conditions give.
    pub bounds: Vec<Interval>,
    parts: Vec<Part>,
    places: Vec<Span>,
    /// Where the box becomes empty.
    empty: Option<Span>,
}

#[derive(Debug)]
struct Part {
    span: Span,
    formula: Formula,
    alternatives: Vec<(Span, Formula)>,
}

/// Reads a file to be examined; `text` is the content of `file`.
///
/// # Errors
/// As for [`read`](crate::read), but for inputs without bounds.
pub fn examine(file: FileId, text: &str) -> Result<Examined, Diagnostic> {
    let tree = Tree::parse(file, text)?;
    let whole = Span::between(file, 0, text.len().min(1));
    let Commands { declared, asserted } = commands(&tree, whole)?;
    let mut reader = Reader::new(&declared);
    let mut parts = Vec::new();
    for node in asserted.into_iter().flat_map(conjuncts) {
        let alternatives = if is(node, "or") { node.arguments() } else { Vec::new() };
        let alternatives = alternatives.into_iter().map(|node| Ok((node.span(), reader.condition(node)?)));
        let alternatives = alternatives.collect::<Result<Vec<_>, Diagnostic>>()?;
        parts.push(Part { span: node.span(), formula: reader.condition(node)?, alternatives });
    }
    let products = reader.into_products().into_factors();
    let Declared { names, inputs, outputs, places, .. } = declared;
    let mut bounds = Bounds::new();
    let mut empty = None;
    for part in &parts {
        match hull(&part.formula, inputs) {
            Ok(own) => {
                for (symbol, interval) in own {
                    let known = bounds.entry(symbol).or_default();
                    *known = known.intersection(&interval);
                    empty = empty.or(known.is_empty().then_some(part.span));
                }
            }
            Err(_) => empty = empty.or(Some(part.span)),
        }
    }
    propagate(&Formula::all(parts.iter().map(|part| part.formula.clone())), inputs, &mut bounds);
    let bounds = Symbol::first(inputs).map(|symbol| bounds.remove(&symbol).unwrap_or_default()).collect();
    Ok(Examined { names, inputs, outputs, products, bounds, parts, places, empty })
}

fn is(node: Node<'_>, operator: &str) -> bool {
    node.head().is_some_and(|(word, _)| word == operator)
}

/// The conditions that a condition is the conjunction of.
fn conjuncts(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![node], Vec::new());
    while let Some(node) = open.pop() {
        if is(node, "and") {
            open.extend(node.arguments().into_iter().rev());
        } else {
            found.push(node);
        }
    }
    found
}

impl Examined {
    /// Where an input is declared.
    #[must_use]
    pub fn declared_at(&self, input: usize) -> Span {
        self.places[input]
    }

    /// What is odd; `interval` gives what is known of each symbol.
    #[must_use]
    pub fn findings(&self, interval: &dyn Fn(Symbol) -> Interval) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for (input, bounds) in self.bounds.iter().enumerate().filter(|(_, bounds)| bounds.ends().is_none()) {
            let missing = match (&bounds.lower, &bounds.upper) {
                (None, None) => "no bounds",
                (None, _) => "no lower bound",
                _ => "no upper bound",
            };
            let message = format!("the input {} has {missing}", self.names.input(input));
            let help = "every input needs a smallest and a largest value, in every part of an or";
            findings.push(Diagnostic::warning(self.places[input], message).with_help(help));
        }
        if let Some(span) = self.empty {
            let help = "the answer is unsat whatever the networks do";
            findings.push(Diagnostic::warning(span, "with this condition nothing is in the box").with_help(help));
            // Anything follows from a contradiction.
            return findings;
        }
        for part in &self.parts {
            match decided(&part.formula, interval) {
                Some(false) => {
                    let error = Diagnostic::warning(part.span, "this condition is false all over the box");
                    findings.push(error.with_help("the answer is unsat whatever the networks do"));
                }
                Some(true) if !self.bounds_something(&part.formula) => {
                    let error = Diagnostic::warning(part.span, "this condition is true all over the box");
                    findings.push(error.with_help("it says nothing; look at the bounds of what it compares"));
                }
                _ => {
                    let impossible =
                        |formula: &Formula| decided(formula, interval) == Some(false) || self.outside(formula);
                    let alternatives = part.alternatives.iter().filter(|(_, formula)| impossible(formula));
                    findings.extend(alternatives.map(|(span, _)| {
                        let error = Diagnostic::warning(*span, "this part of an or contradicts the box");
                        error.with_help("it can be left out, if the bounds are those that are meant")
                    }));
                }
            }
        }
        findings
    }

    /// Whether a condition is a bound that the box has from it.
    fn bounds_something(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Atom(Atom { form, relation }) => match form.terms() {
                [(symbol, _)] if symbol.index() < self.inputs => {
                    let range = form.range(|symbol| self.bounds[symbol.index()].clone());
                    matches!(relation, Relation::Zero) || range.lower.is_some_and(|lower| lower.is_zero())
                }
                _ => false,
            },
            Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| self.bounds_something(part)),
        }
    }

    /// Whether the bounds in a condition and those of the box leave nothing.
    fn outside(&self, formula: &Formula) -> bool {
        match hull(formula, self.inputs) {
            Ok(own) => own.iter().any(|(symbol, own)| self.bounds[symbol.index()].intersection(own).is_empty()),
            Err(_) => true,
        }
    }
}

/// Whether a formula is true, or false, wherever symbols are in their intervals.
fn decided(formula: &Formula, interval: &dyn Fn(Symbol) -> Interval) -> Option<bool> {
    let of_parts = |parts: &[Formula], value: bool| {
        let truths: Vec<_> = parts.iter().map(|part| decided(part, interval)).collect();
        if truths.contains(&Some(!value)) {
            return Some(!value);
        }
        truths.iter().all(|truth| *truth == Some(value)).then_some(value)
    };
    match formula {
        Formula::Atom(Atom { form, relation }) => form.range(interval).decides(*relation),
        Formula::All(parts) => of_parts(parts, true),
        Formula::Any(parts) => of_parts(parts, false),
    }
}
