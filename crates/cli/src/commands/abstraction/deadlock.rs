//! Deadlocks of an abstraction, for people.

use surefoot_abstraction::deadlock::Deadlocks;
use surefoot_verify::abstraction::Concrete;
use surefoot_verify::{Abstracted, Problem};

use crate::output::counted;

/// More than this are counted, but not shown to people.
const SHOWN: usize = 10;

/// Deadlocks in words; those that runs come to first.
pub(super) fn lines(problem: &Problem, result: &Abstracted, deadlocks: &Deadlocks) -> String {
    let model = problem.model();
    let reached = result.concrete.iter().filter(|concrete| matches!(concrete, Concrete::Reached(_))).count();
    let mut text = format!("  deadlocks {}, {reached} of them reached by a run\n", deadlocks.found.len());
    if let Some(limit) = deadlocks.stopped {
        text.push_str(&format!("  note      there may be more deadlocks: {limit}\n"));
    }
    if let Some(Concrete::Unknown(reason)) = result.concrete.iter().find(|c| matches!(c, Concrete::Unknown(_))) {
        text.push_str(&format!("  note      more of them may be reached: {reason}\n"));
    }
    let mut found: Vec<_> = deadlocks.found.iter().zip(&result.concrete).collect();
    found.sort_by_key(|(_, concrete)| !matches!(concrete, Concrete::Reached(_)));
    for (deadlock, concrete) in found.into_iter().take(SHOWN) {
        let label = &model.labels[deadlock.label.0 as usize];
        let how = match concrete {
            Concrete::Reached(run) => {
                let last = run.last().unwrap_or(&deadlock.witness).describe(model);
                format!("reached in {} at {last}", counted(run.len().saturating_sub(1) as u64, "step"))
            }
            Concrete::Unreached => format!("never reached; as in {}", deadlock.witness.describe(model)),
            Concrete::Unknown(_) => format!("as in {}", deadlock.witness.describe(model)),
        };
        text.push_str(&format!("    in state {}: {label} is chosen and not applicable, {how}\n", deadlock.state.0));
    }
    text
}
