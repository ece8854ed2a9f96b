//! How the model assigns its variables.
//!
//! A threshold on a variable that is set to constants makes abstract transitions deterministic only together with the
//! other thresholds; one on a counter that only ever grows doubles the abstract states and buys little. So refinement wants
//! to know which is which.

use std::collections::BTreeSet;

use surefoot_model::linear::LinearForm;
use surefoot_model::model::{AssignedTerm, Assignment, Target};
use surefoot_model::{Model, SlotId};
use surefoot_num::Rational;
use surefoot_symbolic::{Formula, Space, Symbol};

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
pub(crate) struct Profile {
    slots: Vec<Assigned>,
    /// Slots that one destination of an edge assigns, for every destination that assigns several.
    together: BTreeSet<Vec<Symbol>>,
}

impl Profile {
    /// Looks at all assignments of a model.
    #[must_use]
    pub(crate) fn new(model: &Model) -> Self {
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
                    assigned.push(slot);
                }
            }
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
    pub(crate) fn is_counter(&self, slot: Symbol) -> bool {
        self.slots.get(slot as usize).is_some_and(|a| (a.up != a.down) && !a.constants && !a.other)
    }

    /// The slots that are to be tracked whole once there is a threshold on one.
    pub(crate) fn whole(&self, space: &Space, slot: Symbol, whole: Whole) -> Vec<Symbol> {
        let assigned = |slot: Symbol| self.slots.get(slot as usize).copied().unwrap_or_default();
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
        AssignedTerm::Value(term) => LinearForm::of(&model.terms, term),
        AssignedTerm::Interval(..) => None,
    };
    let Some(form) = form else {
        slot.other = true;
        return;
    };
    let mut terms = form.coefficients.iter();
    match (terms.next(), terms.next()) {
        (None, _) => slot.constants = true,
        (Some((x, a)), None) if *x == id && *a == Rational::ONE => match form.constant.signum() {
            1 => slot.up = true,
            -1 => slot.down = true,
            _ => {}
        },
        _ => slot.other = true,
    }
}
