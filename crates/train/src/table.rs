//! Decision problems over real numbers with a finite horizon, solved by value iteration over a grid.
//!
//! A state is a mode and `N` real numbers. With `k` steps to go, an action `a` in state `s` costs
//!
//! > `Q_k(s, a) = c(s, a) + mean or maximum over the outcomes s' of V_{k-1}(s')`, `V_k(s) = min over a of Q_k(s, a)`, `V_0(s)` given.
//!
//! [`Table::solve`] has `V_k` at the points of a grid, one sweep per step; between points it is interpolated, but for `V_0`, which is known everywhere. Costs of actions
//! come from the values one step later, so they keep to the dynamics between points as well.

use rayon::prelude::*;
use surefoot_limits::{Limits, Stop};

use crate::grid::Grid;

/// What an action costs of what its outcomes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlook {
    /// The mean: outcomes are equally likely.
    Mean,
    /// The maximum: an opponent chooses.
    Worst,
}

/// A decision problem: what can be done, where it leads, what it costs.
pub trait Process<const N: usize>: Sync {
    /// How many modes there are.
    fn modes(&self) -> usize;

    /// How many actions there are, in every state.
    fn actions(&self) -> usize;

    /// What outcomes count.
    fn outlook(&self) -> Outlook;

    /// What an action costs at once.
    fn cost(&self, mode: usize, action: usize) -> f64;

    /// What a state costs at the end.
    fn end(&self, mode: usize, at: [f64; N]) -> f64;

    /// Shows each state, at least one, that an action may lead to.
    fn outcomes(&self, mode: usize, action: usize, at: [f64; N], show: impl FnMut(usize, [f64; N]));
}

/// The values of all states of a grid, for every number of steps to go.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<const N: usize> {
    grid: Grid<N>,
    /// Per number of steps from 1, per mode: a value for each point.
    values: Vec<Vec<Vec<f32>>>,
}

impl<const N: usize> Table<N> {
    /// Values for up to `steps` steps; threads are those of the pool that this is called in, and change nothing. `swept` is told the number of each sweep.
    ///
    /// # Errors
    /// The limit that was met.
    pub fn solve(
        process: &impl Process<N>,
        grid: Grid<N>,
        steps: usize,
        limits: &Limits,
        mut swept: impl FnMut(usize),
    ) -> Result<Self, Stop> {
        let mut table = Self { grid, values: Vec::with_capacity(steps) };
        for step in 1..=steps {
            limits.check()?;
            let value = |mode: usize, number: usize| {
                let at = table.grid.point(number);
                let costs = (0..process.actions()).map(|action| table.cost(process, step, mode, action, at));
                #[expect(clippy::cast_possible_truncation, reason = "tables are kept in single precision")]
                let least = costs.fold(f64::INFINITY, f64::min) as f32;
                least
            };
            let mode = |mode: usize| (0..table.grid.points()).into_par_iter().map(|at| value(mode, at)).collect();
            let values = (0..process.modes()).map(mode).collect();
            table.values.push(values);
            swept(step);
        }
        Ok(table)
    }

    /// For how many steps there are values.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.values.len()
    }

    /// What a state costs with so many steps to go, at best.
    #[must_use]
    pub fn value(&self, process: &impl Process<N>, steps: usize, mode: usize, at: [f64; N]) -> f64 {
        match steps.checked_sub(1) {
            None => process.end(mode, at),
            Some(sweep) => self.grid.interpolate(&self.values[sweep][mode], at),
        }
    }

    /// What an action costs with so many steps to go, at least one, if all that follow are the best.
    #[must_use]
    pub fn cost(&self, process: &impl Process<N>, steps: usize, mode: usize, action: usize, at: [f64; N]) -> f64 {
        let (mut sum, mut most, mut count) = (0.0, f64::NEG_INFINITY, 0.0);
        process.outcomes(mode, action, at, |mode, next| {
            let value = self.value(process, steps - 1, mode, next);
            sum += value;
            most = most.max(value);
            count += 1.0;
        });
        let later = match process.outlook() {
            Outlook::Mean => sum / count,
            Outlook::Worst => most,
        };
        process.cost(mode, action) + later
    }

    /// The action that costs least with so many steps to go, the first of several.
    #[must_use]
    pub fn best(&self, process: &impl Process<N>, steps: usize, mode: usize, at: [f64; N]) -> usize {
        let mut best = (0, f64::INFINITY);
        for action in 0..process.actions() {
            let cost = self.cost(process, steps, mode, action, at);
            if cost < best.1 {
                best = (action, cost);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use surefoot_limits::Cancel;

    use super::*;

    /// A cart on a line: to the left, to stay, to the right, and then perhaps one more the same way, with a wind. The end costs the distance from 1, changing one's mind a bit.
    struct Cart {
        outlook: Outlook,
        stride: f64,
    }

    impl Process<2> for Cart {
        fn modes(&self) -> usize {
            3
        }

        fn actions(&self) -> usize {
            3
        }

        fn outlook(&self) -> Outlook {
            self.outlook
        }

        fn cost(&self, mode: usize, action: usize) -> f64 {
            if mode == action { 0.0 } else { 0.0625 }
        }

        fn end(&self, mode: usize, [x, wind]: [f64; 2]) -> f64 {
            (x - 1.0).abs() + if mode == 1 { 0.0 } else { wind.abs() }
        }

        fn outcomes(&self, _: usize, action: usize, [x, wind]: [f64; 2], mut show: impl FnMut(usize, [f64; 2])) {
            let by = [-self.stride, 0.0, self.stride][action];
            let wind_next = if wind > 0.5 { 0.0 } else { wind + 1.0 };
            show(action, [(x + by).clamp(-4.0, 4.0), wind]);
            if action != 1 {
                show(action, [(x + 2.0 * by + wind).clamp(-4.0, 4.0), wind_next]);
            }
        }
    }

    /// With so many points on each unit of the line.
    fn grid(fineness: u16) -> Grid<2> {
        let positions = (0..=8 * fineness).map(|i| -4.0 + f64::from(i) / f64::from(fineness)).collect();
        Grid::new([positions, vec![0.0, 1.0]])
    }

    /// By the definition, without a table: all that may follow.
    fn truth(process: &Cart, steps: usize, mode: usize, at: [f64; 2]) -> f64 {
        if steps == 0 {
            return process.end(mode, at);
        }
        let cost = |action: usize| {
            let mut outcomes = Vec::new();
            process.outcomes(mode, action, at, |mode, at| outcomes.push(truth(process, steps - 1, mode, at)));
            let later = match process.outlook {
                #[expect(clippy::cast_precision_loss, reason = "one or two")]
                Outlook::Mean => outcomes.iter().sum::<f64>() / outcomes.len() as f64,
                Outlook::Worst => outcomes.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            };
            process.cost(mode, action) + later
        };
        (0..3).map(cost).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn where_outcomes_are_points_values_are_those_of_all_that_may_follow() {
        for outlook in [Outlook::Mean, Outlook::Worst] {
            let process = Cart { outlook, stride: 1.0 };
            let table = Table::solve(&process, grid(1), 5, &Limits::default(), |_| {}).expect("no limits");
            for steps in 0..=5 {
                for number in 0..table.grid.points() {
                    for mode in 0..3 {
                        let at = table.grid.point(number);
                        let (found, expected) =
                            (table.value(&process, steps, mode, at), truth(&process, steps, mode, at));
                        assert!((found - expected).abs() < 1e-6, "{outlook:?} {steps} {at:?}: {found}, not {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn between_points_finer_grids_are_nearer_and_one_step_is_exact() {
        let process = Cart { outlook: Outlook::Mean, stride: 0.7 };
        let error = |fineness: u16, steps: usize| {
            let table = Table::solve(&process, grid(fineness), steps, &Limits::default(), |_| {}).expect("no limits");
            let places = (0..40).map(|i| [-3.9 + 0.19 * f64::from(i), 0.0]);
            let off = |at| {
                (0..3).map(|mode| (table.cost(&process, steps, mode, 2, at), mode)).fold(0.0, |most, (found, mode)| {
                    let mut outcomes = Vec::new();
                    process.outcomes(mode, 2, at, |mode, at| outcomes.push(truth(&process, steps - 1, mode, at)));
                    let expected = process.cost(mode, 2) + (outcomes[0] + outcomes[1]) / 2.0;
                    f64::max(most, f64::abs(found - expected))
                })
            };
            places.map(off).fold(0.0, f64::max)
        };
        assert!(error(1, 1) < 1e-9, "the end is known everywhere");
        let (coarse, fine) = (error(1, 4), error(16, 4));
        assert!(fine < 0.02 && fine < coarse / 4.0, "{coarse} {fine}");
    }

    #[test]
    fn the_best_is_the_first_that_costs_least_and_limits_are_kept() {
        let process = Cart { outlook: Outlook::Worst, stride: 1.0 };
        let table = Table::solve(&process, grid(1), 3, &Limits::default(), |_| {}).expect("no limits");
        assert_eq!((table.best(&process, 3, 1, [1.0, 0.0]), table.best(&process, 3, 1, [-3.0, 0.0])), (1, 2));
        let cancel = Cancel::default();
        cancel.stop(Stop::Interrupted);
        let limits = Limits { cancel, ..Limits::default() };
        assert_eq!(Table::solve(&process, grid(1), 3, &limits, |_| {}).unwrap_err(), Stop::Interrupted);
    }
}
