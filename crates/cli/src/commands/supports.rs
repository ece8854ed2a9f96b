//! `supports`: what tools that follow the VNN-LIB standard ask before they ask anything else.
//!
//! Theories are those of the standard's chapter on logics. A theory that includes others is listed with them.

use surefoot_network::onnx::{OPERATOR_SETS, operators};

use crate::args::query::SupportsArgs;
use crate::output::{Exit, complain, to_stdout};

pub(crate) fn run(args: &SupportsArgs) -> Exit {
    match to_stdout(&text(args)) {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&format!("error: {error}"));
            Exit::Error
        }
    }
}

/// The answer, a line for each thing.
fn text(args: &SupportsArgs) -> String {
    let (first, last) = OPERATOR_SETS;
    let sets = [first.to_string(), last.to_string()];
    let lines: Vec<&str> = match args {
        SupportsArgs { onnx_opset_versions: true, .. } => sets.iter().map(String::as_str).collect(),
        // Soundness: floating point is not what is decided, so no float type is named.
        SupportsArgs { onnx_element_types: true, .. } => vec!["real"],
        SupportsArgs { onnx_operators: true, .. } => operators().to_vec(),
        SupportsArgs { vnnlib_versions: true, .. } => vec!["1.0", "2.0"],
        SupportsArgs { hidden_node_theories: true, .. } => vec!["NH"],
        SupportsArgs { multiple_input_output_theories: true, .. } => vec!["SIO", "MIO"],
        SupportsArgs { multiple_network_theories: true, .. } => vec!["SNET", "MENET", "MINET", "MNET"],
        SupportsArgs { multiple_node_comparison_theories: true, .. } => vec!["SNC", "MNC"],
        SupportsArgs { arithmetic_complexity_theories: true, .. } => vec!["BND", "OUTC", "LIN", "POLY"],
        SupportsArgs { optimised_disjunctive_reasoning: true, .. } => vec!["true"],
        SupportsArgs { serialise_assignments: true, .. } => vec!["true"],
        _ => vec!["false"],
    };
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}
