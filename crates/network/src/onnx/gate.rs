//! A value that counts only where a condition holds, as exact ReLU units.
//!
//! For a truth value `c` and a value `v` with `|v| <= m`,
//!
//! `c v = max(v - m (1 - c), 0) - max(-v - m (1 - c), 0)`:
//!
//! for `c = 1` this is `max(v, 0) - max(-v, 0)`, and for `c = 0` both maxima are zero. So a choice between two values `a` and `b` is
//! `b + c (a - b)`, where both have bounds.
//!
//! Soundness: bounds come from what is asked of the inputs ([`InputDomain`](crate::InputDomain)), which whoever feeds the network
//! guarantees. They are computed in doubles, by sums of at most as many products as there are neurons; the result is doubled, which
//! is more than all of these can lose by rounding.

use surefoot_num::Rational;
use surefoot_num::function::Function;

use super::error::Fault;
use super::row::Row;
use super::signal::{Base, Builder, Element, VarId};
use crate::layer::Activation;

/// Bounds beyond this leave no room for the digits of what is chosen.
const LARGEST: f64 = 1_099_511_627_776.0;

/// Bounds on the absolute values of variables; infinite where none is known.
pub(super) struct Magnitudes(Vec<f64>);

fn sum(row: &Row, size: impl Fn(VarId) -> f64) -> f64 {
    row.terms().filter(|(_, factor)| *factor != 0.0).map(|(var, factor)| factor.abs() * size(var)).sum()
}

impl Magnitudes {
    /// Of an element; none where it has no bound.
    ///
    /// It may be too small by what rounding lost.
    fn of(&self, element: &Element) -> f64 {
        match element {
            Element::Const(value) => value.to_f64().abs(),
            Element::Term { scale, offset, base } => {
                let known = |var: VarId| self.0.get(var.0).copied().unwrap_or(f64::INFINITY);
                let size = match base {
                    Base::Var(var) => known(*var),
                    Base::Row(row, bias) => sum(row, known) + bias.unwrap_or(0.0).abs(),
                };
                scale.to_f64().abs() * size + offset.to_f64().abs()
            }
        }
    }

    /// A power of two that bounds the difference of two elements.
    fn bound(&self, a: &Element, b: &Element) -> Option<Rational> {
        let size = 2.0 * (self.of(a) + self.of(b));
        let mut bound = 1.0;
        while bound < size {
            bound *= 2.0;
            if bound > LARGEST {
                return None;
            }
        }
        // What is not a number is not less than any.
        if size.is_nan() { None } else { Rational::from_f64(bound) }
    }
}

impl Builder {
    /// Bounds on everything that is there.
    pub(super) fn magnitudes(&mut self) -> Result<Magnitudes, Fault> {
        let plain = |input: &Option<(Rational, Rational)>| {
            input.as_ref().is_some_and(|(scale, offset)| *scale == Rational::ONE && offset.is_zero())
        };
        let end = |value: i64| Rational::from(value).to_f64().abs();
        let mut sizes: Vec<f64> = Vec::with_capacity(self.inputs.len() + self.neurons.len());
        for (input, domain) in self.inputs.iter().zip(&self.domains) {
            sizes.push(match (domain.lower, domain.upper) {
                (Some(lower), Some(upper)) if plain(input) => end(lower).max(end(upper)),
                _ => f64::INFINITY,
            });
        }
        let mut work = 0;
        for neuron in &self.neurons {
            work += 1 + neuron.row.len();
            let inner = sum(&neuron.row, |var| sizes[var.0]) + neuron.bias.abs();
            sizes.push(match neuron.activation {
                Activation::Relu | Activation::Identity => inner,
                Activation::Smooth(Function::Tanh | Function::Sigmoid) => 1.0,
                // Each is within one of its argument or of zero.
                Activation::Smooth(Function::Softplus | Function::Gelu | Function::GeluTanh | Function::Silu) => {
                    inner + 1.0
                }
                Activation::Smooth(Function::Elu { alpha }) => inner + alpha,
                Activation::LayerNorm { .. } => f64::INFINITY,
            });
        }
        self.charge(work)?;
        Ok(Magnitudes(sizes))
    }

    /// The first value where the condition holds, else the second; none where they have no bounds.
    pub(super) fn chosen(
        &mut self,
        condition: &Element,
        [then, otherwise]: [&Element; 2],
        magnitudes: &Magnitudes,
    ) -> Result<Option<Element>, Fault> {
        let Some(bound) = magnitudes.bound(then, otherwise) else { return Ok(None) };
        let difference = self.add(then, -1, otherwise)?;
        let opened = self.multiply(condition, &bound)?;
        let mut parts = vec![otherwise.clone()];
        for sign in [1, -1].map(Rational::from) {
            let signed = self.multiply(&difference, &sign)?;
            let open = self.sum(&[signed, opened.clone()])?;
            let shifted = self.shift(&open, &-&bound)?;
            let side = self.relu(&shifted)?;
            parts.push(self.multiply(&side, &sign)?);
        }
        let constant = parts.iter().position(|part| matches!(part, Element::Const(_)));
        let constant = constant.map(|at| parts.remove(at));
        let sum = self.sum(&parts)?;
        match constant {
            Some(constant) => self.add(&constant, 1, &sum).map(Some),
            None => Ok(Some(sum)),
        }
    }
}
