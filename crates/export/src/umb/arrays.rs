//! The arrays.

use std::io::{self, Write};

use surefoot_mdp::StateSet;
use surefoot_num::Rational;

use super::index::{Index, widest};
use super::stream::Archive;
use super::{Annotation, Notes, Numbered, Stored};
use crate::error::ExportError;
use crate::model::Model;
use crate::rows::{Row, Rows};

/// Writes everything but the index.
pub(super) fn write<W: Write>(
    model: &Model<'_>,
    rows: &Rows<'_>,
    stored: Stored,
    index: &Index,
    archive: &mut Archive<W>,
) -> Result<(), ExportError> {
    let states = model.mdp.num_states();
    set(archive, "state-is-initial.bin", model.initial)?;
    let mut end = 0u64;
    archive.per_state("state-to-choices.bin", 8 * (states + 1), states, |state, into| {
        first(state, into);
        end += rows.len(state) as u64;
        into.extend_from_slice(&end.to_le_bytes());
        Ok(())
    })?;
    let mut end = 0u64;
    archive.per_state("choice-to-branches.bin", 8 * (rows.count() + 1), states, |state, into| {
        first(state, into);
        for row in rows.of(state) {
            end += rows.width(row) as u64;
            into.extend_from_slice(&end.to_le_bytes());
        }
        Ok(())
    })?;
    let mut branches = Vec::new();
    archive.per_state("branch-to-target.bin", 8 * rows.branch_count(), states, |state, into| {
        for row in rows.of(state) {
            rows.branches(row, &mut branches);
            for (target, _) in &branches {
                into.extend_from_slice(&u64::from(*target).to_le_bytes());
            }
        }
        Ok(())
    })?;
    archive.per_state("branch-to-probability.bin", stored.bytes() * rows.branch_count(), states, |state, into| {
        for row in rows.of(state) {
            rows.branches(row, &mut branches);
            branches.iter().for_each(|(_, probability)| put(probability, stored, into));
        }
        Ok(())
    })?;
    if !model.actions.is_empty() {
        actions(model, rows, archive)?;
    }
    for (label, folder) in model.labels.iter().zip(&index.labels) {
        set(archive, &format!("annotations/aps/{folder}/states/values.bin"), &label.states)?;
    }
    if !model.variables.is_empty() {
        let mut values = model.room();
        let path = "valuations/states/valuations.bin";
        archive.per_state(path, index.layout.bytes * states, states, |state, into| {
            model.source.values(state, &mut values);
            for (variable, value) in model.variables.iter().zip(&values) {
                let (lower, upper) = variable.bounds();
                if *value < lower || *value > upper {
                    return Err(io::Error::other(format!("{value} is no value of {}", variable.name)));
                }
            }
            index.layout.pack(&values, into);
            Ok(())
        })?;
    }
    Ok(())
}

/// Writes the numbers about states.
pub(super) fn annotations<W: Write>(notes: &Notes<'_>, archive: &mut Archive<W>) -> Result<(), ExportError> {
    for Annotation { group, name, values } in notes.annotations {
        let path = format!("annotations/{group}/{name}/states/values.bin");
        match values {
            Numbered::Fractions(values) => {
                let stored = Stored::Rational(widest(values));
                archive.per_state(&path, stored.bytes() * values.len(), values.len(), |state, into| {
                    put(&values[state as usize], stored, into);
                    Ok(())
                })?;
            }
            Numbered::Counts(values) => archive.per_state(&path, 8 * values.len(), values.len(), |state, into| {
                into.extend_from_slice(&values[state as usize].to_le_bytes());
                Ok(())
            })?,
        }
    }
    Ok(())
}

/// Offsets begin with zero.
fn first(state: u32, into: &mut Vec<u8>) {
    if state == 0 {
        into.extend_from_slice(&0u64.to_le_bytes());
    }
}

/// A set as bits, padded to eight bytes.
fn set<W: Write>(archive: &mut Archive<W>, path: &str, set: &StateSet) -> io::Result<()> {
    let states = set.universe();
    let mut word = 0u64;
    archive.per_state(path, states.div_ceil(64) * 8, states, |state, into| {
        word |= u64::from(set.contains(state)) << (state % 64);
        if state % 64 == 63 || state as usize + 1 == states {
            into.extend_from_slice(&word.to_le_bytes());
            word = 0;
        }
        Ok(())
    })
}

/// A fraction between 0 and 1; doubles were seen not to vanish.
fn put(probability: &Rational, stored: Stored, into: &mut Vec<u8>) {
    match stored {
        Stored::Double => into.extend_from_slice(&probability.to_f64().to_le_bytes()),
        Stored::Rational(half) => {
            // Neither is negative, and both fit: the halves were made for the largest of them.
            let start = into.len();
            into.extend_from_slice(&probability.numerator().to_le_bytes());
            into.resize(start + half, 0);
            into.extend_from_slice(&probability.denominator().to_le_bytes());
            into.resize(start + 2 * half, 0);
        }
    }
}

/// The actions of choices and their names: all in one, and where each ends.
fn actions<W: Write>(model: &Model<'_>, rows: &Rows<'_>, archive: &mut Archive<W>) -> io::Result<()> {
    let values = "actions/choices/values.bin";
    archive.per_state(values, 4 * rows.count(), model.mdp.num_states(), |state, into| {
        for row in rows.of(state) {
            let action = match row {
                Row::Choice(choice) => model.source.action(choice).map_or(0, |action| action + 1),
                Row::Loop(_) => 0,
            };
            into.extend_from_slice(&action.to_le_bytes());
        }
        Ok(())
    })?;
    // The silent action, first, has the empty name.
    let (mut ends, mut text) = (vec![0u64, 0], String::new());
    for action in model.actions {
        text.push_str(action);
        ends.push(text.len() as u64);
    }
    let bytes: Vec<u8> = ends.iter().flat_map(|end| end.to_le_bytes()).collect();
    archive.bytes("actions/choices/string-mapping.bin", &bytes)?;
    archive.bytes("actions/choices/strings.bin", text.as_bytes())
}
