//! The band between lower and upper bound, and when it is narrow enough.

use surefoot_limits::Stop;
use surefoot_mdp::Direction;
use surefoot_model::State;
use surefoot_num::Rational;

use super::partition::Partition;
use super::process::Process;
use super::refine::Likely;
use crate::ask::Asked;

/// So near to the threshold floats are not trusted to come.
const CLOSE: f64 = 1e-8;

/// Both bounds, as far as they are known.
#[derive(Debug)]
pub(crate) struct Band {
    direction: Direction,
    threshold: Option<Rational>,
    lower: Rational,
    upper: Rational,
    /// A start state that shows the bound of the model.
    pub(crate) witness: Option<State>,
    /// Why some start states are missing, if they are.
    pub(crate) starts_missing: Option<Stop>,
}

impl Band {
    /// Nothing is known.
    pub(crate) fn new(asked: &Asked<'_>, starts_missing: Option<Stop>) -> Self {
        let (direction, threshold) = (asked.direction, asked.threshold.clone());
        Self { direction, threshold, lower: Rational::ZERO, upper: Rational::ONE, witness: None, starts_missing }
    }

    /// Takes note of a lower bound.
    pub(crate) fn raise(&mut self, lower: Rational) -> bool {
        let better = lower > self.lower;
        if better {
            self.lower = lower;
        }
        better
    }

    /// Takes note of an upper bound.
    pub(crate) fn sink(&mut self, upper: Rational) -> bool {
        let better = upper < self.upper;
        if better {
            self.upper = upper;
        }
        better
    }

    /// Takes note of the values of start cells.
    pub(crate) fn cells(&mut self, partition: &Partition) {
        let values = partition.start_cells.iter().map(|cell| partition.cells[*cell as usize].value);
        match self.direction {
            Direction::Max => self.sink(exact(values.fold(0.0, f64::max))),
            Direction::Min => self.raise(exact(values.fold(1.0, f64::min))),
        };
    }

    /// The same for exact values of the states of a process.
    pub(crate) fn exact_cells(&mut self, partition: &Partition, process: &Process, values: &[Rational]) {
        let is_start = |(_, cell): &(usize, &u32)| partition.cells[**cell as usize].start;
        let starts = process.order.iter().enumerate().filter(is_start);
        let values = starts.map(|(at, _)| values[Process::state(at) as usize].clone());
        match self.direction {
            Direction::Max => values.max().is_some_and(|value| self.sink(value)),
            Direction::Min => values.min().is_some_and(|value| self.raise(value)),
        };
    }

    /// Takes note of what start states attain, of which these are bounds; the number of the one to be shown, if it shows more than was known.
    pub(crate) fn attain(&mut self, bounds: &[[Rational; 2]]) -> Option<usize> {
        let side = usize::from(self.direction == Direction::Min);
        let order = |a: &usize, b: &usize| {
            let order = bounds[*a][side].cmp(&bounds[*b][side]);
            // Ties go to the first start state.
            if side == 0 { order } else { order.reverse() }.then(b.cmp(a))
        };
        let best = (0..bounds.len()).max_by(order)?;
        let value = bounds[best][side].clone();
        let better = if side == 0 { self.raise(value) } else { self.sink(value) };
        (better || self.witness.is_none()).then_some(best)
    }

    /// Takes note of a bound on what all start states attain.
    pub(crate) fn abstracted(&mut self, worst: Rational) {
        match self.direction {
            Direction::Max => self.sink(worst),
            Direction::Min => self.raise(worst),
        };
    }

    /// What the model is known to attain, as a float.
    pub(crate) fn attained(&self) -> f64 {
        let (lower, upper) = self.floats();
        if self.direction == Direction::Max { lower } else { upper }
    }

    /// Whether it is narrow enough, or the comparison decided.
    pub(crate) fn is_settled(&self, precision: f64) -> bool {
        match (&self.threshold, self.direction) {
            (Some(threshold), Direction::Max) => self.upper <= *threshold || self.lower > *threshold,
            (Some(threshold), Direction::Min) => self.lower >= *threshold || self.upper < *threshold,
            (None, _) => &self.upper - &self.lower <= exact(precision),
        }
    }

    /// Whether the bound of the abstraction is so near to the threshold that fractions should tell. The other one is as near from early on, where the value is
    /// the threshold, and decides nothing alone.
    pub(crate) fn is_close(&self, threshold: Option<&Rational>) -> bool {
        let Some(threshold) = threshold else { return false };
        let bound = if self.direction == Direction::Max { &self.upper } else { &self.lower };
        (bound - threshold).abs() <= exact(CLOSE)
    }

    /// Whether it is narrower for what the abstraction says.
    pub(crate) fn rests_on_cells(&self) -> bool {
        match self.direction {
            Direction::Max => self.upper < Rational::ONE,
            Direction::Min => self.lower.signum() > 0,
        }
    }

    /// The bounds.
    pub(crate) fn ends(&self) -> (Rational, Rational) {
        (self.lower.clone(), self.upper.clone())
    }

    /// The bounds as floats, rounded outward.
    pub(crate) fn floats(&self) -> (f64, f64) {
        let rounded = |value: &Rational, outward: fn(f64) -> f64, is_out: &dyn Fn(&Rational) -> bool| {
            let nearest = value.to_f64();
            if is_out(&exact(nearest)) { nearest } else { outward(nearest) }
        };
        let lower = rounded(&self.lower, f64::next_down, &|float| *float <= self.lower);
        let upper = rounded(&self.upper, f64::next_up, &|float| *float >= self.upper);
        (lower, upper)
    }

    /// How far apart they are, roughly.
    pub(crate) fn width(&self) -> f64 {
        (&self.upper - &self.lower).to_f64()
    }

    /// Where runs begin that keep the band wide: in start cells, and where they leave the explored part.
    pub(crate) fn open_cells(&self, partition: &Partition, likely: &Likely<'_>) -> Vec<(u32, f64)> {
        let attained = self.attained();
        let open = |cell: &u32| (partition.cells[*cell as usize].value - attained).abs();
        let is_open = |cell: &&u32| match self.direction {
            Direction::Max => partition.cells[**cell as usize].value > attained,
            Direction::Min => partition.cells[**cell as usize].value < attained,
        };
        // What is explored from counts by where it leads.
        let few = |cell: &&u32| partition.few_starts(**cell).is_some();
        let starts =
            partition.start_cells.iter().filter(is_open).filter(|cell| likely.leaving.is_empty() || !few(cell));
        let mut from: Vec<(u32, f64)> = starts.map(|cell| (*cell, open(cell))).collect();
        let all: f64 = from.iter().map(|(_, open)| open).sum();
        from.iter_mut().for_each(|(_, open)| *open /= all);
        from.extend(likely.masses(partition));
        from
    }
}

/// The fraction that a float is.
pub(crate) fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("bounds are finite numbers")
}
