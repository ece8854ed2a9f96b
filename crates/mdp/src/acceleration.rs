//! Bounds by guessing and verifying, for components that mix slowly.
//!
//! Interval iteration may need as many sweeps as a run takes steps to leave a component: 2^N for the chain of
//! Haddad & Monmege. Instead, in the spirit of optimistic value iteration (Hartmanns & Kaminski, CAV 2020): take a
//! scheduler, solve its equations directly ([`elimination`](crate::elimination)), widen the solution a little, and
//! *verify* the result with the outward-rounded Bellman operator.
//!
//! Let `x` be the value of the scheduler and `h >= 1` its expected number of steps within the component. The
//! candidates are `u = x + d h` and `l = x - d h`. Under the scheduler a Bellman step gives `u - d` and `l + d`: a slack
//! of `d` at every state, more than rounding takes away, at the price of a width of `2 d h`. (Adding a constant instead of
//! `d h` would leave no slack where a step exits with probability zero.) `x + d h` is the value of the scheduler when
//! every step pays `d`; so where another choice violates the candidate by more than `d`, switching to it is policy
//! iteration on that modified problem, and it ends.
//!
//! Soundness: candidates are accepted only if, evaluated with rounding against us, `T(u) <= u` and `l <= T(l)` for
//! every class. By Park's theorem `u` is then above the least fixed point of `T`, and `l` below the greatest; in the
//! quotient they are the same, the value. How the candidates were found does not matter.

use std::ops::Range;

use crate::elimination::{Row, eliminate};
use crate::iteration::Values;
use crate::query::Direction;

/// Scheduler improvements before giving up.
const MAX_ROUNDS: usize = 200;
/// How often the slack may grow when rounding eats it.
const MAX_WIDENINGS: usize = 4;

/// What verification said about a candidate.
enum Check {
    Accepted,
    /// Some classes have a better choice; the scheduler was improved.
    Improved,
    /// Rounding errors exceed the slack.
    TooTight,
}

/// Tries to tighten the bounds on `component` to a width of `goal` beyond that of the bounds it leads to.
///
/// True when verified bounds were found and merged; false leaves everything as it was. At most about `budget`
/// elementary operations.
pub(crate) fn accelerate(
    values: &mut Values<'_>,
    component: Range<u32>,
    goal: f64,
    mut budget: u64,
    mut stop: impl FnMut() -> bool,
) -> bool {
    let start = component.start as usize;
    values.fix_choices(component.clone());
    let saved = values.bounds[start..component.end as usize].to_vec();
    let mut policy = values.choices[start..component.end as usize].to_vec();
    let mut slack: Option<f64> = None;
    let mut widenings = 0;
    for _ in 0..MAX_ROUNDS {
        let rows = policy.iter().map(|&choice| row(values, &component, choice)).collect();
        let Some(solution) = eliminate(rows, &mut budget, &mut stop) else { break };
        let longest = solution.iter().fold(0.0, |longest: f64, [_, _, steps]| longest.max(*steps));
        let mut d = *slack.get_or_insert_with(|| (goal / (4.0 * longest)).max(16.0 * f64::EPSILON));
        loop {
            for (offset, [lower, upper, steps]) in solution.iter().enumerate() {
                // Should elimination overflow, `max` and `min` turn NaN into 0 and 1, which are bounds.
                values.bounds[start + offset] = [(lower - d * steps).max(0.0), (upper + d * steps).min(1.0)];
            }
            match verify(values, component.clone(), &mut policy) {
                Check::Accepted => {
                    for (bounds, saved) in values.bounds[start..].iter_mut().zip(&saved) {
                        *bounds = [bounds[0].max(saved[0]), bounds[1].min(saved[1])];
                    }
                    return true;
                }
                Check::TooTight if widenings < MAX_WIDENINGS => {
                    widenings += 1;
                    d *= 8.0;
                    slack = Some(d);
                }
                Check::Improved => break,
                Check::TooTight => {
                    values.bounds[start..component.end as usize].copy_from_slice(&saved);
                    return false;
                }
            }
        }
    }
    values.bounds[start..component.end as usize].copy_from_slice(&saved);
    false
}

/// The equation of `choice` within `component`: right-hand sides from lower bounds, upper bounds, and one step.
fn row(values: &Values<'_>, component: &Range<u32>, choice: u32) -> Row<f64, 3> {
    let rows = &values.quotient.rows;
    let mut row = Row { entries: Vec::new(), exit: 0.0, constants: [0.0, 0.0, 1.0] };
    for branch in rows.branches(choice) {
        let probability = rows.table.nearest()[branch.probability.0 as usize];
        if component.contains(&branch.target) {
            row.entries.push((branch.target - component.start, probability));
        } else {
            let [lower, upper] = values.bounds[branch.target as usize];
            row.exit += probability;
            row.constants[0] += probability * lower;
            row.constants[1] += probability * upper;
        }
    }
    row
}

/// Checks `l <= T(l)` and `T(u) <= u` on the component, and improves the scheduler where another choice is at fault.
fn verify(values: &Values<'_>, component: Range<u32>, policy: &mut [u32]) -> Check {
    // The side on which every choice counts, not only the scheduler's.
    let critical = match values.direction {
        Direction::Max => 1,
        Direction::Min => 0,
    };
    let (mut accepted, mut improved) = (true, false);
    for class in component.clone() {
        let [lower, upper] = values.bounds[class as usize];
        let backup = values.backup(class);
        let holds = [lower <= backup.bounds[0], backup.bounds[1] <= upper];
        accepted &= holds[0] && holds[1];
        let choice = &mut policy[(class - component.start) as usize];
        if !holds[critical] && *choice != backup.choices[critical] {
            *choice = backup.choices[critical];
            improved = true;
        }
    }
    match (accepted, improved) {
        (true, _) => Check::Accepted,
        (false, true) => Check::Improved,
        (false, false) => Check::TooTight,
    }
}
