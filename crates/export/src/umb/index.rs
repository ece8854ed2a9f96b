//! The index: what the archive holds.

use serde_json::{Map, Value, json};
use surefoot_num::Rational;

use super::pack::Layout;
use super::{Notes, Numbered, Stored, half};
use crate::model::Model;
use crate::names::{distinct, one_line};
use crate::options::{Options, ProcessType};
use crate::rows::Rows;

/// The index, and what the arrays must agree with it on.
pub(super) struct Index {
    pub(super) object: Value,
    /// Folder of every label.
    pub(super) labels: Vec<String>,
    pub(super) layout: Layout,
}

/// The longest name of a folder.
const LONGEST: usize = 40;

pub(super) fn index(model: &Model<'_>, options: &Options, rows: &Rows<'_>, stored: Stored, notes: &Notes<'_>) -> Index {
    let layout = Layout::new(model.variables);
    let labels = distinct(model.labels.iter().map(|label| folder(&label.name)), &[]);
    let players = match model.process_type(options) {
        ProcessType::Dtmc => 0,
        ProcessType::Mdp => 1,
    };
    let probability = match stored {
        Stored::Double => json!({"type": "double", "size": 64}),
        Stored::Rational(half) => json!({"type": "rational", "size": half * 16}),
    };
    let mut object = json!({
        "format-version": 1,
        "format-revision": 0,
        "model-data": {"name": one_line(model.name)},
        "file-data": {"tool": "Surefoot", "tool-version": env!("CARGO_PKG_VERSION")},
        "transition-system": {
            "time": "discrete",
            "#players": players,
            "#states": model.mdp.num_states(),
            "#initial-states": model.initial.count(),
            "#choices": rows.count(),
            // Action 0 is the silent one, without a name; alone it is none.
            "#choice-actions": if model.actions.is_empty() { 0 } else { model.actions.len() + 1 },
            "#branches": rows.branch_count(),
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": probability,
        },
    });
    if !model.labels.is_empty() {
        let propositions: Map<String, Value> = model
            .labels
            .iter()
            .zip(&labels)
            .map(|(label, folder)| {
                let kind = json!({"type": "bool", "size": 1});
                (folder.clone(), json!({"alias": label.name, "applies-to": ["states"], "type": kind}))
            })
            .collect();
        object["annotations"] = json!({ "aps": propositions });
    }
    if let Some(parameters) = &notes.parameters {
        object["file-data"]["parameters"] = parameters.clone();
    }
    for annotation in notes.annotations {
        let kind = match annotation.values {
            Numbered::Fractions(values) => json!({"type": "rational", "size": widest(values) * 16}),
            Numbered::Counts(_) => json!({"type": "uint", "size": 64}),
        };
        object["annotations"][annotation.group][annotation.name] = json!({"applies-to": ["states"], "type": kind});
    }
    if !model.variables.is_empty() {
        let mut fields: Vec<Value> = model
            .variables
            .iter()
            .zip(&layout.fields)
            .map(|(variable, field)| json!({"name": variable.name, "type": {"type": field.name, "size": field.bits}}))
            .collect();
        if layout.padding > 0 {
            fields.push(json!({"padding": layout.padding}));
        }
        object["valuations"] = json!({"states": {"unique": true, "classes": [{"variables": fields}]}});
    }
    Index { object, labels, layout }
}

/// The bytes for each half of any of some fractions between 0 and 1.
pub(super) fn widest(values: &[Rational]) -> usize {
    values.iter().map(half).max().unwrap_or(8)
}

/// A name for a folder: lower-case letters, digits, `-` and `_`.
fn folder(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    name.chars().take(LONGEST).map(plain).collect()
}
