//! Whether policies differ in a reachable state: exploration under the first with the second asked beside it, and the other way round where they do.
//!
//! Where no state that the first reaches tells them apart, both reach the same states ([`mod@surefoot_explicit::compare`]), and there is nothing left to explore.

use surefoot_diff::Opinion;
use surefoot_explicit::{Comparison, Ending, Example, Pair, Task};
use surefoot_model::LabelId;
use surefoot_verdict::Reporter;

use super::{Both, Compared, Difference, Proof, Reachable, Side, Verdict};
use crate::engine::{Budget, start_failure, task};
use crate::problem::Failure;
use crate::replay::replay_anywhere;

/// Compares policies in all reachable states.
pub(super) fn compare(both: &Both<'_>, budget: &Budget, reporter: &dyn Reporter) -> Result<Compared, Failure> {
    let policies = both.policies()?;
    let under_old = task(both.problem, budget);
    let found = surefoot_explicit::compare(&under_old, policies.new, None, reporter);
    let mut stopped = None;
    match found.ending {
        Ending::Complete => {}
        Ending::Limit(stop) => stopped = Some(stop),
        Ending::ModelError(error) => return Err(both.error(&error)),
        Ending::StartError(error) => return Err(start_failure(both.problem, &error)),
        Ending::Reached(_) => return Err(Failure::Internal("a comparison stopped that was not to stop".to_owned())),
    }
    let Comparison { statistics: figures, tally, example, reached, .. } = found;
    let union = tally.clone();
    let old = Side { tally, figures, stopped: stopped.map(|stop| budget.describe(stop)) };
    let mut reachable = Reachable { old, new: None, union };
    let verdict = match (example, stopped) {
        (Some(example), _) => {
            if let Some(known) = &reached {
                let mut limits = under_old.limits.clone();
                limits.memory = limits.memory.map(|memory| memory.saturating_sub(known.bytes()));
                let under_new = Task { policy: Some(policies.new), limits, ..under_old.clone() };
                let found = surefoot_explicit::compare(&under_new, policies.old, Some(known), reporter);
                reachable.union.add(&turned(&found.fresh));
                let stopped = match found.ending {
                    Ending::Complete => None,
                    Ending::Limit(stop) => Some(budget.describe(stop)),
                    // Runs of the first policy do not come to it, and that policies differ is known.
                    Ending::ModelError(error) => Some(both.problem.model_error(&error).message),
                    Ending::StartError(_) | Ending::Reached(_) => {
                        return Err(Failure::Internal("an exploration from the same start states".to_owned()));
                    }
                };
                let (tally, figures) = (turned(&found.tally), found.statistics);
                reachable.new = Some(Side { tally, figures, stopped });
            }
            Verdict::Violated(Box::new(difference(both, example)?))
        }
        (None, None) => Verdict::Holds(Proof::Reachable),
        (None, Some(stop)) => Verdict::Unknown(budget.limit(stop).into()),
    };
    Ok(Compared {
        verdict,
        engine: "explicit",
        reachable: Some(reachable),
        region: None,
        reused: None,
        assumptions: Vec::new(),
    })
}

/// Counts of an exploration under the second policy, with the first one's labels first again.
fn turned(tally: &surefoot_explicit::Tally) -> surefoot_explicit::Tally {
    let turn = |(pair, count): (&Pair, &u64)| (Pair { one: pair.other.clone(), other: pair.one.clone() }, *count);
    surefoot_explicit::Tally { pairs: tally.pairs.iter().map(turn).collect(), ..tally.clone() }
}

/// A difference at the end of a run, after both were looked at in the reference interpreter.
fn difference(both: &Both<'_>, example: Example) -> Result<Difference, Failure> {
    let Example { path, pair, least } = example;
    let run = replay_anywhere(both.problem, &path).map_err(|reason| {
        Failure::Internal(format!("the exploration found a run that the replay rejects ({reason})"))
    })?;
    let state = path.last().cloned().ok_or_else(|| Failure::Internal("a run without states".to_owned()))?;
    let told = |labels: &[LabelId]| -> Opinion { Some(labels.into()) };
    let opinions = both.policies()?.opinions(&state).map_err(|error| both.error(&error))?;
    let [old, new] = [told(&pair.one), told(&pair.other)];
    if opinions != Some([old.clone(), new.clone()]) {
        return Err(Failure::Internal("a state that was found is not as told".to_owned()));
    }
    Ok(Difference { state, old, new, run: Some(Box::new(run)), least, leaving: None })
}
