//! Intervals and decisions against exact values by brute force, on random probabilistic models with networks.

mod boxes;
#[expect(unreachable_pub, reason = "shared by tests")]
mod common;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use common::{ALGORITHMS, ask, fraction, truth};
use surefoot_abstraction::Oracles;
use surefoot_cegar::Strategy;
use surefoot_fixtures::seeds;
use surefoot_limits::Stop;
use surefoot_num::Rational;
use surefoot_oracle::Reference;
use surefoot_probabilistic::{Algorithm, Bounded, Failure, Options};
use surefoot_testkit::{Case, Instance, Size, for_seeds_of, random_chances};

/// What was met over a test.
#[derive(Debug, Default)]
struct Met {
    /// Instances with a value of zero, between, of one; in error; refused.
    values: [u64; 5],
    /// By kind.
    refinements: [u64; 4],
    exact: u64,
    stopped: u64,
    decided: u64,
}

impl Met {
    fn count(&mut self, found: &Bounded) {
        for (sum, more) in self.refinements.iter_mut().zip(found.figures.refinements) {
            *sum += more;
        }
    }
}

/// A bound on memory: enough probable paths of a model that goes round in circles may be too many.
fn limited() -> surefoot_oracle::Limits {
    surefoot_limits::Limits { memory: Some(3 << 20), ..surefoot_limits::Limits::default() }.into()
}

/// What a run must say.
fn check(instance: &Instance, found: &Bounded, value: &Rational, what: &str) {
    assert!(!matches!(found.stopped, Some(Stop::Most(..))), "{what}: stopped by {:?}", found.stopped);
    assert!(found.lower <= *value, "{what}: {} is not below {value}", found.lower);
    assert!(found.upper >= *value, "{what}: {} is not above {value}", found.upper);
    assert!(found.open_fault.is_none() || found.stopped.is_some(), "{what}: {:?}", found.open_fault);
    if let Some(start) = &found.start {
        let exact = truth(instance).expect("there are starts").expect("no errors");
        let own = exact.of(start).expect("a start state");
        assert!(found.lower <= *own, "{what}: {} is not below {own}, the value of its start state", found.lower);
    } else {
        assert!(found.lower == Rational::ZERO, "{what}: a lower bound without a start state");
    }
}

/// The answer; nothing where the model is refused or in error.
fn answer(
    found: Option<Result<Bounded, Failure>>,
    exact: &Result<common::Truth, Box<surefoot_model::ModelError>>,
    met: &mut Met,
    what: &str,
) -> Option<Bounded> {
    match found? {
        Ok(found) => Some(found),
        Err(Failure::Model(_)) => {
            assert!(exact.is_err(), "{what}: an error of the model where there is none");
            met.values[3] += 1;
            None
        }
        Err(Failure::Abstraction(surefoot_abstraction::Failure::NoStart)) => panic!("{what}: there are start states"),
        Err(Failure::Abstraction(_)) => {
            met.values[4] += 1;
            None
        }
        Err(Failure::Internal(message)) => panic!("{what}: {message}"),
    }
}

fn compare(algorithm: Algorithm, first: u64, cases: u64) -> Met {
    let met = RefCell::new(Met::default());
    for_seeds_of(random_chances, seeds(first, cases), &Size { states: 400, ..Size::default() }, |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let Some(exact) = truth(&instance) else { return };
        let oracles = Oracles::seeded(0);
        let step = *random.pick(&[2, 20, 1000]);
        let exact_policy = random.percent(30);
        let (name, strategy) = *random.pick(&Strategy::named());
        let p_init = *random.pick(&[0, 0, 1]);
        let options = Options {
            algorithm,
            precision: fraction(1, step).to_f64(),
            p_step: fraction(1, step),
            p_init: Rational::from(p_init),
            exact_policy,
            strategy,
            seed: random.next_u64(),
            limits: limited(),
            ..Options::default()
        };
        let what = format!("{algorithm:?}, {name}, step 1/{step} from {p_init}, exact policy {exact_policy}");
        let met = &mut *met.borrow_mut();
        let Some(found) = answer(ask(&instance, None, &options, &oracles), &exact, met, &what) else { return };
        met.count(&found);
        let Ok(exact) = &exact else {
            // What is claimed then is claimed of a model without the error; most runs say that there is one.
            met.values[3] += 1;
            return;
        };
        let value = exact.value();
        check(&instance, &found, &value, &what);
        let width = &found.upper - &found.lower;
        met.stopped += u64::from(found.stopped.is_some());
        assert!(
            found.stopped.is_some() || width <= fraction(1, step),
            "{what}: [{}, {}] is too wide",
            found.lower,
            found.upper
        );
        met.exact += u64::from(found.lower == found.upper);
        met.values[if value.is_zero() { 0 } else { 1 + usize::from(value == Rational::ONE) }] += 1;
        // Decisions: at the value, just below, just above.
        let little = fraction(1, *random.pick(&[100, 1_000, 1_000_000_000]));
        for threshold in [value.clone(), &value - &little, &value + &little] {
            if threshold < Rational::ZERO || threshold > Rational::ONE {
                continue;
            }
            let what = format!("{what}, compared with {threshold}");
            let found = ask(&instance, Some(threshold.clone()), &options, &oracles).expect("it was asked before");
            let found = found.unwrap_or_else(|failure| panic!("{what}: {failure}"));
            check(&instance, &found, &value, &what);
            met.count(&found);
            met.stopped += u64::from(found.stopped.is_some());
            met.decided += u64::from(found.stopped.is_none());
            if found.stopped.is_some() {
                continue;
            }
            if value <= threshold {
                assert!(found.upper <= threshold, "{what}: {} is not below it", found.upper);
            } else {
                assert!(found.lower > threshold, "{what}: {} is not above it", found.lower);
            }
        }
    });
    met.into_inner()
}

#[test]
fn intervals_and_decisions_are_those_of_all_states() {
    for algorithm in ALGORITHMS {
        let cases = 400;
        let met = compare(algorithm, 71_000_000, cases);
        let [zero, between, one, error, _] = met.values;
        if algorithm == Algorithm::Paper {
            assert!(met.refinements.iter().all(|kind| *kind > 0), "not all kinds of refinement: {met:?}");
        }
        assert!(met.stopped < met.decided / 10, "{met:?}");
        assert!(zero > 0 && between > cases / 20 && one > 0 && error > 0, "{met:?}");
    }
}

#[test]
fn the_reference_oracle_gives_the_same() {
    for algorithm in ALGORITHMS {
        let met = RefCell::new(Met::default());
        for_seeds_of(
            random_chances,
            seeds(72_000_000, 50),
            &Size { edges: 4, globals: 2, states: 12, ..Size::default() },
            |case: &Case| {
                let mut random = case.random();
                let Some(instance) = Instance::new(case, &mut random) else { return };
                let Some(exact) = truth(&instance) else { return };
                if instance.states.len() > 100 {
                    return;
                }
                // It looks at all values of all variables, and a long path may have many that are chosen.
                let mut limits = limited();
                limits.run.deadline = Some(Instant::now() + Duration::from_secs(1));
                let options = Options { algorithm, precision: 0.05, limits, ..Options::default() };
                let met = &mut *met.borrow_mut();
                let oracles = Oracles::like(Reference::new());
                let Some(found) = answer(ask(&instance, None, &options, &oracles), &exact, met, "reference") else {
                    return;
                };
                let Ok(exact) = &exact else { return };
                check(&instance, &found, &exact.value(), "reference");
                met.values[1] += u64::from(found.stopped.is_none());
            },
        );
        assert!(met.borrow().values[1] > 15, "{met:?}");
    }
}
