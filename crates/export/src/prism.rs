//! PRISM's explicit files: transitions, states and labels.
//!
//! Transitions (`.tra`): states, choices (decision processes only) and transitions, then one line per branch: source, choice
//! (decision processes only), target, probability, action. States (`.sta`): `(x,on)`, then `0:(1,true)`. Labels (`.lab`):
//! `0="init" 1="deadlock"`, then `0: 0 1`.
//!
//! PRISM's names of variables and labels are identifiers, so others are changed: `grid[3]` to `grid_3`. Locations are
//! numbers. PRISM reads fractions only when it computes exactly, so probabilities are decimals unless fractions are asked for.

use std::io::Write;

use crate::error::ExportError;
use crate::model::{Model, VariableKind};
use crate::names::{identifiers, words};
use crate::number::show;
use crate::options::{Format, Options, ProcessType};
use crate::rows::{Row, Rows};

/// Writes the transitions (`.tra`).
///
/// # Errors
/// Where they cannot be written, or a probability is too small for a float.
pub fn transitions(model: &Model<'_>, options: &Options, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    let rows = Rows::new(model.mdp);
    let numbers = options.numbers.unwrap_or(Format::Prism.numbers());
    let decides = model.process_type(options) == ProcessType::Mdp;
    write!(out, "{}", model.mdp.num_states())?;
    if decides {
        write!(out, " {}", rows.count())?;
    }
    writeln!(out, " {}", rows.branch_count())?;
    let actions = words(model.actions.iter().map(String::as_str), &[]);
    let mut branches = Vec::new();
    for state in model.mdp.states() {
        for (index, row) in rows.of(state).enumerate() {
            let action = match row {
                Row::Choice(choice) => model.source.action(choice).and_then(|a| actions.get(a as usize)),
                Row::Loop(_) => None,
            };
            rows.branches(row, &mut branches);
            for (target, probability) in &branches {
                write!(out, "{state}")?;
                if decides {
                    write!(out, " {index}")?;
                }
                write!(out, " {target} {}", show(probability, numbers)?)?;
                if let Some(action) = action {
                    write!(out, " {action}")?;
                }
                out.write_all(b"\n")?;
            }
        }
    }
    Ok(())
}

/// Writes the states (`.sta`).
///
/// # Errors
/// Where they cannot be written.
pub fn states(model: &Model<'_>, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    // PRISM wants a variable.
    if model.variables.is_empty() {
        writeln!(out, "(state)")?;
        for state in 0..model.mdp.num_states() {
            writeln!(out, "{state}:({state})")?;
        }
        return Ok(());
    }
    writeln!(out, "({})", identifiers(model.variables.iter().map(|v| v.name.as_str())).join(","))?;
    let mut values = model.room();
    for state in model.mdp.states() {
        model.source.values(state, &mut values);
        write!(out, "{state}:(")?;
        for (i, (variable, value)) in model.variables.iter().zip(&values).enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match variable.kind {
                VariableKind::Bool => write!(out, "{comma}{}", *value != 0)?,
                VariableKind::Int { .. } | VariableKind::Symbol(_) => write!(out, "{comma}{value}")?,
            }
        }
        out.write_all(b")\n")?;
    }
    Ok(())
}

/// Writes the labels (`.lab`).
///
/// # Errors
/// Where they cannot be written, or their names cannot be told apart.
pub fn labels(model: &Model<'_>, out: &mut impl Write) -> Result<(), ExportError> {
    model.check()?;
    out.write_all(b"0=\"init\"")?;
    for (i, name) in identifiers(model.labels.iter().map(|label| label.name.as_str())).iter().enumerate() {
        write!(out, " {}=\"{name}\"", i + 1)?;
    }
    out.write_all(b"\n")?;
    for state in model.mdp.states() {
        let initial = model.initial.contains(state).then_some(0);
        let others = model.labels.iter().enumerate().filter(|(_, label)| label.states.contains(state));
        let held: Vec<usize> = initial.into_iter().chain(others.map(|(i, _)| i + 1)).collect();
        if held.is_empty() {
            continue;
        }
        write!(out, "{state}:")?;
        for index in held {
            write!(out, " {index}")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
