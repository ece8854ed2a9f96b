//! A question in the form that the search works on: a float box, linear rows, scores and a small formula.
//!
//! Every atom becomes `form >= 0` or `form > 0`: equalities are two of them, `!=` is a disjunction of two. Atoms over
//! integers with integral coefficients lose strictness (`e > 0` is `e - 1 >= 0`). A form without network outputs is a
//! [`Row`], any other a [`Score`].
//!
//! Coefficients are floats. [`Row::slack`] bounds, over the root box, the distance between a form and what float
//! arithmetic makes of its row, conversion and summation included; it is zero where everything is integral and small
//! enough to be exact.

use std::sync::Arc;

use surefoot_num::Rational;
use surefoot_num::round::gamma;
use surefoot_symbolic::{Atom, Formula, Linear, Relation, normal_atom};

use crate::bounds::{Setting, nearest};
use crate::question::{Kind, Question};

/// A linear constraint over the variables: `sum a x + c >= 0`, or `> 0`.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) terms: Vec<(u32, f64)>,
    pub(crate) constant: f64,
    /// Bound on the distance to the exact form, for any float evaluation over the root box.
    pub(crate) slack: f64,
    pub(crate) strict: bool,
}

/// A constraint that involves outputs: `sum d_o out_o + sum a x + c >= 0`, or `> 0`.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// Output coefficients per application, padded; empty where an application does not occur.
    pub(crate) outputs: Vec<Vec<f64>>,
    /// The linear part, dense over the variables.
    pub(crate) linear: Vec<f64>,
    pub(crate) constant: f64,
    /// Bound on the error of rounding the coefficients, and of summing, given exact outputs.
    pub(crate) slack: f64,
    pub(crate) strict: bool,
}

/// A node of the formula.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Row(u32),
    Score(u32),
    All(Vec<u32>),
    Any(Vec<u32>),
}

/// A compiled question.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    pub(crate) integral: Vec<bool>,
    /// The root box: exact for integers, rounded outward for reals.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// The root box rounded inward: floats in here are within the variables' bounds.
    pub(crate) inner: Vec<(f64, f64)>,
    pub(crate) settings: Vec<Arc<Setting>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) scores: Vec<Score>,
    pub(crate) parts: Vec<Part>,
    /// The atom behind each part that is one, for exact reasoning.
    pub(crate) atoms: Vec<Option<Atom>>,
    /// What must hold.
    pub(crate) root: u32,
    /// Formulas whose truth is tracked, each with its negation.
    pub(crate) tracked: Vec<(u32, u32)>,
    /// Length of a node's data: box, then bounds of neurons.
    pub(crate) data_len: usize,
    /// `G` of the error analysis, over all applications.
    pub(crate) factor: f64,
}

/// Floats hold integers exactly up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Compiles atoms into rows and scores.
pub(crate) struct Compiler<'q> {
    question: &'q Question,
    magnitude: Vec<f64>,
    /// First symbol of each application's outputs.
    first_output: Vec<usize>,
    compiled: Compiled,
}

impl<'q> Compiler<'q> {
    /// Prepares to compile over a root box with the given settings; `data_len` covers their bounds.
    pub(crate) fn new(
        question: &'q Question,
        lower: Vec<f64>,
        upper: Vec<f64>,
        inner: Vec<(f64, f64)>,
        settings: Vec<Arc<Setting>>,
        data_len: usize,
    ) -> Self {
        let magnitude = lower.iter().zip(&upper).map(|(l, u)| l.abs().max(u.abs())).collect();
        let mut first_output = Vec::with_capacity(settings.len());
        let mut next = question.variables.len();
        for application in &question.applications {
            first_output.push(next);
            next += application.network.output_len();
        }
        let factor = settings.iter().map(|s| s.factor).fold(8.0 * gamma(question.symbols() + 64), f64::max);
        let integral = question.variables.iter().map(|v| v.kind == Kind::Integer).collect();
        let compiled = Compiled {
            integral,
            lower,
            upper,
            inner,
            settings,
            rows: Vec::new(),
            scores: Vec::new(),
            parts: Vec::new(),
            atoms: Vec::new(),
            root: 0,
            tracked: Vec::new(),
            data_len,
            factor,
        };
        Self { question, magnitude, first_output, compiled }
    }

    /// Compiles the question's formula and the tracked ones.
    pub(crate) fn finish(mut self, tracked: &[Formula]) -> Compiled {
        self.compiled.root = self.formula(&self.question.formula);
        self.compiled.tracked = tracked.iter().map(|f| (self.formula(f), self.formula(&f.negated()))).collect();
        self.compiled
    }

    fn push(&mut self, part: Part, atom: Option<Atom>) -> u32 {
        self.compiled.parts.push(part);
        self.compiled.atoms.push(atom);
        (self.compiled.parts.len() - 1) as u32
    }

    fn formula(&mut self, formula: &Formula) -> u32 {
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::All(parts) => {
                let children = parts.iter().map(|part| self.formula(part)).collect();
                self.push(Part::All(children), None)
            }
            Formula::Any(parts) => {
                let children = parts.iter().map(|part| self.formula(part)).collect();
                self.push(Part::Any(children), None)
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> u32 {
        let opposite = || -&atom.form;
        match atom.relation {
            Relation::Zero => {
                let both = [atom.form.clone(), opposite()].map(|form| self.inequality(Atom::at_least_zero(form)));
                self.push(Part::All(both.to_vec()), None)
            }
            Relation::NonZero => {
                let both = [atom.form.clone(), opposite()].map(|form| self.inequality(Atom::positive(form)));
                self.push(Part::Any(both.to_vec()), None)
            }
            Relation::AtLeastZero | Relation::Positive => self.inequality(atom.clone()),
        }
    }

    fn inequality(&mut self, atom: Atom) -> u32 {
        let variables = self.question.variables.len();
        if atom.form.terms().last().is_some_and(|(symbol, _)| *symbol as usize >= variables) {
            let score = self.score(&atom.form, atom.relation == Relation::Positive);
            self.compiled.scores.push(score);
            let index = self.compiled.scores.len() as u32 - 1;
            return self.push(Part::Score(index), Some(atom));
        }
        let atom = match self.normal(atom) {
            Formula::Atom(atom) => atom,
            decided => return self.formula(&decided),
        };
        let row = self.row(&atom.form, atom.relation == Relation::Positive);
        self.compiled.rows.push(row);
        let index = self.compiled.rows.len() as u32 - 1;
        self.push(Part::Row(index), Some(atom))
    }

    /// Integer normal form where it applies; predicates mostly have it already.
    fn normal(&self, atom: Atom) -> Formula {
        let unit = |a: &Rational| *a == Rational::ONE || *a == -&Rational::ONE;
        let normal = atom.relation == Relation::AtLeastZero
            && atom.form.constant().is_integer()
            && atom.form.terms().iter().all(|(_, a)| unit(a));
        if normal || !atom.form.terms().iter().all(|(symbol, _)| self.compiled.integral[*symbol as usize]) {
            return Formula::Atom(atom);
        }
        normal_atom(&atom.form, atom.relation, true)
    }

    fn row(&self, form: &Linear, strict: bool) -> Row {
        let (constant, mut slack) = nearest(form.constant());
        let mut magnitude = constant.abs();
        let mut exact = slack == 0.0 && constant.fract() == 0.0;
        let mut terms = Vec::with_capacity(form.terms().len());
        for (symbol, a) in form.terms() {
            let v = *symbol as usize;
            let (float, distance) = nearest(a);
            exact &= self.compiled.integral[v] && distance == 0.0 && float.fract() == 0.0;
            slack += distance * self.magnitude[v];
            magnitude += float.abs() * self.magnitude[v];
            terms.push((*symbol, float));
        }
        let slack = if exact && magnitude < EXACT { 0.0 } else { self.settle(slack, magnitude) };
        Row { terms, constant, slack, strict }
    }

    /// The slack of a form whose conversion erred by `distance` and whose terms sum up to `magnitude`.
    fn settle(&self, distance: f64, magnitude: f64) -> f64 {
        let factor = self.compiled.factor;
        (distance + factor * magnitude + f64::MIN_POSITIVE) * (1.0 + factor)
    }

    fn score(&self, form: &Linear, strict: bool) -> Score {
        let variables = self.question.variables.len();
        let mut outputs: Vec<Vec<f64>> = vec![Vec::new(); self.compiled.settings.len()];
        let mut linear = vec![0.0; variables];
        let mut shift = form.constant().clone();
        let (mut slack, mut magnitude) = (0.0, 0.0);
        for (symbol, a) in form.terms() {
            let symbol = *symbol as usize;
            if symbol < variables {
                let (float, distance) = nearest(a);
                linear[symbol] = float;
                slack += distance * self.magnitude[symbol];
                magnitude += float.abs() * self.magnitude[symbol];
                continue;
            }
            let application = self.first_output.partition_point(|first| *first <= symbol) - 1;
            let output = symbol - self.first_output[application];
            let setting = &self.compiled.settings[application];
            let (scale, offset) = output_scale(self.question, application, output);
            shift = &shift + &(a * &offset);
            let (float, distance) = nearest(&(a * &scale));
            if outputs[application].is_empty() {
                outputs[application] = vec![0.0; setting.folded.layer(setting.folded.depth() - 1).transposed.stride];
            }
            outputs[application][output] = float;
            slack += distance * setting.output_magnitude[output];
            magnitude += float.abs() * setting.output_magnitude[output];
        }
        let (constant, distance) = nearest(&shift);
        let slack = self.settle(slack + distance, magnitude + constant.abs());
        Score { outputs, linear, constant, slack, strict }
    }
}

/// Scale and offset of an output's normalisation.
fn output_scale(question: &Question, application: usize, output: usize) -> (Rational, Rational) {
    match question.applications[application].network.output_normalisation() {
        None => (Rational::ONE, Rational::ZERO),
        Some(normalisation) => (normalisation.scale()[output].clone(), normalisation.offset()[output].clone()),
    }
}
