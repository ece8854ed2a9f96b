//! Explicit values and boxes against brute force in fractions, on random models and policies, in all settings.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::RefCell;

use surefoot_abstraction::Oracles;
use surefoot_fixtures::{Random, seeds};
use surefoot_mdp::Direction;
use surefoot_model::policy::Ties;
use surefoot_num::Rational;
use surefoot_oracle::Reference;
use surefoot_probabilistic::{Algorithm, Bounded, Failure, Options};
use surefoot_testkit::{Case, Instance, Size, for_seeds, for_seeds_of, random_chances};

use crate::common::{ask_in, fraction, truth_of};

/// How often something happened.
#[derive(Debug, Default)]
struct Seen {
    compared: u64,
    between: u64,
    cut: u64,
    errors: u64,
    open: u64,
    refused: u64,
}

/// Settings that leave all, some or nothing to the abstraction.
fn settings(random: &mut Random) -> Vec<Options> {
    let mut all = Vec::new();
    for explicit_values in [None, Some(0), Some(2)] {
        for concrete_states in [None, Some(0), Some(1 + random.below(8))] {
            all.push(Options {
                algorithm: Algorithm::Boxes,
                precision: 1e-6,
                explicit_values,
                concrete_states,
                ..Options::default()
            });
        }
    }
    all
}

fn best(values: &[Rational], direction: Direction) -> Rational {
    let best = if direction == Direction::Max { values.iter().max() } else { values.iter().min() };
    best.unwrap().clone()
}

fn check(instance: &Instance, random: &mut Random, seen: &mut Seen) {
    for direction in [Direction::Max, Direction::Min] {
        let Some(truth) = truth_of(instance, direction) else { return };
        for options in settings(random) {
            let what = format!(
                "{direction:?}, explicit {:?}, concrete {:?}",
                options.explicit_values, options.concrete_states
            );
            let Some(found) = ask_in(instance, direction, None, &options, &Oracles::seeded(0)) else { return };
            let found: Bounded = match (found, &truth) {
                (Ok(found), _) => found,
                (Err(Failure::Abstraction(_)), _) => {
                    seen.refused += 1;
                    return;
                }
                (Err(Failure::Model(_)), Err(_)) => {
                    seen.errors += 1;
                    continue;
                }
                (Err(failure), _) => panic!("{what}: {failure:?}"),
            };
            let Ok(truth) = &truth else {
                // An error is reached: it must be found, and without the states for that not be passed over in silence.
                assert!(options.concrete_states.is_some(), "{what}: an error is reached, and bounds are {found:?}");
                let nothing_said = found.stopped.is_some()
                    && if direction == Direction::Max { found.upper == Rational::ONE } else { found.lower.is_zero() };
                assert!(
                    found.open_fault.is_some() || nothing_said,
                    "{what}: an error is reached, and bounds are {found:?}"
                );
                seen.errors += 1;
                continue;
            };
            let value = best(&truth.values[..truth.starts], direction);
            assert!(found.lower <= value && value <= found.upper, "{what}: {value} is not in {found:?}");
            if found.open_fault.is_some() {
                seen.open += 1;
                continue;
            }
            // What the model attains is shown by concrete states; without enough of them the abstraction closes on the value from its side.
            let distance = if options.concrete_states.is_none() {
                assert!(found.stopped.is_none(), "{what}: {:?} without limits", found.stopped);
                &found.upper - &found.lower
            } else if direction == Direction::Max {
                &found.upper - &value
            } else {
                &value - &found.lower
            };
            // Where ties leave several labels, one of them without a move, a run might stop for all the cells know.
            let ties = instance.policy.as_ref().is_some_and(|policy| policy.ties != Ties::First);
            let coarse = direction == Direction::Min && ties && options.concrete_states.is_some();
            assert!(coarse || distance <= fraction(1, 1_000_000), "{what}: {found:?} for {value}");
            if let Some(start) = &found.start {
                let own = truth.of(start).unwrap_or_else(|| panic!("{what}: not a start state"));
                let attained = if direction == Direction::Max { *own >= found.lower } else { *own <= found.upper };
                assert!(attained, "{what}: {own} is what {start:?} attains");
            }
            seen.compared += 1;
            seen.between += u64::from(!value.is_zero() && value != Rational::ONE);
            seen.cut += u64::from(found.figures.predicates > 0);
            let near = fraction(1, 1_000_000_000);
            for (threshold, holds) in [(value.clone(), true), (&value - &near, false), (&value + &near, true)] {
                let holds = if direction == Direction::Max { holds } else { threshold <= value };
                if threshold.signum() < 0 || threshold > Rational::ONE {
                    continue;
                }
                let found = ask_in(instance, direction, Some(threshold.clone()), &options, &Oracles::seeded(0))
                    .unwrap()
                    .unwrap();
                if found.open_fault.is_some() {
                    continue;
                }
                let decided = match direction {
                    Direction::Max if found.upper <= threshold => Some(true),
                    Direction::Max if found.lower > threshold => Some(false),
                    Direction::Min if found.lower >= threshold => Some(true),
                    Direction::Min if found.upper < threshold => Some(false),
                    _ => None,
                };
                // A violation needs concrete states.
                let open = decided.is_none() && (!holds || coarse) && options.concrete_states.is_some();
                assert!(open || decided == Some(holds), "{what}: {value} and {threshold}: {found:?}");
            }
        }
    }
}

fn compare(chances: bool, first: u64, cases: u64) {
    let seen = RefCell::new(Seen::default());
    let one = |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        check(&instance, &mut random, &mut seen.borrow_mut());
    };
    let size = Size { states: 400, ..Size::default() };
    if chances {
        for_seeds_of(random_chances, seeds(first, cases), &size, one);
    } else {
        for_seeds(seeds(first, cases), &size, one);
    }
    let seen = seen.into_inner();
    // Other models mostly reach with certainty, or never.
    let between = if chances { cases / 2 } else { 0 };
    assert!(seen.compared > 2 * cases && seen.cut > cases / 2 && seen.between >= between, "{seen:?}");
    assert!(seen.open * 20 < seen.compared, "errors of the model are mostly excluded: {seen:?}");
}

#[test]
fn intervals_contain_the_value_and_close_on_models_with_chances() {
    compare(true, 81_000_000, 60);
}

#[test]
fn intervals_contain_the_value_and_close_on_all_kinds_of_models() {
    compare(false, 82_000_000, 60);
}

/// The reference oracle looks at all states for every question.
#[test]
fn the_reference_oracle_gives_the_same_value() {
    let size = Size { edges: 4, states: 30, ..Size::default() };
    let compared = RefCell::new(0);
    for_seeds_of(random_chances, seeds(83_000_000, 40), &size, |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random).filter(|instance| instance.states.len() <= 60) else {
            return;
        };
        let Some(Ok(truth)) = truth_of(&instance, Direction::Max) else { return };
        let options = Options { explicit_values: Some(0), concrete_states: Some(0), ..Options::default() };
        let oracles = Oracles::like(Reference::new());
        let Some(Ok(found)) = ask_in(&instance, Direction::Max, None, &options, &oracles) else { return };
        let value = truth.value();
        assert!(found.lower <= value && value <= found.upper, "{value} is not in {found:?}");
        *compared.borrow_mut() += 1;
    });
    assert!(*compared.borrow() > 10, "{compared:?}");
}
