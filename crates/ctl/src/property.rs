//! Formulas from JANI properties: path formulas with their quantifier, with and without step bounds.
//!
//! JANI's positions begin at 0: `F<=k f` looks at steps 0 to `k`, where the text form's `F[<=k]` looks at 1 to `k`. Weak until is
//! `f W g = g R (f | g)`.

use surefoot_jani::syntax::{PathOp, PathQuantifier};
use surefoot_model::TermId;
use surefoot_model::property::PathFormula;
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

use crate::formula::{Ctl, Quantifier};

/// The formula that a path formula of JANI is.
///
/// # Errors
/// Probabilities, and conditions that cannot be lowered.
pub fn of_path(lowering: &mut Lowering<'_>, path: &PathFormula, span: Option<Span>) -> Result<Ctl, Diagnostic> {
    let quantifier = match path.quantifier {
        PathQuantifier::Forall => Quantifier::All,
        PathQuantifier::Exists => Quantifier::Some,
        other => {
            let message = format!("CTL does not speak of probabilities ({})", other.symbol());
            let error = span.map_or_else(|| Diagnostic::error_anywhere(&message), |s| Diagnostic::error(s, &message));
            return Err(error.refusal().with_help("use `bounds`, or ask with ∀ or ∃"));
        }
    };
    let right = of_condition(lowering, path.right, span)?;
    let left = match path.left {
        Some(left) => of_condition(lowering, left, span)?,
        None => Ctl::constant(true),
    };
    let boxed = |f: Ctl| Box::new(f);
    Ok(match path.op {
        PathOp::Finally => Ctl::Until(quantifier, path.steps, boxed(Ctl::constant(true)), boxed(right)),
        PathOp::Globally => Ctl::Release(quantifier, path.steps, boxed(Ctl::constant(false)), boxed(right)),
        PathOp::Until => Ctl::Until(quantifier, path.steps, boxed(left), boxed(right)),
        PathOp::Release => Ctl::Release(quantifier, path.steps, boxed(left), boxed(right)),
        PathOp::WeakUntil => {
            let either = right.clone().or(left);
            Ctl::Release(quantifier, path.steps, boxed(right), boxed(either))
        }
    })
}

/// A condition on states.
///
/// # Errors
/// If it cannot be lowered.
pub fn of_condition(lowering: &mut Lowering<'_>, term: TermId, span: Option<Span>) -> Result<Ctl, Diagnostic> {
    lowering.condition(term, span, "the property").map(Ctl::State)
}
