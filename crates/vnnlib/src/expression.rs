//! Conditions and numbers: terms to formulas.
//!
//! Terms are read with a stack of tasks and two stacks of results, never by recursion: nesting is as deep as the
//! author of the file likes. Negation is carried down to the comparisons, so formulas come out in negation normal form.
//! Formulas themselves are recursive, so alternating `and` and `or` have a limit.

use surefoot_linear::{Formula, Linear};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::suggest;

use crate::connect::{Comparison, Levelled, compare, join};
use crate::declare::Declared;
use crate::linear::Operator;
use crate::number::{NumberError, parse_number};
use crate::product::Products;
use crate::scope::{Bound, Scope, Sort};
use crate::tree::Node;

/// Names of `let` may be used over and over, and `distinct` is about all pairs: what is copied is of at most this size.
const MOST_COPIES: usize = 4_000_000;
const OPERATORS: [&str; 19] = [
    "and", "or", "not", "=>", "<=", "<", ">=", ">", "=", "==", "distinct", "!=", "let", "true", "false", "+", "-", "*",
    "/",
];

/// What to do next.
enum Task<'t> {
    /// Read a condition, or its negation.
    Condition { node: Node<'t>, negated: bool },
    /// Read a number.
    Number(Node<'t>),
    /// Join so many conditions.
    Join { node: Node<'t>, all: bool, count: usize },
    /// Compare so many numbers.
    Compare { node: Node<'t>, comparison: Comparison, negated: bool, count: usize },
    /// Apply an operator to so many numbers.
    Apply { node: Node<'t>, operator: Operator, count: usize },
    /// Give names to the last results.
    Bind(Vec<(&'t str, Sort)>),
    /// Forget names.
    Forget(Vec<&'t str>),
}

/// Reads terms over declared inputs and outputs.
pub(crate) struct Reader<'t, 'd> {
    declared: &'d Declared,
    tasks: Vec<Task<'t>>,
    conditions: Vec<Levelled>,
    numbers: Vec<Linear>,
    scope: Scope<'t>,
    copied: usize,
    products: Products,
}

impl<'t, 'd> Reader<'t, 'd> {
    pub(crate) fn new(declared: &'d Declared) -> Self {
        let (tasks, conditions, numbers) = (Vec::new(), Vec::new(), Vec::new());
        let products = Products::new(declared.inputs + declared.outputs);
        Self { declared, tasks, conditions, numbers, scope: Scope::default(), copied: 0, products }
    }

    /// The products that were read.
    pub(crate) fn into_products(self) -> Products {
        self.products
    }

    /// The formula of a condition.
    pub(crate) fn condition(&mut self, node: Node<'t>) -> Result<Formula, Diagnostic> {
        self.tasks.push(Task::Condition { node, negated: false });
        while let Some(task) = self.tasks.pop() {
            self.perform(task)?;
        }
        self.conditions.pop().map(|last| last.formula).ok_or_else(|| node.mismatch("a condition"))
    }

    fn perform(&mut self, task: Task<'t>) -> Result<(), Diagnostic> {
        match task {
            Task::Condition { node, negated } => self.open_condition(node, negated),
            Task::Number(node) => self.open_number(node),
            Task::Join { node, all, count } => {
                let parts = self.conditions.split_off(self.conditions.len() - count);
                self.conditions.push(join(node, all, parts)?);
                Ok(())
            }
            Task::Compare { node, comparison, negated, count } => {
                let forms = self.numbers.split_off(self.numbers.len() - count);
                if comparison == Comparison::Distinct {
                    self.copy(node, count.saturating_mul(count))?;
                }
                let parts = compare(comparison, &forms);
                let parts = parts.into_iter().map(|atom| if negated { atom.negated() } else { atom });
                let parts = parts.map(|atom| Levelled { formula: Formula::atom(atom), levels: 1 }).collect();
                self.conditions.push(join(node, !negated, parts)?);
                Ok(())
            }
            Task::Apply { node, operator, count } => {
                let arguments = self.numbers.split_off(self.numbers.len() - count);
                self.numbers.push(operator.apply(node, &arguments, &mut self.products)?);
                Ok(())
            }
            Task::Bind(names) => {
                for (name, sort) in names.into_iter().rev() {
                    let bound = match sort {
                        Sort::Condition => self.conditions.pop().map(Bound::Condition),
                        Sort::Number => self.numbers.pop().map(Bound::Number),
                    };
                    if let Some(bound) = bound {
                        self.scope.bind(name, bound);
                    }
                }
                Ok(())
            }
            Task::Forget(names) => {
                self.scope.forget(&names);
                Ok(())
            }
        }
    }

    fn open_condition(&mut self, node: Node<'t>, negated: bool) -> Result<(), Diagnostic> {
        if let Some(word) = node.word() {
            let formula = match (word, self.scope.get(word)) {
                (_, Some(Bound::Condition(bound))) => {
                    let mut size = 0;
                    bound.formula.for_each_atom(&mut |atom| size += 1 + atom.form.terms().len());
                    let formula = if negated { bound.formula.negated() } else { bound.formula.clone() };
                    let copy = Levelled { formula, levels: bound.levels };
                    self.copy(node, size)?;
                    copy
                }
                ("true", None) => Levelled { formula: Formula::constant(!negated), levels: 1 },
                ("false", None) => Levelled { formula: Formula::constant(negated), levels: 1 },
                _ => return Err(node.mismatch("a condition such as (<= X_0 1)")),
            };
            self.conditions.push(formula);
            return Ok(());
        }
        let (word, head) = node.head().ok_or_else(|| node.mismatch("a condition such as (<= X_0 1)"))?;
        let arguments = node.arguments();
        let count = arguments.len();
        if let Some(comparison) = Comparison::named(word) {
            self.at_least(head, count, 2)?;
            self.tasks.push(Task::Compare { node, comparison, negated, count });
            self.tasks.extend(arguments.into_iter().rev().map(Task::Number));
            return Ok(());
        }
        match word {
            "and" | "or" => {
                self.tasks.push(Task::Join { node, all: (word == "and") != negated, count });
                self.tasks.extend(arguments.into_iter().rev().map(|node| Task::Condition { node, negated }));
            }
            "not" => {
                let [argument] = arguments[..] else {
                    let error = head.error(format!("not needs one condition, found {count}"));
                    return Err(error.with_help("write (not (<= X_0 1))"));
                };
                self.tasks.push(Task::Condition { node: argument, negated: !negated });
            }
            "=>" => {
                self.at_least(head, count, 2)?;
                // a => (b => c) is "not a, or not b, or c"; the tasks are done last in, first out.
                self.tasks.push(Task::Join { node, all: negated, count });
                for (index, node) in arguments.into_iter().enumerate().rev() {
                    let premise = index + 1 < count;
                    self.tasks.push(Task::Condition { node, negated: negated != premise });
                }
            }
            "let" => self.open_let(node, |node| Task::Condition { node, negated })?,
            _ => return Err(unknown(head, word, "a condition")),
        }
        Ok(())
    }

    fn open_number(&mut self, node: Node<'t>) -> Result<(), Diagnostic> {
        if let Some(word) = node.word() {
            let form = match self.scope.get(word) {
                Some(Bound::Number(form)) => {
                    let form = form.clone();
                    self.copy(node, form.terms().len())?;
                    form
                }
                Some(Bound::Condition(_)) => {
                    return Err(node.error(format!("expected a number, but {word} is a condition")));
                }
                None if is_numeric(word) => Linear::constant_form(number(node, word)?),
                None => Linear::symbol(self.declared.symbol(node, word)?),
            };
            self.numbers.push(form);
            return Ok(());
        }
        let (word, head) = node.head().ok_or_else(|| node.mismatch("a number"))?;
        if word == "let" {
            return self.open_let(node, Task::Number);
        }
        let Some(operator) = Operator::named(word) else { return Err(unknown(head, word, "a number")) };
        let arguments = if operator == Operator::Add { summands(node) } else { node.arguments() };
        let count = arguments.len();
        self.at_least(head, count, 1)?;
        self.tasks.push(Task::Apply { node, operator, count });
        self.tasks.extend(arguments.into_iter().rev().map(Task::Number));
        Ok(())
    }

    /// `(let ((name term) ...) body)`: the terms do not see each other's names.
    fn open_let(&mut self, node: Node<'t>, body: impl Fn(Node<'t>) -> Task<'t>) -> Result<(), Diagnostic> {
        let wanted = "(let ((name term) ...) term)";
        let arguments = node.arguments();
        let [bindings, inner] = arguments[..] else { return Err(node.mismatch(wanted)) };
        let mut names = Vec::new();
        let mut terms = Vec::new();
        for binding in bindings.parts() {
            let parts: Vec<Node<'t>> = binding.parts().collect();
            let [name, term] = parts[..] else { return Err(binding.mismatch("(name term)")) };
            let word = name.word().ok_or_else(|| name.mismatch("a name"))?;
            let sort = self.scope.sort(term);
            names.push((word, sort));
            terms.push(match sort {
                Sort::Condition => Task::Condition { node: term, negated: false },
                Sort::Number => Task::Number(term),
            });
        }
        self.tasks.push(Task::Forget(names.iter().map(|(name, _)| *name).collect()));
        self.tasks.push(body(inner));
        self.tasks.push(Task::Bind(names));
        self.tasks.extend(terms.into_iter().rev());
        Ok(())
    }

    fn copy(&mut self, node: Node<'_>, size: usize) -> Result<(), Diagnostic> {
        self.copied = self.copied.saturating_add(size);
        if self.copied > MOST_COPIES {
            let error = node.error("the conditions become too large when written out").refusal();
            return Err(error.with_help("use the names of let less often, or split the file"));
        }
        Ok(())
    }

    fn at_least(&self, head: Node<'_>, count: usize, least: usize) -> Result<(), Diagnostic> {
        if count >= least {
            return Ok(());
        }
        let (shown, plural) = (head.shown(), if least == 1 { "" } else { "s" });
        let error = head.error(format!("{shown} needs at least {least} argument{plural}, found {count}"));
        Err(error.with_help(example(&shown)))
    }
}

/// The arguments of a sum, sums among them taken apart: generators nest them by the thousand.
fn summands(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let arguments = node.arguments();
        if node.head().is_some_and(|(word, _)| word == "+") && !arguments.is_empty() {
            open.extend(arguments.into_iter().rev());
        } else {
            found.push(node);
        }
    }
    if matches!(found[..], [only] if only.span() == node.span()) { Vec::new() } else { found }
}

/// How an operator on two conditions or numbers is used.
fn example(operator: &str) -> String {
    match operator {
        "=>" => "write (=> (<= X_0 1) (<= Y_0 1))".to_owned(),
        other => format!("write ({other} X_0 1)"),
    }
}

/// Whether a word is meant to be a number.
fn is_numeric(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+']);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// The exact value of a number.
fn number(node: Node<'_>, word: &str) -> Result<Rational, Diagnostic> {
    parse_number(word).map_err(|NumberError { message, help }| node.error(message).with_help(help))
}

fn unknown(head: Node<'_>, word: &str, wanted: &str) -> Diagnostic {
    if matches!(word, "ite" | "abs" | "xor" | "exists" | "forall" | "min" | "max" | "^" | "to_real") {
        let error = head.error(format!("{word} is not supported")).refusal();
        return error.with_help("only sums and products, comparisons, and, or, not and => are read");
    }
    if OPERATORS.contains(&word) {
        return head.error(format!("expected {wanted}, but {word} gives something else"));
    }
    let error = head.error(format!("expected {wanted}, but there is no operator {}", head.shown()));
    let near = match word {
        "=<" | "≤" => Some("<="),
        "≥" => Some(">="),
        "<>" | "≠" | "/=" => Some("distinct"),
        _ => suggest(word, OPERATORS.into_iter()),
    };
    match near {
        Some(near) => error.with_help(format!("did you mean {near}?")),
        None => error.with_help("operators are and, or, not, =>, <=, <, >=, >, =, distinct, +, -, *, /, let"),
    }
}
