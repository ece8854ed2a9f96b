//! Shortest runs and refuted depths against brute force, on random models and policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::Cell;

use surefoot_abstraction::{Failure, Oracles, System};
use surefoot_bmc::{Bmc, Options, Outcome, bmc};
use surefoot_fixtures::seeds;
use surefoot_limits::{Stop, Unit};
use surefoot_model::State;
use surefoot_oracle::{FullOracle, Reference};
use surefoot_testkit::{Case, Instance, Size, Verdict, for_seeds};
use surefoot_verdict::Silent;

/// Runs stop here.
const DEPTH: u32 = 5;
/// Those of the reference oracle here.
const SHALLOW: u32 = 3;
const PATHS: usize = 300;
/// On models with more states the reference oracle is not asked: it looks at all of them, and at all choices, for every question.
const MOST_FOR_REFERENCE: usize = 100;

fn check(instance: &Instance, expected: Verdict, most: u32, outcome: &Outcome) {
    let is_run = |states: &[State]| instance.starts().contains(&states[0]) && instance.truth().are_steps(states);
    // Past a state in which a guard has no value, brute force sees nothing.
    let unclear = expected.unclear;
    match outcome {
        Outcome::Unsafe(states) => {
            assert!(unclear || expected.shortest == Some(states.len() - 1), "{expected:?}: {states:?}");
            assert!(unclear || is_run(states), "not a run: {states:?}");
            assert!(instance.truth().step(states.last().unwrap()).reached);
        }
        Outcome::Safe { .. } => {
            assert_eq!(expected, Verdict::CLEAN, "safe, and something is reachable");
        }
        Outcome::Fault(fault, states) => {
            assert!(unclear || expected.error, "{}, and no error is reachable: {states:?}", fault.what);
            assert!(unclear || is_run(states), "not a run: {states:?}");
        }
        Outcome::Open { .. } => panic!("{outcome:?} without limits"),
        Outcome::Unknown { refuted, stop } => {
            let refuted = refuted.unwrap();
            assert!(expected.shortest.is_none_or(|s| s > refuted as usize), "{refuted} is not refuted: {expected:?}");
            match stop {
                Stop::Most(Unit::Steps, depth) => assert_eq!((*depth, refuted), (u64::from(most), most)),
                Stop::Most(Unit::Paths, paths) => assert_eq!(*paths, PATHS as u64),
                other => panic!("{other:?} without such a limit"),
            }
        }
    }
}

/// What a run ends with; nothing where there is none.
fn run<O: FullOracle>(
    system: &mut System<'_>,
    starts: &[State],
    depth: u32,
    oracles: &Oracles<O>,
    threads: usize,
) -> Option<Bmc> {
    let options = Options { depth: Some(depth), paths: Some(PATHS), ..Options::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    match pool.install(|| bmc(system, &options, oracles, &Silent)) {
        Ok(run) => Some(run),
        Err(Failure::NoStart) => {
            assert!(starts.is_empty());
            None
        }
        Err(Failure::Refused(_)) => None,
    }
}

/// An outcome without the states of its run, which are others with another oracle.
fn without_states(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Unsafe(states) => format!("unsafe after {} steps", states.len() - 1),
        Outcome::Fault(fault, _) => fault.what.clone(),
        other => format!("{other:?}"),
    }
}

fn compare(first: u64, cases: u64, curved: bool) {
    let (safe, violated, bounded) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    let asked_reference = Cell::new(0u64);
    for_seeds(seeds(first, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let Some(instance) = (if curved { instance.curved(&mut random) } else { Some(instance) }) else { return };
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let starts = instance.starts();
        let expected = instance.truth().verdict(starts.clone());
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        let seed = if random.percent(50) { 0 } else { random.next_u64() };
        let oracles = Oracles::seeded(seed);
        let Some(found) = run(&mut system, &starts, DEPTH, &oracles, 1) else { return };
        check(&instance, expected, DEPTH, &found.outcome);
        if instance.states.len() <= MOST_FOR_REFERENCE {
            asked_reference.set(asked_reference.get() + 1);
            let fast = run(&mut system, &starts, SHALLOW, &oracles, 1).unwrap();
            let slow = run(&mut system, &starts, SHALLOW, &Oracles::like(Reference::new()), 1).unwrap();
            check(&instance, expected, SHALLOW, &slow.outcome);
            assert_eq!(without_states(&slow.outcome), without_states(&fast.outcome), "by the reference oracle");
        }
        let counter = match &found.outcome {
            Outcome::Unsafe(_) => &violated,
            Outcome::Safe { .. } | Outcome::Fault(..) => &safe,
            Outcome::Unknown { .. } | Outcome::Open { .. } => &bounded,
        };
        counter.set(counter.get() + 1);
        if random.percent(20) {
            let again = run(&mut system, &starts, DEPTH, &oracles, 3).unwrap();
            assert_eq!(format!("{:?}", found.outcome), format!("{:?}", again.outcome), "with other threads");
            assert_eq!(found.figures, again.figures, "with other threads");
        }
    });
    let least = cases / 20;
    assert!(asked_reference.get() > least, "{} by the reference oracle", asked_reference.get());
    let found = (safe.get(), violated.get(), bounded.get());
    assert!(found.0 > least && found.1 > least && found.2 > least, "{found:?} complete, unsafe, bounded");
}

#[test]
fn shortest_runs_are_those_of_brute_force() {
    compare(33_000_000, 150, false);
}

#[test]
fn shortest_runs_of_smooth_policies_are_those_of_brute_force() {
    compare(35_000_000, 60, true);
}
