//! Expected rewards on random small processes, against all memoryless schedulers.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]
#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::{build, exactly, plan, process, r, slow_plan};
use proptest::prelude::*;
use surefoot_mdp::*;
use surefoot_num::Rational;

const CASES: u32 = 400;
const BOTH: [Direction; 2] = [Direction::Max, Direction::Min];

/// The expected rewards of the chain that takes `choices[s]` in state `s`; `None` where the target is not certain.
fn chain(mdp: &Mdp, target: &StateSet, rewards: &Rewards, choices: &[Option<u32>]) -> Vec<Option<Rational>> {
    let n = mdp.num_states();
    let successors = |s: usize| {
        let open = !target.contains(s as u32);
        choices[s].filter(|_| open).map_or(&[][..], |c| mdp.branches(c))
    };
    let closure = |mut set: Vec<bool>| {
        for _ in 0..n {
            for s in 0..n {
                set[s] |= successors(s).iter().any(|b| set[b.target as usize]);
            }
        }
        set
    };
    let can = closure((0..n as u32).map(|s| target.contains(s)).collect());
    let lost = closure(can.iter().map(|can| !can).collect());
    let mut matrix = vec![vec![Rational::ZERO; n + 1]; n];
    for (s, row) in matrix.iter_mut().enumerate() {
        row[s] = Rational::ONE;
        if !lost[s] && !target.contains(s as u32) {
            row[n] = rewards.of(choices[s].expect("it reaches")).clone();
            for &b in successors(s) {
                row[b.target as usize] = &row[b.target as usize] - mdp.exact(b);
            }
        }
    }
    for pivot in 0..n {
        let with = (pivot..n).find(|&row| !matrix[row][pivot].is_zero()).expect("regular by construction");
        matrix.swap(pivot, with);
        let row = matrix[pivot].clone();
        for (other, line) in matrix.iter_mut().enumerate() {
            if other != pivot && !line[pivot].is_zero() {
                let factor = line[pivot].checked_div(&row[pivot]).expect("not zero");
                for (entry, by) in line.iter_mut().zip(&row) {
                    *entry = &*entry - &(&factor * by);
                }
            }
        }
    }
    let value = |s: usize| matrix[s][n].checked_div(&matrix[s][s]).expect("not zero");
    (0..n).map(|s| (!lost[s]).then(|| value(s))).collect()
}

/// The best over all memoryless schedulers; infinite is more than anything.
fn brute_force(mdp: &Mdp, direction: Direction, target: &StateSet, rewards: &Rewards) -> Vec<Option<Rational>> {
    let n = mdp.num_states();
    let mut choices: Vec<Option<u32>> = mdp.states().map(|s| mdp.choices(s).next()).collect();
    let mut best: Option<Vec<Option<Rational>>> = None;
    loop {
        let values = chain(mdp, target, rewards, &choices);
        best = Some(match best {
            None => values,
            Some(best) => best.into_iter().zip(values).map(|pair| better(direction, pair)).collect(),
        });
        let Some(next) = (0..n).find(|&s| choices[s].is_some_and(|c| c + 1 < mdp.choices(s as u32).end)) else {
            return best.expect("one at least");
        };
        choices[next] = choices[next].map(|c| c + 1);
        for (s, choice) in choices.iter_mut().enumerate().take(next) {
            *choice = mdp.choices(s as u32).next();
        }
    }
}

fn better(direction: Direction, (a, b): (Option<Rational>, Option<Rational>)) -> Option<Rational> {
    match (direction, a, b) {
        (Direction::Max, Some(a), Some(b)) => Some(a.max(b)),
        (Direction::Max, ..) => None,
        (Direction::Min, Some(a), Some(b)) => Some(a.min(b)),
        (Direction::Min, a, b) => a.or(b),
    }
}

fn given(mdp: &Mdp, numbers: &[u8]) -> Rewards {
    // Zeros are frequent, and one is large.
    let values = ["0", "0", "1", "1/3", "7/2", "1000000"];
    let choices = 0..mdp.num_choices();
    Rewards::new(choices.map(|choice| r(values[numbers[choice % numbers.len()] as usize % values.len()]))).unwrap()
}

fn attained(mdp: &Mdp, target: &StateSet, rewards: &Rewards, scheduler: &Scheduler) -> Vec<Option<Rational>> {
    let choices: Vec<Option<u32>> = mdp.states().map(|s| scheduler.choice(s)).collect();
    chain(mdp, target, rewards, &choices)
}

fn compare(mdp: &Mdp, target: &StateSet, rewards: &Rewards, precision: f64) -> Result<(), TestCaseError> {
    for direction in BOTH {
        let expected = brute_force(mdp, direction, target, rewards);
        let exact = solve_rewards_exact(mdp, direction, target, rewards, &Limits::default()).unwrap();
        prop_assert_eq!(&exact.values, &expected, "{:?}", direction);
        let reached = attained(mdp, target, rewards, &exact.scheduler);
        for (value, expected) in reached.iter().zip(&expected).filter(|(_, expected)| expected.is_some()) {
            prop_assert_eq!(value, expected, "the scheduler attains the value, {:?}", direction);
        }
        let options = RewardOptions { precision, ..RewardOptions::default() };
        let solution = solve_rewards(mdp, direction, target, rewards, &options).unwrap();
        for (s, expected) in expected.iter().enumerate() {
            let (lower, upper) = (solution.lower[s], solution.upper[s]);
            match expected {
                None => prop_assert!(lower.is_infinite() && upper.is_infinite(), "{:?} {} {}", direction, lower, upper),
                Some(value) => {
                    prop_assert!(exactly(lower) <= *value, "{:?} {} {}", direction, lower, value);
                    prop_assert!(
                        upper.is_infinite() || *value <= exactly(upper),
                        "{:?} {} {}",
                        direction,
                        upper,
                        value
                    );
                }
            }
            if solution.ending == Ending::Precise && expected.is_some() {
                prop_assert!(upper - lower <= precision, "{:?} {} {}", direction, lower, upper);
            }
        }
        let largest = expected.iter().flatten().map(Rational::to_f64).fold(1.0, f64::max);
        // Floats near the largest value are so far apart that nothing is closer.
        let within = largest * 1e-13 < precision;
        prop_assert!(!within || solution.ending == Ending::Precise, "{:?} {:?}", direction, solution);
    }
    Ok(())
}

/// The generator must not be made of trivial cases: values that are finite and not zero, infinite ones, and free cycles.
#[test]
fn the_generator_is_not_trivial() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut finite, mut infinite, mut apart) = (0, 0, 0);
    for _ in 0..300 {
        let (plan, numbers, target) = inputs(plan(6, 3)).new_tree(&mut runner).unwrap().current();
        let mdp = build(&plan);
        let (target, rewards) =
            (StateSet::from_members(plan.len(), targets(plan.len(), target)), given(&mdp, &numbers));
        let [largest, smallest] = BOTH.map(|direction| brute_force(&mdp, direction, &target, &rewards));
        finite += u32::from(smallest.iter().flatten().any(|value| !value.is_zero()));
        infinite += u32::from(largest.iter().any(Option::is_none));
        apart += u32::from(largest != smallest);
    }
    assert!(finite > 60 && infinite > 60 && apart > 60, "{finite} {infinite} {apart}");
}

/// The trap is a target as often as not: else hardly anything is certain.
fn targets(states: usize, target: u32) -> Vec<u32> {
    let mut targets = vec![target % states as u32];
    targets.extend((!target.is_multiple_of(3)).then_some(states as u32 - 1));
    targets
}

fn inputs(plan: impl Strategy<Value = common::Plan>) -> impl Strategy<Value = (common::Plan, Vec<u8>, u32)> {
    (plan, prop::collection::vec(any::<u8>(), 1..12), 0u32..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_the_best_scheduler(
        (plan, numbers, target) in inputs(plan(6, 3)), precision in 1e-9f64..0.2,
    ) {
        let mdp = build(&plan);
        let target = StateSet::from_members(plan.len(), targets(plan.len(), target));
        compare(&mdp, &target, &given(&mdp, &numbers), precision)?;
    }

    #[test]
    fn slow_processes_are_solved((plan, numbers, target) in inputs(slow_plan(3..=5)), precision in 1e-7f64..1e-2) {
        let mdp = build(&plan);
        let target = StateSet::from_members(plan.len(), targets(plan.len(), target));
        compare(&mdp, &target, &given(&mdp, &numbers), precision)?;
    }
}

/// Going round for nothing is cheaper than going on, and reaches nothing.
#[test]
fn free_cycles_are_no_way_out() {
    let mdp = process(&[&[&[(1, "1")], &[(2, "1/2"), (0, "1/2")]], &[&[(0, "1")], &[(2, "1")]], &[]]);
    let target = StateSet::from_members(3, [2]);
    let rewards = Rewards::new(["0", "3", "0", "5"].map(r)).unwrap();
    let smallest = solve_rewards_exact(&mdp, Direction::Min, &target, &rewards, &Limits::default()).unwrap();
    assert_eq!(smallest.values, [Some(r("5")), Some(r("5")), Some(r("0"))]);
    let largest = solve_rewards_exact(&mdp, Direction::Max, &target, &rewards, &Limits::default()).unwrap();
    assert_eq!(largest.values, [None, None, Some(r("0"))]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mdp = process(&[&[&[(1, "1")]], &[]]);
    let target = StateSet::from_members(2, [1]);
    assert!(matches!(Rewards::new([r("-1")]), Err(RewardError::Negative { choice: 0, .. })));
    let none = Rewards::new([]).unwrap();
    let options = RewardOptions::default();
    let refused = solve_rewards(&mdp, Direction::Max, &target, &none, &options).unwrap_err();
    assert_eq!(refused.to_string(), "the list of rewards is about 0, the process has 1");
    let steps = Rewards::steps(&mdp);
    let solution = solve_rewards(&mdp, Direction::Max, &target, &steps, &options).unwrap();
    assert!(solution.lower[0] <= 1.0 && 1.0 <= solution.upper[0] && solution.ending == Ending::Precise);
}
