//! A network whose first layer reads slots: inputs are linear forms of the slots, normalised, and put into the first layer exactly.

use rustc_hash::FxHashMap;
use surefoot_linear::Linear;
use surefoot_model::policy::PolicyNetwork;
use surefoot_network::{Activation, Network};
use surefoot_num::Rational;
use surefoot_num::round::gamma;

use super::TINY;
use super::weights::Weights;
use crate::values::Bounds;

/// Integers up to this are floats, and so are sums and halves of two of them.
pub(crate) const EXACT: i64 = 1 << 51;

/// A number as a float, and how far that may be off.
type Near = (f64, f64);

/// A layer after the first: floats as they are stored.
#[derive(Debug)]
pub struct Hidden {
    /// Weights.
    pub weights: Weights,
    /// Bias.
    pub bias: Vec<f64>,
    /// Whether it is followed by a ReLU.
    pub relu: bool,
}

/// A network laid out.
#[derive(Debug)]
pub struct Prepared {
    /// The slots that it reads.
    slots: Vec<u32>,
    /// The first layer: per neuron one number for each of the slots, and the bias.
    first: Vec<(Vec<Near>, Near)>,
    /// Whether the first layer is followed by a ReLU.
    first_relu: bool,
    /// Further hidden layers.
    pub(super) hidden: Vec<Hidden>,
    /// Outputs as forms of the last hidden layer.
    outputs: Vec<(Vec<Rational>, Rational)>,
}

/// The difference of two outputs as a form of the last hidden layer.
#[derive(Debug, Clone)]
pub struct Score {
    /// Coefficients.
    pub weights: Vec<f64>,
    /// How far each may be off.
    pub errors: Vec<f64>,
    /// The constant, and how far it may be off.
    pub constant: Near,
}

/// Scores that were asked for, by the two outputs.
pub type Scores = FxHashMap<(u32, u32), Score>;

/// The first layer where some slots are fixed.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    /// The slots that are left.
    pub slots: Vec<u32>,
    /// Per neuron, coefficients of these.
    pub weights: Vec<f64>,
    /// How far each may be off.
    pub errors: Vec<f64>,
    /// Whether any is.
    pub inexact: bool,
    /// What the others give.
    pub bias: Vec<f64>,
    /// How far that may be off.
    pub bias_errors: Vec<f64>,
    /// Whether a ReLU follows.
    pub relu: bool,
}

fn exact(weight: f64) -> Result<Rational, String> {
    Rational::from_f64(weight).ok_or_else(|| "a weight is not finite".to_owned())
}

impl Prepared {
    /// Lays out a network of a policy.
    ///
    /// # Errors
    /// What this kind of bounds does not cover.
    pub fn new(policy: &PolicyNetwork) -> Result<Self, String> {
        let network: &Network = &policy.network;
        if !network.is_exact() {
            return Err("bounds are for networks of ReLUs over the reals".to_owned());
        }
        let layers = network.layers();
        let Some(last) = layers.last() else {
            return Err("bounds are for networks with a layer".to_owned());
        };
        if last.activation() == Activation::Relu {
            return Err("bounds are for networks whose last layer is linear".to_owned());
        }
        let mut inputs: Vec<Linear> = policy.inputs.clone();
        if let Some(normalisation) = network.input_normalisation() {
            inputs = normalisation.apply_to_forms(&inputs);
        }
        let mut slots: Vec<u32> = inputs.iter().flat_map(|form| form.terms().iter().map(|(s, _)| s.0)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut first = Vec::new();
        for (output, bias) in layers[0].bias().iter().enumerate() {
            let terms = layers[0].terms(output).map(|(input, w)| Ok((input, exact(w)?)));
            let factors = terms.collect::<Result<Vec<_>, String>>()?;
            let form = Linear::combination(factors.iter().map(|(input, w)| (&inputs[*input], w)));
            let coefficient = |slot: &u32| {
                let found = form.terms().binary_search_by_key(slot, |(s, _)| s.0);
                found.map_or((0.0, 0.0), |i| form.terms()[i].1.to_f64_within())
            };
            let constant = form.constant() + &exact(*bias)?;
            first.push((slots.iter().map(coefficient).collect(), constant.to_f64_within()));
        }
        let hidden = |layer: &surefoot_network::Layer| Hidden {
            weights: Weights::new(layer),
            bias: layer.bias().to_vec(),
            relu: layer.activation() == Activation::Relu,
        };
        let hidden = layers[1..layers.len().max(2) - 1].iter().map(hidden).collect();
        let mut outputs = Vec::new();
        for (output, (row, bias)) in last.rows().enumerate() {
            let mut row = row.iter().map(|w| exact(*w)).collect::<Result<Vec<_>, _>>()?;
            let mut bias = exact(bias)?;
            if layers.len() == 1 {
                // The only layer counts as the first one, and its neurons are the outputs.
                row = (0..last.output_len()).map(|neuron| Rational::from(neuron == output)).collect();
                bias = Rational::ZERO;
            }
            if let Some(normalisation) = network.output_normalisation() {
                let (scale, offset) = (&normalisation.scale()[output], &normalisation.offset()[output]);
                row.iter_mut().for_each(|w| *w = &*w * scale);
                bias = &(&bias * scale) + offset;
            }
            outputs.push((row, bias));
        }
        let first_relu = layers[0].activation() == Activation::Relu;
        Ok(Self { slots, first, first_relu, hidden, outputs })
    }

    /// The slots that it reads.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// How many outputs there are.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Weights of a hidden layer behind the first.
    #[must_use]
    pub fn weights(&self, layer: usize) -> &Weights {
        &self.hidden[layer - 1].weights
    }

    /// `out_l - out_k`.
    #[must_use]
    pub fn score(&self, l: usize, k: usize) -> Score {
        let ((row, bias), (other, other_bias)) = (&self.outputs[l], &self.outputs[k]);
        let (weights, errors) = row.iter().zip(other).map(|(a, b)| (a - b).to_f64_within()).unzip();
        Score { weights, errors, constant: (bias - other_bias).to_f64_within() }
    }

    /// What is left of the first layer in a box.
    ///
    /// # Errors
    /// Where numbers are too large for floats to hold them.
    pub fn folded(&self, bounds: &[Bounds]) -> Result<Folded, String> {
        let mut folded = Folded { relu: self.first_relu, ..Folded::default() };
        let mut fixed = Vec::new();
        for (column, slot) in self.slots.iter().enumerate() {
            let (lower, upper) = bounds[*slot as usize];
            if lower < -EXACT || upper > EXACT {
                return Err(format!("the values of slot {slot} are too large for bounds"));
            }
            if lower == upper {
                #[expect(clippy::cast_precision_loss, reason = "at most 2^51")]
                fixed.push((column, lower as f64));
            } else {
                folded.slots.push(*slot);
            }
        }
        let error = gamma(4 * self.slots.len() + 16);
        for (row, (bias, distance)) in &self.first {
            let (mut sum, mut size, mut apart) = (*bias, bias.abs(), *distance);
            for (column, value) in &fixed {
                let (weight, distance) = row[*column];
                sum += weight * value;
                size += (weight * value).abs();
                apart += distance * value.abs();
            }
            folded.bias.push(sum);
            folded.bias_errors.push((error * size + apart) * (1.0 + 2.0 * error) + TINY);
            let free = self.slots.iter().zip(row).filter(|(slot, _)| folded.slots.binary_search(slot).is_ok());
            for (_, (weight, distance)) in free {
                folded.weights.push(*weight);
                folded.errors.push(*distance);
                folded.inexact |= *distance != 0.0;
            }
        }
        Ok(folded)
    }
}
