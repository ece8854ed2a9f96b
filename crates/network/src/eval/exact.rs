//! Exact evaluation by scaled integers.
//!
//! A vector of rationals is kept as integers `N` over one positive integer scale `D`, meaning `N / D`. The weights
//! of a layer are integers `W` over `2^k`, its biases integers `B` over `2^k` (`integer`), and
//!
//! > `(W / 2^k) (N / D) + B / 2^k  =  (W N + B D) / (2^k D)`,
//!
//! which is again of that form with scale `2^k D`. ReLU commutes with positive scales: `max(N / D, 0) = max(N, 0) / D`.
//! A normalisation with rational constants is the same step with a diagonal matrix and a common denominator in place
//! of `2^k`. Nothing is ever divided, and two outputs compare as their integers do because they share the scale.

use surefoot_num::{IBig, Rational, UBig, common_denominator};

use super::integer::{IntegerDiagonal, IntegerLayer};
use crate::network::Network;

/// A network with its parameters as integers, for repeated exact evaluation.
#[derive(Debug, Clone)]
pub struct ExactNetwork {
    pub(super) input: Option<IntegerDiagonal>,
    pub(super) layers: Vec<IntegerLayer>,
    pub(super) output: Option<IntegerDiagonal>,
    pub(super) input_len: usize,
}

/// Exact outputs over a common positive denominator: output `i` is `numerators[i] / denominator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScaledOutputs {
    /// One numerator per output; they compare as the outputs do.
    pub numerators: Vec<IBig>,
    /// The common denominator, positive.
    pub denominator: UBig,
}

impl IntegerLayer {
    fn apply(&self, values: &ScaledOutputs) -> ScaledOutputs {
        let scale = IBig::from(values.denominator.clone());
        let neuron = |(row, bias): (&[(usize, IBig)], &IBig)| {
            let mut sum = bias * &scale;
            for (input, weight) in row {
                let value = &values.numerators[*input];
                if *value != IBig::ZERO {
                    sum += weight * value;
                }
            }
            // Soundness: the scale is positive, so the sign of the integer is the sign of the neuron.
            if self.relu && sum < IBig::ZERO { IBig::ZERO } else { sum }
        };
        let numerators = self.rows().map(neuron).collect();
        ScaledOutputs { numerators, denominator: &values.denominator << self.shift }
    }
}

impl IntegerDiagonal {
    fn apply(&self, values: &ScaledOutputs) -> ScaledOutputs {
        let common = IBig::from(values.denominator.clone());
        let terms = self.scale.iter().zip(&self.offset).zip(&values.numerators);
        let numerators = terms.map(|((scale, offset), value)| scale * value + offset * &common).collect();
        ScaledOutputs { numerators, denominator: &values.denominator * &self.denominator }
    }
}

impl ExactNetwork {
    /// Prepares a network; none where it is not exact ([`Network::is_exact`]).
    #[must_use]
    pub fn new(network: &Network) -> Option<Self> {
        network.is_exact().then(|| Self {
            input: network.input_normalisation().map(IntegerDiagonal::new),
            layers: network.layers().iter().map(IntegerLayer::new).collect(),
            output: network.output_normalisation().map(IntegerDiagonal::new),
            input_len: network.input_len(),
        })
    }

    /// The exact outputs over a common denominator.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn eval_scaled(&self, inputs: &[Rational]) -> ScaledOutputs {
        assert_eq!(inputs.len(), self.input_len, "one value per network input");
        let denominator = common_denominator(inputs);
        let numerators = inputs.iter().map(|x| x.numerator_over(&denominator)).collect();
        let mut values = ScaledOutputs { numerators, denominator };
        if let Some(normalisation) = &self.input {
            values = normalisation.apply(&values);
        }
        for layer in &self.layers {
            values = layer.apply(&values);
        }
        match &self.output {
            Some(normalisation) => normalisation.apply(&values),
            None => values,
        }
    }

    /// The exact outputs.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn eval(&self, inputs: &[Rational]) -> Vec<Rational> {
        let ScaledOutputs { numerators, denominator } = self.eval_scaled(inputs);
        let output = |n| Rational::from_big_parts(n, denominator.clone()).expect("the scale is positive");
        numerators.into_iter().map(output).collect()
    }
}
