//! A decision of the policy for a label, and the variables it depends on.

use std::collections::BTreeSet;

use surefoot_abstraction::Chooser;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::FloatNetwork;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle, Question, Variable};

/// That a policy chooses a label at given locations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision<'a> {
    /// The networks that may be asked.
    pub(crate) choosers: &'a [Chooser],
}

impl Decision<'_> {
    /// Is there a state with a property in which the label is chosen?
    pub(crate) fn chosen_in(
        &self,
        oracle: &mut impl Oracle,
        variables: &[Variable],
        property: &Formula,
        limits: &Limits,
    ) -> Answer {
        self.ask(oracle, variables, limits, |chooser, question| {
            Formula::all([property.clone(), chooser.chosen(question, 0, &as_it_is)])
        })
    }

    /// Is there a state in which another label is chosen?
    pub(crate) fn another_in(&self, oracle: &mut impl Oracle, variables: &[Variable], limits: &Limits) -> Answer {
        self.ask(oracle, variables, limits, |chooser, question| {
            let applicable = |label: usize| chooser.applicable[label].clone();
            let beats = question.chosen(0, chooser.output, &chooser.ties, applicable);
            let not = Formula::all([chooser.applicable[chooser.output].clone(), beats]).negated();
            Formula::all([chooser.asked.clone(), not])
        })
    }

    fn ask(
        &self,
        oracle: &mut impl Oracle,
        variables: &[Variable],
        limits: &Limits,
        formula: impl Fn(&Chooser, &Question) -> Formula,
    ) -> Answer {
        let mut answer = Answer::Unsat;
        for chooser in self.choosers {
            let applications = vec![chooser.application(&as_it_is)];
            let mut question = Question { variables: variables.to_vec(), applications, formula: Formula::truth() };
            question.formula = formula(chooser, &question);
            match oracle.decide(&question, limits) {
                Answer::Unsat => {}
                unknown @ Answer::Unknown(_) => answer = unknown,
                sat @ Answer::Sat(_) => return sat,
            }
        }
        answer
    }

    /// The variables that the decision depends on: inputs of networks, what selects a network, and under the applicability filter
    /// what makes labels applicable.
    pub(crate) fn variables(&self) -> BTreeSet<Symbol> {
        let mut found = self.inputs();
        for chooser in self.choosers {
            for formula in std::iter::once(&chooser.asked).chain(chooser.applicable.iter()) {
                formula.for_each_atom(&mut |atom| found.extend(atom.form.terms().iter().map(|(symbol, _)| *symbol)));
            }
        }
        found
    }

    /// The inputs of its networks.
    pub(crate) fn inputs(&self) -> BTreeSet<Symbol> {
        let forms = self.choosers.iter().flat_map(|chooser| chooser.inputs.iter());
        forms.flat_map(|form: &Linear| form.terms().iter().map(|(symbol, _)| *symbol)).collect()
    }

    /// Definition 3: the sum over all outputs of the change between a variable's smallest and largest value, the others as in a
    /// state. In floating point: it only orders variables.
    pub(crate) fn sensitivity(&self, state: &[Rational], variable: Symbol, domain: &Variable) -> f64 {
        let Some(chooser) = self.choosers.iter().find(|chooser| chooser.asked.eval(&|s| state[s.index()].clone()))
        else {
            return 0.0;
        };
        let network = FloatNetwork::new(&chooser.network);
        let outputs = |value: &Rational| -> Vec<f64> {
            let at = |symbol: Symbol| if symbol == variable { value } else { &state[symbol.index()] }.clone();
            let inputs: Vec<f64> = chooser.inputs.iter().map(|form| form.eval(at).to_f64()).collect();
            network.eval(&inputs, 0.0, &mut network.scratch()).values.to_vec()
        };
        outputs(&domain.lower).iter().zip(outputs(&domain.upper)).map(|(low, high)| (high - low).abs()).sum()
    }
}

fn as_it_is(_: Symbol) -> Option<Linear> {
    None
}
