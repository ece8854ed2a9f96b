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

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;
use surefoot_num::function::{Ball, Function};

use super::smooth::{activate, affine};
use crate::network::{Activation, Layer, Network};

/// Bits with which the side of a kink is told.
const BITS: usize = 512;

/// What an atom stands for.
#[derive(Debug, PartialEq)]
enum Atom {
    /// A function of a form.
    Applied(Function, Linear),
    /// `max(form, 0)`, where the sign is not known.
    Rectified(Linear),
    /// An atom, or one, times the factor by which a layer is normalised.
    Normalised(usize, Option<Symbol>),
}

#[derive(Debug, Default)]
struct Atoms(Vec<Atom>);

impl Atoms {
    fn symbol(&mut self, atom: Atom) -> Linear {
        let index = self.0.iter().position(|known| *known == atom).unwrap_or_else(|| {
            self.0.push(atom);
            self.0.len() - 1
        });
        Linear::symbol(Symbol(u32::try_from(index).expect("fewer atoms than neurons")))
    }

    fn apply(&mut self, function: Function, u: Linear, ball: &Ball) -> Linear {
        if u.is_constant()
            && let Some(value) = function.rational_at(u.constant())
        {
            return Linear::constant_form(value);
        }
        if matches!(function, Function::Elu { .. }) && ball.sign() == Some(Ordering::Greater) {
            return u;
        }
        let leading = u.terms().first().map_or_else(|| u.constant().signum(), |(_, a)| a.signum());
        match function.reflection().filter(|_| leading < 0) {
            None => self.symbol(Atom::Applied(function, u)),
            Some(law) => {
                let x = -&u;
                let start =
                    Linear::constant_form(Rational::from(law.offset)).plus_scaled(&x, &Rational::from(law.slope));
                let value = self.symbol(Atom::Applied(function, x));
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
        let mean = values.iter().fold(Linear::default(), |sum, u| sum.plus_scaled(u, &share));
        let over = |atoms: &mut Self, u: &Linear| {
            let centred = u.plus_scaled(&mean, &Rational::ONE);
            let one = atoms.symbol(Atom::Normalised(layer, None));
            let start = Linear::default().plus_scaled(&one, centred.constant());
            centred.terms().iter().fold(start, |sum, (symbol, a)| {
                sum.plus_scaled(&atoms.symbol(Atom::Normalised(layer, Some(*symbol))), a)
            })
        };
        values.iter().map(|u| over(self, u)).collect()
    }
}

fn sum(layer: &Layer, values: &[Linear]) -> Vec<Linear> {
    let exact = |w: f64| Rational::from_f64(w).expect("layers hold finite numbers only");
    let neuron = |(row, bias): (&[f64], f64)| {
        let terms = row.iter().zip(values).filter(|(w, _)| **w != 0.0);
        terms.fold(Linear::constant_form(exact(bias)), |sum, (w, x)| sum.plus_scaled(x, &exact(*w)))
    };
    layer.rows().map(neuron).collect()
}

/// The outputs of a network at a point that is already normalised.
pub(super) fn outputs(network: &Network, inputs: &[Rational]) -> Vec<Linear> {
    let mut atoms = Atoms::default();
    let mut values: Vec<Linear> = inputs.iter().cloned().map(Linear::constant_form).collect();
    let mut balls: Vec<Ball> = inputs.iter().map(|x| Ball::rational(x, BITS)).collect();
    for (index, layer) in network.layers().iter().enumerate() {
        values = sum(layer, &values);
        balls = affine(layer, &balls, BITS);
        values = match layer.activation() {
            Activation::Identity => values,
            Activation::Relu => values.into_iter().zip(&balls).map(|(u, ball)| atoms.rectify(u, ball)).collect(),
            Activation::Smooth(function) => {
                values.into_iter().zip(&balls).map(|(u, ball)| atoms.apply(function, u, ball)).collect()
            }
            Activation::LayerNorm { .. } => atoms.normalise(index, &values),
        };
        balls = activate(layer.activation(), balls);
    }
    match network.output_normalisation() {
        Some(normalisation) => normalisation.apply_to_forms(&values),
        None => values,
    }
}
