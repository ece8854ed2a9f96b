//! Which variables are explicit in cells, and which have ranges.
//!
//! A bound on a small variable (a position, a flag) makes abstract moves deterministic only together with all its other bounds; so small variables are explicit from the
//! beginning. Counters that only ever grow (costs, time) multiply the states and mostly matter little: they have ranges, and so have variables of large
//! domains. What runs cannot depend on is left out.

use surefoot_abstraction::System;
use surefoot_cegar::profile::Profile;
use surefoot_linear::Symbol;

use super::range::Range;

/// The most values of an explicit variable that is only counted up, or only down.
const MOST_COUNTED: u64 = 4;

/// What cells say about each slot.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    /// Domains; of slots that do not matter, their smallest value alone.
    pub(crate) domains: Box<[Range]>,
    /// Whether a slot that matters has one value in every cell.
    pub(crate) explicit: Box<[bool]>,
    /// Whether runs may depend on it.
    pub(crate) matters: Box<[bool]>,
}

impl Slots {
    /// Looks at the domains, and at how the model assigns its variables; those of at most so many values are explicit.
    pub(crate) fn new(system: &System<'_>, most_values: u64) -> Self {
        let model = system.model();
        let locations = model.instances.len();
        let matters: Box<[bool]> =
            (0..model.slots.len()).map(|slot| slot < locations || system.matters(Symbol::at(slot))).collect();
        let domain = |(slot, matters): (usize, &bool)| {
            let (lower, upper) = model.slots[slot].domain.int_bounds().expect("real variables are refused");
            if *matters { (lower, upper) } else { (lower, lower) }
        };
        let domains: Box<[Range]> = matters.iter().enumerate().map(domain).collect();
        let profile = Profile::new(system);
        let explicit = |slot: usize| {
            let values = domains[slot].1.abs_diff(domains[slot].0).saturating_add(1);
            slot < locations
                || matters[slot]
                    && values
                        <= if profile.is_counter(Symbol::at(slot)) {
                            most_values.min(MOST_COUNTED)
                        } else {
                            most_values
                        }
        };
        let explicit = (0..domains.len()).map(explicit).collect();
        Self { domains, explicit, matters }
    }

    /// The explicit slots of a point.
    pub(crate) fn configuration(&self, values: impl Fn(usize) -> i64) -> Box<[i64]> {
        (0..self.domains.len()).filter(|slot| self.explicit[*slot]).map(values).collect()
    }

    /// Whether two boxes of one configuration have a state in common.
    pub(crate) fn overlap(&self, a: &[Range], b: &[Range]) -> bool {
        self.ranged().all(|slot| a[slot].0 <= b[slot].1 && b[slot].0 <= a[slot].1)
    }

    /// The slots that have ranges.
    pub(crate) fn ranged(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.domains.len()).filter(|slot| self.matters[*slot] && !self.explicit[*slot])
    }
}
