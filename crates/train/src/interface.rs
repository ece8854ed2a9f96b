//! What a policy reads and what it chooses; and a network that was trained as a policy that the other parts of the program understand.
//!
//! Every input is a variable (or the number of a location). The network is trained on `(x - mean) / 2^k`, with the smallest `k` for which that is at most 1
//! in size; `mean` is 0 unless all values are far from 0. A division by a power of two goes into the weights of the first layer without any rounding, so that
//! the network that is written reads variables as they are; a mean that is not 0 is written as the network's normalisation, exactly too.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use surefoot_linear::Linear;
use surefoot_model::lower::{Lowered, Value};
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{LabelId, Model, SlotId, Term};
use surefoot_network::{Network, Normalisation};
use surefoot_num::Rational;

use crate::dense::Dense;
use crate::written;

/// What a policy reads and what it chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    slots: Vec<SlotId>,
    scales: Vec<Scale>,
    bounds: Vec<(i64, i64)>,
    labels: Vec<LabelId>,
    filter: bool,
}

/// `(x - mean) / 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scale {
    mean: i64,
    exponent: u32,
}

/// Why there is no policy over these inputs and labels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterfaceError {
    /// Nothing to read.
    #[error("the policy would read nothing: no variable of the model ever changes")]
    NoInputs,
    /// Nothing to choose.
    #[error("the policy would have nothing to choose: no edge of the model has a label")]
    NoLabels,
    /// A variable that is no bounded integer.
    #[error("the variable '{0}' is real, and training is over models of bounded integers and truth values")]
    Real(String),
    /// Named twice.
    #[error("'{0}' is named twice")]
    Twice(String),
    /// A cell of an array of arrays in an automaton.
    #[error("'{0}' is a cell of a local array of arrays, which policy files cannot name")]
    NoName(String),
}

impl Scale {
    fn of(lower: i64, upper: i64) -> Self {
        let width = upper.abs_diff(lower);
        let away = if lower > 0 {
            lower.unsigned_abs()
        } else if upper < 0 {
            upper.unsigned_abs()
        } else {
            0
        };
        let mean = if away > width { lower } else { 0 };
        let largest = lower.abs_diff(mean).max(upper.abs_diff(mean));
        Self { mean, exponent: largest.max(1).checked_next_power_of_two().map_or(64, u64::trailing_zeros) }
    }

    fn factor(self) -> f64 {
        // The power of two as IEEE 754 writes it: no mantissa, and an exponent of at least -64.
        f64::from_bits((1023 - u64::from(self.exponent)) << 52)
    }
}

impl Interface {
    /// Reads these slots, and chooses among these labels: with a filter, among those that are applicable.
    ///
    /// # Errors
    /// Where that makes no policy.
    pub fn new(model: &Model, slots: Vec<SlotId>, labels: Vec<LabelId>, filter: bool) -> Result<Self, InterfaceError> {
        if slots.is_empty() {
            return Err(InterfaceError::NoInputs);
        }
        if labels.is_empty() {
            return Err(InterfaceError::NoLabels);
        }
        let slot_name = |slot: SlotId| model.slots[slot.index()].name.to_string();
        if let Some(slot) = repeated(&slots) {
            return Err(InterfaceError::Twice(slot_name(slot)));
        }
        if let Some(label) = repeated(&labels) {
            return Err(InterfaceError::Twice(model.labels[label.0 as usize].to_string()));
        }
        let bounds = |slot: &SlotId| {
            model.slots[slot.index()].domain.int_bounds().ok_or_else(|| InterfaceError::Real(slot_name(*slot)))
        };
        let bounds = slots.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        let scales = bounds.iter().map(|(lower, upper)| Scale::of(*lower, *upper)).collect();
        Ok(Self { slots, scales, bounds, labels, filter })
    }

    /// The slots that may have several values, given those that have one throughout.
    #[must_use]
    pub fn inputs_of(model: &Model, fixed: &[Option<i64>]) -> Vec<SlotId> {
        let several = |i: &usize| {
            fixed[*i].is_none() && model.slots[*i].domain.int_bounds().is_none_or(|(lower, upper)| lower < upper)
        };
        (0..model.slots.len()).filter(several).map(SlotId::at).collect()
    }

    /// All labels that something can happen by, in the order of the model.
    #[must_use]
    pub fn labels_of(model: &Model) -> Vec<LabelId> {
        let used = |label: &LabelId| model.vectors.iter().any(|vector| vector.label == Some(*label));
        (0..model.labels.len()).map(LabelId::at).filter(used).collect()
    }

    /// What it reads.
    #[must_use]
    pub fn slots(&self) -> &[SlotId] {
        &self.slots
    }

    /// What it chooses among.
    #[must_use]
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// Whether only applicable labels count.
    #[must_use]
    pub fn filter(&self) -> bool {
        self.filter
    }

    /// What the network is trained on, in a state.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "what is learned from may be rounded"
    )]
    pub fn observe(&self, values: &[i64], out: &mut [f32]) {
        for ((slot, scale), out) in self.slots.iter().zip(&self.scales).zip(out) {
            *out = ((values[slot.index()] as f64 - scale.mean as f64) * scale.factor()) as f32;
        }
    }

    /// The network that reads variables as they are.
    ///
    /// # Panics
    /// When the network has other inputs or outputs, or a parameter is no number.
    #[must_use]
    pub fn network(&self, trained: &Dense) -> Network {
        let factor = |input: usize| self.scales[input].factor();
        let network = written::network(trained, factor).expect("layers that fit together");
        let offsets = self.scales.iter().map(|scale| -&Rational::from(scale.mean)).collect();
        let bounds = self.bounds.iter().map(|(lower, upper)| (Rational::from(*lower), Rational::from(*upper)));
        Normalisation::new(vec![Rational::ONE; self.slots.len()], offsets)
            .and_then(|shift| network.with_input_normalisation(shift))
            .and_then(|network| network.with_input_bounds(bounds.collect()))
            .expect("one scale and one pair of bounds for each input")
    }

    /// The policy of a network, `file` being where it stands.
    #[must_use]
    pub fn policy(&self, network: Arc<Network>, file: &str) -> Policy {
        let inputs = self.slots.iter().map(|slot| Linear::symbol((*slot).into())).collect();
        Policy {
            networks: vec![PolicyNetwork { when: None, inputs, network, file: file.to_owned() }],
            outputs: Outputs::Labels(self.labels.clone()),
            filter: self.filter,
            ties: Ties::First,
        }
    }

    /// What stands in the policy file of a network.
    ///
    /// # Errors
    /// Inputs that such files cannot name.
    pub fn file(&self, lowered: &Lowered, comment: &str, network: &str) -> Result<Json, InterfaceError> {
        let input = |slot: &SlotId| {
            let name = || InterfaceError::NoName(lowered.model.slots[slot.index()].name.to_string());
            expression(lowered, *slot).ok_or_else(name)
        };
        let inputs = self.slots.iter().map(input).collect::<Result<Vec<_>, _>>()?;
        let labels: Vec<&str> = self.labels.iter().map(|label| &*lowered.model.labels[label.0 as usize]).collect();
        Ok(json!({
            "comment": comment,
            "network": network,
            "inputs": inputs,
            "outputs": {"labels": labels},
            "filter": self.filter,
        }))
    }
}

/// The first that is there twice.
fn repeated<T: Copy + PartialEq>(list: &[T]) -> Option<T> {
    list.iter().enumerate().find(|(i, item)| list[..*i].contains(item)).map(|(_, item)| *item)
}

/// A slot as policy files write it.
fn expression(lowered: &Lowered, slot: SlotId) -> Option<Json> {
    let (model, names) = (&lowered.model, &lowered.names);
    let occurrence = |instance: usize| {
        let instance = &model.instances[instance];
        (&*instance.automaton, instance.occurrence)
    };
    if slot.index() < model.instances.len() {
        let (automaton, index) = occurrence(slot.index());
        return Some(json!({"location": automaton, "index": index}));
    }
    let owner = model.slots[slot.index()].instance;
    let known = owner.map_or(&names.globals, |instance| &names.instances[instance].locals);
    // Each slot has one name, so that the order in which they are looked at does not show.
    let (name, cells) = known.iter().find_map(|(name, value)| Some((name, cells(model, value, slot)?)))?;
    let Some(instance) = owner else {
        let cell = |array: Json, index: &usize| json!({"op": "aa", "exp": array, "index": index});
        return Some(cells.iter().fold(json!(&**name), cell));
    };
    let (automaton, index) = occurrence(instance);
    match cells.as_slice() {
        [] => Some(json!({"variable": &**name, "automaton": automaton, "index": index})),
        [cell] => Some(json!({"variable": &**name, "automaton": automaton, "index": index, "cell": cell})),
        _ => None,
    }
}

/// The cell of a value that is a slot: no number for the value itself, else one for each dimension.
fn cells(model: &Model, value: &Value, slot: SlotId) -> Option<Vec<usize>> {
    match value {
        Value::Scalar(term) => matches!(model.terms.get(*term), Term::Slot(found) if *found == slot).then(Vec::new),
        Value::Array(items) => items.iter().enumerate().find_map(|(i, item)| {
            let mut rest = cells(model, item, slot)?;
            rest.insert(0, i);
            Some(rest)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two() {
        let scale = |lower, upper| {
            let scale = Scale::of(lower, upper);
            (scale.mean, scale.factor())
        };
        assert_eq!(scale(0, 1), (0, 1.0));
        assert_eq!(scale(0, 0), (0, 1.0));
        assert_eq!(scale(0, 5), (0, 1.0 / 8.0));
        assert_eq!(scale(-8, 8), (0, 1.0 / 8.0));
        assert_eq!(scale(1, 9), (0, 1.0 / 16.0));
        assert_eq!(scale(1000, 1010), (1000, 1.0 / 16.0));
        assert_eq!(scale(-1010, -1000), (-1010, 1.0 / 16.0));
        assert_eq!(scale(i64::MIN, i64::MAX).1, 0.5f64.powi(63));
    }
}
