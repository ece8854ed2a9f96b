//! Distinct exact probabilities, each stored once.
//!
//! Models have few distinct probabilities (0.7, 0.2, 0.1, ...) and many branches, so a branch keeps a
//! four-byte [`ProbabilityId`] and the table keeps, per distinct value, the exact [`Rational`], the nearest
//! float, and the tightest pair of floats around it.
//!
//! Invariant: `lower <= exact <= upper`, both floats in `[0, 1]`, equal when the value is a float, neighbours
//! otherwise; `nearest` is one of the two.

use rustc_hash::FxHashMap;
use surefoot_num::Rational;

/// The index of a value in a [`ProbabilityTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProbabilityId(pub(crate) u32);

/// A table of distinct probabilities.
#[derive(Debug, Clone, Default)]
pub struct ProbabilityTable {
    exact: Vec<Rational>,
    nearest: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    ids: FxHashMap<Rational, u32>,
}

impl ProbabilityTable {
    /// The id of `value`, which the caller knows to be in `[0, 1]`; `None` when 2^32 values are taken.
    pub(crate) fn intern(&mut self, value: &Rational) -> Option<ProbabilityId> {
        if let Some(&id) = self.ids.get(value) {
            return Some(ProbabilityId(id));
        }
        let id = u32::try_from(self.exact.len()).ok().filter(|&id| id < u32::MAX)?;
        let bounds = enclose(value);
        self.ids.insert(value.clone(), id);
        self.exact.push(value.clone());
        self.nearest.push(value.to_f64().clamp(bounds.0, bounds.1));
        self.bounds.push(bounds);
        Some(ProbabilityId(id))
    }

    /// The number of distinct values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.exact.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// The exact value.
    #[must_use]
    pub fn exact(&self, id: ProbabilityId) -> &Rational {
        &self.exact[id.0 as usize]
    }

    /// Floats around the exact value: at most one unit in the last place apart.
    #[must_use]
    pub fn bounds(&self, id: ProbabilityId) -> (f64, f64) {
        self.bounds[id.0 as usize]
    }

    /// The nearest floats, by id.
    pub(crate) fn nearest(&self) -> &[f64] {
        &self.nearest
    }

    /// An estimate of the memory taken.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * (2 * size_of::<Rational>() + 3 * size_of::<f64>() + 8)
    }
}

/// The tightest floats around `value` in `[0, 1]`.
///
/// Soundness: every candidate is compared with the exact value, so this does not rest on the rounding of
/// `to_f64`; that only makes the loops short.
pub(crate) fn enclose(value: &Rational) -> (f64, f64) {
    let exactly = |float: f64| Rational::from_f64(float).expect("numbers in [0, 1] are finite");
    let nearest = value.to_f64().clamp(0.0, 1.0);
    let (mut lower, mut upper) = (nearest, nearest);
    while exactly(lower) > *value {
        lower = lower.next_down();
    }
    while exactly(upper) < *value {
        upper = upper.next_up();
    }
    (lower.max(0.0), upper.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_are_enclosed_by_themselves() {
        for (text, expected) in [("0", 0.0), ("1", 1.0), ("1/2", 0.5), ("3/1024", 3.0 / 1024.0)] {
            assert_eq!(enclose(&text.parse().unwrap()), (expected, expected));
        }
    }

    #[test]
    fn tiny_values_do_not_vanish_from_above() {
        let (lower, upper) = enclose(&"1e-400".parse().unwrap());
        assert!(lower == 0.0 && upper > 0.0);
    }

    proptest! {
        #[test]
        fn enclosures_are_sound_and_tight(num in 0i64..1_000_000_000_000, extra in 1i64..1_000_000_000_000) {
            let value = Rational::new(num, num + extra).unwrap();
            let (lower, upper) = enclose(&value);
            prop_assert!(Rational::from_f64(lower).unwrap() <= value && value <= Rational::from_f64(upper).unwrap());
            prop_assert!(upper <= lower.next_up());
        }
    }
}
