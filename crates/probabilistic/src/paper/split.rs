//! Start witness splitting (the paper, refinement of probabilistic spuriousness): predicates `v <= c` for every variable `v` and every value `c` that
//! it has in one of some start states, but for the largest.

use std::collections::BTreeSet;

use surefoot_abstraction::System;
use surefoot_cegar::atoms::at_most;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;

use super::paths::StepId;
use super::walk::{Point, Scene, Walk};

/// The thresholds between states; variables that runs do not depend on are left out.
#[must_use]
pub fn thresholds(system: &System<'_>, states: &[&State]) -> Vec<Formula> {
    let space = system.lowering().space();
    let mut predicates = Vec::new();
    for slot in system.model().instances.len()..system.model().slots.len() {
        if !system.matters(Symbol::at(slot)) {
            continue;
        }
        let mut values: BTreeSet<_> = states.iter().map(|state| &state.0[slot]).collect();
        values.pop_last();
        predicates.extend(values.into_iter().map(|value| at_most(space, Symbol::at(slot), value)));
    }
    predicates
}

/// The thresholds between two runs along a path from one start state, where they are first apart.
#[must_use]
pub fn between(scene: Scene<'_, '_>, first: &Point, second: &Point, end: StepId) -> Option<Vec<Formula>> {
    let (mut first, mut second) = (Walk::new(first.clone()), Walk::new(second.clone()));
    scene.paths.way(end).into_iter().find_map(|id| {
        let (a, b) = (first.state(scene, id)?.clone(), second.state(scene, id)?.clone());
        Some(thresholds(scene.system, &[&a, &b])).filter(|predicates| !predicates.is_empty())
    })
}
