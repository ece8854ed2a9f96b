//! The question: bounded variables, networks applied to affine images of them, one formula over both.
//!
//! Symbols of the formula `0..variables.len()` are the variables; after them come the outputs of the first
//! application, then those of the second, and so on ([`Question::output`]). A policy that chooses label `l` is a
//! formula over outputs ([`Question::chosen`]): for every other label `k`, either `k` is not applicable or output `l`
//! beats output `k` under the tie rule. A path is several applications, each asked of the state after some updates,
//! which is an affine image of the start state (and of variables for the environment's choices).

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::Network;
use surefoot_network::eval::Scores;
use surefoot_num::Rational;

use crate::valuation::Valuation;
use crate::variable::{Kind, Variable};

/// The largest magnitude of an integer variable: floats hold all integers up to here.
pub const MOST_INTEGER: u64 = 1 << 53;

/// The largest magnitude of a real variable.
pub const MOST_REAL: f64 = 1e300;

/// The deepest nesting of conjunctions and disjunctions.
pub const MOST_NESTING: usize = 1000;

/// A network applied to an affine image of the variables.
#[derive(Debug, Clone)]
pub struct Application {
    /// The network.
    pub network: Arc<Network>,
    /// One form over the variables per input.
    pub inputs: Arc<[Linear]>,
}

/// The inputs of an application at a point.
fn inputs_at(application: &Application, point: &[Rational]) -> Vec<Rational> {
    application.inputs.iter().map(|form| form.eval(|s| point[s.index()].clone())).collect()
}

/// How ties between outputs are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ties {
    /// The first maximal output is chosen.
    First,
    /// Every maximal output may be chosen.
    Any,
    /// Every output within this distance of the maximum may be chosen.
    Within(Rational),
}

/// Is there an assignment of the variables that satisfies the formula?
#[derive(Debug, Clone)]
pub struct Question {
    /// The variables: symbols from 0.
    pub variables: Vec<Variable>,
    /// The networks; their outputs are the symbols after the variables.
    pub applications: Vec<Application>,
    /// What is asked for.
    pub formula: Formula,
}

/// Why a question makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// An application has the wrong number of inputs.
    #[error("application {application} gives {given} inputs to a network that takes {wanted}")]
    Inputs {
        /// The application.
        application: usize,
        /// Forms given.
        given: usize,
        /// Inputs of the network.
        wanted: usize,
    },
    /// A bound is too large to be handled exactly.
    #[error("the bounds of variable {variable} are too large: at most 2^53 for integers and 10^300 for reals")]
    Bounds {
        /// The variable.
        variable: usize,
    },
    /// The formula is nested too deeply.
    #[error("the formula is nested more than {MOST_NESTING} levels deep")]
    Nesting,
    /// A symbol is neither a variable nor an output.
    #[error("symbol {} does not exist: there are {known}", .symbol.0)]
    Symbol {
        /// The symbol.
        symbol: Symbol,
        /// How many symbols there are where it was used.
        known: usize,
    },
}

impl Question {
    /// The symbol of an output.
    #[must_use]
    pub fn output(&self, application: usize, output: usize) -> Symbol {
        let before: usize = self.applications[..application].iter().map(|a| a.network.output_len()).sum();
        Symbol::at(self.variables.len() + before + output)
    }

    /// How many symbols there are.
    #[must_use]
    pub fn symbols(&self) -> usize {
        self.variables.len() + self.applications.iter().map(|a| a.network.output_len()).sum::<usize>()
    }

    /// "The application chooses `label`": for every other label, it is not applicable or it is beaten.
    ///
    /// `applicable` gives the condition under which a label may be chosen at all; without a filter, that is the truth.
    /// That `label` itself is applicable is not part of the formula.
    #[must_use]
    pub fn chosen(
        &self,
        application: usize,
        label: usize,
        ties: &Ties,
        applicable: impl Fn(usize) -> Formula,
    ) -> Formula {
        let labels = self.applications[application].network.output_len();
        let first = self.output(application, 0);
        let symbol = |label: usize| first.plus(label);
        let beats = |other: usize| {
            let distance = if let Ties::Within(distance) = ties { distance.clone() } else { Rational::ZERO };
            let terms = vec![(symbol(label), Rational::ONE), (symbol(other), -&Rational::ONE)];
            let margin = Linear::new(terms, distance);
            match ties {
                Ties::First if other < label => Formula::Atom(Atom::positive(margin)),
                Ties::First | Ties::Any | Ties::Within(_) => Formula::Atom(Atom::at_least_zero(margin)),
            }
        };
        let others = (0..labels).filter(|other| *other != label);
        Formula::all(others.map(|other| match applicable(other) {
            always if always.is_truth() => beats(other),
            sometimes => Formula::any([sometimes.negated(), beats(other)]),
        }))
    }

    /// Checks that symbols, shapes and bounds are such that oracles can work with them; they panic on others.
    ///
    /// # Errors
    /// On the first thing that does not.
    pub fn check(&self) -> Result<(), QuestionError> {
        let known = |form: &Linear, known: usize| match form.terms().last() {
            Some((symbol, _)) if symbol.index() >= known => Err(QuestionError::Symbol { symbol: *symbol, known }),
            _ => Ok(()),
        };
        let fits = |kind: Kind, bound: &Rational| match (kind, bound.to_i64()) {
            (_, Some(whole)) if whole.unsigned_abs() <= MOST_INTEGER => true,
            (Kind::Integer, _) => bound.abs() <= Rational::from(MOST_INTEGER.cast_signed()),
            // A rounded value decides this: floats go on for long after that.
            (Kind::Real, _) => bound.to_f64().abs() <= MOST_REAL,
        };
        for (index, variable) in self.variables.iter().enumerate() {
            if !fits(variable.kind, &variable.lower) || !fits(variable.kind, &variable.upper) {
                return Err(QuestionError::Bounds { variable: index });
            }
        }
        for (index, application) in self.applications.iter().enumerate() {
            let (given, wanted) = (application.inputs.len(), application.network.input_len());
            if given != wanted {
                return Err(QuestionError::Inputs { application: index, given, wanted });
            }
            application.inputs.iter().try_for_each(|form| known(form, self.variables.len()))?;
        }
        let mut work = vec![(&self.formula, 1)];
        while let Some((formula, depth)) = work.pop() {
            if depth > MOST_NESTING {
                return Err(QuestionError::Nesting);
            }
            if let Formula::All(parts) | Formula::Any(parts) = formula {
                work.extend(parts.iter().map(|part| (part, depth + 1)));
            }
        }
        let mut result = Ok(());
        self.formula.for_each_atom(&mut |atom| {
            if result.is_ok() {
                result = known(&atom.form, self.symbols());
            }
        });
        result
    }

    /// Whether a point is a witness: in its bounds, integral where asked, and satisfying the formula beyond doubt. This is
    /// the definition that every oracle's `Sat` is held against; it is slow and shares nothing with the search.
    ///
    /// # Panics
    /// When the point has not one value per variable, or the question does not pass [`Question::check`].
    #[must_use]
    pub fn is_witness(&self, point: &[Rational]) -> bool {
        self.witnesses(point) == Some(true)
    }

    /// The same, with nothing said where scores of a network that is not exact cannot be told apart.
    ///
    /// # Panics
    /// Like [`Question::is_witness`].
    #[must_use]
    pub fn witnesses(&self, point: &[Rational]) -> Option<bool> {
        assert_eq!(point.len(), self.variables.len(), "one value per variable");
        let fits = |(variable, value): (&Variable, &Rational)| {
            variable.lower <= *value && *value <= variable.upper && (variable.kind == Kind::Real || value.is_integer())
        };
        if !self.variables.iter().zip(point).all(fits) {
            return Some(false);
        }
        self.holds(&self.formula, point)
    }

    /// Whether a formula holds at a point; `None` where scores of a network that is not exact cannot be told apart.
    #[must_use]
    pub fn holds(&self, formula: &Formula, point: &[Rational]) -> Option<bool> {
        let scores = self.applications.iter().map(|application| {
            let (network, inputs) = (&application.network, inputs_at(application, point));
            let exact = network.is_exact().then(|| Scores::Exact(network.eval_reference(&inputs)));
            (network.output_len(), exact.unwrap_or_else(|| network.scores_at(&inputs)))
        });
        Valuation::new(point, scores.collect()).holds(formula)
    }

    /// The value of every symbol at a point, to be shown: exact where it is a rational number, else rounded to 64 binary places.
    #[must_use]
    pub fn symbol_values(&self, point: &[Rational]) -> Vec<Rational> {
        let mut values = point.to_vec();
        for application in &self.applications {
            let (network, inputs) = (&application.network, inputs_at(application, point));
            values.extend(match network.is_exact() {
                true => network.eval_reference(&inputs),
                false => network.scores_at(&inputs).shown(network.output_len()),
            });
        }
        values
    }
}
