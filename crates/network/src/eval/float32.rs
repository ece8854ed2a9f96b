//! What a network computes in single precision.
//!
//! The order of operations is that of a plain dense layer, in IEEE 754 binary32, round to nearest, ties to even:
//!
//! 1. Inputs, normalisation constants, weights and biases are rounded to the nearest `f32` (networks are mostly stored so).
//! 2. A normalisation is a product and then a sum: `fl(fl(x * scale) + offset)`.
//! 3. A neuron starts with zero, adds `fl(w_j * x_j)` for `j = 1, 2, ...` in the order of the inputs, every sum rounded, and the bias last.
//!    No product is fused with a sum.
//! 4. ReLU is exact; a smooth function is the real function, its parameter as it is stored, correctly rounded.
//!
//! A product with a weight of zero changes no bit of such a sum: it starts with `+0`, and neither that nor the sum of two numbers that
//! cancel is `-0`. So where only the weights that are not zero are kept, only their products are added, as long as the inputs are finite;
//! where one is not, no neuron is.
//!
//! Libraries add in other orders, so what a deployed program computes may differ in the last bits; this is one computation that is
//! stated completely. Where a number overflows there is no answer.

use surefoot_num::Rational;
use surefoot_num::function::single::nearest;

use super::scores::Undecided;
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;

/// Outputs computed side by side; each of them adds in the order of the inputs.
const LANES: usize = 8;

/// A network laid out for evaluation in single precision.
#[derive(Debug, Clone)]
pub struct Float32Network {
    input: Option<Vec<(f32, f32)>>,
    layers: Vec<SingleLayer>,
    output: Option<Vec<(f32, f32)>>,
}

#[derive(Debug, Clone)]
struct SingleLayer {
    inputs: usize,
    outputs: usize,
    weights: SingleWeights,
    bias: Vec<[f32; LANES]>,
    activation: Activation,
}

#[derive(Debug, Clone)]
enum SingleWeights {
    /// For each block of outputs, for each input, the weights of the block; rows beyond the last output are zero.
    Blocks(Vec<[f32; LANES]>),
    /// For each output the weights that are not zero, with their inputs.
    Rows(Vec<Vec<(u32, f32)>>),
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn single(value: f64) -> f32 {
    value as f32
}

impl SingleLayer {
    fn new(layer: &Layer) -> Self {
        let (inputs, outputs) = (layer.input_len(), layer.output_len());
        let blocks = outputs.div_ceil(LANES);
        let mut bias = vec![[0.0; LANES]; blocks];
        for (single_bias, own) in bias.as_flattened_mut().iter_mut().zip(layer.bias()) {
            *single_bias = single(*own);
        }
        let weights = match layer.sparse_rows() {
            Some(rows) => {
                let row = |(places, values): (&[u32], &[f64])| {
                    places.iter().zip(values).map(|(place, weight)| (*place, single(*weight))).collect()
                };
                SingleWeights::Rows(rows.rows().map(row).collect())
            }
            None => {
                let mut weights = vec![[0.0; LANES]; blocks * inputs];
                for (output, (row, _)) in layer.rows().enumerate() {
                    for (input, weight) in row.iter().enumerate() {
                        weights[output / LANES * inputs + input][output % LANES] = single(*weight);
                    }
                }
                SingleWeights::Blocks(weights)
            }
        };
        Self { inputs, outputs, weights, bias, activation: layer.activation() }
    }

    /// The sums.
    fn sums(&self, values: &[f32]) -> Vec<f32> {
        let weights = match &self.weights {
            SingleWeights::Blocks(weights) => weights,
            SingleWeights::Rows(rows) => {
                // Soundness: a neuron that does not read an infinite input would be a number, and is none.
                let start = if values.iter().all(|x| x.is_finite()) { 0.0 } else { f32::INFINITY };
                let sum = |row: &Vec<(u32, f32)>| row.iter().fold(start, |sum, (i, w)| sum + w * values[*i as usize]);
                return rows.iter().zip(self.bias.as_flattened()).map(|(row, bias)| sum(row) + bias).collect();
            }
        };
        let mut out = Vec::with_capacity(self.bias.len() * LANES);
        for (weights, bias) in weights.chunks_exact(self.inputs).zip(&self.bias) {
            let mut sums = [0.0f32; LANES];
            for (weight, &x) in weights.iter().zip(values) {
                for (sum, w) in sums.iter_mut().zip(weight) {
                    *sum += w * x;
                }
            }
            for (sum, bias) in sums.iter_mut().zip(bias) {
                *sum += bias;
            }
            out.extend(sums);
        }
        out.truncate(self.outputs);
        out
    }

    fn apply(&self, values: &[f32]) -> Result<Vec<f32>, Undecided> {
        let mut out = self.sums(values);
        if !out.iter().all(|x| x.is_finite()) {
            return Err(Undecided::Overflow);
        }
        for x in &mut out {
            *x = match self.activation {
                Activation::Identity => *x,
                Activation::Relu => x.max(0.0),
                Activation::Smooth(function) => function.rounded(*x).ok_or(Undecided::Rounding)?,
                // No network of this arithmetic has one.
                Activation::LayerNorm { .. } => return Err(Undecided::Rounding),
            };
        }
        Ok(out)
    }
}

fn constants(normalisation: &Normalisation) -> Vec<(f32, f32)> {
    normalisation.scale().iter().zip(normalisation.offset()).map(|(s, o)| (nearest(s), nearest(o))).collect()
}

fn normalise(values: &mut [f32], constants: Option<&Vec<(f32, f32)>>) {
    for (value, (scale, offset)) in values.iter_mut().zip(constants.into_iter().flatten()) {
        *value = *value * scale + offset;
    }
}

impl Float32Network {
    /// Lays a network out.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self {
            input: network.input_normalisation().map(constants),
            layers: network.layers().iter().map(SingleLayer::new).collect(),
            output: network.output_normalisation().map(constants),
        }
    }

    /// The outputs.
    ///
    /// # Errors
    /// Where a number overflows, or which float is the nearest is not known.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    pub fn eval(&self, inputs: &[f32]) -> Result<Vec<f32>, Undecided> {
        assert_eq!(inputs.len(), self.layers[0].inputs, "one value per network input");
        let mut values = inputs.to_vec();
        normalise(&mut values, self.input.as_ref());
        for layer in &self.layers {
            values = layer.apply(&values)?;
        }
        normalise(&mut values, self.output.as_ref());
        if values.iter().all(|x| x.is_finite()) { Ok(values) } else { Err(Undecided::Overflow) }
    }

    /// The outputs at an exact point, whose numbers are rounded first.
    ///
    /// # Errors
    /// As [`Float32Network::eval`].
    pub fn eval_at(&self, inputs: &[Rational]) -> Result<Vec<f32>, Undecided> {
        self.eval(&inputs.iter().map(nearest).collect::<Vec<_>>())
    }
}

impl Network {
    /// The outputs in single precision, computed as the definition reads, with every number exact and every operation rounded by itself.
    /// Slow: for tests and as a specification.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn eval_float32_reference(&self, inputs: &[Rational]) -> Option<Vec<Rational>> {
        assert_eq!(inputs.len(), self.input_len(), "one value per network input");
        let round = |value: Rational| {
            let single = nearest(&value);
            single.is_finite().then(|| Rational::from_f64(f64::from(single)).expect("finite"))
        };
        let normalised = |values: Vec<Rational>, normalisation: Option<&Normalisation>| {
            let Some(normalisation) = normalisation else { return Some(values) };
            let constants = normalisation.scale().iter().zip(normalisation.offset());
            let terms = values.into_iter().zip(constants);
            terms.map(|(x, (s, o))| round(&round(&x * &round(s.clone())?)? + &round(o.clone())?)).collect()
        };
        let parameter = |value: f64| round(Rational::from_f64(value).expect("layers hold finite numbers only"));
        let rounded: Option<Vec<Rational>> = inputs.iter().cloned().map(round).collect();
        let mut values = normalised(rounded?, self.input_normalisation())?;
        for layer in self.layers() {
            let neuron = |(output, bias): (usize, &f64)| {
                let mut sum = Rational::ZERO;
                for (input, weight) in layer.terms(output) {
                    sum = round(&sum + &round(&parameter(weight)? * &values[input])?)?;
                }
                let sum = round(&sum + &parameter(*bias)?)?;
                match layer.activation() {
                    Activation::Identity => Some(sum),
                    Activation::Relu => Some(sum.max(Rational::ZERO)),
                    Activation::Smooth(function) => {
                        let rounded = function.rounded(nearest(&sum))?;
                        Rational::from_f64(f64::from(rounded))
                    }
                    Activation::LayerNorm { .. } => None,
                }
            };
            values = layer.bias().iter().enumerate().map(neuron).collect::<Option<_>>()?;
        }
        normalised(values, self.output_normalisation())
    }
}
