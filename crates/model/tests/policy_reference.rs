//! The examples of the documentation, and the policies of the reference data.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod policy_common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::{read_model, read_model_text};
use surefoot_model::lower::{GivenConstant, lower};
use surefoot_model::policy::read::read_policy;
use surefoot_network::NnetWeights;
use surefoot_text::render;
use surefoot_text::source::SourceMap;

use policy_common::*;

/// A model with the names of the examples in `docs/policies.md`.
const DOCUMENTED: &str = r#"{
  "jani-version": 1, "name": "documented", "type": "mdp",
  "actions": [{"name": "accelerate"}, {"name": "coast"}, {"name": "brake"}],
  "constants": [{"name": "top_speed", "type": "int", "value": 5}],
  "variables": [
    {"name": "distance", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 60}, "initial-value": 60},
    {"name": "speed", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5}, "initial-value": 0},
    {"name": "lane", "type": {"kind": "array", "base": "bool"}, "initial-value": {"op": "av", "elements": [true, false]}}
  ],
  "automata": [
    {"name": "gearbox", "locations": [{"name": "low"}, {"name": "high"}], "initial-locations": ["low"], "edges": [
      {"location": "low", "action": "accelerate", "destinations": [{"location": "high"}]},
      {"location": "low", "action": "coast", "destinations": [{"location": "low"}]},
      {"location": "high", "action": "brake", "destinations": [{"location": "low"}]}
    ]},
    {"name": "wagon", "locations": [{"name": "w"}], "initial-locations": ["w"], "edges": [],
     "variables": [{"name": "load", "type": "bool", "initial-value": true}]}
  ],
  "system": {
    "elements": [{"automaton": "gearbox"}, {"automaton": "wagon"}, {"automaton": "wagon"}],
    "syncs": [
      {"synchronise": ["accelerate", null, null], "result": "accelerate"},
      {"synchronise": ["coast", null, null], "result": "coast"},
      {"synchronise": ["brake", null, null], "result": "brake"}
    ]
  }
}"#;

#[test]
fn the_examples_of_the_documentation_are_read() {
    let folder = folder("documentation");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let examples: Vec<&str> = docs.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [native, plaja] = examples[..] else { panic!("{} examples", examples.len()) };
    let approach = surefoot_network::nnet::from_bytes(some_network(6, 3).as_bytes(), NnetWeights::F64).unwrap();
    std::fs::write(folder.join("approach.onnx"), surefoot_network::onnx::write(&approach).unwrap()).unwrap();
    let read_documented = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        let mut sources = SourceMap::default();
        let (syntax, _) = read_model_text(&mut sources, Path::new("documented.jani"), DOCUMENTED).unwrap();
        let mut lowered = lower(Arc::new(syntax), &[]).unwrap();
        read_policy(&mut lowered, &mut sources, &folder.join(name)).unwrap().0
    };
    std::fs::write(folder.join("parking.nnet"), some_network(2, 3)).unwrap();
    let policy = read_documented("native.policy.json", native);
    assert_eq!(policy.networks.iter().map(|n| n.inputs.len()).collect::<Vec<_>>(), [6, 2]);
    let (first, wide) = (vec![1.0; 5], vec![1.0; 17]);
    let sixteen = nnet(&[&[&first[..]; 16], &[&wide[..]; 16], &[&wide[..]; 3]]);
    std::fs::write(folder.join("parking.nnet"), sixteen).unwrap();
    assert_eq!(read_documented("plaja.jani2nnet", plaja).networks[0].inputs.len(), 4);
}

/// Where the reference data is, or `None` when it is not there, which is an error only in CI.
fn shared() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/plaja");
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the reference data is missing");
    None
}

/// A model with the names that the racetrack policies use; the model itself is not part of the reference data.
fn racetrack() -> String {
    let variables: Vec<String> = ["car0_y", "car0_x", "car0_dy", "car0_dx"]
        .iter()
        .map(|name| format!(r#"{{"name": "{name}", "type": {{"kind": "bounded", "base": "int", "lower-bound": -9, "upper-bound": 40}}, "initial-value": 0}}"#))
        .collect();
    let actions = || (-1..=1).flat_map(|y| (-1..=1).map(move |x| format!("accel0_{y}_{x}")));
    let declared: Vec<String> = actions().map(|a| format!(r#"{{"name": "{a}"}}"#)).collect();
    let edges: Vec<String> = actions()
        .map(|a| format!(r#"{{"location": "l", "action": "{a}", "destinations": [{{"location": "l"}}]}}"#))
        .collect();
    format!(
        r#"{{"jani-version": 1, "name": "racetrack", "type": "mdp", "actions": [{}], "variables": [{}],
            "automata": [{{"name": "car", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [{}]}}],
            "system": {{"elements": [{{"automaton": "car"}}]}}}}"#,
        declared.join(","),
        variables.join(","),
        edges.join(",")
    )
}

fn count_policies(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.fold(0, |count, path| {
        let here = usize::from(path.extension().is_some_and(|e| e == "jani2nnet"));
        count + if path.is_dir() { count_policies(&path) } else { here }
    })
}

#[test]
fn reference_policies_are_read() {
    let Some(shared) = shared() else {
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: the reference data is not there");
        }
        return;
    };
    let constants = ["failing_probability=0.5", "item_cost_bound=50"].map(|c| GivenConstant::parse(c).unwrap());
    let mut read = 0;
    for (model, policy, given, inputs, outputs) in [
        ("for_ppa_simple.jani", "for_ppa_simple", 0, 1, 3),
        ("for_nn_sat.jani", "for_nn_sat", 0, 9, 3),
        ("for_nn_sat.jani", "for_nn_sat_with_unused_vars", 0, 2, 3),
        (
            "blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani",
            "rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16",
            2,
            14,
            5,
        ),
        (
            "icaps22/blocksworld/models/cost05/blocksworld_6_5.jani",
            "icaps22/blocksworld/networks/blocksworld_6_5/learned_cost05_non_terminal/blocksworld_6_5_32_32",
            0,
            20,
            7,
        ),
        ("", "icaps22/racetrack/networks/simple/barto-small/no_filtering/simple_barto-small_16_16", 0, 4, 9),
    ] {
        let mut sources = SourceMap::default();
        let syntax = if model.is_empty() {
            read_model_text(&mut sources, Path::new("racetrack.jani"), &racetrack()).unwrap().0
        } else {
            read_model(&mut sources, &shared.join(model)).unwrap().0
        };
        let mut lowered = lower(Arc::new(syntax), &constants[..given]).unwrap();
        let result = read_policy(&mut lowered, &mut sources, &shared.join(format!("{policy}.jani2nnet")));
        let (found, _) = result.unwrap_or_else(|errors| {
            let shown: Vec<String> = errors.iter().map(|e| render(e, &sources)).collect();
            panic!("{policy}: {}", shown.join("\n"))
        });
        let network = &found.networks[0];
        assert_eq!((network.inputs.len(), network.network.output_len()), (inputs, outputs), "{policy}");
        assert!(!found.filter);
        read += 1;
    }
    assert_eq!(read, count_policies(&shared), "every policy of the reference data is read above");
}
