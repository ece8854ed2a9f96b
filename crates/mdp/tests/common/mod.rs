//! Random small processes, and their values by brute force: all memoryless schedulers, dense exact elimination.
//! Shares nothing with the crate but the representation of a process.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "tests may")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use proptest::prelude::*;
use surefoot_mdp::{Direction, Mdp, MdpBuilder, StateSet, Until};
use surefoot_num::Rational;

pub(crate) fn r(text: &str) -> Rational {
    text.parse().expect("test literal")
}

pub(crate) fn exactly(x: f64) -> Rational {
    Rational::from_f64(x).expect("finite")
}

/// Distributions that exercise certainty, ties, and probabilities near zero and one. The last two leave cycles so rarely
/// that iteration alone does not get anywhere.
const DISTRIBUTIONS: [&[&str]; 10] = [
    &["1"],
    &["1/2", "1/2"],
    &["1/3", "2/3"],
    &["1/1000000000", "999999999/1000000000"],
    &["0.7", "0.2", "0.1"],
    &["1/4", "1/4", "1/2"],
    &["1/1000000000", "1/3", "1999999997/3000000000"],
    &["0.1", "0.2", "0.3", "0.4"],
    &["1/2", "499999/1000000", "1/1000000"],
    &["999999999/1000000000", "1/1000000000"],
];

/// Per state the choices; per choice which distribution and the targets.
pub(crate) type Plan = Vec<Vec<(usize, Vec<u32>)>>;

/// The last state is a trap with no way out, and a frequent target: otherwise nearly everything is certain.
pub(crate) fn plan(max_states: usize, max_choices: usize) -> impl Strategy<Value = Plan> {
    (max_states / 2..max_states).prop_flat_map(move |states| {
        let trap = states as u32;
        let last = prop_oneof![2 => 0..trap, 3 => Just(trap)];
        let distribution =
            prop_oneof![1 => Just(0), 2 => 1..DISTRIBUTIONS.len(), 1 => DISTRIBUTIONS.len() - 2..DISTRIBUTIONS.len()];
        let choice = (distribution, prop::collection::vec(0..trap, 4), last);
        let choice = choice.prop_map(|(distribution, mut targets, last)| {
            if distribution > 0 {
                targets[DISTRIBUTIONS[distribution].len() - 1] = last;
            }
            (distribution, targets)
        });
        let choices = prop_oneof![
            1 => prop::collection::vec(choice.clone(), 0..=0),
            15 => prop::collection::vec(choice, 1..=max_choices),
        ];
        prop::collection::vec(choices, states).prop_map(|mut plan| {
            plan.push(Vec::new());
            plan
        })
    })
}

/// Every choice goes round among `states` inner states and rarely ends in the target (`states`) or the trap after it:
/// iteration alone gets nowhere.
pub(crate) fn slow_plan(states: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Plan> {
    states.prop_flat_map(|states| {
        let inner = states as u32;
        let choice = (8usize..10, prop::collection::vec(0..inner, 4), inner..inner + 2);
        let choice = choice.prop_map(|(distribution, mut targets, end)| {
            targets[DISTRIBUTIONS[distribution].len() - 1] = end;
            (distribution, targets)
        });
        prop::collection::vec(prop::collection::vec(choice, 1..=2), states).prop_map(|mut plan| {
            plan.extend([Vec::new(), Vec::new()]);
            plan
        })
    })
}

pub(crate) fn build(plan: &Plan) -> Mdp {
    let mut builder = MdpBuilder::new();
    for state in plan {
        builder.begin_state().unwrap();
        for (distribution, targets) in state {
            builder.begin_choice().unwrap();
            for (probability, target) in DISTRIBUTIONS[*distribution].iter().zip(targets) {
                builder.branch_exact(*target, &r(probability)).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

/// A process from rows: per state its choices, per choice `(target, probability)`.
pub(crate) fn process(rows: &[&[&[(u32, &str)]]]) -> Mdp {
    let mut builder = MdpBuilder::new();
    for choices in rows {
        builder.begin_state().unwrap();
        for branches in *choices {
            builder.begin_choice().unwrap();
            for (target, probability) in *branches {
                builder.branch_exact(*target, &r(probability)).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

/// Few targets, many states to pass through, and as often an unconstrained `F`. Masks are over 40 states at most.
pub(crate) fn sets() -> impl Strategy<Value = (Option<u64>, u64)> {
    let left = prop::option::of((any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a | b | c));
    let few = (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a & b & c);
    (left, prop_oneof![1 => few, 3 => (0u32..3).prop_map(|state| 1 << state)])
}

pub(crate) fn until(states: usize, (left, right): (Option<u64>, u64)) -> Until {
    let set = |mask: u64| StateSet::from_fn(states, |s| mask >> s & 1 == 1);
    match left {
        None => Until::eventually(set(right)),
        Some(left) => Until::constrained(set(left), set(right)),
    }
}

/// The exact values of the Markov chain that takes `choices[s]` in state `s`.
pub(crate) fn chain_values(mdp: &Mdp, until: &Until, choices: &[Option<u32>]) -> Vec<Rational> {
    let n = mdp.num_states();
    let successors = |s: usize| choices[s].map_or(&[][..], |c| mdp.branches(c));
    // Who can reach at all: the others have value zero, and the equations of the rest have one solution.
    let mut can: Vec<bool> = (0..n as u32).map(|s| until.is_right(s)).collect();
    for _ in 0..n {
        for s in 0..n {
            can[s] |= until.is_open(s as u32) && successors(s).iter().any(|b| can[b.target as usize]);
        }
    }
    let mut matrix = vec![vec![Rational::ZERO; n + 1]; n];
    for (s, row) in matrix.iter_mut().enumerate() {
        row[s] = Rational::ONE;
        if until.is_right(s as u32) {
            row[n] = Rational::ONE;
        } else if can[s] {
            for &b in successors(s) {
                row[b.target as usize] = &row[b.target as usize] - mdp.exact(b);
            }
        }
    }
    for pivot in 0..n {
        let with = (pivot..n).find(|&row| !matrix[row][pivot].is_zero()).expect("regular by construction");
        matrix.swap(pivot, with);
        let row = matrix[pivot].clone();
        for (other, target) in matrix.iter_mut().enumerate() {
            if other != pivot && !target[pivot].is_zero() {
                let factor = target[pivot].checked_div(&row[pivot]).unwrap();
                for (entry, value) in target.iter_mut().zip(&row) {
                    *entry = &*entry - &(&factor * value);
                }
            }
        }
    }
    (0..n).map(|s| matrix[s][n].checked_div(&matrix[s][s]).unwrap()).collect()
}

/// The optimum over all memoryless schedulers, state by state.
pub(crate) fn brute_force(mdp: &Mdp, direction: Direction, until: &Until) -> Vec<Rational> {
    let n = mdp.num_states();
    let mut best: Option<Vec<Rational>> = None;
    let mut counters = vec![0u32; n];
    loop {
        let pick = |s: usize| mdp.choices(s as u32).nth(counters[s] as usize);
        let choices: Vec<Option<u32>> = (0..n).map(pick).collect();
        let values = chain_values(mdp, until, &choices);
        best = Some(match best {
            None => values,
            Some(best) => best
                .into_iter()
                .zip(values)
                .map(|(a, b)| match direction {
                    Direction::Max => a.max(b),
                    Direction::Min => a.min(b),
                })
                .collect(),
        });
        let Some(next) = (0..n).find(|&s| counters[s] + 1 < mdp.choices(s as u32).len() as u32) else { break };
        counters[..next].fill(0);
        counters[next] += 1;
    }
    best.expect("there is at least one scheduler")
}
