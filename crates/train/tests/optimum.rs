//! A policy that was learned in a process of chances, against the best that any policy can do there.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::{bounded, compared, learned, op, policy, problem};
use serde_json::{Value, json};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::term::CmpOp;
use surefoot_model::{Interpreter, State};
use surefoot_testkit::load_text;
use surefoot_train::Options;

/// The far end of the ice.
const END: i64 = 9;

/// Ice from 0, a hole, to the far end. `walk` goes on by one, and slips back by one in a quarter of all cases; `run` goes on by two, and slips back by three
/// in as many. `creep` goes on by one surely, but only where `x` is a multiple of three.
fn ice() -> Lowered {
    let to = |by: i64| op("max", 0, op("min", END, op("+", "x", by)));
    let edge = |action: &str, guard: Value, outcomes: &[(f64, i64)]| {
        let outcome = |(probability, by): &(f64, i64)| json!({"location": "l", "probability": {"exp": probability}, "assignments": [{"ref": "x", "value": to(*by)}]});
        json!({"location": "l", "action": action, "guard": {"exp": guard},
               "destinations": outcomes.iter().map(outcome).collect::<Vec<_>>()})
    };
    let inside = op("∧", op("<", 0, "x"), op("<", "x", END));
    let third = op("∧", inside.clone(), op("=", op("%", "x", 3), 0));
    let actions = ["walk", "run", "creep"];
    let syncs: Vec<Value> = actions.iter().map(|a| json!({"synchronise": [a], "result": a})).collect();
    let edges = [
        edge("walk", inside.clone(), &[(0.75, 1), (0.25, -1)]),
        edge("run", inside, &[(0.75, 2), (0.25, -3)]),
        edge("creep", third, &[(1.0, 1)]),
    ];
    load_text(
        &json!({
            "jani-version": 1, "name": "ice", "type": "mdp", "variables": [bounded("x", 0, END)],
            "actions": actions.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(),
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
            "system": {"elements": [{"automaton": "a"}], "syncs": syncs},
        })
        .to_string(),
    )
}

/// The probability of reaching the far end from each place: under a policy, or the largest over all of them. By iteration, which converges quickly here.
fn values(lowered: &Lowered, policy: Option<&Policy>) -> Vec<f64> {
    let interpreter = policy
        .map_or_else(|| Interpreter::new(&lowered.model), |policy| Interpreter::with_policy(&lowered.model, policy));
    let mut values: Vec<f64> = (0..=END).map(|x| if x == END { 1.0 } else { 0.0 }).collect();
    for _ in 0..500 {
        for x in 1..END {
            let choices = interpreter.permitted_choices(&State::from_ints(&[0, x]), policy).unwrap();
            let worth = choices.iter().map(|choice| {
                let outcomes = choice.outcomes.iter().map(|outcome| {
                    let place = usize::try_from(outcome.successors[0].0[1].to_i64().unwrap()).unwrap();
                    outcome.probability.to_f64() * values[place]
                });
                outcomes.sum::<f64>()
            });
            values[usize::try_from(x).unwrap()] = worth.fold(0.0, f64::max);
        }
    }
    values
}

#[test]
fn no_policy_is_much_better() {
    let mut lowered = ice();
    let goal = compared(&mut lowered, 1, CmpOp::Eq, END);
    let avoid = compared(&mut lowered, 1, CmpOp::Eq, 0);
    let start = StartSet { conditions: Vec::new(), states: (1..END).map(|x| State::from_ints(&[0, x])).collect() };
    let best = values(&lowered, None);
    // Nobody can be sure to arrive from the near end; nearly so from the far one.
    assert!(best[1] < 0.8 && best[8] > 0.95, "{best:?}");
    for filter in [false, true] {
        let few = Options { hidden: vec![32, 32], steps: 10_000, seed: 4, target_every: 200, ..Options::default() };
        let options = Options { discount: 1.0, evaluations: 8, evaluation_runs: 300, final_runs: 10, ..few };
        let (interface, trained, _) = learned(&problem(&lowered, &start, goal, avoid), filter, &options);
        let found = values(&lowered, Some(&policy(&interface, &trained)));
        assert!(found.iter().zip(&best).all(|(found, best)| *found <= best + 1e-9), "{found:?} of {best:?}");
        // What is kept is what is good on average, and the average is close.
        let mean = |values: &[f64]| values[1..9].iter().sum::<f64>() / 8.0;
        assert!(mean(&found) > mean(&best) - 0.05, "filter {filter}: {found:?} of {best:?}");
    }
}
