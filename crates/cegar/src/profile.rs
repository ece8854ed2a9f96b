//! How the model assigns its variables.
//!
//! A threshold on a variable that is set to constants makes abstract transitions deterministic only together with the
//! other thresholds; one on a counter that only ever grows doubles the abstract states and buys little. So refinement wants
//! to know which is which.

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
}

impl Profile {
    /// Looks at all assignments of a model.
    #[must_use]
    pub(crate) fn new(model: &Model) -> Self {
        let mut slots = vec![Assigned::default(); model.slots.len()];
        let edges = model.instances.iter().flat_map(|instance| &instance.edges);
        for assignment in edges.flat_map(|edge| &edge.destinations).flat_map(|d| &d.assignments) {
            match &assignment.target {
                Target::Slot(slot) => note(model, &mut slots[slot.index()], *slot, assignment),
                Target::Cell { base, dimensions } => {
                    let cells: u32 = dimensions.iter().map(|(length, _)| length).product();
                    for slot in (base.0..base.0 + cells).map(SlotId) {
                        note(model, &mut slots[slot.index()], slot, assignment);
                    }
                }
                Target::Transient(_) => {}
            }
        }
        Self { slots }
    }

    /// Whether a slot is only ever counted up, or only down.
    #[must_use]
    pub(crate) fn is_counter(&self, slot: Symbol) -> bool {
        self.slots.get(slot as usize).is_some_and(|a| (a.up != a.down) && !a.constants && !a.other)
    }

    /// Whether a slot is to be tracked whole.
    #[must_use]
    pub(crate) fn is_whole(&self, space: &Space, slot: Symbol, whole: Whole) -> bool {
        let bounds = &space.symbol(slot).bounds;
        let (Some(lower), Some(upper)) = (&bounds.lower, &bounds.upper) else { return false };
        let small = |most: u32| upper - lower < Rational::from(i64::from(most));
        let assigned = self.slots.get(slot as usize).copied().unwrap_or_default();
        match whole {
            Whole::Nothing => false,
            Whole::Constants(most) => {
                small(most) && assigned.constants && !assigned.up && !assigned.down && !assigned.other
            }
            Whole::NoCounters(most) => small(most) && assigned != Assigned::default() && !self.is_counter(slot),
        }
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
