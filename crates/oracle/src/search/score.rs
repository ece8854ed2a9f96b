//! Constraints that involve outputs of networks.
//!
//! A score is kept twice: over the outputs, to evaluate it in points, and over the layers at which backward passes begin
//! ([`super::carry`]), to bound it. What turns out not to depend on networks is no score.

#![expect(
    clippy::cast_possible_truncation,
    reason = "questions have far fewer than 2^32 variables, rows and parts, and these are inner loops"
)]

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_num::Rational;

use super::carry::{Sign, carry, exact_constant};
use super::compile::Compiler;
use crate::bounds::Setting;

/// A constraint that involves outputs: `sum d_o out_o + sum a x + c >= 0`, or `> 0`.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// The first application that occurs, mostly the only one.
    first: usize,
    /// Its output coefficients, padded.
    outputs: Vec<f64>,
    /// Those that are not zero.
    pub(crate) terms: Vec<(u32, f64)>,
    /// Its form over the layer that backward passes begin at, padded; empty where that is over the outputs.
    form: Vec<f64>,
    /// Other applications, their output coefficients and their forms.
    rest: Vec<(usize, Vec<f64>, Vec<f64>)>,
    /// The linear part, dense over the variables; empty when there is none.
    linear: Vec<f64>,
    /// `c`.
    pub(crate) constant: f64,
    /// The constant beside the forms.
    pub(crate) form_constant: f64,
    /// Bound on the error of rounding the forms, and of summing, given exact post-activations of their layers.
    pub(crate) slack: f64,
    pub(crate) strict: bool,
}

impl Score {
    /// Whether an application occurs.
    pub(crate) fn involves(&self, application: usize) -> bool {
        self.first == application || self.rest.iter().any(|(a, _, _)| *a == application)
    }

    /// An application's output coefficients, padded; empty where it does not occur.
    pub(crate) fn outputs(&self, application: usize) -> &[f64] {
        if self.first == application {
            return &self.outputs;
        }
        self.rest.iter().find(|(a, _, _)| *a == application).map_or(&[], |(_, outputs, _)| outputs)
    }

    /// An application's form over the layer that backward passes begin at, padded; empty where it does not occur.
    pub(crate) fn form(&self, application: usize) -> &[f64] {
        let (outputs, form): (&[f64], &[f64]) = if self.first == application {
            (&self.outputs, &self.form)
        } else {
            let other = self.rest.iter().find(|(a, _, _)| *a == application);
            other.map_or((&[], &[]), |(_, outputs, form)| (outputs, form))
        };
        if form.is_empty() { outputs } else { form }
    }

    /// Writes the linear part to a row, zeros beyond the variables.
    pub(crate) fn write_linear(&self, row: &mut [f64]) {
        row[..self.linear.len()].copy_from_slice(&self.linear);
        row[self.linear.len()..].fill(0.0);
    }

    /// The linear part, if there is one.
    pub(crate) fn linear(&self) -> &[f64] {
        &self.linear
    }

    /// Whether there is a linear part.
    pub(crate) fn has_linear(&self) -> bool {
        !self.linear.is_empty()
    }

    /// The linear part at a point.
    pub(crate) fn linear_at(&self, point: &[f64]) -> f64 {
        self.linear.iter().zip(point).map(|(a, x)| a * x).sum()
    }

    fn push(&mut self, application: usize, outputs: Vec<f64>, form: Vec<f64>) {
        if self.first == usize::MAX {
            let terms = outputs.iter().enumerate().filter(|(_, a)| **a != 0.0);
            self.terms = terms.map(|(output, a)| (output as u32, *a)).collect();
            (self.first, self.outputs, self.form) = (application, outputs, form);
        } else {
            self.rest.push((application, outputs, form));
        }
    }
}

/// The outputs of one application in a form, normalisation undone.
struct Part<'s> {
    setting: &'s Setting,
    terms: Vec<(usize, Rational)>,
}

impl Compiler<'_, '_> {
    /// Compiles an inequality that involves outputs.
    ///
    /// # Errors
    /// With what it says instead, when its truth does not depend on the networks.
    pub(super) fn score(&self, form: &Linear, relation: Relation) -> Result<Score, Formula> {
        let variables = self.question.variables.len();
        let strict = relation == Relation::Positive;
        let mut score = Score {
            first: usize::MAX,
            outputs: Vec::new(),
            terms: Vec::new(),
            form: Vec::new(),
            rest: Vec::new(),
            linear: Vec::new(),
            constant: 0.0,
            form_constant: 0.0,
            slack: 0.0,
            strict,
        };
        let (mut slack, mut magnitude) = (0.0, 0.0);
        let own = form.terms().partition_point(|(symbol, _)| symbol.index() < variables);
        let (own, mut outputs) = form.terms().split_at(own);
        for (symbol, a) in own {
            let symbol = symbol.index();
            let (float, distance) = a.to_f64_within();
            score.linear.resize(variables, 0.0);
            score.linear[symbol] = float;
            slack += distance * self.magnitude[symbol];
            magnitude += float.abs() * self.magnitude[symbol];
        }
        let mut shift = None;
        let mut sign = Sign::Zero;
        let mut parts = Vec::with_capacity(1);
        while let Some((symbol, _)) = outputs.first() {
            let application = self.first_output.partition_point(|first| *first <= symbol.index()) - 1;
            let network = &self.question.applications[application].network;
            let first = self.first_output[application];
            let end = first + network.output_len();
            let (these, later) = outputs.split_at(outputs.partition_point(|(symbol, _)| symbol.index() < end));
            outputs = later;
            let normalisation = network.output_normalisation();
            let mut terms = Vec::with_capacity(these.len());
            for (symbol, a) in these {
                let output = symbol.index() - first;
                if let Some(rounding) = self.compiled.settings[application].output_rounding.get(output) {
                    slack += a.abs().to_f64().next_up() * rounding;
                }
                terms.push((output, normalisation.map_or_else(|| a.clone(), |n| a * &n.scale()[output])));
                if let Some(n) = normalisation {
                    let before = shift.unwrap_or_else(|| form.constant().clone());
                    shift = Some(&before + &(a * &n.offset()[output]));
                }
            }
            let part = Part { setting: &self.compiled.settings[application], terms };
            let carried = carry(part.setting, &part.terms);
            let last = part.setting.folded.layer(part.setting.folded.depth() - 1);
            let mut row = vec![0.0; last.weights.stride()];
            for (output, a) in &part.terms {
                let (float, distance) = a.to_f64_within();
                row[*output] = float;
                if carried.is_none() {
                    slack += distance * part.setting.output_magnitude[*output];
                    magnitude += float.abs() * part.setting.output_magnitude[*output];
                }
            }
            sign = sign.and(carried.as_ref().map_or(Sign::Any, |carried| carried.sign));
            match carried {
                None => score.push(application, row, Vec::new()),
                Some(carried) => {
                    let (constant, distance) = carried.constant;
                    score.form_constant += constant;
                    magnitude += constant.abs();
                    slack += carried.distance + distance;
                    score.push(application, row, carried.row);
                }
            }
            parts.push(part);
        }
        let constant = shift.as_ref().unwrap_or(form.constant());
        if let Some(decided) = decided(own, constant, &parts, sign, relation) {
            return Err(decided);
        }
        let (float, distance) = constant.to_f64_within();
        score.constant = float;
        score.form_constant += float;
        score.slack = self.settle(slack + distance, magnitude + float.abs());
        Ok(score)
    }
}

/// What an inequality says without the networks, where the sign of what they contribute settles it.
fn decided(
    own: &[(Symbol, Rational)],
    constant: &Rational,
    parts: &[Part<'_>],
    sign: Sign,
    relation: Relation,
) -> Option<Formula> {
    if sign == Sign::Any || (sign != Sign::Zero && !own.is_empty()) {
        return None;
    }
    let constants = parts.iter().map(|part| exact_constant(part.setting, &part.terms));
    let constant = constants.fold(constant.clone(), |sum, constant| &sum + &constant);
    match (sign, constant.signum()) {
        (Sign::Zero, _) => Some(Formula::atom(Atom { form: Linear::new(own.to_vec(), constant), relation })),
        // Soundness: the largest value is the constant, which the inequality must hold for; or the smallest is, and it does.
        (Sign::AtMostZero, _) if !relation.holds(&constant) => Some(Formula::falsity()),
        (Sign::AtLeastZero, _) if relation.holds(&constant) => Some(Formula::truth()),
        _ => None,
    }
}
