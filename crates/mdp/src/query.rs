//! What is asked: the best or worst probability of a constrained until.

use crate::mdp::Mdp;
use crate::set::StateSet;

pub use surefoot_num::Direction;

/// `left U right`: a run satisfies it when some state on it is in `right` and all states before are in `left`.
///
/// `F right` is `true U right`: [`Until::eventually`]. A start state in `right` satisfies it at once.
#[derive(Debug, Clone)]
pub struct Until {
    left: Option<StateSet>,
    right: StateSet,
}

impl Until {
    /// `F right`.
    #[must_use]
    pub fn eventually(right: StateSet) -> Self {
        Self { left: None, right }
    }

    /// `left U right`. Panics when the sets are over different universes.
    #[must_use]
    pub fn constrained(left: StateSet, right: StateSet) -> Self {
        assert_eq!(left.universe(), right.universe(), "both sides of an until speak about the same states");
        Self { left: Some(left), right }
    }

    /// The same until for a process with [vanishing states](crate::Mdp::vanishing), where the sets speak about the others: a run passes
    /// through vanishing states undecided.
    #[must_use]
    pub fn through_vanishing(self, mdp: &Mdp) -> Self {
        let (states, lasting) = (mdp.num_states(), mdp.vanishing().start);
        let extend = |set: &StateSet, rest: bool| {
            StateSet::from_fn(states, |state| if state < lasting { set.contains(state) } else { rest })
        };
        if mdp.vanishing().is_empty() {
            return self;
        }
        Self { left: self.left.map(|left| extend(&left, true)), right: extend(&self.right, false) }
    }

    /// The same until with some more states to be reached: those of `more` where a run is undecided.
    #[must_use]
    pub fn or_reaching(&self, more: &StateSet) -> Self {
        let right = |state| self.is_right(state) || self.is_open(state) && more.contains(state);
        Self { left: self.left.clone(), right: StateSet::from_fn(self.universe(), right) }
    }

    /// The number of states the sets speak about.
    #[must_use]
    pub fn universe(&self) -> usize {
        self.right.universe()
    }

    /// The states to be reached.
    #[must_use]
    pub fn right(&self) -> &StateSet {
        &self.right
    }

    /// Whether `state` is a target.
    #[must_use]
    pub fn is_right(&self, state: u32) -> bool {
        self.right.contains(state)
    }

    /// Whether a run passes through `state` still undecided: in `left` and not in `right`.
    #[must_use]
    pub fn is_open(&self, state: u32) -> bool {
        !self.is_right(state) && self.left.as_ref().is_none_or(|left| left.contains(state))
    }
}
