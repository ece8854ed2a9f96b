//! `check` of a VNN-LIB query: what it is about, and what is odd about it.

use std::fmt::Write;

use surefoot_files::Kind;
use surefoot_linear::{Interval, Symbol};
use surefoot_network::ReadOptions;
use surefoot_network::bounds::BoundingNetwork;
use surefoot_num::{FloatInterval, Rational};
use surefoot_oracle::Question;
use surefoot_text::counted;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::{Examined, Kinship, Names};

use super::envelope::product;
use super::networks::NetworkSource;
use super::property::wire;
use crate::problem::Failure;
use crate::source::Source;

/// What there is to say about a query.
#[derive(Debug)]
pub struct Examination {
    /// What it is about, line by line.
    pub text: String,
    /// What is odd about it.
    pub findings: Vec<Diagnostic>,
}

/// Reads a query, and the networks that are given.
///
/// # Errors
/// What cannot be read, or does not fit a network.
pub fn examine(
    sources: &mut SourceMap,
    query: &Source,
    given: &[NetworkSource],
    options: &ReadOptions,
) -> Result<Examination, Failure> {
    let file = query.load(sources, Kind::Query)?;
    let text = std::sync::Arc::clone(&sources.file(file).text);
    let examined = surefoot_vnnlib::examine(file, &text)?;
    let mut text = described(&examined);
    let mut findings = Vec::new();
    let mut outputs = vec![Interval::default(); examined.outputs];
    if !given.is_empty() && examined.bounds.iter().all(|bounds| bounds.ends().is_some()) {
        let property = surefoot_vnnlib::read(file, &sources.file(file).text.clone())?;
        let wired = wire(sources, &property, query.name(), given, options)?;
        findings.extend(wired.notes);
        for used in &wired.networks {
            let network = &used.network;
            let (inputs, scores) = (network.input_len() as u64, network.output_len() as u64);
            let (inputs, scores) = (counted(inputs, "input"), counted(scores, "output"));
            let _ = writeln!(text, "  file      {} ({inputs}, {scores})", used.shown);
        }
        outputs = enclosed(&wired.question, &examined).unwrap_or(outputs);
    }
    let mut known: Vec<Interval> = examined.bounds.iter().cloned().chain(outputs).collect();
    for (left, right) in &examined.products {
        known.push(product(&known[left.index()], &known[right.index()]).unwrap_or_default());
    }
    findings.extend(examined.findings(&|symbol: Symbol| known[symbol.index()].clone()));
    Ok(Examination { text, findings })
}

/// Outward rounded intervals of all outputs over the box; none where there are none to be had.
fn enclosed(question: &Question, examined: &Examined) -> Option<Vec<Interval>> {
    let around = |bounds: &Interval| bounds.ends().map(|(lower, upper)| FloatInterval::around(lower, upper));
    let bounds: Vec<FloatInterval> = examined.bounds.iter().map(around).collect::<Option<_>>()?;
    if examined.bounds.iter().any(Interval::is_empty) {
        return None;
    }
    let mut outputs = Vec::new();
    for application in &question.applications {
        let enclosed = BoundingNetwork::new(&application.network)?.enclose(&application.inputs, &bounds)?;
        for output in 0..application.network.output_len() {
            let FloatInterval { lower, upper } = enclosed.output(output);
            outputs.push(Interval::new(Rational::from_f64(lower)?, Rational::from_f64(upper)?));
        }
    }
    Some(outputs)
}

/// What a query declares.
fn described(examined: &Examined) -> String {
    let version = if matches!(examined.names, Names::Flat) { "1.0" } else { "2.0" };
    let count = |number: usize, what: &str| counted(number as u64, what);
    let (inputs, outputs) = (count(examined.inputs, "input"), count(examined.outputs, "output"));
    let mut text = format!("  query     VNN-LIB {version}, {inputs}, {outputs}");
    if !examined.products.is_empty() {
        let _ = write!(text, ", {}", count(examined.products.len(), "product"));
    }
    text.push('\n');
    let networks = examined.names.networks();
    for network in networks {
        let tensors = |tensors: &[surefoot_vnnlib::Tensor]| {
            let shown = tensors.iter().map(|tensor| format!("{} {}", tensor.name, tensor.shown_shape()));
            shown.collect::<Vec<_>>().join(", ")
        };
        let kinship = match network.kinship {
            Some(Kinship::EqualTo(other)) => format!(", equal to {}", networks[other].name),
            Some(Kinship::IsomorphicTo(other)) => format!(", isomorphic to {}", networks[other].name),
            None => String::new(),
        };
        let (from, to) = (tensors(&network.inputs), tensors(&network.outputs));
        let _ = writeln!(text, "  network   {}: {from} -> {to}{kinship}", network.name);
    }
    text
}
