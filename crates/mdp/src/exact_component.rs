//! Exact values of one component, by policy iteration over rational numbers.
//!
//! Howard's policy iteration: solve the equations of a scheduler exactly, switch wherever another choice is
//! strictly better, repeat (Puterman, *Markov Decision Processes*, section 7.2.5). In the quotient every scheduler
//! leaves every component with probability one, so its equations have one solution; values improve strictly, so it
//! ends, and a scheduler that cannot be improved solves the Bellman equation, which has one solution: the value.

use std::ops::Range;

use surefoot_num::Rational;

use crate::elimination::{Number, Row, eliminate};
use crate::query::Direction;
use crate::quotient::Quotient;

/// The values of the classes of `component`, given the values of what it leads to.
///
/// `policy` is where to start, and the optimal scheduler afterwards. `None` when `budget` or `stop` ended it.
pub(crate) fn solve_component(
    quotient: &Quotient,
    direction: Direction,
    component: Range<u32>,
    boundary: impl Fn(u32) -> Rational,
    policy: &mut [u32],
    budget: &mut u64,
    stop: impl FnMut() -> bool,
) -> Option<Vec<Rational>> {
    solve_with_rewards(quotient, direction, component, |_| Rational::ZERO, boundary, policy, budget, stop)
}

/// The same with a reward for every choice. Where a scheduler may stay in the component for ever, the one given must not.
#[expect(clippy::too_many_arguments, reason = "what is asked, what is known, and how much may be spent")]
pub(crate) fn solve_with_rewards(
    quotient: &Quotient,
    direction: Direction,
    component: Range<u32>,
    reward: impl Fn(u32) -> Rational,
    boundary: impl Fn(u32) -> Rational,
    policy: &mut [u32],
    budget: &mut u64,
    mut stop: impl FnMut() -> bool,
) -> Option<Vec<Rational>> {
    let rows = &quotient.rows;
    loop {
        *budget = budget.checked_sub(policy.iter().map(|&choice| rows.branches(choice).len() as u64).sum())?;
        let equations = policy.iter().map(|&choice| {
            let mut row = Row { entries: Vec::new(), exit: Rational::ZERO, constants: [reward(choice)] };
            for &branch in rows.branches(choice) {
                let probability = rows.exact(branch);
                if component.contains(&branch.target) {
                    row.entries.push((branch.target - component.start, probability.clone()));
                } else {
                    row.exit = &row.exit + probability;
                    row.constants[0] = &row.constants[0] + &(probability * &boundary(branch.target));
                }
            }
            row
        });
        let solution = eliminate(equations.collect(), budget, &mut stop)?;
        let value = |target: u32| match component.contains(&target) {
            true => solution[(target - component.start) as usize][0].clone(),
            false => boundary(target),
        };
        let mut improved = false;
        for class in component.clone() {
            let chosen = &mut policy[(class - component.start) as usize];
            let mut best = value(class);
            for choice in rows.choices(class).filter(|choice| *choice != *chosen).collect::<Vec<_>>() {
                if stop() {
                    return None;
                }
                let ahead: Rational = rows.branches(choice).iter().map(|&b| rows.exact(b) * &value(b.target)).sum();
                let other = &reward(choice) + &ahead;
                *budget = budget.checked_sub(other.cost() * rows.branches(choice).len() as u64)?;
                let better = match direction {
                    Direction::Max => other > best,
                    Direction::Min => other < best,
                };
                if better {
                    (best, *chosen, improved) = (other, choice, true);
                }
            }
        }
        if !improved {
            return Some(solution.into_iter().map(|[value]| value).collect());
        }
    }
}
