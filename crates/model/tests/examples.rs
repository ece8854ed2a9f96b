//! The shipped examples, explored exhaustively with the reference interpreter: verdicts and numbers as their READMEs say.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::{read_model, read_properties};
use surefoot_model::lower::{Lowered, lower};
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Interpreter, State};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

/// What an exploration found.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    start: usize,
    reachable: usize,
    deadlocks: usize,
    /// Steps of the shortest violation.
    violation: Option<usize>,
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The model and its only property.
fn load(name: &str, sources: &mut SourceMap) -> (Lowered, Safety) {
    let folder = example(name);
    let (mut syntax, warnings) = read_model(sources, &folder.join("model.jani")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    read_properties(sources, &mut syntax, &folder.join("properties.jani")).unwrap();
    let mut lowered = lower(Arc::new(syntax), &[]).unwrap();
    assert!(lowered.notes.is_empty(), "{:?}", lowered.notes);
    let property = lowered.find_property(None).unwrap();
    let Question::Safety(safety) = lowered.question(property).unwrap() else { panic!("a safety property") };
    (lowered, safety)
}

/// A policy next to the model; the property's own where no other is asked for.
fn policy(name: &str, file: Option<&str>, lowered: &mut Lowered, safety: &Safety, sources: &mut SourceMap) -> Policy {
    let own = &safety.policy_file.as_ref().unwrap().value;
    let path = file.map_or(own.clone(), |file| example(name).join(file));
    let (policy, notes) = read_policy(lowered, sources, &path).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors.iter().map(|e| render(e, sources)).collect();
        panic!("{}", shown.join("\n"))
    });
    // Nothing but what every .nnet file leaves open.
    let expected = ["minima and maxima", "to the nearest 64-bit float"];
    assert!(notes.iter().all(|n| expected.iter().any(|e| n.message.contains(e))), "{notes:?}");
    policy
}

/// All states of the domains that satisfy the start condition.
fn start_states(lowered: &Lowered, safety: &Safety) -> Vec<State> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for slot in &lowered.model.slots {
        let (lower, upper) = slot.domain.int_bounds().unwrap();
        all = all.iter().flat_map(|s| (lower..=upper).map(|v| [&s[..], &[v]].concat())).collect();
    }
    let interpreter = Interpreter::new(&lowered.model);
    let starts = |state: &State| safety.start.conditions.iter().any(|c| interpreter.holds(*c, state).unwrap());
    all.iter().map(|values| State::from_ints(values)).filter(starts).collect()
}

fn explore(lowered: &Lowered, safety: &Safety, policy: &Policy) -> Found {
    let interpreter = Interpreter::with_policy(&lowered.model, policy);
    let reach = safety.reach.unwrap();
    let mut depth: HashMap<State, usize> = HashMap::new();
    let mut queue = VecDeque::new();
    for state in start_states(lowered, safety) {
        depth.insert(state.clone(), 0);
        queue.push_back(state);
    }
    let start = queue.len();
    let (mut deadlocks, mut violation) = (0, None);
    while let Some(state) = queue.pop_front() {
        let steps = depth[&state];
        if violation.is_none() && interpreter.holds(reach, &state).unwrap() {
            violation = Some(steps);
        }
        let choices = interpreter.permitted_choices(&state, Some(policy)).unwrap();
        deadlocks += usize::from(choices.is_empty());
        let outcomes = choices.into_iter().flat_map(|choice| choice.outcomes);
        for successor in outcomes.flat_map(|outcome| outcome.successors) {
            if !depth.contains_key(&successor) {
                depth.insert(successor.clone(), steps + 1);
                queue.push_back(successor);
            }
        }
    }
    Found { start, reachable: depth.len(), deadlocks, violation }
}

#[test]
fn parking_is_safe() {
    let mut sources = SourceMap::default();
    let (mut lowered, safety) = load("parking", &mut sources);
    let policy = policy("parking", None, &mut lowered, &safety, &mut sources);
    let found = explore(&lowered, &safety, &policy);
    assert_eq!(found, Found { start: 105, reachable: 277, deadlocks: 0, violation: None });
}

#[test]
fn reservoir_is_unsafe_and_its_repair_is_safe() {
    let mut sources = SourceMap::default();
    let (mut lowered, safety) = load("reservoir", &mut sources);
    let careless = policy("reservoir", None, &mut lowered, &safety, &mut sources);
    let found = explore(&lowered, &safety, &careless);
    assert_eq!(found, Found { start: 20, reachable: 118, deadlocks: 0, violation: Some(5) });
    let careful = policy("reservoir", Some("careful.jani2nnet"), &mut lowered, &safety, &mut sources);
    let found = explore(&lowered, &safety, &careful);
    assert_eq!(found, Found { start: 20, reachable: 82, deadlocks: 0, violation: None });
}

#[test]
fn lift_needs_the_filter() {
    let mut sources = SourceMap::default();
    let (mut lowered, safety) = load("lift", &mut sources);
    let mut policy = policy("lift", None, &mut lowered, &safety, &mut sources);
    assert!(policy.filter);
    // No deadlock and nobody who waits too long: every call is served.
    let found = explore(&lowered, &safety, &policy);
    assert_eq!(found, Found { start: 5, reachable: 121, deadlocks: 0, violation: None });
    // Without it every call after the first one finds the door open, and the run stops there.
    policy.filter = false;
    let found = explore(&lowered, &safety, &policy);
    assert_eq!(found, Found { start: 5, reachable: 96, deadlocks: 25, violation: None });
}
