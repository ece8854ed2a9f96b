//! What shows that a formula holds: pieces of start sets; and how refinement came to its abstraction.

use surefoot_verify::ResultObject;
use surefoot_verify::result::body::{Body, FormulaDecided};

use crate::data::{Entry, Formula, Passed};
use crate::material::Material;
use crate::names::Names;
use crate::verdict::decided;

/// The formula of a page.
pub(crate) fn formula(result: &ResultObject) -> Option<Formula> {
    let told = |found: &FormulaDecided| Formula {
        text: found.formula.clone(),
        horizon: found.horizon,
        stuttering: found.stuttering,
    };
    found_formula(result).map(told)
}

/// The decided pieces of the start set, and whether they were decided by the command: of a result that was read nobody looked at them again.
pub(crate) fn cover(material: &Material<'_>) -> Option<serde_json::Value> {
    let cover = found_formula(material.result)?.cover.as_ref()?;
    let mut told = serde_json::to_value(cover).ok()?;
    told["checked"] = (!material.repeated).into();
    Some(told)
}

/// What was found out about a formula.
pub(crate) fn found_formula(result: &ResultObject) -> Option<&FormulaDecided> {
    match &result.body {
        Some(Body::Decided(body)) => body.formula.as_ref(),
        Some(Body::Formula(about)) => about.found.as_ref(),
        _ => None,
    }
}

/// The diary of refinement, and the predicates that it speaks of.
pub(crate) fn diary(result: &ResultObject, names: &Names<'_>) -> (Option<Vec<Entry>>, Vec<String>) {
    let Some(body) = decided(result) else { return (None, Vec::new()) };
    let Some(diary) = body.diary.as_ref().filter(|diary| !diary.is_empty()) else { return (None, Vec::new()) };
    let entries = diary.iter().map(|entry| Entry {
        iteration: entry.iteration,
        states: entry.states,
        questions: entry.questions,
        nodes: entry.nodes,
        predicates: entry.predicates,
        added: entry.added.clone(),
        cause: entry.cause.clone(),
        step: entry.step,
        path: entry.path.as_ref().and_then(Option::as_ref).map(|path| {
            let passed = path.iter().map(|state| Passed {
                action: state.label.as_deref().and_then(|label| names.action(label)),
                locations: state.locations.clone(),
                values: state.values.clone(),
            });
            passed.collect()
        }),
    });
    (Some(entries.collect()), body.predicates.clone().unwrap_or_default())
}
