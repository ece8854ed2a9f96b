//! Paths without steps: the start conditions, by locations, and the start states that are listed.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_abstraction::System;
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Interval, Linear, Region, Space, Symbol, SymbolRange};
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, BranchAndBound, Limits};

use crate::paths::{Origin, Path, over};

/// The starts: listed states first, then by condition.
pub(crate) fn starts(system: &System<'_>, oracle: &mut BranchAndBound, limits: &Limits) -> Result<Vec<Path>, Stop> {
    let mut starts = Vec::new();
    for state in system.start_states() {
        let values = state.0.iter().map(|value| Linear::constant_form(value.clone())).collect();
        starts.push(start(locations_of(system, &state.0), values, Space::default(), Formula::truth(), Vec::new()));
    }
    let space = system.lowering().space();
    let mut at_locations = Vec::new();
    for (instance, automaton) in system.model().instances.iter().enumerate() {
        at_locations.extend((0..automaton.locations.len() as u32).map(|l| system.lowering().at(instance, l)));
    }
    for condition in system.start_conditions() {
        let mut question = over(&slots(system, &Region::new(space)));
        question.formula = condition.clone();
        let found = oracle.assignments(&question, &at_locations, &FxHashSet::default(), limits);
        if let Some(limit) = found.stopped {
            return Err(limit);
        }
        starts.extend(found.found.into_values().map(|witness| from_condition(system, condition, witness)));
    }
    Ok(starts)
}

/// The states of a condition with the same locations as one of them.
fn from_condition(system: &System<'_>, condition: &Formula, witness: Vec<Rational>) -> Path {
    let locations = locations_of(system, &witness);
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
    start(locations, values, space, condition, witness)
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
    Path { origin, depth: 0, base: 0, locations, values, space, condition, decision: None, point }
}

fn locations_of(system: &System<'_>, values: &[Rational]) -> Box<[u32]> {
    let location = |value: &Rational| value.to_i64().and_then(|l| u32::try_from(l).ok());
    values[..system.model().instances.len()].iter().map(|v| location(v).expect("locations are numbers")).collect()
}
