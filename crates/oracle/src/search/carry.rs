//! Scores over the last hidden layer: what outputs have in common is taken off before anything is bounded.
//!
//! A score is a combination of outputs, mostly the difference of two. Where the last layer is linear, that is a form over the
//! neurons before it, whose coefficients are combinations of weights. They are formed here, exactly or as floats with a bound on
//! their distance: outputs with the same weights cancel, outputs with almost the same weights leave a form that is almost zero, *with an
//! error bound to match*. Bounding outputs one by one, or their difference by weights that are not subtracted, costs an error of the
//! size of the outputs, which no split of the box makes smaller. Neurons that are multiples of others, and constants, are
//! [written as such](crate::bounds::twins) first.
//!
//! Two things need no bounds at all. A form without neurons is linear in the variables. And one whose coefficients all have the same
//! sign has that sign, because post-activations of ReLUs are at least zero; this is exact where bounds can only come close, on faces
//! of the box where scores are equal. In single precision outputs are rounded one by one, and nothing follows but that copies are equal.

use surefoot_network::Arithmetic;
use surefoot_num::Rational;

use crate::bounds::Setting;
use crate::bounds::activation::is_nonnegative;
use crate::bounds::kernel::LANES;
use crate::bounds::twins::{Sums, exact};

/// What the coefficients say about a form without its constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// There are none.
    Zero,
    /// It is at most zero.
    AtMostZero,
    /// It is at least zero.
    AtLeastZero,
    /// It may be anything.
    Any,
}

/// A combination of an application's outputs over the layer that backward passes begin at.
#[derive(Debug)]
pub(crate) struct Carried {
    /// The float coefficients, padded.
    pub(crate) row: Vec<f64>,
    /// How far the form is off by rounding them, wherever the variables are.
    pub(crate) distance: f64,
    /// The constant, and the bound on its distance to the exact one.
    pub(crate) constant: (f64, f64),
    pub(crate) sign: Sign,
}

impl Sign {
    /// What is known of the sum of two forms.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Zero, sign) | (sign, Self::Zero) => sign,
            (one, other) if one == other => one,
            _ => Self::Any,
        }
    }

    fn of(row: &[f64], nonnegative: bool) -> Self {
        let (negative, positive) = (row.iter().any(|c| *c < 0.0), row.iter().any(|c| *c > 0.0));
        match (negative, positive) {
            (false, false) => Self::Zero,
            (true, false) if nonnegative => Self::AtMostZero,
            (false, true) if nonnegative => Self::AtLeastZero,
            _ => Self::Any,
        }
    }
}

/// Carries a combination of outputs over the last layer; `None` where that is not linear, or all there is. The first and the
/// second term are of different outputs.
pub(crate) fn carry(setting: &Setting, terms: &[(usize, Rational)]) -> Option<Carried> {
    let start = setting.folded.start();
    if start + 1 == setting.folded.depth() {
        return None;
    }
    let twins = setting.folded.prepared.twins[start].as_deref();
    let carried = match terms {
        _ if twins.is_some() => None,
        [(output, a)] => difference(setting, *output, None, a),
        [(one, a), (other, b)] if a.abs() == b.abs() => difference(setting, *one, Some((*other, a == b)), a),
        _ => None,
    };
    Some(carried.unwrap_or_else(|| sum(setting, terms)))
}

/// `a (out_one -/+ out_other)`, by floats and the exact errors of their differences. `None` beyond the range of floats.
fn difference(setting: &Setting, one: usize, other: Option<(usize, bool)>, a: &Rational) -> Option<Carried> {
    let layer = setting.folded.layer(setting.folded.start() + 1);
    let sign = if a.signum() < 0 { -1.0 } else { 1.0 };
    let (first, second) = match other {
        None => (sign, 0.0),
        Some((_, equal)) => (sign, if equal { sign } else { -sign }),
    };
    let other = other.map_or(one, |(other, _)| other);
    let (factor, factor_distance) = a.abs().to_f64_within();
    let unit = factor == 1.0 && factor_distance == 0.0;
    let columns = layer.weights.columns;
    let mut row = Vec::with_capacity(columns.next_multiple_of(LANES));
    let mut distance = 0.0;
    // Soundness: a product that is not zero but rounds to zero has lost its sign.
    let scaled = |w: f64, v: f64| {
        let (s, e) = two_sum(first * w, second * v);
        if unit || s == 0.0 { Some((s, e)) } else { scale(s, e, factor, factor_distance) }
    };
    let (one_row, other_row) = (layer.weights.filled(one), layer.weights.filled(other));
    for ((w, v), y) in one_row.iter().zip(&*other_row).zip(&setting.start_magnitude) {
        let (c, d) = scaled(*w, *v)?;
        if !c.is_finite() || !d.is_finite() {
            return None;
        }
        row.push(c);
        distance += d * y;
    }
    row.resize(columns.next_multiple_of(LANES), 0.0);
    let constant = scaled(layer.bias[one], layer.bias[other])?;
    let sign = match arithmetic(setting) {
        Arithmetic::Real => Sign::of(&row, is_nonnegative(setting.folded.layer(setting.folded.start()).activation)),
        Arithmetic::Float32 => single_sign(setting, one, other, first + second == 0.0),
    };
    (constant.0.is_finite() && constant.1.is_finite()).then_some(Carried { row, distance, constant, sign })
}

/// `a + b` rounded, and the bound on the error, which is the error: the sum is zero only where `a` and `b` cancel (Knuth, *The
/// Art of Computer Programming*, 4.2.2, theorem B).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    (sum, error.abs())
}

/// A value with an error, times a factor with an error; `None` when the product underflows.
fn scale(value: f64, error: f64, factor: f64, distance: f64) -> Option<(f64, f64)> {
    let product = value * factor;
    let bound = error * (factor + distance) + value.abs() * distance + product.abs() * f64::EPSILON;
    (product.abs() >= f64::MIN_POSITIVE).then_some((product, bound * (1.0 + 8.0 * f64::EPSILON) + f64::MIN_POSITIVE))
}

/// Any combination of outputs, in rationals.
fn sum(setting: &Setting, terms: &[(usize, Rational)]) -> Carried {
    let start = setting.folded.start();
    let layer = setting.folded.layer(start + 1);
    let sums = exact_sum(setting, terms);
    let mut row = vec![0.0; layer.weights.columns.next_multiple_of(LANES)];
    let mut distance = 0.0;
    let mut sign = Sign::Zero;
    let real = arithmetic(setting) == Arithmetic::Real;
    let nonnegative = real && is_nonnegative(setting.folded.layer(start).activation);
    for (neuron, a) in sums.terms {
        let (float, error) = a.to_f64_within();
        row[neuron] = float;
        distance += error * setting.start_magnitude[neuron];
        sign = sign.and(match a.signum() {
            0 => Sign::Zero,
            _ if !nonnegative => Sign::Any,
            1.. => Sign::AtLeastZero,
            ..=-1 => Sign::AtMostZero,
        });
    }
    if !real {
        sign = match terms {
            [(one, a), (other, b)] => single_sign(setting, *one, *other, *a == -b),
            _ => Sign::Any,
        };
    }
    if distance.is_nan() {
        // Soundness: what is not a number would refute nothing, but not because it says so.
        distance = f64::INFINITY;
    }
    Carried { row, distance, constant: sums.constant.to_f64_within(), sign }
}

fn arithmetic(setting: &Setting) -> Arithmetic {
    setting.folded.prepared.network.arithmetic()
}

/// What is known of the difference of two outputs in single precision: copies are equal, normalised alike.
fn single_sign(setting: &Setting, one: usize, other: usize, opposite: bool) -> Sign {
    let layer = setting.folded.layer(setting.folded.start() + 1);
    let weights = layer.weights.terms(one).eq(layer.weights.terms(other));
    let alike = setting.folded.prepared.network.output_normalisation().is_none_or(|normalisation| {
        let numbers = |output: usize| (&normalisation.scale()[output], &normalisation.offset()[output]);
        numbers(one) == numbers(other)
    });
    let equal = opposite && weights && layer.bias[one] == layer.bias[other] && alike;
    if equal { Sign::Zero } else { Sign::Any }
}

fn exact_sum(setting: &Setting, terms: &[(usize, Rational)]) -> Sums {
    let start = setting.folded.start();
    let layer = setting.folded.layer(start + 1);
    let same = setting.folded.prepared.twins[start].as_deref().unwrap_or_default();
    let mut sums = Sums::default();
    for (output, a) in terms {
        sums.constant = &sums.constant + &(a * &exact(layer.bias[*output]));
        for (neuron, w) in layer.weights.terms(*output) {
            sums.add(same, neuron, &(a * &exact(w)));
        }
    }
    sums
}

/// The exact constant of what [`carry`] gives.
pub(crate) fn exact_constant(setting: &Setting, terms: &[(usize, Rational)]) -> Rational {
    exact_sum(setting, terms).constant
}
