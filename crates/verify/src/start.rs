//! That start conditions have a value, for engines that look at formulas instead of states.
//!
//! A start condition without value (a division by zero, an index outside an array) in some state is an error of the model, unless
//! another of its conjuncts fails there: the same as for [exploration](surefoot_explicit::start). Engines that take a condition as
//! the set of states in which it has a value and holds would never see such a state.

use surefoot_explicit::start::StartError;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::{Domain, ModelError, State, TermId};
use surefoot_oracle::{Answer, BranchAndBound, Kind, Limits, Options, Oracle, Question, Variable};
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::Diagnostic;

use crate::engine::{Budget, start_failure};
use crate::problem::{Failure, Problem};

/// Nodes of the search for a state without value.
const NODES: u64 = 100_000;

/// That every start condition has a value in every state, or fails by another conjunct.
///
/// # Errors
/// [`Failure::Input`] with the state in which one has none, as exploration tells it, or where that could not be decided;
/// [`Failure::Stopped`] when a limit is met.
pub(crate) fn check_defined(problem: &Problem, budget: &Budget) -> Result<(), Failure> {
    let terms = &problem.model().terms;
    let fallible = problem.query.start.conditions.iter().filter(|condition| terms.is_fallible(**condition));
    fallible.copied().try_for_each(|condition| check(problem, condition, budget))
}

fn check(problem: &Problem, condition: TermId, budget: &Budget) -> Result<(), Failure> {
    let Some(question) = question(problem, condition)? else { return Err(undecided(problem)) };
    if question.check().is_err() {
        return Err(undecided(problem));
    }
    let limits = Limits { nodes: Some(NODES), ..budget.oracle_limits() };
    match BranchAndBound::new(Options::default()).decide(&question, &limits) {
        Answer::Unsat => Ok(()),
        Answer::Unknown(Stop::Most(..)) => Err(undecided(problem)),
        Answer::Unknown(stop) => Err(Failure::Stopped(stop)),
        Answer::Sat(values) => {
            let state = State(values.into());
            match problem.interpreter().holds(condition, &state) {
                Err(error) => {
                    let error = ModelError::evaluation(error, state);
                    Err(start_failure(problem, &StartError::Condition(Box::new(error))))
                }
                // Soundness: the formula is only lowered from the condition; where they differ nothing is claimed.
                Ok(_) => Err(undecided(problem)),
            }
        }
    }
}

/// Asks for a state in which a conjunct has no value and none fails; `None` where the domains are no box.
fn question(problem: &Problem, condition: TermId) -> Result<Option<Question>, Failure> {
    let model = problem.model();
    let mut lowering = Lowering::new(model, problem.policy())?;
    let (mut without, mut none_fails) = (Vec::new(), Vec::new());
    for conjunct in model.terms.conjuncts(condition) {
        let lowered = lowering.condition(conjunct, problem.query.span, "the start condition")?;
        let undefined = lowering.space().negated(&lowered.defined);
        none_fails.push(Formula::any([lowered.holds, undefined.clone()]));
        without.push(undefined);
    }
    let formula = Formula::all(none_fails.into_iter().chain([Formula::any(without)]));
    let variable = |domain: &Domain| {
        if let Some((lower, upper)) = domain.int_bounds() {
            return Some(Variable::integer(lower, upper));
        }
        let Domain::Real { lower, upper } = domain else { return None };
        Some(Variable { kind: Kind::Real, lower: lower.clone()?, upper: upper.clone()? })
    };
    let variables: Option<Vec<Variable>> = model.slots.iter().map(|slot| variable(&slot.domain)).collect();
    Ok(variables.map(|variables| Question { variables, applications: Vec::new(), formula }))
}

fn undecided(problem: &Problem) -> Failure {
    let message = "whether the start condition has a value in every state is not decided";
    let mut error = Diagnostic::error_anywhere(message).refusal();
    error.span = problem.query.span;
    error.with_help("write it so that it always has one, or visit the states one by one (explicit)").into()
}
