//! Graphviz: small models to look at.
//!
//! States are boxes with their number, labels and values; initial states have two lines around them. A choice of several branches is
//! a point that the branches leave from.

use std::io::Write;

use crate::error::ExportError;
use crate::model::Model;
use crate::number::show;
use crate::options::{DRAWING_LIMIT, Format, Options};

/// Colours of well-known labels; the first that a state has is its own.
const COLOURS: [(&str, &str); 3] = [("unsafe", "#f4a582"), ("goal", "#a6d96a"), ("deadlock", "#d9d9d9")];

/// Refuses models that are too large to look at.
pub(crate) fn check_size(model: &Model<'_>, options: &Options) -> Result<(), ExportError> {
    let states = model.mdp.num_states();
    if states > DRAWING_LIMIT && !options.any_size {
        return Err(ExportError::TooLarge { states, limit: DRAWING_LIMIT });
    }
    Ok(())
}

/// Writes a model.
///
/// # Errors
/// Where it cannot be written, or is too large.
pub fn write(model: &Model<'_>, options: &Options, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    check_size(model, options)?;
    let numbers = options.numbers.unwrap_or(Format::Dot.numbers());
    let mut values = model.room();
    writeln!(out, "digraph \"{}\" {{", escape(model.name))?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\"];")?;
    for state in model.mdp.states() {
        let mut text = state.to_string();
        let labels: Vec<&str> = model.labels_of(state).collect();
        if !labels.is_empty() {
            text.push_str(&format!(" {}", labels.join(" ")));
        }
        if !model.variables.is_empty() {
            text.push_str(&format!("\n{}", model.describe(state, &mut values, "\n")));
        }
        write!(out, "  s{state} [label=\"{}\"", escape(&text))?;
        if model.initial.contains(state) {
            out.write_all(b", peripheries=2")?;
        }
        if let Some((_, colour)) = COLOURS.iter().find(|(name, _)| labels.contains(name)) {
            write!(out, ", fillcolor=\"{colour}\"")?;
        }
        out.write_all(b"];\n")?;
        for choice in model.mdp.choices(state) {
            let action = escape(model.action_name(choice).unwrap_or_default());
            let branches = model.mdp.branches(choice);
            if let [only] = branches {
                writeln!(out, "  s{state} -> s{} [label=\"{action}\"];", only.target)?;
                continue;
            }
            writeln!(out, "  c{choice} [shape=point];")?;
            writeln!(out, "  s{state} -> c{choice} [label=\"{action}\", dir=none];")?;
            for branch in branches {
                let probability = show(model.mdp.exact(*branch), numbers)?;
                writeln!(out, "  c{choice} -> s{} [label=\"{probability}\"];", branch.target)?;
            }
        }
    }
    out.write_all(b"}\n")?;
    Ok(())
}

/// Text within quotes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => result.extend(['\\', c]),
            '\n' => result.push_str("\\n"),
            c if c.is_control() => result.push('_'),
            c => result.push(c),
        }
    }
    result
}
