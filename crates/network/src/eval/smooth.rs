//! Networks with smooth functions at a point: outputs as balls of any precision.
//!
//! The network is evaluated in the arithmetic of balls ([`surefoot_num::function::Ball`]), with twice as many bits each time, until the
//! question is settled. Soundness: every ball contains the real number it stands for, so a clear sign is the sign.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

use surefoot_linear::Linear;
use surefoot_num::function::{Ball, Function};
use surefoot_num::{IBig, Rational, UBig};

use super::integer::decompose;
use super::scores::Undecided;
use super::terms;
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;

/// Bits of the first evaluation.
const FIRST_BITS: usize = 128;
/// From here on it is asked whether numbers are equal by construction.
const TERMS_FROM: usize = 256;
/// Bits of the last evaluation.
pub const MOST_BITS: usize = 8192;

/// A network at a point.
#[derive(Debug, Clone)]
pub struct SmoothPoint<'n> {
    network: &'n Network,
    /// After normalisation.
    inputs: Vec<Rational>,
    /// Whether the last activation is left out: the order of the outputs is that of what it is applied to.
    bare: bool,
    /// The outputs so far, by precision.
    balls: RefCell<Vec<Rc<Vec<Ball>>>>,
    /// The outputs as terms.
    terms: OnceCell<Rc<Vec<Linear>>>,
}

/// A weight times a ball.
fn weighted(ball: &Ball, weight: f64) -> Ball {
    let (mantissa, exponent) = decompose(weight);
    ball.scaled(mantissa, exponent)
}

/// A layer before its activation.
pub(super) fn affine(layer: &Layer, values: &[Ball], bits: usize) -> Vec<Ball> {
    let neuron = |(output, bias): (usize, &f64)| {
        let start = weighted(&Ball::integer(1, bits), *bias);
        layer.terms(output).fold(start, |sum, (input, w)| sum.plus(&weighted(&values[input], w)))
    };
    layer.bias().iter().enumerate().map(neuron).collect()
}

/// A layer after its activation.
pub(super) fn activate(activation: Activation, values: Vec<Ball>) -> Vec<Ball> {
    match activation {
        Activation::Identity => values,
        Activation::Relu => values.into_iter().map(rectified).collect(),
        Activation::Smooth(function) => values.iter().map(|x| function.over_ball(x)).collect(),
        Activation::LayerNorm { epsilon } => layer_norm(&values, epsilon),
    }
}

/// Soundness: `max(x, 0) = (x + |x|) / 2`, and the distance of magnitudes is at most that of the numbers.
fn rectified(x: Ball) -> Ball {
    match x.sign() {
        Some(Ordering::Greater | Ordering::Equal) => x,
        Some(Ordering::Less) => Ball::integer(0, x.bits()),
        None => x.plus(&x.clone().magnitude()).scaled(1, -1),
    }
}

fn layer_norm(values: &[Ball], epsilon: f64) -> Vec<Ball> {
    let (bits, count) = (values[0].bits(), values.len() as u64);
    let zero = Ball::integer(0, bits);
    let mean = values.iter().fold(zero.clone(), |sum, x| sum.plus(x)).over(count);
    let centred: Vec<Ball> = values.iter().map(|x| x.minus(&mean)).collect();
    let variance = centred.iter().fold(zero.clone(), |sum, x| sum.plus(&x.times(x))).over(count);
    let divisor = variance.plus(&weighted(&Ball::integer(1, bits), epsilon)).root();
    // A divisor that could be zero, so coarse are the balls, says nothing; a huge ball does not either.
    let over = |x: &Ball| x.checked_over(&divisor).unwrap_or_else(|| unknown(values.len(), bits));
    centred.iter().map(over).collect()
}

/// Every number that a normalised neuron can be: at most the root of their number.
fn unknown(neurons: usize, bits: usize) -> Ball {
    let most = i64::try_from(neurons).unwrap_or(i64::MAX);
    Ball::around(&Rational::from(-most), &Rational::from(most), bits)
}

impl<'n> SmoothPoint<'n> {
    /// Prepares an evaluation.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn new(network: &'n Network, inputs: &[Rational]) -> Self {
        assert_eq!(inputs.len(), network.input_len(), "one value per network input");
        let inputs = match network.input_normalisation() {
            Some(normalisation) => normalisation.apply(inputs),
            None => inputs.to_vec(),
        };
        Self { network, inputs, bare: false, balls: RefCell::default(), terms: OnceCell::new() }
    }

    /// The same for questions about the order of outputs: without a last function that grows all the way, whose values may be
    /// too near to their limit to be told apart.
    fn in_order(&self) -> Option<Self> {
        let last = self.network.layers().last()?;
        let grows =
            matches!(last.activation(), Activation::Smooth(Function::Tanh | Function::Sigmoid | Function::Softplus));
        let bare = grows && !self.bare && self.network.output_normalisation().is_none();
        let (network, inputs) = (self.network, self.inputs.clone());
        bare.then(|| Self { network, inputs, bare, balls: RefCell::default(), terms: OnceCell::new() })
    }

    /// Balls around the outputs.
    #[must_use]
    pub fn outputs(&self, bits: usize) -> Rc<Vec<Ball>> {
        if let Some(balls) = self.balls.borrow().iter().find(|balls| balls[0].bits() == bits) {
            return Rc::clone(balls);
        }
        let mut values: Vec<Ball> = self.inputs.iter().map(|x| Ball::rational(x, bits)).collect();
        for (index, layer) in self.network.layers().iter().enumerate() {
            values = affine(layer, &values, bits);
            if !self.bare || index + 1 < self.network.layers().len() {
                values = activate(layer.activation(), values);
            }
        }
        if let Some(normalisation) = self.network.output_normalisation() {
            let constants = normalisation.scale().iter().zip(normalisation.offset());
            let scaled = values
                .iter()
                .zip(constants)
                .map(|(x, (scale, offset))| x.times(&Ball::rational(scale, bits)).plus(&Ball::rational(offset, bits)));
            values = scaled.collect();
        }
        let values = Rc::new(values);
        self.balls.borrow_mut().push(Rc::clone(&values));
        values
    }

    /// The outputs as terms.
    fn terms(&self) -> &[Linear] {
        self.terms.get_or_init(|| Rc::new(terms::outputs(self.network, &self.inputs, self.bare)))
    }

    /// The sign of `sum of coefficient * output, + constant`.
    ///
    /// # Errors
    /// [`Undecided::Precision`] where nothing settles it.
    pub fn sign(&self, terms: &[(usize, Rational)], constant: &Rational) -> Result<Ordering, Undecided> {
        let mut bits = FIRST_BITS;
        while bits <= MOST_BITS {
            let outputs = self.outputs(bits);
            let term = |(output, a): &(usize, Rational)| outputs[*output].times(&Ball::rational(a, bits));
            let sum = terms.iter().map(term).fold(Ball::rational(constant, bits), |sum, x| sum.plus(&x));
            if let Some(sign) = sum.sign() {
                return Ok(sign);
            }
            if bits == TERMS_FROM {
                let own = self.terms();
                let start = Linear::constant_form(constant.clone());
                let form = terms.iter().fold(start, |sum, (output, a)| sum.plus_scaled(&own[*output], a));
                if form.is_constant() {
                    return Ok(form.constant().cmp(&Rational::ZERO));
                }
            }
            bits *= 2;
        }
        Err(Undecided::Precision)
    }

    /// Those of the outputs that are largest, in order.
    ///
    /// With each more precise evaluation those drop out that are smaller than another one. Outputs with the same term are one number, of
    /// which the first is compared.
    ///
    /// # Errors
    /// [`Undecided::Precision`] where several are left.
    pub fn largest(&self, candidates: &[usize]) -> Result<Vec<usize>, Undecided> {
        if let Some(bare) = self.in_order() {
            return bare.largest(candidates);
        }
        let singles = candidates.iter().map(|output| vec![*output]).collect();
        let mut left = grouped(singles, |a, b| self.has_equal_rows(a, b));
        let mut bits = FIRST_BITS;
        while left.len() > 1 && bits <= MOST_BITS {
            let outputs = self.outputs(bits);
            // Soundness: what is below the largest lower end is below that output.
            let least = |group: &Vec<usize>| outputs[group[0]].ends().0;
            let best = left.iter().map(least).max().expect("several are left");
            left.retain(|group| outputs[group[0]].ends().1 >= best);
            if bits == TERMS_FROM {
                let terms = self.terms();
                left = grouped(left, |a, b| terms[a] == terms[b]);
            }
            bits *= 2;
        }
        if left.len() > 1 {
            return Err(Undecided::Precision);
        }
        let mut largest: Vec<usize> = left.into_iter().flatten().collect();
        largest.sort_unstable();
        Ok(largest)
    }

    /// Whether two outputs are computed in the same way: ties that are seen without evaluating anything.
    fn has_equal_rows(&self, a: usize, b: usize) -> bool {
        let Some(last) = self.network.layers().last() else { return false };
        let scaled = |n: &Normalisation| n.scale()[a] == n.scale()[b] && n.offset()[a] == n.offset()[b];
        last.terms(a).eq(last.terms(b))
            && last.bias()[a] == last.bias()[b]
            && self.network.output_normalisation().is_none_or(scaled)
    }

    /// The outputs, rounded to 64 binary places.
    #[must_use]
    pub fn shown(&self) -> Vec<Rational> {
        let scale = Rational::from_big_parts(IBig::from(UBig::ONE << 64), UBig::ONE).expect("one");
        let half = Rational::new(1, 2).expect("not zero");
        let rounded = |ball: &Ball| {
            let (low, high) = ball.ends();
            let middle = &(&low + &high) * &half;
            let units = (&(&middle * &scale) + &half).floor();
            units.checked_div(&scale).expect("a power of two")
        };
        // Sums that cancel leave fewer places.
        let mut bits = FIRST_BITS;
        let fine = |ball: &Ball| {
            let (low, high) = ball.ends();
            &(&(&high - &low) * &scale) * &Rational::from(4) < Rational::ONE
        };
        while bits < MOST_BITS && !self.outputs(bits).iter().all(fine) {
            bits *= 2;
        }
        self.outputs(bits).iter().map(rounded).collect()
    }
}

/// Groups of outputs, those put together whose first ones are the same.
fn grouped(groups: Vec<Vec<usize>>, same: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut grouped: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        match grouped.iter_mut().find(|known| same(known[0], group[0])) {
            Some(known) => known.extend(group),
            None => grouped.push(group),
        }
    }
    grouped
}
