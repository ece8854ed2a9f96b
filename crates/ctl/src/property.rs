//! Formulas over terms of a model, lowered to linear constraints.

use surefoot_model::TermId;
use surefoot_symbolic::Lowering;
use surefoot_temporal::Ctl as Formula;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

use crate::formula::Ctl;

/// A formula over terms as one over linear constraints.
///
/// # Errors
/// Conditions that cannot be lowered.
pub fn of_terms(lowering: &mut Lowering<'_>, formula: &Formula<TermId>, span: Option<Span>) -> Result<Ctl, Diagnostic> {
    formula.map(&mut |term| of_condition(lowering, *term, span))
}

/// A condition on states.
fn of_condition(
    lowering: &mut Lowering<'_>,
    term: TermId,
    span: Option<Span>,
) -> Result<surefoot_symbolic::Condition, Diagnostic> {
    lowering.condition(term, span, "the property")
}
