//! What a policy permits in a state: the slow, exact version that others are compared with.

use surefoot_network::{Scores, Undecided};
use surefoot_num::Rational;

use super::{Outputs, Policy, PolicyNetwork, Ties};
use crate::interpret::{Choice, EvalError, EvalErrorKind, Interpreter, ModelError, State};
use crate::model::{LabelId, Operator};

/// What a policy permits in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permitted {
    /// Outputs (labels or transient values): exactly where they are rational, else rounded to 64 binary places.
    pub outputs: Vec<Rational>,
    /// Which network was asked.
    pub network: usize,
    /// The labels chosen: one, several under ties, none when no label is applicable under the filter.
    pub labels: Vec<LabelId>,
}

impl Policy {
    /// The exact outputs in a state.
    ///
    /// # Errors
    /// Where no network's condition holds, a condition has no value, or the outputs are no rational numbers.
    pub fn outputs_at(&self, interpreter: &Interpreter<'_>, state: &State) -> Result<Vec<Rational>, EvalError> {
        match self.scores_at(self.network_at(interpreter, state)?, state) {
            Scores::Exact(outputs) => Ok(outputs),
            Scores::Smooth(_) => Err(undecided(Undecided::Precision)),
            Scores::Unknown(unknown) => Err(undecided(unknown)),
        }
    }

    /// The outputs of a network in a state.
    fn scores_at(&self, network: usize, state: &State) -> Scores<'_> {
        let PolicyNetwork { inputs, network, .. } = &self.networks[network];
        let inputs: Vec<Rational> = inputs.iter().map(|form| state.value(form)).collect();
        if network.is_exact() { Scores::Exact(network.eval_reference(&inputs)) } else { network.scores_at(&inputs) }
    }

    /// Which network is asked in a state: the first whose condition holds.
    ///
    /// # Errors
    /// Where none is, or a condition has no value.
    pub fn network_at(&self, interpreter: &Interpreter<'_>, state: &State) -> Result<usize, EvalError> {
        for (i, network) in self.networks.iter().enumerate() {
            let asked = network.when.map_or(Ok(true), |when| interpreter.holds(when, state))?;
            if asked {
                return Ok(i);
            }
        }
        Err(EvalError { kind: EvalErrorKind::NoNetwork, span: None })
    }

    /// What the policy permits in a state, given the labels that have an enabled operator there.
    ///
    /// # Errors
    /// As [`Policy::outputs_at`].
    pub fn permitted(
        &self,
        interpreter: &Interpreter<'_>,
        state: &State,
        applicable: &[LabelId],
    ) -> Result<Permitted, EvalError> {
        let network = self.network_at(interpreter, state)?;
        let Outputs::Labels(labels) = &self.outputs else {
            return Ok(Permitted { outputs: self.outputs_at(interpreter, state)?, network, labels: Vec::new() });
        };
        let scores = self.scores_at(network, state);
        let candidates: Vec<usize> =
            (0..labels.len()).filter(|i| !self.filter || applicable.contains(&labels[*i])).collect();
        let chosen = match self.ties {
            Ties::First => scores.first_largest(&candidates).map(|first| first.into_iter().collect()),
            Ties::Any => scores.within(&candidates, &Rational::ZERO),
            Ties::Plaja => scores.within(&candidates, &plaja_tolerance()),
        };
        let chosen = chosen.map_err(undecided)?.into_iter().map(|i| labels[i]).collect();
        Ok(Permitted { outputs: scores.shown(labels.len()), network, labels: chosen })
    }
}

fn undecided(undecided: Undecided) -> EvalError {
    EvalError { kind: EvalErrorKind::Undecided(undecided), span: None }
}

/// Outputs within this of the maximum count as maximal under [`Ties::Plaja`].
#[must_use]
pub fn plaja_tolerance() -> Rational {
    Rational::new(1, 10_000_000).expect("not zero")
}

impl Interpreter<'_> {
    /// The enabled operators that the policy permits, with their outcomes.
    ///
    /// The policy is asked only where it matters: where an operator with one of its labels is enabled.
    ///
    /// # Errors
    /// [`ModelError`] at the first error of the model.
    pub fn permitted_choices(&self, state: &State, policy: Option<&Policy>) -> Result<Vec<Choice>, ModelError> {
        let operators = self.permitted_operators(state, policy)?;
        operators.into_iter().map(|operator| self.choice(state, operator)).collect()
    }

    /// The enabled operators that the policy permits.
    ///
    /// # Errors
    /// [`ModelError`] at the first error of the model.
    pub fn permitted_operators(&self, state: &State, policy: Option<&Policy>) -> Result<Vec<Operator>, ModelError> {
        let mut operators = self.enabled_operators(state)?;
        let Some(policy) = policy else {
            return Ok(operators);
        };
        let label = |o: &Operator| self.model().vectors[o.vector as usize].label;
        let governed = |o: &Operator| label(o).is_some_and(|l| policy.output_of_label(l).is_some());
        if !operators.iter().any(governed) {
            return Ok(operators);
        }
        let applicable: Vec<LabelId> = operators.iter().filter_map(label).collect();
        let permitted = policy.permitted(self, state, &applicable).map_err(|error| self.failure(error, state, None))?;
        operators.retain(|o| !governed(o) || label(o).is_some_and(|l| permitted.labels.contains(&l)));
        Ok(operators)
    }
}
