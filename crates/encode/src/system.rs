//! What is encoded, and conditions over it: which labels are applicable, which output wins, where runs start.

use surefoot_linear::{Interval, Linear, Symbol};
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::property::StartSet;
use surefoot_model::term::{ArithOp, CmpOp, RoundOp};
use surefoot_model::{Domain, LabelId, Model, ScalarType, SlotId, TermId, TermPool};
use surefoot_network::Arithmetic;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::discrete::{Step, half};
use crate::start::is_written;

/// A model, who chooses, and what is asked.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Model,
    /// Who chooses; nobody where there is none.
    pub policy: Option<&'a Policy>,
    /// Where runs start.
    pub start: &'a StartSet,
    /// The states that must not be reached.
    pub unsafe_states: TermId,
    /// States in which runs end.
    pub terminal: Option<TermId>,
}

/// The labels that a policy chooses from; refuses policies that cannot be encoded.
pub(crate) fn governed(policy: Option<&Policy>) -> Result<Vec<LabelId>, Diagnostic> {
    let Some(policy) = policy else { return Ok(Vec::new()) };
    let refused = |message: String, help: &str| Err(Diagnostic::error_anywhere(message).with_help(help).refusal());
    for network in &policy.networks {
        let (file, network) = (&network.file, &network.network);
        if network.arithmetic() == Arithmetic::Float32 {
            let message = format!(
                "{file}: a network in single precision cannot be encoded: automata compute with integers or reals"
            );
            return refused(message, "leave \"semantics\": \"float32\" out of the policy file");
        }
        if let Some(layer) = network.layers().iter().find(|layer| !layer.activation().is_piecewise_linear()) {
            let message = format!(
                "{file}: a network with {} cannot be encoded: automata have no such function",
                layer.activation()
            );
            return refused(
                message,
                "encode a policy of ReLU networks; `surefoot induce` writes what this one does, state by state",
            );
        }
    }
    if policy.ties == Ties::Plaja {
        return refused(
            "ties within a tolerance, as in PlaJA, cannot be encoded".to_owned(),
            "ask without PlaJA's conventions",
        );
    }
    match &policy.outputs {
        Outputs::Labels(labels) => Ok(labels.clone()),
        Outputs::Transients(_) => refused(
            "a policy that computes transient variables cannot be encoded: its values are no choices of labels"
                .to_owned(),
            "encode a policy that chooses labels",
        ),
    }
}

/// The values of a slot.
pub(crate) fn slot_range(model: &Model, symbol: Symbol) -> Interval {
    match &model.slots[symbol.index()].domain {
        Domain::Real { lower, upper } => Interval { lower: lower.clone(), upper: upper.clone() },
        domain => {
            let (lower, upper) = domain.int_bounds().unwrap_or((0, 0));
            Interval::new(Rational::from(lower), Rational::from(upper))
        }
    }
}

/// Whether an operator with a label is enabled: some vector whose every participant has an edge that leaves its location, with a guard that holds.
pub(crate) fn applicable(model: &mut Model, label: LabelId) -> TermId {
    let Model { terms, vectors, instances, .. } = model;
    let single = |instance: usize| instances[instance].locations.len() == 1;
    let mut any = terms.bool(false);
    for vector in vectors.iter().filter(|vector| vector.label == Some(label)) {
        let mut all = terms.bool(true);
        for participant in &vector.participants {
            let mut some = terms.bool(false);
            for e in &participant.edges {
                let edge = &instances[participant.instance].edges[*e as usize];
                let here = if single(participant.instance) {
                    terms.bool(true)
                } else {
                    at(terms, participant.instance, edge.source)
                };
                let enabled = terms.and(here, edge.guard);
                some = terms.or(some, enabled);
            }
            all = terms.and(all, some);
        }
        any = terms.or(any, all);
    }
    any
}

/// That an instance is at a location.
fn at(terms: &mut TermPool, instance: usize, location: u32) -> TermId {
    let slot = terms.slot(SlotId::at(instance), ScalarType::Int);
    let number = terms.num(Rational::from(i64::from(location)));
    terms.cmp(CmpOp::Eq, slot, number)
}

/// The condition under which an output is chosen: none before it has as large a score, none after it a larger one; under ties, none a larger one. With
/// a filter it is applicable itself, and those that are not do not count.
pub(crate) fn wins(
    terms: &mut TermPool,
    scores: &[TermId],
    output: usize,
    ties: Ties,
    filter: Option<&[TermId]>,
) -> TermId {
    let mut all = filter.map_or_else(|| terms.bool(true), |applicable| applicable[output]);
    for (other, score) in scores.iter().enumerate().filter(|(other, _)| *other != output) {
        let strict = other < output && ties == Ties::First;
        let mut ahead = terms.cmp(if strict { CmpOp::Lt } else { CmpOp::Le }, *score, scores[output]);
        if let Some(applicable) = filter {
            let out = terms.not(applicable[other]);
            ahead = terms.or(out, ahead);
        }
        all = terms.and(all, ahead);
    }
    all
}

/// What a neuron computes, given what the symbols of its row are, in their order.
pub(crate) fn neuron(terms: &mut TermPool, step: &Step, row: &Linear, values: &[(Symbol, TermId)]) -> TermId {
    let mut sum = terms.num(row.constant().clone());
    for ((_, weight), (_, value)) in row.terms().iter().zip(values) {
        let product = if *weight == Rational::ONE {
            *value
        } else {
            let weight = terms.num(weight.clone());
            terms.arith(ArithOp::Mul, weight, *value)
        };
        sum = if terms.constant(sum).is_some_and(|sum| sum.is_zero()) {
            product
        } else {
            terms.arith(ArithOp::Add, sum, product)
        };
    }
    if step.relu {
        let zero = terms.num(Rational::ZERO);
        sum = terms.arith(ArithOp::Max, sum, zero);
    }
    if step.divisor != Rational::ONE {
        let (half, divisor) = (terms.num(half(&step.divisor)), terms.num(step.divisor.clone()));
        let shifted = terms.arith(ArithOp::Add, sum, half);
        let quotient = terms.arith(ArithOp::Div, shifted, divisor);
        sum = terms.round(RoundOp::Floor, quotient);
    }
    sum
}

/// A slot as a number: truth values are 0 and 1.
pub(crate) fn slot_number(model: &mut Model, symbol: Symbol) -> TermId {
    let slot = SlotId::at(symbol.index());
    if !is_written(model, slot.index()) {
        return model.terms.num(Rational::ZERO);
    }
    let ty = model.slots[slot.index()].domain.ty();
    let value = model.terms.slot(slot, ty);
    if ty != ScalarType::Bool {
        return value;
    }
    let (one, zero) = (model.terms.num(Rational::ONE), model.terms.num(Rational::ZERO));
    model.terms.ite(value, one, zero)
}

/// Refuses real variables.
pub(crate) fn refuse_reals(subject: &Subject<'_>) -> Result<(), Diagnostic> {
    match subject.model.slots.iter().find(|slot| slot.domain.ty() == ScalarType::Real) {
        None => Ok(()),
        Some(slot) => {
            let message = format!(
                "'{}' is a real variable ({}), which can be encoded with real neurons only",
                slot.name,
                slot.domain.describe()
            );
            let help = format!("use {} jani-real", surefoot_text::option("target"));
            Err(Diagnostic::error_anywhere(message).with_help(help).refusal())
        }
    }
}
