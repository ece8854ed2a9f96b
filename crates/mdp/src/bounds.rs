//! Two-sided bounds on a probability per state.
//!
//! Lower and upper ends are vectors of their own, not intervals side by side: a sweep reads one side of many states.

use crate::rounding::one_minus;

/// `lower[s] <= exact value of s <= upper[s]`, for every state, exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// Lower bounds in `[0, 1]`.
    pub lower: Vec<f64>,
    /// Upper bounds in `[0, 1]`.
    pub upper: Vec<f64>,
}

impl Bounds {
    /// `[0, 1]` for every state: what is known before any work.
    #[must_use]
    pub fn unknown(states: usize) -> Self {
        Self { lower: vec![0.0; states], upper: vec![1.0; states] }
    }

    /// Bounds on one minus the value.
    ///
    /// This is how the other temporal operators reduce to until:
    /// `Pmax(G f) = 1 - Pmin(F !f)` and `Pmin(G f) = 1 - Pmax(F !f)`; for release and weak until likewise.
    /// Runs that end in a deadlock satisfy `G f` when all their states satisfy `f`.
    ///
    /// Soundness: `1 - x` falls as `x` rises, so the new lower bound comes from the old *upper* one, rounded down,
    /// and the new upper bound from the old *lower* one, rounded up.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self {
            lower: self.upper.iter().map(|&x| one_minus(x).0).collect(),
            upper: self.lower.iter().map(|&x| one_minus(x).1).collect(),
        }
    }

    /// The largest difference between upper and lower bound among `states`, rounded up.
    #[must_use]
    pub fn width(&self, states: impl IntoIterator<Item = u32>) -> f64 {
        states.into_iter().fold(0.0, |widest, state| {
            let (lower, upper) = (self.lower[state as usize], self.upper[state as usize]);
            if lower == upper { widest } else { f64::max(widest, (upper - lower).next_up()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_swaps_the_sides() {
        let bounds = Bounds { lower: vec![0.0, 0.25, 1e-30, 1.0], upper: vec![0.0, 0.5, 0.75, 1.0] };
        let complement = bounds.complement();
        assert_eq!(complement.lower, [1.0, 0.5, 0.25, 0.0]);
        assert_eq!(complement.upper, [1.0, 0.75, 1.0, 0.0]);
        assert_eq!(bounds.width(0..4), 0.75f64.next_up());
        assert_eq!(bounds.width([0, 3]), 0.0);
    }
}
