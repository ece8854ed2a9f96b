//! States of a model: the declared one, and all of a small one, for brute force.

use surefoot_model::{Model, State};
use surefoot_num::Rational;

/// The single initial state, where the declarations fix one.
#[must_use]
pub fn declared_initial_state(model: &Model) -> Option<State> {
    model.slots.iter().map(|s| s.initial.clone()).collect::<Option<Box<[Rational]>>>().map(State)
}

/// All states of the domains, locations first; none if there are more than `most`, or some variable is real.
#[must_use]
pub fn all_states(model: &Model, most: usize) -> Option<Vec<State>> {
    let mut states: Vec<Vec<Rational>> = vec![Vec::new()];
    for (index, slot) in model.slots.iter().enumerate() {
        let (lower, upper) = match model.instances.get(index) {
            Some(instance) => (0, i64::try_from(instance.locations.len()).ok()? - 1),
            None => slot.domain.int_bounds()?,
        };
        if states.len() * usize::try_from(upper - lower + 1).ok()? > most {
            return None;
        }
        let extended = |state: &Vec<Rational>| {
            (lower..=upper).map(|value| [state.as_slice(), &[Rational::from(value)]].concat()).collect::<Vec<_>>()
        };
        states = states.iter().flat_map(extended).collect();
    }
    Some(states.into_iter().map(|state| State(state.into())).collect())
}
