//! A question in the form that the search works on: a float box, linear rows, scores and a small formula.
//!
//! Coefficients are floats. [`Row::slack`] bounds, over the root box, the distance between a form and what float
//! arithmetic makes of its row, conversion and summation included; it is zero where everything is integral and small
//! enough to be exact.

use std::borrow::Cow;
use std::sync::Arc;

use surefoot_linear::Atom;

use super::score::Score;
use crate::bounds::Setting;
use crate::proof;

/// A linear constraint over the variables: `sum a x + c >= 0`, or `> 0`.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) terms: Vec<(u32, f64)>,
    pub(crate) constant: f64,
    /// Bound on the distance to the exact form, for any float evaluation over the root box.
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
pub(crate) struct Compiled<'q> {
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
    pub(crate) atoms: Vec<Option<Cow<'q, Atom>>>,
    /// What must hold.
    pub(crate) root: u32,
    /// Formulas whose truth is tracked, each with its negation.
    pub(crate) tracked: Vec<(u32, u32)>,
    /// Length of a node's data: box, then bounds of neurons.
    pub(crate) data_len: usize,
    /// `G` of the error analysis, over all applications.
    pub(crate) factor: f64,
}

impl Compiled<'_> {
    /// The largest sizes of the variables.
    pub(crate) fn magnitudes(&self) -> impl Iterator<Item = f64> {
        self.lower.iter().zip(&self.upper).map(|(lower, upper)| lower.abs().max(upper.abs()))
    }

    /// Nothing.
    pub(crate) fn empty() -> Self {
        Self {
            integral: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            inner: Vec::new(),
            settings: Vec::new(),
            rows: Vec::new(),
            scores: Vec::new(),
            parts: Vec::new(),
            atoms: Vec::new(),
            root: 0,
            tracked: Vec::new(),
            data_len: 0,
            factor: 0.0,
        }
    }

    /// The parts of the formulas, for whoever listens to a search.
    pub(crate) fn described(&self) -> Vec<proof::Part<'_>> {
        let described = self.parts.iter().zip(&self.atoms).map(|(part, atom)| match (part, atom) {
            (_, Some(atom)) => proof::Part::Atom(atom),
            (Part::All(children), None) => proof::Part::All(children),
            (Part::Any(children), None) => proof::Part::Any(children),
            (Part::Row(_) | Part::Score(_), None) => unreachable!("rows and scores come from atoms"),
        });
        described.collect()
    }

    /// The same with atoms of its own.
    pub(crate) fn into_owned(self) -> Compiled<'static> {
        let own = |atom: Option<Cow<'_, Atom>>| atom.map(|atom| Cow::Owned(atom.into_owned()));
        let atoms = self.atoms.into_iter().map(own).collect();
        Compiled {
            integral: self.integral,
            lower: self.lower,
            upper: self.upper,
            inner: self.inner,
            settings: self.settings,
            rows: self.rows,
            scores: self.scores,
            parts: self.parts,
            atoms,
            root: self.root,
            tracked: self.tracked,
            data_len: self.data_len,
            factor: self.factor,
        }
    }
}
