//! Outputs at a point as terms: numbers that are equal by construction have the same term.
//!
//! The value of a neuron is a linear form with rational coefficients over *atoms*. Up to the first smooth function all values are
//! rational. `f(u)` of a form `u` is an atom, the same for the same function and the same form; but a rational number where it is known
//! to be one (`tanh 0`), and it follows the law of `f(-u)` (`tanh(-u) = -tanh u`), so that of two opposite arguments only one makes an
//! atom. What LayerNorm does to a layer is linear but for one positive factor: each atom of the layer times that factor is an atom.
//!
//! Soundness: every step is an equation between real numbers, so outputs whose difference is the zero form are equal. Nothing is said of
//! other ones.

use std::cmp::Ordering;
use std::collections::HashMap;

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;
use surefoot_num::function::{Ball, Function};

use super::smooth::{activate, affine};
use crate::layer::{Activation, Layer};
use crate::network::Network;

/// Bits with which the side of a kink is told.
const BITS: usize = 512;

/// What an atom stands for.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Atom {
    /// A function, by its name, of a form.
    Applied(String, Linear),
    /// `max(form, 0)`, where the sign is not known.
    Rectified(Linear),
    /// An atom, or one, times the factor by which a layer is normalised.
    Normalised(usize, Option<Symbol>),
}

/// Atoms by what they stand for.
#[derive(Debug, Default)]
struct Atoms(HashMap<Atom, u32>);

impl Atoms {
    fn symbol(&mut self, atom: Atom) -> Linear {
        let next = u32::try_from(self.0.len()).expect("fewer atoms than neurons");
        Linear::symbol(Symbol(*self.0.entry(atom).or_insert(next)))
    }

    fn apply(&mut self, function: Function, u: Linear, ball: Option<&Ball>) -> Linear {
        if u.is_constant()
            && let Some(value) = function.rational_at(u.constant())
        {
            return Linear::constant_form(value);
        }
        if matches!(function, Function::Elu { .. }) && ball.and_then(Ball::sign) == Some(Ordering::Greater) {
            return u;
        }
        let leading = u.terms().first().map_or_else(|| u.constant().signum(), |(_, a)| a.signum());
        match function.reflection().filter(|_| leading < 0) {
            None => self.symbol(Atom::Applied(function.to_string(), u)),
            Some(law) => {
                let x = -&u;
                let start =
                    Linear::constant_form(Rational::from(law.offset)).plus_scaled(&x, &Rational::from(law.slope));
                let value = self.symbol(Atom::Applied(function.to_string(), x));
                start.plus_scaled(&value, &Rational::from(law.sign))
            }
        }
    }

    fn rectify(&mut self, u: Linear, ball: &Ball) -> Linear {
        let sign = if u.is_constant() { Some(u.constant().cmp(&Rational::ZERO)) } else { ball.sign() };
        match sign {
            Some(Ordering::Less | Ordering::Equal) => Linear::default(),
            Some(Ordering::Greater) => u,
            None => self.symbol(Atom::Rectified(u)),
        }
    }

    fn normalise(&mut self, layer: usize, values: &[Linear]) -> Vec<Linear> {
        let count = i64::try_from(values.len()).expect("a layer has fewer than 2^63 neurons");
        let share = Rational::new(-1, count).expect("a layer has neurons");
        let mean = Linear::combination(values.iter().map(|u| (u, &share)));
        let over = |atoms: &mut Self, u: &Linear| {
            let centred = u.plus_scaled(&mean, &Rational::ONE);
            let one = atoms.symbol(Atom::Normalised(layer, None));
            let over: Vec<Linear> =
                centred.terms().iter().map(|(t, _)| atoms.symbol(Atom::Normalised(layer, Some(*t)))).collect();
            let factors = centred.terms().iter().map(|(_, a)| a);
            Linear::combination(over.iter().zip(factors).chain([(&one, centred.constant())]))
        };
        values.iter().map(|u| over(self, u)).collect()
    }
}

fn sum(layer: &Layer, values: &[Linear]) -> Vec<Linear> {
    let exact = |w: f64| Rational::from_f64(w).expect("layers hold finite numbers only");
    let neuron = |(output, bias): (usize, &f64)| {
        let factors: Vec<(usize, Rational)> = layer.terms(output).map(|(input, w)| (input, exact(w))).collect();
        let (bias, one) = (Linear::constant_form(exact(*bias)), Rational::ONE);
        let terms = factors.iter().map(|(input, w)| (&values[*input], w));
        Linear::combination(terms.chain([(&bias, &one)]))
    };
    layer.bias().iter().enumerate().map(neuron).collect()
}

/// The outputs of a network at a point that is already normalised; or `bare`, before the last activation and normalisation.
pub(super) fn outputs(network: &Network, inputs: &[Rational], bare: bool) -> Vec<Linear> {
    let mut atoms = Atoms::default();
    let mut values: Vec<Linear> = inputs.iter().cloned().map(Linear::constant_form).collect();
    // Which side of a kink a neuron is on matters to ReLU and ELU only.
    let kinks =
        |layer: &Layer| matches!(layer.activation(), Activation::Relu | Activation::Smooth(Function::Elu { .. }));
    let last = network.layers().iter().rposition(kinks);
    let mut balls: Vec<Ball> = inputs.iter().map(|x| Ball::rational(x, BITS)).collect();
    for (index, layer) in network.layers().iter().enumerate() {
        values = sum(layer, &values);
        if last.is_some_and(|last| index <= last) {
            balls = affine(layer, &balls, BITS);
        }
        if bare && index + 1 == network.layers().len() {
            return values;
        }
        values = match layer.activation() {
            Activation::Identity => values,
            Activation::Relu => values.into_iter().zip(&balls).map(|(u, ball)| atoms.rectify(u, ball)).collect(),
            Activation::Smooth(function) => {
                let mut balls = balls.iter();
                values.into_iter().map(|u| atoms.apply(function, u, balls.next())).collect()
            }
            Activation::LayerNorm { .. } => atoms.normalise(index, &values),
        };
        if last.is_some_and(|last| index < last) {
            balls = activate(layer.activation(), balls);
        }
    }
    match network.output_normalisation() {
        Some(normalisation) => normalisation.apply_to_forms(&values),
        None => values,
    }
}
