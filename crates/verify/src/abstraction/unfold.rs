//! What leads out of one abstract state: asked anew, whether or not a search has come to it.
//!
//! The successors are those of the expansion that searches use ([`surefoot_abstraction::transition`]), each with a state of the model from which the move leads there. A limit leaves
//! out successors, and says so.

use surefoot_abstraction::transition::transitions;
use surefoot_abstraction::{AbstractState, Method, Oracles, PredicateSet};
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::model::Operator;
use surefoot_model::{LabelId, State};
use surefoot_oracle::Answer;

use super::system;
use crate::engine::{Asked, Budget};
use crate::problem::{Failure, Problem};

/// A way out of an abstract state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Led {
    /// The operator.
    pub operator: Operator,
    /// Its label; `None` = silent.
    pub label: Option<LabelId>,
    /// The abstract state that it leads to.
    pub target: AbstractState,
    /// Whether that may hold unsafe states.
    pub is_unsafe: bool,
    /// A state of the source from which it leads there.
    pub witness: State,
}

/// What leads out of an abstract state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfolded {
    /// The ways, each once.
    pub ways: Vec<Led>,
    /// A state that it holds.
    pub example: Option<State>,
    /// Whether it may hold unsafe states.
    pub is_unsafe: bool,
    /// The limit that left something out.
    pub stopped: Option<Stop>,
}

/// Asks what leads out of an abstract state.
///
/// # Errors
/// As [`abstraction`](super::abstraction).
pub fn unfold(
    problem: &Problem,
    predicates: &PredicateSet,
    state: &AbstractState,
    budget: &Budget,
) -> Result<Unfolded, Failure> {
    let mut system = system(&Asked::of(problem), &[])?;
    let moves = system.moves(predicates, &state.locations)?;
    let limits = budget.oracle_limits();
    let oracles = Oracles::seeded(0);
    let mut oracle = oracles.lend();
    let (found, mut stopped) =
        transitions(&system, predicates, &moves, state, Method::default(), &mut *oracle, &limits);
    let mut holds = |state: &AbstractState, property: &Formula| {
        let property = system.lowering().at_all_locations(property, &state.locations);
        let answer = system.cell(predicates, state).ask(&mut *oracle, &property, None, &limits);
        stopped = stopped.or(answer.limit());
        answer
    };
    let example = match holds(state, &Formula::truth()) {
        Answer::Sat(values) => Some(State(values.into())),
        _ => None,
    };
    // What is not known counts as unsafe.
    let is_unsafe = holds(state, system.reach()) != Answer::Unsat;
    let mut ways = Vec::with_capacity(found.len());
    for transition in found {
        let Some(rule) = moves.get(transition.by).map(|step| &step.rule) else { continue };
        let is_unsafe = holds(&transition.target, system.reach()) != Answer::Unsat;
        let (operator, label) = (rule.operator.clone(), rule.label);
        let way = Led { operator, label, target: transition.target, is_unsafe, witness: transition.witness };
        let known = |other: &Led| other.operator == way.operator && other.target == way.target;
        if !ways.iter().any(known) {
            ways.push(way);
        }
    }
    Ok(Unfolded { ways, example, is_unsafe, stopped })
}
