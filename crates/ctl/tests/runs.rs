//! What single runs show about formulas, against the definition, on random systems.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::systems::model;
use common::{random_atom, random_formula};
use surefoot_ctl::check::{Reference, RunShows, run_shows};
use surefoot_ctl::{Constraints, Ctl, Evidence, Failing, Options, System, Verdict, check};
use surefoot_fixtures::Random;
use surefoot_model::State;
use surefoot_model::property::Question;
use surefoot_testkit::{load_text, random_policy};

const CASES: u64 = 1_500;

#[derive(Debug, Default)]
struct Counts {
    paths: u64,
    fails: u64,
    holds: u64,
    neither: u64,
}

/// The states of evidence that is a path.
fn path(evidence: &Evidence) -> Option<Vec<State>> {
    let mut states = Vec::new();
    let mut node = &evidence.nodes[0];
    loop {
        states.push(node.state.clone());
        match node.steps.as_slice() {
            [] => return Some(states),
            [step] if step.by.is_some() && states.len() <= evidence.nodes.len() => node = &evidence.nodes[step.target],
            _ => return None,
        }
    }
}

fn random_run(random: &mut Random, reference: &Reference<'_, '_>, start: &State) -> Vec<State> {
    let mut states = vec![start.clone()];
    for _ in 0..random.below(5) {
        match reference.successors(states.last().unwrap()) {
            Ok(successors) if !successors.is_empty() => states.push(random.pick(&successors).clone()),
            _ => break,
        }
    }
    states
}

/// A start state in which a formula fails, with evidence.
fn failing(system: &System<'_>, formula: &Ctl) -> Option<(State, Evidence)> {
    match check(system, formula, &Options::default()).ok()?.verdict {
        Verdict::Violated(Failing { start, evidence }) => Some((start, *evidence)),
        _ => None,
    }
}

#[test]
fn what_a_run_shows_is_so() {
    let mut counts = Counts::default();
    for seed in 0..CASES {
        let random = &mut Random::new(77_000_000 + seed);
        let mut lowered = load_text(&model(random));
        let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("not a safety property") };
        let policy = if random.percent(80) { random_policy(random, &lowered.model, &[]) } else { None };
        let terminal = safety.reach.filter(|_| random.percent(20));
        let Ok(system) = System::new(&lowered.model, policy.as_ref(), &safety.start, terminal, None) else { continue };
        let leaves: Vec<Ctl> = (0..3).map(|_| random_atom(random, &[0, 1, 1, 2, 2, 3])).collect();
        let (depth, steps) = (1 + random.below(3), random.below(4) as u64);
        let formula = random_formula(random, depth, steps, false, &leaves);
        let reference = Reference::new(&system);
        let context = |states: &[State]| format!("seed {seed}: {}\n{states:?}", formula.describe(&lowered.model));
        if let Some((start, evidence)) = failing(&system, &formula) {
            if let Some(states) = path(&evidence) {
                assert_eq!(run_shows(&system, &formula, &states), RunShows::Fails, "{}", context(&states));
                counts.paths += 1;
                // What is cut short shows less, never the opposite.
                for end in 1..states.len() {
                    let shown = run_shows(&system, &formula, &states[..end]);
                    assert_ne!(shown, RunShows::Holds, "{}", context(&states[..end]));
                }
            }
            for _ in 0..5 {
                let states = random_run(random, &reference, &start);
                match run_shows(&system, &formula, &states) {
                    RunShows::Fails => counts.fails += 1,
                    RunShows::Neither { .. } => counts.neither += 1,
                    RunShows::Holds => panic!("it fails there: {}", context(&states)),
                }
            }
        }
        if let Some((start, _)) = failing(&system, &formula.clone().negated()) {
            for _ in 0..5 {
                let states = random_run(random, &reference, &start);
                match run_shows(&system, &formula, &states) {
                    RunShows::Holds => counts.holds += 1,
                    RunShows::Neither { .. } => counts.neither += 1,
                    RunShows::Fails => panic!("it holds there: {}", context(&states)),
                }
            }
        }
    }
    assert!(counts.paths > 100 && counts.fails > 500 && counts.holds > 500 && counts.neither > 100, "{counts:?}");
}
