//! Step-bounded until against a recursion over all histories.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::{build, exactly, plan, process, sets, until};
use proptest::prelude::*;
use surefoot_mdp::*;
use surefoot_num::Rational;

/// The definition, without remembering anything: the best choice now, the best in each history later.
fn recursion(mdp: &Mdp, direction: Direction, until: &Until, state: u32, steps: u64) -> Rational {
    if until.is_right(state) {
        return Rational::ONE;
    }
    if steps == 0 || !until.is_open(state) {
        return Rational::ZERO;
    }
    let expected = mdp.choices(state).map(|choice| {
        let later = |b: &Branch| mdp.exact(*b) * &recursion(mdp, direction, until, b.target, steps - 1);
        mdp.branches(choice).iter().map(later).sum::<Rational>()
    });
    let best = match direction {
        Direction::Max => expected.max(),
        Direction::Min => expected.min(),
    };
    best.unwrap_or(Rational::ZERO)
}

proptest! {
    #[test]
    fn bounded_values_are_those_of_the_recursion(plan in plan(5, 2), sets in sets(), steps in 0u64..4) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in [Direction::Max, Direction::Min] {
            let exact = solve_bounded_exact(&mdp, direction, &until, steps, &Limits::default()).unwrap().unwrap();
            let floats = solve_bounded(&mdp, direction, &until, steps, &Limits::default()).unwrap();
            prop_assert!(floats.complete);
            for (s, value) in exact.iter().enumerate() {
                prop_assert_eq!(value, &recursion(&mdp, direction, &until, s as u32, steps));
                let (lower, upper) = (floats.bounds.lower[s], floats.bounds.upper[s]);
                prop_assert!(exactly(lower) <= *value && *value <= exactly(upper));
                prop_assert!(upper - lower < 1e-13);
            }
        }
    }

    #[test]
    fn many_steps_stay_below_no_bound(plan in plan(6, 3), sets in sets()) {
        let mdp = build(&plan);
        let until = until(plan.len(), sets);
        for direction in [Direction::Max, Direction::Min] {
            let exact = solve_exact(&mdp, direction, &until, &Limits::default()).unwrap().values;
            let floats = solve_bounded(&mdp, direction, &until, 1000, &Limits::default()).unwrap();
            for (s, value) in exact.iter().enumerate() {
                prop_assert!(exactly(floats.bounds.lower[s]) <= *value);
            }
        }
    }
}

#[test]
fn an_expired_deadline_leaves_sound_bounds() {
    let mdp = process(&[&[&[(0, "1/2"), (1, "1/2")]], &[]]);
    let until = Until::eventually(StateSet::from_members(2, [1]));
    let limits =
        Limits { run: surefoot_limits::Limits::default().until(Some(std::time::Instant::now())), ..Limits::default() };
    let floats = solve_bounded(&mdp, Direction::Max, &until, 5, &limits).unwrap();
    assert!(!floats.complete);
    assert_eq!((floats.bounds.lower[0], floats.bounds.upper[0]), (0.0, 1.0));
    assert_eq!(solve_bounded_exact(&mdp, Direction::Max, &until, 5, &limits).unwrap(), None);
}

#[test]
fn certain_and_impossible_within_the_bound_are_exact() {
    let mdp = process(&[&[&[(1, "1/3"), (2, "2/3")]], &[&[(3, "1")]], &[&[(3, "3/10"), (3, "7/10")]], &[]]);
    let until = Until::eventually(StateSet::from_members(4, [3]));
    for direction in [Direction::Max, Direction::Min] {
        for (steps, value) in [(0, 0.0), (1, 0.0), (2, 1.0), (9, 1.0)] {
            let floats = solve_bounded(&mdp, direction, &until, steps, &Limits::default()).unwrap();
            assert_eq!((floats.bounds.lower[0], floats.bounds.upper[0]), (value, value), "{steps} steps");
        }
    }
}
