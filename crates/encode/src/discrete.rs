//! Neurons as numbers of a checker: integers that stand for multiples of a fraction, or reals.
//!
//! **Integers.** A layer reads integers `N_j` that stand for `N_j / D` (slots stand for themselves, `D = 1`), and computes
//!
//! ```text
//! z_i = sum_j W_ij N_j + B_i      W_ij = round(E w_ij)      B_i = round(D E b_i)
//! N'_i = floor((max(z_i, 0) + floor(d / 2)) / d)            which stands for N'_i / (D E / d)
//! ```
//!
//! `E` is the least number that makes all weights and biases of the layer whole: then nothing is rounded. With a precision of `P` bits `E` is that
//! number only where it is at most `2^P`, else the least that makes the weights whole, else `2^P`; and `d`, which is 1 otherwise and for scores, keeps
//! `D E / d` at `2^P` or below. Rounding is to the nearest, halves upwards. The `max` is there where ReLU is. Scores of one network are compared with one another only, and
//! have one scale, so that which is largest needs no division.
//!
//! **Ranges** are interval arithmetic over the box of slots, layer by layer, exactly.
//!
//! **Error.** With `v_j` what the network computes and `|v_j - N_j / D| <= e_j`,
//! `|a_i - z_i / (D E)| <= sum_j (|w_ij - W_ij / E| |v_j| + |W_ij / E| e_j) + |b_i - B_i / (D E)|` for the affine part `a_i`; ReLU adds nothing, and dividing by `d > 1`
//! at most half a unit, `d / (2 D E)`. Where nothing is rounded all of this is zero.

use surefoot_linear::{Interval, Linear, Symbol};
use surefoot_num::{IBig, Rational, common_denominator};

use crate::chain::Affine;

/// Magnitudes from here on are not safe in checkers that compute with doubles.
pub(crate) const SAFE: i64 = 1 << 53;

/// A layer as it is computed.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// One form per neuron, over slots or over the neurons of the layer before.
    pub(crate) rows: Vec<Linear>,
    /// Whether ReLU follows.
    pub(crate) relu: bool,
    /// What is divided by after that.
    pub(crate) divisor: Rational,
    /// The values of the neurons.
    pub(crate) ranges: Vec<Interval>,
}

/// A network as it is computed.
#[derive(Debug, Clone)]
pub(crate) struct Computed {
    /// Its layers, scores last.
    pub(crate) steps: Vec<Step>,
    /// What a score may differ by from that of the network.
    pub(crate) error: Rational,
    /// A score of 1 is this number here.
    pub(crate) scale: Rational,
    /// No number on the way is larger; none where there is no bound.
    pub(crate) magnitude: Option<Rational>,
    /// Bits after the point that were allowed; `None` = all.
    pub(crate) bits: Option<u32>,
}

impl Computed {
    /// Whether nothing was rounded.
    pub(crate) fn is_exact(&self) -> bool {
        self.error.is_zero()
    }

    fn fits(&self) -> bool {
        self.magnitude.as_ref().is_some_and(|most| *most < Rational::from(SAFE))
    }
}

/// The network with real neurons.
pub(crate) fn real(layers: &[Affine], slots: &dyn Fn(Symbol) -> Interval) -> Computed {
    let mut steps: Vec<Step> = Vec::with_capacity(layers.len());
    for Affine { rows, relu } in layers {
        let below = steps.last().map(|step| step.ranges.as_slice());
        let ranges = rows.iter().map(|row| after(&range(row, below, slots), *relu, &Rational::ONE)).collect();
        steps.push(Step { rows: rows.clone(), relu: *relu, divisor: Rational::ONE, ranges });
    }
    Computed { steps, error: Rational::ZERO, scale: Rational::ONE, magnitude: None, bits: None }
}

/// The network with integer neurons, of as many bits as are asked for.
///
/// # Errors
/// The largest number on the way, where it is too large.
pub(crate) fn integers(
    layers: &[Affine],
    slots: &dyn Fn(Symbol) -> Interval,
    precision: Option<u32>,
) -> Result<Computed, Option<Rational>> {
    let computed = discretise(layers, slots, precision);
    if computed.fits() {
        return Ok(computed);
    }
    // As many bits as fit, where it was left open.
    let fewer = (4..=20).rev().filter(|_| precision.is_none()).map(|bits| discretise(layers, slots, Some(bits)));
    fewer.into_iter().find(Computed::fits).ok_or(computed.magnitude)
}

/// The same without a look at magnitudes; all slots have bounds, or none of what is said of ranges is known.
pub(crate) fn discretise(layers: &[Affine], slots: &dyn Fn(Symbol) -> Interval, bits: Option<u32>) -> Computed {
    let most = bits.map(power);
    let mut steps: Vec<Step> = Vec::with_capacity(layers.len());
    let (mut scale, mut magnitude) = (Rational::ONE, Some(Rational::ZERO));
    let mut errors: Vec<Rational> = Vec::new();
    for (index, Affine { rows, relu }) in layers.iter().enumerate() {
        let factor = factor(rows, &scale, most.as_ref());
        let fine = &scale * &factor;
        let whole: Vec<Linear> = rows.iter().map(|row| rounded(row, &factor, &fine)).collect();
        let divisor = match &most {
            Some(most) if index + 1 < layers.len() && fine > *most => quotient(&fine, most).ceil(),
            _ => Rational::ONE,
        };
        let below = steps.last().map(|step| step.ranges.as_slice());
        let known = |symbol: Symbol| below.map_or_else(|| slots(symbol), |below| below[symbol.index()].clone());
        for row in &whole {
            let size = |(symbol, weight): &(Symbol, Rational)| Some(&weight.abs() * &largest(&known(*symbol))?);
            let sizes = row.terms().iter().map(size).chain([Some(row.constant().abs()), Some(divisor.clone())]);
            let sum = sizes.sum::<Option<Rational>>();
            magnitude = magnitude.zip(sum).map(|(a, b)| a.max(b));
        }
        let half =
            if divisor == Rational::ONE { Rational::ZERO } else { quotient(&divisor, &(&fine * &Rational::from(2))) };
        let error = |(row, whole): (&Linear, &Linear)| {
            let mut sum = (row.constant() - &quotient(whole.constant(), &fine)).abs();
            for (symbol, weight) in row.terms() {
                let taken = quotient(&coefficient(whole, *symbol), &factor);
                let apart = (weight - &taken).abs();
                let known = &known(*symbol);
                let before = errors.get(symbol.index()).cloned().unwrap_or(Rational::ZERO);
                if !apart.is_zero() {
                    // What the network computes is no larger than what stands for it and the error.
                    let value = &quotient(&largest(known)?, &scale) + &before;
                    sum = &sum + &(&apart * &value);
                }
                sum = &sum + &(&taken.abs() * &before);
            }
            Some(shortened(&(&sum + &half)))
        };
        let next: Option<Vec<Rational>> = rows.iter().zip(&whole).map(error).collect();
        let ranges = whole.iter().map(|row| after(&range(row, below, slots), *relu, &divisor)).collect();
        // Soundness: where there is no bound on the error there is none on the numbers either, and the network is not used.
        magnitude = magnitude.filter(|_| next.is_some());
        errors = next.unwrap_or_default();
        scale = quotient(&fine, &divisor);
        steps.push(Step { rows: whole, relu: *relu, divisor, ranges });
    }
    let error = errors.into_iter().fold(Rational::ZERO, Rational::max);
    Computed { steps, error, scale, magnitude, bits }
}

/// What weights are multiplied by.
fn factor(rows: &[Linear], scale: &Rational, most: Option<&Rational>) -> Rational {
    let weights = common_denominator(rows.iter().flat_map(Linear::terms).map(|(_, weight)| weight));
    let scaled: Vec<Rational> = rows.iter().map(|row| scale * row.constant()).collect();
    let weights = Rational::from(IBig::from(weights));
    let inverse = quotient(&Rational::ONE, &weights);
    let all = Rational::from(IBig::from(common_denominator(scaled.iter().chain([&inverse]))));
    match most {
        None => all,
        Some(most) if all <= *most => all,
        Some(most) => weights.min(most.clone()),
    }
}

/// A form times a factor, its constant times another, rounded to integers.
fn rounded(row: &Linear, factor: &Rational, constant: &Rational) -> Linear {
    let terms = row.terms().iter().map(|(symbol, weight)| (*symbol, nearest(&(factor * weight)))).collect();
    Linear::new(terms, nearest(&(constant * row.constant())))
}

fn nearest(value: &Rational) -> Rational {
    (value + &quotient(&Rational::ONE, &Rational::from(2))).floor()
}

fn coefficient(row: &Linear, symbol: Symbol) -> Rational {
    row.terms().iter().find(|(s, _)| *s == symbol).map_or(Rational::ZERO, |(_, weight)| weight.clone())
}

/// A quotient whose divisor is positive.
fn quotient(a: &Rational, b: &Rational) -> Rational {
    a.checked_div(b).unwrap_or(Rational::ZERO)
}

/// A bound with few digits: rounded up to a multiple of `2^-60`.
fn shortened(bound: &Rational) -> Rational {
    if bound.is_zero() {
        return Rational::ZERO;
    }
    let unit = power(60);
    quotient(&(bound * &unit).ceil(), &unit)
}

fn power(bits: u32) -> Rational {
    Rational::from(IBig::ONE << bits as usize)
}

fn range(row: &Linear, below: Option<&[Interval]>, slots: &dyn Fn(Symbol) -> Interval) -> Interval {
    match below {
        Some(below) => row.range(|symbol| &below[symbol.index()]),
        None => row.range(slots),
    }
}

fn largest(range: &Interval) -> Option<Rational> {
    range.ends().map(|(lower, upper)| lower.abs().max(upper.abs()))
}

/// What ReLU and division make of a range: both are monotone.
fn after(range: &Interval, relu: bool, divisor: &Rational) -> Interval {
    let value = |end: &Rational| {
        let end = if relu { end.clone().max(Rational::ZERO) } else { end.clone() };
        if *divisor == Rational::ONE { end } else { divided(&end, divisor) }
    };
    let lower = range.lower.as_ref().map(value).or(relu.then_some(Rational::ZERO));
    Interval { lower, upper: range.upper.as_ref().map(value) }
}

/// `floor((value + floor(divisor / 2)) / divisor)`.
pub(crate) fn divided(value: &Rational, divisor: &Rational) -> Rational {
    quotient(&(value + &half(divisor)), divisor).floor()
}

/// What is added before dividing.
pub(crate) fn half(divisor: &Rational) -> Rational {
    quotient(divisor, &Rational::from(2)).floor()
}

#[cfg(test)]
mod tests;
