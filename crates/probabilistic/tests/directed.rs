//! Small models made for one kind of spuriousness each.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[expect(unreachable_pub, reason = "shared by tests")]
#[expect(dead_code, reason = "other tests use the rest")]
mod common;

use common::fraction;
use serde_json::{Value, json};
use surefoot_abstraction::{Oracles, System};
use surefoot_explicit::Task;
use surefoot_mdp::Direction;
use surefoot_probabilistic::{Algorithm, Asked, Bounded, Options, bound};
use surefoot_testkit::{load_text, safety};

fn bounds(jani: &Value, options: &Options) -> Bounded {
    let mut lowered = load_text(&jani.to_string());
    let safety = safety(&mut lowered, 0);
    let reach = safety.reach.unwrap();
    let task = Task {
        model: &lowered.model,
        policy: None,
        start: &safety.start,
        reach: Some(reach),
        goal: None,
        goal_terminal: false,
        absorb: Some(reach),
        dropped: None,
        stop_at_reach: false,
        threads: 1,
        limits: surefoot_limits::Limits::default(),
    };
    let asked = Asked { task, direction: Direction::Max, right: reach, left: None, decided: reach, threshold: None };
    let mut system = System::new(&lowered.model, None, &safety, false).unwrap();
    bound(&mut system, &asked, options, &Oracles::seeded(0), &mut ()).unwrap()
}

fn int(name: &str, upper: i64) -> Value {
    json!({"name": name, "initial-value": 0,
           "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper}})
}

/// Half of the time the flag is raised where `x` is small, otherwise where it is large: each way is real, and no start state has both.
#[test]
fn ways_from_different_start_states_do_not_add_up() {
    let compare = |op: &str, left: &str, right: i64| json!({"op": op, "left": left, "right": right});
    let half = |location: &str| json!({"location": location, "probability": {"exp": 0.5}, "assignments": []});
    let raise = |location: &str, guard: Value| {
        json!({"location": location, "guard": {"exp": guard},
               "destinations": [{"location": "end", "assignments": [{"ref": "flag", "value": 1}]}]})
    };
    let jani = json!({
        "jani-version": 1, "name": "fork", "type": "mdp", "features": [], "actions": [],
        "variables": [int("x", 3), int("flag", 1)],
        "automata": [{
            "name": "a", "initial-locations": ["start"],
            "locations": [{"name": "start"}, {"name": "left"}, {"name": "right"}, {"name": "end"}],
            "edges": [
                {"location": "start", "destinations": [half("left"), half("right")]},
                raise("left", compare("≤", "x", 1)),
                raise("right", compare("≥", "x", 2)),
            ],
        }],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": {
            "op": "PA", "start": compare("=", "flag", 0), "reach": compare("=", "flag", 1)}}],
    });
    let options = Options { algorithm: Algorithm::Paper, p_step: fraction(1, 1000), ..Options::default() };
    let found = bounds(&jani, &options);
    assert_eq!(found.lower, fraction(1, 2));
    assert!(found.upper >= found.lower && &found.upper - &found.lower <= fraction(1, 1000), "{}", found.upper);
    let [path, set, policy_path, policy_set] = found.figures.refinements;
    assert!(set > 0 && [path, policy_path, policy_set] == [0; 3], "{:?}", found.figures);
}
