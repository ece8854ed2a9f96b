//! How the model assigns its variables.
//!
//! A threshold on a variable that is set to constants makes abstract transitions deterministic only together with the
//! other thresholds; one on a counter that only ever grows doubles the abstract states and buys little. So refinement wants
//! to know which is which.

use std::collections::BTreeSet;

use surefoot_abstraction::System;
use surefoot_linear::{Formula, Space, Symbol};
use surefoot_model::model::{AssignedTerm, Assignment, Target};
use surefoot_model::{Model, SlotId};
use surefoot_num::Rational;

use crate::atoms::at_least;
use crate::options::Whole;

/// What is assigned to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Assigned {
    constants: bool,
    up: bool,
    down: bool,
    other: bool,
}

/// How every slot is assigned.
#[derive(Debug)]
pub struct Profile {
    slots: Vec<Assigned>,
    /// Slots that one destination of an edge assigns, for every destination that assigns several.
    together: BTreeSet<Vec<Symbol>>,
}

impl Profile {
    /// Looks at all assignments of a model; what runs do not depend on is not assigned together with anything.
    #[must_use]
    pub fn new(system: &System<'_>) -> Self {
        let model = system.model();
        let mut slots = vec![Assigned::default(); model.slots.len()];
        let mut together = BTreeSet::new();
        let edges = model.instances.iter().flat_map(|instance| &instance.edges);
        for destination in edges.flat_map(|edge| &edge.destinations) {
            let mut assigned: Vec<Symbol> = Vec::new();
            for assignment in &destination.assignments {
                let targets = match &assignment.target {
                    Target::Slot(slot) => slot.0..slot.0 + 1,
                    Target::Cell { base, dimensions } => {
                        base.0..base.0 + dimensions.iter().map(|(length, _)| length).product::<u32>()
                    }
                    Target::Transient(_) => 0..0,
                };
                for slot in targets {
                    note(model, &mut slots[slot as usize], SlotId(slot), assignment);
                    assigned.push(Symbol(slot));
                }
            }
            assigned.retain(|slot| system.matters(*slot));
            assigned.sort_unstable();
            assigned.dedup();
            if assigned.len() > 1 {
                together.insert(assigned);
            }
        }
        Self { slots, together }
    }

    /// Whether a slot is only ever counted up, or only down.
    #[must_use]
    pub fn is_counter(&self, slot: Symbol) -> bool {
        self.slots.get(slot.index()).is_some_and(|a| (a.up != a.down) && !a.constants && !a.other)
    }

    /// The slots that are to be tracked whole once there is a threshold on one.
    pub(crate) fn whole(&self, space: &Space, slot: Symbol, whole: Whole) -> Vec<Symbol> {
        let assigned = |slot: Symbol| self.slots.get(slot.index()).copied().unwrap_or_default();
        let fits = |slot: Symbol| {
            let bounds = &space.symbol(slot).bounds;
            let (Some(lower), Some(upper)) = (&bounds.lower, &bounds.upper) else { return false };
            let small = |most: u32| upper - lower < Rational::from(i64::from(most));
            let Assigned { constants, up, down, other } = assigned(slot);
            match whole {
                Whole::Nothing => false,
                Whole::Constants(most) => small(most) && constants && !up && !down && !other,
                Whole::Together(most) => small(most) && (constants || up && down) && !other,
            }
        };
        if !fits(slot) {
            return Vec::new();
        }
        let mut found = vec![slot];
        if matches!(whole, Whole::Together(_)) {
            let mut next = 0;
            while next < found.len() {
                let with = self.together.iter().filter(|group| group.contains(&found[next])).flatten();
                let more: Vec<Symbol> = with.copied().filter(|other| fits(*other) && !found.contains(other)).collect();
                found.extend(more);
                found.sort_unstable();
                found.dedup();
                next += 1;
            }
        }
        found
    }

    /// All thresholds of a slot.
    #[must_use]
    pub(crate) fn thresholds(&self, space: &Space, slot: Symbol) -> Vec<Formula> {
        let bounds = &space.symbol(slot).bounds;
        let (Some(lower), Some(upper)) = (&bounds.lower, &bounds.upper) else { return Vec::new() };
        let mut thresholds = Vec::new();
        let mut value = lower + &Rational::ONE;
        while value <= *upper {
            thresholds.push(at_least(space, slot, &value));
            value = &value + &Rational::ONE;
        }
        thresholds
    }
}

/// Takes note of an assignment to a slot.
fn note(model: &Model, slot: &mut Assigned, id: SlotId, assignment: &Assignment) {
    let form = match assignment.value {
        AssignedTerm::Value(term) => model.terms.linear(term),
        AssignedTerm::Interval(..) => None,
    };
    let Some(form) = form else {
        slot.other = true;
        return;
    };
    match form.terms() {
        [] => slot.constants = true,
        [(x, a)] if *x == Symbol::from(id) && *a == Rational::ONE => match form.constant().signum() {
            1 => slot.up = true,
            -1 => slot.down = true,
            _ => {}
        },
        _ => slot.other = true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use surefoot_model::property::Question;
    use surefoot_testkit::load_text;

    use super::*;

    #[test]
    fn variables_are_tracked_with_those_that_are_assigned_with_them() {
        let bounded = |name: &str| {
            json!({"name": name, "initial-value": 0,
                   "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}})
        };
        let assign = |name: &str, value: serde_json::Value| json!({"ref": name, "value": value});
        let at = |name: &str, value: i64| json!({"op": "≤", "left": name, "right": value});
        let up = |name: &str| json!({"op": "+", "left": name, "right": 1});
        let edge = |guard: serde_json::Value, assignments: Vec<serde_json::Value>| {
            json!({"location": "l", "guard": {"exp": guard},
                   "destinations": [{"location": "l", "assignments": assignments}]})
        };
        let first = edge(at("a", 1), vec![assign("a", json!(2)), assign("b", json!(1)), assign("unread", json!(3))]);
        let counted = edge(at("counter", 2), vec![assign("counter", up("counter")), assign("b", json!(0))]);
        let variables = ["a", "b", "counter", "unread"].map(bounded);
        let model = json!({
            "jani-version": 1, "name": "m", "type": "lts", "actions": [],
            "variables": variables,
            "automata": [{"name": "x", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [first, counted]}],
            "system": {"elements": [{"automaton": "x"}]},
            "properties": [{"name": "p", "expression": {"op": "PA", "reach": {"op": "≥", "left": "b", "right": 2}}}],
        });
        let mut lowered = load_text(&model.to_string());
        let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("a safety property") };
        let system = System::new(&lowered.model, None, &safety, false).unwrap();
        let profile = Profile::new(&system);
        let space = system.lowering().space();
        let [a, b, counter, unread] = [1, 2, 3, 4].map(Symbol);
        assert_eq!([a, b, counter, unread].map(|slot| profile.is_counter(slot)), [false, false, true, false]);
        assert_eq!(profile.whole(space, a, Whole::Together(16)), [a, b]);
        assert_eq!(profile.whole(space, a, Whole::Constants(16)), [a]);
        assert_eq!(profile.whole(space, a, Whole::Together(3)), [] as [Symbol; 0], "four values are too many");
        assert_eq!(profile.whole(space, counter, Whole::Together(16)), [] as [Symbol; 0]);
        assert_eq!(profile.thresholds(space, a).len(), 3);
    }
}
