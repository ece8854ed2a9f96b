//! Neurons that are others in disguise: what the weights alone say, whatever the inputs are.
//!
//! Before a ReLU or nothing at all: a neuron without weights is a constant. A neuron whose weights and bias are those of an earlier one, times a factor greater than
//! zero, is that neuron times the factor: ReLU commutes with such factors. Weights from neurons of this kind are added up before rows are
//! compared, so that copies of whole parts of a network are found too. Before any
//! other function only copies count. So they do in single precision, where nothing is added up before rows are compared: other sums round
//! otherwise.
//!
//! Forms over such neurons cancel only once they are written over the others. Bounds would not see it: they take every neuron
//! for itself, and the relaxations of a neuron and of its twin lean to opposite sides.
//!
//! **Soundness.** Rows are compared in floats only where both are as the file has them, by quotients: if one row is a multiple of the
//! other, the exact quotients agree and so do the rounded ones. What agrees is then compared exactly.

use std::collections::BTreeMap;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use surefoot_network::{Activation, Arithmetic};
use surefoot_num::Rational;

use super::prepare::LayerMatrices;

/// What a neuron is, after activation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Same {
    /// Nothing else.
    Itself,
    /// An earlier neuron of its layer, times a factor greater than zero.
    Multiple {
        /// The other neuron, which is itself.
        of: usize,
        /// The factor.
        factor: Rational,
    },
    /// A number.
    Constant(Rational),
}

/// The neurons of a layer; `None` when all are nothing but themselves.
pub(crate) type Twins = Option<Vec<Same>>;

/// What the neurons of every layer are.
pub(crate) fn twins(layers: &[LayerMatrices], arithmetic: Arithmetic) -> Vec<Twins> {
    let mut found: Vec<Twins> = Vec::with_capacity(layers.len());
    for layer in layers {
        let same = match found.last() {
            Some(Some(before)) if arithmetic == Arithmetic::Real => merged(layer, before),
            _ => plain(layer, arithmetic),
        };
        found.push(same.iter().any(|s| *s != Same::Itself).then_some(same));
    }
    found
}

/// A float as the rational it is.
pub(crate) fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("parameters are finite")
}

fn quotient(a: &Rational, b: &Rational) -> Rational {
    a.checked_div(b).expect("only what is not zero is divided by")
}

/// A neuron without weights, over the reals.
fn constant(layer: &LayerMatrices, bias: Rational) -> Same {
    match layer.activation {
        Activation::Identity => Same::Constant(bias),
        Activation::Relu => Same::Constant(bias.max(Rational::ZERO)),
        // Its value is no rational number, or depends on the others.
        Activation::Smooth(_) | Activation::LayerNorm { .. } => Same::Itself,
    }
}

/// A layer over neurons that are themselves.
fn plain(layer: &LayerMatrices, arithmetic: Arithmetic) -> Vec<Same> {
    let copies = arithmetic == Arithmetic::Float32 || !layer.activation.is_piecewise_linear();
    let mut same = Vec::with_capacity(layer.len());
    let mut first: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for i in 0..layer.len() {
        let bias = layer.bias[i];
        let Some(unit) = layer.weights.terms(i).next().map(|(_, w)| w.abs()) else {
            same.push(if copies { Same::Itself } else { constant(layer, exact(bias)) });
            continue;
        };
        let mut key = FxHasher::default();
        for (j, w) in layer.weights.terms(i).chain([(layer.weights.columns, bias)]) {
            key.write_usize(j);
            // Zeros of both signs are one.
            key.write_u64((w / unit + 0.0).to_bits());
        }
        let alike = first.entry(key.finish()).or_default();
        let fits = |factor: &Rational| !copies || *factor == Rational::ONE;
        let multiple = alike
            .iter()
            .find_map(|&of| multiple(layer, i, of).filter(fits).map(|factor| Same::Multiple { of, factor }));
        if multiple.is_none() {
            alike.push(i);
        }
        same.push(multiple.unwrap_or(Same::Itself));
    }
    same
}

/// The factor by which a neuron's row is another's, if it is, exactly.
fn multiple(layer: &LayerMatrices, i: usize, of: usize) -> Option<Rational> {
    let bias = |i: usize| Some((layer.weights.columns, layer.bias[i])).filter(|(_, bias)| *bias != 0.0);
    let numbers = |i: usize| layer.weights.terms(i).chain(bias(i));
    if numbers(i).eq(numbers(of)) {
        return Some(Rational::ONE);
    }
    let mut factor: Option<Rational> = None;
    if !numbers(i).map(|(j, _)| j).eq(numbers(of).map(|(j, _)| j)) {
        return None;
    }
    for ((_, a), (_, b)) in numbers(i).zip(numbers(of)) {
        let this = quotient(&exact(a), &exact(b));
        if this.signum() <= 0 || factor.as_ref().is_some_and(|factor| *factor != this) {
            return None;
        }
        factor = Some(this);
    }
    factor
}

/// A layer over neurons of which some are not themselves.
fn merged(layer: &LayerMatrices, before: &[Same]) -> Vec<Same> {
    let mut same = Vec::with_capacity(layer.len());
    let mut first: BTreeMap<Vec<(usize, Rational)>, (usize, Rational)> = BTreeMap::new();
    for i in 0..layer.len() {
        let mut sums = Sums::new(exact(layer.bias[i]));
        for (j, w) in layer.weights.terms(i) {
            sums.add(before, j, &exact(w));
        }
        let Sums { terms, constant: bias } = sums;
        let mut row: Vec<(usize, Rational)> = terms.into_iter().filter(|(_, a)| a.signum() != 0).collect();
        let Some(unit) = row.first().map(|(_, a)| a.abs()) else {
            same.push(constant(layer, bias));
            continue;
        };
        row.push((usize::MAX, bias));
        // Functions that do not commute with factors have copies only.
        let unit = if layer.activation.is_piecewise_linear() { unit } else { Rational::ONE };
        row.iter_mut().for_each(|(_, a)| *a = quotient(a, &unit));
        let (of, other) = first.entry(row).or_insert_with(|| (i, unit.clone()));
        same.push(if *of == i { Same::Itself } else { Same::Multiple { of: *of, factor: quotient(&unit, other) } });
    }
    same
}

/// A form over the neurons of a layer that are themselves.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// Coefficients by neuron; some may be zero.
    pub(crate) terms: BTreeMap<usize, Rational>,
    pub(crate) constant: Rational,
}

impl Sums {
    pub(crate) fn new(constant: Rational) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// Adds a multiple of a neuron.
    pub(crate) fn add(&mut self, same: &[Same], neuron: usize, a: &Rational) {
        match same.get(neuron) {
            None | Some(Same::Itself) => self.add_to(neuron, a),
            Some(Same::Multiple { of, factor }) => self.add_to(*of, &(a * factor)),
            Some(Same::Constant(value)) => self.constant = &self.constant + &(a * value),
        }
    }

    fn add_to(&mut self, neuron: usize, a: &Rational) {
        let sum = self.terms.entry(neuron).or_insert(Rational::ZERO);
        *sum = &*sum + a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Matrix;
    use crate::bounds::weights::Weights;

    fn layer(rows: &[&[f64]], bias: &[f64]) -> LayerMatrices {
        let weights = Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        LayerMatrices::new(Weights::dense(weights), bias.to_vec(), Activation::Relu)
    }

    fn multiple(of: usize, factor: i64) -> Same {
        Same::Multiple { of, factor: Rational::from(factor) }
    }

    #[test]
    fn copies_multiples_and_constants_are_found() {
        let rows: &[&[f64]] =
            &[&[0.1, -2.0], &[0.3, 1.0], &[0.1, -2.0], &[0.2, -4.0], &[-0.1, 2.0], &[0.0, -0.0], &[0.1, -2.0]];
        let found = twins(&[layer(rows, &[1.0, 0.0, 1.0, 2.0, -1.0, -3.0, 1.5])], Arithmetic::Real);
        let itself = Same::Itself;
        let zero = Same::Constant(Rational::ZERO);
        let wanted = vec![itself.clone(), itself.clone(), multiple(0, 1), multiple(0, 2), itself.clone(), zero, itself];
        assert_eq!(found, [Some(wanted)]);
    }

    #[test]
    fn quotients_that_only_round_alike_are_not_multiples() {
        // A third and its neighbour, over three and its own: no multiple, however near.
        let rows: &[&[f64]] = &[&[3.0, 1.0], &[0.3, 0.1]];
        assert_eq!(twins(&[layer(rows, &[0.0, 0.0])], Arithmetic::Real), [None]);
    }

    #[test]
    fn copies_of_whole_parts_are_found() {
        let below = layer(&[&[1.0, 2.0], &[1.0, 2.0], &[3.0, -1.0]], &[0.5, 0.5, 0.0]);
        let above =
            layer(&[&[1.0, 2.0, 5.0], &[3.0, 0.0, 5.0], &[4.0, 2.0, 10.0], &[1.0, -1.0, 0.0]], &[1.0, 1.0, 2.0, 7.0]);
        let seven = Same::Constant(Rational::from(7));
        assert_eq!(
            twins(&[below, above], Arithmetic::Real)[1],
            Some(vec![Same::Itself, multiple(0, 1), multiple(0, 2), seven])
        );
        let below = layer(&[&[1.0, 2.0], &[1.0, 2.0], &[3.0, -1.0]], &[0.5, 0.5, 0.0]);
        let above = layer(&[&[1.0, 2.0, 5.0], &[3.0, 0.5, 5.0]], &[1.0, 1.0]);
        assert_eq!(twins(&[below, above], Arithmetic::Real)[1], None);
    }
}
