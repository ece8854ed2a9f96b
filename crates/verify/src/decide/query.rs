//! Query objects in JSON: what a network is asked, over its inputs in order.
//!
//! ```text
//! {"box": [[0, 3], [-1, 1]],                                          smallest and largest value per input
//!  "constraints": [{"coeffs": {"0": 1, "1": -2}, "op": "<=", "rhs": 3}],
//!  "label": 1, "ties": "any",                                         the output that is to be maximal
//!  "integer": true}                                                   integers, or one truth value per input
//! ```
//!
//! `outputs` has constraints whose `coeffs` are of outputs; `clauses` has lists of constraints of which one must hold,
//! and there a constraint may have coefficients of inputs under `coeffs` and of outputs under `outputs`. Numbers are
//! exact, and may be fractions in text. Members that benchmark files keep their books with are left alone.

use std::sync::Arc;

use surefoot_checker::lemma::query::{CONSTRAINT, QUERY};
use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_network::Network;
use surefoot_num::Rational;
use surefoot_oracle::{Application, Kind, Question, Ties, Variable};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind as Json, Node, ObjectReader, Shape};
use surefoot_text::source::Span;
use surefoot_text::suggest;
use surefoot_vnnlib::parse_number;

use super::asked::Query;
use super::check::{Input, check, counted};

const OUTPUT_CONSTRAINT: Shape = Shape::new("a constraint on outputs", &["coeffs", "op", "rhs"], &[]);
const OPERATORS: [&str; 6] = ["<=", "<", "=", ">=", ">", "!="];

/// The network applied to its inputs as they are.
pub(super) fn identity(network: &Arc<Network>) -> Application {
    let inputs = Symbol::first(network.input_len()).map(Linear::symbol).collect();
    Application { network: Arc::clone(network), inputs }
}

/// Reads one query about a network.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read_query(node: Node<'_>, network: &Arc<Network>) -> Result<Query, Diagnostic> {
    let object = ObjectReader::new(node, &QUERY)?;
    let (inputs, outputs) = (network.input_len(), network.output_len());
    let kinds = kinds(object.optional("integer"), inputs)?;
    let (variables, places): (Vec<_>, Vec<_>) = bounds(object.required("box"), kinds)?.into_iter().unzip();
    let mut question = Question { variables, applications: vec![identity(network)], formula: Formula::truth() };
    let size = Size { inputs, outputs };
    let mut parts = Vec::new();
    if let Some(list) = object.optional("constraints") {
        for item in list.expect_array("the constraints as an array")? {
            parts.push(Formula::atom(constraint(item, Over::Both, size)?));
        }
    }
    if let Some(list) = object.optional("outputs") {
        for item in list.expect_array("the constraints on outputs as an array")? {
            parts.push(Formula::atom(constraint(item, Over::Outputs, size)?));
        }
    }
    if let Some(list) = object.optional("clauses") {
        for item in list.expect_array("the clauses as an array of arrays of constraints")? {
            let alternatives = item.expect_array("a clause as an array of constraints")?;
            let atoms = alternatives.map(|item| constraint(item, Over::Both, size).map(Formula::atom));
            parts.push(Formula::any(atoms.collect::<Result<Vec<_>, _>>()?));
        }
    }
    match object.optional("label") {
        Some(label) => {
            let label = index_of(label, outputs)?;
            let ties = ties(object.optional("ties"))?;
            parts.push(question.chosen(0, label, &ties, |_| Formula::truth()));
        }
        None if object.optional("outputs").is_none() && object.optional("clauses").is_none() => {
            let error = Diagnostic::error(node.span(), "this query asks nothing about the network");
            return Err(error.with_help("give the \"label\" that is to be chosen, or \"outputs\" or \"clauses\""));
        }
        None => {
            if let Some(ties) = object.optional("ties") {
                let error = Diagnostic::error(ties.span(), "\"ties\" means nothing without a \"label\"");
                return Err(error.with_help("remove it, or give the \"label\" that is to be chosen"));
            }
        }
    }
    question.formula = Formula::all(parts);
    let notice = check(&question, node.span(), |input| Input { name: format!("input {input}"), span: places[input] })?;
    Ok(Query { expected: verdict(object.optional("verdict"))?, notice, ..Query::new(question) })
}

/// What the coefficients of a constraint are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Inputs, and under a name of their own outputs.
    Both,
    /// Outputs.
    Outputs,
}

#[derive(Debug, Clone, Copy)]
struct Size {
    inputs: usize,
    outputs: usize,
}

/// The answer that the file says the query has; none when that is not known.
fn verdict(node: Option<Node<'_>>) -> Result<Option<String>, Diagnostic> {
    let Some(node) = node.filter(|node| node.kind() != Json::Null) else { return Ok(None) };
    match node.as_str() {
        Some(word @ ("sat" | "unsat")) => Ok(Some(word.to_owned())),
        Some("unknown" | "timed-out" | "timeout") => Ok(None),
        _ => {
            let error = Diagnostic::error(node.span(), format!("{} is no answer that a query has", node.text()));
            Err(error.with_help("the answer to be expected is \"sat\", \"unsat\" or \"unknown\""))
        }
    }
}

fn kinds(node: Option<Node<'_>>, inputs: usize) -> Result<Vec<Kind>, Diagnostic> {
    let kind = |integer| if integer { Kind::Integer } else { Kind::Real };
    let Some(node) = node else { return Ok(vec![Kind::Integer; inputs]) };
    let help = |error: Diagnostic| {
        error.with_help("true: all inputs are integers; false: all are real; [true, false]: one truth value per input")
    };
    if node.kind() != Json::Array {
        return Ok(vec![kind(node.expect_bool("true or false, or an array of them").map_err(help)?); inputs]);
    }
    let kinds = node.items().map(|item| item.expect_bool("true or false").map(kind));
    let kinds = kinds.collect::<Result<Vec<_>, _>>().map_err(help)?;
    if kinds.len() != inputs {
        let verb = if kinds.len() == 1 { "is" } else { "are" };
        let (inputs, values) = (counted(inputs, "input"), counted(kinds.len(), "truth value"));
        let message = format!("the network has {inputs}, but {values} {verb} listed");
        return Err(help(Diagnostic::error(node.span(), message)));
    }
    Ok(kinds)
}

/// The variables, each with the place of its interval.
fn bounds(node: Node<'_>, kinds: Vec<Kind>) -> Result<Vec<(Variable, Span)>, Diagnostic> {
    let help = |error: Diagnostic| error.with_help("give [smallest, largest] for every input, in the network's order");
    let intervals: Vec<Node<'_>> = node.expect_array("the box as an array of intervals").map_err(help)?.collect();
    if intervals.len() != kinds.len() {
        let (inputs, intervals) = (counted(kinds.len(), "input"), counted(intervals.len(), "interval"));
        let message = format!("the network has {inputs}, but the box has {intervals}");
        return Err(help(Diagnostic::error(node.span(), message)));
    }
    let variable = |(interval, kind): (Node<'_>, Kind)| {
        let ends: Vec<Node<'_>> = interval.expect_array("an interval [smallest, largest]").map_err(help)?.collect();
        let [lower, upper] = ends[..] else {
            let message = format!("an interval has two ends, found {}", ends.len());
            return Err(Diagnostic::error(interval.span(), message).with_help("write [smallest, largest]"));
        };
        Ok((Variable { kind, lower: number(lower)?, upper: number(upper)? }, interval.span()))
    };
    intervals.into_iter().zip(kinds).map(variable).collect()
}

fn constraint(node: Node<'_>, over: Over, size: Size) -> Result<Atom, Diagnostic> {
    let object = ObjectReader::new(node, if over == Over::Both { &CONSTRAINT } else { &OUTPUT_CONSTRAINT })?;
    let rhs = number(object.required("rhs"))?;
    let (inputs, outputs) = match (object.optional("coeffs"), object.optional("outputs")) {
        (None, None) => {
            let error = Diagnostic::error(node.span(), "a constraint needs coefficients");
            return Err(error.with_help("write \"coeffs\": {\"0\": 1} for the first input"));
        }
        (coefficients, None) if over == Over::Outputs => (None, coefficients),
        (inputs, outputs) => (inputs, outputs),
    };
    let mut terms = Vec::new();
    for (list, what, count, before) in
        [(inputs, "input", size.inputs, 0), (outputs, "output", size.outputs, size.inputs)]
    {
        let Some(list) = list else { continue };
        if list.kind() != Json::Object {
            let help = "write {\"0\": 1, \"2\": -1} for the first less the third";
            return Err(list.mismatch("coefficients as an object, {\"index\": number}").with_help(help));
        }
        for (name, span, value) in list.members() {
            // Only one name for each: "00" beside "0" would be added up.
            let canonical = |index: &usize| *index < count && index.to_string() == *name;
            let index = name.parse::<usize>().ok().filter(canonical).ok_or_else(|| {
                let there = counted(count, what);
                let error = Diagnostic::error(span, format!("\"{name}\" is no index: the network has {there}"));
                error.with_help(match count {
                    1 => format!("the only {what} is \"0\""),
                    _ => format!("{what}s are counted from \"0\" to \"{}\"", count - 1),
                })
            })?;
            terms.push((Symbol::at(before + index), number(value)?));
        }
    }
    let form = Linear::new(terms, -rhs);
    let op = object.required("op");
    let (form, relation) = match op.expect_str("a comparison such as \"<=\"")? {
        "<=" | "≤" => (-&form, Relation::AtLeastZero),
        "<" => (-&form, Relation::Positive),
        ">=" | "≥" => (form, Relation::AtLeastZero),
        ">" => (form, Relation::Positive),
        "=" | "==" => (form, Relation::Zero),
        "!=" | "≠" => (form, Relation::NonZero),
        other => {
            let error = Diagnostic::error(op.span(), format!("there is no comparison \"{other}\""));
            let near = if other == "=<" { Some("<=") } else { suggest(other, OPERATORS.into_iter()) };
            return Err(match near {
                Some(near) => error.with_help(format!("did you mean \"{near}\"?")),
                None => error.with_help("comparisons are \"<=\", \"<\", \"=\", \">=\", \">\" and \"!=\""),
            });
        }
    };
    Ok(Atom { form, relation })
}

fn index_of(node: Node<'_>, outputs: usize) -> Result<usize, Diagnostic> {
    let help =
        |error: Diagnostic| error.with_help(format!("the network has {}, counted from 0", counted(outputs, "output")));
    let label = node.expect_i64("the label as a number of an output").map_err(help)?;
    let known = usize::try_from(label).ok().filter(|label| *label < outputs);
    known.ok_or_else(|| help(Diagnostic::error(node.span(), format!("there is no label {label}"))))
}

fn ties(node: Option<Node<'_>>) -> Result<Ties, Diagnostic> {
    let Some(node) = node else { return Ok(Ties::Any) };
    let help = |error: Diagnostic| {
        error.with_help("\"any\": every maximal output may be chosen; \"first\": the first of them is")
    };
    match node.expect_str("\"any\" or \"first\"").map_err(help)? {
        "any" => Ok(Ties::Any),
        "first" => Ok(Ties::First),
        other => Err(help(Diagnostic::error(node.span(), format!("there is no tie rule \"{other}\"")))),
    }
}

/// A number, or a fraction in text.
fn number(node: Node<'_>) -> Result<Rational, Diagnostic> {
    let wanted = "a number, or a fraction such as \"1/3\"";
    let Some(text) = node.as_number().or_else(|| node.as_str()) else {
        return Err(node
            .mismatch(wanted)
            .with_help("numbers are written like -12, 0.5 and 1e-3, fractions like \"1/3\""));
    };
    parse_number(text).map_err(|error| Diagnostic::error(node.span(), error.message).with_help(error.help))
}
