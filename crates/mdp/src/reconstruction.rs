//! Exact values of one component, by guessing fractions from floats and verifying them.
//!
//! Values are often much simpler than the elimination that leads to them: 1/2 in a dense component of thousands of
//! classes. Floats of nearly full precision suggest the fractions (the convergents of their continued fractions),
//! and exact arithmetic decides (Bauer, Mathur, Chadha, Sistla & Viswanathan, *Exact quantitative probabilistic
//! model checking through rational search*, FMCAD 2017). Only a *feedback set* is guessed: classes without which
//! the scheduler's graph has no cycle. The others follow from it by their equations, with fractions as long as they
//! need be: in the chain of Haddad & Monmege the middle is 3/10 while a class `k` steps from the end has the
//! denominator `10 * 2^k`.
//!
//! Soundness: a vector `v` is returned only if `v = T(v)` was verified in fractions, at every class over every
//! choice, `T` the Bellman operator of the component with exact values where it leads. That is the value: in the
//! quotient every scheduler leaves the component with probability one (Baier et al., CAV 2017, Lemma 1; see
//! [`quotient`](crate::quotient)). So the choices that attain the optimum in `T(v)` form a scheduler whose
//! equations have exactly one solution (Kemeny & Snell, *Finite Markov Chains*, section 3.2), which is `v`: it is
//! attained. And for any other scheduler with operator `S`, `S(v) <= v` (`Max`; `>=` for `Min`); iterating, its
//! value is no better than `v`. How floats and fractions were found does not matter.

use std::collections::BinaryHeap;
use std::ops::Range;

use surefoot_num::Rational;

use crate::elimination::{Number, Row, eliminate};
use crate::mdp::{Mdp, number};
use crate::query::Direction;
use crate::quotient::Quotient;

/// Relative distances at which a fraction counts as the one behind a float: the first forgives errors of the
/// floats, the second permits denominators of millions.
const TOLERANCES: [f64; 2] = [1e-10, 1e-13];
/// The largest numerator guessed.
const MAX_NUMERATOR: f64 = 67_108_864.0;
/// Sweeps to sharpen the floats.
const SWEEPS: usize = 200;
/// Float operations for solving a scheduler's equations directly.
const FLOAT_WORK: u64 = 10_000_000;
/// Scheduler improvements in floats.
const ROUNDS: usize = 20;

/// A component, what it leads to, and a guess about it.
struct Guess<'a, B> {
    rows: &'a Mdp,
    direction: Direction,
    component: Range<u32>,
    boundary: B,
    /// Every choice of the component in floats.
    equations: Vec<Row<f64, 1>>,
    first_choice: u32,
    policy: Vec<u32>,
    floats: Vec<f64>,
}

/// The values of the classes of `component`, given the values of what it leads to, if they are simple enough.
///
/// `floats` are values to start from, `policy` a scheduler; afterwards, if there is a result, an optimal one.
/// Exact work is taken from `budget`, and is at most a few dozen operations per branch.
#[allow(clippy::too_many_arguments, reason = "the same as for elimination, and where to start")]
pub(crate) fn reconstruct(
    quotient: &Quotient,
    direction: Direction,
    component: Range<u32>,
    boundary: impl Fn(u32) -> Rational,
    floats: Vec<f64>,
    policy: &mut [u32],
    budget: &mut u64,
    mut stop: impl FnMut() -> bool,
) -> Option<Vec<Rational>> {
    let rows = &quotient.rows;
    let first_choice = rows.choices(component.start).start;
    let choices = first_choice..rows.choices(component.end - 1).end;
    let size: u64 = choices.clone().map(|choice| rows.branches(choice).len() as u64).sum();
    let equations = choices.map(|choice| equation(rows, &component, &boundary, choice)).collect();
    let policy_now = policy.to_vec();
    let mut guess = Guess { rows, direction, component, boundary, equations, first_choice, policy: policy_now, floats };
    let allowed = (*budget).min(10_000 + 64 * size);
    let mut left = allowed;
    let mut found = None;
    if guess.sweep(&mut stop) {
        found = guess.fractions(&mut left, &mut stop);
    }
    if found.is_none() && guess.eliminate(&mut stop) {
        found = guess.fractions(&mut left, &mut stop);
    }
    *budget -= allowed - left;
    let values = found?;
    policy.copy_from_slice(&guess.policy);
    Some(values)
}

fn equation(rows: &Mdp, component: &Range<u32>, boundary: impl Fn(u32) -> Rational, choice: u32) -> Row<f64, 1> {
    let mut row = Row { entries: Vec::new(), exit: 0.0, constants: [0.0] };
    for branch in rows.branches(choice) {
        let probability = rows.table.nearest()[branch.probability.0 as usize];
        if component.contains(&branch.target) {
            row.entries.push((branch.target - component.start, probability));
        } else {
            row.exit += probability;
            row.constants[0] += probability * boundary(branch.target).to_f64();
        }
    }
    row
}

impl<B: Fn(u32) -> Rational> Guess<'_, B> {
    /// The value of `choice` in floats.
    fn float(&self, choice: u32) -> f64 {
        let row = &self.equations[(choice - self.first_choice) as usize];
        row.entries.iter().fold(row.constants[0], |sum, (to, p)| sum + p * self.floats[*to as usize])
    }

    /// Switches to a choice of the class at `offset` that is clearly better, if there is one.
    fn improve(&mut self, offset: usize) -> (f64, bool) {
        let (mut best, mut improved) = (self.float(self.policy[offset]), false);
        for choice in self.rows.choices(self.component.start + number(offset)) {
            let value = self.float(choice);
            let better = match self.direction {
                Direction::Max => value > best * (1.0 + 1e-12),
                Direction::Min => value < best * (1.0 - 1e-12),
            };
            if better {
                (best, improved) = (value, true);
                self.policy[offset] = choice;
            }
        }
        (best, improved)
    }

    /// Value iteration; whether the floats came to rest.
    fn sweep(&mut self, stop: &mut impl FnMut() -> bool) -> bool {
        let mut change = f64::INFINITY;
        for _ in 0..SWEEPS {
            if change <= f64::EPSILON || stop() {
                break;
            }
            change = 0.0;
            for offset in 0..self.floats.len() {
                let (value, _) = self.improve(offset);
                change = change.max((value - self.floats[offset]).abs());
                self.floats[offset] = value;
            }
        }
        change <= 1e-9
    }

    /// Policy iteration; whether the equations of the last scheduler were solved.
    fn eliminate(&mut self, stop: &mut impl FnMut() -> bool) -> bool {
        let mut budget = FLOAT_WORK;
        for _ in 0..ROUNDS {
            let rows = self.policy.iter().map(|&choice| self.equations[(choice - self.first_choice) as usize].clone());
            let Some(solution) = eliminate(rows.collect(), &mut budget, &mut *stop) else { return false };
            self.floats = solution.into_iter().map(|[value]| value).collect();
            let improved = (0..self.floats.len()).filter(|&offset| self.improve(offset).1).count();
            if improved == 0 {
                return true;
            }
        }
        false
    }

    /// Guesses fractions and verifies them; the scheduler then attains them.
    fn fractions(&mut self, budget: &mut u64, stop: &mut impl FnMut() -> bool) -> Option<Vec<Rational>> {
        let (feedback, order) = self.feedback();
        TOLERANCES.iter().find_map(|&tolerance| {
            let mut values = vec![Rational::ZERO; self.floats.len()];
            for &class in &feedback {
                values[class as usize] = convergent(self.floats[class as usize], tolerance)?;
            }
            for &class in &order {
                if stop() {
                    return None;
                }
                values[class as usize] = self.exact(self.policy[class as usize], &values, budget)?;
            }
            let optimal = self.verify(&values, budget, stop)?;
            self.policy = optimal;
            Some(values)
        })
    }

    /// The exact value of `choice`; `None` when the budget does not suffice.
    fn exact(&self, choice: u32, values: &[Rational], budget: &mut u64) -> Option<Rational> {
        let mut sum = Rational::ZERO;
        for &branch in self.rows.branches(choice) {
            let product = match self.component.contains(&branch.target) {
                true => self.rows.exact(branch) * &values[(branch.target - self.component.start) as usize],
                false => self.rows.exact(branch) * &(self.boundary)(branch.target),
            };
            sum = &sum + &product;
            *budget = budget.checked_sub(sum.cost())?;
        }
        Some(sum)
    }

    /// Whether `values` solve the Bellman equation: if so, choices that attain them.
    ///
    /// Soundness: see the module documentation; this is the check everything rests on.
    fn verify(&self, values: &[Rational], budget: &mut u64, stop: &mut impl FnMut() -> bool) -> Option<Vec<u32>> {
        let mut optimal = Vec::with_capacity(values.len());
        for (class, value) in self.component.clone().zip(values) {
            let mut attains = None;
            for choice in self.rows.choices(class) {
                if stop() {
                    return None;
                }
                let other = self.exact(choice, values, budget)?;
                let better = match self.direction {
                    Direction::Max => other > *value,
                    Direction::Min => other < *value,
                };
                if better {
                    return None;
                }
                if other == *value {
                    attains.get_or_insert(choice);
                }
            }
            optimal.push(attains?);
        }
        // Soundness: here `v = T(v)` at every class, which has one solution, the value (Baier et al., CAV 2017, Lemma 1).
        Some(optimal)
    }

    /// Classes on every cycle of the scheduler, few if possible, and the others in an order in which each comes after
    /// those it leads to.
    ///
    /// Classes that lead to none or are led to by none that is left are on no cycle; when there are no such, the
    /// one with the most ways through it goes (Levy & Low, *A contraction algorithm for finding small cycle
    /// cutsets*, J. Algorithms 1988, without the contraction).
    fn feedback(&self) -> (Vec<u32>, Vec<u32>) {
        let size = self.floats.len();
        let successors =
            |class: u32| &self.equations[(self.policy[class as usize] - self.first_choice) as usize].entries;
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); size];
        for class in 0..number(size) {
            for (to, _) in successors(class) {
                predecessors[*to as usize].push(class);
            }
        }
        let mut ahead: Vec<u32> = (0..number(size)).map(|class| number(successors(class).len())).collect();
        let mut behind: Vec<u32> = predecessors.iter().map(|list| number(list.len())).collect();
        let mut heap: BinaryHeap<(u64, u32)> =
            (0..size).map(|class| (u64::from(ahead[class]) * u64::from(behind[class]), number(class))).collect();
        let mut gone = vec![false; size];
        let mut ready: Vec<u32> =
            (0..number(size)).filter(|&c| ahead[c as usize] == 0 || behind[c as usize] == 0).collect();
        let (mut feedback, mut order, mut last) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let class = if let Some(class) = ready.pop() {
                if gone[class as usize] {
                    continue;
                }
                if ahead[class as usize] == 0 {
                    order.push(class);
                } else {
                    last.push(class);
                }
                class
            } else if let Some((ways, class)) = heap.pop() {
                if gone[class as usize] {
                    continue;
                }
                let now = u64::from(ahead[class as usize]) * u64::from(behind[class as usize]);
                if now < ways {
                    heap.push((now, class));
                    continue;
                }
                feedback.push(class);
                class
            } else {
                break;
            };
            gone[class as usize] = true;
            for (to, _) in successors(class) {
                behind[*to as usize] -= 1;
                if behind[*to as usize] == 0 {
                    ready.push(*to);
                }
            }
            for &from in &predecessors[class as usize] {
                ahead[from as usize] -= 1;
                if ahead[from as usize] == 0 {
                    ready.push(from);
                }
            }
        }
        order.extend(last.into_iter().rev());
        (feedback, order)
    }
}

/// The first convergent of the continued fraction of `x` within a relative distance of `tolerance`.
fn convergent(x: f64, tolerance: f64) -> Option<Rational> {
    let ((mut h, mut k), (mut h_before, mut k_before)) = ((1.0, 0.0), (0.0, 1.0));
    let mut rest = x;
    // Denominators grow at least like Fibonacci numbers.
    for _ in 0..80 {
        let whole = rest.floor();
        ((h, h_before), (k, k_before)) = ((whole * h + h_before, h), (whole * k + k_before, k));
        // Written so that NaN is refused.
        if !(h <= MAX_NUMERATOR && k < 9e15) {
            return None;
        }
        if (x - h / k).abs() <= tolerance * x {
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53, as was just checked")]
            return Rational::new(h as i64, k as i64);
        }
        rest = 1.0 / (rest - whole);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::Limits;
    use surefoot_num::Random;

    use super::*;
    use crate::builder::MdpBuilder;
    use crate::exact_component::solve_component;
    use crate::prepare::Prepared;
    use crate::query::Until;
    use crate::set::StateSet;

    /// `states` with one or two choices each, all branches of 1/8, some to a target or a trap.
    fn random_process(states: u32, random: &mut Random) -> Mdp {
        let mut builder = MdpBuilder::new();
        let eighth = Rational::new(1, 8).unwrap();
        for _ in 0..states {
            builder.begin_state().unwrap();
            for _ in 0..=random.below(2) {
                builder.begin_choice().unwrap();
                for _ in 0..8 {
                    builder.branch_exact(number(random.below(states as usize + 2)), &eighth).unwrap();
                }
            }
        }
        builder.begin_state().unwrap();
        builder.begin_state().unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn what_is_found_is_what_elimination_finds() {
        let mut random = Random::new(1);
        let (mut found, mut missed) = (0, 0);
        for round in 0..600 {
            let states = 2 + round % 12;
            let mdp = random_process(states, &mut random);
            let until = Until::eventually(StateSet::from_members(mdp.num_states(), [states]));
            for direction in [Direction::Max, Direction::Min] {
                let prepared = Prepared::new(&mdp, direction, &until, None, &Limits::default()).unwrap();
                let quotient = &prepared.quotient;
                if quotient.components().count() != 1 {
                    continue;
                }
                let component = 0..quotient.classes();
                let boundary = |class: u32| Rational::from(i64::from(class == quotient.one()));
                let mut policy: Vec<u32> = component.clone().map(|class| quotient.rows.choices(class).start).collect();
                let mut other = policy.clone();
                let budget = &mut { u64::MAX };
                let floats = vec![0.5; policy.len()];
                let range = component.clone();
                let values =
                    solve_component(quotient, direction, range.clone(), boundary, &mut other, budget, || false);
                match reconstruct(quotient, direction, range, boundary, floats, &mut policy, budget, || false) {
                    None => missed += 1,
                    Some(guessed) => {
                        found += 1;
                        assert_eq!(values.as_ref(), Some(&guessed));
                        // The scheduler alone attains them: every choice it takes has the value of its class.
                        for (class, &choice) in component.zip(&policy) {
                            assert!(quotient.rows.choices(class).contains(&choice));
                            let value = |to: u32| guessed.get(to as usize).cloned().unwrap_or_else(|| boundary(to));
                            let branches = quotient.rows.branches(choice).iter();
                            let sum: Rational = branches.map(|&b| quotient.rows.exact(b) * &value(b.target)).sum();
                            assert_eq!(sum, guessed[class as usize]);
                        }
                    }
                }
            }
        }
        assert!(found > 100 && missed > 100, "{found} {missed}");
    }

    #[test]
    fn convergents_find_simple_fractions() {
        for (num, den) in [(0, 1), (1, 1), (1, 2), (3, 10), (355, 452), (1, 1_000_000_007), (99_999, 100_000)] {
            let fraction = Rational::new(num, den).unwrap();
            for tolerance in TOLERANCES {
                assert_eq!(convergent(fraction.to_f64(), tolerance), Some(fraction.clone()));
            }
        }
        assert_eq!(convergent(f64::NAN, 1e-10), None);
        assert_eq!(convergent(f64::INFINITY, 1e-10), None);
        assert_eq!(convergent(1e-300, 1e-10), None);
    }
}
