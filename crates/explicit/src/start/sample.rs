//! Single start states, without listing all of them: random ones, and ones in which a variable is as small or as large as it can be.
//!
//! The same search as for all states, down one branch: halves are taken in the order that is wanted, and a bound on the boxes
//! looked at keeps conditions that are hard to satisfy from taking forever. Every state delivered is a start state.

use surefoot_model::SlotId;
use surefoot_num::Random;

use super::{IntBox, StartError, StartSearch, evaluation};

/// Which state to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Any.
    Any,
    /// One with the smallest value of a variable.
    Smallest(SlotId),
    /// One with the largest value of a variable.
    Largest(SlotId),
}

impl Wanted {
    /// Whether larger values of a variable are preferred; `None` where it does not matter.
    fn prefers_larger(self, slot: SlotId) -> Option<bool> {
        match self {
            Self::Smallest(wanted) if wanted == slot => Some(false),
            Self::Largest(wanted) if wanted == slot => Some(true),
            _ => None,
        }
    }

    fn slot(self) -> Option<SlotId> {
        match self {
            Self::Any => None,
            Self::Smallest(slot) | Self::Largest(slot) => Some(slot),
        }
    }
}

impl StartSearch<'_> {
    /// A state of the condition; `None` where `boxes` boxes hold none, or there is none. What is not wanted is random.
    ///
    /// # Errors
    /// Where the condition has no value, or a limit is met.
    pub fn one(&self, wanted: Wanted, boxes: usize, random: &mut Random) -> Result<Option<Vec<i64>>, StartError> {
        if self.empty {
            return Ok(None);
        }
        let mut work = vec![(self.root.clone(), self.all_open())];
        for _ in 0..boxes {
            self.limits.check().map_err(StartError::Stopped)?;
            let Some((mut region, mut open)) = work.pop() else { return Ok(None) };
            if self.narrow(&mut region, &mut open).is_none() {
                continue;
            }
            let is_wide = |slot: &SlotId| region[slot.index()].0 < region[slot.index()].1;
            let first = wanted.slot().filter(|slot| !open.is_empty() && is_wide(slot));
            let splittable =
                || open.iter().flat_map(|o| &self.constraints[o.constraint].slots).copied().filter(is_wide);
            let slot = first.or_else(|| {
                let count = splittable().count();
                (count > 0).then(|| splittable().nth(random.below(count))).flatten()
            });
            if let Some(slot) = slot {
                let (low, high) = region[slot.index()];
                let middle = low + (high.abs_diff(low) / 2).cast_signed();
                let (mut lower, mut upper) = (region.clone(), region);
                lower[slot.index()] = (low, middle);
                upper[slot.index()] = (middle + 1, high);
                let larger = wanted.prefers_larger(slot).unwrap_or_else(|| random.below(2) == 1);
                let (next, later) = if larger { (upper, lower) } else { (lower, upper) };
                work.push((later, open.clone()));
                work.push((next, open));
                continue;
            }
            let point = point_of(&region, wanted, random);
            // What is still open depends on single values only, so that one point stands for the box.
            let state = self.state(&point);
            let mut holds = true;
            for o in &open {
                let result = self.interpreter.holds(self.constraints[o.constraint].term, &state);
                holds = holds && result.map_err(|error| evaluation(error, &state))?;
            }
            if holds {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }
}

/// A point of a box.
fn point_of(region: &IntBox, wanted: Wanted, random: &mut Random) -> Vec<i64> {
    let value = |(slot, (low, high)): (usize, &(i64, i64))| match wanted.prefers_larger(SlotId::at(slot)) {
        Some(false) => *low,
        Some(true) => *high,
        None => {
            let width = usize::try_from(high.abs_diff(*low)).unwrap_or(usize::MAX).min(usize::MAX - 1);
            low.wrapping_add_unsigned(random.below(width + 1) as u64)
        }
    };
    region.iter().enumerate().map(value).collect()
}
