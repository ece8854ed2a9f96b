//! What a network of VerticalCAS learns from: states in which the advisory issued last was its own, and what every advisory costs there.
//!
//! Half of the states are such that the aircraft come within 1200 feet if the rate is kept: that is where advisories differ. The others are all over the place.
//!
//! Networks see `h / 1024`, `v / 64` and `(tau - 20) / 16`, which are small numbers and exact divisions. The files say so.

use surefoot_network::{Network, Normalisation, ShapeError};
use surefoot_num::{Random, Rational};
use surefoot_train::dense::Dense;
use surefoot_train::distil::Teacher;
use surefoot_train::table::{Process, Table};
use surefoot_train::written;

use super::decision::{Conflict, HORIZON};

/// Mean and range of `h`, `v` and `tau`.
const SCALES: [(i16, i16); 3] = [(0, 1024), (0, 64), (20, 16)];
/// The largest `h` and `v` that are drawn.
const BOUNDS: [(i64, i64); 3] = [(-8000, 8000), (-100, 100), (0, 40)];

/// The problem, solved.
#[derive(Debug)]
pub(super) struct Solution {
    pub(super) conflict: Conflict,
    pub(super) table: Table<2>,
}

/// The lessons of one network.
#[derive(Debug)]
pub(super) struct Lessons<'s> {
    pub(super) solution: &'s Solution,
    pub(super) last: usize,
}

impl Solution {
    /// What an advisory costs; when `tau` is 0, nothing but the advisory itself.
    pub(super) fn cost(&self, tau: usize, last: usize, advisory: usize, at: [f64; 2]) -> f64 {
        match tau {
            0 => self.conflict.cost(last, advisory),
            _ => self.table.cost(&self.conflict, tau, last, advisory, at),
        }
    }

    /// The advisory that costs least, the first of several.
    pub(super) fn best(&self, tau: usize, last: usize, at: [f64; 2]) -> usize {
        match tau {
            0 => 0,
            _ => self.table.best(&self.conflict, tau, last, at),
        }
    }
}

/// What a network sees of a state.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "networks see rounded numbers")]
pub(super) fn seen(tau: usize, [h, v]: [f64; 2]) -> [f32; 3] {
    let scaled = |x: f64, (mean, range): (i16, i16)| ((x - f64::from(mean)) / f64::from(range)) as f32;
    [scaled(h, SCALES[0]), scaled(v, SCALES[1]), scaled(tau as f64, SCALES[2])]
}

/// A number of an interval.
pub(super) fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    let share = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    low + (high - low) * share
}

impl Teacher for Lessons<'_> {
    fn inputs(&self) -> usize {
        SCALES.len()
    }

    fn labels(&self) -> usize {
        self.solution.conflict.actions()
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "what is learned is rounded")]
    fn draw(&self, random: &mut Random, out: &mut [f32], costs: &mut [f32]) {
        let tau = random.below(HORIZON + 1);
        let v = if random.below(8) == 0 { between(random, -100.0, 100.0) } else { between(random, -56.0, 56.0) };
        let h = match random.below(8) {
            0 => between(random, -8000.0, 8000.0),
            1..=3 => between(random, -2000.0, 2000.0),
            _ => v * tau as f64 + between(random, -1200.0, 1200.0),
        };
        let at = [h, v];
        out.copy_from_slice(&seen(tau, at));
        for (advisory, cost) in costs.iter_mut().enumerate() {
            *cost = self.solution.cost(tau, self.last, advisory, at) as f32;
        }
    }
}

/// A student as a network that reads feet, feet per second and seconds.
///
/// # Errors
/// When a parameter is no number.
pub(super) fn network(student: &Dense) -> Result<Network, ShapeError> {
    let fraction = |n: i16, d: i16| Rational::new(i64::from(n), i64::from(d)).unwrap_or(Rational::ZERO);
    let scale = SCALES.map(|(_, range)| fraction(1, range)).to_vec();
    let offset = SCALES.map(|(mean, range)| fraction(-mean, range)).to_vec();
    let bounds = BOUNDS.map(|(low, high)| (Rational::from(low), Rational::from(high))).to_vec();
    let network = written::network(student, |_| 1.0)?;
    network.with_input_normalisation(Normalisation::new(scale, offset)?)?.with_input_bounds(bounds)
}
