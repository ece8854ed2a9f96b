//! What every invariant must be.

use std::collections::BTreeMap;

use surefoot_abstraction::{SlotRange, System};
use surefoot_cegar::{Cegar, Invariant, Outcome};
use surefoot_testkit::Instance;

/// Every reachable state is in the invariant, within its ranges; how many ranges there are.
pub(crate) fn covers(instance: &Instance, system: &System<'_>, found: &Cegar, what: &str) -> u64 {
    let Outcome::Safe(Invariant { states, within, .. }) = &found.outcome else { return 0 };
    assert_eq!(states.len(), within.len(), "{what}");
    let known: BTreeMap<_, _> = states.iter().zip(within).collect();
    for (state, _) in instance.truth().reachable(instance.starts()) {
        let ranges = known.get(&system.abstract_of(&found.predicates, &state));
        let ranges = ranges.unwrap_or_else(|| panic!("{what}: {state:?} is reachable and not in the invariant"));
        for SlotRange { slot, lower, upper } in ranges.iter() {
            let value = &state.0[slot.index()];
            assert!(lower <= value && value <= upper, "{what}: {state:?} is reachable, and {slot:?} was written");
        }
    }
    within.iter().map(|ranges| ranges.len() as u64).sum()
}
