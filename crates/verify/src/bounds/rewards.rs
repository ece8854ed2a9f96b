//! What every choice of an explored process adds up.
//!
//! At *exit* an expression is evaluated in the state that is left; at *steps* after all assignments of the transition, as JANI has
//! it: a choice adds the expected value over its outcomes. Outcomes that lead to one state are merged in the process but may add
//! different values, so these are worked out by the reference interpreter.

use surefoot_explicit::Graph;
use surefoot_mdp::Rewards;
use surefoot_model::{ModelError, State, Term, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::engine::Budget;
use crate::problem::{Failure, Problem};

/// What is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summed {
    /// One for every step.
    Steps,
    /// The value of an expression.
    Value {
        /// The expression.
        term: TermId,
        /// Whether it is added in every state that is left.
        exit: bool,
        /// Whether it is added in every step, after its assignments.
        steps: bool,
    },
}

/// How many states are looked at between two looks at the limits.
const CHUNK: u32 = 1 << 10;

/// The reward of every choice.
///
/// # Errors
/// Where a reward is negative, has no value or depends on what is assigned non-deterministically; a limit that was met.
pub(super) fn rewards(
    problem: &Problem,
    graph: &Graph<'_>,
    summed: Summed,
    budget: &Budget,
) -> Result<Rewards, Failure> {
    let Summed::Value { term, exit, steps } = summed else { return Ok(Rewards::steps(&graph.mdp)) };
    let mdp = &graph.mdp;
    let limits = budget.limits();
    let collecting = Collecting { problem, graph, term, exit, steps };
    if steps {
        collecting.check_reads()?;
    }
    let constant = problem.model().terms.constant(term).filter(|value| value.signum() >= 0);
    let mut all: Vec<Rational> = Vec::with_capacity(mdp.num_choices());
    for number in mdp.states() {
        if number % CHUNK == 0
            && let Some(stop) = limits.stop()
        {
            return Err(Failure::Stopped(stop));
        }
        let choices = mdp.choices(number).len();
        // What happens in a vanishing state belongs to the step that led there; and where nothing happens nothing is collected.
        if choices == 0 || number >= mdp.vanishing().start {
            all.extend(std::iter::repeat_n(Rational::ZERO, choices));
        } else if let Some(value) = &constant {
            let value = if exit && steps { value + value } else { value.clone() };
            all.extend(std::iter::repeat_n(value, choices));
        } else {
            collecting.state(number, &mut all)?;
        }
    }
    Rewards::new(all).map_err(|error| Failure::Internal(error.to_string()))
}

/// An expression that is added up.
struct Collecting<'p> {
    problem: &'p Problem,
    graph: &'p Graph<'p>,
    term: TermId,
    exit: bool,
    steps: bool,
}

impl Collecting<'_> {
    /// The rewards of the choices of a state that does not vanish.
    fn state(&self, number: u32, all: &mut Vec<Rational>) -> Result<(), Failure> {
        let state = self.graph.state(number);
        let choices = self.graph.mdp.choices(number);
        let at_exit = if self.exit {
            let value = self.problem.interpreter().eval(self.term, &state);
            self.checked(value.map_err(|error| self.wrong(&ModelError::evaluation(error, state.clone())))?, &state)?
        } else {
            Rational::ZERO
        };
        if !self.steps {
            all.extend(std::iter::repeat_n(at_exit, choices.len()));
            return Ok(());
        }
        // The policy was asked when the states were explored: it permits all operators of a label or none.
        let vectors: Vec<u32> = choices.clone().map(|choice| self.graph.vector(choice)).collect();
        let interpreter = self.problem.interpreter();
        let operators = interpreter.enabled_operators(&state).map_err(|error| self.wrong(&error))?;
        let mut next = 0;
        for operator in operators.iter().filter(|operator| vectors.contains(&operator.vector)) {
            let found = interpreter.collected(&state, operator, self.term).map_err(|error| self.wrong(&error))?;
            self.checked(found.smallest, &state)?;
            let Some(expected) = found.expected else { return Err(self.open(&state)) };
            // One outcome with several successors is a choice for each of them.
            let ways = if found.outcomes == 1 { found.successors } else { 1 };
            if vectors.get(next..next + ways).is_none_or(|them| them.iter().any(|v| *v != operator.vector)) {
                return Err(self.open(&state));
            }
            all.extend(std::iter::repeat_n(&at_exit + &expected, ways));
            next += ways;
        }
        // Soundness: the choices of the process are those of the interpreter, in its order, or nothing is said.
        if next == vectors.len() { Ok(()) } else { Err(self.open(&state)) }
    }

    /// That a step adds nothing that the policy computes: these values belong to states, and transitions have initial values instead.
    fn check_reads(&self) -> Result<(), Failure> {
        let model = self.problem.model();
        for id in model.terms.reachable(self.term) {
            if let Term::Transient(transient) = *model.terms.get(id)
                && self.problem.policy().is_some_and(|policy| policy.output_of_transient(transient).is_some())
            {
                let name = &model.transients[transient.0 as usize].name;
                let message = format!("what a step adds reads '{name}', which the policy computes in states");
                let error = Diagnostic::error_anywhere(message).refusal();
                return Err(error.with_help("accumulate it at \"exit\", or assign it to another variable").into());
            }
        }
        Ok(())
    }

    fn wrong(&self, error: &ModelError) -> Failure {
        self.problem.model_error(error).into()
    }

    /// That a reward is not negative.
    fn checked(&self, value: Rational, state: &State) -> Result<Rational, Failure> {
        if value.signum() < 0 {
            let message = format!("the reward is {value} in the state {}", state.describe(self.problem.model()));
            return Err(Diagnostic::error_anywhere(message).with_help("rewards must not be negative").into());
        }
        Ok(value)
    }

    fn open(&self, state: &State) -> Failure {
        let place = state.describe(self.problem.model());
        let message = format!("what a step adds depends on a non-deterministic assignment, in the state {place}");
        let help = "let it depend on the state that is left (\"exit\"), or give each value an edge of its own";
        Diagnostic::error_anywhere(message).refusal().with_help(help).into()
    }
}
