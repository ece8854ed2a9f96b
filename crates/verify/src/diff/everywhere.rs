//! Whether policies differ in a state of a region, reachable or not.

use surefoot_diff::{Found, InRegion, Where, in_region};
use surefoot_model::TermId;
use surefoot_oracle::Limits;

use super::{Asked, Both, Compared, Difference, Proof, Verdict};
use crate::engine::Budget;
use crate::problem::Failure;

/// Compares policies in a region, or in all states of the domains; each question takes so many nodes at most.
pub(super) fn compare(
    both: &Both<'_>,
    region: Option<TermId>,
    nodes: Option<u64>,
    budget: &Budget,
) -> Result<Compared, Failure> {
    let policies = both.policies()?;
    let limits = Limits { nodes, ..budget.oracle_limits() };
    let found = in_pool(budget, || in_region(&policies, region, both.terminal(), &limits))??;
    let InRegion { answer, statistics, .. } = found;
    let verdict = match answer {
        Where::Nowhere => Verdict::Holds(Proof::Region),
        Where::Somewhere(found) => {
            let Found { state, old, new } = *found;
            Verdict::Violated(Box::new(Difference { state, old, new, run: None, least: false, leaving: None }))
        }
        Where::Open(stop) => Verdict::Unknown(budget.limit(stop).into()),
        Where::Wrong(state) => {
            let state = state.describe(both.problem.model());
            return Err(Failure::Internal(format!("the oracle found a state that is not as asked ({state})")));
        }
    };
    let region = Some(Asked { questions: statistics.questions, nodes: statistics.nodes });
    Ok(Compared { verdict, engine: "region", reachable: None, region, reused: None, assumptions: Vec::new() })
}

/// Does something with as many threads as may be used.
pub(super) fn in_pool<T: Send>(budget: &Budget, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    Ok(pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?.install(work))
}
