//! Processes on which value iteration is wrong or slow, each with its exact value.

#![allow(clippy::unwrap_used, reason = "tests may, in what they build too")]
#![expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

mod common;

use std::time::{Duration, Instant};

use common::{exactly, process, r};
use surefoot_limits::{Stop, Unit};
use surefoot_mdp::*;
use surefoot_num::Rational;

fn eventually(mdp: &Mdp, targets: &[u32]) -> Until {
    Until::eventually(StateSet::from_members(mdp.num_states(), targets.iter().copied()))
}

/// Solves with floats and exactly, and checks both against the value of state 0.
fn check(mdp: &Mdp, direction: Direction, until: &Until, value: &Rational, options: &Options) -> Solution {
    let solution = solve(mdp, direction, until, options).unwrap();
    let (lower, upper) = (solution.bounds.lower[0], solution.bounds.upper[0]);
    assert!(exactly(lower) <= *value && *value <= exactly(upper), "{lower} {value} {upper}");
    assert_eq!(solution.ending, Ending::Precise, "{:?} {lower} {upper}", solution.statistics);
    assert!(upper - lower <= options.precision);
    let exact = solve_exact(mdp, direction, until, &Limits::default()).unwrap();
    assert_eq!(exact.values[0], *value);
    solution
}

/// The chain of Haddad & Monmege: left or right with 1/2, back to the middle unless `n` steps in a row go the same
/// way; the first step goes right with `p`. State 0 is the middle, `1..=n` right (`n` the target), then left.
fn haddad_monmege(n: u32, p: &str) -> Mdp {
    let mut builder = MdpBuilder::new();
    let (p, half) = (r(p), r("1/2"));
    builder.begin_state().unwrap();
    builder.begin_choice().unwrap();
    builder.branch_exact(1, &p).unwrap();
    builder.branch_exact(n + 1, &(&Rational::ONE - &p)).unwrap();
    for side in [0, n] {
        for step in 1..n {
            builder.begin_state().unwrap();
            builder.begin_choice().unwrap();
            builder.branch_exact(side + step + 1, &half).unwrap();
            builder.branch_exact(0, &half).unwrap();
        }
        builder.begin_state().unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn slow_mixing_in_no_time() {
    for n in [3, 10, 20, 28] {
        let mdp = haddad_monmege(n, "0.7");
        assert_eq!(mdp.num_states(), 2 * n as usize + 1);
        for direction in [Direction::Max, Direction::Min] {
            let begin = Instant::now();
            check(&mdp, direction, &eventually(&mdp, &[n]), &r("0.7"), &Options::default());
            assert!(begin.elapsed() < Duration::from_millis(500), "n = {n}");
        }
    }
}

#[test]
fn slower_than_floats_can_follow() {
    // 2^60 expected steps: no float iteration, however long, gets anywhere. Exact arithmetic does.
    let mdp = haddad_monmege(60, "0.7");
    let options = Options { precision: 1e-12, ..Options::default() };
    let solution = check(&mdp, Direction::Max, &eventually(&mdp, &[60]), &r("0.7"), &options);
    assert_eq!(solution.statistics.exact_components, 1);
}

#[test]
fn without_acceleration_the_bounds_stay_wide_but_sound() {
    let mdp = haddad_monmege(20, "0.7");
    let limits = Limits { max_sweeps: Some(1000), ..Limits::default() };
    let options = Options { accelerate: false, limits, ..Options::default() };
    let solution = solve(&mdp, Direction::Max, &eventually(&mdp, &[20]), &options).unwrap();
    assert!(matches!(solution.ending, Ending::Stopped(Stop::Most(Unit::Sweeps, _))));
    assert!(solution.bounds.lower[0] < 0.7 && 0.7 < solution.bounds.upper[0]);
    assert_eq!(solution.statistics.sweeps, 1000);
}

#[test]
fn end_component_where_iteration_from_above_stays_at_one() {
    // 0 and 1 can go round for ever; leaving gains 1/3. From above, x0 = x1 = 1 is a fixed point.
    let mdp = process(&[&[&[(1, "1")]], &[&[(0, "1")], &[(2, "1/3"), (3, "2/3")]], &[], &[]]);
    let solution = check(&mdp, Direction::Max, &eventually(&mdp, &[2]), &r("1/3"), &Options::default());
    assert_eq!(solution.statistics.classes, 1);
    assert_eq!(solution.scheduler.choice(0), Some(0));
    assert_eq!(solution.scheduler.choice(1), Some(2), "a scheduler that stays reaches nothing");
    check(&mdp, Direction::Min, &eventually(&mdp, &[2]), &Rational::ZERO, &Options::default());
}

#[test]
fn nested_end_components_with_several_ways_out() {
    // 0-1 and 2-3 are end components; 0 leads to 2 by luck; ways out of value 1/4 (at 0), 1/2 (at 3).
    let mdp = process(&[
        &[&[(1, "1")], &[(4, "1/4"), (5, "3/4")], &[(2, "1/5"), (5, "4/5")]],
        &[&[(0, "1")], &[(0, "1/2"), (1, "1/2")]],
        &[&[(3, "1")], &[(2, "1")]],
        &[&[(2, "1/2"), (3, "1/2")], &[(4, "1/2"), (5, "1/2")]],
        &[],
        &[&[(5, "1")]],
    ]);
    let until = eventually(&mdp, &[4]);
    let solution = check(&mdp, Direction::Max, &until, &r("1/4"), &Options::default());
    let chain = mdp.induced_chain(&solution.scheduler);
    let values = solve_exact(&chain, Direction::Max, &until, &Limits::default()).unwrap().values;
    assert_eq!(values[..4], [r("1/4"), r("1/4"), r("1/2"), r("1/2")]);
}

#[test]
fn certainty_needs_no_arithmetic() {
    // Almost surely, though one can also stay: probability exactly one, and a scheduler that goes.
    let mdp = process(&[&[&[(0, "1")], &[(0, "999999999/1000000000"), (1, "1/1000000000")]], &[]]);
    let solution = check(&mdp, Direction::Max, &eventually(&mdp, &[1]), &Rational::ONE, &Options::default());
    assert_eq!(solution.bounds.lower[0], 1.0);
    assert_eq!(solution.scheduler.choice(0), Some(1));
    let solution = check(&mdp, Direction::Min, &eventually(&mdp, &[1]), &Rational::ZERO, &Options::default());
    assert_eq!((solution.bounds.upper[0], solution.scheduler.choice(0)), (0.0, Some(0)));
}

#[test]
fn constrained_until_does_not_pass_through_what_it_must_not() {
    // 0 -> 1 or 2, both -> 3. Only 1 may be passed.
    let mdp = process(&[&[&[(1, "0.3"), (2, "0.7")]], &[&[(3, "1")]], &[&[(3, "1")]], &[]]);
    let left = StateSet::from_members(4, [0, 1]);
    let until = Until::constrained(left, StateSet::from_members(4, [3]));
    for direction in [Direction::Max, Direction::Min] {
        check(&mdp, direction, &until, &r("0.3"), &Options::default());
        check(&mdp, direction, &eventually(&mdp, &[3]), &Rational::ONE, &Options::default());
    }
}

#[test]
fn globally_by_complement() {
    // Pmax(G not 2) = 1 - Pmin(F 2): each round either choice, loss 1/10 or 1/5, and a chance of safety.
    let mdp = process(&[&[&[(0, "0.6"), (1, "0.3"), (2, "0.1")], &[(0, "0.6"), (1, "0.2"), (2, "0.2")]], &[], &[]]);
    let bad = eventually(&mdp, &[2]);
    let low = check(&mdp, Direction::Min, &bad, &r("1/4"), &Options::default()).bounds.complement();
    assert!(exactly(low.lower[0]) <= r("3/4") && r("3/4") <= exactly(low.upper[0]));
    let high = check(&mdp, Direction::Max, &bad, &r("1/2"), &Options::default()).bounds.complement();
    assert!(exactly(high.lower[0]) <= r("1/2") && r("1/2") <= exactly(high.upper[0]));
    assert_eq!((low.lower[1], low.upper[1], low.lower[2], low.upper[2]), (1.0, 1.0, 0.0, 0.0));
}

/// Many cycles one behind the other, each leaking: errors must not add up beyond the precision.
#[test]
fn a_long_chain_of_components() {
    let links = 300;
    let mut builder = MdpBuilder::new();
    let (stay, on, lost) = (r("0.9"), r("0.0999"), r("0.0001"));
    for link in 0..links {
        builder.begin_state().unwrap();
        builder.begin_choice().unwrap();
        builder.branch_exact(2 * link + 1, &Rational::ONE).unwrap();
        builder.begin_state().unwrap();
        builder.begin_choice().unwrap();
        builder.branch_exact(2 * link, &stay).unwrap();
        builder.branch_exact(2 * link + 2, &on).unwrap();
        builder.branch_exact(2 * links + 1, &lost).unwrap();
    }
    builder.begin_state().unwrap();
    builder.begin_state().unwrap();
    let mdp = builder.finish().unwrap();
    let value = r("999/1000").checked_pow(links as i32).unwrap();
    for accelerate in [true, false] {
        let options = Options { accelerate, precision: 1e-9, ..Options::default() };
        check(&mdp, Direction::Max, &eventually(&mdp, &[2 * links]), &value, &options);
    }
}

#[test]
fn deep_graphs_do_not_overflow_the_stack() {
    let states = 300_000;
    let mut builder = MdpBuilder::new();
    for state in 0..states {
        builder.begin_state().unwrap();
        if state + 2 < states {
            builder.begin_choice().unwrap();
            builder.branch_exact(state + 1, &r("999999/1000000")).unwrap();
            builder.branch_exact(states - 1, &r("1/1000000")).unwrap();
        }
    }
    let mdp = builder.finish().unwrap();
    let solution = solve(&mdp, Direction::Max, &eventually(&mdp, &[states - 2]), &Options::default()).unwrap();
    let expected = 0.999_999f64.powi(states as i32 - 2);
    assert!((solution.bounds.lower[0] - expected).abs() < 1e-6 && solution.ending == Ending::Precise);
}

#[test]
fn deadlines_leave_sound_bounds() {
    let mdp = haddad_monmege(20, "0.7");
    let limits = Limits { run: surefoot_limits::Limits::default().until(Some(Instant::now())), ..Limits::default() };
    let until = eventually(&mdp, &[20]);
    let solution =
        solve(&mdp, Direction::Max, &until, &Options { limits: limits.clone(), ..Options::default() }).unwrap();
    assert_eq!(solution.ending, Ending::Stopped(Stop::Time));
    assert!(solution.bounds.lower[0] <= 0.7 && 0.7 <= solution.bounds.upper[0]);
    let error = solve_exact(&mdp, Direction::Max, &until, &limits).unwrap_err();
    assert!(matches!(error, ExactError::Stopped { stop: Stop::Time, solved: 0, .. }));
}

#[test]
fn exact_work_is_limited() {
    // A ring behind another one; the values have long denominators.
    let mut builder = MdpBuilder::new();
    let (on, out) = (r("9973/10007"), r("17/10007"));
    for state in 0..40 {
        builder.begin_state().unwrap();
        builder.begin_choice().unwrap();
        builder.branch_exact(if state % 20 == 19 { state - 19 } else { state + 1 }, &on).unwrap();
        builder.branch_exact(if state == 30 { 0 } else { 40 + state % 2 }, &out).unwrap();
        builder.branch_exact(41, &out).unwrap();
    }
    builder.begin_state().unwrap();
    builder.begin_state().unwrap();
    let mdp = builder.finish().unwrap();
    let until = eventually(&mdp, &[40]);
    let with = |work| solve_exact(&mdp, Direction::Max, &until, &Limits { exact_work: work, ..Limits::default() });
    let full = with(None).unwrap();
    assert_eq!(with(Some(1_000_000)).unwrap().values, full.values);
    let mut last = 0;
    for work in 0..2_000 {
        match with(Some(work)) {
            Err(ExactError::Stopped { stop: Stop::Most(Unit::Fractions, _), solved, components: 2 }) => {
                assert!(solved >= last && solved < 2);
                last = solved;
            }
            Err(error) => panic!("{error}"),
            Ok(solution) => {
                assert_eq!(solution.values, full.values);
                assert_eq!(last, 1, "a second component needs more work than one");
                return;
            }
        }
    }
    panic!("two rings of 20 states are no work for 2000 operations");
}

#[test]
fn unsound_or_ill_fitting_input_is_refused() {
    let mdp = haddad_monmege(3, "0.7");
    let until = eventually(&mdp, &[3]);
    let with = |options: Options| solve(&mdp, Direction::Max, &until, &options).unwrap_err();
    let bounds = |lower: f64, upper: f64| Some(Bounds { lower: vec![lower; 7], upper: vec![upper; 7] });
    let warm = |warm_start| Options { warm_start, ..Options::default() };
    assert_eq!(with(warm(bounds(0.9, 0.95))), SolveError::UnsoundWarmStart { state: 0 });
    assert_eq!(with(warm(bounds(0.5, 0.4))), SolveError::UnsoundWarmStart { state: 0 });
    assert_eq!(with(warm(bounds(f64::NAN, 1.0))), SolveError::UnsoundWarmStart { state: 0 });
    assert!(matches!(with(warm(Some(Bounds::unknown(6)))), SolveError::WrongUniverse { given: 6, states: 7, .. }));
    let initial = Some(vec![7]);
    assert_eq!(with(Options { initial, ..Options::default() }), SolveError::NoSuchState { state: 7, states: 7 });
    assert_eq!(with(Options { precision: 0.0, ..Options::default() }), SolveError::Precision(0.0));
    let other = Until::eventually(StateSet::empty(6));
    assert!(solve(&mdp, Direction::Max, &other, &Options::default()).is_err());
    assert!(solve_exact(&mdp, Direction::Max, &other, &Limits::default()).is_err());
}

/// Removals that follow each other through a long process must not cost a search each.
#[test]
fn certainty_in_a_deep_process_takes_linear_time() {
    let states = 200_000;
    let mut builder = MdpBuilder::new();
    let half = builder.probability(&r("1/2")).unwrap();
    for state in 0..states {
        builder.begin_state().unwrap();
        if state + 2 < states {
            for stride in [1, 2] {
                builder.begin_choice().unwrap();
                builder.branch(state, half).unwrap();
                builder.branch(state + stride, half).unwrap();
            }
        }
    }
    let mdp = builder.finish().unwrap();
    let begin = Instant::now();
    let solution = solve(&mdp, Direction::Min, &eventually(&mdp, &[states - 2]), &Options::default()).unwrap();
    assert_eq!(solution.bounds.upper[0], 0.0);
    let solution = solve(&mdp, Direction::Max, &eventually(&mdp, &[states - 2]), &Options::default()).unwrap();
    assert_eq!(solution.bounds.lower[0], 1.0);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// A fair walk on a line of `states`, from the middle of which state `states - 1` is reached with probability 1/2;
/// if `odd`, the probabilities of state 1 are not simple.
fn walk(states: u32, odd: bool) -> Mdp {
    let mut builder = MdpBuilder::new();
    let half = builder.probability(&r("1/2")).unwrap();
    for state in 0..states {
        builder.begin_state().unwrap();
        if odd && state == 1 {
            builder.begin_choice().unwrap();
            builder.branch_exact(0, &r("5004/10007")).unwrap();
            builder.branch_exact(2, &r("5003/10007")).unwrap();
        } else if state > 0 && state + 1 < states {
            builder.begin_choice().unwrap();
            builder.branch(state - 1, half).unwrap();
            builder.branch(state + 1, half).unwrap();
        }
    }
    builder.finish().unwrap()
}

#[test]
fn long_walks_are_solved_as_far_as_floats_go() {
    let walks = [
        (2_001, false, Ending::Precise),
        (2_001, true, Ending::Precise),
        (100_001, false, Ending::Precise),
        (100_001, true, Ending::Rounding),
    ];
    for (states, odd, ending) in walks {
        let mdp = walk(states, odd);
        let begin = Instant::now();
        let until = eventually(&mdp, &[states - 1]);
        let solution = solve(&mdp, Direction::Max, &until, &Options::default()).unwrap();
        let middle = states as usize / 2;
        let (lower, upper) = (solution.bounds.lower[middle], solution.bounds.upper[middle]);
        // With h = 5004/5003 for one in the scale of the first step, x_i = (h + i - 1) / (h + states - 2).
        let first = if odd { &r("5004/5003") - &Rational::ONE } else { Rational::ZERO };
        let up = |steps: usize| &first + &Rational::from(steps as i64);
        let value = up(middle).checked_div(&up(states as usize - 1)).unwrap();
        assert!(exactly(lower) <= value && value <= exactly(upper) && upper - lower < 1e-3, "{lower} {value} {upper}");
        assert_eq!(solution.ending, ending, "{states}: {lower} {upper}");
        assert!(begin.elapsed() < Duration::from_secs(5));
    }
}

/// The slow chain with a choice at every step: go on with 1/2 or with 2/5, and first right with 0.7 or with 0.6.
/// The best scheduler hurries on the right and dawdles on the left; guessing has to find it.
#[test]
fn slow_mixing_with_choices() {
    let n = 15;
    let mut builder = MdpBuilder::new();
    let mut state = |choices: &[[(u32, &str); 2]]| {
        builder.begin_state().unwrap();
        for branches in choices {
            builder.begin_choice().unwrap();
            for (target, probability) in branches {
                builder.branch_exact(*target, &r(probability)).unwrap();
            }
        }
    };
    state(&[[(1, "0.6"), (n + 1, "0.4")], [(1, "0.7"), (n + 1, "0.3")]]);
    for side in [0, n] {
        for step in 1..n {
            let next = side + step + 1;
            state(&[[(next, "0.4"), (0, "0.6")], [(next, "0.5"), (0, "0.5")]]);
        }
        state(&[]);
    }
    let mdp = builder.finish().unwrap();
    let (fast, slow) = (r("1/2").checked_pow(14).unwrap(), r("2/5").checked_pow(14).unwrap());
    let odds = |right: Rational, left: Rational| right.checked_div(&(&right + &left)).unwrap();
    let best = odds(&r("0.7") * &fast, &r("0.3") * &slow);
    let worst = odds(&r("0.6") * &slow, &r("0.4") * &fast);
    for (direction, value) in [(Direction::Max, best), (Direction::Min, worst)] {
        let begin = Instant::now();
        let solution = check(&mdp, direction, &eventually(&mdp, &[n]), &value, &Options::default());
        assert_eq!((solution.statistics.accelerated, solution.statistics.exact_components), (1, 0));
        assert!(begin.elapsed() < Duration::from_millis(500));
    }
}

/// Where simple fractions hide behind work that is not: every state goes to `degree` others at random, and rarely to
/// one of the two ends, with odds that are the same everywhere.
fn dense(states: u32, degree: usize, choices: usize, odds: [&str; 2]) -> Mdp {
    let mut random = surefoot_num::Random::new(7);
    let mut builder = MdpBuilder::new();
    let within = Rational::ONE.checked_div(&Rational::from(degree as i64 + 1)).unwrap();
    for state in 0..states {
        builder.begin_state().unwrap();
        for _ in 0..choices {
            builder.begin_choice().unwrap();
            builder.branch_exact((state + 1) % states, &within).unwrap();
            for _ in 1..degree {
                builder.branch_exact(random.below(states as usize) as u32, &within).unwrap();
            }
            for (end, odds) in odds.iter().enumerate() {
                builder.branch_exact(states + end as u32, &(&within * &r(odds))).unwrap();
            }
        }
    }
    builder.begin_state().unwrap();
    builder.begin_state().unwrap();
    builder.finish().unwrap()
}

#[test]
fn simple_values_of_dense_components_take_no_time() {
    for (states, degree, choices, odds) in
        [(3_000, 5, 1, ["1/2", "1/2"]), (2_000, 8, 2, ["3/7", "4/7"]), (5_000, 3, 2, ["1/1009", "1008/1009"])]
    {
        let mdp = dense(states, degree, choices, odds);
        let until = eventually(&mdp, &[states]);
        for direction in [Direction::Max, Direction::Min] {
            let begin = Instant::now();
            let limits = Limits { exact_work: Some(5_000_000), ..Limits::default() };
            let solution = solve_exact(&mdp, direction, &until, &limits).unwrap();
            assert!(begin.elapsed() < Duration::from_secs(1), "{states}: {:?}", begin.elapsed());
            assert!(solution.values[..states as usize].iter().all(|value| *value == r(odds[0])));
        }
    }
}

#[test]
fn slow_mixing_however_long() {
    for n in [250, 1_000] {
        let mdp = haddad_monmege(n, "0.3");
        for direction in [Direction::Max, Direction::Min] {
            let begin = Instant::now();
            let options = Options { precision: 1e-12, ..Options::default() };
            let solution = check(&mdp, direction, &eventually(&mdp, &[n]), &r("0.3"), &options);
            assert_eq!(solution.statistics.exact_components, 1);
            assert!(begin.elapsed() < Duration::from_secs(3), "n = {n}");
            let exact = solve_exact(&mdp, direction, &eventually(&mdp, &[n]), &Limits::default()).unwrap();
            let step = r("1/2").checked_pow(n as i32 - 1).unwrap();
            assert_eq!(exact.values[1], &r("0.3") + &(&r("0.7") * &step));
        }
    }
}
