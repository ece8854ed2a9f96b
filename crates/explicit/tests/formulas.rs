//! Formulas of CTL on explored graphs, against brute force: the states that the reference interpreter reaches, one by one, and fixpoints on sets of them.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;
use std::collections::HashMap;

use common::{task, truth};
use surefoot_explicit::{Resolution, Task, graph};
use surefoot_fixtures::{Random, seeds};
use surefoot_model::{State, TermId};
use surefoot_temporal::Ctl;
use surefoot_temporal::graph::{Graph, Measures, reference};
use surefoot_temporal::random::Shape;
use surefoot_testkit::{Instance, Size, for_seeds};
use surefoot_verdict::Silent;

const MOST_STATES: usize = 400;

fn random_formula(random: &mut Random, depth: usize, leaves: &[TermId]) -> Ctl<TermId> {
    let leaf = |random: &mut Random| Ctl::State(*random.pick(leaves));
    Shape { early: 0, bounded: 50, bounds: 5 }.formula(random, depth, &Random::below, &leaf)
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
    let (decided, stuck, trees, resting) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
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
        // Both the formula and its negation have trees, of steps that the interpreter takes.
        for positive in [true, false] {
            let formula = formula.signed(positive, &mut |term, sign| (*term, sign)).stepwise();
            let parts = formula.numbered();
            let is_so = |(term, sign): &(TermId, bool), state: u32| holds(term, state) == Some(*sign);
            let measures = Measures::new(&transitions, &formula, &mut |(term, sign)| {
                let set = graph.satisfying(*term)?;
                let row = transitions.states().map(|state| set.contains(state) == *sign);
                Ok::<_, Box<surefoot_model::ModelError>>(row.collect())
            });
            let measures = measures.unwrap().unwrap();
            let number = |own: u32| {
                let position = states.iter().position(|state| graph.state(own) == *state);
                u32::try_from(position.unwrap()).unwrap()
            };
            for start in transitions.states().filter(|state| found[*state as usize] == positive).take(3) {
                let proof = transitions.prove(&formula, &measures, start);
                let nodes: Vec<u32> = proof.nodes.iter().map(|node| number(node.state)).collect();
                for (node, state) in proof.nodes.iter().zip(&nodes) {
                    let mut targets: Vec<u32> = node.steps.iter().map(|next| nodes[*next]).collect();
                    targets.sort_unstable();
                    assert!(targets.iter().all(|next| slow.successors(*state).contains(next)));
                    assert!(!node.all || targets == slow.successors(*state));
                }
                let mut leaf = |leaf: &(TermId, bool), node: usize| is_so(leaf, nodes[node]);
                let mut known = |part: usize, node: usize| {
                    let rests = proof.nodes[node].rests.contains(&part);
                    rests && reference::label(&slow, parts[part], &is_so)[nodes[node] as usize]
                };
                let shown = proof.tree().shows_with(&formula, &mut leaf, &mut known)[0];
                assert!(shown, "{formula:?} in {:?}: {proof:?}", graph.state(start));
                trees.set(trees.get() + u32::from(proof.nodes.iter().any(|node| node.steps.len() > 1)));
                resting.set(resting.get() + u32::from(proof.nodes.iter().any(|node| !node.rests.is_empty())));
            }
        }
        decided.set(decided.get() + 1);
        stuck.set(stuck.get() + u32::from(slow.stuck() > 0));
    });
    assert!(decided.get() > 100 && stuck.get() > 20, "{decided:?}, {stuck:?}");
    assert!(trees.get() > 30 && resting.get() > 30, "{trees:?}, {resting:?}");
}
