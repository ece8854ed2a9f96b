//! Operators, lowered, against the reference interpreter: what is enabled, where errors are, and every successor.

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the numbers of a test are small")]

use std::collections::HashMap;

use surefoot_linear::{Formula, Space, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::policy::Policy;
use surefoot_model::{Choice, Interpreter, LabelId, Model, State};
use surefoot_num::Rational;
use surefoot_symbolic::{Lowering, Probability, SymbolicOperator, SymbolicOutcome};
use surefoot_text::diagnostic::Diagnostic;

use super::{Point, interpreter_of};

/// A model that is lowered as far as the states need it.
pub(crate) struct Comparison<'m> {
    pub(crate) model: &'m Model,
    pub(crate) policy: Option<&'m Policy>,
    pub(crate) lowering: Lowering<'m>,
    /// Where the guards of each vector have values.
    defined: Vec<Formula>,
    /// Where each label is applicable.
    applicable: Vec<Formula>,
    known: HashMap<Operator, Result<SymbolicOperator, Diagnostic>>,
    /// How many enabled operators were compared.
    pub(crate) compared: usize,
    /// How many of them are errors.
    pub(crate) errors: usize,
}

impl<'m> Comparison<'m> {
    /// Lowers all guards.
    pub(crate) fn new(model: &'m Model, policy: Option<&'m Policy>) -> Result<Self, Diagnostic> {
        let mut lowering = Lowering::new(model, policy)?;
        let vectors = model.vector_numbers();
        let defined = vectors.map(|vector| lowering.guards_defined(vector)).collect::<Result<_, _>>()?;
        let labels = (0..model.labels.len() as u32).map(LabelId);
        let applicable = labels.map(|label| lowering.applicable(label, None)).collect::<Result<_, _>>()?;
        let known = HashMap::new();
        Ok(Self { model, policy, lowering, defined, applicable, known, compared: 0, errors: 0 })
    }

    /// The refusals of operators met so far.
    pub(crate) fn refusals(&self) -> Vec<&Diagnostic> {
        self.known.values().filter_map(|operator| operator.as_ref().err()).collect()
    }

    /// Compares everything about one state.
    pub(crate) fn compare(&mut self, state: &State) {
        let interpreter = interpreter_of(self.model, self.policy);
        let point = Point::new(self.model, self.policy, state);
        let enabled = interpreter.enabled_operators(state);
        let defined = self.defined.iter().all(|formula| point.holds(formula));
        assert_eq!(defined, enabled.is_ok(), "whether all guards have values: {enabled:?}");
        let Ok(enabled) = enabled else { return };
        self.compare_labels(state, &point, &enabled);
        let locations = locations(self.model, state);
        let mut candidates = Vec::new();
        for vector in 0..self.model.vectors.len() as u32 {
            candidates.extend(self.lowering.operators(vector, Some(&locations), 100_000).unwrap());
        }
        assert!(enabled.iter().all(|operator| candidates.contains(operator)), "operators at {locations:?}");
        for operator in candidates {
            let lowering = &mut self.lowering;
            let lowered = self.known.entry(operator.clone()).or_insert_with(|| lowering.operator(&operator));
            let Ok(lowered) = lowered else { continue };
            let mut sources = lowered.sources.iter().map(|(instance, location)| lowering.at(*instance, *location));
            let holds = sources.all(|source| point.holds(&source)) && point.holds(&lowered.guard.holds);
            assert_eq!(
                holds,
                enabled.contains(&operator),
                "whether {} is enabled",
                self.model.describe_operator(&operator)
            );
            if !holds {
                continue;
            }
            assert!(point.holds(&lowered.guard.defined));
            self.compared += 1;
            let space = self.lowering.space();
            match interpreter.choice(state, operator) {
                Ok(choice) => compare_choice(self.model, &interpreter, space, lowered, &point, state, &choice),
                Err(error) => {
                    self.errors += 1;
                    let fails = |o: &SymbolicOutcome| {
                        assignments(o).any(|values| !with(&point, &values).holds(&o.error_free_for(space)))
                    };
                    let found = !point.holds(&lowered.distribution) || lowered.outcomes.iter().any(fails);
                    assert!(found, "missed {}: {lowered:?}", error.describe(self.model));
                    assert!(!point.holds(&lowered.error_free(space).unwrap()));
                }
            }
        }
    }

    fn compare_labels(&mut self, state: &State, point: &Point, enabled: &[Operator]) {
        let locations = locations(self.model, state);
        for label in (0..self.model.labels.len() as u32).map(LabelId) {
            let vector = |o: &Operator| self.model.vectors[o.vector as usize].label;
            let applicable = enabled.iter().any(|o| vector(o) == Some(label));
            let anywhere = &self.applicable[label.0 as usize];
            assert_eq!(point.holds(anywhere), applicable, "whether {label:?} is applicable");
            let here = self.lowering.applicable(label, Some(&locations)).unwrap();
            assert_eq!(point.holds(&here), applicable, "whether {label:?} is applicable at {locations:?}");
            here.for_each_atom(&mut |atom| {
                let reads = |(symbol, _): &(Symbol, Rational)| symbol.index() < locations.len();
                assert!(!atom.form.terms().iter().any(reads), "locations are decided: {atom:?}");
            });
        }
    }
}

fn locations(model: &Model, state: &State) -> Vec<u32> {
    state.0[..model.instances.len()].iter().map(|location| location.to_i64().unwrap() as u32).collect()
}

/// All values of an outcome's choices.
fn assignments(outcome: &SymbolicOutcome) -> impl Iterator<Item = Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for choice in &outcome.choices {
        let (low, high) = choice.domain.int_bounds().unwrap();
        all = all.iter().flat_map(|v| (low..=high).map(move |c| v.iter().copied().chain([c]).collect())).collect();
    }
    all.into_iter()
}

fn with(point: &Point, choices: &[i64]) -> Point {
    Point(point.0.iter().cloned().chain(choices.iter().map(|c| Rational::from(*c))).collect())
}

/// An operator without error: outcomes, probabilities and successors.
fn compare_choice(
    model: &Model,
    interpreter: &Interpreter<'_>,
    space: &Space,
    operator: &SymbolicOperator,
    point: &Point,
    state: &State,
    choice: &Choice,
) {
    assert_eq!(operator.label, choice.label);
    assert!(point.holds(&operator.distribution), "the probabilities are a distribution: {operator:?}");
    assert!(point.holds(&operator.error_free(space).unwrap()), "no error: {operator:?}");
    let possible: Vec<&SymbolicOutcome> = operator.outcomes.iter().filter(|o| point.holds(&o.possible)).collect();
    assert_eq!(possible.len(), choice.outcomes.len(), "{operator:?}");
    for (outcome, expected) in possible.into_iter().zip(&choice.outcomes) {
        assert_eq!(outcome.destinations, expected.destinations);
        match &outcome.probability {
            Probability::Constant(value) => assert_eq!(*value, expected.probability),
            Probability::Product(terms) => {
                let values = terms.iter().map(|term| interpreter.eval(*term, state).unwrap());
                assert_eq!(values.fold(Rational::ONE, |a, b| &a * &b), expected.probability);
            }
        }
        let mut successors: Vec<State> = Vec::new();
        for values in assignments(outcome) {
            let point = with(point, &values);
            assert!(point.holds(&outcome.error_free_for(space)), "no error with {values:?}: {outcome:?}");
            let extended = outcome.space(space);
            let chosen: Vec<_> = outcome
                .cases
                .iter()
                .filter(|case| point.holds(&case.condition))
                .filter(|case| case.choices.iter().all(|bounds| point.holds(&bounds.formula(&extended))))
                .collect();
            assert!(
                chosen.len() == 1 || (chosen.is_empty() && !values.is_empty()),
                "{} cases: {outcome:?}",
                chosen.len()
            );
            let Some(case) = chosen.first() else { continue };
            let mut next = state.clone();
            for (slot, form) in &case.update {
                next.0[slot.index()] = point.value(form);
            }
            for (instance, location) in &outcome.locations {
                next.0[*instance] = Rational::from(i64::from(*location));
            }
            if !successors.contains(&next) {
                successors.push(next);
            }
        }
        let mut expected = expected.successors.clone();
        successors.sort();
        expected.sort();
        assert_eq!(successors, expected, "successors in {}: {outcome:?}", state.describe(model));
    }
}
