//! Formulas of CTL on explored graphs, against brute force: the states that the reference interpreter reaches, one by one, and fixpoints on sets of them.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;
use std::collections::HashMap;

use common::{task, truth};
use surefoot_explicit::{Resolution, Task, graph};
use surefoot_fixtures::{Random, seeds};
use surefoot_model::{State, TermId};
use surefoot_temporal::graph::{Graph, reference};
use surefoot_temporal::{Ctl, Quantifier};
use surefoot_testkit::{Instance, Size, for_seeds};
use surefoot_verdict::Silent;

const MOST_STATES: usize = 400;

fn random_formula(random: &mut Random, depth: usize, leaves: &[TermId]) -> Ctl<TermId> {
    if depth == 0 {
        return Ctl::State(*random.pick(leaves));
    }
    let q = if random.percent(50) { Quantifier::All } else { Quantifier::Some };
    let bound = if random.percent(50) { Some(random.below(5) as u64) } else { None };
    let kind = random.below(8);
    let mut sub = || Box::new(random_formula(random, depth - 1, leaves));
    match kind {
        0 => Ctl::Not(sub()),
        1 => Ctl::And(vec![*sub(), *sub()]),
        2 => Ctl::Or(vec![*sub(), *sub()]),
        3 => Ctl::Next(q, bound.unwrap_or(1), sub()),
        4 => Ctl::Finally(q, bound, sub()),
        5 => Ctl::Globally(q, bound, sub()),
        6 => Ctl::Until(q, bound, sub(), sub()),
        _ => Ctl::Release(q, bound, sub(), sub()),
    }
}

/// The reachable states with their successors, by the interpreter; nothing where something is in error.
fn listed(task: &Task<'_>, starts: Vec<State>) -> Option<(Vec<State>, Graph)> {
    let steps: Vec<_> = truth(task).levels(starts).take(MOST_STATES).flat_map(|level| level.states).collect();
    if steps.len() > MOST_STATES || steps.iter().any(|(_, step)| !step.errors.is_empty() || step.unclear) {
        return None;
    }
    let numbers: HashMap<&State, u32> = steps.iter().zip(0..).map(|((state, _), number)| (state, number)).collect();
    let mut graph = Graph::default();
    for (_, step) in &steps {
        graph.push(&mut step.successors.iter().map(|state| numbers.get(state).copied()).collect::<Option<Vec<_>>>()?);
    }
    Some((steps.iter().map(|(state, _)| state.clone()).collect(), graph))
}

#[test]
fn explored_graphs_give_formulas_their_meaning() {
    let (decided, stuck) = (Cell::new(0), Cell::new(0));
    for_seeds(seeds(9 << 20, 400), &Size { states: 400, ..Size::default() }, |case| {
        let random = &mut case.random();
        let Some(instance) = Instance::new(case, random) else { return };
        let (goal, goal_terminal) = (instance.property.goal, instance.goal_terminal);
        let goal = goal.filter(|_| goal_terminal);
        let plain = task(instance.model(), instance.policy.as_ref(), &instance.property.start, None);
        let task = Task { goal, goal_terminal: goal.is_some(), ..plain };
        let starts = instance.starts();
        let Some((states, slow)) = listed(&task, starts.clone()) else { return };
        let leaves: Vec<TermId> = instance.property.reach.into_iter().chain(instance.property.goal).collect();
        let truth = truth(&task);
        let holds = |term: &TermId, state: u32| truth.holds(*term, &states[state as usize]);
        let defined = |term: &TermId| slow.states().all(|state| holds(term, state).is_some());
        if starts.is_empty() || leaves.is_empty() || !leaves.iter().all(defined) {
            return;
        }
        let depth = 1 + random.below(3);
        let formula = random_formula(random, depth, &leaves);
        let expected = reference::label(&slow, &formula, &|term, state| holds(term, state) == Some(true));
        let mut graph = graph::build(&task, Resolution::Vanishing, &Silent).unwrap();
        let transitions = graph.transitions();
        assert_eq!(transitions.len(), states.len());
        let found = transitions.label(&formula, &mut |term| {
            let set = graph.satisfying(*term)?;
            Ok::<_, Box<surefoot_model::ModelError>>(transitions.states().map(|state| set.contains(state)).collect())
        });
        let found = found.unwrap();
        for (number, state) in states.iter().enumerate() {
            let own = transitions.states().find(|other| graph.state(*other) == *state).unwrap();
            assert_eq!(found[own as usize], expected[number], "{formula:?} in {state:?}");
        }
        decided.set(decided.get() + 1);
        stuck.set(stuck.get() + u32::from(slow.stuck() > 0));
    });
    assert!(decided.get() > 100 && stuck.get() > 20, "{decided:?}, {stuck:?}");
}
