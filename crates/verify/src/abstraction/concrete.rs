//! Which deadlocks of an abstraction a run of the model comes to.
//!
//! An abstract state in which the policy may choose what is not applicable need not hold a reachable state in which it does. So
//! the model is explored, as far as a bound allows, and every state that is found is looked up. What is found is a run, checked step by step with
//! the interpreter; that there is none is known only of an exploration that is complete.

use std::collections::{BTreeMap, VecDeque};

use surefoot_abstraction::deadlock::Deadlock;
use surefoot_abstraction::{Abstraction, PredicateSet, StateId, System};
use surefoot_explicit::partial::{Partial, PartialError};
use surefoot_limits::Stop;
use surefoot_model::policy::Policy;
use surefoot_model::{Interpreter, LabelId, ModelError, State};
use surefoot_verdict::Reason;

use crate::engine::{Budget, task};
use crate::problem::{Failure, Problem};

/// No more states than this are explored.
const MOST_EXPLORED: usize = 100_000;

/// Whether a run comes to a deadlock.
#[derive(Debug, Clone, PartialEq)]
pub enum Concrete {
    /// This one does: a shortest one within what was explored.
    Reached(Vec<State>),
    /// None does.
    Unreached,
    /// It is not known, and why.
    Unknown(Reason),
}

/// Looks for runs to deadlocks; one answer for each.
///
/// # Errors
/// [`Failure::Internal`] where the interpreter does not confirm a run.
pub(super) fn concrete(
    problem: &Problem,
    system: &System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    deadlocks: &[Deadlock],
    budget: &Budget,
) -> Result<Vec<Concrete>, Failure> {
    let Some(policy) = problem.policy().filter(|_| !deadlocks.is_empty()) else { return Ok(Vec::new()) };
    let explored = match Explored::new(problem, budget) {
        Ok(explored) => explored,
        Err(reason) => return Ok(vec![Concrete::Unknown(reason); deadlocks.len()]),
    };
    let interpreter = problem.interpreter();
    let mut runs: Vec<Option<Vec<State>>> = vec![None; deadlocks.len()];
    let mut by_state: BTreeMap<StateId, Vec<usize>> = BTreeMap::new();
    for (i, deadlock) in deadlocks.iter().enumerate() {
        by_state.entry(deadlock.state).or_default().push(i);
    }
    let (mut open, mut unknown) = (deadlocks.len(), explored.unknown.clone());
    for (looked, number) in explored.order.iter().enumerate() {
        if open == 0 {
            break;
        }
        if looked % 256 == 0 && budget.limits().is_late() {
            unknown = Some(budget.limit(Stop::Time).into());
            break;
        }
        let state = explored.partial.state(*number);
        let Some(id) = abstraction.states.id(&system.abstract_of(predicates, &state)) else { continue };
        let Some(here) = by_state.get_mut(&id).filter(|here| !here.is_empty()) else { continue };
        let labels = here.iter().map(|i| deadlocks[*i].label);
        let stuck = match stuck_labels(problem, &interpreter, policy, &state, labels) {
            Ok(labels) => labels,
            Err(error) => {
                unknown = Some(Reason::ModelError(error.describe(problem.model())));
                continue;
            }
        };
        here.retain(|i| {
            let found = stuck.contains(&deadlocks[*i].label);
            if found {
                runs[*i] = Some(explored.run(*number));
                open -= 1;
            }
            !found
        });
    }
    for run in runs.iter().flatten() {
        check(problem, &interpreter, run)?;
    }
    let otherwise = unknown.map_or(Concrete::Unreached, Concrete::Unknown);
    Ok(runs.into_iter().map(|run| run.map_or_else(|| otherwise.clone(), Concrete::Reached)).collect())
}

/// Those of some labels that the policy chooses in a state where they are not applicable.
fn stuck_labels(
    problem: &Problem,
    interpreter: &Interpreter<'_>,
    policy: &Policy,
    state: &State,
    labels: impl Iterator<Item = LabelId>,
) -> Result<Vec<LabelId>, ModelError> {
    let evaluation = |error| ModelError::evaluation(error, state.clone());
    let goal = problem.query.goal.filter(|_| problem.query.goal_terminal);
    if goal.map_or(Ok(false), |goal| interpreter.holds(goal, state)).map_err(evaluation)? {
        return Ok(Vec::new());
    }
    let applicable = interpreter.applicable_labels(state)?;
    let missing: Vec<LabelId> = labels.filter(|label| !applicable.contains(label)).collect();
    if missing.is_empty() {
        return Ok(missing);
    }
    let permitted = policy.permitted(interpreter, state, &applicable).map_err(evaluation)?;
    Ok(missing.into_iter().filter(|label| permitted.labels.contains(label)).collect())
}

/// That every step of a run is one that the policy permits.
fn check(problem: &Problem, interpreter: &Interpreter<'_>, run: &[State]) -> Result<(), Failure> {
    for step in run.windows(2) {
        let choices = interpreter.permitted_choices(&step[0], problem.policy());
        let taken = choices.is_ok_and(|choices| {
            let mut outcomes = choices.iter().flat_map(|choice| &choice.outcomes);
            outcomes.any(|outcome| outcome.successors.contains(&step[1]))
        });
        if !taken {
            return Err(Failure::Internal("a run to a deadlock is not confirmed by the interpreter".to_owned()));
        }
    }
    Ok(())
}

/// The part of the model that was explored.
struct Explored<'m> {
    partial: Partial<'m>,
    /// Its states, nearest first.
    order: Vec<u32>,
    /// Per state, one before it on a shortest path; itself for start states.
    parents: Vec<u32>,
    /// Why there may be more, if there may.
    unknown: Option<Reason>,
}

impl<'m> Explored<'m> {
    /// Explores; or says why that is impossible.
    fn new(problem: &'m Problem, budget: &Budget) -> Result<Self, Reason> {
        let describe = |error: PartialError| match error {
            PartialError::Start(error) => Reason::Refused(error.to_string()),
            PartialError::Model(error) => Reason::ModelError(error.describe(problem.model())),
            PartialError::Record(error) => Reason::Refused(error.to_string()),
        };
        let mut partial = Partial::new(&task(problem, budget), None).map_err(describe)?;
        let grown = partial.grow(MOST_EXPLORED, &budget.limits()).map_err(describe);
        let (order, parents) = breadth_first(&partial);
        let unknown = match grown {
            Err(reason) => Some(reason),
            Ok(()) if partial.is_complete() && !partial.starts_missing => None,
            Ok(()) => Some(Reason::Partly(partial.counts().1 as u64)),
        };
        Ok(Self { partial, order, parents, unknown })
    }

    /// A shortest run to a state.
    fn run(&self, state: u32) -> Vec<State> {
        let mut numbers = vec![state];
        while let Some(last) = numbers.last().map(|last| self.parents[*last as usize])
            && Some(&last) != numbers.last()
        {
            numbers.push(last);
        }
        numbers.iter().rev().map(|number| self.partial.state(*number)).collect()
    }
}

/// The explored states by distance from the first ones, and the parent of each.
fn breadth_first(partial: &Partial<'_>) -> (Vec<u32>, Vec<u32>) {
    let states = partial.counts().0;
    let mut parents = vec![u32::MAX; states];
    let mut queue: VecDeque<u32> = (0..partial.starts).collect();
    queue.iter().for_each(|start| parents[*start as usize] = *start);
    let mut order = Vec::with_capacity(states);
    while let Some(state) = queue.pop_front() {
        order.push(state);
        for &successor in partial.successors(state) {
            let parent = &mut parents[successor as usize];
            if *parent == u32::MAX {
                *parent = state;
                queue.push_back(successor);
            }
        }
    }
    (order, parents)
}
