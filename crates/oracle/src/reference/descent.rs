//! The part of the reference that decides real variables: one affine region after the other.
//!
//! ReLUs are fixed in the order of evaluation. Up to the first ReLU that is open, everything is an affine form over the
//! variables, so fixing it is a row: `z >= 0`, and it yields `z`, or `-z >= 0`, and it yields 0. (On the border both
//! are true, and both are the same.) When all are fixed, outputs are forms over the variables, and the formula's
//! disjunctions are tried one by one. Programs are solved before each branching only to leave what is empty.
//!
//! The walk over the layers is written out here once more, in plain rational arithmetic, and not taken from
//! `surefoot_network`: what the fast oracle is compared with must not share its mistakes.

use std::ops::ControlFlow;

use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_network::{Activation, Layer, Normalisation};
use surefoot_num::Rational;

use super::Search;
use crate::answer::Answer;
use surefoot_lp::Program;

/// How far the evaluation of the networks has come, with rows for what was assumed on the way.
#[derive(Clone)]
struct Region {
    /// The values of integer variables are put in; their bounds say them again, so that solutions are whole points.
    program: Program,
    /// What the finished applications give.
    outputs: Vec<Linear>,
    /// The application being evaluated.
    application: usize,
    /// Its layer being evaluated.
    layer: usize,
    /// That layer's inputs.
    before: Vec<Linear>,
    /// That layer's outputs so far.
    after: Vec<Linear>,
}

/// Decides the question on a box in which integer variables have one value each.
pub(super) fn descend(search: &mut Search<'_>, ranges: &[(Rational, Rational)]) -> ControlFlow<Answer> {
    let program = Program { bounds: ranges.to_vec(), rows: Vec::new() };
    let mut region =
        Region { program, outputs: Vec::new(), application: 0, layer: 0, before: Vec::new(), after: Vec::new() };
    region.enter(search);
    evaluate(search, region)
}

impl Region {
    /// Puts values in for the variables that have only one.
    fn with_values(&self, form: &Linear) -> Linear {
        form.substitute(&|symbol| {
            let (lower, upper) = &self.program.bounds[symbol.index()];
            (lower == upper).then(|| Linear::constant_form(lower.clone()))
        })
    }

    /// Starts with the inputs of the next application, if there is one.
    fn enter(&mut self, search: &Search<'_>) {
        self.layer = 0;
        if let Some(application) = search.question.applications.get(self.application) {
            let inputs = application.inputs.iter().map(|form| self.with_values(form)).collect();
            self.before = normalise(application.network.input_normalisation(), inputs);
        }
    }

    /// Goes on to the next layer or the next application after the last neuron of a layer.
    fn leave_layer(&mut self, search: &Search<'_>) {
        let network = &search.question.applications[self.application].network;
        self.before = std::mem::take(&mut self.after);
        self.layer += 1;
        if self.layer == network.layers().len() {
            let values = std::mem::take(&mut self.before);
            self.outputs.extend(normalise(network.output_normalisation(), values));
            self.application += 1;
            self.enter(search);
        }
    }
}

/// Applies a normalisation, if there is one.
fn normalise(normalisation: Option<&Normalisation>, values: Vec<Linear>) -> Vec<Linear> {
    let Some(normalisation) = normalisation else { return values };
    let pairs = normalisation.scale().iter().zip(normalisation.offset());
    let values = values.iter().zip(pairs);
    values.map(|(value, (scale, offset))| &(value * scale) + &Linear::constant_form(offset.clone())).collect()
}

/// A neuron before its activation.
fn sum(layer: &Layer, neuron: usize, inputs: &[Linear]) -> Linear {
    let exact = |value: f64| Rational::from_f64(value).expect("layers hold finite numbers only");
    let bias = Linear::constant_form(exact(layer.bias()[neuron]));
    layer.terms(neuron).fold(bias, |sum, (input, weight)| sum.plus_scaled(&inputs[input], &exact(weight)))
}

/// Evaluates the networks from where the region stands, then the formula.
fn evaluate(search: &mut Search<'_>, mut region: Region) -> ControlFlow<Answer> {
    let question = search.question;
    while let Some(application) = question.applications.get(region.application) {
        let layer = &application.network.layers()[region.layer];
        let neuron = region.after.len();
        if neuron == layer.output_len() {
            region.leave_layer(search);
            continue;
        }
        let value = sum(layer, neuron, &region.before);
        match layer.activation() {
            Activation::Identity => region.after.push(value),
            Activation::Relu if value.is_constant() => {
                let value = value.constant().clone().max(Rational::ZERO);
                region.after.push(Linear::constant_form(value));
            }
            Activation::Smooth(_) | Activation::LayerNorm { .. } => unreachable!("only exact networks are taken apart"),
            Activation::Relu => {
                let inactive = (Atom::at_least_zero(-&value), Linear::default());
                let active = (Atom::at_least_zero(value.clone()), value);
                for (row, result) in [active, inactive] {
                    let mut branch = region.clone();
                    branch.program.rows.push(row);
                    branch.after.push(result);
                    if search.solve(&branch.program)?.is_some() {
                        evaluate(search, branch)?;
                    }
                }
                return ControlFlow::Continue(());
            }
        }
    }
    let variables = question.variables.len();
    let formula = question.formula.substitute(&|symbol| match symbol.index().checked_sub(variables) {
        Some(output) => Some(region.outputs[output].clone()),
        None => Some(region.with_values(&Linear::symbol(symbol))),
    });
    satisfy(search, region.program, vec![&formula])
}

/// Decides a program together with formulas over the variables.
fn satisfy(search: &mut Search<'_>, mut program: Program, mut formulas: Vec<&Formula>) -> ControlFlow<Answer> {
    let mut branching: Vec<Vec<Formula>> = Vec::new();
    while let Some(formula) = formulas.pop() {
        match formula {
            Formula::All(parts) => formulas.extend(parts),
            Formula::Any(parts) => branching.push(parts.clone()),
            Formula::Atom(Atom { form, relation: Relation::NonZero }) => {
                let sides = [Atom::positive(form.clone()), Atom::positive(-form)];
                branching.push(sides.into_iter().map(Formula::atom).collect());
            }
            Formula::Atom(atom) => program.rows.push(atom.clone()),
        }
    }
    let Some(point) = search.solve(&program)? else { return ControlFlow::Continue(()) };
    let Some(parts) = branching.pop() else {
        assert!(search.question.is_witness(&point), "{point:?} solves {program:?} but is no witness");
        search.statistics.points += 1;
        return ControlFlow::Break(Answer::Sat(point));
    };
    let rest: Vec<Formula> = branching.into_iter().map(Formula::Any).collect();
    for part in &parts {
        satisfy(search, program.clone(), rest.iter().chain([part]).collect())?;
    }
    ControlFlow::Continue(())
}
