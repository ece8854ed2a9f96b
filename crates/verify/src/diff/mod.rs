//! Two policies over one model: do they choose alike, and does a proof about one hold of the other?
//!
//! When policies are asked, and when they differ, is defined in [`surefoot_diff::policies`]. Three questions are asked:
//!
//! * `reachable`: do they differ in a state that is reachable under either of them? By exploration, state by state, with counts and a shortest run;
//! * `everywhere`: do they in a region of states, reachable or not? By questions about both networks at once;
//! * [`invariant`]: is the invariant that proves the first policy safe inductive under the second, too?
//!
//! `auto` puts the first two together: that they are alike in all states of the domains is enough.

mod auto;
mod everywhere;
pub mod invariant;
mod reachable;

use surefoot_diff::{Opinion, Policies};
use surefoot_explicit::{Statistics, Tally};
use surefoot_model::model::Operator;
use surefoot_model::{ModelError, State, TermId};
use surefoot_verdict::Reporter;

use crate::engine::Budget;
use crate::problem::{Failure, LoadedPolicy, Problem};
use crate::replay::Replayed;

/// How policies are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// State by state within a budget, then in all states of the domains, then state by state.
    #[default]
    Auto,
    /// In all reachable states, one by one.
    Explicit,
    /// In all states of a region, or of the domains.
    Region,
}

/// What is compared: a problem with its policy, and another policy.
#[derive(Debug, Clone, Copy)]
pub struct Both<'p> {
    /// The problem, whose policy is the first.
    pub problem: &'p Problem,
    /// The second policy.
    pub new: &'p LoadedPolicy,
}

/// The answer: what shows that they are alike, or where they are not.
pub type Verdict = surefoot_verdict::Verdict<Proof, Box<Difference>>;

/// Why policies are alike, or a proof holds of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Every reachable state was visited.
    Reachable,
    /// There is no other state in the region.
    Region,
    /// The invariant is inductive under both.
    Invariant,
}

/// A state that tells policies apart.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The state.
    pub state: State,
    /// What the first permits there.
    pub old: Opinion,
    /// What the second does.
    pub new: Opinion,
    /// A shortest run to it, where reachable states were looked at.
    pub run: Option<Box<Replayed>>,
    /// Whether no lesser state is as near.
    pub least: bool,
    /// What the second policy does there, and the state outside of the invariant that it leads to.
    pub leaving: Option<(Operator, State)>,
}

/// How often policies differ in reachable states.
#[derive(Debug, Clone, Default)]
pub struct Reachable {
    /// Under the first.
    pub old: Side,
    /// Under the second, where that was looked at.
    pub new: Option<Side>,
    /// Under either.
    pub union: Tally,
}

/// What an exploration under one policy found.
#[derive(Debug, Clone, Default)]
pub struct Side {
    /// How often they differ.
    pub tally: Tally,
    /// The figures of the exploration.
    pub figures: Statistics,
    /// Why not all states were visited, where not.
    pub stopped: Option<String>,
}

/// What a search in a region took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// Questions.
    pub questions: u64,
    /// Nodes of the oracle's searches.
    pub nodes: u64,
}

/// What a comparison came to.
#[derive(Debug)]
pub struct Compared {
    /// The answer.
    pub verdict: Verdict,
    /// What found it.
    pub engine: &'static str,
    /// What was found in reachable states.
    pub reachable: Option<Reachable>,
    /// What a region took.
    pub region: Option<Asked>,
    /// What became of the invariant.
    pub reused: Option<invariant::Figures>,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
}

impl<'p> Both<'p> {
    /// The policies.
    ///
    /// # Errors
    /// Where they do not choose among the same labels, or there is no first one.
    pub fn policies(&self) -> Result<Policies<'p>, Failure> {
        let Some(old) = &self.problem.policy else {
            return Err(Failure::Internal("there is no first policy".to_owned()));
        };
        let model = self.problem.model();
        Ok(Policies::new(model, (&old.policy, &old.name), (&self.new.policy, &self.new.name))?)
    }

    /// States without moves.
    fn terminal(&self) -> Option<TermId> {
        self.problem.query.goal.filter(|_| self.problem.query.goal_terminal)
    }

    /// An error that was met where both policies were asked: of the model, or of the policy that cannot choose there.
    fn error(&self, error: &ModelError) -> Failure {
        let mut diagnostic = self.problem.model_error(error);
        let old = self
            .problem
            .policy()
            .map(|policy| self.problem.interpreter().permitted_operators(&error.state, Some(policy)));
        if old.is_some_and(|operators| operators.is_ok()) && error.operator.is_none() {
            diagnostic.message = format!("{} (asked of {})", diagnostic.message, self.new.name);
        }
        diagnostic.into()
    }
}

/// Compares policies.
///
/// # Errors
/// Policies that cannot be compared; what a way does not support, by name; errors of the model; empty start sets.
pub fn compare(
    both: &Both<'_>,
    way: Way,
    region: Option<TermId>,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Compared, Failure> {
    match (way, region) {
        (Way::Explicit, _) => reachable::compare(both, budget, reporter),
        (Way::Region, _) | (Way::Auto, Some(_)) => everywhere::compare(both, region, None, budget),
        (Way::Auto, None) => auto::compare(both, budget, reporter),
    }
}
