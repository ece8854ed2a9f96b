//! What a search had to leave open: points at which scores cannot be told apart, and boxes too narrow to be split.
//!
//! Only networks that are not piecewise linear over the reals leave anything open. A search with something left open may still find a
//! witness elsewhere; it never says that there is none.

use surefoot_limits::Stop;
use surefoot_num::Rational;

use super::engine::Search;
use super::goal::Goal;
use super::region::Region;
use super::workspace::Workspace;

/// What was left open.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// Why.
    pub stop: Stop,
    /// The box of the question's variables: lower and upper ends, equal in a point.
    pub bounds: Vec<(f64, f64)>,
}

impl Undecided {
    /// The largest width.
    fn width(&self) -> f64 {
        self.bounds.iter().map(|(lower, upper)| upper - lower).fold(0.0, f64::max)
    }
}

impl<G: Goal> Search<'_, G> {
    /// Leaves a point open.
    pub(crate) fn leave_point(&mut self, point: &[f64]) {
        self.leave(Stop::Tie, point.iter().map(|x| (*x, *x)).collect());
    }

    /// Leaves a region open.
    pub(crate) fn leave_region(&mut self, region: &Region) {
        let n = self.task.compiled.integral.len();
        self.leave(Stop::Narrow, (0..n).map(|v| (region.data[v], region.data[n + v])).collect());
    }

    /// Keeps the smallest box, the first of equals.
    fn leave(&mut self, stop: Stop, bounds: Vec<(f64, f64)>) {
        let bounds = match self.task.reduced {
            None => bounds,
            Some(reduced) => {
                let end = |end: fn(&(f64, f64)) -> f64| {
                    let free: Vec<Rational> =
                        bounds.iter().map(|b| Rational::from_f64(end(b)).expect("boxes are finite")).collect();
                    reduced.full(&free)
                };
                let (lower, upper) = (end(|b| b.0), end(|b| b.1));
                lower.iter().zip(&upper).map(|(l, u)| (l.to_f64(), u.to_f64())).collect()
            }
        };
        self.work.keep_smallest(Undecided { stop, bounds });
    }
}

impl Workspace {
    /// Takes note of what was left open if it is the smallest box.
    pub(crate) fn keep_smallest(&mut self, left: Undecided) {
        if self.undecided.as_ref().is_none_or(|known| left.width() < known.width()) {
            self.undecided = Some(left);
        }
    }
}
