//! Reachable states within a budget; where they are too many, all states of the domains: alike in these is enough. Then all reachable states after all.
//!
//! What may be spent is counted in bytes of states and nodes of the oracle, never by the clock, but for a time limit: of that the first exploration gets half. A difference in the domains
//! proves nothing, as no run need come there.

use std::time::Instant;

use surefoot_text::option;
use surefoot_verdict::Reporter;

use super::{Both, Compared, Verdict, everywhere, reachable};
use crate::engine::Budget;
use crate::problem::Failure;

/// Megabytes for states of the first exploration: some ten million of them.
const FIRST_MEMORY: usize = 256;
/// Nodes of each question about the domains.
const NODES: u64 = 100_000;

/// States cannot be listed, but a difference was found: where to see it.
fn advised(failure: Failure, found: &Compared) -> Failure {
    let Failure::Input(mut diagnostics) = failure else { return failure };
    if matches!(found.verdict, Verdict::Violated(_))
        && let Some(last) = diagnostics.pop()
    {
        let engine = option("engine");
        let help = format!("the policies differ in some state, which need not be reachable: {engine} region shows it");
        diagnostics.push(last.with_help(help));
    }
    Failure::Input(diagnostics)
}

/// Compares policies in all reachable states.
pub(super) fn compare(both: &Both<'_>, budget: &Budget, reporter: &dyn Reporter) -> Result<Compared, Failure> {
    if !both.problem.model().is_discrete() {
        // Over reals there may be no listing of states, not even of start states.
        match everywhere::compare(both, None, Some(NODES), budget) {
            Ok(found) if matches!(found.verdict, Verdict::Holds(_)) => return Ok(found),
            Err(failure) if !failure.is_refusal() => return Err(failure),
            Ok(found) => {
                let compared =
                    reachable::compare(both, budget, reporter).map_err(|failure| advised(failure, &found))?;
                return Ok(Compared { region: found.region, ..compared });
            }
            Err(_) => return reachable::compare(both, budget, reporter),
        }
    }
    let memory = budget.memory.map_or(FIRST_MEMORY, |most| most.min(FIRST_MEMORY));
    let half = budget.time.map(|time| {
        let spent = Instant::now().saturating_duration_since(budget.started);
        spent.saturating_add(time.saturating_sub(spent) / 2)
    });
    let first = reachable::compare(both, &Budget { memory: Some(memory), time: half, ..budget.clone() }, reporter)?;
    if first.verdict.is_decided() {
        return Ok(first);
    }
    let unknown = |compared: Compared, budget: &Budget| {
        let stop = budget.limits().stop();
        let verdict = stop.map_or(compared.verdict, |stop| Verdict::Unknown(budget.limit(stop).into()));
        Compared { verdict, ..compared }
    };
    if budget.limits().stop().is_some() {
        return Ok(unknown(first, budget));
    }
    let region = match everywhere::compare(both, None, Some(NODES), budget) {
        Ok(found) if matches!(found.verdict, Verdict::Holds(_)) => {
            return Ok(Compared { reachable: first.reachable, ..found });
        }
        Ok(found) => found.region,
        // What is in the way of such questions is none of exploration's business.
        Err(failure) if failure.is_refusal() => None,
        Err(failure) => return Err(failure),
    };
    if budget.limits().stop().is_some() {
        return Ok(Compared { region, ..unknown(first, budget) });
    }
    let second = reachable::compare(both, budget, reporter)?;
    Ok(Compared { region, ..second })
}
