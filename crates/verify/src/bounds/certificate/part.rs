//! The part of a model that a certificate is written of.
//!
//! All that is reachable, if an engine visited all; else the likely part, as large as it takes to show what was told.

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::partial::Partial;
use surefoot_explicit::{Resolution, Task};
use surefoot_mdp::{Mdp, StateSet, Until};
use surefoot_model::property::StartSet;
use surefoot_model::{LabelId, State, TermId};
use surefoot_verdict::Reporter;

use crate::bounds::{check_starts, graph_failure, partial_failure, task};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity};

/// A part of a model.
pub(super) struct Part<'p> {
    pub(super) mdp: Mdp,
    /// The label of every choice; `None` = silent.
    pub(super) labels: Vec<Option<LabelId>>,
    /// How many of the first states are start states.
    pub(super) starts: u32,
    /// Whether these are all of them.
    pub(super) all_starts: bool,
    /// States whose moves are not known.
    pub(super) frontier: StateSet,
    pub(super) right: StateSet,
    pub(super) left: Option<StateSet>,
    /// Whether there is nothing more to explore.
    pub(super) complete: bool,
    /// Where steps are counted: the state that was visited behind every state, and the steps that are left there.
    pub(super) counted: Option<Vec<(u32, u64)>>,
    visited: Visited<'p>,
}

enum Visited<'p> {
    All(Box<Graph<'p>>),
    Some(Box<Partial<'p>>),
}

impl Part<'_> {
    /// The integer values of a state.
    pub(super) fn unpack(&self, state: u32, values: &mut [i64]) {
        let state = self.counted.as_ref().map_or(state, |counted| counted[state as usize].0);
        match &self.visited {
            Visited::All(graph) => graph.unpack(state, values),
            Visited::Some(partial) => partial.unpack(state, values),
        }
    }

    /// What is asked of it.
    pub(super) fn until(&self) -> Until {
        match &self.left {
            Some(left) => Until::constrained(left.clone(), self.right.clone()),
            None => Until::eventually(self.right.clone()),
        }
    }
}

/// Everything that is reachable, as far as limits allow.
pub(super) fn everything<'p>(
    problem: &'p Problem,
    quantity: &Quantity,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Part<'p>, Failure> {
    let task = task(problem, quantity, budget);
    let mut graph =
        graph::build(&task, Resolution::Combined, reporter).map_err(|error| graph_failure(problem, error))?;
    check_starts(problem, quantity, graph.starts)?;
    let (right, left) = sets(problem, quantity, |term| graph.satisfying(term))?;
    let labels = (0..graph.mdp.num_choices()).map(|choice| graph.label(number(choice))).collect();
    let part = Part {
        mdp: graph.mdp.clone(),
        labels,
        starts: graph.starts,
        all_starts: !graph.starts_missing,
        frontier: graph.frontier(),
        right,
        left,
        complete: graph.limit.is_none(),
        counted: None,
        visited: Visited::All(Box::new(graph)),
    };
    part.within(quantity.steps)
}

/// The likely states: those that are reached from one start state, or from all.
pub(super) fn likely<'p>(
    problem: &'p Problem,
    quantity: &Quantity,
    budget: &Budget,
    from: Option<&State>,
    expanded: usize,
) -> Result<Part<'p>, Failure> {
    let failed = |error| partial_failure(problem, error);
    let only = from.map(|state| StartSet { conditions: Vec::new(), states: vec![state.clone()] });
    let task = task(problem, quantity, budget);
    let mut partial = match &only {
        Some(start) => {
            Partial::from_states(&Task { limits: budget.limits(), ..task }, Some(quantity.decided), &start.states)
        }
        None => Partial::new(&task, Some(quantity.decided)),
    }
    .map_err(failed)?;
    check_starts(problem, quantity, partial.starts)?;
    partial.grow(expanded, &budget.limits()).map_err(failed)?;
    let (right, left) = sets(problem, quantity, |term| partial.satisfying(term))?;
    let (mdp, frontier, labels) = partial.labelled_process().map_err(failed)?;
    let part = Part {
        mdp,
        labels,
        starts: partial.starts,
        // Of a single start state it was seen that there is no other.
        all_starts: !partial.starts_missing && (from.is_none() || quantity.aggregate == Aggregate::Single),
        frontier,
        right,
        left,
        complete: partial.is_complete(),
        counted: None,
        visited: Visited::Some(Box::new(partial)),
    };
    part.within(quantity.steps)
}

type Sets = (StateSet, Option<StateSet>);

fn sets(
    problem: &Problem,
    quantity: &Quantity,
    mut satisfying: impl FnMut(TermId) -> Result<StateSet, Box<surefoot_model::ModelError>>,
) -> Result<Sets, Failure> {
    let mut set = |term| satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)));
    let right = set(quantity.right)?;
    let left = quantity.left.map(&mut set).transpose()?;
    Ok((right, left))
}

/// Choices have numbers of 32 bits.
fn number(choice: usize) -> u32 {
    u32::try_from(choice).expect("a process has fewer than 2^32 choices")
}
