//! Bounds of expected rewards in floats: iteration from below, candidates from above that are verified, and fractions where floats do not suffice.
//!
//! Component by component, successors first. From below, values grow from zero by Bellman steps rounded down. From above there is nothing to start from, so a
//! candidate is guessed: the equations of a scheduler that looks best are solved in floats, and the solution is raised a little, by a multiple
//! of the expected time to leave the component; a Bellman step rounded up must not raise it (optimistic value iteration: Hartmanns
//! & Kaminski, CAV 2020). Then both sides go on until they are close. What is guessed decides nothing before it is verified.
//!
//! Rounding: `E = r + sum p_i x_i` with exact `r` and `p_i` and floats `x_i >= 0` is a sum of `n + 1` products, the first with a factor of one. By the
//! argument of [`rounding`](crate::rounding), which is about relative errors and needs no bound on `x_i`, the float sum `S` has
//! `S (1 - m) - 10^-300 <= E <= S (1 + m) + 10^-300` for `m = (n + 9) 2^-52`, as long as nothing overflows; where something does, the lower bound stays as it is.

use std::ops::Range;

use surefoot_limits::{Stop, Unit};
use surefoot_num::{FloatInterval, Rational};

use super::stopping::Stopping;
use super::{RewardError, RewardOptions, RewardSolution, Rewards};
use crate::elimination::{Row, eliminate};
use crate::exact_component::solve_with_rewards;
use crate::limits::Ending;
use crate::mdp::Mdp;
use crate::query::Direction;
use crate::quotient::Quotient;
use crate::rounding::sums;
use crate::scheduler::Scheduler;
use crate::set::StateSet;

/// Sweeps before the first guess.
const FIRST_ATTEMPT: u64 = 8;
/// Components of at most this many classes are solved in fractions when floats fail.
const EXACT_CLASSES: usize = 400;
/// Work allowed for that, and for a guess, in small operations.
const BUDGET: u64 = 4_000_000;
/// Schedulers tried for a guess.
const ROUNDS: usize = 20;
/// Below any reward of interest, and above all that underflow may hide.
const TINY: f64 = 1e-300;

/// Bounds on the optimal expected reward of every state until `target`.
///
/// # Errors
/// [`RewardError::Mismatch`]. Limits are no errors: see [`RewardSolution::ending`].
pub fn solve_rewards(
    mdp: &Mdp,
    direction: Direction,
    target: &StateSet,
    rewards: &Rewards,
    options: &RewardOptions,
) -> Result<RewardSolution, RewardError> {
    check(mdp, target, rewards)?;
    let states = mdp.num_states();
    let limits = &options.limits;
    let Some(stopping) = Stopping::new(mdp, direction, target, rewards, options.initial.as_deref(), limits) else {
        let ending = Ending::Stopped(limits.stopped());
        let (lower, upper) = (vec![0.0; states], vec![f64::INFINITY; states]);
        return Ok(RewardSolution { lower, upper, scheduler: Scheduler::first(mdp), ending, sweeps: 0 });
    };
    let mut run = Run::new(&stopping, direction, options);
    run.components();
    let bounds = |state: u32| {
        if !stopping.finite.contains(state) {
            [f64::INFINITY; 2]
        } else if target.contains(state) {
            [0.0; 2]
        } else if stopping.open.contains(state) {
            run.values[stopping.quotient.class_of[state as usize] as usize]
        } else {
            [0.0, f64::INFINITY]
        }
    };
    let all: Vec<[f64; 2]> = mdp.states().map(bounds).collect();
    let wide = |state: u32| {
        let [lower, upper] = all[state as usize];
        // Of two infinities the difference is no number, and they are the same.
        upper - lower > options.precision
    };
    let precise = match &options.initial {
        Some(initial) => !initial.iter().any(|&state| wide(state)),
        None => !mdp.states().any(wide),
    };
    Ok(RewardSolution {
        lower: all.iter().map(|bounds| bounds[0]).collect(),
        upper: all.iter().map(|bounds| bounds[1]).collect(),
        scheduler: stopping.scheduler(mdp, &run.choices),
        ending: if precise { Ending::Precise } else { run.ending },
        sweeps: run.sweeps,
    })
}

pub(super) fn check(mdp: &Mdp, target: &StateSet, rewards: &Rewards) -> Result<(), RewardError> {
    for (what, given, own) in
        [("the target", target.universe(), mdp.num_states()), ("the list of rewards", rewards.len(), mdp.num_choices())]
    {
        if given != own {
            return Err(RewardError::Mismatch { what, given, own });
        }
    }
    Ok(())
}

/// A computation on the quotient.
struct Run<'s> {
    stopping: &'s Stopping,
    direction: Direction,
    options: &'s RewardOptions,
    /// The floats next to the rewards of the choices.
    rewards: Vec<FloatInterval>,
    /// Bounds per class, then those of the target.
    values: Vec<[f64; 2]>,
    choices: Vec<u32>,
    /// A scheduler that reaches the target.
    proper: Vec<u32>,
    sweeps: u64,
    ending: Ending,
}

impl<'s> Run<'s> {
    fn new(stopping: &'s Stopping, direction: Direction, options: &'s RewardOptions) -> Self {
        let mut values = vec![[0.0, f64::INFINITY]; stopping.quotient.rows.num_states()];
        values[stopping.quotient.one() as usize] = [0.0; 2];
        let rewards = stopping.rewards.iter().map(FloatInterval::tightest).collect();
        let proper = stopping.proper();
        let choices = proper.clone();
        Self { stopping, direction, options, rewards, values, choices, proper, sweeps: 0, ending: Ending::Rounding }
    }

    fn components(&mut self) {
        let quotient = &self.stopping.quotient;
        let share = 0.9 * self.options.precision / f64::from(deepest(quotient));
        for (index, component) in quotient.components().enumerate() {
            if index % 4096 == 0
                && let Some(stop) = self.options.limits.run.stop()
            {
                self.ending = Ending::Stopped(stop);
                return;
            }
            if component.len() == 1 {
                self.sweep(component.clone());
                self.fix_choices(component);
            } else {
                let goal = self.width_ahead(component.clone()) + share;
                self.component(component, goal, share);
            }
        }
    }

    /// Bounds on what a choice gives, from bounds of the classes.
    fn bellman(&self, choice: u32, values: &[[f64; 2]]) -> [f64; 2] {
        let rows = &self.stopping.quotient.rows;
        let (branches, reward) = (rows.branches(choice), self.rewards[choice as usize]);
        let [lower, upper] = sums(branches, rows.table.nearest(), values);
        let (lower, upper) = (reward.lower + lower, reward.upper + upper);
        #[expect(clippy::cast_precision_loss, reason = "a choice has few branches")]
        let margin = (branches.len() as f64 + 9.0) * f64::EPSILON;
        let lower = if lower.is_finite() { (lower * (1.0 - margin) - TINY).max(0.0) } else { 0.0 };
        let upper = upper * (1.0 + margin) + TINY;
        // A probability that underflows times infinity is no number; infinity is always a bound.
        [lower, if upper.is_nan() { f64::INFINITY } else { upper }]
    }

    /// Bounds on the value of a class, from bounds of the classes.
    fn best(&self, class: u32, values: &[[f64; 2]]) -> [f64; 2] {
        let choices = self.stopping.quotient.rows.choices(class);
        let each = choices.map(|choice| self.bellman(choice, values));
        let pick: fn(f64, f64) -> f64 = if self.direction == Direction::Max { f64::max } else { f64::min };
        each.reduce(|a, b| [pick(a[0], b[0]), pick(a[1], b[1])]).expect("every class has a choice")
    }

    /// Improves the bounds of some classes, one after the other; whether any moved, and the largest width.
    fn sweep(&mut self, component: Range<u32>) -> (bool, f64) {
        let (mut moved, mut width) = (false, 0.0f64);
        for class in component {
            let [lower, upper] = self.best(class, &self.values);
            let known = &mut self.values[class as usize];
            let now = [known[0].max(lower), known[1].min(upper)];
            moved |= now != *known;
            *known = now;
            width = width.max(now[1] - now[0]);
        }
        (moved, width)
    }

    /// Takes the choice that looks best by the bound that a scheduler guarantees.
    fn fix_choices(&mut self, component: Range<u32>) {
        for class in component {
            let choices = self.stopping.quotient.rows.choices(class);
            let value = |choice: u32| self.bellman(choice, &self.values);
            let best = match self.direction {
                Direction::Max => choices.max_by(|a, b| value(*a)[0].total_cmp(&value(*b)[0]).then(b.cmp(a))),
                Direction::Min => choices.min_by(|a, b| value(*a)[1].total_cmp(&value(*b)[1]).then(a.cmp(b))),
            };
            self.choices[class as usize] = best.expect("every class has a choice");
        }
    }

    fn width_ahead(&self, component: Range<u32>) -> f64 {
        let rows = &self.stopping.quotient.rows;
        let choices = component.clone().flat_map(|class| rows.choices(class));
        let targets = choices.flat_map(|choice| rows.branches(choice)).map(|branch| branch.target);
        targets.filter(|target| !component.contains(target)).fold(0.0, |width: f64, target| {
            let [lower, upper] = self.values[target as usize];
            width.max(upper - lower)
        })
    }

    /// Solves a component of several classes to a width of `goal`, of which `share` is its own.
    fn component(&mut self, component: Range<u32>, goal: f64, share: f64) {
        let limits = &self.options.limits;
        let mut attempt = FIRST_ATTEMPT;
        for sweep in 1u64.. {
            let (moved, width) = self.sweep(component.clone());
            self.sweeps += 1;
            if width <= goal {
                break;
            }
            if sweep == attempt || !moved {
                attempt *= 4;
                let guessed = self.guess(component.clone(), share);
                let small = component.len() <= EXACT_CLASSES;
                if small && (!moved || !guessed || sweep >= 4096) && self.exactly(component.clone()) {
                    return;
                }
                if !moved && !guessed {
                    break;
                }
            }
            if let Some(stop) = limits.run.stop() {
                self.ending = Ending::Stopped(stop);
                break;
            }
            if let Some(most) = limits.max_sweeps.filter(|most| sweep >= *most) {
                self.ending = Ending::Stopped(Stop::Most(Unit::Sweeps, most));
                break;
            }
        }
        self.fix_choices(component);
    }

    /// Guesses bounds of a component and takes over what is verified; whether anything got better.
    fn guess(&mut self, component: Range<u32>, share: f64) -> bool {
        if self.width_ahead(component.clone()).is_infinite() {
            return false;
        }
        let mut budget = BUDGET;
        let Some((policy, solved)) = self.policy_iteration(component.clone(), self.direction, false, &mut budget)
        else {
            return false;
        };
        // The time to leave: of the scheduler itself where one choice per class is to be verified, of the slowest where all are.
        let times = match self.direction {
            Direction::Min => Some(solved.iter().map(|values| values[2]).collect::<Vec<f64>>()),
            Direction::Max => self
                .policy_iteration(component.clone(), Direction::Max, true, &mut budget)
                .map(|(_, solved)| solved.iter().map(|values| values[2]).collect()),
        };
        let Some(times) = times else { return false };
        let longest = times.iter().copied().fold(1.0, f64::max);
        for (class, choice) in component.clone().zip(policy) {
            self.choices[class as usize] = choice;
        }
        let range = component.start as usize..component.end as usize;
        let mut better = false;
        let (mut found_upper, mut found_lower) = (false, false);
        // From what the precision asks for to what is better than nothing.
        for power in 0..12 {
            let slack = share / (4.0 * longest) * 10f64.powi(power);
            let known: Vec<[f64; 2]> = self.values[range.clone()].to_vec();
            for (index, values) in solved.iter().enumerate() {
                let lower = values[0] * (1.0 - 1e-15 * 10f64.powi(power)) - slack * values[2];
                self.values[range.start + index] = [lower.max(0.0), values[1] + slack * times[index]];
            }
            let steps: Vec<[f64; 2]> = component.clone().map(|class| self.best(class, &self.values)).collect();
            let own: Vec<[f64; 2]> = self.values[range.clone()].to_vec();
            // Soundness: see the module `stopping`. A value that is no number compares with nothing.
            let upper = !found_upper && own.iter().zip(&steps).all(|(u, step)| step[1] <= u[1] && u[1].is_finite());
            let lower = !found_lower && own.iter().zip(&steps).all(|(l, step)| l[0] <= step[0] && l[0].is_finite());
            for ((value, known), new) in self.values[range.clone()].iter_mut().zip(known).zip(own) {
                let from_below = if lower { known[0].max(new[0]) } else { known[0] };
                *value = [from_below, if upper { known[1].min(new[1]) } else { known[1] }];
                better |= *value != known;
            }
            found_upper |= upper;
            found_lower |= lower;
            if found_upper && found_lower {
                break;
            }
        }
        better
    }

    /// A scheduler of a component that no single change makes better, as far as floats tell: its lower and upper values and the expected
    /// time until it leaves. `by_time`: the best by that time instead.
    fn policy_iteration(
        &self,
        component: Range<u32>,
        direction: Direction,
        by_time: bool,
        budget: &mut u64,
    ) -> Option<(Vec<u32>, Vec<[f64; 3]>)> {
        let rows = &self.stopping.quotient.rows;
        let nearest = rows.table.nearest();
        let mut policy: Vec<u32> = component.clone().map(|class| self.choices[class as usize]).collect();
        let row = |choice: u32| {
            let FloatInterval { lower, upper } = self.rewards[choice as usize];
            let mut row = Row { entries: Vec::new(), exit: 0.0, constants: [lower, upper, 1.0] };
            for branch in rows.branches(choice) {
                let probability = nearest[branch.probability.0 as usize];
                if component.contains(&branch.target) {
                    row.entries.push((branch.target - component.start, probability));
                } else {
                    let [lower, upper] = self.values[branch.target as usize];
                    row.exit += probability;
                    row.constants[0] += probability * lower;
                    row.constants[1] += probability * upper;
                }
            }
            row
        };
        for _ in 0..ROUNDS {
            let rows_of_policy = policy.iter().map(|&choice| row(choice)).collect();
            let solved = eliminate(rows_of_policy, budget, || self.options.limits.expired())?;
            let side = if by_time { 2 } else { 0 };
            let mut improved = false;
            for class in component.clone() {
                let chosen = &mut policy[(class - component.start) as usize];
                let mut best = solved[(class - component.start) as usize][side];
                for choice in rows.choices(class) {
                    let Row { entries, constants, .. } = row(choice);
                    let ahead: f64 = entries.iter().map(|(column, p)| p * solved[*column as usize][side]).sum();
                    let other = constants[side] + ahead;
                    // Differences of the size of rounding would go round in circles.
                    let room = best.abs() * 1e-12;
                    let better = match direction {
                        Direction::Max => other > best + room,
                        Direction::Min => other < best - room,
                    };
                    if better {
                        (best, *chosen, improved) = (other, choice, true);
                    }
                }
            }
            if !improved {
                return Some((policy, solved));
            }
        }
        None
    }

    /// Solves a component in fractions, from the lower and from the upper bounds of what it leads to.
    fn exactly(&mut self, component: Range<u32>) -> bool {
        if self.width_ahead(component.clone()).is_infinite() {
            return false;
        }
        let Stopping { quotient, rewards, .. } = self.stopping;
        let range = component.start as usize..component.end as usize;
        let mut solved: Vec<Vec<Rational>> = Vec::new();
        for side in [0, 1] {
            if side == 1 && self.width_ahead(component.clone()) == 0.0 {
                solved.push(solved[0].clone());
                break;
            }
            let values = &self.values;
            let mut policy = self.proper[range.clone()].to_vec();
            let (mut budget, stop) = (BUDGET, || self.options.limits.expired());
            let reward = |choice: u32| rewards[choice as usize].clone();
            let boundary = |class: u32| Rational::from_f64(values[class as usize][side]).expect("finite bounds");
            let found = solve_with_rewards(
                quotient,
                self.direction,
                component.clone(),
                reward,
                boundary,
                &mut policy,
                &mut budget,
                stop,
            );
            let Some(found) = found else { return false };
            self.choices[range.clone()].copy_from_slice(&policy);
            solved.push(found);
        }
        for (index, known) in self.values[range].iter_mut().enumerate() {
            let (low, high) = (FloatInterval::tightest(&solved[0][index]), FloatInterval::tightest(&solved[1][index]));
            *known = [known[0].max(low.lower), known[1].min(high.upper)];
        }
        true
    }
}

/// How many components of several classes lie on one way, at most.
fn deepest(quotient: &Quotient) -> u32 {
    let mut depths = vec![0u32; quotient.rows.num_states()];
    for component in quotient.components() {
        let choices = component.clone().flat_map(|class| quotient.rows.choices(class));
        let targets = choices.flat_map(|choice| quotient.rows.branches(choice));
        let ahead = targets.map(|branch| depths[branch.target as usize]).max().unwrap_or(0);
        let depth = ahead + u32::from(component.len() > 1);
        depths[component.start as usize..component.end as usize].fill(depth);
    }
    depths.into_iter().max().unwrap_or(0).max(1)
}
