//! Breadth-first search with the reference interpreter: the slow version that is obviously right.
//!
//! It also serves models with real variables, whose states do not pack.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use surefoot_model::{Interpreter, ModelError, State};
use surefoot_verdict::Reporter;

use crate::start::{StartError, for_each_start_within};
use crate::task::{Ending, Exploration, Explored, Statistics, Task};

/// Rough bytes per value of a state kept by this search.
pub(crate) const BYTES_PER_VALUE: usize = 48;

/// Explores a task, one state after the other.
#[must_use]
pub fn explore(task: &Task<'_>, reporter: &dyn Reporter) -> Exploration {
    let mut statistics = Statistics::default();
    let ending = run(task, reporter, &mut statistics).unwrap_or_else(|ending| *ending);
    Exploration { ending, statistics }
}

fn run(task: &Task<'_>, reporter: &dyn Reporter, statistics: &mut Statistics) -> Result<Ending, Box<Ending>> {
    let interpreter = match task.policy {
        Some(policy) => Interpreter::with_policy(task.model, policy),
        None => Interpreter::new(task.model),
    };
    let broken = |error: ModelError| Box::new(Ending::ModelError(Box::new(error)));
    // Every state with the one it was reached from, in the order found.
    let mut states: Vec<(State, Option<usize>, u64)> = Vec::new();
    let mut known: FxHashMap<State, usize> = FxHashMap::default();
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut limit = None;
    let listed = for_each_start_within(task.model, task.start, &task.limits, |state| {
        if !known.contains_key(state) {
            known.insert(state.clone(), states.len());
            queue.push_back(states.len());
            states.push((state.clone(), None, 0));
        }
        limit = task.limits.exceeded(states.len() * task.model.slots.len() * BYTES_PER_VALUE);
        if limit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match listed {
        Ok(()) => {}
        Err(StartError::Stopped(stop)) => limit = Some(stop),
        Err(error) => return Err(Box::new(Ending::StartError(error))),
    }
    statistics.start_states = states.len() as u64;
    if let (true, Some(stop)) = (states.is_empty(), limit) {
        return Ok(Ending::Limit(stop));
    }
    if states.is_empty() {
        return Err(Box::new(Ending::StartError(StartError::Empty)));
    }
    while let Some(index) = queue.pop_front() {
        statistics.states = states.len() as u64;
        let bytes = states.len() * task.model.slots.len() * BYTES_PER_VALUE;
        statistics.bytes = bytes as u64;
        limit = limit.or_else(|| task.limits.exceeded(bytes));
        if let Some(reason) = limit {
            return Ok(Ending::Limit(reason));
        }
        let (state, _, depth) = states[index].clone();
        statistics.depth = depth;
        if index.is_multiple_of(1024) {
            reporter.tell(&Explored { states: states.len() as u64, expanded: statistics.expanded, depth });
        }
        let holds =
            |term| interpreter.holds(term, &state).map_err(|e| broken(ModelError::evaluation(e, state.clone())));
        if let Some(reach) = task.reach
            && holds(reach)?
        {
            statistics.reach_states += 1;
            if task.stop_at_reach {
                let mut path = vec![state];
                let mut current = states[index].1;
                while let Some(previous) = current {
                    path.push(states[previous].0.clone());
                    current = states[previous].1;
                }
                path.reverse();
                return Ok(Ending::Reached(path));
            }
        }
        if let Some(goal) = task.goal
            && holds(goal)?
        {
            statistics.goal_states += 1;
            if task.goal_terminal {
                statistics.terminal_states += 1;
                statistics.expanded += 1;
                continue;
            }
        }
        if let Some(absorb) = task.absorb
            && holds(absorb)?
        {
            statistics.expanded += 1;
            continue;
        }
        let choices = interpreter.permitted_choices(&state, task.policy).map_err(broken)?;
        statistics.expanded += 1;
        statistics.choices += choices.len() as u64;
        statistics.deadlocks += u64::from(choices.is_empty());
        for choice in choices {
            let mut successors: Vec<State> = Vec::new();
            for successor in choice.outcomes.into_iter().flat_map(|o| o.successors) {
                if !successors.contains(&successor) {
                    successors.push(successor);
                }
            }
            statistics.transitions += successors.len() as u64;
            for successor in successors {
                if !known.contains_key(&successor) {
                    known.insert(successor.clone(), states.len());
                    queue.push_back(states.len());
                    states.push((successor, Some(index), depth + 1));
                }
            }
        }
    }
    statistics.states = states.len() as u64;
    Ok(Ending::Complete)
}
