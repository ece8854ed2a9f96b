//! Compiles formulas: from atoms to rows and scores.
//!
//! Every atom becomes `form >= 0` or `form > 0`: equalities are two of them, `!=` is a disjunction of two. Atoms over
//! integers with integral coefficients lose strictness (`e > 0` is `e - 1 >= 0`). A form without network outputs is a
//! [`Row`], any other a [`Score`], unless its truth turns out not to depend on the networks.

#![expect(
    clippy::cast_possible_truncation,
    reason = "questions have far fewer than 2^32 variables, rows and parts, and these are inner loops"
)]

use std::borrow::Cow;
use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, normal_atom};
use surefoot_num::Rational;
use surefoot_num::round::gamma;

use super::compiled::{Compiled, Part, Row};
use crate::bounds::Setting;
use crate::question::Question;
use crate::variable::{Kind, Variable};

/// Floats hold integers exactly up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Compiles atoms into rows and scores.
pub(crate) struct Compiler<'c, 'q> {
    pub(super) question: &'c Question,
    pub(super) magnitude: Vec<f64>,
    /// First symbol of each application's outputs.
    pub(super) first_output: Vec<usize>,
    pub(super) compiled: Compiled<'q>,
}

impl<'c, 'q> Compiler<'c, 'q> {
    /// Prepares to compile over a root box with the given settings; `data_len` covers their bounds.
    pub(crate) fn new(
        question: &'c Question,
        lower: Vec<f64>,
        upper: Vec<f64>,
        inner: Vec<(f64, f64)>,
        settings: Vec<Arc<Setting>>,
        data_len: usize,
    ) -> Self {
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
        let magnitude = compiled.lower.iter().zip(&compiled.upper).map(|(l, u)| l.abs().max(u.abs())).collect();
        Self { question, magnitude, first_output: first_outputs(question), compiled }
    }

    /// Goes on with what is compiled; magnitudes are those of the question's bounds, whatever the box is now.
    pub(crate) fn resume(question: &'c Question, compiled: Compiled<'q>) -> Self {
        let magnitude = |variable: &Variable| {
            let (l, u, _) = variable.ends().expect("it had values when it was compiled");
            l.abs().max(u.abs())
        };
        let magnitude = question.variables.iter().map(magnitude).collect();
        Self { question, magnitude, first_output: first_outputs(question), compiled }
    }

    /// What is compiled, with another root.
    pub(crate) fn rooted(mut self, root: Part) -> Compiled<'q> {
        self.compiled.root = self.push(root, None);
        self.compiled
    }

    /// Compiles the question's formula and the tracked ones.
    pub(crate) fn finish(mut self, tracked: &'q [Formula]) -> Compiled<'q>
    where
        'c: 'q,
    {
        let question = self.question;
        self.compiled.root = self.formula(Cow::Borrowed(&question.formula));
        let both = |f: &'q Formula| (self.formula(Cow::Borrowed(f)), self.formula(Cow::Owned(f.negated())));
        self.compiled.tracked = tracked.iter().map(both).collect();
        self.compiled
    }

    fn push(&mut self, part: Part, atom: Option<Cow<'q, Atom>>) -> u32 {
        self.compiled.parts.push(part);
        self.compiled.atoms.push(atom);
        (self.compiled.parts.len() - 1) as u32
    }

    /// Compiles a formula; gives its part.
    pub(crate) fn formula(&mut self, formula: Cow<'q, Formula>) -> u32 {
        match formula {
            Cow::Borrowed(Formula::Atom(atom)) => self.atom(Cow::Borrowed(atom)),
            Cow::Owned(Formula::Atom(atom)) => self.atom(Cow::Owned(atom)),
            Cow::Borrowed(Formula::All(parts)) => {
                let children = parts.iter().map(|part| self.formula(Cow::Borrowed(part))).collect();
                self.push(Part::All(children), None)
            }
            Cow::Owned(Formula::All(parts)) => {
                let children = parts.into_iter().map(|part| self.formula(Cow::Owned(part))).collect();
                self.push(Part::All(children), None)
            }
            Cow::Borrowed(Formula::Any(parts)) => {
                let children = parts.iter().map(|part| self.formula(Cow::Borrowed(part))).collect();
                self.push(Part::Any(children), None)
            }
            Cow::Owned(Formula::Any(parts)) => {
                let children = parts.into_iter().map(|part| self.formula(Cow::Owned(part))).collect();
                self.push(Part::Any(children), None)
            }
        }
    }

    fn atom(&mut self, atom: Cow<'q, Atom>) -> u32 {
        let both = |relation: Relation| {
            let forms = [atom.form.clone(), -&atom.form];
            forms.map(|form| Cow::Owned(Atom { form, relation }))
        };
        match atom.relation {
            Relation::Zero => {
                let both = both(Relation::AtLeastZero).map(|atom| self.inequality(atom));
                self.push(Part::All(both.to_vec()), None)
            }
            Relation::NonZero => {
                let both = both(Relation::Positive).map(|atom| self.inequality(atom));
                self.push(Part::Any(both.to_vec()), None)
            }
            Relation::AtLeastZero | Relation::Positive => self.inequality(atom),
        }
    }

    fn inequality(&mut self, atom: Cow<'q, Atom>) -> u32 {
        let variables = self.question.variables.len();
        if atom.form.terms().last().is_some_and(|(symbol, _)| symbol.index() >= variables) {
            return match self.score(&atom.form, atom.relation) {
                Err(decided) => self.formula(Cow::Owned(decided)),
                Ok(score) => {
                    self.compiled.scores.push(score);
                    let index = self.compiled.scores.len() as u32 - 1;
                    self.push(Part::Score(index), Some(atom))
                }
            };
        }
        let atom = if self.is_normal(&atom) {
            atom
        } else {
            match normal_atom(&atom.form, atom.relation, true) {
                Formula::Atom(atom) => Cow::Owned(atom),
                decided => return self.formula(Cow::Owned(decided)),
            }
        };
        let row = self.row(&atom.form, atom.relation == Relation::Positive);
        self.compiled.rows.push(row);
        let index = self.compiled.rows.len() as u32 - 1;
        self.push(Part::Row(index), Some(atom))
    }

    /// Whether integer normal form does not apply, or is there already, as for most predicates.
    fn is_normal(&self, atom: &Atom) -> bool {
        let unit = |a: &Rational| a.to_i64().is_some_and(|a| a.unsigned_abs() == 1);
        let normal = atom.relation == Relation::AtLeastZero
            && atom.form.constant().is_integer()
            && atom.form.terms().iter().all(|(_, a)| unit(a));
        normal || !atom.form.terms().iter().all(|(symbol, _)| self.compiled.integral[symbol.index()])
    }

    fn row(&self, form: &Linear, strict: bool) -> Row {
        let (constant, mut slack) = form.constant().to_f64_within();
        let mut magnitude = constant.abs();
        let mut exact = slack == 0.0 && constant.fract() == 0.0;
        let mut terms = Vec::with_capacity(form.terms().len());
        for (symbol, a) in form.terms() {
            let v = symbol.index();
            let (float, distance) = a.to_f64_within();
            exact &= self.compiled.integral[v] && distance == 0.0 && float.fract() == 0.0;
            slack += distance * self.magnitude[v];
            magnitude += float.abs() * self.magnitude[v];
            terms.push((symbol.0, float));
        }
        let slack = if exact && magnitude < EXACT { 0.0 } else { self.settle(slack, magnitude) };
        Row { terms, constant, slack, strict }
    }

    /// The slack of a form whose conversion erred by `distance` and whose terms sum up to `magnitude`.
    pub(super) fn settle(&self, distance: f64, magnitude: f64) -> f64 {
        let factor = self.compiled.factor;
        (distance + factor * magnitude + f64::MIN_POSITIVE) * (1.0 + factor)
    }
}

/// First symbol of each application's outputs.
fn first_outputs(question: &Question) -> Vec<usize> {
    let mut next = question.variables.len();
    let mut first = Vec::with_capacity(question.applications.len());
    for application in &question.applications {
        first.push(next);
        next += application.network.output_len();
    }
    first
}
