//! What the tests of all oracles share: short ways to write questions down, random questions, their shrinking, and the
//! suites that every oracle passes.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod capability;
pub(crate) mod cases;
pub(crate) mod conformance;
pub(crate) mod dense;
pub(crate) mod formula;
pub(crate) mod generate;
pub(crate) mod naive;
pub(crate) mod nnsat;
pub(crate) mod pad;
pub(crate) mod reduce;
pub(crate) mod show;
pub(crate) mod shrink;

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Question, Variable};

/// A number as text: `-2`, `0.1`, `1/3`.
pub(crate) fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A whole number.
pub(crate) fn int(value: i64) -> Rational {
    Rational::from(value)
}

/// The exact value of a float.
pub(crate) fn float(value: f64) -> Rational {
    Rational::from_f64(value).unwrap()
}

/// A form with whole coefficients.
pub(crate) fn form(terms: &[(Symbol, i64)], constant: i64) -> Linear {
    Linear::new(terms.iter().map(|(symbol, a)| (*symbol, int(*a))).collect(), int(constant))
}

/// A symbol times a number, plus a number.
pub(crate) fn affine(symbol: Symbol, factor: &str, offset: &str) -> Linear {
    Linear::new(vec![(symbol, r(factor))], r(offset))
}

/// `form >= 0`.
pub(crate) fn at_least_zero(form: Linear) -> Formula {
    Formula::atom(Atom::at_least_zero(form))
}

/// `form > 0`.
pub(crate) fn positive(form: Linear) -> Formula {
    Formula::atom(Atom::positive(form))
}

/// `form = 0`.
pub(crate) fn zero(form: Linear) -> Formula {
    Formula::atom(Atom::zero(form))
}

/// `form != 0`.
pub(crate) fn nonzero(form: Linear) -> Formula {
    Formula::atom(Atom { form, relation: Relation::NonZero })
}

/// A network from layers of rows, the bias last in each row; every layer but the last has ReLUs.
pub(crate) fn network(layers: &[&[&[f64]]]) -> Network {
    let layer = |(index, rows): (usize, &&[&[f64]])| {
        let activation = if index + 1 < layers.len() { Activation::Relu } else { Activation::Identity };
        let inputs = rows[0].len() - 1;
        let weights = rows.iter().flat_map(|row| row[..inputs].to_vec()).collect();
        let bias = rows.iter().map(|row| row[inputs]).collect();
        Layer::new(inputs, weights, bias, activation).unwrap()
    };
    Network::new(layers.iter().enumerate().map(layer).collect()).unwrap()
}

/// A network applied to forms.
pub(crate) fn apply(network: &Arc<Network>, inputs: impl IntoIterator<Item = Linear>) -> Application {
    Application { network: network.clone(), inputs: inputs.into_iter().collect() }
}

/// A question about networks, whose formula may refer to it for the symbols of outputs.
pub(crate) fn ask(
    variables: Vec<Variable>,
    applications: Vec<Application>,
    formula: impl Fn(&Question) -> Formula,
) -> Question {
    let mut question = Question { variables, applications, formula: Formula::truth() };
    question.formula = formula(&question);
    question.check().unwrap();
    question
}

/// The form of an output.
pub(crate) fn out(question: &Question, application: usize, output: usize) -> Linear {
    Linear::symbol(question.output(application, output))
}
