//! What nothing has written since the start, where it matters: random models of a position that decides what is safe and counters
//! that the policy reads, with many ways into each position.

mod common;

use std::cell::Cell;
use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_abstraction::{Oracles, System};
use surefoot_cegar::{Cegar, Options, Outcome, Strategy, cegar};
use surefoot_fixtures::{Random, random_network, seeds};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::LabelId;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Instance, Size, for_seeds_of};

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
