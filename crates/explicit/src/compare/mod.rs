//! Where two policies choose differently, among the states that runs under the first of them reach.
//!
//! **Definitions.** Both policies have the same labels as outputs, in any order. They are *asked* in a state that is no terminal goal state and in
//! which an operator with one of their labels is enabled. They *differ* in a state in which they are asked and the sets of labels that they permit are
//! not the same. A label that is chosen and not applicable counts like any other: what a policy chooses is compared, not what happens next.
//!
//! **Shortest runs are shared.** Let a run under one policy lead to a state in which the two differ, and let none be shorter. In all states before they
//! do not differ, so both permit the same operators there: it is a run under the other policy too. Hence where no state that one of them
//! reaches tells them apart, both reach the same states, and one exploration answers for both; and the first difference is the same for both.
//!
//! The exploration is that of [`explore`](crate::explore()), with a second policy asked beside the first: levels, numbering and figures are the same. [`mod@reference`]
//! does it with the reference interpreter, one state after the other, for real variables too.

mod look;
pub mod reference;

use std::collections::BTreeMap;

use surefoot_model::policy::Policy;
use surefoot_model::{LabelId, State};
use surefoot_verdict::Reporter;

use crate::explore::Search;
use crate::reached::Reached;
use crate::task::{Ending, Statistics, Task};

pub(crate) use look::{Compared, Differences, Found};

/// What each of two policies permits in a state, where that is not the same: labels in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The first policy.
    pub one: Box<[LabelId]>,
    /// The second.
    pub other: Box<[LabelId]>,
}

/// How often two policies differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// States looked at.
    pub states: u64,
    /// Those in which the policies are asked.
    pub asked: u64,
    /// Those in which they differ.
    pub differing: u64,
    /// The same by what they permit.
    pub pairs: BTreeMap<Pair, u64>,
}

impl Tally {
    /// Counts a state, and the pair where the policies differ in it.
    fn count(&mut self, asked: bool, pair: Option<&Pair>) {
        self.states += 1;
        self.asked += u64::from(asked);
        if let Some(pair) = pair {
            self.differing += 1;
            *self.pairs.entry(pair.clone()).or_default() += 1;
        }
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.asked += other.asked;
        self.differing += other.differing;
        for (pair, count) in &other.pairs {
            *self.pairs.entry(pair.clone()).or_default() += count;
        }
    }
}

/// A state in which two policies differ, and a shortest run to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The run, from a start state to that state. None is shorter to any state in which they differ; it is a run under both.
    pub path: Vec<State>,
    /// What they permit there.
    pub pair: Pair,
    /// Whether no lesser state is as near: values are compared slot by slot, locations first. Not known where a limit ended the search among its equals.
    pub least: bool,
}

/// What an exploration beside a second policy found.
#[derive(Debug)]
pub struct Comparison {
    /// How it ended.
    pub ending: Ending,
    /// Its figures.
    pub statistics: Statistics,
    /// Of all states that were visited.
    pub tally: Tally,
    /// Of those among them that are not among the states known before.
    pub fresh: Tally,
    /// The first state in which the policies differ.
    pub example: Option<Example>,
    /// The states, if all were visited.
    pub reached: Option<Reached>,
}

impl Comparison {
    /// One that did not begin.
    fn ended(ending: Ending) -> Self {
        Self {
            ending,
            statistics: Statistics::default(),
            tally: Tally::default(),
            fresh: Tally::default(),
            example: None,
            reached: None,
        }
    }
}

/// Explores all that is reachable under the task's policy, and compares it in every state with another one. States of `known` are counted, but are not fresh.
/// What the task says of `reach` does not matter. Without a policy, or with ones that choose no labels, nobody is asked.
#[must_use]
pub fn compare(task: &Task<'_>, other: &Policy, known: Option<&Reached>, reporter: &dyn Reporter) -> Comparison {
    // States keep the one they were reached from where a search may stop at one.
    let task = Task { reach: None, stop_at_reach: true, ..task.clone() };
    if !task.model.is_discrete() {
        return reference::compare(&task, other, &[], reporter).0;
    }
    let mut search = match Search::new(&task, None) {
        Ok(search) => search,
        Err(error) => return Comparison::ended(Ending::StartError(error)),
    };
    search.compared = Compared::new(&search, other, known);
    let Ok((exploration, search)) = search.run(reporter) else {
        unreachable!("nothing is recorded, so recording cannot fail")
    };
    let crate::task::Exploration { ending, statistics } = exploration;
    let complete = ending == Ending::Complete;
    let example = search.differences.example(&search, complete || statistics.depth > search.differences.depth());
    let (tally, fresh) = search.differences.tallies();
    let reached = complete.then(|| Reached::of(&task, search));
    Comparison { ending, statistics, tally, fresh, example, reached }
}
