//! Runs by the reference interpreter: the slow version that is obviously right, and the one for models with real variables.

use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, ModelError, State, TermId};
use surefoot_num::{IBig, Random, Rational, UBig};

use super::one_of;
use super::walk::{Trace, Walker};
use crate::number::number;
use crate::task::Task;

/// A walker by the reference interpreter.
#[derive(Debug)]
pub(super) struct Interpreted<'t, 'm> {
    task: &'t Task<'m>,
    interpreter: Interpreter<'m>,
    state: State,
}

impl<'t, 'm> Interpreted<'t, 'm> {
    pub(super) fn new(task: &'t Task<'m>) -> Self {
        let interpreter = match task.policy {
            Some(policy) => Interpreter::with_policy(task.model, policy),
            None => Interpreter::new(task.model),
        };
        Self { task, interpreter, state: State(Box::default()) }
    }

    fn holds(&self, term: Option<TermId>) -> Result<bool, Box<ModelError>> {
        let holds = term.map_or(Ok(false), |term| self.interpreter.holds(term, &self.state));
        holds.map_err(|error| Box::new(ModelError::evaluation(error, self.state.clone())))
    }

    /// A successor by the probabilities of the outcomes: each participant's destination is drawn on its own, so that products
    /// of many automata are never written out.
    fn successor(&self, operator: &Operator, random: &mut Random) -> Result<State, ModelError> {
        let participants = &self.task.model.vectors[operator.vector as usize].participants;
        let mut destinations = Vec::with_capacity(participants.len());
        for (participant, edge) in participants.iter().zip(&operator.edges) {
            let probabilities = self.interpreter.probabilities(&self.state, participant.instance, *edge, operator)?;
            destinations.push(number(drawn(&probabilities, random)));
        }
        let mut successors = self.interpreter.successors(&self.state, operator, &destinations)?;
        Ok(successors.swap_remove(one_of(successors.len(), random)))
    }
}

/// One of the probabilities that are not zero: a uniform number of [0, 1) with 64 bits is compared exactly with the running sum.
fn drawn(probabilities: &[Rational], random: &mut Random) -> usize {
    let mut positive = probabilities.iter().enumerate().filter(|(_, p)| !p.is_zero());
    if let (Some((only, _)), None) = (positive.next(), positive.next()) {
        return only;
    }
    let ticket = Rational::from_big_parts(IBig::from(random.next_u64()), UBig::from(1u128 << 64)).expect("not zero");
    let mut sum = Rational::ZERO;
    let below = |p: &Rational| {
        sum = &sum + p;
        ticket < sum
    };
    probabilities.iter().position(below).expect("the ticket is below one, and the sum is one")
}

impl Walker for Interpreted<'_, '_> {
    fn begin(&mut self, start: &State) {
        self.state = start.clone();
    }

    fn is_target(&mut self) -> Result<bool, Box<ModelError>> {
        self.holds(self.task.reach)
    }

    fn is_goal(&mut self) -> Result<bool, Box<ModelError>> {
        self.holds(self.task.goal)
    }

    fn step(&mut self, random: &mut Random) -> Result<Option<u32>, Box<ModelError>> {
        let operators = self.interpreter.permitted_operators(&self.state, self.task.policy).map_err(Box::new)?;
        if operators.is_empty() {
            return Ok(None);
        }
        let operator = &operators[one_of(operators.len(), random)];
        self.state = self.successor(operator, random).map_err(Box::new)?;
        Ok(Some(operator.vector))
    }

    fn record(&self, trace: &mut Trace) {
        match self.state.to_ints().filter(|_| self.task.model.is_discrete()) {
            Some(values) => trace.push_values(&values),
            None => trace.push_state(&self.state),
        }
    }
}
