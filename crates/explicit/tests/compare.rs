//! Where two policies differ, against brute force over all states.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use common::task;
use surefoot_explicit::compare::reference;
use surefoot_explicit::start::for_each_start;
use surefoot_explicit::{Comparison, Ending, Pair, Tally, Task, compare};
use surefoot_fixtures::seeds;
use surefoot_limits::{Limits, Stop};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::property::{Safety, StartSet};
use surefoot_model::{Interpreter, LabelId, Model, State};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::policy::curved;
use surefoot_testkit::{Case, Size, Truth, for_seeds, load_text, random_policy, rival, safety};
use surefoot_verdict::Silent;

/// The labels that a policy permits where it is asked, by its definition; an error is nothing.
fn opinion(model: &Model, policy: &Policy, state: &State) -> Option<Option<Vec<LabelId>>> {
    let interpreter = Interpreter::new(model);
    let labels: Vec<LabelId> = interpreter
        .enabled_operators(state)
        .ok()?
        .iter()
        .filter_map(|operator| model.vectors[operator.vector as usize].label)
        .collect();
    if !labels.iter().any(|label| policy.output_of_label(*label).is_some()) {
        return Some(None);
    }
    let mut chosen = policy.permitted(&interpreter, state, &labels).ok()?.labels;
    chosen.sort_unstable();
    Some(Some(chosen))
}

/// What is so: all states reachable under a policy by distance, each with what both say of it.
struct Reachable {
    /// Distance, state, whether they are asked, and the pair where they differ.
    states: Vec<(usize, State, bool, Option<Pair>)>,
    errors: bool,
}

impl Reachable {
    fn of(task: &Task<'_>, policy: &Policy, other: &Policy, starts: &[State]) -> Self {
        let truth =
            Truth { goal: task.goal, goal_terminal: task.goal_terminal, ..Truth::new(task.model, Some(policy)) };
        let mut found = Self { states: Vec::new(), errors: false };
        for (distance, level) in truth.levels(starts.to_vec()).enumerate() {
            for (state, step) in level.states {
                found.errors |= !step.errors.is_empty();
                let terminal = task.goal_terminal && task.goal.and_then(|goal| truth.holds(goal, &state)) == Some(true);
                let both = (opinion(task.model, policy, &state), opinion(task.model, other, &state));
                let (asked, pair) = match both {
                    _ if terminal => (false, None),
                    (Some(None), Some(None)) => (false, None),
                    (Some(Some(one)), Some(Some(other))) => {
                        (true, (one != other).then(|| Pair { one: one.into(), other: other.into() }))
                    }
                    _ => {
                        found.errors = true;
                        (true, None)
                    }
                };
                found.states.push((distance, state, asked, pair));
            }
        }
        found
    }

    fn tally(&self, but: &HashSet<State>) -> Tally {
        let mut tally = Tally::default();
        for (_, _, asked, pair) in self.states.iter().filter(|(_, state, ..)| !but.contains(state)) {
            tally.states += 1;
            tally.asked += u64::from(*asked);
            if let Some(pair) = pair {
                tally.differing += 1;
                *tally.pairs.entry(pair.clone()).or_default() += 1;
            }
        }
        tally
    }

    fn set(&self) -> HashSet<State> {
        self.states.iter().map(|(_, state, ..)| state.clone()).collect()
    }
}

fn check(found: &Comparison, truth: &Reachable, but: &HashSet<State>, task: &Task<'_>, policies: [&Policy; 2]) {
    assert_eq!(found.ending, Ending::Complete);
    assert_eq!(found.tally, truth.tally(&HashSet::new()));
    assert_eq!(found.fresh, truth.tally(but));
    let differing = truth.states.iter().filter(|(.., pair)| pair.is_some());
    let first = differing.map(|(distance, state, _, pair)| (*distance, state, pair)).min();
    let Some((distance, state, pair)) = first else {
        assert_eq!(found.example, None);
        return;
    };
    let example = found.example.as_ref().unwrap();
    assert!(example.least);
    assert_eq!((example.path.len() - 1, example.path.last().unwrap()), (distance, state));
    assert_eq!(Some(&example.pair), pair.as_ref());
    for policy in policies {
        let truth =
            Truth { goal: task.goal, goal_terminal: task.goal_terminal, ..Truth::new(task.model, Some(policy)) };
        assert!(truth.are_steps(&example.path), "the run is one under both policies");
    }
}

/// The same without what depends on how states are kept.
fn bare(found: &Comparison) -> String {
    format!("{:?} {:?} {:?} {:?}", found.ending, found.tally, found.fresh, found.example)
}

fn compare_case(case: &Case) -> Option<bool> {
    let mut random = case.random();
    let mut lowered = load_text(&case.jani);
    let properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
    let conditions: Vec<_> = properties[1..].iter().filter_map(|p| p.reach).collect();
    let model = &lowered.model;
    let mut old = random_policy(&mut random, model, &conditions)?;
    if random.percent(20) {
        old = curved(&mut random, old);
    }
    let new = rival(&mut random, &old)?;
    let start: &StartSet = &properties[0].start;
    let goal = properties[0].goal.filter(|_| random.percent(50));
    let task_of = |policy| Task { goal, goal_terminal: goal.is_some(), ..task(model, Some(policy), start, None) };
    let (under_old, under_new) = (task_of(&old), task_of(&new));
    let mut starts = Vec::new();
    let listed = for_each_start(model, start, |state| {
        starts.push(state.clone());
        ControlFlow::Continue(())
    });
    if listed.is_err() || starts.is_empty() {
        return None;
    }
    let truth = Reachable::of(&under_old, &old, &new, &starts);
    let fast = compare(&under_old, &new, None, &Silent);
    let (slow, states) = reference::compare(&under_old, &new, &[], &Silent);
    if truth.errors {
        assert!(matches!(fast.ending, Ending::ModelError(_)), "{:?}", fast.ending);
        assert!(matches!(slow.ending, Ending::ModelError(_)), "{:?}", slow.ending);
        return None;
    }
    check(&fast, &truth, &HashSet::new(), &under_old, [&old, &new]);
    assert_eq!(bare(&fast), bare(&slow));
    for threads in [2, 4] {
        let parallel = compare(&Task { threads, ..under_old.clone() }, &new, None, &Silent);
        assert_eq!(bare(&parallel), bare(&fast), "{threads} threads");
    }
    let back = Reachable::of(&under_new, &new, &old, &starts);
    if fast.tally.differing == 0 {
        // What the module claims: one exploration answers for both.
        assert_eq!(truth.set(), back.set());
    }
    let known = fast.reached.as_ref().unwrap();
    let found = compare(&under_new, &old, Some(known), &Silent);
    if back.errors {
        assert!(matches!(found.ending, Ending::ModelError(_)));
    } else {
        check(&found, &back, &truth.set(), &under_new, [&old, &new]);
        assert_eq!(bare(&found), bare(&reference::compare(&under_new, &old, &states, &Silent).0));
        assert_eq!(found.example.map(|e| e.path.len()), fast.example.as_ref().map(|e| e.path.len()));
    }
    Some(fast.tally.differing > 0)
}

#[test]
fn differences_are_those_of_brute_force() {
    let mut seen = BTreeMap::new();
    for size in [Size { states: 300, ..Size::default() }, Size::default()] {
        let counts = std::cell::RefCell::new(&mut seen);
        for_seeds(seeds(7_000, 150), &size, |case| {
            *counts.borrow_mut().entry(compare_case(case)).or_insert(0) += 1;
        });
    }
    // The test is about something: policies that agree everywhere, and such that do not.
    assert!(seen[&Some(true)] > 25 && seen[&Some(false)] > 15, "{seen:?}");
}

/// What was visited counts when a limit ends the search.
#[test]
fn limits_end_a_comparison() {
    let (jani, limits) = (Case::new(7_001, Size::default()).jani, Limits::default());
    let mut lowered = load_text(&jani);
    let start = safety(&mut lowered, 0).start;
    let mut random = surefoot_fixtures::Random::new(1);
    let policy = loop {
        match random_policy(&mut random, &lowered.model, &[]) {
            Some(policy) if matches!(policy.outputs, Outputs::Labels(_)) => break policy,
            _ => {}
        }
    };
    limits.cancel.stop(Stop::Interrupted);
    let task = Task { limits, ..task(&lowered.model, Some(&policy), &start, None) };
    let found = compare(&task, &policy, None, &Silent);
    assert_eq!(found.ending, Ending::Limit(Stop::Interrupted));
    assert!(found.reached.is_none() && found.example.is_none());
}
