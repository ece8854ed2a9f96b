//! What nothing has written since the start, where it matters: random models of a position that decides what is safe and counters
//! that the policy reads, with many ways into each position.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;
use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_abstraction::{Oracles, System};
use surefoot_cegar::{Cegar, Invariant, Options, Outcome, Strategy, cegar};
use surefoot_fixtures::{Random, random_network, seeds};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{LabelId, Model};
use surefoot_network::{Activation, Layer, Network};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Instance, Size, for_seeds_of, load_text, safety};

use common::covers;

const POSITIONS: i64 = 5;
const COUNTERS: usize = 3;
const MOST: i64 = 3;

fn compare(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

/// A counter goes up, or gets some value, or the one that it had at first.
fn write(random: &mut Random, counter: &str) -> (Option<Value>, Value) {
    match random.below(4) {
        0 => (None, json!({"ref": counter, "value": random.between(0, MOST)})),
        1 => (None, json!({"ref": counter, "value": 0})),
        _ => (Some(compare("<", counter, MOST)), json!({"ref": counter, "value": compare("+", counter, 1)})),
    }
}

fn edge(random: &mut Random, number: usize) -> Value {
    let mut guard = compare("=", "p", random.between(0, POSITIONS - 1));
    let mut assignments = vec![json!({"ref": "p", "value": random.between(0, POSITIONS)})];
    if random.percent(70) {
        let counter = format!("c{}", random.below(COUNTERS));
        let (room, assignment) = write(random, &counter);
        guard = room.map_or(guard.clone(), |room| compare("∧", guard, room));
        assignments.push(assignment);
    }
    let destinations = json!([{"location": "l", "assignments": assignments}]);
    json!({"location": "l", "action": format!("a{number}"), "guard": {"exp": guard}, "destinations": destinations})
}

fn model(random: &mut Random, _: &Size) -> String {
    let bounded = |most: i64| json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": most});
    let mut variables = vec![json!({"name": "p", "type": bounded(POSITIONS)})];
    for counter in 0..COUNTERS {
        let first = if random.percent(80) { 0 } else { 1 };
        variables.push(json!({"name": format!("c{counter}"), "type": bounded(MOST), "initial-value": first}));
    }
    let count = 8 + random.below(10);
    let edges: Vec<Value> = (0..count).map(|number| edge(random, number)).collect();
    let actions: Vec<Value> = (0..count).map(|number| json!({"name": format!("a{number}")})).collect();
    let unsafe_states = |property: usize| match property {
        0 | 1 => compare("=", "p", POSITIONS),
        2 => compare("∧", compare("=", "p", POSITIONS), compare("≥", "c0", 2)),
        _ => compare("∧", compare("=", "p", POSITIONS - 1), compare("=", compare("+", "c0", "c1"), 1)),
    };
    let property = |number| {
        let expression = json!({"op": "PA", "reach": unsafe_states(number)});
        json!({"name": format!("p{number}"), "expression": expression})
    };
    let model = json!({
        "jani-version": 1, "name": "m", "type": "lts", "actions": actions, "variables": variables,
        "restrict-initial": {"exp": compare("≤", "p", 1)},
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": (0..PROPERTIES).map(property).collect::<Vec<_>>(),
    });
    model.to_string()
}

/// A policy that reads everything.
fn policy(random: &mut Random, instance: &Instance) -> Policy {
    let model = instance.model();
    let labels: Vec<LabelId> = (0..model.labels.len()).map(LabelId::at).collect();
    let inputs: Vec<Linear> =
        (model.instances.len()..model.slots.len()).map(|slot| Linear::symbol(Symbol::at(slot))).collect();
    let network = Arc::new(random_network(random, inputs.len(), labels.len()));
    let network = PolicyNetwork { when: None, inputs, network, file: "random".to_owned() };
    Policy { networks: vec![network], outputs: Outputs::Labels(labels), filter: random.percent(70), ties: Ties::First }
}

#[test]
fn what_was_not_written_is_as_it_was() {
    let (safe, other, ranges, refined) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0), Cell::new(0u64));
    let cases = 1000;
    for_seeds_of(model, seeds(36_000_000, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(mut instance) = Instance::new(case, &mut random) else { return };
        instance.policy = Some(policy(&mut random, &instance));
        let expected = instance.truth().verdict(instance.starts());
        let (model, policy) = (instance.model(), instance.policy.as_ref());
        let mut system = System::new(model, policy, &instance.property, instance.goal_terminal).unwrap();
        let mut run = |untouched: bool, incremental: bool| -> Cegar {
            let strategy = Strategy { untouched, ..Strategy::EXPLAIN };
            let options = Options { strategy, incremental, ..Options::default() };
            let found = cegar(&mut system, &[], &options, &Oracles::seeded(0), &mut ()).unwrap();
            match &found.outcome {
                Outcome::Safe(_) => assert!(expected.shortest.is_none(), "safe, and an unsafe state is reachable"),
                Outcome::Unsafe(_) => assert!(expected.shortest.is_some(), "no unsafe state is reachable"),
                other => panic!("{other:?}"),
            }
            ranges.set(ranges.get() + covers(&instance, &system, &found, "untouched"));
            found
        };
        let (found, afresh) = (run(true, true), run(true, false));
        assert_eq!(found.predicates.formulas(), afresh.predicates.formulas(), "without earlier iterations");
        assert_eq!(found.figures.reachable_states, afresh.figures.reachable_states, "without earlier iterations");
        let all = run(false, true);
        assert_eq!(matches!(found.outcome, Outcome::Safe(_)), matches!(all.outcome, Outcome::Safe(_)));
        let counter = if matches!(found.outcome, Outcome::Safe(_)) { &safe } else { &other };
        counter.set(counter.get() + 1);
        refined.set(refined.get() + u64::from(found.figures.policy_refinements > 0));
    });
    let found = (safe.get(), other.get(), refined.get());
    assert!(found.0 > cases / 5 && found.1 > cases / 10 && found.2 > cases / 50, "{found:?} safe, unsafe, refined");
    assert!(ranges.get() > 1000, "{} ranges of what was not written", ranges.get());
}

/// A model of a position `p`, a number `v` that the policy reads and one `w` that it does not.
fn small(v_most: i64, w: (i64, i64), edges: &[Value], reach: &Value) -> Lowered {
    let bounded =
        |low: i64, high: i64| json!({"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high});
    let model = json!({
        "jani-version": 1, "name": "m", "type": "lts", "actions": [{"name": "a"}, {"name": "b"}],
        "variables": [
            {"name": "p", "type": bounded(0, 4), "initial-value": 0},
            {"name": "v", "type": bounded(0, v_most), "initial-value": 5},
            {"name": "w", "type": bounded(w.0, w.1)}],
        "automata": [{"name": "x", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "x"}]},
        "properties": [{"name": "q", "expression": {"op": "PA", "reach": reach}}],
    });
    load_text(&model.to_string())
}

fn step(action: Option<&str>, guard: &Value, target: &str, value: &Value) -> Value {
    let assignments = json!([{"ref": target, "value": value}]);
    let mut edge = json!({"location": "l", "guard": {"exp": guard}, "destinations": [{"location": "l", "assignments": assignments}]});
    if let Some(action) = action {
        edge["action"] = json!(action);
    }
    edge
}

/// Decides for `a` where `v` is at most 6, else for `b`.
fn reads_v(model: &Model) -> Policy {
    let layer = Layer::new(1, vec![-1.0, 1.0], vec![6.5, -6.5], Activation::Identity).unwrap();
    let network = Arc::new(Network::new(vec![layer]).unwrap());
    let labels = (0..model.labels.len()).map(LabelId::at).collect();
    let inputs = vec![Linear::symbol(Symbol::at(2))];
    let network = PolicyNetwork { when: None, inputs, network, file: "given".to_owned() };
    Policy { networks: vec![network], outputs: Outputs::Labels(labels), filter: false, ties: Ties::First }
}

fn refined(lowered: &mut Lowered, incremental: bool) -> Cegar {
    let property = safety(lowered, 0);
    let policy = reads_v(&lowered.model);
    let mut system = System::new(&lowered.model, Some(&policy), &property, false).unwrap();
    let options = Options { incremental, ..Options::default() };
    cegar(&mut system, &[], &options, &Oracles::seeded(0), &mut ()).unwrap()
}

/// An update that leaves its domain, of an operator that the policy permits only with values that nothing has written.
#[test]
fn errors_are_looked_for_where_runs_come() {
    let out = step(Some("b"), &json!(true), "p", &compare("+", "w", 5));
    let mut lowered = small(9, (0, 5), &[step(Some("a"), &json!(true), "p", &json!(1)), out], &compare("=", "p", 4));
    let found = refined(&mut lowered, true);
    let Outcome::Safe(Invariant { open_fault, .. }) = &found.outcome else { panic!("{:?}", found.outcome) };
    assert!(open_fault.is_none(), "{open_fault:?}");
    assert_eq!(found.figures.iterations, 1, "nothing has to be refined for it");
}

/// What a question does not know of has a value of the range in its witnesses: others would seem to lead where nothing does.
#[test]
fn witnesses_are_within_the_ranges() {
    let sum = || compare("+", "v", "w");
    let at = |position: i64| compare("=", "p", position);
    let edges = [
        step(Some("a"), &compare("∧", at(0), compare("≤", sum(), 3)), "p", &json!(1)),
        step(Some("b"), &at(4), "p", &json!(4)),
        step(None, &compare("∧", at(1), compare("≥", "w", 0)), "p", &json!(4)),
        step(None, &compare("∧", at(1), compare("≥", sum(), 4)), "p", &json!(3)),
    ];
    let mut lowered = small(9, (-5, 5), &edges, &at(3));
    let (found, afresh) = (refined(&mut lowered, true), refined(&mut lowered, false));
    assert_eq!(found.figures.reachable_states, afresh.figures.reachable_states);
    assert!(found.figures.transitions + found.figures.start_states >= found.figures.reachable_states);
}
