//! Errors of the model: an operator counts as absent where it is one, so a bound from above is one of the model only if no error is reached.
//!
//! All abstract states that are expanded are asked for errors: before a bound is the answer, these are all that are reachable. An error that an abstract state
//! does not exclude is the end of an abstract path, which is checked and refuted as in CEGAR, or real: then the model is in error.

use rayon::prelude::*;
use surefoot_abstraction::errors::{Faults, Occurrence, occurrences};
use surefoot_abstraction::{Fault, StateId};
use surefoot_cegar::check::{Checked, Checker};
use surefoot_cegar::path::{AbstractPath, End};
use surefoot_cegar::refine::Refined;
use surefoot_limits::Stop;
use surefoot_model::{ModelError, State};
use surefoot_oracle::FullOracle;

use super::analysis::Context;
use super::halt::Halt;
use super::process::{Place, Process};
use crate::answer::Failure;
use surefoot_abstraction::PredicateSet;

/// What is known about errors of the model.
#[derive(Debug, Clone)]
pub enum Errors {
    /// There are none.
    Excluded,
    /// Of this it is not known, and that is why.
    Open(String, Stop),
    /// An abstract path leads to this one.
    Possible(Box<AbstractPath>, String),
}

/// Looks for errors in all states that are expanded: the first that holds one, else the first of which it is not known.
///
/// # Errors
/// What cannot be lowered.
pub fn find<O: FullOracle>(process: &mut Process<'_, '_, O>, faults: &mut Faults) -> Result<Errors, Halt> {
    let expanded = |(id, _): &(StateId, _)| matches!(process.places[id.index()], Place::Expanded(_));
    let states: Vec<_> = process.states.iter().filter(expanded).map(|(id, state)| (id, state.clone())).collect();
    let (predicates, oracles, limits) = (process.predicates, process.oracles, process.limits);
    let all: Vec<_> = occurrences(process.system, predicates, &states, &[], faults, oracles, limits)?.collect();
    let mut open = Errors::Excluded;
    for (id, found, work) in all {
        process.work.questions += work.questions;
        process.work.nodes += work.nodes;
        match found {
            Occurrence::Possible(fault, _) if fault.exact => {
                let (ids, by) = process.way_to(id);
                let states = ids.iter().map(|id| process.states.get(*id).clone()).collect();
                let rule = |(id, (by, outcome)): (&StateId, &(usize, usize))| {
                    process.operators(*id).joints[*by].rules[*outcome].clone()
                };
                let steps = ids.iter().zip(&by).map(rule).collect();
                let what = fault.what.clone();
                let path = AbstractPath { states, steps, end: End::Fault(fault) };
                return Ok(Errors::Possible(Box::new(path), what));
            }
            Occurrence::Possible(fault, _) if matches!(open, Errors::Excluded) => {
                open = Errors::Open(fault.what.clone(), Fault::undecided());
            }
            Occurrence::Undecided(fault, stop) if matches!(open, Errors::Excluded) => {
                open = Errors::Open(fault.what.clone(), stop);
            }
            _ => {}
        }
    }
    Ok(open)
}

/// Predicates that refute a path to an error.
///
/// # Errors
/// The model is in error; a limit.
pub fn refute<O: FullOracle>(context: &mut Context<'_, '_, O>, path: &AbstractPath) -> Result<PredicateSet, Halt> {
    let mut checker = Checker {
        system: context.system,
        predicates: context.predicates,
        oracle: context.oracle,
        limits: &context.options.limits,
        mode: context.options.strategy.path_check,
        path_nodes: context.options.path_nodes,
    };
    let checked = checker.check(path);
    let refined = match checked {
        Checked::Real(states) => Refined::Real(states),
        checked => context.refiner().refine(path, &checked),
    };
    match refined {
        Refined::More { predicates, .. } => Ok(predicates),
        Refined::Real(states) => {
            let last = states.last().ok_or_else(|| Halt::internal("a run without states"))?;
            match error_in(context, last) {
                Some(error) => Err(Failure::Model(Box::new(error)).into()),
                None => Err(Halt::internal("an error of the model that the interpreter does not find")),
            }
        }
        Refined::Unknown(stop) => Err(stop.into()),
        Refined::NoSuchStep(step) => Err(Halt::internal(format!("step {step} of a path to an error does not exist"))),
        Refined::Nothing => Err(Halt::internal("a spurious path to an error, and nothing new to tell it by")),
    }
}

/// The error that the interpreter meets in a state.
fn error_in<O: FullOracle>(context: &Context<'_, '_, O>, state: &State) -> Option<ModelError> {
    let interpreter = context.concrete.interpreter;
    let goal = context.asked.task.goal.filter(|_| context.asked.task.goal_terminal);
    for condition in [Some(context.asked.right), Some(context.asked.decided), goal].into_iter().flatten() {
        if let Err(error) = interpreter.holds(condition, state) {
            return Some(ModelError::evaluation(error, state.clone()));
        }
    }
    context.concrete.permitted(state).as_ref().as_ref().err().cloned()
}
