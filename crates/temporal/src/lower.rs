//! Conditions of formulas as terms of a model.

use surefoot_jani::syntax::{Expr, PathOp, PathQuantifier};
use surefoot_model::TermId;
use surefoot_model::lower::Lowered;
use surefoot_model::property::{PathFormula, StartSet};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, SourceMap};

use crate::formula::{Ctl, Quantifier};
use crate::text;

/// Reads the text of a source as a formula over terms of a model.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn formula(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<Ctl<TermId>, Diagnostic> {
    let formula = text::formula(sources, file, lowered)?;
    formula.map(&mut |condition| lowered.lower_condition(*condition))
}

/// Reads the text of a source as a condition of a model.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn condition(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<TermId, Diagnostic> {
    let condition = text::condition(sources, file, lowered)?;
    lowered.lower_condition(condition)
}

/// Reads the text of a source as a number that depends on the state.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn number(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<TermId, Diagnostic> {
    let number = text::number(sources, file, lowered)?;
    lowered.lower_scalar(number)
}

/// Reads the text of a source as a condition on start states: automata that it does not speak of are where they begin.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn start(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<StartSet, Diagnostic> {
    let condition = text::condition(sources, file, lowered)?;
    let pool = &lowered.syntax().pool;
    let listed = pool.subtree(condition).flat_map(|id| match pool.get(id) {
        Expr::StateCondition(locations, _) => locations.clone(),
        _ => Vec::new(),
    });
    let listed: Vec<_> = listed.collect();
    lowered.start_where(condition, &listed)
}

/// The formula that a path formula of JANI is; `None` where it asks for a probability. JANI's positions begin at 0: its `F<=k f` looks at
/// steps 0 to `k`, where the text's `F[<=k]` looks at 1 to `k`.
#[must_use]
pub fn path(path: &PathFormula) -> Option<Ctl<TermId>> {
    let quantifier = match path.quantifier {
        PathQuantifier::Forall => Quantifier::All,
        PathQuantifier::Exists => Quantifier::Some,
        PathQuantifier::Pmin | PathQuantifier::Pmax => return None,
    };
    let right = Ctl::State(path.right);
    let left = path.left.map_or_else(Ctl::truth, Ctl::State);
    Some(match path.op {
        PathOp::Finally => Ctl::reached(quantifier, path.steps, right),
        PathOp::Globally => Ctl::kept(quantifier, path.steps, right),
        PathOp::Until => Ctl::Until(quantifier, path.steps, Box::new(left), Box::new(right)),
        PathOp::Release => Ctl::Release(quantifier, path.steps, Box::new(left), Box::new(right)),
        PathOp::WeakUntil => Ctl::weak_until(quantifier, path.steps, left, right),
    })
}
