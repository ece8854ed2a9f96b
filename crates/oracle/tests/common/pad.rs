//! Questions with many variables that have one value: as in the cells of an abstraction.

use surefoot_fixtures::Random;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Question, Variable};

/// How many variables are added.
pub(crate) const ADDED: usize = 17;

/// What padding does to forms: the question's symbols move up, and multiples of what is zero on every point are added.
pub(crate) struct Padding {
    values: Vec<i64>,
    factors: Vec<i64>,
}

impl Padding {
    pub(crate) fn random(random: &mut Random) -> Self {
        let mut draw = |reach: i64| (0..ADDED).map(|_| random.between(-reach, reach)).collect();
        Self { values: draw(4), factors: draw(2) }
    }

    /// The same form, which mentions some of the added variables.
    fn form(&self, form: &Linear) -> Linear {
        if form.is_constant() {
            return form.clone();
        }
        let moved = form.substitute(&|symbol| Some(Linear::symbol(symbol.plus(ADDED))));
        // Which ones depends on the form alone, so that equal forms stay equal.
        let first = form.terms().len() % 3;
        (first..ADDED).step_by(3).fold(moved, |sum, k| {
            let value = Rational::from(self.values[k]);
            let zero = Linear::new(vec![(Symbol::at(k), Rational::ONE)], -value);
            sum.plus_scaled(&zero, &Rational::from(self.factors[k]))
        })
    }

    pub(crate) fn formula(&self, formula: &Formula) -> Formula {
        match formula {
            Formula::Atom(atom) => {
                let mut atom = atom.clone();
                atom.form = self.form(&atom.form);
                Formula::Atom(atom)
            }
            Formula::All(parts) => Formula::All(parts.iter().map(|part| self.formula(part)).collect()),
            Formula::Any(parts) => Formula::Any(parts.iter().map(|part| self.formula(part)).collect()),
        }
    }

    pub(crate) fn variables(&self, variables: &[Variable]) -> Vec<Variable> {
        let fixed = self.values.iter().map(|value| Variable::integer(*value, *value));
        fixed.chain(variables.iter().cloned()).collect()
    }

    /// The question with the added variables in front.
    pub(crate) fn question(&self, question: &Question) -> Question {
        let padded = |application: &Application| Application {
            network: application.network.clone(),
            inputs: application.inputs.iter().map(|form| self.form(form)).collect(),
        };
        Question {
            variables: self.variables(&question.variables),
            applications: question.applications.iter().map(padded).collect(),
            formula: self.formula(&question.formula),
        }
    }
}
