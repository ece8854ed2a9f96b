//! Which models are in the class, and which are not, and where.

use surefoot_model::Model;
use surefoot_model::model::{AssignedTerm, Domain, Target};
use surefoot_model::policy::Policy;
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::Diagnostic;

/// The most values that the non-deterministic assignments of one outcome may choose from together.
pub const MOST_CHOICES: usize = 1 << 14;

/// Models with more operators are not looked through in advance.
const MOST_EXAMINED: usize = 5_000;

/// A non-deterministic assignment with infinitely many outcomes, refused by name.
pub(super) fn infinite_choice(model: &Model) -> Option<Diagnostic> {
    for instance in &model.instances {
        let assignments = instance.edges.iter().flat_map(|e| &e.destinations).flat_map(|d| &d.assignments);
        for assignment in assignments {
            let AssignedTerm::Interval(..) = assignment.value else { continue };
            let (Target::Slot(slot) | Target::Cell { base: slot, .. }) = &assignment.target else { continue };
            let declared = &model.slots[slot.index()];
            if matches!(declared.domain, Domain::Real { .. }) {
                let message = format!(
                    "the non-deterministic assignment to the real variable '{}' has infinitely many outcomes",
                    declared.name
                );
                let help =
                    "CTL here is about systems of bounded branching: list the values as edges, or assign an integer";
                return Some(Diagnostic::error(assignment.span, message).refusal().with_help(help));
            }
        }
    }
    None
}

/// The first thing in a model that keeps it out of the class, if there is one. Models with very many operators are not
/// looked through: for these `None` says less.
#[must_use]
pub fn outside(model: &Model, policy: Option<&Policy>) -> Option<Diagnostic> {
    if let Some(refusal) = infinite_choice(model) {
        return Some(refusal);
    }
    let mut lowering = match Lowering::new(model, policy) {
        Ok(lowering) => lowering,
        Err(refusal) => return Some(refusal),
    };
    if let Err(refusal) = lowering.policy() {
        return Some(refusal);
    }
    let total = model.vectors.iter().fold(0u64, |sum, vector| sum.saturating_add(vector.operator_count()));
    if total > MOST_EXAMINED as u64 {
        return None;
    }
    for vector in model.vector_numbers() {
        let operators = lowering.operators(vector, None, MOST_EXAMINED);
        let lowered = operators.and_then(|operators| {
            operators.iter().try_for_each(|operator| lowering.operator(operator).map(|_| ()))?;
            lowering.guards_defined(vector).map(|_| ())
        });
        if let Err(refusal) = lowered {
            return Some(refusal);
        }
    }
    None
}
