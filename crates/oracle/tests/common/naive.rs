//! A decision procedure as one would write it in an afternoon: plain floats, no error bounds.
//!
//! It is here to be wrong: a question that it answers rightly says little about how an oracle treats rounding.

use surefoot_linear::{Formula, Linear, Relation};
use surefoot_network::{Activation, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question};

/// Above this many values, a range of integers is tried at its ends and in its middle only, like one of reals.
const ENUMERATED: f64 = 200.0;

/// Whether some point satisfies the formula, as far as floats can tell.
pub(crate) fn naive(question: &Question) -> bool {
    let mut points: Vec<Vec<f64>> = vec![Vec::new()];
    for variable in &question.variables {
        let (lower, upper) = (variable.lower.to_f64(), variable.upper.to_f64());
        let middle = (lower + upper) / 2.0;
        let mut values = Vec::new();
        match variable.kind {
            Kind::Integer if upper - lower < ENUMERATED => {
                let mut value = lower.ceil();
                while value <= upper {
                    values.push(value);
                    value += 1.0;
                }
            }
            Kind::Integer => values.extend([lower.ceil(), middle.floor(), upper.floor()]),
            Kind::Real => values.extend([lower, middle, upper]),
        }
        let with = |point: &Vec<f64>, value: &f64| point.iter().copied().chain([*value]).collect();
        points = points.iter().flat_map(|point| values.iter().map(move |value| with(point, value))).collect();
    }
    points.iter().any(|point| {
        let mut values = point.clone();
        for application in &question.applications {
            let inputs = application.inputs.iter().map(|form| linear(form, point)).collect();
            values.extend(forward(&application.network, inputs));
        }
        holds(&question.formula, &values)
    })
}

fn linear(form: &Linear, values: &[f64]) -> f64 {
    let terms = form.terms().iter().map(|(symbol, a)| a.to_f64() * values[symbol.index()]);
    terms.sum::<f64>() + form.constant().to_f64()
}

fn normalise(normalisation: Option<&Normalisation>, values: &mut [f64]) {
    let Some(given) = normalisation else { return };
    let coordinates = given.scale().iter().map(Rational::to_f64).zip(given.offset().iter().map(Rational::to_f64));
    for (value, (scale, offset)) in values.iter_mut().zip(coordinates) {
        *value = *value * scale + offset;
    }
}

fn forward(network: &Network, mut values: Vec<f64>) -> Vec<f64> {
    normalise(network.input_normalisation(), &mut values);
    for layer in network.layers() {
        let neuron = |(output, bias): (usize, &f64)| {
            let sum = layer.row(output).iter().zip(&values).map(|(w, x)| w * x).sum::<f64>() + bias;
            if layer.activation() == Activation::Relu { sum.max(0.0) } else { sum }
        };
        values = layer.bias().iter().enumerate().map(neuron).collect();
    }
    normalise(network.output_normalisation(), &mut values);
    values
}

fn holds(formula: &Formula, values: &[f64]) -> bool {
    match formula {
        Formula::All(parts) => parts.iter().all(|part| holds(part, values)),
        Formula::Any(parts) => parts.iter().any(|part| holds(part, values)),
        Formula::Atom(atom) => {
            let value = linear(&atom.form, values);
            match atom.relation {
                Relation::AtLeastZero => value >= 0.0,
                Relation::Positive => value > 0.0,
                Relation::Zero => value == 0.0,
                Relation::NonZero => value != 0.0,
            }
        }
    }
}
