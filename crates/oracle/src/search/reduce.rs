//! The question over the variables that are still free: what is fixed becomes part of the constants.
//!
//! A cell of an abstraction fixes most variables, and so does propagation. Every region below the root would carry them along, and
//! bounding costs in proportion to variables. So when the root is open, integer variables with one value left are replaced by that
//! value, exactly: in the formula, in the tracked formulas and in the affine images, where they end in the first layer's bias.
//!
//! **Soundness.** Substitution is exact, so both questions have the same witnesses, but for the fixed values, which
//! [`Reduced::full`] puts back. The reduced question is compiled like any other, with error bounds of its own. Neuron bounds of the
//! root hold for the same functions on the same points.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;

use super::compiled::Compiled;
use super::layout::compile;
use super::region::{Region, Truth};
use super::task::Task;
use crate::bounds::{Folded, LANES, Setting};
use crate::proof::Split;
use crate::question::{Application, Question};
use crate::variable::{Kind, Variable};

/// The variables that a region leaves free, and the values of the others.
#[derive(Debug)]
pub(crate) struct Free {
    pub(crate) variables: Vec<usize>,
    /// What every symbol of a variable becomes.
    replaced: Vec<Linear>,
    /// The value of every variable that is not free.
    fixed: Vec<Option<Rational>>,
}

impl Free {
    /// The free variables of a region.
    pub(crate) fn of(compiled: &Compiled<'_>, region: &Region) -> Self {
        let n = compiled.integral.len();
        let is_fixed = |v: usize| compiled.integral[v] && region.data[v] == region.data[n + v];
        let fixed: Vec<_> = (0..n).map(|v| is_fixed(v).then(|| whole(region.data[v]))).collect();
        let mut variables = Vec::new();
        let mut replaced = Vec::with_capacity(n);
        for (v, value) in fixed.iter().enumerate() {
            replaced.push(match value {
                Some(value) => Linear::constant_form(value.clone()),
                None => Linear::symbol(Symbol::at(variables.len())),
            });
            if value.is_none() {
                variables.push(v);
            }
        }
        Self { variables, replaced, fixed }
    }

    /// What a symbol becomes; those of outputs move up.
    fn replace(&self, symbol: Symbol) -> Option<Linear> {
        let gone = self.fixed.len() - self.variables.len();
        Some(
            self.replaced
                .get(symbol.index())
                .cloned()
                .unwrap_or_else(|| Linear::symbol(Symbol::at(symbol.index() - gone))),
        )
    }

    /// An affine image over the free variables.
    fn image(&self, inputs: &[Linear]) -> Arc<[Linear]> {
        inputs.iter().map(|form| form.substitute(&|symbol| self.replace(symbol))).collect()
    }

    /// An application over the free variables, its bounds where they are in a node's data that has all variables.
    pub(crate) fn setting(&self, whole: &Setting) -> Setting {
        let folded = &whole.folded;
        let image = self.image(&folded.inputs);
        let magnitude: Vec<f64> = self.variables.iter().map(|v| whole.magnitude()[*v]).collect();
        let folded = Folded::new(folded.prepared.clone(), &image, magnitude.len());
        Setting::new(Arc::new(folded), &magnitude, whole.begin())
    }
}

/// The bound of an integer.
fn whole(float: f64) -> Rational {
    Rational::from_f64(float).expect("bounds of integers are finite")
}

/// A question without the variables that a region fixes.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) question: Question,
    pub(crate) tracked: Vec<Formula>,
    free: Free,
}

impl Reduced {
    /// The question on a region; `None` where it would not spare a vector of coefficients.
    pub(crate) fn new<G>(task: &Task<'_, G>, region: &Region) -> Option<Self> {
        let Task { question, compiled, .. } = task;
        let n = compiled.integral.len();
        let left = (0..n).filter(|v| !compiled.integral[*v] || region.data[*v] < region.data[n + v]).count();
        if left.next_multiple_of(LANES) >= n.next_multiple_of(LANES) {
            return None;
        }
        let free = Free::of(compiled, region);
        let replace = |symbol: Symbol| free.replace(symbol);
        let image = |application: &Application| Application {
            network: application.network.clone(),
            inputs: free.image(&application.inputs),
        };
        let variable = |&v: &usize| match question.variables[v].kind {
            Kind::Integer => {
                Variable { kind: Kind::Integer, lower: whole(region.data[v]), upper: whole(region.data[n + v]) }
            }
            // Floats were rounded outward: the exact bounds count, and the region's narrower ones are kept beside them.
            Kind::Real => question.variables[v].clone(),
        };
        let question = Question {
            variables: free.variables.iter().map(variable).collect(),
            applications: question.applications.iter().map(image).collect(),
            formula: question.formula.substitute(&replace),
        };
        let tracked = task.tracked.iter().map(|formula| formula.substitute(&replace)).collect();
        Some(Self { question, tracked, free })
    }

    /// The question compiled, with the networks that were prepared for the whole one.
    pub(crate) fn compile(&self, whole: &Compiled<'_>) -> Option<Compiled<'_>> {
        let mut settings = whole.settings.iter();
        compile(&self.question, &self.tracked, |application, magnitude, begin| {
            let prepared = settings.next().expect("the same applications").folded.prepared.clone();
            let folded = Folded::new(prepared, &application.inputs, magnitude.len());
            Arc::new(Setting::new(Arc::new(folded), magnitude, begin))
        })
    }

    /// The root's region over the free variables, if it can be split there as it was to be.
    pub(crate) fn root(&self, root: &Region, compiled: &Compiled<'_>, split: Split) -> Option<(Region, Split)> {
        let (n, free) = (self.free.fixed.len(), &self.free.variables);
        let split = match split {
            Split::Variable { variable, at } => {
                Split::Variable { variable: free.iter().position(|v| *v == variable)?, at }
            }
            Split::Tracked { formula } => Split::Tracked { formula },
            // These name parts and rows of the whole question.
            Split::Neuron { .. } | Split::Part { .. } | Split::Abandoned => return None,
        };
        let mut region = Region::default();
        region.data.extend(free.iter().map(|v| root.data[*v]));
        region.data.extend(free.iter().map(|v| root.data[n + v]));
        region.data.extend_from_slice(&root.data[2 * n..]);
        assert_eq!(region.data.len(), compiled.data_len, "neurons are as they were");
        assert_eq!(compiled.integral.len(), free.len(), "compiled from this question");
        region.truth.resize(compiled.parts.len(), Truth::Unknown);
        Some((region, split))
    }

    /// The variables that are free.
    pub(crate) fn free_variables(&self) -> &[usize] {
        &self.free.variables
    }

    /// A point with the fixed values put back.
    pub(crate) fn full(&self, point: &[Rational]) -> Vec<Rational> {
        let mut free = point.iter();
        let value = |fixed: &Option<Rational>| match fixed {
            Some(value) => value.clone(),
            None => free.next().expect("one value for every free variable").clone(),
        };
        self.free.fixed.iter().map(value).collect()
    }

    /// A point without the fixed values.
    pub(crate) fn part(&self, point: &[f64]) -> Vec<f64> {
        self.free.variables.iter().map(|v| point[*v]).collect()
    }
}
