//! The parameters of a network as integers: what exact evaluation computes with, at points and on forms.
//!
//! Floats are dyadic, so the weights and biases of a layer are integers over one power of two. The rational constants of
//! a normalisation are integers over their common denominator.

use surefoot_num::{IBig, Rational, UBig, common_denominator};

use crate::layer::{Activation, Layer};
use crate::normalisation::Normalisation;

/// A layer whose weights and biases are integers over `2^shift`.
#[derive(Debug, Clone)]
pub(super) struct IntegerLayer {
    /// For each neuron the weights that are not zero, with their inputs, in order.
    rows: Vec<Vec<(usize, IBig)>>,
    bias: Vec<IBig>,
    /// The least one.
    pub(super) shift: usize,
    pub(super) relu: bool,
}

/// `value = mantissa * 2^exponent`, the mantissa odd or zero.
pub(crate) fn decompose(value: f64) -> (i64, i32) {
    debug_assert!(value.is_finite(), "layers hold finite numbers only");
    let bits = value.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)).cast_signed();
    let (magnitude, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let odd = magnitude >> zeros;
    (if value < 0.0 { -odd } else { odd }, exponent + zeros.cast_signed())
}

impl IntegerLayer {
    pub(super) fn new(layer: &Layer) -> Self {
        // Zeros count as integers.
        let lowest = layer.numbers().map(|p| decompose(p).1).min().unwrap_or(0).min(0);
        let shift = usize::try_from(-lowest).expect("the negation of a non-positive number");
        let integer = |value: f64| {
            let (mantissa, exponent) = decompose(value);
            let up = usize::try_from(exponent - lowest).expect("the shift covers the lowest exponent");
            IBig::from(mantissa) << up
        };
        Self {
            rows: (0..layer.output_len())
                .map(|output| layer.terms(output).map(|(input, w)| (input, integer(w))).collect())
                .collect(),
            bias: layer.bias().iter().map(|bias| integer(*bias)).collect(),
            shift,
            relu: layer.activation() == Activation::Relu,
        }
    }

    /// Weights that are not zero, with their inputs, and bias of every neuron.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = (&[(usize, IBig)], &IBig)> {
        self.rows.iter().map(Vec::as_slice).zip(&self.bias)
    }
}

/// `x' = (scale * x + offset) / denominator` per coordinate.
#[derive(Debug, Clone)]
pub(super) struct IntegerDiagonal {
    /// The same as it was given, for what is no point.
    pub(super) exact: Normalisation,
    pub(super) scale: Vec<IBig>,
    pub(super) offset: Vec<IBig>,
    pub(super) denominator: UBig,
}

impl IntegerDiagonal {
    pub(super) fn new(normalisation: &Normalisation) -> Self {
        let denominator = common_denominator(normalisation.scale().iter().chain(normalisation.offset()));
        let integers = |values: &[Rational]| values.iter().map(|v| v.numerator_over(&denominator)).collect::<Vec<_>>();
        let (scale, offset) = (integers(normalisation.scale()), integers(normalisation.offset()));
        Self { exact: normalisation.clone(), scale, offset, denominator }
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
}
