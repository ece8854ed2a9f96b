//! GraphML: small models for graph editors and libraries.
//!
//! States are nodes with their labels, whether they are initial, and their values; branches are edges with action, choice (numbered
//! within the state) and probability. Probabilities are numbers unless fractions are asked for; these are text.

use std::io::Write;

use crate::dot::check_size;
use crate::error::ExportError;
use crate::model::{Model, VariableKind};
use crate::number::show;
use crate::options::{Format, Numbers, Options};

/// Writes a model.
///
/// # Errors
/// Where it cannot be written, or is too large.
pub fn write(model: &Model<'_>, options: &Options, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    check_size(model, options)?;
    let numbers = options.numbers.unwrap_or(Format::GraphMl.numbers());
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    let mut key = |id: &str, of: &str, name: &str, kind: &str| {
        writeln!(out, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{}\" attr.type=\"{kind}\"/>", escape(name))
    };
    key("labels", "node", "labels", "string")?;
    key("initial", "node", "initial", "boolean")?;
    for (i, variable) in model.variables.iter().enumerate() {
        let kind = match variable.kind {
            VariableKind::Bool => "boolean",
            VariableKind::Int { .. } => "long",
            VariableKind::Symbol(_) => "string",
        };
        key(&format!("v{i}"), "node", &variable.name, kind)?;
    }
    key("action", "edge", "action", "string")?;
    key("choice", "edge", "choice", "int")?;
    let kind = match numbers {
        Numbers::Exact => "string",
        Numbers::Double => "double",
    };
    key("probability", "edge", "probability", kind)?;
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"directed\">", escape(model.name))?;
    nodes(model, out)?;
    for state in model.mdp.states() {
        for (index, choice) in model.mdp.choices(state).enumerate() {
            for branch in model.mdp.branches(choice) {
                writeln!(out, "    <edge source=\"s{state}\" target=\"s{}\">", branch.target)?;
                if let Some(action) = model.action_name(choice) {
                    writeln!(out, "      <data key=\"action\">{}</data>", escape(action))?;
                }
                writeln!(out, "      <data key=\"choice\">{index}</data>")?;
                let probability = show(model.mdp.exact(*branch), numbers)?;
                writeln!(out, "      <data key=\"probability\">{probability}</data>\n    </edge>")?;
            }
        }
    }
    writeln!(out, "  </graph>\n</graphml>")?;
    Ok(())
}

fn nodes(model: &Model<'_>, out: &mut impl Write) -> Result<(), ExportError> {
    let mut values = model.room();
    for state in model.mdp.states() {
        writeln!(out, "    <node id=\"s{state}\">")?;
        let labels: Vec<&str> = model.labels_of(state).collect();
        writeln!(out, "      <data key=\"labels\">{}</data>", escape(&labels.join(" ")))?;
        writeln!(out, "      <data key=\"initial\">{}</data>", model.initial.contains(state))?;
        model.source.values(state, &mut values);
        for (i, (variable, value)) in model.variables.iter().zip(&values).enumerate() {
            writeln!(out, "      <data key=\"v{i}\">{}</data>", escape(&variable.show(*value)))?;
        }
        writeln!(out, "    </node>")?;
    }
    Ok(())
}

/// Text in XML; control characters have no place in it.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => result.push('_'),
            c => result.push(c),
        }
    }
    result
}
