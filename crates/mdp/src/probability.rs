//! Distinct exact probabilities, each stored once.
//!
//! Models have few distinct probabilities (0.7, 0.2, 0.1, ...) and many branches, so a branch keeps a
//! four-byte [`ProbabilityId`] and the table keeps, per distinct value, the exact [`Rational`], the nearest
//! float, and the tightest pair of floats around it.
//!
//! Invariant: `lower <= exact <= upper`, both floats in `[0, 1]`, equal when the value is a float, neighbours
//! otherwise; `nearest` is one of the two.

use rustc_hash::FxHashMap;
use surefoot_num::{FloatInterval, Rational};

/// The index of a value in a [`ProbabilityTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProbabilityId(pub(crate) u32);

/// A table of distinct probabilities.
#[derive(Debug, Clone, Default)]
pub struct ProbabilityTable {
    exact: Vec<Rational>,
    nearest: Vec<f64>,
    bounds: Vec<FloatInterval>,
    ids: FxHashMap<Rational, u32>,
}

impl ProbabilityTable {
    /// The id of `value`, which the caller knows to be in `[0, 1]`; `None` when 2^32 values are taken.
    pub(crate) fn intern(&mut self, value: &Rational) -> Option<ProbabilityId> {
        if let Some(&id) = self.ids.get(value) {
            return Some(ProbabilityId(id));
        }
        let id = u32::try_from(self.exact.len()).ok().filter(|&id| id < u32::MAX)?;
        let bounds = FloatInterval::tightest(value);
        self.ids.insert(value.clone(), id);
        self.exact.push(value.clone());
        self.nearest.push(value.to_f64().clamp(bounds.lower, bounds.upper));
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
    pub fn bounds(&self, id: ProbabilityId) -> FloatInterval {
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
