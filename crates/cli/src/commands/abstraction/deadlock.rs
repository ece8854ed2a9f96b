//! Deadlocks of an abstraction, for programs and for people.

use serde_json::{Value, json};
use surefoot_abstraction::deadlock::{Deadlock, Deadlocks};
use surefoot_verify::abstraction::Concrete;
use surefoot_verify::states::StateNames;
use surefoot_verify::{Abstracted, Problem};

use crate::output::counted;

/// More than this are counted, but not shown to people.
const SHOWN: usize = 10;

/// Deadlocks as objects.
pub(super) fn list(problem: &Problem, result: &Abstracted, deadlocks: &Deadlocks) -> Vec<Value> {
    let model = problem.model();
    let names = StateNames::new(model);
    let entry = |(deadlock, concrete): (&Deadlock, &Concrete)| {
        let mut entry = json!({
            "state": deadlock.state.0,
            "predicates": result.words.literals(result.abstraction.states.get(deadlock.state)).collect::<Vec<_>>(),
            "label": &*model.labels[deadlock.label.0 as usize],
            "terminal": result.abstraction.transitions[deadlock.state.index()].is_empty(),
            "witness": names.record(model, &deadlock.witness),
        });
        match concrete {
            Concrete::Reached(run) => {
                entry["reached"] = json!(true);
                entry["run"] = run.iter().map(|state| json!(names.record(model, state))).collect();
            }
            Concrete::Unreached => entry["reached"] = json!(false),
            Concrete::Unknown(reason) => {
                entry["reached"] = json!("unknown");
                entry["reason"] = json!(reason.to_string());
            }
        }
        entry
    };
    deadlocks.found.iter().zip(&result.concrete).map(entry).collect()
}

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
