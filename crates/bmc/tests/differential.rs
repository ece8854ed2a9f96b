//! Shortest runs and refuted depths against brute force, on random models and policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "../../cegar/tests/brute/mod.rs"]
mod brute;

use std::cell::Cell;

use surefoot_abstraction::Failure;
use surefoot_bmc::{Bmc, BmcOptions, BmcOutcome, bmc};
use surefoot_fixtures::seeds;
use surefoot_limits::{Stop, Unit};
use surefoot_testkit::{Case, Size, for_seeds};
use surefoot_verdict::Silent;

use crate::brute::{Instance, Truth, Verdict};

/// Runs stop here.
const DEPTH: u32 = 5;
const PATHS: usize = 300;

fn check(truth: &Truth<'_>, expected: Verdict, outcome: &BmcOutcome) {
    // Past a state in which a guard has no value, brute force sees nothing.
    let unclear = expected.unclear;
    match outcome {
        BmcOutcome::Unsafe(states) => {
            assert!(unclear || expected.shortest == Some(states.len() - 1), "{expected:?}: {states:?}");
            assert!(unclear || truth.is_run(states), "not a run: {states:?}");
            assert_eq!(truth.holds(truth.property.reach, states.last().unwrap()), Some(true));
        }
        BmcOutcome::Safe { .. } => {
            let clean = Verdict { shortest: None, error: false, unclear: false };
            assert_eq!(expected, clean, "safe, and something is reachable");
        }
        BmcOutcome::Fault(fault, states) => {
            assert!(unclear || expected.error, "{}, and no error is reachable: {states:?}", fault.what);
            assert!(unclear || truth.is_run(states), "not a run: {states:?}");
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
        let truth = instance.truth();
        let expected = truth.verdict();
        let Ok(mut system) = instance.system() else { return };
        let seed = if random.percent(50) { 0 } else { random.next_u64() };
        let options = BmcOptions { depth: Some(DEPTH), paths: Some(PATHS), seed, ..BmcOptions::default() };
        let mut run = |threads: usize| -> Option<Bmc> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            match pool.install(|| bmc(&mut system, &options, &Silent)) {
                Ok(run) => Some(run),
                Err(Failure::NoStart) => {
                    assert!(truth.start.is_empty());
                    None
                }
                Err(Failure::Refused(_)) => None,
            }
        };
        let Some(found) = run(1) else { return };
        check(&truth, expected, &found.outcome);
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
