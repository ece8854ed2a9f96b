//! The same by the reference interpreter: level by level, one state after the other. Slow, and serves models with real variables.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{Interpreter, LabelId, ModelError, State};
use surefoot_verdict::Reporter;

use super::{Comparison, Example, Pair};
use crate::reference::BYTES_PER_VALUE;
use crate::start::{StartError, for_each_start_within};
use crate::task::{Ending, Explored, Task};

/// As [`compare`](super::compare), with the states known before as a list; gives all states that were found.
#[must_use]
pub fn compare(task: &Task<'_>, other: &Policy, known: &[State], reporter: &dyn Reporter) -> (Comparison, Vec<State>) {
    let mut walk = Walk {
        task,
        other,
        known: known.iter().collect(),
        states: Vec::new(),
        numbers: FxHashMap::default(),
        comparison: Comparison::ended(Ending::Complete),
        best: None,
    };
    if let Err(ending) = walk.run(reporter) {
        walk.comparison.ending = *ending;
    }
    let Walk { mut comparison, states, best, .. } = walk;
    comparison.statistics.states = states.len() as u64;
    let complete = comparison.ending == Ending::Complete;
    comparison.example = best.map(|(depth, last, pair)| {
        let mut path = vec![states[last].0.clone()];
        let mut current = states[last].1;
        while let Some(before) = current {
            path.push(states[before].0.clone());
            current = states[before].1;
        }
        path.reverse();
        Example { path, pair, least: complete || comparison.statistics.depth > depth }
    });
    (comparison, states.into_iter().map(|(state, _)| state).collect())
}

struct Walk<'w> {
    task: &'w Task<'w>,
    other: &'w Policy,
    known: FxHashSet<&'w State>,
    /// Every state with the one it was reached from, in the order found: level by level.
    states: Vec<(State, Option<usize>)>,
    numbers: FxHashMap<State, usize>,
    comparison: Comparison,
    /// The first state in which the policies differ: its level, itself, and what they permit.
    best: Option<(u64, usize, Pair)>,
}

impl Walk<'_> {
    fn find(&mut self, state: State, from: Option<usize>) {
        if !self.numbers.contains_key(&state) {
            self.numbers.insert(state.clone(), self.states.len());
            self.states.push((state, from));
        }
    }

    fn bytes(&self) -> usize {
        self.states.len() * self.task.model.slots.len() * BYTES_PER_VALUE
    }

    fn run(&mut self, reporter: &dyn Reporter) -> Result<(), Box<Ending>> {
        let task = self.task;
        let mut limit = None;
        let listed = for_each_start_within(task.model, task.start, &task.limits, |state| {
            self.find(state.clone(), None);
            limit = task.limits.exceeded(self.bytes());
            if limit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match listed {
            Ok(()) => {}
            Err(StartError::Stopped(stop)) => limit = Some(stop),
            Err(error) => return Err(Box::new(Ending::StartError(error))),
        }
        self.comparison.statistics.start_states = self.states.len() as u64;
        if let Some(stop) = limit {
            return Err(Box::new(Ending::Limit(stop)));
        }
        if self.states.is_empty() {
            return Err(Box::new(Ending::StartError(StartError::Empty)));
        }
        let (mut first, mut depth) = (0, 0);
        while first < self.states.len() {
            let end = self.states.len();
            self.comparison.statistics.depth = depth;
            for index in first..end {
                if let Some(stop) = task.limits.exceeded(self.bytes()) {
                    return Err(Box::new(Ending::Limit(stop)));
                }
                if index.is_multiple_of(1024) {
                    let (states, expanded) = (self.states.len() as u64, index as u64);
                    reporter.tell(&Explored { states, expanded, depth });
                }
                self.visit(index, depth).map_err(|error| Box::new(Ending::ModelError(Box::new(error))))?;
            }
            (first, depth) = (end, depth + 1);
        }
        Ok(())
    }

    fn visit(&mut self, index: usize, depth: u64) -> Result<(), ModelError> {
        let Task { model, policy, goal, goal_terminal, .. } = *self.task;
        let state = self.states[index].0.clone();
        let interpreter = policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy));
        let terminal = match goal.filter(|_| goal_terminal) {
            Some(goal) => {
                interpreter.holds(goal, &state).map_err(|error| ModelError::evaluation(error, state.clone()))?
            }
            None => false,
        };
        let mut pair = None;
        let mut asked = false;
        if !terminal {
            for choice in interpreter.permitted_choices(&state, policy)? {
                for successor in choice.outcomes.into_iter().flat_map(|outcome| outcome.successors) {
                    self.find(successor, Some(index));
                }
            }
            let one = policy.map(|policy| permitted(&interpreter, policy, &state)).transpose()?.flatten();
            asked = one.is_some();
            if let (Some(one), Some(other)) = (one, permitted(&Interpreter::new(model), self.other, &state)?)
                && one != other
            {
                pair = Some(Pair { one, other });
            }
        }
        self.comparison.statistics.expanded += 1;
        self.comparison.tally.count(asked, pair.as_ref());
        if !self.known.contains(&state) {
            self.comparison.fresh.count(asked, pair.as_ref());
        }
        if let Some(pair) = pair
            && self.best.as_ref().is_none_or(|(at, best, _)| *at == depth && state < self.states[*best].0)
        {
            self.best = Some((depth, index, pair));
        }
        Ok(())
    }
}

/// The labels that a policy permits in a state, ascending; `None` where it is not asked.
///
/// # Errors
/// Where a guard has no value, or the policy cannot choose.
pub fn permitted(
    interpreter: &Interpreter<'_>,
    policy: &Policy,
    state: &State,
) -> Result<Option<Box<[LabelId]>>, ModelError> {
    let applicable = interpreter.applicable_labels(state)?;
    if !matches!(policy.outputs, Outputs::Labels(_))
        || !applicable.iter().any(|label| policy.output_of_label(*label).is_some())
    {
        return Ok(None);
    }
    let permitted = policy.permitted(interpreter, state, &applicable);
    let mut labels = permitted.map_err(|error| ModelError::evaluation(error, state.clone()))?.labels;
    labels.sort_unstable();
    Ok(Some(labels.into()))
}
