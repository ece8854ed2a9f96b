//! Questions about networks, as far as there are lemmas for them: integer inputs in a box, linear constraints on them, one output to be chosen.
//!
//! This is a reader of its own, beside the one that questions are answered from: what a certificate is about does not rest on that one.

use std::collections::BTreeMap;

use surefoot_model::policy::Ties;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};

use super::LOCATIONS;
use crate::formula::Atom;
use crate::values::Bounds;

/// Queries with what they were made from: `queries` counts, the rest is for people.
pub const CONTAINER: Shape = Shape::new("a file of queries", &["queries"], &["net", "domain", "vars"]);
/// A query.
pub const QUERY: Shape = Shape::new(
    "a query",
    &["box"],
    &[
        "constraints",
        "label",
        "ties",
        "integer",
        "outputs",
        "clauses", // what is asked
        "id",
        "class",
        "verdict",
        "confirmed_by",
        "t",
        "npts",
        "top",
        "best", // what benchmarks note down
    ],
);
/// A constraint.
pub const CONSTRAINT: Shape = Shape::new("a constraint", &["op", "rhs"], &["coeffs", "outputs"]);

/// Inputs of a larger size are refused.
const MOST: i64 = 1 << 53;

/// A question that has no answer if an output is not chosen anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Bounds of the inputs; with one that is empty there is nothing to show.
    pub bounds: Vec<Bounds>,
    /// What else is known of them.
    pub constraints: Vec<Constraint>,
    /// The output.
    pub label: usize,
    /// Whether it is chosen when it is the first maximal one, or when it is maximal.
    pub ties: Ties,
}

/// Something known of the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// An inequality.
    Atom(Atom),
    /// One of two.
    Either(Atom, Atom),
}

/// Why there is no question.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is malformed.
    Malformed(Diagnostic),
    /// There are no lemmas for it.
    Unsupported(&'static str),
}

impl From<Diagnostic> for Unread {
    fn from(error: Diagnostic) -> Self {
        Self::Malformed(error)
    }
}

/// All queries of a file, in order, about a network of so many inputs and outputs; or why there are no lemmas for one.
///
/// # Errors
/// What is malformed.
pub fn read_queries(
    root: Node<'_>,
    inputs: usize,
    outputs: usize,
) -> Result<Vec<Result<Question, &'static str>>, Diagnostic> {
    let one = |node: Node<'_>| match question(node, inputs, outputs) {
        Ok(question) => Ok(Ok(question)),
        Err(Unread::Unsupported(why)) => Ok(Err(why)),
        Err(Unread::Malformed(error)) => Err(error),
    };
    let list = match root.kind() {
        Kind::Object if root.get("queries").is_none() => return Ok(vec![one(root)?]),
        Kind::Object => ObjectReader::new(root, &CONTAINER)?.required("queries"),
        _ => root,
    };
    list.expect_array("a query object, or an array of them")?.map(one).collect()
}

fn question(node: Node<'_>, inputs: usize, outputs: usize) -> Result<Question, Unread> {
    let object = ObjectReader::new(node, &QUERY)?;
    if object.optional("outputs").is_some() || object.optional("clauses").is_some() {
        return Err(Unread::Unsupported("it has conditions on outputs, or clauses"));
    }
    let Some(label) = object.optional("label") else {
        return Err(Unread::Unsupported("it asks for no label"));
    };
    let number = label.expect_i64("the label as a number of an output")?;
    let known = usize::try_from(number).ok().filter(|number| *number < outputs);
    let label = known.ok_or_else(|| Diagnostic::error(label.span(), format!("there is no label {number}")))?;
    let ties = match object.optional("ties").map(|ties| (ties, ties.as_str())) {
        None | Some((_, Some("any"))) => Ties::Any,
        Some((_, Some("first"))) => Ties::First,
        Some((node, _)) => return Err(node.mismatch("\"any\" or \"first\"").into()),
    };
    integers(object.optional("integer"), inputs)?;
    let bounds = bounds(object.required("box"), inputs)?;
    let mut constraints = Vec::new();
    if let Some(list) = object.optional("constraints") {
        for item in list.expect_array("the constraints as an array")? {
            constraints.extend(constraint(item, inputs)?);
        }
    }
    Ok(Question { bounds, constraints, label, ties })
}

/// That all inputs are integers.
fn integers(node: Option<Node<'_>>, inputs: usize) -> Result<(), Unread> {
    let Some(node) = node else { return Ok(()) };
    let kinds = if node.kind() == Kind::Array { node.items().collect() } else { vec![node; inputs] };
    let kinds = kinds.iter().map(|kind| kind.expect_bool("true or false")).collect::<Result<Vec<bool>, _>>()?;
    if kinds.len() != inputs {
        return Err(node.mismatch(&format!("one truth value for each of {inputs} inputs")).into());
    }
    if kinds.contains(&false) { Err(Unread::Unsupported("it has inputs that are real numbers")) } else { Ok(()) }
}

fn bounds(node: Node<'_>, inputs: usize) -> Result<Vec<Bounds>, Unread> {
    let large = Unread::Unsupported("its inputs are too large");
    let mut bounds = Vec::new();
    for interval in node.expect_array("the box as an array of intervals")? {
        let ends: Vec<Node<'_>> = interval.expect_array("an interval [smallest, largest]")?.collect();
        let [lower, upper] = ends[..] else { return Err(interval.mismatch("an interval of two ends").into()) };
        // Soundness: no integer is between an end and what it is rounded to.
        let (lower, upper) = (number(lower)?.ceil().to_i64(), number(upper)?.floor().to_i64());
        let small = |end: &i64| (-MOST..=MOST).contains(end);
        let (Some(lower), Some(upper)) = (lower.filter(small), upper.filter(small)) else { return Err(large) };
        bounds.push((lower, upper));
    }
    if bounds.len() == inputs {
        return Ok(bounds);
    }
    Err(node.mismatch(&format!("an interval for each of {inputs} inputs")).into())
}

fn constraint(node: Node<'_>, inputs: usize) -> Result<Vec<Constraint>, Unread> {
    let object = ObjectReader::new(node, &CONSTRAINT)?;
    if object.optional("outputs").is_some() {
        return Err(Unread::Unsupported("it has conditions on outputs"));
    }
    let Some(list) = object.optional("coeffs").filter(|list| list.kind() == Kind::Object) else {
        return Err(node.mismatch("a constraint with coefficients, {\"index\": number}").into());
    };
    let mut terms: BTreeMap<u32, Rational> = BTreeMap::new();
    for (name, span, value) in list.members() {
        // Only one name for each: "00" beside "0" would be another one.
        let index = name.parse::<u32>().ok().filter(|index| (*index as usize) < inputs && index.to_string() == name);
        let index = index.ok_or_else(|| Diagnostic::error(span, "this is no index of an input"))?;
        terms.insert(LOCATIONS + index, number(value)?);
    }
    let terms: Vec<(u32, Rational)> = terms.into_iter().filter(|(_, a)| !a.is_zero()).collect();
    let rest = -number(object.required("rhs"))?;
    let negated: Vec<(u32, Rational)> = terms.iter().map(|(slot, a)| (*slot, -a)).collect();
    let large = || Unread::Unsupported("the numbers of a constraint are too large");
    let at_least = |strict| Atom::integral(&terms, &rest, strict).ok_or_else(large);
    let at_most = |strict| Atom::integral(&negated, &-&rest, strict).ok_or_else(large);
    let op = object.required("op");
    Ok(match op.expect_str("a comparison such as \"<=\"")? {
        "<=" | "≤" => vec![Constraint::Atom(at_most(false)?)],
        "<" => vec![Constraint::Atom(at_most(true)?)],
        ">=" | "≥" => vec![Constraint::Atom(at_least(false)?)],
        ">" => vec![Constraint::Atom(at_least(true)?)],
        "=" | "==" => vec![Constraint::Atom(at_least(false)?), Constraint::Atom(at_most(false)?)],
        "!=" | "≠" => vec![Constraint::Either(at_least(true)?, at_most(true)?)],
        _ => return Err(op.mismatch("\"<=\", \"<\", \"=\", \">=\", \">\" or \"!=\"").into()),
    })
}

/// A number, or a fraction in text.
fn number(node: Node<'_>) -> Result<Rational, Diagnostic> {
    let text = node.as_number().or_else(|| node.as_str());
    // A text with several slashes would be divided and divided again.
    let read = text.filter(|text| text.matches('/').count() <= 1).and_then(|text| text.parse().ok());
    read.ok_or_else(|| node.mismatch("a number, or a fraction such as \"1/3\""))
}
