//! Random runs: compiled steps against the reference interpreter, streams, start states, and threads.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use common::{any_state, interpreter_of, task};
use serde_json::json;
use surefoot_explicit::Task;
use surefoot_explicit::simulate::{Run, SimulateError, SimulateOptions, Simulation, Trace, interpreted, simulate};
use surefoot_explicit::start::is_start;
use surefoot_fixtures::seeds;
use surefoot_model::property::StartSet;
use surefoot_model::term::{ArithOp, CmpOp};
use surefoot_model::{Interpreter, ScalarType, SlotId, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Size, for_seeds, load_text, random_policy, safety};
use surefoot_verdict::Silent;

type Made = (Result<Simulation, SimulateError>, Vec<(u64, Run, Trace)>);

fn with_traces(task: &Task<'_>, options: &SimulateOptions, by_interpreter: bool) -> Made {
    let mut traces = Vec::new();
    let mut listener = |number: u64, run: &Run, trace: &Trace| {
        traces.push((number, *run, trace.clone()));
        ControlFlow::Continue(())
    };
    let make = if by_interpreter { interpreted } else { simulate };
    let made = make(task, options, &Silent, Some(&mut listener));
    (made, traces)
}

#[test]
fn compiled_runs_are_those_of_the_interpreter() {
    for_seeds(seeds(3 << 20, 150), &Size::default(), |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<_> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<_> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(70) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        let mut start = properties[0].start.clone();
        if random.percent(30) {
            start.conditions.extend(&properties[1].start.conditions);
        }
        if random.percent(30) {
            start.states.extend((0..2).map(|_| any_state(&mut random, &lowered.model)));
        }
        let goal = if random.percent(50) { properties[0].goal } else { None };
        let reach = if random.percent(50) { properties[0].reach } else { None };
        let (goal_terminal, seed) = (goal.is_some() && random.percent(50), random.below(1000) as u64);
        let task = Task { goal, goal_terminal, ..task(&lowered.model, policy.as_ref(), &start, reach) };
        let options = SimulateOptions { runs: 40, steps: 15, seed };
        let (fast, traces) = with_traces(&task, &options, false);
        let (slow, expected) = with_traces(&task, &options, true);
        assert_eq!(fast, slow);
        assert_eq!(traces, expected);
        for threads in [2, 3] {
            let task = Task { threads, ..task.clone() };
            assert_eq!(with_traces(&task, &options, false), (fast.clone(), traces.clone()), "{threads} threads");
            assert_eq!(simulate(&task, &options, &Silent, None), fast, "{threads} threads");
        }
        let interpreter = interpreter_of(task.model, task.policy);
        for (number, run, trace) in &traces {
            let states = trace.states();
            assert_eq!((states.len() as u64, trace.vectors().len() as u64), (run.length + 1, run.length));
            assert!(is_start(&Interpreter::new(task.model), task.start, &states[0]).unwrap(), "run {number}");
            for pair in states.windows(2) {
                // A run may pass by an operator that is in error, where all states are explored it may not.
                if let Ok(choices) = interpreter.permitted_choices(&pair[0], task.policy) {
                    let mut successors = choices.iter().flat_map(|c| &c.outcomes).flat_map(|o| &o.successors);
                    assert!(successors.any(|s| *s == pair[1]), "run {number}: {pair:?}");
                }
            }
        }
    });
}

/// Three conditions that overlap, and listed states some of which satisfy one: every state as often as any other.
#[test]
fn every_start_state_is_as_likely_as_any_other() {
    let bounded = |name: &str, upper: i64| json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper}});
    let mut lowered = load_text(
        &json!({
            "jani-version": 1, "name": "m", "type": "mdp", "actions": [],
            "variables": [bounded("x", 9), bounded("y", 9)],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []}],
            "system": {"elements": [{"automaton": "a"}]},
        })
        .to_string(),
    );
    let terms = &mut lowered.model.terms;
    let (x, y) = (terms.slot(SlotId(1), ScalarType::Int), terms.slot(SlotId(2), ScalarType::Int));
    let sum = terms.arith(ArithOp::Add, x, y);
    let mut at_most = |term: TermId, bound: i64| {
        let bound = terms.num(Rational::from(bound));
        terms.cmp(CmpOp::Le, term, bound)
    };
    let conditions = vec![at_most(sum, 3), at_most(x, 2), at_most(sum, 5)];
    let states = vec![State::from_ints(&[0, 9, 9]), State::from_ints(&[0, 1, 1]), State::from_ints(&[0, 9, 9])];
    let start = StartSet { conditions, states };
    let task = task(&lowered.model, None, &start, None);
    let runs = 56_000;
    let (made, traces) = with_traces(&task, &SimulateOptions { runs, steps: 0, seed: 5 }, false);
    assert!(made.unwrap().all_starts);
    let mut counts: BTreeMap<State, u64> = BTreeMap::new();
    for (_, _, trace) in &traces {
        *counts.entry(trace.states()[0].clone()).or_default() += 1;
    }
    let truly = |x: i64, y: i64| x <= 2 || x + y <= 5 || (x, y) == (9, 9);
    let expected = (0..10).flat_map(|x| (0..10).map(move |y| (x, y))).filter(|(x, y)| truly(*x, *y)).count() as u64;
    assert_eq!(counts.len() as u64, expected);
    let mean = runs / expected;
    // Ten standard deviations.
    let wide = 10 * mean.isqrt();
    assert!(counts.values().all(|count| count.abs_diff(mean) < wide), "{counts:?}");
}

/// A run is the same whatever the number of runs, and another seed gives others.
#[test]
fn runs_depend_on_the_seed_and_their_number_alone() {
    let mut lowered = load_text(
        &json!({
            "jani-version": 1, "name": "m", "type": "mdp", "actions": [],
            "variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 99},
                "initial-value": 0}],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
                {"location": "l", "guard": {"exp": {"op": "<", "left": "x", "right": 90}}, "destinations": [
                    {"location": "l", "probability": {"exp": {"op": "/", "left": 1, "right": 3}},
                        "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]},
                    {"location": "l", "probability": {"exp": {"op": "/", "left": 2, "right": 3}},
                        "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 2}}]}]}]}],
            "system": {"elements": [{"automaton": "a"}]},
        })
        .to_string(),
    );
    let start = StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() };
    let task = task(&lowered.model, None, &start, None);
    let made = |runs, seed| with_traces(&task, &SimulateOptions { runs, steps: 1000, seed }, false).1;
    let (many, few) = (made(3000, 1), made(30, 1));
    assert_eq!(many[..30], few[..]);
    assert!(many.iter().zip(made(3000, 2)).filter(|(a, b)| a.2 == b.2).count() < 5);
    // By Wald, the mean length is nearly 90 / (5/3) steps.
    let steps: u64 = many.iter().map(|(_, run, _)| run.length).sum();
    assert!((3000 * 53..3000 * 56).contains(&steps), "{steps}");
    let step = |run: u64, trace: &Trace| trace.states().len() as u64 == run + 1;
    assert!(many.iter().all(|(_, run, trace)| step(run.length, trace)));
}
