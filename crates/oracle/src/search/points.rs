//! Points: how far they are from being witnesses, and whether they are.
//!
//! [`Points::robustness`] evaluates in floats, many points at once, to guide the search. [`Certifier`] decides: by float evaluation
//! where its proved error bound leaves no doubt, by [exact evaluation](Valuation) everywhere else. A point only counts after
//! that.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Relation};
use surefoot_network::Arithmetic;
use surefoot_network::eval::{FloatScratch, Scores};
use surefoot_num::Rational;
use surefoot_num::round::gamma;

use super::compiled::{Compiled, Part};
use super::score::Score;
use crate::bounds::{Kernel, Prepared, Trace, activation};
use crate::valuation::Valuation;

/// How well a point does: by how much the formula holds there (negative: fails), and the part that decides it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Robustness {
    pub(crate) value: f64,
    /// The critical atom.
    pub(crate) part: u32,
}

/// Evaluated points.
#[derive(Debug, Default)]
pub(crate) struct Points {
    /// One trace per application, all with the same points.
    pub(crate) traces: Vec<Trace>,
}

impl Points {
    /// Makes room for points, to be filled with [`Self::set`].
    pub(crate) fn reset(&mut self, compiled: &Compiled<'_>, count: usize) {
        self.traces.resize_with(compiled.settings.len().max(1), Trace::default);
        for trace in &mut self.traces {
            trace.points.reshape(count, compiled.integral.len());
        }
    }

    /// Drops all points from `count` on.
    pub(crate) fn shrink(&mut self, count: usize) {
        for trace in &mut self.traces {
            let columns = trace.points.columns;
            trace.points.reshape(count, columns);
        }
    }

    /// Sets a point.
    pub(crate) fn set(&mut self, index: usize, point: &[f64]) {
        for trace in &mut self.traces {
            trace.points.row_mut(index)[..point.len()].copy_from_slice(point);
            trace.points.row_mut(index)[point.len()..].fill(0.0);
        }
    }

    /// A point.
    pub(crate) fn point(&self, index: usize) -> &[f64] {
        &self.traces[0].points.row(index)[..self.traces[0].points.columns]
    }

    /// Evaluates all networks at all points.
    pub(crate) fn eval(&mut self, kernel: Kernel, compiled: &Compiled<'_>) {
        for (trace, setting) in self.traces.iter_mut().zip(&compiled.settings) {
            setting.eval(kernel, trace);
        }
    }

    /// The value of a score at a point.
    fn score(&self, compiled: &Compiled<'_>, score: &Score, index: usize) -> f64 {
        let mut sum = score.constant + score.linear_at(self.traces[0].points.row(index));
        for (application, setting) in compiled.settings.iter().enumerate() {
            let (coefficients, trace) = (score.outputs(application), &self.traces[application]);
            if !coefficients.is_empty() {
                let last = setting.folded.depth() - 1;
                let layer = setting.folded.layer(last);
                let sums = trace.layers[last].row(index);
                if layer.is_bounded() {
                    let mut outputs = sums[..layer.len()].to_vec();
                    activation::apply(layer.activation, &mut outputs);
                    sum += coefficients.iter().zip(&outputs).map(|(d, y)| d * y).sum::<f64>();
                } else {
                    for (d, z) in coefficients.iter().zip(sums) {
                        sum += d * z;
                    }
                }
            }
        }
        sum
    }

    /// How well a point does on a part of the formula.
    pub(crate) fn robustness(&self, compiled: &Compiled<'_>, part: u32, index: usize) -> Robustness {
        match &compiled.parts[part as usize] {
            Part::Row(row) => {
                let row = &compiled.rows[*row as usize];
                let point = self.traces[0].points.row(index);
                let value = row.terms.iter().fold(row.constant, |sum, (v, a)| sum + a * point[*v as usize]);
                Robustness { value: strictly(value, row.strict), part }
            }
            Part::Score(score) => {
                let score = &compiled.scores[*score as usize];
                Robustness { value: strictly(self.score(compiled, score, index), score.strict), part }
            }
            Part::All(children) => {
                let mut worst = Robustness { value: f64::INFINITY, part };
                for &child in children {
                    let robustness = self.robustness(compiled, child, index);
                    if robustness.value < worst.value {
                        worst = robustness;
                    }
                }
                worst
            }
            Part::Any(children) => {
                let mut best = Robustness { value: f64::NEG_INFINITY, part };
                for &child in children {
                    let robustness = self.robustness(compiled, child, index);
                    if robustness.value > best.value {
                        best = robustness;
                    }
                }
                best
            }
        }
    }
}

/// A strict atom that is exactly zero fails, if only just.
fn strictly(value: f64, strict: bool) -> f64 {
    if strict && value == 0.0 { -f64::MIN_POSITIVE } else { value }
}

/// Decides points beyond doubt; holds scratch space.
#[derive(Debug, Default)]
pub(crate) struct Certifier {
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    errors: Vec<f64>,
    scratch: Vec<(Arc<Prepared>, FloatScratch)>,
}

impl Certifier {
    /// Whether a formula, compiled as `part`, holds at a point of floats, decided beyond doubt; `None` where scores cannot be told
    /// apart. The networks must have been evaluated there.
    pub(crate) fn holds(&self, compiled: &Compiled<'_>, part: u32, formula: &Formula, point: &[f64]) -> Option<bool> {
        self.decide(compiled, part, point).or_else(|| exactly(compiled, formula, &exact_point(point)))
    }

    /// Evaluates the networks with proved error bounds.
    pub(crate) fn eval(&mut self, compiled: &Compiled<'_>, point: &[f64]) {
        self.outputs.clear();
        self.errors.clear();
        for (index, setting) in compiled.settings.iter().enumerate() {
            let float = &setting.folded.prepared.float;
            self.inputs.clear();
            let mut error = 0.0f64;
            for form in setting.folded.inputs.iter() {
                let (value, distance) = match form.as_symbol() {
                    Some(symbol) => (point[symbol.index()], 0.0),
                    None => image(form, point),
                };
                self.inputs.push(value);
                // Soundness: zero times an infinite distance is not a number, and `max` would drop it.
                error = if distance.is_nan() { f64::INFINITY } else { error.max(distance) };
            }
            let prepared = &setting.folded.prepared;
            if self.scratch.len() <= index {
                self.scratch.push((prepared.clone(), float.scratch()));
            } else if !Arc::ptr_eq(&self.scratch[index].0, prepared) {
                self.scratch[index] = (prepared.clone(), float.scratch());
            }
            let outputs = float.eval(&self.inputs, error, &mut self.scratch[index].1);
            self.outputs.extend_from_slice(outputs.values);
            // Soundness: floats approximate the network over the reals, not what single precision makes of it.
            let real = prepared.network.arithmetic() == Arithmetic::Real;
            self.errors.push(if real { outputs.error } else { f64::INFINITY });
        }
    }

    fn decide(&self, compiled: &Compiled<'_>, part: u32, point: &[f64]) -> Option<bool> {
        match &compiled.parts[part as usize] {
            Part::Row(row) => {
                let row = &compiled.rows[*row as usize];
                let value = row.terms.iter().fold(row.constant, |sum, (v, a)| sum + a * point[*v as usize]);
                doubtless(value, row.slack, row.strict)
            }
            // Scores are stored over raw outputs, float evaluation gives normalised ones: use the exact atom's form.
            Part::Score(_) => {
                let atom = compiled.atoms[part as usize].as_ref().expect("scores come from atoms");
                let (value, error) = self.score(compiled, &atom.form, point)?;
                doubtless(value, error, atom.relation == Relation::Positive)
            }
            Part::All(children) => {
                let mut all = Some(true);
                for &child in children {
                    match self.decide(compiled, child, point) {
                        Some(false) => return Some(false),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            Part::Any(children) => {
                let mut any = Some(false);
                for &child in children {
                    match self.decide(compiled, child, point) {
                        Some(true) => return Some(true),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
        }
    }

    /// A form over variables and outputs, with a bound on its error.
    fn score(&self, compiled: &Compiled<'_>, form: &Linear, point: &[f64]) -> Option<(f64, f64)> {
        let (mut sum, mut error) = form.constant().to_f64_within();
        let mut magnitude = sum.abs();
        let first = point.len();
        for (symbol, a) in form.terms() {
            let (float, distance) = a.to_f64_within();
            let symbol = symbol.index();
            let (value, value_error) = if symbol < first {
                (point[symbol], 0.0)
            } else {
                (self.outputs[symbol - first], self.errors[application_of(compiled, symbol - first)])
            };
            sum += float * value;
            magnitude += (float * value).abs();
            error += distance * value.abs() + (float.abs() + distance) * value_error;
        }
        let total = (error + compiled.factor * magnitude + f64::MIN_POSITIVE) * (1.0 + compiled.factor);
        total.is_finite().then_some((sum, total))
    }
}

/// The application an output belongs to, counting outputs of all applications from 0.
fn application_of(compiled: &Compiled<'_>, output: usize) -> usize {
    let mut before = 0;
    for (index, setting) in compiled.settings.iter().enumerate() {
        before += setting.output_magnitude.len();
        if output < before {
            return index;
        }
    }
    unreachable!("the question was checked: symbol of output {output} exists")
}

/// A form at a point, and a bound on the float's distance to its exact value.
fn image(form: &Linear, point: &[f64]) -> (f64, f64) {
    let (mut sum, mut error) = form.constant().to_f64_within();
    let mut magnitude = sum.abs();
    let mut exact = error == 0.0 && sum.fract() == 0.0;
    for (symbol, a) in form.terms() {
        let (float, distance) = a.to_f64_within();
        let x = point[symbol.index()];
        exact &= distance == 0.0 && float.fract() == 0.0 && x.fract() == 0.0;
        sum += float * x;
        magnitude += (float * x).abs();
        error += distance * x.abs();
    }
    if exact && magnitude < 9_007_199_254_740_992.0 {
        return (sum, 0.0);
    }
    let factor = 8.0 * gamma(form.terms().len() + 8);
    (sum, (error + factor * magnitude + f64::MIN_POSITIVE) * (1.0 + factor))
}

/// Whether `value` with an error of at most `error` is positive (or at least zero), if that is certain.
fn doubtless(value: f64, error: f64, strict: bool) -> Option<bool> {
    if !error.is_finite() {
        // Soundness: a sum that left the range of floats would compare as if it meant something.
        return None;
    }
    if value > error || (!strict && value >= error) {
        Some(true)
    } else if value < -error || (strict && value <= -error) {
        Some(false)
    } else {
        None
    }
}

/// Floats as the rationals they are.
pub(crate) fn exact_point(point: &[f64]) -> Vec<Rational> {
    point.iter().map(|x| Rational::from_f64(*x).expect("points are finite")).collect()
}

/// Whether a formula holds at an exact point; `None` where scores cannot be told apart.
pub(crate) fn exactly(compiled: &Compiled<'_>, formula: &Formula, point: &[Rational]) -> Option<bool> {
    let scores = compiled.settings.iter().map(|setting| {
        let folded = &setting.folded;
        let inputs: Vec<Rational> = folded.inputs.iter().map(|f| f.eval(|s| point[s.index()].clone())).collect();
        let scores = match &folded.prepared.exact {
            Some(exact) => Scores::Exact(exact.eval(&inputs)),
            None => folded.prepared.network.scores_at(&inputs),
        };
        (setting.output_magnitude.len(), scores)
    });
    Valuation::new(point, scores.collect()).holds(formula)
}
