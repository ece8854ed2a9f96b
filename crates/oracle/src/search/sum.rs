//! Sums of parts that must hold, each times a multiplier that is not negative: what they say together.
//!
//! Every wanted point satisfies `part >= 0` for the parts that must hold, so it satisfies any such sum. The relaxation of a sum is tighter than
//! the sum of relaxations: neurons that some scores want large and others small meet multipliers that cancel, and are relaxed once, not twice in
//! opposite directions. Which multipliers are worth trying is what a linear program of the scores' rows says: its duals.
//!
//! **Soundness.** Forms are summed up in floats before they are carried down. With `k` of them the sum of products `m_i f_ij` is off by at most
//! `gamma_(k+1)` times the sum of their sizes, and by the smallest float for each product that underflows, both times the largest value of
//! neuron `j`. Sums of coefficients over the variables are off likewise. All of this is in [`Sum::slack`], with the same `8 gamma` that
//! [`crate::bounds::setting`] has, which leaves room for the sizes being rounded themselves.

use surefoot_num::round::gamma;

use super::compiled::{Compiled, Part};

/// A part that must hold, and its multiplier.
pub(crate) type Multiple = (u32, f64);

/// A sum of parts.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    /// By application: the form over the layer where backward passes begin, padded; empty where nothing depends on it.
    pub(crate) forms: Vec<Vec<f64>>,
    /// The linear part, and the sizes of what it was summed up from.
    pub(crate) linear: Vec<f64>,
    pub(crate) sizes: Vec<f64>,
    pub(crate) constant: f64,
    /// The sizes of what the constant was summed up from.
    pub(crate) size: f64,
    /// By how much forms and constants may be off.
    pub(crate) slack: f64,
    /// `8 gamma` for sums of so many terms.
    pub(crate) factor: f64,
    magnitudes: Vec<f64>,
}

impl Sum {
    /// Adds up parts that are rows and scores; `magnitudes` bound the post-activations of an application where forms begin.
    pub(crate) fn of<'m>(
        &mut self,
        compiled: &Compiled<'_>,
        multiples: &[Multiple],
        magnitudes: impl Fn(usize) -> &'m [f64],
    ) {
        let n = compiled.integral.len();
        for vector in [&mut self.linear, &mut self.sizes] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        (self.constant, self.size, self.slack) = (0.0, 0.0, 0.0);
        self.factor = compiled.factor.max(8.0 * gamma(multiples.len() + 64));
        for &(part, multiplier) in multiples {
            match &compiled.parts[part as usize] {
                Part::Row(row) => {
                    let row = &compiled.rows[*row as usize];
                    row.terms.iter().for_each(|(v, a)| self.add(*v as usize, multiplier * a));
                    self.add_constant(multiplier, row.constant, row.slack);
                }
                Part::Score(score) => {
                    let score = &compiled.scores[*score as usize];
                    score.linear().iter().enumerate().for_each(|(v, a)| self.add(v, multiplier * a));
                    self.add_constant(multiplier, score.form_constant, score.slack);
                }
                Part::All(_) | Part::Any(_) => unreachable!("only atoms have multipliers"),
            }
        }
        self.forms.resize_with(compiled.settings.len(), Vec::new);
        for application in 0..compiled.settings.len() {
            self.add_forms(compiled, multiples, application, &magnitudes);
        }
    }

    /// Adds a row that holds at every wanted point.
    pub(crate) fn add_row(&mut self, multiplier: f64, coefficients: &[f64], constant: f64, slack: f64) {
        coefficients.iter().enumerate().for_each(|(v, a)| self.add(v, multiplier * a));
        self.add_constant(multiplier, constant, slack);
    }

    fn add(&mut self, v: usize, product: f64) {
        self.linear[v] += product;
        self.sizes[v] += product.abs();
    }

    fn add_constant(&mut self, multiplier: f64, constant: f64, slack: f64) {
        self.constant += multiplier * constant;
        self.size += (multiplier * constant).abs();
        self.slack += multiplier * slack;
    }

    fn add_forms<'m>(
        &mut self,
        compiled: &Compiled<'_>,
        multiples: &[Multiple],
        application: usize,
        magnitudes: &impl Fn(usize) -> &'m [f64],
    ) {
        let setting = &compiled.settings[application];
        let stride = setting.folded.layer(setting.folded.start()).weights.stride();
        let form = &mut self.forms[application];
        form.clear();
        self.magnitudes.clear();
        for &(part, multiplier) in multiples {
            let Part::Score(score) = &compiled.parts[part as usize] else { continue };
            let other = compiled.scores[*score as usize].form(application);
            if other.is_empty() {
                continue;
            }
            form.resize(stride, 0.0);
            self.magnitudes.resize(stride, 0.0);
            for ((sum, size), f) in form.iter_mut().zip(&mut self.magnitudes).zip(other) {
                *sum += multiplier * f;
                *size += (multiplier * f).abs();
            }
        }
        if form.is_empty() {
            return;
        }
        let largest = magnitudes(application);
        let wrong = self.magnitudes.iter().zip(largest).map(|(size, y)| size * y);
        self.slack += self.factor * wrong.sum::<f64>();
        self.slack += f64::MIN_POSITIVE * largest.iter().sum::<f64>();
    }

    /// Takes a row that an application's form was carried down to.
    pub(crate) fn carried(&mut self, coefficients: &[f64], constant: f64, slack: f64) {
        let sums = self.linear.iter_mut().zip(&mut self.sizes).zip(coefficients);
        sums.for_each(|((sum, size), a)| {
            *sum += a;
            *size += a.abs();
        });
        self.constant += constant;
        self.size += constant.abs();
        self.slack += slack;
    }

    /// What sums of coefficients, constants and products with variables of these sizes may be off by, on top; infinite where something
    /// is not a number.
    pub(crate) fn settled_slack(&self, magnitude: &[f64]) -> f64 {
        let terms: f64 = self.sizes.iter().zip(magnitude).map(|(size, x)| (size + f64::MIN_POSITIVE) * x).sum();
        let slack = (self.slack + self.factor * (terms + self.size) + f64::MIN_POSITIVE) * (1.0 + self.factor);
        // Soundness: comparisons with what is no number are dropped on the way; nothing is known then.
        let finite = self.constant.is_finite() && slack.is_finite() && self.sizes.iter().all(|size| size.is_finite());
        if finite { slack } else { f64::INFINITY }
    }
}
