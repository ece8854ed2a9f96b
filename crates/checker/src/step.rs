//! Where operators lead: step `>`.

use surefoot_certificate::token::Target;
use surefoot_num::Rational;

use crate::node::Node;
use crate::operator::{Op, Outcome};
use crate::rules::{Rules, Workspace};
use crate::values::Values;

impl<'p> Rules<'p> {
    /// Step `>`: an operator leads to these targets from all of the node, or it is in error in all of it.
    ///
    /// # Errors
    /// Why that is not shown.
    pub fn leads(
        &self,
        node: &mut Node,
        operator: u32,
        targets: Option<&[Target]>,
        ws: &Workspace,
    ) -> Result<(), String> {
        if node.question {
            return Err("where operators lead says nothing about a network alone".to_owned());
        }
        let all = self.operators_at(node);
        let meant = |op: &Op<'_>| op.number == Some(operator);
        for pending in node.operators.iter().filter(|pending| meant(&all[pending.index as usize])) {
            let op = &all[pending.index as usize];
            if !pending.defined {
                return Err("a guard of the operator may be in error".to_owned());
            }
            if op.output.is_some() && node.network.is_none() {
                return Err("it is not decided which network is asked".to_owned());
            }
            let Some(targets) = targets else {
                self.is_absent(node, op)?;
                continue;
            };
            if targets.len() != op.outcomes.len() {
                return Err(format!("{} targets for {} outcomes", targets.len(), op.outcomes.len()));
            }
            self.check_probabilities(node, op)?;
            for (number, (outcome, target)) in op.outcomes.iter().zip(targets).enumerate() {
                self.outcome_leads(node, outcome, target, ws).map_err(|why| format!("outcome {number}: {why}"))?;
            }
        }
        node.operators.retain(|pending| !meant(&all[pending.index as usize]));
        Ok(())
    }

    /// That probabilities which depend on the state are a distribution in all of the node.
    pub(crate) fn check_probabilities(&self, node: &Node, op: &Op<'_>) -> Result<(), String> {
        if op.outcomes.iter().all(|outcome| outcome.probability.is_some()) {
            return Ok(());
        }
        let (model, values) = (self.asked.model, self.values(node));
        let vector = &model.vectors[op.operator.vector as usize];
        for (participant, e) in vector.participants.iter().zip(&op.operator.edges) {
            let edge = &model.instances[participant.instance].edges[*e as usize];
            if edge.constant_probabilities {
                continue;
            }
            let mut sum = crate::enclosure::Enclosure::constant(Rational::ZERO);
            for destination in &edge.destinations {
                let probability = values.number(destination.probability);
                if probability.error || values.range(&probability.value).0.signum() < 0 {
                    return Err("a probability may be negative, or have no value".to_owned());
                }
                sum = sum.plus_scaled(&probability.value, &Rational::ONE);
            }
            if sum.as_constant() != Some(&Rational::ONE) {
                return Err("probabilities may not sum to 1".to_owned());
            }
        }
        Ok(())
    }

    pub(crate) fn outcome_leads(
        &self,
        node: &Node,
        outcome: &Outcome<'_>,
        target: &Target,
        ws: &Workspace,
    ) -> Result<(), String> {
        let mut values = self.values(node);
        if *target == Target::Impossible {
            let zero = |factor: &surefoot_model::TermId| {
                values.number(*factor).value.as_constant().is_some_and(Rational::is_zero)
            };
            // Soundness: that factors have values is checked with all probabilities of the operator.
            return if outcome.factors.iter().any(zero) {
                Ok(())
            } else {
                Err("its probability may be positive".to_owned())
            };
        }
        values.update(outcome)?;
        self.is_at(&mut values, target, ws)
    }

    /// Whether updated values are at a target, whatever is chosen.
    fn is_at(&self, values: &mut Values<'_>, target: &Target, ws: &Workspace) -> Result<(), String> {
        match target {
            Target::At(place) => self.is_inside(values, *place, &ws.formulas),
            Target::Impossible => Err("a choice does not make an outcome impossible".to_owned()),
            Target::Chosen { choice, at, parts } => {
                let choice = *choice as usize;
                let Some((lower, upper)) = values.choices.get(choice).cloned() else {
                    return Err(format!("the outcome has no choice {choice}"));
                };
                let (at, next) = (Rational::from(*at), &Rational::from(*at) + &Rational::ONE);
                if at < lower || next > upper {
                    return Err(format!("the choice {choice} is split at {at}, outside its range"));
                }
                // Soundness: choices are integers.
                values.choices[choice] = (lower.clone(), at);
                self.is_at(values, &parts.0, ws)?;
                values.choices[choice] = (next, upper.clone());
                self.is_at(values, &parts.1, ws)?;
                values.choices[choice] = (lower, upper);
                Ok(())
            }
        }
    }

    /// That an operator is in error in all of a node, so that it counts as absent where that is assumed.
    fn is_absent(&self, node: &Node, op: &Op<'_>) -> Result<(), String> {
        if !self.asked.assume_no_errors {
            return Err("that the model is never in error is not assumed".to_owned());
        }
        // An outcome of positive probability with a value that surely is outside its domain.
        let leaves = op.outcomes.iter().filter(|outcome| outcome.probability.is_some()).any(|outcome| {
            let mut values = self.values(node);
            // Soundness: domains are looked at when all assignments are done, so a value on the way does not count.
            values.apply(outcome).is_ok()
                && values.updated.iter().any(|(slot, value)| {
                    let (lower, upper) = values.range(value);
                    let bounds = self.asked.model.slots[slot.index()].domain.int_bounds();
                    bounds.is_some_and(|(least, most)| upper < least.into() || lower > most.into())
                })
        });
        if leaves { Ok(()) } else { Err("the operator may not be in error".to_owned()) }
    }
}
