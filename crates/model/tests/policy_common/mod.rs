//! A model with something of everything that a policy may name, and policies read against it.

#![allow(dead_code, reason = "not every test uses every helper")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::read_model_text;
use surefoot_model::lower::{Lowered, lower};
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::read_policy;
use surefoot_model::{Interpreter, State};
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

/// Two instances of `car` (with a local speed), a clock, and something of everything that a policy may name.
pub(crate) const MODEL: &str = r#"{
  "jani-version": 1, "name": "cars", "type": "mdp",
  "actions": [{"name": "stay"}, {"name": "left"}, {"name": "right"}, {"name": "wind"}, {"name": "unused"}],
  "constants": [{"name": "N", "type": "int", "value": 4}, {"name": "on", "type": "bool", "value": true}],
  "variables": [
    {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": "N"}, "initial-value": 0},
    {"name": "y", "type": {"kind": "bounded", "base": "int", "lower-bound": -5, "upper-bound": 5}, "initial-value": 0},
    {"name": "open", "type": "bool", "initial-value": false},
    {"name": "A", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}},
     "initial-value": {"op": "av", "elements": [7, 8, 9]}},
    {"name": "force", "type": "real", "transient": true, "initial-value": 0},
    {"name": "clipped", "type": {"kind": "bounded", "base": "real", "lower-bound": 0, "upper-bound": 1},
     "transient": true, "initial-value": 0},
    {"name": "gear", "type": "int", "transient": true, "initial-value": 0}
  ],
  "automata": [
    {"name": "world", "locations": [{"name": "w"}], "initial-locations": ["w"], "edges": [
      {"location": "w", "action": "stay", "destinations": [{"location": "w"}]},
      {"location": "w", "action": "left", "guard": {"exp": {"op": "<", "left": 0, "right": "x"}},
       "destinations": [{"location": "w", "assignments": [{"ref": "x", "value": {"op": "-", "left": "x", "right": 1}}]}]},
      {"location": "w", "action": "right", "guard": {"exp": {"op": "<", "left": "x", "right": "N"}},
       "destinations": [{"location": "w", "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]}]},
      {"location": "w", "action": "wind", "guard": {"exp": {"op": "≤", "left": "force", "right": 2}},
       "destinations": [{"location": "w"}]},
      {"location": "w", "guard": {"exp": {"op": "=", "left": "x", "right": 4}}, "destinations": [{"location": "w"}]}
    ]},
    {"name": "car", "locations": [{"name": "parked"}, {"name": "moving"}], "initial-locations": ["parked"],
     "variables": [
       {"name": "speed", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 1}
     ], "edges": []}
  ],
  "system": {
    "elements": [{"automaton": "world"}, {"automaton": "car"}, {"automaton": "car"}],
    "syncs": [
      {"synchronise": ["stay", null, null], "result": "stay"}, {"synchronise": ["left", null, null], "result": "left"},
      {"synchronise": ["right", null, null], "result": "right"}, {"synchronise": ["wind", null, null], "result": "wind"}
    ]
  }
}"#;

/// Slots: world, car#0, car#1, x, y, open, A[0..2], car#0.speed, car#1.speed.
pub(crate) fn state(x: i64, y: i64) -> State {
    State::from_ints(&[0, 0, 1, x, y, 1, 7, 8, 9, 2, 3])
}

pub(crate) fn model() -> Lowered {
    let (syntax, _) = read_model_text(&mut SourceMap::default(), Path::new("cars.jani"), MODEL).unwrap();
    lower(Arc::new(syntax), &[]).unwrap()
}

/// A folder of its own for each test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("policy_files").join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Layers as rows of weights with the bias last, as a `.nnet` text.
pub(crate) fn nnet(layers: &[&[&[f64]]]) -> String {
    let list = |values: &[f64]| values.iter().map(|v| format!("{v},")).collect::<String>();
    let inputs = layers[0][0].len() - 1;
    let sizes: String = layers.iter().map(|l| format!("{},", l.len())).collect();
    let mut text = format!("{},{inputs},{},9,\n{inputs},{sizes}\n0,\n", layers.len(), layers[layers.len() - 1].len());
    text += &format!("{}\n{}\n", list(&vec![-9.0; inputs]), list(&vec![9.0; inputs]));
    text += &format!("{}\n{}\n", list(&vec![0.0; inputs + 1]), list(&vec![1.0; inputs + 1]));
    for layer in layers {
        layer.iter().for_each(|row| text += &format!("{}\n", list(&row[..row.len() - 1])));
        layer.iter().for_each(|row| text += &format!("{},\n", row[row.len() - 1]));
    }
    text
}

/// `inputs` inputs, two hidden neurons, `outputs` outputs.
pub(crate) fn some_network(inputs: usize, outputs: usize) -> String {
    let (hidden, out) = (vec![1.0; inputs + 1], vec![1.0; 3]);
    nnet(&[&[&hidden, &hidden], &vec![&out[..]; outputs]])
}

/// Reads a policy text next to `n<inputs>_<outputs>.nnet` networks; gives messages as text where it cannot be read.
pub(crate) fn read(test: &str, name: &str, text: &str) -> Result<(Lowered, Policy, Vec<Diagnostic>), String> {
    let folder = folder(test);
    for (inputs, outputs) in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3)] {
        std::fs::write(folder.join(format!("n{inputs}_{outputs}.nnet")), some_network(inputs, outputs)).unwrap();
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    let (mut lowered, mut sources) = (model(), SourceMap::default());
    match read_policy(&mut lowered, &mut sources, &path) {
        Ok((policy, notes)) => Ok((lowered, policy, notes)),
        Err(errors) => {
            assert!(errors.iter().all(|e| e.severity == Severity::Error));
            let shown: Vec<String> = errors.iter().map(|e| render(e, &sources)).collect();
            Err(shown.join("\n\n").replace(&format!("{}/", folder.display()), ""))
        }
    }
}

pub(crate) fn input_values(lowered: &Lowered, policy: &Policy, network: usize) -> Vec<Rational> {
    assert_eq!(lowered.model.slots.len(), 11);
    let at = state(3, -2);
    policy.networks[network].inputs.iter().map(|form| at.value(form)).collect()
}

pub(crate) fn rationals(texts: &[&str]) -> Vec<Rational> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// The labels of the permitted operators, silent ones as `-`.
pub(crate) fn permitted(lowered: &Lowered, policy: &Policy, x: i64, y: i64) -> Vec<String> {
    let interpreter = Interpreter::with_policy(&lowered.model, policy);
    let operators = interpreter.permitted_operators(&state(x, y), Some(policy)).unwrap();
    let label = |v: u32| lowered.model.vectors[v as usize].label.map_or("-", |l| &lowered.model.labels[l.0 as usize]);
    operators.iter().map(|o| label(o.vector).to_owned()).collect()
}
