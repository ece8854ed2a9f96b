//! Optimal until probabilities as exact fractions.
//!
//! The same graph analysis and quotient as [`solve`](crate::solve()), then component by component: fractions
//! [guessed from floats and verified](crate::reconstruction), and where that fails
//! [policy iteration](crate::exact_component) over rational numbers, for which floats only choose the scheduler to
//! start from. The latter is fit for components of up to a few hundred classes, a few thousand if they are sparse; the
//! length of the fractions is what costs.

use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;

use crate::exact_component::solve_component;
use crate::limits::{Limits, solving_bytes};
use crate::mdp::Mdp;
use crate::prepare::Prepared;
use crate::query::{Direction, Until};
use crate::reconstruction::reconstruct;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::solve::{Options, SolveError, check_universe};

/// Exact probabilities and a scheduler that attains them.
#[derive(Debug, Clone)]
pub struct ExactSolution {
    /// The optimal probability of every state.
    pub values: Vec<Rational>,
    /// A scheduler whose probabilities are the values.
    pub scheduler: Scheduler,
}

/// Why there is no exact solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExactError {
    /// The question does not fit the process.
    #[error(transparent)]
    Refused(#[from] SolveError),
    /// A limit was met with some components unsolved.
    #[error("{stop} after {solved} of {components} components")]
    Stopped {
        /// Which: one of the run, or of [`Unit::Fractions`].
        stop: Stop,
        /// Components solved.
        solved: usize,
        /// Components there are.
        components: usize,
    },
}

/// The exact optimal probability of `until` in every state of `mdp`.
///
/// # Errors
/// [`ExactError::Refused`] when the sets do not fit, [`ExactError::Stopped`] when time, memory or `exact_work` do not suffice. `max_sweeps` has no effect.
pub fn solve_exact(
    mdp: &Mdp,
    direction: Direction,
    until: &Until,
    limits: &Limits,
) -> Result<ExactSolution, ExactError> {
    check_universe(mdp, "the until", until.universe())?;
    let late = || ExactError::Stopped { stop: limits.stopped(), solved: 0, components: 0 };
    // As much as in floats, and a fraction per class and per state.
    let (states, choices, branches) = (mdp.num_states(), mdp.num_choices(), mdp.num_branches());
    let fractions = states.saturating_mul(2 * size_of::<Rational>());
    if let Some(stop) = limits.run.exceeded(solving_bytes(states, choices, branches).saturating_add(fractions)) {
        return Err(ExactError::Stopped { stop, solved: 0, components: 0 });
    }
    let prepared = Prepared::new(mdp, direction, until, None, limits).ok_or_else(late)?;
    let quotient = &prepared.quotient;
    let approximate = Limits { max_sweeps: Some(1 << 12), ..limits.clone() };
    let options = Options { precision: 1e-9, limits: approximate, ..Options::default() };
    let mut guess = Run::new(quotient, direction, &options);
    guess.components();
    let (mut choices, bounds) = (guess.values.choices, guess.values.bounds);
    let mut values = vec![Rational::ZERO; quotient.rows.num_states()];
    values[quotient.one() as usize] = Rational::ONE;
    let mut budget = limits.exact_work.unwrap_or(u64::MAX);
    for (solved, component) in quotient.components().enumerate() {
        let range = component.start as usize..component.end as usize;
        let boundary = |class: u32| values[class as usize].clone();
        let (policy, stop) = (&mut choices[range.clone()], || limits.expired());
        let guessed = if component.len() > 1 {
            let floats = bounds[range.clone()].iter().map(|[lower, upper]| f64::midpoint(*lower, *upper)).collect();
            reconstruct(quotient, direction, component.clone(), boundary, floats, policy, &mut budget, stop)
        } else {
            None
        };
        let exact = guessed
            .or_else(|| solve_component(quotient, direction, component, boundary, policy, &mut budget, stop))
            .ok_or_else(|| unsolved(limits, solved, quotient.components().count()))?;
        values.splice(range, exact);
    }
    let scheduler = prepared.scheduler(mdp, direction, until, &choices);
    let values = quotient.class_of.iter().map(|&class| values[class as usize].clone()).collect();
    Ok(ExactSolution { values, scheduler })
}

/// Why it ended after `solved` components: time, or else work.
fn unsolved(limits: &Limits, solved: usize, components: usize) -> ExactError {
    let spent = || Stop::Most(Unit::Fractions, limits.exact_work.unwrap_or(u64::MAX));
    ExactError::Stopped { stop: limits.run.stop().unwrap_or_else(spent), solved, components }
}
