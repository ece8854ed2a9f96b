//! Networks laid out for bounding, and the affine image of an application folded into their first layer.
//!
//! After folding, an application is a function of the question's variables: its first layer computes
//! `z = W' x + b'` with `W' = W C` and `b' = W d + b`, where `C x + d` is the affine image with the network's input
//! normalisation. `W'` and `b'` are floats; [`Folded::weight_error`] and [`Folded::bias_error`] bound their distance to
//! the exact ones entry by entry (absent where folding is exact, as it is for images that only pick variables).

#![expect(
    clippy::cast_possible_truncation,
    reason = "layers have far fewer than 2^32 neurons, and these are inner loops"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use surefoot_linear::{Linear, Symbol};
use surefoot_network::{Activation, ExactNetwork, FloatNetwork, Network};
use surefoot_num::Rational;
use surefoot_num::round::gamma;

use super::kernel::Matrix;
use super::twins::{Twins, twins};
use super::weights::Weights;

/// One layer: `z = W y + b`, then what follows.
#[derive(Debug, Clone)]
pub(crate) struct LayerMatrices {
    /// `W`, one row per neuron.
    pub(crate) weights: Weights,
    /// `b`, padded.
    pub(crate) bias: Vec<f64>,
    /// What follows the sums.
    pub(crate) activation: Activation,
    /// All inputs' indices.
    pub(crate) inputs: Vec<u32>,
    /// All neurons' indices.
    pub(crate) neurons: Vec<u32>,
}

impl LayerMatrices {
    pub(super) fn new(weights: Weights, mut bias: Vec<f64>, activation: Activation) -> Self {
        bias.resize(weights.stride(), 0.0);
        let inputs = (0..weights.columns as u32).collect();
        let neurons = (0..weights.rows as u32).collect();
        Self { weights, bias, activation, inputs, neurons }
    }

    /// How many neurons there are.
    pub(crate) fn len(&self) -> usize {
        self.weights.rows
    }

    /// Whether ReLUs follow.
    pub(crate) fn is_relu(&self) -> bool {
        self.activation == Activation::Relu
    }

    /// Whether smooth functions follow, one for each sum.
    pub(crate) fn is_smooth(&self) -> bool {
        matches!(self.activation, Activation::Smooth(_))
    }

    /// Whether anything follows: then its sums have bounds.
    pub(crate) fn is_bounded(&self) -> bool {
        self.activation != Activation::Identity
    }
}

/// A network, prepared once and shared.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) network: Arc<Network>,
    pub(crate) layers: Vec<LayerMatrices>,
    /// Neurons that are others in disguise, by layer.
    pub(crate) twins: Vec<Twins>,
    pub(crate) float: FloatNetwork,
    /// For exact outputs, where the network has them: it is piecewise linear over the reals.
    pub(crate) exact: Option<ExactNetwork>,
}

impl Prepared {
    pub(crate) fn new(network: &Arc<Network>) -> Self {
        let layer = |layer: &surefoot_network::Layer| {
            LayerMatrices::new(Weights::new(layer), layer.bias().to_vec(), layer.activation())
        };
        let layers: Vec<_> = network.layers().iter().map(layer).collect();
        Self {
            network: network.clone(),
            twins: twins(&layers, network.arithmetic()),
            layers,
            float: FloatNetwork::new(network),
            exact: ExactNetwork::new(network),
        }
    }
}

/// An application as a function of the question's variables.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) prepared: Arc<Prepared>,
    /// The affine image, before normalisation.
    pub(crate) inputs: Arc<[Linear]>,
    /// The first layer over the variables.
    pub(crate) first: LayerMatrices,
    /// Bounds on the distance of the first layer's weights to the exact ones; none when they are exact.
    pub(crate) weight_error: Option<Weights>,
    /// The same for its biases.
    pub(crate) bias_error: Vec<f64>,
}

/// One input of the network as a float form over the variables, each coefficient with the bound on its error.
struct FloatForm {
    terms: Vec<(usize, f64, f64)>,
    constant: (f64, f64),
}

impl Folded {
    /// Folds an image over `variables` variables into the first layer.
    pub(crate) fn new(prepared: Arc<Prepared>, inputs: &Arc<[Linear]>, variables: usize) -> Self {
        let forms: Vec<FloatForm> = (0..inputs.len()).map(|j| normalised(&prepared.network, &inputs[j], j)).collect();
        let layer = &prepared.layers[0];
        let mut fold = Fold::new(layer, &forms, variables);
        let (weights, error) = if layer.weights.is_sparse() {
            let (mut rows, mut errors) = (Vec::with_capacity(layer.len()), Vec::with_capacity(layer.len()));
            for i in 0..layer.len() {
                let (mut row, mut error) = (BTreeMap::<usize, f64>::new(), BTreeMap::<usize, f64>::new());
                fold.row(i, |v, product, distance| {
                    *row.entry(v).or_default() += product;
                    *error.entry(v).or_default() += distance;
                });
                rows.push(row);
                errors.push(error.into_iter().map(|(v, e)| (v, fold.grown(e))).collect::<Vec<_>>());
            }
            (Weights::sparse(variables, rows.into_iter().map(BTreeMap::into_iter)), errors)
        } else {
            let mut weights = Matrix::zeros(layer.len(), variables);
            let mut errors = Vec::new();
            let mut error = vec![0.0; variables];
            for i in 0..layer.len() {
                let row = weights.row_mut(i);
                fold.row(i, |v, product, distance| {
                    row[v] += product;
                    error[v] += distance;
                });
                if !fold.exact {
                    errors.resize(i, Vec::new());
                    errors.push(error.iter().map(|e| fold.grown(*e)).enumerate().collect());
                    error.fill(0.0);
                }
            }
            (Weights::dense(weights), errors)
        };
        let Fold { bias, bias_error, exact, .. } = fold;
        let weight_error = (!exact).then(|| Weights::sparse(variables, error.into_iter().map(Vec::into_iter)));
        let first = LayerMatrices::new(weights, bias, layer.activation);
        Self { prepared, inputs: inputs.clone(), first, weight_error, bias_error }
    }

    /// By how much folding may have changed the sum of a neuron of the first layer, for variables of these sizes; rounded.
    pub(super) fn distance(&self, neuron: usize, magnitude: &[f64]) -> f64 {
        let weights = self.weight_error.iter().flat_map(|error| error.terms(neuron));
        self.bias_error[neuron] + weights.map(|(v, distance)| distance * magnitude[v]).sum::<f64>()
    }

    /// How many layers there are.
    pub(crate) fn depth(&self) -> usize {
        self.prepared.layers.len()
    }

    /// A layer, the first one over the variables.
    pub(crate) fn layer(&self, index: usize) -> &LayerMatrices {
        if index == 0 { &self.first } else { &self.prepared.layers[index] }
    }

    /// The layer whose post-activations scores are forms over, where backward passes begin: the last one, or the one before it
    /// if the last one is linear and not the only one.
    pub(crate) fn start(&self) -> usize {
        let last = self.depth() - 1;
        if self.layer(last).activation != Activation::Identity { last } else { last.saturating_sub(1) }
    }
}

/// Folds rows one by one, with bounds on what rounding does to them.
struct Fold<'a> {
    layer: &'a LayerMatrices,
    forms: &'a [FloatForm],
    /// How many inputs depend on each variable.
    uses: Vec<usize>,
    /// What sums over all inputs may be off by, relatively.
    sums: f64,
    bias: Vec<f64>,
    bias_error: Vec<f64>,
    /// Nothing was rounded so far.
    exact: bool,
}

impl<'a> Fold<'a> {
    fn new(layer: &'a LayerMatrices, forms: &'a [FloatForm], variables: usize) -> Self {
        let mut uses = vec![0usize; variables];
        forms.iter().flat_map(|form| &form.terms).for_each(|(v, _, _)| uses[*v] += 1);
        let bias = layer.bias[..layer.len()].to_vec();
        let bias_error = vec![0.0; layer.len()];
        Self { layer, forms, uses, sums: gamma(forms.len() + 4), bias, bias_error, exact: true }
    }

    /// Hands out the products that a row is the sum of: variable, product, and what it may be off by.
    #[inline(always)]
    fn row(&mut self, i: usize, mut add: impl FnMut(usize, f64, f64)) {
        let sums = self.sums;
        for (input, w) in self.layer.weights.terms(i) {
            let form = &self.forms[input];
            for &(v, c, distance) in &form.terms {
                // A column that is one input times one is copied; every other one is a sum of rounded products.
                if self.uses[v] > 1 || c != 1.0 || distance != 0.0 {
                    self.exact = false;
                    add(v, w * c, w.abs() * (c.abs() * sums + distance) * (1.0 + sums));
                } else {
                    add(v, w * c, 0.0);
                }
            }
            let (d, distance) = form.constant;
            if d != 0.0 || distance != 0.0 {
                self.bias[i] += w * d;
                self.bias_error[i] += w.abs() * (d.abs() * sums + distance) * (1.0 + sums);
            }
        }
        let error = &mut self.bias_error[i];
        if *error > 0.0 {
            // The given bias takes part in the sum as well.
            *error = (*error + self.layer.bias[i].abs() * sums) * (1.0 + sums) + f64::MIN_POSITIVE;
        }
    }

    /// A sum of such errors, rounded up.
    fn grown(&self, error: f64) -> f64 {
        if error > 0.0 { error * (1.0 + self.sums) + f64::MIN_POSITIVE } else { error }
    }
}

fn normalised(network: &Network, form: &Linear, input: usize) -> FloatForm {
    let normalisation = network.input_normalisation();
    let form = normalisation.map_or_else(|| form.clone(), |normalisation| normalisation.apply_to_form(input, form));
    let term = |(symbol, a): &(Symbol, Rational)| {
        let (float, distance) = a.to_f64_within();
        (symbol.index(), float, distance)
    };
    FloatForm { terms: form.terms().iter().map(term).collect(), constant: form.constant().to_f64_within() }
}
