//! Exact evaluation by scaled integers.
//!
//! A vector of rationals is kept as integers `N` over one positive integer scale `D`, meaning `N / D`. Floats are
//! dyadic, so the weights of a layer are integers `W` over `2^k`, its biases integers `B` over `2^k`, and
//!
//! > `(W / 2^k) (N / D) + B / 2^k  =  (W N + B D) / (2^k D)`,
//!
//! which is again of that form with scale `2^k D`. ReLU commutes with positive scales: `max(N / D, 0) = max(N, 0) / D`.
//! A normalisation with rational constants is the same step with a diagonal matrix and a common denominator in place
//! of `2^k`. Nothing is ever divided, and two outputs compare as their integers do because they share the scale.

use surefoot_num::{IBig, Rational, UBig};

use crate::network::{Activation, Layer, Network, Normalisation};

/// A network with its parameters as integers, for repeated exact evaluation.
#[derive(Debug, Clone)]
pub struct ExactNetwork {
    input: Option<IntegerDiagonal>,
    layers: Vec<IntegerLayer>,
    output: Option<IntegerDiagonal>,
    input_len: usize,
}

/// Exact outputs over a common positive denominator: output `i` is `numerators[i] / denominator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScaledOutputs {
    /// One numerator per output; they compare as the outputs do.
    pub numerators: Vec<IBig>,
    /// The common denominator, positive.
    pub denominator: UBig,
}

#[derive(Debug, Clone)]
struct IntegerLayer {
    inputs: usize,
    weights: Vec<IBig>,
    bias: Vec<IBig>,
    /// Weights and biases are these integers over `2^shift`.
    shift: usize,
    relu: bool,
}

/// `x' = (scale * x + offset) / denominator` per coordinate.
#[derive(Debug, Clone)]
struct IntegerDiagonal {
    scale: Vec<IBig>,
    offset: Vec<IBig>,
    denominator: UBig,
}

/// `value = mantissa * 2^exponent`, the mantissa odd or zero.
fn decompose(value: f64) -> (i64, i32) {
    debug_assert!(value.is_finite(), "layers hold finite numbers only");
    let bits = value.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let odd = magnitude >> zeros;
    (if value < 0.0 { -odd } else { odd }, exponent + zeros as i32)
}

impl IntegerLayer {
    fn new(layer: &Layer) -> Self {
        let parameters = || layer.weights().iter().chain(layer.bias()).copied();
        let lowest = parameters().map(|p| decompose(p).1).min().unwrap_or(0);
        let shift = usize::try_from(-lowest.min(0)).expect("the negation of a non-positive number");
        let integer = |value: &f64| {
            let (mantissa, exponent) = decompose(*value);
            let up = usize::try_from(exponent + shift as i32).expect("the shift covers the lowest exponent");
            IBig::from(mantissa) << up
        };
        Self {
            inputs: layer.input_len(),
            weights: layer.weights().iter().map(integer).collect(),
            bias: layer.bias().iter().map(integer).collect(),
            shift,
            relu: layer.activation() == Activation::Relu,
        }
    }

    fn apply(&self, values: &ScaledOutputs) -> ScaledOutputs {
        let scale = IBig::from(values.denominator.clone());
        let neuron = |(row, bias): (&[IBig], &IBig)| {
            let mut sum = bias * &scale;
            for (weight, value) in row.iter().zip(&values.numerators) {
                if *weight != IBig::ZERO && *value != IBig::ZERO {
                    sum += weight * value;
                }
            }
            // Soundness: the scale is positive, so the sign of the integer is the sign of the neuron.
            if self.relu && sum < IBig::ZERO { IBig::ZERO } else { sum }
        };
        let numerators = self.weights.chunks_exact(self.inputs).zip(&self.bias).map(neuron).collect();
        ScaledOutputs { numerators, denominator: &values.denominator << self.shift }
    }
}

/// The product of the denominators divided by their common factors; positive.
fn common_denominator<'a>(values: impl Iterator<Item = &'a Rational>) -> UBig {
    values.fold(UBig::ONE, |so_far, value| {
        let denominator = value.denominator();
        if denominator == UBig::ONE || &so_far % &denominator == UBig::ZERO {
            return so_far;
        }
        // so_far / d in lowest terms has denominator d / gcd.
        let ratio =
            Rational::from_big_parts(IBig::from(so_far.clone()), denominator).expect("denominators are positive");
        so_far * ratio.denominator()
    })
}

/// `value * denominator`, where `denominator` is a multiple of the value's own.
fn over(value: &Rational, denominator: &UBig) -> IBig {
    value.numerator() * IBig::from(denominator / value.denominator())
}

impl IntegerDiagonal {
    fn new(normalisation: &Normalisation) -> Self {
        let denominator = common_denominator(normalisation.scale().iter().chain(normalisation.offset()));
        let integers = |values: &[Rational]| values.iter().map(|v| over(v, &denominator)).collect::<Vec<_>>();
        let (scale, offset) = (integers(normalisation.scale()), integers(normalisation.offset()));
        Self { scale, offset, denominator }
    }

    fn apply(&self, values: &ScaledOutputs) -> ScaledOutputs {
        let common = IBig::from(values.denominator.clone());
        let terms = self.scale.iter().zip(&self.offset).zip(&values.numerators);
        let numerators = terms.map(|((scale, offset), value)| scale * value + offset * &common).collect();
        ScaledOutputs { numerators, denominator: &values.denominator * &self.denominator }
    }
}

impl ExactNetwork {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self {
            input: network.input_normalisation().map(IntegerDiagonal::new),
            layers: network.layers().iter().map(IntegerLayer::new).collect(),
            output: network.output_normalisation().map(IntegerDiagonal::new),
            input_len: network.input_len(),
        }
    }

    /// The exact outputs over a common denominator.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn eval_scaled(&self, inputs: &[Rational]) -> ScaledOutputs {
        assert_eq!(inputs.len(), self.input_len, "one value per network input");
        let denominator = common_denominator(inputs.iter());
        let numerators = inputs.iter().map(|x| over(x, &denominator)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_decompose_exactly() {
        for value in [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, -3e-310] {
            let (mantissa, exponent) = decompose(value);
            let power = Rational::from(2).checked_pow(exponent).unwrap();
            assert_eq!(&Rational::from(mantissa) * &power, Rational::from_f64(value).unwrap());
            assert!(mantissa == 0 || mantissa % 2 != 0);
        }
    }

    #[test]
    fn the_common_denominator_is_the_least() {
        let values: Vec<Rational> = ["1/6", "3/4", "5", "2/9"].iter().map(|t| t.parse().unwrap()).collect();
        assert_eq!(common_denominator(values.iter()), UBig::from(36u8));
    }
}
