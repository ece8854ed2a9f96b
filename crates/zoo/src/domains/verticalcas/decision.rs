//! The decision problem of VerticalCAS: which advisory costs least?
//!
//! A near mid-air collision, |h| <= 100 when `tau` is 0, costs 1. Every second under an advisory costs a little, the more the stronger it is; so does every level by which
//! an advisory is stronger than the last one, and a reversal from up to down or back. So `COC` is issued where nothing threatens, and wherever an advisory would not help.
//!
//! The pilot chooses among the accelerations of the model, each as likely as the others, or, where that is asked for, the worst.

use surefoot_train::grid::Grid;
use surefoot_train::table::{Outlook, Process};

use super::pilot::Pilot;

/// The largest `tau`, in seconds.
pub(super) const HORIZON: usize = 40;

/// What a second of an advisory costs, by its strength.
const ALERT: [f64; 5] = [0.0, 1e-4, 2e-4, 3e-4, 4e-4];
/// What every level costs that an advisory is stronger than the last one.
const STRENGTHENING: f64 = 2e-3;
/// What a reversal costs.
const REVERSAL: f64 = 1e-2;
/// A collision is nearer than this, in feet.
const NEAR: f64 = 100.0;

/// What passing just outside of that costs; it falls evenly to nothing at `CLEAR` feet.
const CLOSE: f64 = 0.25;
const CLEAR: f64 = 500.0;

/// The problem.
#[derive(Debug, Clone, Copy)]
pub struct Conflict {
    /// What the aircraft does.
    pub pilot: Pilot,
    /// How the pilot chooses.
    pub outlook: Outlook,
}

/// How strong an advisory is, from 0 for `COC` to 4.
fn strength(advisory: usize) -> usize {
    advisory.div_ceil(2)
}

/// Whether two advisories ask for opposite directions. Odd ones ask to go down, even ones up, and `COC` for neither.
pub(super) fn opposite(one: usize, other: usize) -> bool {
    one != 0 && other != 0 && one % 2 != other % 2
}

/// Whether a state is a near mid-air collision, when `tau` is 0.
pub(super) fn is_near(h: f64) -> bool {
    h.abs() <= NEAR
}

impl Process<2> for Conflict {
    fn modes(&self) -> usize {
        super::ADVISORIES.len()
    }

    fn actions(&self) -> usize {
        super::ADVISORIES.len()
    }

    fn outlook(&self) -> Outlook {
        self.outlook
    }

    fn cost(&self, last: usize, advisory: usize) -> f64 {
        let levels = [1.0, 2.0, 3.0, 4.0];
        let raised = strength(advisory).saturating_sub(strength(last)).checked_sub(1).map_or(0.0, |i| levels[i]);
        let reversed = if opposite(last, advisory) { REVERSAL } else { 0.0 };
        ALERT[strength(advisory)] + STRENGTHENING * raised + reversed
    }

    fn end(&self, _: usize, [h, _]: [f64; 2]) -> f64 {
        let beyond = (h.abs() - NEAR) / (CLEAR - NEAR);
        if is_near(h) { 1.0 } else { CLOSE * (1.0 - beyond).max(0.0) }
    }

    fn outcomes(&self, last: usize, advisory: usize, at: [f64; 2], mut show: impl FnMut(usize, [f64; 2])) {
        self.pilot.outcomes(last, advisory, at, |next| show(advisory, next));
    }
}

/// The grid over `h` and `v`: finest around 0, with steps of 80 feet and 8 feet per second over `detail` there.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "small")]
pub fn grid(detail: usize) -> Grid<2> {
    let over = detail as f64;
    let h = axis(&[(400.0, 80.0 / over), (1000.0, 200.0 / over), (2000.0, 400.0 / over), (8000.0, 2000.0 / over)]);
    let v = axis(&[(56.0, 8.0 / over), (100.0, 22.0 / over)]);
    Grid::new([h, v])
}

/// Points on both sides of 0, up to each end with its own steps.
fn axis(parts: &[(f64, f64)]) -> Vec<f64> {
    let (mut positive, mut begin) = (Vec::new(), 0.0);
    for (end, step) in parts {
        let mut i = 1.0;
        while begin + i * step < end + step / 2.0 {
            positive.push(begin + i * step);
            i += 1.0;
        }
        begin = *end;
    }
    let negative = positive.iter().rev().map(|x| -x);
    negative.chain([0.0]).chain(positive.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use surefoot_limits::Limits;
    use surefoot_train::table::Table;

    use super::*;

    /// The same in the mirror: up is down.
    fn mirrored(advisory: usize) -> usize {
        match advisory {
            0 => 0,
            down if down % 2 == 1 => down + 1,
            up => up - 1,
        }
    }

    fn conflict(outlook: Outlook) -> Conflict {
        Conflict { pilot: Pilot::new("paper", "physical"), outlook }
    }

    fn solved(conflict: &Conflict, detail: usize, steps: usize) -> Table<2> {
        Table::solve(conflict, grid(detail), steps, &Limits::default(), |_| {}).expect("no limits")
    }

    /// Everything that may follow, without a table and without a grid.
    fn truth(conflict: &Conflict, tau: usize, last: usize, at: [f64; 2]) -> f64 {
        if tau == 0 {
            return conflict.end(last, at);
        }
        let cost = |advisory: usize| {
            let mut later = Vec::new();
            conflict.outcomes(last, advisory, at, |last, next| later.push(truth(conflict, tau - 1, last, next)));
            #[expect(clippy::cast_precision_loss, reason = "up to three")]
            let mean = later.iter().sum::<f64>() / later.len() as f64;
            let worst = later.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            conflict.cost(last, advisory) + if conflict.outlook == Outlook::Mean { mean } else { worst }
        };
        (0..9).map(cost).fold(f64::INFINITY, f64::min)
    }

    /// As [`truth`], but values of two and more seconds are only known at the points of the grid, as in the table.
    fn on_grid(conflict: &Conflict, grid: &Grid<2>, tau: usize) -> Vec<Vec<f32>> {
        let before = (tau > 1).then(|| on_grid(conflict, grid, tau - 1));
        let value = |last: usize, at: [f64; 2]| {
            before.as_ref().map_or_else(|| conflict.end(last, at), |values| grid.interpolate(&values[last], at))
        };
        let least = |last: usize, at: [f64; 2]| {
            let cost = |advisory: usize| {
                let mut later = Vec::new();
                conflict.outcomes(last, advisory, at, |last, next| later.push(value(last, next)));
                later.sort_by(f64::total_cmp);
                #[expect(clippy::cast_precision_loss, reason = "up to three")]
                let mean = later.iter().sum::<f64>() / later.len() as f64;
                let worst = later[later.len() - 1];
                conflict.cost(last, advisory) + if conflict.outlook == Outlook::Mean { mean } else { worst }
            };
            (0..9).map(cost).fold(f64::INFINITY, f64::min)
        };
        #[expect(clippy::cast_possible_truncation, reason = "as the table")]
        let mode = |last| (0..grid.points()).map(|number| least(last, grid.point(number)) as f32).collect();
        (0..9).map(mode).collect()
    }

    #[test]
    fn values_are_those_of_a_second_solver_on_a_tiny_grid() {
        for outlook in [Outlook::Mean, Outlook::Worst] {
            let conflict = conflict(outlook);
            let (grid, table) = (grid(1), solved(&conflict, 1, 4));
            for tau in 1..=4 {
                for (last, values) in on_grid(&conflict, &grid, tau).iter().enumerate() {
                    for (number, expected) in values.iter().enumerate() {
                        let found = table.value(&conflict, tau, last, grid.point(number));
                        assert!((found - f64::from(*expected)).abs() < 1e-6, "{tau} {last} {number}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_are_near_those_of_all_that_may_follow() {
        for outlook in [Outlook::Mean, Outlook::Worst] {
            let conflict = conflict(outlook);
            let table = solved(&conflict, 8, 2);
            let mut worst: f64 = 0.0;
            for last in [0, 4, 7] {
                for h in [-700.0, -330.0, -131.0, -60.0, 0.0, 45.0, 180.0, 512.0] {
                    for v in [-43.5, -19.5, 0.0, 3.0, 26.0] {
                        // One second is exact at points of the grid; two are so up to what is between them.
                        let (found, expected) =
                            (table.value(&conflict, 2, last, [h, v]), truth(&conflict, 2, last, [h, v]));
                        worst = worst.max((found - expected).abs());
                    }
                }
            }
            assert!(worst < 0.2, "{outlook:?}: {worst}");
        }
    }

    #[test]
    fn up_is_down_in_the_mirror() {
        let conflict = conflict(Outlook::Mean);
        let table = solved(&conflict, 2, 12);
        for last in 0..9 {
            for h in [-900.0, -300.0, -131.0, 0.0, 50.0, 412.5] {
                for v in [-40.0, -11.0, 0.0, 7.0, 33.0] {
                    for advisory in 0..9 {
                        let one = table.cost(&conflict, 12, last, advisory, [h, v]);
                        let other = table.cost(&conflict, 12, mirrored(last), mirrored(advisory), [-h, -v]);
                        assert!((one - other).abs() < 1e-6, "{last} {advisory} {h} {v}: {one} {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn advisories_are_sensible() {
        let conflict = conflict(Outlook::Mean);
        let table = solved(&conflict, 4, 20);
        let best = |tau, last, at| table.best(&conflict, tau, last, at);
        // Far away, and going apart.
        assert_eq!((best(20, 0, [7000.0, 0.0]), best(10, 0, [-600.0, 30.0]), best(10, 4, [-1500.0, 30.0])), (0, 0, 0));
        // The intruder is 130 feet below at the same rate, with eight seconds left: upwards.
        assert!([2, 4, 6, 8].contains(&best(8, 0, [-130.0, 0.0])));
        assert!([1, 3, 5, 7].contains(&best(8, 0, [130.0, 0.0])));
        // Descending towards it: upwards, and more than not to descend.
        assert!([4, 6, 8].contains(&best(6, 0, [-150.0, -10.0])));
        // What costs what.
        assert!(conflict.cost(0, 0) < conflict.cost(4, 4) && conflict.cost(4, 4) < conflict.cost(0, 4));
        assert!(conflict.cost(4, 6) < conflict.cost(4, 8) && conflict.cost(4, 3) > conflict.cost(4, 8));
    }
}
