//! A lower bound, replayed: every step of every path by the reference interpreter, and the probabilities that it gives added up.
//!
//! Soundness: the runs start in one start state, no one is the beginning of another, the policy permits every operator on the way, and what is done is a
//! function of the run so far (the step of the tree): so there is one scheduler that has them all, and its probability is at least their sum.

use rustc_hash::FxHashMap;
use surefoot_model::{Interpreter, ModelError, State, TermId};
use surefoot_num::Rational;

use super::halt::Halt;
use super::paths::StepId;
use super::walk::{Scene, Walk};
use crate::answer::Failure;
use crate::ask::Asked;

/// The probability of some paths that a walk realises, as the interpreter has it.
///
/// # Errors
/// An error of the model that is met on the way; an error of ours, where a path is none.
pub fn replay(scene: Scene<'_, '_>, asked: &Asked<'_>, walk: &mut Walk, ends: &[StepId]) -> Result<Rational, Halt> {
    let interpreter = scene.concrete.interpreter;
    let wrong = |what: &str| Halt::internal(format!("a counterexample does not replay: {what}"));
    let start = &walk.point.start;
    let start_set = asked.task.start;
    let mut starts = start_set.states.contains(start);
    for condition in &start_set.conditions {
        starts |= holds(&interpreter, *condition, start)?;
    }
    if !starts {
        return Err(wrong("it does not start in a start state"));
    }
    // Per step, the probability of the run so far.
    let mut known: FxHashMap<StepId, Rational> = FxHashMap::default();
    known.insert(0, Rational::ONE);
    let mut sum = Rational::ZERO;
    let mut distinct: Vec<StepId> = ends.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    for end in distinct {
        let way = scene.paths.way(end);
        for pair in way.windows(2) {
            if known.contains_key(&pair[1]) {
                continue;
            }
            let state = walk.state(scene, pair[0]).ok_or_else(|| wrong("it leaves its path"))?.clone();
            let next = walk.state(scene, pair[1]).ok_or_else(|| wrong("it leaves its path"))?.clone();
            let goal = asked.task.goal.filter(|_| asked.task.goal_terminal);
            for end in [Some(asked.decided), goal].into_iter().flatten() {
                if holds(&interpreter, end, &state)? {
                    return Err(wrong("it goes on where it should have ended"));
                }
            }
            let probability = step(scene, pair, &state, &next)?.ok_or_else(|| wrong("no such step"))?;
            known.insert(pair[1], &known[&pair[0]] * &probability);
        }
        let last = walk.state(scene, end).ok_or_else(|| wrong("it leaves its path"))?;
        if !holds(&interpreter, asked.right, last)? {
            return Err(wrong("it does not end where it should"));
        }
        sum = &sum + &known[&end];
    }
    Ok(sum)
}

/// The probability of a step under the policy, if there is such a step.
fn step(scene: Scene<'_, '_>, pair: &[StepId], state: &State, next: &State) -> Result<Option<Rational>, Halt> {
    let spot = &scene.chain.spots[scene.paths.steps[pair[0]].spot];
    let rule = spot.rule(scene.paths.steps[pair[1]].outcome);
    let permitted = scene.concrete.permitted(state);
    let choices = match permitted.as_ref() {
        Ok(choices) => choices,
        Err(error) => return Err(Failure::Model(Box::new(error.clone())).into()),
    };
    let choice = choices.iter().find(|choice| choice.operator == rule.operator);
    let mut outcomes = choice.into_iter().flat_map(|choice| &choice.outcomes);
    let drawn = outcomes.find(|outcome| outcome.destinations == rule.destinations);
    Ok(drawn.filter(|outcome| outcome.successors.contains(next)).map(|outcome| outcome.probability.clone()))
}

fn holds(interpreter: &Interpreter<'_>, condition: TermId, state: &State) -> Result<bool, Halt> {
    let failed = |error| Halt::Failure(Failure::Model(Box::new(ModelError::evaluation(error, state.clone()))));
    interpreter.holds(condition, state).map_err(failed)
}
