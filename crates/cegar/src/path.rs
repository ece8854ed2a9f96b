//! Abstract paths, and their composition over the start state.
//!
//! Along a path every slot is an affine form over the start state and the choices made so far, so that guards, the policy's inputs
//! and the end of the path are formulas over these alone: one question to the oracle is about the whole path.

use std::sync::Arc;

use surefoot_abstraction::cell::space;
use surefoot_abstraction::chooser::chosen;
use surefoot_abstraction::compose::Choices;
use surefoot_abstraction::{AbstractState, Cell, Chooser, Fault, Rule, System, domain_variable};
use surefoot_linear::{Formula, Linear, Space, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Question, Variable};

/// What a path is to end in.
#[derive(Debug, Clone)]
pub enum End {
    /// An unsafe state.
    Unsafe,
    /// A state in which the model is in error.
    Fault(Arc<Fault>),
}

/// A path of the abstraction.
#[derive(Debug, Clone)]
pub struct AbstractPath {
    /// Its states, one more than steps.
    pub states: Vec<AbstractState>,
    /// The rules between them.
    pub steps: Vec<Arc<Rule>>,
    /// What it ends in.
    pub end: End,
}

/// A path composed: over symbols for the slots of the start state, then for the choices of each step.
#[derive(Debug)]
pub(crate) struct Unrolled<'p> {
    path: &'p AbstractPath,
    /// The box of the start state's slots, then the domains of choices.
    pub variables: Vec<Variable>,
    space: Space,
    /// Per step, the value of every slot.
    values: Vec<Vec<Linear>>,
    /// Per step, the symbols of its choices.
    choices: Vec<Choices>,
}

impl<'p> Unrolled<'p> {
    /// Composes a path that begins in a cell over the slots.
    #[must_use]
    pub(crate) fn new(path: &'p AbstractPath, start: &Cell) -> Self {
        let mut variables = start.variables.clone();
        let slots = variables.len();
        let start = |slot: usize| match path.states[0].locations.get(slot) {
            Some(location) => Linear::constant_form(Rational::from(i64::from(*location))),
            None => Linear::symbol(Symbol::at(slot)),
        };
        let mut values = vec![(0..slots).map(start).collect::<Vec<Linear>>()];
        let mut choices = Vec::new();
        for (step, rule) in path.steps.iter().enumerate() {
            let own = Choices::of(rule, variables.len());
            variables.extend(rule.choices.iter().map(|(_, domain)| domain_variable(domain)));
            values.push(own.after(&values[step], rule));
            choices.push(own);
        }
        let space = space(&variables);
        Self { path, variables, space, values, choices }
    }

    /// A formula over the slots after so many steps (and over the choices of the next).
    #[must_use]
    pub(crate) fn at(&self, step: usize, formula: &Formula) -> Formula {
        self.space.substitute(formula, &|symbol| self.value(step, symbol))
    }

    fn value(&self, step: usize, symbol: Symbol) -> Option<Linear> {
        static NONE: Choices = Choices::none();
        self.choices.get(step).unwrap_or(&NONE).form(&self.values[step], symbol)
    }

    /// Where a step can be taken, whatever the policy says.
    #[must_use]
    pub(crate) fn enabled(&self, step: usize) -> Formula {
        self.at(step, &self.path.steps[step].formula)
    }

    /// Where the path ends as it should.
    #[must_use]
    pub(crate) fn end(&self, system: &System<'_>) -> Formula {
        let end = match &self.path.end {
            End::Unsafe => system.reach(),
            End::Fault(fault) => &fault.formula,
        };
        self.at(self.path.steps.len(), end)
    }

    /// How many steps the policy may have a say in: an error may lie in what it chooses at the end.
    #[must_use]
    pub(crate) fn decisions(&self) -> usize {
        self.path.steps.len() + usize::from(matches!(&self.path.end, End::Fault(fault) if fault.choosers.is_some()))
    }

    /// The networks that may choose in a step; `None` where the policy has no say.
    #[must_use]
    pub(crate) fn choosers(&self, step: usize) -> Option<&'p [Chooser]> {
        match (self.path.steps.get(step), &self.path.end) {
            (Some(rule), _) => rule.choosers.as_deref(),
            (None, End::Fault(fault)) => fault.choosers.as_deref(),
            (None, End::Unsafe) => None,
        }
    }

    /// The question for a start state and choices with a property, such that the policy chooses as it should in the given
    /// steps.
    #[must_use]
    pub(crate) fn question(&self, property: Formula, decided: impl Iterator<Item = usize>) -> Question {
        let mut question =
            Question { variables: self.variables.clone(), applications: Vec::new(), formula: Formula::truth() };
        let mut parts = vec![property];
        for step in decided {
            if let Some(choosers) = self.choosers(step) {
                parts.push(chosen(&mut question, choosers, &|symbol| self.value(step, symbol)));
            }
        }
        question.formula = Formula::all(parts);
        question
    }

    /// The concrete states along the path for values of the start state and the choices.
    #[must_use]
    pub(crate) fn states(&self, point: &[Rational]) -> Vec<State> {
        let value = |form: &Linear| form.eval(|symbol| point[symbol.index()].clone());
        self.values.iter().map(|forms| State(forms.iter().map(value).collect())).collect()
    }
}
