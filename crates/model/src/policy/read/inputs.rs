//! Network inputs: linear forms over the state.

use surefoot_jani::read::read_expression;
use surefoot_jani::syntax::{Expr, ExprId};
use surefoot_linear::Linear;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};
use surefoot_text::source::Span;

use super::Reading;
use super::piecewise::{Entry, is_one_hot};
use crate::term::{ArithOp, ScalarType, Term, TermId};

const BINARY: Shape = Shape::new("this operator", &["op", "left", "right"], &[]);
const EITHER: Shape = Shape::new("this operator", &["op", "if", "then", "else"], &[]);
const NEGATION: Shape = Shape::new("this operator", &["op", "exp"], &[]);

/// Operators above a location deeper than this are no normalisation any more.
const MAX_DEPTH: usize = 64;

impl Reading<'_> {
    /// The inputs that a list describes.
    pub(super) fn input_entries(&mut self, list: Node<'_>) -> Result<Vec<Entry>, Diagnostic> {
        let mut entries = Vec::new();
        for item in list.expect_array("the inputs as an array")? {
            let entry = if is_one_hot(item) { self.one_hot(item) } else { self.input_entry(item) };
            // An input that cannot be read still counts, or its error would come with one about the number of inputs.
            entries.push(self.note(entry).unwrap_or_else(|| Entry::Linear(Linear::default())));
        }
        if entries.is_empty() {
            return Err(Diagnostic::error(list.span(), "a network needs at least one input"));
        }
        Ok(entries)
    }

    /// A linear input, or any other JANI expression over the state.
    fn input_entry(&mut self, node: Node<'_>) -> Result<Entry, Diagnostic> {
        let error = match self.input_form(node, 0) {
            Ok(form) => return Ok(Entry::Linear(form)),
            Err(error) => error,
        };
        // What is no expression keeps its own error, and so does what reads locations and local variables in a way of its own.
        if error.message != NOT_LINEAR || is_leaf(node) || mentions_leaf(node) {
            return Err(error);
        }
        let term = self.expression(node).and_then(|expression| self.scalar(expression)).map_err(|cause| {
            Diagnostic::error(cause.span.unwrap_or(node.span()), format!("{NOT_LINEAR}: {}", cause.message))
                .with_help(INPUTS)
        })?;
        if self.transient_read(term).is_some() {
            return Err(error);
        }
        // Terms are simplified, so what did not look linear may be it after all.
        if let Some(form) = self.lowered.model.terms.linear(term) {
            return Ok(Entry::Linear(form));
        }
        match self.not_piecewise(term) {
            None => Ok(Entry::Term(term)),
            Some(reason) => Err(Diagnostic::error(node.span(), format!("{NOT_LINEAR}: {reason}")).with_help(INPUTS)),
        }
    }

    /// An input: a JANI expression, with locations and local variables as further leaves of its arithmetic, and with truth values as
    /// numbers 0 and 1, which JANI's own arithmetic does not have. Sums are gone through with a work list, so their length costs no
    /// stack.
    pub(super) fn input_form(&mut self, root: Node<'_>, depth: usize) -> Result<Linear, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::error(root.span(), format!("this input is nested more than {MAX_DEPTH} deep")));
        }
        let mut parts: Vec<(Linear, Rational)> = Vec::new();
        let mut work = vec![(root, Rational::ONE)];
        while let Some((node, factor)) = work.pop() {
            let op = if is_leaf(node) { None } else { node.get("op").and_then(Node::as_str) };
            match op {
                Some(sign @ ("+" | "-")) => {
                    let object = ObjectReader::new(node, &BINARY)?;
                    let other = if sign == "+" { factor.clone() } else { -&factor };
                    work.push((object.required("right"), other));
                    work.push((object.required("left"), factor));
                }
                Some("*" | "/") => parts.push((self.product(node, depth)?, factor)),
                Some("¬") => parts.push((self.truth_value(node, depth)?, factor)),
                Some("ite") => parts.push((self.either(node, depth)?, factor)),
                Some(_) if mentions_leaf(node) => {
                    let message = "locations and variables of automata can only stand under +, -, *, /, ite and ¬ here";
                    return Err(Diagnostic::error(node.span(), message));
                }
                _ => {
                    let term = self.input_term(node)?;
                    parts.push((self.linear(term, node.span())?, factor));
                }
            }
        }
        Ok(Linear::combination(parts.iter().map(|(form, factor)| (form, factor))))
    }

    /// A product with a constant, or a quotient by one.
    fn product(&mut self, node: Node<'_>, depth: usize) -> Result<Linear, Diagnostic> {
        let object = ObjectReader::new(node, &BINARY)?;
        let left = self.input_form(object.required("left"), depth + 1)?;
        let right = self.input_form(object.required("right"), depth + 1)?;
        Ok(match (left.as_constant(), right.as_constant()) {
            (_, Some(k)) if node.get("op").and_then(Node::as_str) == Some("/") => {
                let inverse = Rational::ONE.checked_div(k);
                let inverse = inverse.ok_or_else(|| Diagnostic::error(node.span(), "this input divides by zero"))?;
                &left * &inverse
            }
            (_, Some(k)) => &left * k,
            (Some(k), None) if node.get("op").and_then(Node::as_str) == Some("*") => &right * k,
            _ => return Err(not_linear(node.span())),
        })
    }

    /// `ite` of a truth value `b`: `else + b (then - else)`, which is linear where `then` and `else` differ by a constant.
    fn either(&mut self, node: Node<'_>, depth: usize) -> Result<Linear, Diagnostic> {
        let object = ObjectReader::new(node, &EITHER)?;
        let condition = self.truth_value(object.required("if"), depth + 1)?;
        let then = self.input_form(object.required("then"), depth + 1)?;
        let otherwise = self.input_form(object.required("else"), depth + 1)?;
        let difference = &then - &otherwise;
        match (difference.as_constant(), condition.as_constant()) {
            (Some(k), _) => Ok(otherwise.plus_scaled(&condition, k)),
            (None, Some(decided)) => Ok(otherwise.plus_scaled(&difference, decided)),
            _ => {
                let help = "'then' and 'else' must be the same but for a constant; compute anything else in a variable of the model";
                Err(Diagnostic::error(node.span(), "this input is not linear in the state").with_help(help))
            }
        }
    }

    /// A truth value as 0 or 1: a Boolean variable, a constant, or the negation of one.
    fn truth_value(&mut self, node: Node<'_>, depth: usize) -> Result<Linear, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::error(node.span(), format!("this input is nested more than {MAX_DEPTH} deep")));
        }
        if !is_leaf(node) && node.get("op").and_then(Node::as_str) == Some("¬") {
            let object = ObjectReader::new(node, &NEGATION)?;
            let truth = self.truth_value(object.required("exp"), depth + 1)?;
            return Ok(&Linear::constant_form(Rational::ONE) - &truth);
        }
        let term = self.input_term(node)?;
        if self.lowered.model.terms.ty(term) != ScalarType::Bool {
            return Err(Diagnostic::error(node.span(), "a condition must be a truth value, this is a number"));
        }
        let help = "conditions in inputs are Boolean variables and their negations; compute anything else in a variable of the model";
        self.linear(term, node.span()).map_err(|error| Diagnostic { help: None, ..error }.with_help(help))
    }

    /// A part of an input that has no arithmetic to look into.
    fn input_term(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        if is_leaf(node) {
            return self.input_leaf(node);
        }
        let expression = self.expression(node)?;
        self.scalar(expression)
    }

    /// A JANI expression of the policy file.
    pub(super) fn expression(&mut self, node: Node<'_>) -> Result<ExprId, Diagnostic> {
        read_expression(self.sources, node, self.lowered.pool_mut())
    }

    /// The term of an expression, truth values in arithmetic as 0 and 1.
    fn scalar(&mut self, expression: ExprId) -> Result<TermId, Diagnostic> {
        let error = match self.lowered.lower_scalar(expression) {
            Ok(term) => return Ok(term),
            Err(error) => error,
        };
        let counted = self.truth_values_as_numbers(expression);
        counted.and_then(|expression| self.lowered.lower_scalar(expression).ok()).ok_or(error)
    }

    /// The linear form of an input.
    pub(super) fn linear(&self, term: TermId, span: Span) -> Result<Linear, Diagnostic> {
        let terms = &self.lowered.model.terms;
        if let Some(name) = self.transient_read(term) {
            let message = format!("the transient variable '{name}' cannot be an input: it is no part of the state");
            return Err(Diagnostic::error(span, message));
        }
        terms.linear(term).ok_or_else(|| {
            let by_zero = |id: &TermId| {
                matches!(terms.get(*id), Term::Arith(ArithOp::Div, _, b) if terms.constant(*b).is_some_and(|b| b.is_zero()))
            };
            if terms.reachable(term).iter().any(by_zero) {
                return Diagnostic::error(span, "this input divides by zero");
            }
            not_linear(span)
        })
    }

    /// The name of a transient variable that a term reads.
    pub(super) fn transient_read(&self, term: TermId) -> Option<&str> {
        let terms = &self.lowered.model.terms;
        terms.reachable(term).into_iter().find_map(|id| match terms.get(id) {
            Term::Transient(transient) => Some(&*self.lowered.model.transients[transient.0 as usize].name),
            _ => None,
        })
    }

    /// The place of a name in an expression, or of the whole expression where it is not written in it.
    pub(super) fn place_of_name(&self, expression: ExprId, name: &str) -> Span {
        let pool = &self.lowered.syntax().pool;
        let written = |id: &ExprId| matches!(pool.get(*id), Expr::Identifier(n) if **n == *name);
        pool.span(pool.subtree(expression).find(written).unwrap_or(expression))
    }
}

fn not_linear(span: Span) -> Diagnostic {
    Diagnostic::error(span, NOT_LINEAR).with_help(INPUTS)
}

/// What is said of an input that linear arithmetic does not reach.
const NOT_LINEAR: &str = "this input is not linear in the state";

/// What inputs can be.
const INPUTS: &str = "inputs are sums of variables and locations times constants, plus constants, and min, max, abs, ite and \
                      comparisons of integers; compute anything else in a variable of the model";

/// `{"location": ...}` and `{"variable": ...}`.
fn is_leaf(node: Node<'_>) -> bool {
    node.kind() == Kind::Object
        && node.get("op").is_none()
        && (node.get("location").is_some() || node.get("variable").is_some())
}

/// Whether there is such a leaf below.
fn mentions_leaf(node: Node<'_>) -> bool {
    let mut work = vec![node];
    while let Some(node) = work.pop() {
        if is_leaf(node) {
            return true;
        }
        match node.kind() {
            Kind::Object => work.extend(node.members().map(|(_, _, value)| value)),
            Kind::Array => work.extend(node.items()),
            _ => {}
        }
    }
    false
}
