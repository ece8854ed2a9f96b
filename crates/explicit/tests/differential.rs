//! The compiled engine against the reference interpreter, on random models and on the shared ones.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::{Event, Levels, any_state, compare_states, task, truth};
use surefoot_explicit::start::{StartError, StartSearch, for_each_start, is_start};
use surefoot_explicit::{Ending, Exploration, Statistics, Task, explore, reference};
use surefoot_fixtures::network::{in_single_precision, smoothed};
use surefoot_fixtures::{seeds, shared_data};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::read::read_policy;
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::property::{Safety, StartSet};
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_network::{Layer, Network};
use surefoot_testkit::data::{constants_of, shared_models};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, all_states, for_seeds, load, load_text, random_policy, safety};
use surefoot_verdict::Silent;

/// A random model with all that is asked of it.
struct Setting {
    lowered: Lowered,
    properties: Vec<Safety>,
    policy: Option<Policy>,
    start: StartSet,
    random: surefoot_fixtures::Random,
}

impl Setting {
    fn of(case: &Case) -> Self {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(70) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        let policy = policy.map(|policy| unusual(&mut random, policy));
        let mut start = properties[0].start.clone();
        // Several conditions, and states listed one by one.
        if random.percent(20) {
            start.conditions.extend(&properties[1].start.conditions);
        }
        if random.percent(25) {
            for _ in 0..1 + random.below(3) {
                start.states.push(any_state(&mut random, &lowered.model));
            }
        }
        Self { lowered, properties, policy, start, random }
    }

    fn task(&self, stop_at_reach: bool) -> Task<'_> {
        let property = &self.properties[0];
        let mut random = self.random.clone();
        let goal = if random.percent(50) { property.goal } else { None };
        Task {
            goal,
            goal_terminal: goal.is_some() && random.percent(60),
            absorb: None,
            dropped: None,
            stop_at_reach,
            ..task(&self.lowered.model, self.policy.as_ref(), &self.start, property.reach)
        }
    }
}

/// Some policies with smooth functions, in single precision, or beyond it in some states.
fn unusual(random: &mut surefoot_fixtures::Random, mut policy: Policy) -> Policy {
    if matches!(policy.outputs, Outputs::Transients(_)) || random.percent(50) {
        return policy;
    }
    for network in &mut policy.networks {
        let plain = &network.network;
        let large = plain.layers().iter().any(|layer| layer.weights().iter().any(|w| w.abs() > 100.0));
        network.network = std::sync::Arc::new(match random.below(3) {
            // Of functions that are saturated no precision tells one from another.
            0 if !large => smoothed(random, plain),
            1 => in_single_precision(&overflowing(plain)),
            _ => in_single_precision(plain),
        });
    }
    policy
}

/// The same network with a first layer so large that single precision cannot hold some of its neurons.
fn overflowing(network: &Network) -> Network {
    let layer = |(index, layer): (usize, &Layer)| {
        let factor = if index == 0 { 1e37 } else { 1.0 };
        let weights = layer.weights().iter().map(|w| w * factor).collect();
        Layer::new(layer.input_len(), weights, layer.bias().to_vec(), layer.activation()).unwrap()
    };
    Network::new(network.layers().iter().enumerate().map(layer).collect()).unwrap()
}

/// The start states, each once; `None` where there are none or the condition has no value.
fn starts(task: &Task<'_>) -> Option<Vec<State>> {
    let (mut seen, mut list) = (HashSet::new(), Vec::new());
    let result = for_each_start(task.model, task.start, |state| {
        if seen.insert(state.clone()) {
            list.push(state.clone());
        }
        ControlFlow::Continue(())
    });
    (result.is_ok() && !list.is_empty()).then_some(list)
}

/// The figures that do not depend on how states are kept and the policy is evaluated.
fn figures(statistics: &Statistics) -> Statistics {
    Statistics { bytes: 0, exact_decisions: 0, ..*statistics }
}

/// Compares an exploration with the reference and with what can happen at all.
fn compare_explorations(task: &Task<'_>) {
    let (fast, slow) = (explore(task, &Silent), reference::explore(task, &Silent));
    for threads in [2, 4] {
        let parallel = explore(&Task { threads, ..task.clone() }, &Silent);
        assert_eq!(parallel, fast, "{threads} threads and one");
    }
    let Some(starts) = starts(task) else {
        assert!(matches!(slow.ending, Ending::StartError(_)), "{slow:?}");
        assert_eq!(fast.ending, slow.ending);
        return;
    };
    let levels = Levels::of(task, starts, usize::MAX);
    assert_eq!(fast.statistics.start_states, levels.levels[0].len() as u64);
    for (name, result) in [("compiled", &fast), ("reference", &slow)] {
        check_ending(task, &levels, result, name);
        assert_eq!(result.statistics.depth, levels.levels.len() as u64 - 1, "depth of the {name} search");
    }
    if levels.events.is_empty() {
        assert_eq!(figures(&fast.statistics), figures(&slow.statistics));
        assert_eq!(fast.statistics.states, levels.states().count() as u64);
    }
}

/// An exploration ends in one of the events of the first level that has any.
fn check_ending(task: &Task<'_>, levels: &Levels, result: &Exploration, name: &str) {
    match &result.ending {
        Ending::Complete => assert!(levels.events.is_empty(), "the {name} search missed {:?}", levels.events),
        Ending::Reached(path) => {
            let last = path.last().unwrap();
            assert!(levels.events.contains(&Event::Reached(last.clone())), "{name}: {path:?}");
            assert_eq!(path.len(), levels.levels.len(), "the path of the {name} search is a shortest one");
            check_path(task, path);
        }
        Ending::ModelError(error) => {
            let known = levels.events.iter().any(|e| matches!(e, Event::Error(other) if other == &**error));
            assert!(known, "{name}: {error:?} is none of {:?}", levels.events);
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// Every step is permitted, the first state is a start state, the last one is unsafe.
fn check_path(task: &Task<'_>, path: &[State]) {
    assert!(is_start(&Interpreter::new(task.model), task.start, &path[0]).unwrap(), "{:?}", path[0]);
    assert!(truth(task).are_steps(path), "{path:?}");
    assert!(truth(task).step(path.last().unwrap()).reached);
}

#[test]
fn explorations_agree_on_random_models() {
    for_seeds(seeds(0, 200), &Size::default(), |case| {
        let setting = Setting::of(case);
        compare_explorations(&setting.task(true));
        compare_explorations(&setting.task(false));
    });
}

#[test]
fn successors_agree_on_random_models() {
    for_seeds(seeds(1 << 20, 160), &Size::default(), |case| {
        let mut setting = Setting::of(case);
        let model = &setting.lowered.model;
        let any: Vec<State> = (0..150).map(|_| any_state(&mut setting.random, model)).collect();
        compare_states(model, setting.policy.as_ref(), &any);
        compare_states(model, None, &any);
    });
}

/// The states of a condition by search, and by trying all states.
fn compare_start_sets(model: &Model, condition: TermId, all: &[State]) {
    let interpreter = Interpreter::new(model);
    let search = StartSearch::new(model, condition).unwrap();
    let mut found: Vec<State> = Vec::new();
    let result = search.for_each(|values| {
        found.push(State::from_ints(values));
        ControlFlow::Continue(())
    });
    for state in &found {
        assert_eq!(interpreter.holds(condition, state), Ok(true), "found {}", state.describe(model));
    }
    let distinct: HashSet<&State> = found.iter().collect();
    assert_eq!(distinct.len(), found.len(), "every state is found once");
    match result {
        Err(StartError::Condition(error)) => {
            let here = interpreter.holds(condition, &error.state).unwrap_err();
            assert_eq!(surefoot_model::ModelError::evaluation(here, error.state.clone()), *error);
        }
        Err(other) => panic!("{other:?}"),
        Ok(()) => {
            for state in all {
                if interpreter.holds(condition, state) == Ok(true) {
                    assert!(distinct.contains(state), "missed {}", state.describe(model));
                }
            }
        }
    }
}

#[test]
fn start_sets_agree_with_brute_force_on_random_models() {
    let size = Size { states: 1000, ..Size::default() };
    for_seeds(seeds(2 << 20, 160), &size, |case| {
        let mut lowered = load_text(&case.jani);
        let mut conditions = vec![lowered.initial_condition()];
        for p in 0..PROPERTIES {
            let property = safety(&mut lowered, p);
            conditions.extend(property.start.conditions);
            conditions.extend(property.reach);
            conditions.extend(property.goal);
        }
        let all = all_states(&lowered.model, usize::MAX).unwrap();
        for condition in conditions {
            compare_start_sets(&lowered.model, condition, &all);
        }
    });
}

/// The first states of a model, and some that may not be reachable, state by state; the whole exploration where it is small.
fn compare_model(lowered: &Lowered, policy: Option<&Policy>, start: &StartSet, reach: Option<TermId>) {
    let model = &lowered.model;
    let mut task = task(model, policy, start, reach);
    task.stop_at_reach = false;
    let begin = starts(&task).unwrap();
    let levels = Levels::of(&task, begin.into_iter().take(200).collect(), 300);
    compare_states(model, policy, levels.states().take(400));
    if !levels.cut && levels.levels[0].len() < 200 {
        compare_explorations(&task);
        compare_explorations(&Task { stop_at_reach: reach.is_some(), ..task });
    }
}

#[test]
fn shared_models_agree() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let models = shared_models(&folder);
    assert_eq!(models.len(), 15 + 10 + 5);
    for (path, constants) in models {
        let (mut lowered, _) = load(&path, None, &constants_of(&constants));
        let start = StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() };
        compare_model(&lowered, None, &start, None);
        // A random policy chooses among the labels, where there are any.
        let mut random = surefoot_fixtures::Random::new(lowered.model.terms.len() as u64);
        let policy = random_policy(&mut random, &lowered.model, &[]);
        compare_model(&lowered, policy.as_ref(), &start, None);
    }
}

#[test]
fn shared_policies_agree() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")).map(|data| data.join("plaja")) else { return };
    let small = "blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani";
    let large = "icaps22/blocksworld/models/cost05/blocksworld_6_5.jani";
    let learned = "compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal";
    let properties = format!(
        "icaps22/blocksworld/additional_properties/safety_verification/cost05/blocksworld_6_5/{learned}/\
         pa_compact_starts_cost_predicates_afterwards_blocksworld_6_5_32_32.jani"
    );
    let costs = serde_json::json!({"failing_probability": 0.5, "item_cost_bound": 3});
    let certain = serde_json::json!({"failing_probability": 0, "item_cost_bound": 1});
    let none = serde_json::json!({});
    let cases = [
        (small, None, &costs),
        (small, None, &certain),
        (large, Some(properties.as_str()), &none),
        ("for_ppa_simple.jani", None, &none),
        ("for_nn_sat.jani", None, &none),
    ];
    for (model, properties, constants) in cases {
        let properties = properties.map(|file| folder.join(file));
        let (mut lowered, mut sources) = load(&folder.join(model), properties.as_deref(), &constants_of(constants));
        let mut read = 0;
        for property in 0..lowered.syntax().properties.len() {
            let Ok(surefoot_model::property::Question::Safety(safety)) = lowered.question(property) else { continue };
            let Some(file) = &safety.policy_file else { continue };
            let (mut policy, _) = read_policy(&mut lowered, &mut sources, &file.value).unwrap();
            read += 1;
            for (filter, ties) in [(policy.filter, Ties::First), (!policy.filter, Ties::Any), (true, Ties::Plaja)] {
                (policy.filter, policy.ties) = (filter, ties);
                compare_model(&lowered, Some(&policy), &safety.start, safety.reach);
            }
        }
        assert!(read > 0, "{model} names a policy");
    }
}

/// A model with eight variables from 0 to 9 and a start condition.
fn with_start(condition: &str) -> (Lowered, TermId) {
    let ty = serde_json::json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9});
    let variables: Vec<_> =
        (0..8).map(|i| serde_json::json!({"name": format!("x{i}"), "type": ty, "initial-value": 0})).collect();
    let model = serde_json::json!({
        "jani-version": 1, "name": "starts", "type": "mdp", "variables": variables,
        "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []}],
        "system": {"elements": [{"automaton": "m"}]},
        "properties": [{"name": "p", "expression": {"op": "PA", "start": "here"}}]
    });
    let mut lowered = load_text(&model.to_string().replace("\"here\"", condition));
    let condition = safety(&mut lowered, 0).start.conditions[0];
    (lowered, condition)
}

fn found(model: &Model, condition: TermId) -> Vec<Vec<i64>> {
    let mut found = Vec::new();
    let search = StartSearch::new(model, condition).unwrap();
    search
        .for_each(|values| {
            found.push(values[1..].to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
    found.sort_unstable();
    found
}

/// All parts under one operator, nested to the left, as text: taking JSON values apart and together would be the slow part.
fn combined(op: &str, parts: &[String]) -> String {
    let nested = format!(r#"{{"op": "{op}", "left": "#).repeat(parts.len() - 1);
    let rest: String = parts[1..].iter().map(|part| format!(r#", "right": {part}}}"#)).collect();
    format!("{nested}{}{rest}", parts[0])
}

fn equals(point: &[i64]) -> String {
    let part = |(i, value): (usize, &i64)| format!(r#"{{"op": "=", "left": "x{i}", "right": {value}}}"#);
    combined("∧", &point.iter().enumerate().map(part).collect::<Vec<_>>())
}

#[test]
fn start_conditions_with_many_parts_are_quick() {
    let mut random = surefoot_fixtures::Random::new(3);
    let mut points: Vec<Vec<i64>> = (0..1000).map(|_| (0..8).map(|_| random.between(0, 9)).collect()).collect();
    points.sort_unstable();
    points.dedup();
    let begin = Instant::now();
    // One of a thousand states.
    let (lowered, condition) = with_start(&combined("∨", &points.iter().map(|p| equals(p)).collect::<Vec<_>>()));
    assert_eq!(found(&lowered.model, condition), points);
    // The sum of any two neighbours is small, and 1,800 states are excluded.
    let excluded: Vec<Vec<i64>> = (0..1800).map(|_| (0..8).map(|_| random.between(0, 3)).collect()).collect();
    let small = |i: usize| {
        let sum = format!(r#"{{"op": "+", "left": "x{i}", "right": "x{}"}}"#, i + 1);
        format!(r#"{{"op": "≤", "left": {sum}, "right": 1}}"#)
    };
    let different = |point: &Vec<i64>| format!(r#"{{"op": "¬", "exp": {}}}"#, equals(point));
    let parts: Vec<String> = (0..7).map(small).chain(excluded.iter().map(different)).collect();
    let (lowered, condition) = with_start(&combined("∧", &parts));
    let states = found(&lowered.model, condition);
    // Zeros and ones, no two ones next to each other: a Fibonacci number of states.
    let mut expected: Vec<Vec<i64>> = (0..256i64)
        .map(|bits| (0..8).map(|i| (bits >> i) & 1).collect::<Vec<_>>())
        .filter(|p| p.windows(2).all(|w| w[0] + w[1] <= 1) && !excluded.contains(p))
        .collect();
    expected.sort_unstable();
    assert_eq!(states, expected);
    assert!(begin.elapsed() < Duration::from_secs(5), "took {:?}", begin.elapsed());
}
