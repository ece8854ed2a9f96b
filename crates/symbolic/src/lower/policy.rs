//! Policies: which network is asked where, and what it reads.
//!
//! The first network whose condition holds is asked, so network `i` is asked where its condition holds and those of all
//! networks before it fail. A network without condition is asked wherever it is come to.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_network::Network;
use surefoot_text::diagnostic::Diagnostic;

use super::{Condition, Lowering};

/// A network and where it is asked.
#[derive(Debug, Clone)]
pub struct SymbolicNetwork {
    /// Where it is asked. No two networks are asked in one state.
    pub asked: Formula,
    /// One form over the slots per input.
    pub inputs: Arc<[Linear]>,
    /// The network.
    pub network: Arc<Network>,
}

/// A policy over the symbols of a [`Lowering`].
#[derive(Debug, Clone)]
pub struct SymbolicPolicy {
    /// The networks.
    pub networks: Vec<SymbolicNetwork>,
    /// Where some network is asked; elsewhere the model is in error as soon as the policy is needed.
    pub covered: Formula,
    /// What the outputs mean.
    pub outputs: Outputs,
    /// The symbol of the first output, for a policy that computes transient variables.
    pub first_output: Option<Symbol>,
    /// Whether only applicable labels count.
    pub filter: bool,
    /// How ties are broken.
    pub ties: Ties,
}

impl Lowering<'_> {
    /// The policy, if there is one.
    ///
    /// # Errors
    /// A condition of a network that cannot be lowered; a network that computes values and is not piecewise linear over the reals.
    pub fn policy(&mut self) -> Result<Option<SymbolicPolicy>, Diagnostic> {
        let Some(policy) = self.policy else { return Ok(None) };
        // Labels are chosen by comparing scores, whatever they are; values must be linear forms where signs are known.
        let values = matches!(policy.outputs, Outputs::Transients(_));
        if let Some(network) = policy.networks.iter().find(|network| values && !network.network.is_exact()) {
            let message = format!(
                "{} computes values of the model and is not piecewise linear over the reals, which this engine needs",
                network.file
            );
            return Err(Diagnostic::error_anywhere(message)
                .refusal()
                .with_help("the explicit engine takes any network"));
        }
        let conditions = self.conditions(policy)?;
        let asked = self.asked(&conditions);
        let networks = policy.networks.iter().zip(&asked).map(|(network, asked)| SymbolicNetwork {
            asked: asked.clone(),
            inputs: network.inputs.iter().cloned().collect(),
            network: Arc::clone(&network.network),
        });
        Ok(Some(SymbolicPolicy {
            networks: networks.collect(),
            covered: Formula::any(asked.iter().cloned()),
            outputs: policy.outputs.clone(),
            first_output: self.outputs.as_ref().map(|outputs| outputs.first),
            filter: policy.filter,
            ties: policy.ties,
        }))
    }

    /// Where some network is asked.
    pub(super) fn covered(&mut self, policy: &Policy) -> Result<Formula, Diagnostic> {
        let conditions = self.conditions(policy)?;
        Ok(Formula::any(self.asked(&conditions)))
    }

    /// The networks' conditions, in which transient variables have their own definitions: no network is asked for them.
    fn conditions(&mut self, policy: &Policy) -> Result<Vec<Condition>, Diagnostic> {
        let mut plain = Lowering { outputs: None, memo: super::Memo::default(), space: self.space.clone(), ..*self };
        let mut conditions = Vec::new();
        for network in &policy.networks {
            conditions.push(match network.when {
                None => Condition::truth(),
                Some(when) => plain.condition(when, None, &format!("the \"when\" of the network {}", network.file))?,
            });
        }
        Ok(conditions)
    }

    fn asked(&self, conditions: &[Condition]) -> Vec<Formula> {
        let fails =
            |condition: &Condition| Formula::all([condition.defined.clone(), self.space.negated(&condition.holds)]);
        let mut before: Vec<Formula> = Vec::new();
        let mut asked = Vec::new();
        for condition in conditions {
            asked.push(Formula::all(before.iter().cloned().chain([condition.holds.clone()])));
            before.push(fails(condition));
        }
        asked
    }
}
