//! Sources to questions: queries in JSON or VNN-LIB, and the network they are about.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use surefoot_checker::lemma::query::CONTAINER;
use surefoot_files::{Kind, unpacked_name};
use surefoot_linear::{Interval, Space, Symbol, SymbolRange};
use surefoot_network::{Network, ReadOptions};
use surefoot_oracle::{Application, Kind as VariableKind, Question};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind as Json, Node, ObjectReader};
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::Property;

use super::asked::Query;
use super::check::{Input, check};
use super::networks::{NetworkSource, Used};
use super::property::{Wired, wire};
use super::query::read_query;
use crate::problem::{Failure, notice};
use crate::source::Source;

/// What there is to decide.
#[derive(Debug)]
pub struct Queries {
    /// The networks, each with what it is called; one for each output that a query names. Never empty.
    pub networks: Vec<Used>,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Whether the file is a list, even of one.
    pub is_list: bool,
    /// The property, when the file is VNN-LIB.
    pub property: Option<Property>,
    /// The text that they were read from.
    pub text: Arc<str>,
    /// Notices.
    pub notes: Vec<Diagnostic>,
    /// What answers take for granted: how the network was read, where its file leaves that open.
    pub assumptions: Vec<String>,
    /// Files, texts and values in memory, and their hashes.
    pub inputs: Vec<(String, String)>,
}

impl Queries {
    /// Reads queries and their network.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn load(
        sources: &mut SourceMap,
        query: &Source,
        given: &[NetworkSource],
        options: &ReadOptions,
    ) -> Result<Self, Failure> {
        let file = query.load(sources, Kind::Query)?;
        let text = Arc::clone(&sources.file(file).text);
        let path = query.name();
        let (queries, is_list, property, networks, mut notes) = if is_vnnlib(path, &text) {
            let property = surefoot_vnnlib::read(file, &text)?;
            let Wired { question, networks, notes } = wire(sources, &property, path, given, options)?;
            let query = property_query(&property, question)?;
            (vec![query], false, Some(property), networks, notes)
        } else {
            let [source] = given else {
                let message = "queries in JSON are about one network";
                return Err(Diagnostic::error_anywhere(message).with_help("give one").into());
            };
            let network = source.network.load(sources, options)?;
            let document = Document::parse(file, &text)?;
            let (queries, is_list) = json_queries(document.root(), &network)?;
            (queries, is_list, None, vec![Used { shown: source.network.shown(), network }], Vec::new())
        };
        for query in &queries {
            check_outputs(query)?;
            check_inputs(&query.question)?;
        }
        let mut assumptions: Vec<String> = Vec::new();
        for Used { shown, network } in &networks {
            for text in network.notices().iter().map(|text| format!("{shown}: {text}")) {
                if !assumptions.contains(&text) {
                    assumptions.push(text);
                }
            }
        }
        notes.extend(assumptions.iter().map(notice));
        notes.extend(queries.iter().filter_map(|query| query.notice.clone()));
        let inputs = sources.inputs.hashes();
        Ok(Self { networks, queries, is_list, property, text, notes, assumptions, inputs })
    }
}

/// Refuses questions about values that a network's file does not end with, and about several choices.
fn check_outputs(query: &Query) -> Result<(), Diagnostic> {
    let mut first = query.question.variables.len();
    for Application { network, .. } in &query.question.applications {
        let outputs = first..first + network.output_len();
        first = outputs.end;
        if let sizes @ [_, ..] = network.choices() {
            let message = format!("the network makes {} choices at once, and a query is about one", sizes.len());
            let help = "export the network in front of them: its scores";
            return Err(Diagnostic::error_anywhere(message).with_help(help));
        }
        if network.order_only() && !compares_only(query, &outputs) {
            let taken_off = network.notices().join("; ");
            let message = format!("the queries are about values that the network file does not end with: {taken_off}");
            let help = "export the network without it, or compare outputs with each other only";
            return Err(Diagnostic::error_anywhere(message).with_help(help));
        }
        let multiplies = |symbol: &Symbol| outputs.contains(&symbol.index());
        if !network.is_exact() && query.products.iter().any(|(left, right)| multiplies(left) || multiplies(right)) {
            let message = "products of outputs are not supported of networks that are not piecewise linear";
            let help = "multiply inputs only, or ask about a network of ReLUs";
            return Err(Diagnostic::error_anywhere(message).refusal().with_help(help));
        }
    }
    Ok(())
}

/// Refuses inputs that are not what the network asks for: integers, or a range of them.
fn check_inputs(question: &Question) -> Result<(), Diagnostic> {
    let mut space = Space::default();
    for variable in &question.variables {
        let bounds = Interval::new(variable.lower.clone(), variable.upper.clone());
        space.push(SymbolRange { integer: variable.kind == VariableKind::Integer, bounds });
    }
    for application in &question.applications {
        for (index, form) in application.inputs.iter().enumerate() {
            if let Some(problem) = application.network.input_domain(index).excludes(form, &space) {
                let message = format!("input {index} of the network {problem}");
                let help = "declare the variable as an integer within these bounds";
                return Err(Diagnostic::error_anywhere(message).with_help(help));
            }
        }
    }
    Ok(())
}

/// Whether every condition on some outputs compares two of them.
fn compares_only(query: &Query, outputs: &Range<usize>) -> bool {
    let of_these = |symbol: &Symbol| outputs.contains(&symbol.index());
    let mut result = query.products.iter().all(|(left, right)| !of_these(left) && !of_these(right));
    query.question.formula.for_each_atom(&mut |atom| {
        let compares = match atom.form.terms() {
            [(left, a), (right, b)] => {
                of_these(left) && of_these(right) && (a + b).is_zero() && atom.form.constant().is_zero()
            }
            _ => false,
        };
        result &= compares || !atom.form.terms().iter().any(|(symbol, _)| of_these(symbol));
    });
    result
}

/// By the extension, or where that says nothing, by the first character.
fn is_vnnlib(path: &Path, text: &str) -> bool {
    let unpacked = unpacked_name(path);
    let extension =
        unpacked.as_deref().unwrap_or(path).extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("vnnlib" | "smt2") => true,
        Some("json") => false,
        _ => text.trim_start().starts_with(['(', ';']),
    }
}

/// One query, an array of them, or an object that has them as `queries`; and whether it is a list.
fn json_queries(root: Node<'_>, network: &Arc<Network>) -> Result<(Vec<Query>, bool), Diagnostic> {
    let list = match root.kind() {
        Json::Object if root.get("queries").is_none() => return Ok((vec![read_query(root, network)?], false)),
        Json::Object => ObjectReader::new(root, &CONTAINER)?.required("queries"),
        _ => root,
    };
    let items = list.expect_array("a query object, or an array of them")?;
    let mut queries = items.map(|item| read_query(item, network)).collect::<Result<Vec<_>, _>>()?;
    for (index, query) in queries.iter_mut().enumerate() {
        if let Some(notice) = &mut query.notice {
            notice.message = format!("query {index}: {}", notice.message);
        }
    }
    Ok((queries, true))
}

fn property_query(property: &Property, question: Question) -> Result<Query, Diagnostic> {
    let query = Query { products: property.products.clone(), links: true, ..Query::new(question) };
    let odd = check(&query.outline(), property.declared_at(0), |input| Input {
        name: if input < property.inputs.len() { property.input_name(input) } else { "a product".to_owned() },
        span: property.declared_at(input),
    })?;
    let contradictory = property.contradictory.map(|input| {
        let name = property.input_name(input);
        let message = format!("the bounds of {name} contradict each other, so nothing is in the box");
        let help = format!("the answer is unsat whatever the network does; look at the conditions on {name}");
        Diagnostic::notice(property.declared_at(input), message).with_help(help)
    });
    Ok(Query { notice: odd.or(contradictory), ..query })
}
