//! Step-bounded until: `left U<=k right`, reached within `k` steps.
//!
//! Backward iteration (Baier & Katoen, section 10.6.1): `x_0` is one on `right` and zero elsewhere; `x_{j+1}` of an
//! open state is the optimum over choices of the expected `x_j`, zero in a deadlock. No quotient is needed, and none
//! would be right: staying in an end component uses up steps. The optimal scheduler depends on the steps left.
//!
//! Vanishing states are no steps: their `x_j` is the optimum of the same `x_j` of where they lead.
//!
//! Soundness: induction on `j` with the outward rounding of [`rounding`](crate::rounding). The exact `x_j` do not
//! fall as `j` rises, so lower bounds may be kept when rounding would lower them; upper bounds must not be.

use surefoot_num::Rational;

use crate::bounds::Bounds;
use crate::limits::Limits;
use crate::mdp::Mdp;
use crate::query::{Direction, Until};
use crate::rounding::{down, sums, up};
use crate::solve::{SolveError, check_universe};

/// Bounds on step-bounded probabilities.
#[derive(Debug, Clone)]
pub struct BoundedSolution {
    /// Sound bounds for every state.
    pub bounds: Bounds,
    /// Whether all steps were done; otherwise the deadline passed, lower bounds are those of fewer steps and
    /// upper bounds of undecided states are one.
    pub complete: bool,
}

/// Bounds on the optimal probability of `until` within `steps` steps, for every state.
///
/// # Errors
/// [`SolveError::WrongUniverse`] when the sets do not fit. Only the deadline of `limits` counts.
pub fn solve_bounded(
    mdp: &Mdp,
    direction: Direction,
    until: &Until,
    steps: u64,
    limits: &Limits,
) -> Result<BoundedSolution, SolveError> {
    check_universe(mdp, "the until", until.universe())?;
    let start = |state| if until.is_right(state) { [1.0; 2] } else { [0.0; 2] };
    let mut values: Vec<[f64; 2]> = mdp.states().map(start).collect();
    let vanishing: Vec<u32> = mdp.vanishing().filter(|&state| until.is_open(state)).collect();
    let settle = |values: &mut [[f64; 2]]| {
        for &state in &vanishing {
            values[state as usize] = step(mdp, direction, state, values);
        }
    };
    settle(&mut values);
    let mut next = values.clone();
    let open: Vec<u32> =
        (0..mdp.vanishing().start).filter(|&state| until.is_open(state) && !mdp.choices(state).is_empty()).collect();
    let mut complete = true;
    for _ in 0..steps {
        if limits.expired() {
            complete = false;
            break;
        }
        let mut moved = false;
        for &state in &open {
            let old = values[state as usize];
            let [lower, upper] = step(mdp, direction, state, &values);
            let new = [lower.max(old[0]), upper];
            moved |= new != old;
            next[state as usize] = new;
        }
        if !moved {
            // The next step would compute the same from the same.
            break;
        }
        settle(&mut next);
        std::mem::swap(&mut values, &mut next);
    }
    if !complete {
        for &state in open.iter().chain(&vanishing) {
            values[state as usize][1] = 1.0;
        }
    }
    let (lower, upper) = values.into_iter().map(|[lower, upper]| (lower, upper)).unzip();
    Ok(BoundedSolution { bounds: Bounds { lower, upper }, complete })
}

fn step(mdp: &Mdp, direction: Direction, state: u32, values: &[[f64; 2]]) -> [f64; 2] {
    let evaluated = mdp.choices(state).map(|choice| {
        let branches = mdp.branches(choice);
        let [lower, upper] = sums(branches, mdp.table.nearest(), values);
        let all = |side: usize, bound: f64| branches.iter().all(|b| values[b.target as usize][side] == bound);
        // Probabilities sum to one: nothing is lost where every outcome is certain, or impossible.
        let lower = if all(0, 1.0) { 1.0 } else { down(lower, branches.len()) };
        let upper = if all(1, 0.0) { 0.0 } else { up(upper, branches.len()) };
        [lower, upper]
    });
    match direction {
        Direction::Max => evaluated.fold([0.0; 2], |a: [f64; 2], b| [a[0].max(b[0]), a[1].max(b[1])]),
        Direction::Min => evaluated.fold([1.0; 2], |a: [f64; 2], b| [a[0].min(b[0]), a[1].min(b[1])]),
    }
}

/// The exact optimal probability of `until` within `steps` steps, for every state; `None` when the deadline passed.
///
/// Fractions get longer with every step; this is for few steps, and to compare [`solve_bounded`] with.
///
/// # Errors
/// [`SolveError::WrongUniverse`] when the sets do not fit.
pub fn solve_bounded_exact(
    mdp: &Mdp,
    direction: Direction,
    until: &Until,
    steps: u64,
    limits: &Limits,
) -> Result<Option<Vec<Rational>>, SolveError> {
    check_universe(mdp, "the until", until.universe())?;
    let states = 0..mdp.vanishing().start;
    let optimum = |state: u32, values: &[Rational]| {
        let expected = mdp.choices(state).map(|choice| {
            mdp.branches(choice).iter().map(|&b| mdp.exact(b) * &values[b.target as usize]).sum::<Rational>()
        });
        let best = match direction {
            Direction::Max => expected.max(),
            Direction::Min => expected.min(),
        };
        best.unwrap_or(Rational::ZERO)
    };
    let settle = |values: &mut Vec<Rational>| {
        for state in mdp.vanishing().filter(|&state| until.is_open(state)) {
            values[state as usize] = optimum(state, values);
        }
    };
    let start = |state| Rational::from(until.is_right(state));
    let mut values: Vec<Rational> = mdp.states().map(start).collect();
    settle(&mut values);
    for _ in 0..steps {
        if limits.expired() {
            return Ok(None);
        }
        let moved = |state| if until.is_open(state) { optimum(state, &values) } else { values[state as usize].clone() };
        let mut next: Vec<Rational> = states.clone().map(moved).collect();
        next.extend_from_slice(&values[next.len()..]);
        settle(&mut next);
        if next == values {
            break;
        }
        values = next;
    }
    Ok(Some(values))
}
