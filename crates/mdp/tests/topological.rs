//! Solving in topological order against graph analysis of the whole process, and against brute force.
//!
//! Acyclic processes are numbered so that branches lead to later states (then no order is searched for), or in disorder; self-loops are
//! everywhere. Cyclic ones are made of several components, one after the other.

#![allow(clippy::unwrap_used, reason = "tests may, in what they build too")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::{Plan, brute_force, build, chain_values, exactly, plan, sets, until};
use proptest::prelude::*;
use surefoot_mdp::*;
use surefoot_num::Rational;

const BOTH: [Direction; 2] = [Direction::Max, Direction::Min];

/// Turns branches that lead back, so that all lead to later states or to their own.
fn forward(mut plan: Plan) -> Plan {
    let last = plan.len() as u32 - 1;
    for (state, choices) in plan.iter_mut().enumerate() {
        let targets = choices.iter_mut().flat_map(|(_, targets)| targets);
        targets.for_each(|target| *target = if *target < state as u32 { last - *target } else { *target });
        let targets = choices.iter_mut().flat_map(|(_, targets)| targets);
        targets.for_each(|target| *target = (*target).max(state as u32));
    }
    plan
}

/// The same process with its states in reverse order: all branches lead back.
fn backward(plan: &Plan) -> Plan {
    let last = plan.len() as u32 - 1;
    let turn = |choices: &Vec<(usize, Vec<u32>)>| {
        choices.iter().map(|(d, targets)| (*d, targets.iter().map(|target| last - target).collect())).collect()
    };
    plan.iter().rev().map(turn).collect()
}

/// Two processes, the first of which falls into the second instead of its trap.
fn joined(first: Plan, second: &Plan) -> Plan {
    let offset = first.len() as u32;
    let shift = |choices: &Vec<(usize, Vec<u32>)>| {
        choices.iter().map(|(d, targets)| (*d, targets.iter().map(|target| target + offset).collect())).collect()
    };
    let mut plan = first;
    for (_, targets) in plan.iter_mut().flatten() {
        targets.iter_mut().filter(|target| **target + 1 == offset).for_each(|target| *target = offset + 1);
    }
    plan.extend(second.iter().map(shift));
    plan
}

/// Bounds enclose the values, are as precise as asked for, exact at zero and one, and attained.
fn check(mdp: &Mdp, until: &Until, precision: f64, values: impl Fn(Direction) -> Vec<Rational>) {
    let options = Options { precision, ..Options::default() };
    for direction in BOTH {
        let (values, solution) = (values(direction), solve(mdp, direction, until, &options).unwrap());
        let reference = solve_reference(mdp, direction, until, &options).unwrap();
        assert_eq!((solution.ending, reference.ending), (Ending::Precise, Ending::Precise));
        assert_eq!(solution.statistics.maybe_states, reference.statistics.maybe_states);
        assert_eq!(solution.statistics.classes, reference.statistics.classes);
        let choices: Vec<_> = mdp.states().map(|s| solution.scheduler.choice(s)).collect();
        let attained = chain_values(mdp, until, &choices);
        for (s, value) in values.iter().enumerate() {
            let [lower, upper] = [&solution.bounds.lower, &solution.bounds.upper].map(|side| exactly(side[s]));
            assert!(lower <= *value && *value <= upper && &upper - &lower <= exactly(precision));
            let certain = value.is_zero() || *value == Rational::ONE;
            assert_eq!(certain, lower == upper && (lower.is_zero() || lower == Rational::ONE), "{s}: {value}");
            let enough = if direction == Direction::Max { attained[s] >= lower } else { attained[s] <= upper };
            assert!(enough, "{s}: {} is not within {lower} and {upper}", attained[s]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn acyclic_processes(plan in plan(6, 3), sets in sets(), precision in 1e-12f64..0.2) {
        let plan = forward(plan);
        let until = until(plan.len(), sets);
        let mdp = build(&plan);
        check(&mdp, &until, precision, |direction| brute_force(&mdp, direction, &until));
        let mdp = build(&backward(&plan));
        check(&mdp, &until, precision, |direction| brute_force(&mdp, direction, &until));
    }

    #[test]
    fn cyclic_processes(plan in plan(6, 3), sets in sets(), precision in 1e-12f64..0.2) {
        let until = until(plan.len(), sets);
        let mdp = build(&plan);
        check(&mdp, &until, precision, |direction| brute_force(&mdp, direction, &until));
    }

    #[test]
    fn several_components(first in plan(14, 2), second in plan(14, 3), third in plan(8, 2), sets in sets()) {
        let plan = joined(first, &joined(second, &third));
        let (count, mdp) = (plan.len(), build(&plan));
        // Targets are where runs end.
        let last = StateSet::from_members(count, [count as u32 - 2]);
        for until in [until(count, sets), Until::eventually(last)] {
            let exact = |direction| solve_exact(&mdp, direction, &until, &Limits::default()).unwrap().values;
            check(&mdp, &until, 1e-6, exact);
        }
    }

    /// Lost and won at once, on both sides as close as asked for, as by definition.
    #[test]
    fn unknown_states(plan in plan(7, 2), sets in sets(), unknown: u8, precision in 1e-9f64..0.1, accelerate: bool) {
        let mut plan = plan;
        let unknown = StateSet::from_fn(plan.len(), |s| s % 3 > 0 && unknown >> (s % 8) & 1 == 1);
        unknown.iter().for_each(|s| plan[s as usize].clear());
        let (mdp, until) = (build(&plan), until(plan.len(), sets));
        let limits = Limits { max_sweeps: if accelerate { None } else { Some(20) }, ..Limits::default() };
        let options = Options { precision, unknown: Some(unknown.clone()), accelerate, limits, ..Options::default() };
        for direction in BOTH {
            let values = [&until, &until.or_reaching(&unknown)].map(|until| brute_force(&mdp, direction, until));
            let [solution, reference] = [solve, solve_reference].map(|f| f(&mdp, direction, &until, &options).unwrap());
            let choices: Vec<_> = mdp.states().map(|s| solution.scheduler.choice(s)).collect();
            for (s, (lost, won)) in values[0].iter().zip(&values[1]).enumerate() {
                for bounds in [&solution.bounds, &reference.bounds] {
                    let (lower, upper) = (exactly(bounds.lower[s]), exactly(bounds.upper[s]));
                    prop_assert!(lower <= *lost && *won <= upper);
                    if accelerate {
                        prop_assert!(lost - &lower <= exactly(precision) && &upper - won <= exactly(precision));
                    }
                }
            }
            let (side, until) = match direction {
                Direction::Max => (&solution.bounds.lower, until.clone()),
                Direction::Min => (&solution.bounds.upper, until.or_reaching(&unknown)),
            };
            for (attained, bound) in chain_values(&mdp, &until, &choices).iter().zip(side) {
                let enough = match direction {
                    Direction::Max => *attained >= exactly(*bound),
                    Direction::Min => *attained <= exactly(*bound),
                };
                prop_assert!(enough);
            }
        }
    }

    #[test]
    fn warm_starts_that_cannot_be_sound_are_noticed(plan in plan(6, 2), sets in sets(), state in 0u32..5) {
        let mdp = build(&forward(plan));
        let (until, s) = (until(mdp.num_states(), sets), state as usize % mdp.num_states());
        for direction in BOTH {
            let known = solve(&mdp, direction, &until, &Options::default()).unwrap().bounds;
            let mut warm = Bounds::unknown(mdp.num_states());
            let up = known.upper[s] < 0.5;
            (warm.lower[s], warm.upper[s]) = if up { (0.9, 1.0) } else { (0.0, 0.1) };
            let wrong = if up { known.upper[s] < 0.9 } else { known.lower[s] > 0.1 };
            let options = Options { warm_start: Some(warm), ..Options::default() };
            prop_assert_eq!(solve(&mdp, direction, &until, &options).is_err(), wrong);
        }
    }
}

/// Layers of states that lead to the next layers, with two choices in every third state.
fn layers(width: u32, layers: u32) -> Mdp {
    let (states, mut seed) = (width * layers, 7u64);
    let mut draw = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32 % below
    };
    let mut builder = MdpBuilder::new();
    for state in 0..states {
        builder.begin_state().unwrap();
        let next = (state / width + 1) * width;
        let choices = if next + 2 > states { 0 } else { 1 + u32::from(state % 3 == 0) };
        for _ in 0..choices {
            builder.begin_choice().unwrap();
            for probability in ["0.3", "0.6"] {
                builder.branch_exact(next + draw(states - next), &common::r(probability)).unwrap();
            }
            builder.branch_exact(if draw(2) == 0 { state } else { next }, &common::r("0.1")).unwrap();
        }
    }
    builder.finish().unwrap()
}

#[test]
fn threads_change_no_bit() {
    let mdp = layers(6_000, 5);
    let targets = (mdp.num_states() as u32 - 6_000..mdp.num_states() as u32).filter(|s| s % 2 == 0);
    let until = Until::eventually(StateSet::from_members(mdp.num_states(), targets));
    for direction in BOTH {
        let with = |threads| solve(&mdp, direction, &until, &Options { threads, ..Options::default() }).unwrap();
        let (one, reference) = (with(1), solve_reference(&mdp, direction, &until, &Options::default()).unwrap());
        assert!(one.statistics.maybe_states > 10_000);
        assert_eq!(one.statistics.maybe_states, reference.statistics.maybe_states);
        for threads in [2, 3, 8] {
            let many = with(threads);
            assert_eq!((&many.bounds, &many.scheduler), (&one.bounds, &one.scheduler));
        }
        for s in 0..mdp.num_states() {
            assert!(
                one.bounds.lower[s] <= reference.bounds.upper[s] && reference.bounds.lower[s] <= one.bounds.upper[s]
            );
            assert!(one.bounds.upper[s] - one.bounds.lower[s] < 1e-12);
        }
    }
}

/// What is needed is known before: with less it ends at once or on the way, with sound bounds and the reason; with that much it does not.
#[test]
fn memory_is_counted_before_it_is_taken() {
    let ring = |size: u32| -> Plan {
        let step = |state: u32| vec![(4, vec![(state + 1) % size, (state * 7) % size, size + state % 2, 0])];
        (0..size).map(step).chain([vec![], vec![]]).collect()
    };
    for (mdp, target) in [(layers(600, 5), 2_500), (build(&ring(500)), 500)] {
        let until = Until::eventually(StateSet::from_members(mdp.num_states(), [target]));
        let enough = solving_bytes(mdp.num_states(), mdp.num_choices(), mdp.num_branches());
        for direction in BOTH {
            let with = |memory: usize| {
                let run = surefoot_limits::Limits { memory: Some(memory), ..Default::default() };
                let limits = Limits { run, ..Limits::default() };
                solve(&mdp, direction, &until, &Options { limits, ..Options::default() }).unwrap()
            };
            let full = with(enough);
            assert_eq!(full.ending, Ending::Precise);
            let mut endings = Vec::new();
            for tenth in 0..10 {
                let part = with(enough * tenth / 10);
                assert!(
                    part.ending == Ending::Precise || part.ending == Ending::Stopped(surefoot_limits::Stop::Memory)
                );
                endings.push(part.ending == Ending::Precise);
                for s in 0..mdp.num_states() {
                    assert!(
                        part.bounds.lower[s] <= full.bounds.lower[s] && full.bounds.upper[s] <= part.bounds.upper[s]
                    );
                }
            }
            assert!(!endings[0] && endings.is_sorted(), "{endings:?}");
        }
    }
}
