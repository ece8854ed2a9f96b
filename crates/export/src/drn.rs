//! Storm's DRN: "direct encoding" in text.
//!
//! ```text
//! @type: MDP
//! @value_type: rational
//! ...
//! state 0 init start
//! //[x=1 & on=true]
//!     action go
//!         0 : 1/3
//!         1 : 2/3
//! ```
//!
//! Initial states have the label `init`. Values of variables are comments: Storm writes them and does not read them. Actions are
//! single words, so blanks in their names become underscores; `__NOLABEL__` is Storm's name for none. Storm reads fractions
//! whichever number type it is to build, so they are what is written unless doubles are asked for.

use std::io::Write;

use crate::error::ExportError;
use crate::model::Model;
use crate::names::{distinct, is_identifier, one_line, words};
use crate::number::show;
use crate::options::{Format, Numbers, Options, ProcessType};
use crate::rows::{Row, Rows};

const SILENT: &str = "__NOLABEL__";

/// Writes a model.
///
/// # Errors
/// Where it cannot be written, or its names cannot be told apart.
pub fn write(model: &Model<'_>, options: &Options, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    let rows = Rows::new(model.mdp);
    let numbers = options.numbers.unwrap_or(Format::Drn.numbers());
    let process = match model.process_type(options) {
        ProcessType::Dtmc => "DTMC",
        ProcessType::Mdp => "MDP",
    };
    let number_type = match numbers {
        Numbers::Exact => "rational",
        Numbers::Double => "double",
    };
    writeln!(out, "// {}, exported by Surefoot", one_line(model.name))?;
    writeln!(out, "@type: {process}\n@value_type: {number_type}\n@parameters\n\n@reward_models\n")?;
    writeln!(out, "@nr_states\n{}\n@nr_choices\n{}\n@model", model.mdp.num_states(), rows.count())?;
    let actions = words(model.actions.iter().map(String::as_str), &[SILENT]);
    let labels = labels(model);
    let (mut values, mut branches) = (model.room(), Vec::new());
    for state in model.mdp.states() {
        write!(out, "state {state}")?;
        if model.initial.contains(state) {
            out.write_all(b" init")?;
        }
        for (label, name) in model.labels.iter().zip(&labels) {
            if label.states.contains(state) {
                write!(out, " {name}")?;
            }
        }
        out.write_all(b"\n")?;
        if !model.variables.is_empty() {
            writeln!(out, "//[{}]", one_line(&model.describe(state, &mut values, " & ")))?;
        }
        for row in rows.of(state) {
            let action = match row {
                Row::Choice(choice) => model.source.action(choice).and_then(|a| actions.get(a as usize)),
                Row::Loop(_) => None,
            };
            writeln!(out, "\taction {}", action.map_or(SILENT, String::as_str))?;
            rows.branches(row, &mut branches);
            for (target, probability) in &branches {
                writeln!(out, "\t\t{target} : {}", show(probability, numbers)?)?;
            }
        }
    }
    Ok(())
}

/// The labels as Storm reads them: in quotes where they are no plain words. Quotes have no escapes.
fn labels(model: &Model<'_>) -> Vec<String> {
    let cleaned = model.labels.iter().map(|label| one_line(&label.name).replace('"', "'"));
    let quoted = |name: String| if is_identifier(&name) { name } else { format!("\"{name}\"") };
    distinct(cleaned, &["init"]).into_iter().map(quoted).collect()
}
