//! Whether the policy chooses an action, or another one, somewhere in a region: the oracle tells.

use serde::Deserialize;
use serde_json::json;
use surefoot_model::LabelId;
use surefoot_text::counted;
use surefoot_verify::region::{Finding, Region, ask_region};

use super::{Reply, Viewer, condition, failed};
use crate::chooser::Chooser;
use crate::serve::viewer::Long;

/// Which region, and which action.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// A condition; nothing says all states.
    text: String,
    action: u32,
    #[serde(default)]
    other: bool,
}

pub(super) fn region(viewer: &Viewer<'_>, question: &Question) -> Result<Reply, Reply> {
    let Question { text, action, other } = question;
    if !viewer.actions.contains(action) {
        return Err(Reply::wrong("the policy has no such action"));
    }
    let mut problem = viewer.problem.clone();
    let text = if text.trim().is_empty() { "true" } else { text };
    let condition = condition(&mut problem, text, None)?;
    let name = problem.model().labels[*action as usize].to_string();
    let budget = viewer.spend(Long::Region);
    let region = Region { condition, action: LabelId(*action), other: *other };
    let answered = ask_region(&problem, &region, &budget).map_err(|failure| failed(failure, &budget))?;
    let does = if *other { format!("another action than {name}") } else { name };
    let looked = counted(answered.nodes, "region");
    let (answer, words, state) = match answered.finding {
        Finding::Somewhere(state, _) => (
            "yes",
            format!(
                "There is a state in it in which the policy may choose {does}. Whether runs come to it was not asked."
            ),
            Some(state),
        ),
        Finding::Nowhere => (
            "no",
            format!(
                "In no state in it does the policy choose {does}. That is proved for all of them, after a look at {looked}."
            ),
            None,
        ),
        Finding::Open(stop) => {
            ("unknown", format!("It is not known: {}, after a look at {looked}.", budget.describe(stop)), None)
        }
    };
    let choice = match (&state, Chooser::new(&problem)) {
        (Some(state), Some(chooser)) => chooser.choice(&problem, state).map_err(Reply::wrong)?,
        _ => None,
    };
    let exact = state.as_ref().and_then(|state| viewer.names.rounded(state));
    let state = state.map(|state| viewer.names.values(&state));
    Ok(Reply::Object(json!({
        "answer": answer, "words": words, "state": state, "exact": exact, "choice": choice, "nodes": answered.nodes,
    })))
}
