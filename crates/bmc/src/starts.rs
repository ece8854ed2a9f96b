//! Paths without steps: the start conditions, by locations, and the start states that are listed.

use std::sync::Arc;

use surefoot_abstraction::{PredicateSet, System};
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Interval, Linear, Region, Space, Symbol, SymbolRange};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Limits};

use crate::paths::{Origin, Path, PathId};

/// The starts: listed states first, then by condition.
pub(crate) fn starts(
    system: &System<'_>,
    oracle: &mut impl AllAssignments,
    limits: &Limits,
) -> Result<Vec<Path>, Stop> {
    let mut starts = Vec::new();
    for state in system.start_states() {
        let values = state.0.iter().map(|value| Linear::constant_form(value.clone())).collect();
        let locations = system.abstract_of(&PredicateSet::default(), state).locations;
        starts.push(start(locations, values, Space::default(), Formula::truth(), Vec::new()));
    }
    for condition in system.start_conditions() {
        let starting = system.abstract_all(&PredicateSet::default(), condition, oracle, limits);
        if let Some(limit) = starting.stopped {
            return Err(limit);
        }
        starts.extend(
            starting.found.into_iter().map(|(by, state)| from_condition(system, condition, by.locations, &state)),
        );
    }
    Ok(starts)
}

/// The states of a condition with the same locations as one of them.
fn from_condition(system: &System<'_>, condition: &Formula, locations: Box<[u32]>, state: &State) -> Path {
    let condition = system.lowering().at_all_locations(condition, &locations);
    let mut region = Region::new(system.lowering().space());
    // Soundness: the region keeps all states of the condition, and there is one, so it is not empty.
    let _ = region.assume(&condition);
    let space = slots(system, &region);
    let value = |slot: usize| match (locations.get(slot), space.symbol(Symbol::at(slot))) {
        (Some(location), _) => Linear::constant_form(Rational::from(i64::from(*location))),
        (None, SymbolRange { bounds: Interval { lower: Some(lower), upper: Some(upper) }, .. }) if lower == upper => {
            Linear::constant_form(lower.clone())
        }
        _ => Linear::symbol(Symbol::at(slot)),
    };
    let values = (0..space.len()).map(value).collect();
    let condition = space.normal(&condition);
    start(locations, values, space, condition, state.0.to_vec())
}

/// The slots as symbols, within a region.
fn slots(system: &System<'_>, region: &Region<'_>) -> Space {
    let mut space = Space::default();
    for slot in Symbol::first(system.model().slots.len()) {
        space.push(SymbolRange { integer: true, bounds: region.bounds(slot).clone() });
    }
    space
}

fn start(locations: Box<[u32]>, values: Arc<[Linear]>, space: Space, condition: Formula, point: Vec<Rational>) -> Path {
    let (space, origin) = (Arc::new(space), Origin::Start);
    Path { origin, depth: 0, base: PathId::at(0), locations, values, space, condition, decision: None, point }
}
