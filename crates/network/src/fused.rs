//! Consecutive affine layers as one, where that needs no rounding.
//!
//! A layer without activation and the one after it are an affine map and what follows it: `W (V x + c) + b = (W V) x + (W c + b)`.
//! [`Network::fused`] puts them together where every number of the right side is a 64-bit float, which it checks by computing it
//! exactly; else they stay as they are. Files of networks that select, compare and halve (min-max lattices) have three such
//! layers in a row.
//!
//! Soundness: no number is rounded, so over the reals it is the same function. In single precision it would round in other places, so
//! such a network is left as it is, and what was fused is marked ([`Network::real_only`]).

use crate::eval::decompose;
use crate::layer::{Activation, Layer};
use crate::network::{Arithmetic, Network};

/// A layer takes at most so many times the products that its two parts have weights: so it never grows out of hand, and the search
/// for a rounded number is no more work than the parts.
const GROWTH: usize = 4;

/// A sum of products, exactly: `mantissa * 2^exponent`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    mantissa: i128,
    exponent: i32,
}

impl Sum {
    fn product(a: f64, b: f64) -> Self {
        let ((m, e), (n, f)) = (decompose(a), decompose(b));
        // Of 53 bits each.
        Self { mantissa: i128::from(m) * i128::from(n), exponent: e + f }
    }

    /// None where the digits do not fit.
    fn plus(self, other: Self) -> Option<Self> {
        if self.mantissa == 0 || other.mantissa == 0 {
            return Some(if self.mantissa == 0 { other } else { self });
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let up = high.exponent.abs_diff(low.exponent);
        // Room for the sign, and for the bit that a sum may have more.
        if high.mantissa.unsigned_abs().leading_zeros() < up.checked_add(2)? {
            return None;
        }
        let mantissa = (high.mantissa << up).checked_add(low.mantissa)?;
        if mantissa == 0 {
            return Some(Self::default());
        }
        let zeros = mantissa.trailing_zeros();
        Some(Self { mantissa: mantissa >> zeros, exponent: low.exponent + zeros.cast_signed() })
    }

    /// The float that it is, far from the ends of their range.
    fn float(self) -> Option<f64> {
        if self.mantissa == 0 {
            return Some(0.0);
        }
        let zeros = self.mantissa.trailing_zeros();
        let (odd, exponent) = (self.mantissa >> zeros, self.exponent + zeros.cast_signed());
        if odd.unsigned_abs() >= 1 << 53 || !(-900..=900).contains(&exponent) {
            return None;
        }
        let power = f64::from_bits(u64::try_from(exponent + 1023).ok()? << 52);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 53 bits")]
        let float = odd as f64;
        // A product with a power of two between normal numbers is exact.
        Some(float * power)
    }
}

/// `second` after `first`, which has no activation, as one layer; none where a number would be rounded, or there are too many.
fn composed(first: &Layer, second: &Layer) -> Option<Layer> {
    let limit = GROWTH * (first.nonzeros() + second.nonzeros());
    let lengths: Vec<usize> = (0..first.output_len()).map(|output| first.terms(output).count()).collect();
    let terms = (0..second.output_len()).flat_map(|output| second.terms(output));
    let mut left = limit;
    for (middle, _) in terms {
        left = left.checked_sub(lengths[middle])?;
    }
    let (mut rows, mut bias) = (Vec::with_capacity(second.output_len()), Vec::with_capacity(second.output_len()));
    for (output, own) in second.bias().iter().enumerate() {
        let mut products: Vec<(usize, Sum)> = Vec::new();
        let mut constant = Sum::product(*own, 1.0);
        for (middle, weight) in second.terms(output) {
            products.extend(first.terms(middle).map(|(input, inner)| (input, Sum::product(weight, inner))));
            constant = constant.plus(Sum::product(weight, first.bias()[middle]))?;
        }
        products.sort_by_key(|(input, _)| *input);
        let mut row: Vec<(usize, f64)> = Vec::new();
        for same in products.chunk_by(|(a, _), (b, _)| a == b) {
            let sum = same.iter().try_fold(Sum::default(), |sum, (_, product)| sum.plus(*product))?;
            row.push((same[0].0, sum.float()?));
        }
        rows.push(row);
        bias.push(constant.float()?);
    }
    Layer::sparse(first.input_len(), rows, bias, second.activation()).ok()
}

impl Network {
    /// The same function over the reals with fewer layers: a layer without activation becomes part of the next one where no number
    /// is rounded for it, and where the result has not many more weights. Layers and neurons are counted anew.
    #[must_use]
    pub fn fused(&self) -> Self {
        if self.arithmetic() == Arithmetic::Float32 {
            return self.clone();
        }
        let mut layers: Vec<Layer> = Vec::with_capacity(self.layers().len());
        for layer in self.layers() {
            let before = layers.last().filter(|before| before.activation() == Activation::Identity);
            match before.and_then(|before| composed(before, layer)) {
                Some(both) => {
                    layers.pop();
                    layers.push(both);
                }
                None => layers.push(layer.clone()),
            }
        }
        if layers.len() == self.layers().len() {
            return self.clone();
        }
        self.with_layers(layers).with_real_only()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefoot_num::Rational;

    fn exact(value: f64) -> Rational {
        Rational::from_f64(value).unwrap()
    }

    fn layer(inputs: usize, weights: &[f64], bias: &[f64], activation: Activation) -> Layer {
        Layer::new(inputs, weights.to_vec(), bias.to_vec(), activation).unwrap()
    }

    proptest! {
        #[test]
        fn sums_are_exact_or_none(bits in proptest::collection::vec(any::<u64>(), 6), near in any::<bool>()) {
            // Of any size, or of sizes whose products mostly add up to a float.
            let number = |b: &u64| match f64::from_bits(*b) {
                any if !near && any.is_finite() => any,
                _ => f64::from(u8::try_from(b % 251).unwrap()) / 8.0 - 15.0,
            };
            let numbers: Vec<f64> = bits.iter().map(number).collect();
            let products = || numbers.chunks_exact(2).map(|pair| (pair[0], pair[1]));
            let sum = products().try_fold(Sum::default(), |sum, (a, b)| sum.plus(Sum::product(a, b)));
            let float = sum.and_then(Sum::float);
            let truth = products().map(|(a, b)| &exact(a) * &exact(b)).sum::<Rational>();
            if let Some(float) = float {
                prop_assert_eq!(exact(float), truth);
            }
            prop_assert!(float.is_some() || !near);
        }
    }

    #[test]
    fn what_needs_no_rounding_becomes_one_layer() {
        use Activation::{Identity, Relu};
        let linear = layer(2, &[0.1, 0.3, -0.7, 1.5, 2.0, 0.1], &[0.1, 0.2, 0.0], Identity);
        let selected = layer(3, &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0], &[0.0; 2], Identity);
        let compared = layer(2, &[0.5, 0.0, 0.0, -2.0], &[0.0, -0.0], Relu);
        let output = layer(2, &[-1.0, 0.25], &[3.0], Identity);
        let network = Network::new(vec![linear, selected, compared, output.clone()]).unwrap();
        let fused = network.fused();
        let first = layer(2, &[-0.35, 0.75, -0.2, -0.6], &[0.1, -0.2], Relu);
        assert_eq!(fused.layers(), [first, output]);
        assert!(fused.real_only() && !network.real_only());
        for x in [-3, 0, 2] {
            let point = [Rational::from(x), Rational::new(x, 7).unwrap()];
            assert_eq!(fused.eval_exact(&point), network.eval_exact(&point));
        }
        // 0.1 + 0.3 is no float, and neither is 0.1 * 0.1.
        for second in [[1.0, 1.0], [0.1, 0.0]] {
            let layers = vec![layer(1, &[0.1, 0.3], &[0.0; 2], Identity), layer(2, &second, &[0.0], Identity)];
            let network = Network::new(layers).unwrap();
            assert_eq!(network.fused().layers(), network.layers());
            assert!(!network.fused().real_only());
        }
        // Nor is a bias that it would take.
        let layers = vec![layer(1, &[1.0], &[0.1], Identity), layer(1, &[1.0], &[0.2], Relu)];
        assert_eq!(Network::new(layers).unwrap().fused().layers().len(), 2);
        // ReLUs are no affine maps, and single precision rounds in its own places.
        let layers = || vec![layer(1, &[1.0], &[0.0], Relu), layer(1, &[1.0], &[0.0], Identity), output_of_one()];
        assert_eq!(Network::new(layers()).unwrap().fused().layers().len(), 2);
        let single = Network::new(layers()).unwrap().with_arithmetic(Arithmetic::Float32).unwrap();
        assert!(single.fused().same_parameters(&single));
    }

    fn output_of_one() -> Layer {
        layer(1, &[2.0], &[1.0], Activation::Identity)
    }

    #[test]
    fn a_layer_that_would_grow_is_left() {
        // A sum of 40 inputs that 400 neurons read: 16,000 products of 440 weights.
        let narrow = layer(40, &[1.0; 40], &[0.0], Activation::Identity);
        let wide = layer(1, &[1.0; 400], &[0.0; 400], Activation::Relu);
        assert!(composed(&narrow, &wide).is_none());
        assert!(composed(&narrow, &layer(1, &[1.0; 4], &[0.0; 4], Activation::Relu)).is_some());
    }
}
