//! A proof without files: a model and a network built in code, and the result about them.
//!
//! A tank has room for 5 litres. In each step the policy fills it by one litre or drains it, by a network with one hidden layer; may it
//! overflow? Run it with `cargo run -p surefoot-verify --example in_memory`.

use std::error::Error;
use std::time::Instant;

use serde_json::{Value, json};
use surefoot_limits::Cancel;
use surefoot_network::{Activation, Layer, Network, ShapeError};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::task::verify::Verifying;
use surefoot_verify::{Budget, Choosing, Failure, Job, Outcome, PolicySource, Request, Source, Task};

/// The tank: `level` runs from 0 to 6, and 6 is too much.
fn model() -> Value {
    let change = |action: &str, guard: Value, by: i64| {
        let value = json!({"op": "+", "left": "level", "right": by});
        let assignments = [json!({"ref": "level", "value": value})];
        json!({
            "location": "on", "action": action, "guard": {"exp": guard},
            "destinations": [{"location": "on", "assignments": assignments}],
        })
    };
    json!({
        "jani-version": 1, "name": "tank", "type": "lts",
        "actions": [{"name": "fill"}, {"name": "drain"}],
        "variables": [{
            "name": "level", "initial-value": 2,
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 6},
        }],
        "automata": [{
            "name": "tank", "locations": [{"name": "on"}], "initial-locations": ["on"],
            "edges": [
                change("fill", json!({"op": "<", "left": "level", "right": 6}), 1),
                change("drain", json!({"op": ">", "left": "level", "right": 0}), -1),
            ],
        }],
        "system": {
            "elements": [{"automaton": "tank"}],
            "syncs": [
                {"synchronise": ["fill"], "result": "fill"}, {"synchronise": ["drain"], "result": "drain"},
            ],
        },
        "properties": [{
            "name": "never-over",
            "expression": {
                "op": "filter", "fun": "∀", "states": {"op": "initial"},
                "values": {"op": "∀", "exp": {"op": "G", "exp": {"op": "<", "left": "level", "right": 6}}},
            },
        }],
    })
}

/// The policy: `fill` scores 3 - max(0, level - 1), `drain` scores nothing: at level 4 that is a tie, and the first label wins; at 5 it drains.
///
/// # Errors
/// None: the layers fit.
pub fn network() -> Result<Network, ShapeError> {
    let hidden = Layer::new(1, vec![1.0], vec![-1.0], Activation::Relu)?;
    let output = Layer::new(1, vec![-1.0, 0.0], vec![3.0, 0.0], Activation::Identity)?;
    Network::new(vec![hidden, output])
}

/// Decides it.
///
/// # Errors
/// What is wrong with the model or the policy.
pub fn decide(network: Network) -> Result<Outcome, Failure> {
    let request = Request {
        model: Source::text("<model>", model().to_string()),
        policy: Some(PolicySource::network(network, &["level"], &["fill", "drain"], Choosing::default())),
        ..Request::default()
    };
    let budget = Budget { started: Instant::now(), time: None, memory: None, threads: 1, cancel: Cancel::default() };
    let task = Task { job: Job::Verify(request, Verifying::default()), budget, seed: 0 };
    task.run(&mut SourceMap::default(), &Silent)
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() -> Result<(), Box<dyn Error>> {
    match decide(network()?) {
        Ok(outcome) => println!("{}", serde_json::to_string_pretty(&outcome.result)?),
        Err(failure) => println!("no verdict: {failure:?}"),
    }
    Ok(())
}
