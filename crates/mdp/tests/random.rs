//! Random small processes against brute force: enclosure always, precision when claimed, schedulers that attain.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::{brute_force, build, chain_values, exactly, plan, sets, slow_plan, until};
use proptest::prelude::*;
use surefoot_mdp::*;

/// Per property; `PROPTEST_CASES` is not read, so that every machine runs the same number.
const CASES: u32 = 400;

const BOTH: [Direction; 2] = [Direction::Max, Direction::Min];

fn attained(mdp: &Mdp, until: &Until, scheduler: &Scheduler) -> Vec<surefoot_num::Rational> {
    let choices: Vec<_> = (0..mdp.num_states() as u32).map(|s| scheduler.choice(s)).collect();
    chain_values(mdp, until, &choices)
}

/// The generator must not be made of trivial cases: most processes need arithmetic, many have cycles and
/// end components among the states that do.
#[test]
fn the_generator_is_not_trivial() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut arithmetic, mut cycles, mut collapsed, mut accelerated) = (0, 0, 0, 0);
    for _ in 0..400 {
        let (plan, sets) = (plan(6, 3), sets()).new_tree(&mut runner).unwrap().current();
        let until = until(plan.len(), sets);
        for direction in BOTH {
            let seen = solve(&build(&plan), direction, &until, &Options::default()).unwrap().statistics;
            arithmetic += u32::from(seen.classes > 0);
            cycles += u32::from(seen.largest_component > 1);
            collapsed += u32::from(seen.classes < seen.maybe_states);
            accelerated += u32::from(seen.accelerated > 0);
        }
    }
    let seen = [arithmetic, cycles, collapsed, accelerated];
    assert!(seen.iter().zip([300, 100, 10, 5]).all(|(seen, wanted)| *seen > wanted), "{seen:?}");
}

#[test]
fn slow_processes_are_slow() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut accelerated, mut exact) = (0, 0);
    for _ in 0..400 {
        let plan = slow_plan(3..=7).new_tree(&mut runner).unwrap().current();
        let until = Until::eventually(StateSet::from_members(plan.len(), [plan.len() as u32 - 2]));
        let seen = solve(&build(&plan), Direction::Max, &until, &Options::default()).unwrap().statistics;
        accelerated += u32::from(seen.accelerated > 0);
        exact += u32::from(seen.exact_components > 0);
    }
    assert!(accelerated > 100 && exact > 10, "{accelerated} {exact}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn exact_values_are_those_of_the_best_scheduler(plan in plan(6, 3), sets in sets()) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in BOTH {
            let expected = brute_force(&mdp, direction, &until);
            let solution = solve_exact(&mdp, direction, &until, &Limits::default()).unwrap();
            prop_assert_eq!(&solution.values, &expected);
            prop_assert_eq!(&attained(&mdp, &until, &solution.scheduler), &expected);
        }
    }

    #[test]
    fn bounds_enclose_and_schedulers_attain(
        plan in plan(6, 3), sets in sets(), precision in 1e-12f64..0.2, accelerate: bool,
        max_sweeps in 1u64..300, only in 0u32..6, select: bool,
    ) {
        let mdp = build(&plan);
        let n = plan.len() as u32;
        let until = until(plan.len(), sets);
        let initial = select.then(|| vec![only % n]);
        let asked: Vec<u32> = initial.clone().unwrap_or_else(|| (0..n).collect());
        let max_sweeps = if accelerate { None } else { Some(max_sweeps) };
        let limits = Limits { max_sweeps, ..Limits::default() };
        let options = Options { precision, accelerate, limits, initial, ..Options::default() };
        for direction in BOTH {
            let expected = brute_force(&mdp, direction, &until);
            let solution = solve(&mdp, direction, &until, &options).unwrap();
            let Bounds { lower, upper } = &solution.bounds;
            for s in 0..plan.len() {
                prop_assert!(exactly(lower[s]) <= expected[s] && expected[s] <= exactly(upper[s]));
            }
            if solution.ending == Ending::Precise {
                for &s in &asked {
                    let width = &exactly(upper[s as usize]) - &exactly(lower[s as usize]);
                    prop_assert!(width <= exactly(precision));
                }
            } else {
                // Six states at most: what floats cannot do, exact arithmetic does.
                prop_assert!(!accelerate, "{:?}", solution);
            }
            let attained = attained(&mdp, &until, &solution.scheduler);
            for &s in &asked {
                let s = s as usize;
                match direction {
                    Direction::Max => prop_assert!(attained[s] >= exactly(lower[s])),
                    Direction::Min => prop_assert!(attained[s] <= exactly(upper[s])),
                }
            }
        }
    }

    #[test]
    fn slow_processes_are_accelerated_soundly(plan in slow_plan(3..=7), precision in 1e-7f64..1e-3) {
        let mdp = build(&plan);
        let until = Until::eventually(StateSet::from_members(plan.len(), [plan.len() as u32 - 2]));
        for direction in BOTH {
            let expected = brute_force(&mdp, direction, &until);
            let solution = solve(&mdp, direction, &until, &Options { precision, ..Options::default() }).unwrap();
            let attained = attained(&mdp, &until, &solution.scheduler);
            prop_assert_eq!(solution.ending, Ending::Precise);
            for (s, value) in expected.iter().enumerate() {
                let (lower, upper) = (exactly(solution.bounds.lower[s]), exactly(solution.bounds.upper[s]));
                prop_assert!(lower <= *value && *value <= upper && &upper - &lower <= exactly(precision));
                let enough = if direction == Direction::Max { attained[s] >= lower } else { attained[s] <= upper };
                prop_assert!(enough);
            }
        }
    }

    #[test]
    fn warm_starts_only_tighten(plan in plan(6, 3), sets in sets(), slack in 0.0f64..0.5) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in BOTH {
            let expected = brute_force(&mdp, direction, &until);
            let cold = solve(&mdp, direction, &until, &Options::default()).unwrap().bounds;
            let warm = Bounds {
                lower: cold.lower.iter().map(|x| (x - slack).max(0.0)).collect(),
                upper: cold.upper.iter().map(|x| (x + slack).min(1.0)).collect(),
            };
            let limits = Limits { max_sweeps: Some(1), ..Limits::default() };
            let options = Options { warm_start: Some(warm.clone()), limits, accelerate: false, ..Options::default() };
            let solution = solve(&mdp, direction, &until, &options).unwrap();
            for (s, value) in expected.iter().enumerate() {
                let (lower, upper) = (solution.bounds.lower[s], solution.bounds.upper[s]);
                prop_assert!(warm.lower[s] <= lower && upper <= warm.upper[s]);
                prop_assert!(exactly(lower) <= *value && *value <= exactly(upper));
            }
        }
    }

    #[test]
    fn graph_analysis_agrees_with_its_definitions(
        plan in plan(9, 3), sets in sets(), left: u32, right: u32,
    ) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        let predecessors = Predecessors::new(&mdp);
        for direction in BOTH {
            prop_assert_eq!(
                qualitative(&mdp, &predecessors, direction, &until, &|| false),
                Some(qualitative_reference(&mdp, direction, &until))
            );
        }
        let include = |s: u32| left >> s & 1 == 1 || left & 1 << 30 == 0;
        let within = StateSet::from_fn(plan.len(), include);
        let found = maximal_end_components(&mdp, &predecessors, &within);
        prop_assert_eq!(&found.components, &maximal_end_components_reference(&mdp, &within));
        let inner = |c: u32| {
            let home = found.components.iter().find(|m| m.contains(&predecessors.owner(c)));
            home.is_some_and(|home| mdp.branches(c).iter().all(|b| home.contains(&b.target)))
        };
        prop_assert_eq!(&found.inner_choices, &StateSet::from_fn(mdp.num_choices(), inner));

        let admit = |c: u32| right >> (c % 32) & 1 == 1;
        let components = strong_components(&mdp, include, admit);
        let mut sorted: Vec<Vec<u32>> = components.iter().map(|c| {
            let mut c = c.to_vec();
            c.sort_unstable();
            c
        }).collect();
        // Successors first: no edge leads to a later component.
        for (index, component) in sorted.iter().enumerate() {
            for choice in component.iter().flat_map(|&s| mdp.choices(s)).filter(|&c| admit(c)) {
                for branch in mdp.branches(choice) {
                    prop_assert!(sorted[index + 1..].iter().all(|later| !later.contains(&branch.target)));
                }
            }
        }
        sorted.sort_unstable();
        prop_assert_eq!(sorted, strong_components_reference(&mdp, include, admit));
    }

    #[test]
    fn certainty_is_where_the_values_say(plan in plan(6, 3), sets in sets()) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in BOTH {
            let values = brute_force(&mdp, direction, &until);
            let known = qualitative(&mdp, &Predecessors::new(&mdp), direction, &until, &|| false);
            let Qualitative { zero, one } = known.unwrap();
            for (s, value) in values.iter().enumerate() {
                prop_assert_eq!(zero.contains(s as u32), value.is_zero());
                prop_assert_eq!(one.contains(s as u32), *value == surefoot_num::Rational::ONE);
            }
        }
    }

    #[test]
    fn larger_processes_agree_with_exact_ones(plan in plan(40, 3), sets in sets()) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in BOTH {
            let exact = solve_exact(&mdp, direction, &until, &Limits::default()).unwrap();
            let chain = mdp.induced_chain(&exact.scheduler);
            let of_scheduler = solve_exact(&chain, direction, &until, &Limits::default()).unwrap();
            prop_assert_eq!(&of_scheduler.values, &exact.values);
            let solution = solve(&mdp, direction, &until, &Options::default()).unwrap();
            prop_assert_eq!(solution.ending, Ending::Precise);
            for (s, value) in exact.values.iter().enumerate() {
                prop_assert!(exactly(solution.bounds.lower[s]) <= *value);
                prop_assert!(*value <= exactly(solution.bounds.upper[s]));
            }
        }
    }
}
