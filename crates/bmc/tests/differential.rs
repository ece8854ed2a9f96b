//! Shortest runs and refuted depths against brute force, on random models and policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::Cell;

use surefoot_abstraction::{Failure, System};
use surefoot_bmc::{Bmc, BmcOptions, BmcOutcome, bmc};
use surefoot_fixtures::seeds;
use surefoot_limits::{Stop, Unit};
use surefoot_model::State;
use surefoot_testkit::{Case, Instance, Size, Verdict, for_seeds};
use surefoot_verdict::Silent;

/// Runs stop here.
const DEPTH: u32 = 5;
const PATHS: usize = 300;

fn check(instance: &Instance, expected: Verdict, outcome: &BmcOutcome) {
    let is_run = |states: &[State]| instance.starts().contains(&states[0]) && instance.truth().are_steps(states);
    // Past a state in which a guard has no value, brute force sees nothing.
    let unclear = expected.unclear;
    match outcome {
        BmcOutcome::Unsafe(states) => {
            assert!(unclear || expected.shortest == Some(states.len() - 1), "{expected:?}: {states:?}");
            assert!(unclear || is_run(states), "not a run: {states:?}");
            assert!(instance.truth().step(states.last().unwrap()).reached);
        }
        BmcOutcome::Safe { .. } => {
            assert_eq!(expected, Verdict::CLEAN, "safe, and something is reachable");
        }
        BmcOutcome::Fault(fault, states) => {
            assert!(unclear || expected.error, "{}, and no error is reachable: {states:?}", fault.what);
            assert!(unclear || is_run(states), "not a run: {states:?}");
        }
        BmcOutcome::Open { .. } => panic!("{outcome:?} without limits"),
        BmcOutcome::Unknown { refuted, stop } => {
            let refuted = refuted.unwrap();
            assert!(expected.shortest.is_none_or(|s| s > refuted as usize), "{refuted} is not refuted: {expected:?}");
            match stop {
                Stop::Most(Unit::Steps, depth) => assert_eq!((*depth, refuted), (u64::from(DEPTH), DEPTH)),
                Stop::Most(Unit::Paths, paths) => assert_eq!(*paths, PATHS as u64),
                other => panic!("{other:?} without such a limit"),
            }
        }
    }
}

fn compare(first: u64, cases: u64) {
    let (safe, violated, bounded) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    for_seeds(seeds(first, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let starts = instance.starts();
        let expected = instance.truth().verdict(starts.clone());
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        let seed = if random.percent(50) { 0 } else { random.next_u64() };
        let options = BmcOptions { depth: Some(DEPTH), paths: Some(PATHS), seed, ..BmcOptions::default() };
        let mut run = |threads: usize| -> Option<Bmc> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            match pool.install(|| bmc(&mut system, &options, &Silent)) {
                Ok(run) => Some(run),
                Err(Failure::NoStart) => {
                    assert!(starts.is_empty());
                    None
                }
                Err(Failure::Refused(_)) => None,
            }
        };
        let Some(found) = run(1) else { return };
        check(&instance, expected, &found.outcome);
        let counter = match &found.outcome {
            BmcOutcome::Unsafe(_) => &violated,
            BmcOutcome::Safe { .. } | BmcOutcome::Fault(..) => &safe,
            BmcOutcome::Unknown { .. } | BmcOutcome::Open { .. } => &bounded,
        };
        counter.set(counter.get() + 1);
        if random.percent(20) {
            let again = run(3).unwrap();
            assert_eq!(format!("{:?}", found.outcome), format!("{:?}", again.outcome), "with other threads");
            assert_eq!(found.figures, again.figures, "with other threads");
        }
    });
    let least = cases / 20;
    let found = (safe.get(), violated.get(), bounded.get());
    assert!(found.0 > least && found.1 > least && found.2 > least, "{found:?} complete, unsafe, bounded");
}

#[test]
fn shortest_runs_are_those_of_brute_force() {
    compare(33_000_000, 150);
}
