//! Operators of random models, lowered, against the reference interpreter: what is enabled, where errors are, and every
//! successor.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::{Point, interpreter_of, safety, states};
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_model::model::Operator;
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{Choice, Interpreter, LabelId, Model, State, TermId};
use surefoot_num::Rational;
use surefoot_symbolic::{Lowering, Probability, Space, SymbolicOperator, SymbolicOutcome};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy, seeds};

/// A model lowered as a whole.
struct Lowered<'m> {
    model: &'m Model,
    policy: Option<&'m Policy>,
    lowering: Lowering<'m>,
    operators: Vec<SymbolicOperator>,
}

impl<'m> Lowered<'m> {
    /// `None` where something is refused, which only outputs of networks may be.
    fn new(model: &'m Model, policy: Option<&'m Policy>) -> Option<Self> {
        let mut lowering = Lowering::new(model, policy).unwrap();
        let mut lower = || -> Result<Vec<SymbolicOperator>, Diagnostic> {
            let mut operators = Vec::new();
            for vector in 0..model.vectors.len() as u32 {
                for operator in lowering.operators(vector, 10_000)? {
                    operators.push(lowering.operator(&operator)?);
                }
            }
            Ok(operators)
        };
        let operators = match lower() {
            Ok(operators) => operators,
            Err(refusal) => {
                let outputs = policy.is_some_and(|p| matches!(p.outputs, Outputs::Transients(_)));
                assert!(outputs && refusal.unsupported, "{refusal:?}");
                return None;
            }
        };
        Some(Self { model, policy, lowering, operators })
    }

    fn compare(&mut self, state: &State) {
        let interpreter = interpreter_of(self.model, self.policy);
        let point = Point::new(self.model, self.policy, state);
        let vectors = 0..self.model.vectors.len() as u32;
        let defined = vectors.map(|v| self.lowering.guards_defined(v).unwrap()).all(|f| point.holds(&f));
        let enabled = interpreter.enabled_operators(state);
        assert_eq!(defined, enabled.is_ok(), "whether all guards have values: {enabled:?}");
        let Ok(enabled) = enabled else { return };
        self.compare_labels(state, &point, &enabled);
        let is_enabled =
            |o: &&SymbolicOperator| point.holds(&o.at_sources(&self.lowering)) && point.holds(&o.guard.holds);
        let symbolic: Vec<&SymbolicOperator> = self.operators.iter().filter(is_enabled).collect();
        assert_eq!(symbolic.iter().map(|o| o.operator.clone()).collect::<Vec<_>>(), enabled);
        for operator in symbolic {
            assert!(point.holds(&operator.guard.defined));
            let space = self.lowering.space();
            match interpreter.choice(state, operator.operator.clone()) {
                Ok(choice) => compare_choice(self.model, &interpreter, space, operator, &point, state, &choice),
                Err(error) => {
                    let fails = |o: &SymbolicOutcome| {
                        point.holds(&o.possible)
                            && assignments(o).any(|v| !with(&point, &v).holds(&o.error_free(space)))
                    };
                    let found = !point.holds(&operator.distribution) || operator.outcomes.iter().any(fails);
                    assert!(found, "missed {}: {operator:?}", error.describe(self.model));
                }
            }
        }
    }

    fn compare_labels(&mut self, state: &State, point: &Point, enabled: &[Operator]) {
        let locations: Vec<u32> =
            state.0[..self.model.instances.len()].iter().map(|l| l.to_i64().unwrap() as u32).collect();
        for label in (0..self.model.labels.len() as u32).map(LabelId) {
            let vector = |o: &Operator| self.model.vectors[o.vector as usize].label;
            let applicable = enabled.iter().any(|o| vector(o) == Some(label));
            let anywhere = self.lowering.applicable(label, None).unwrap();
            assert_eq!(point.holds(&anywhere), applicable, "whether {label:?} is applicable");
            let here = self.lowering.applicable(label, Some(&locations)).unwrap();
            assert_eq!(point.holds(&here), applicable, "whether {label:?} is applicable at {locations:?}");
            here.for_each_atom(&mut |atom| {
                let reads = |(symbol, _): &(u32, Rational)| (*symbol as usize) < locations.len();
                assert!(!atom.form.terms().iter().any(reads), "locations are decided: {atom:?}");
            });
        }
    }
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
            assert!(point.holds(&outcome.error_free(space)), "no error with {values:?}: {outcome:?}");
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

/// Which network is asked, and whether one is.
fn compare_policy(lowered: &mut Lowered<'_>, states: &[State]) {
    let Some(policy) = lowered.policy else { return };
    let symbolic = lowered.lowering.policy().unwrap().unwrap();
    let plain = Interpreter::new(lowered.model);
    for state in states {
        let point = Point::new(lowered.model, lowered.policy, state);
        let asked: Vec<usize> =
            (0..symbolic.networks.len()).filter(|n| point.holds(&symbolic.networks[*n].asked)).collect();
        let expected: Vec<usize> = policy.network_at(&plain, state).ok().into_iter().collect();
        assert_eq!(asked, expected, "networks asked in {}", state.describe(lowered.model));
        assert_eq!(point.holds(&symbolic.covered), !expected.is_empty());
        for n in asked {
            let forms = symbolic.networks[n].inputs.iter().zip(&policy.networks[n].inputs);
            for (form, expected) in forms {
                assert_eq!(point.value(form), expected.eval(|slot| state.get(slot).clone()));
            }
        }
    }
}

fn compare(case: &Case, most: usize) {
    let mut random = case.random();
    let mut lowered = load_text(&case.jani);
    let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
    let policy = random_policy(&mut random, &lowered.model, &conditions);
    let states = states(&mut random, &lowered.model, most);
    for policy in [None, policy.as_ref()] {
        let Some(mut lowered) = Lowered::new(&lowered.model, policy) else { continue };
        compare_policy(&mut lowered, &states);
        for state in &states {
            lowered.compare(state);
        }
    }
}

#[test]
fn operators_of_random_models() {
    let size = Size { states: 300, ..Size::default() };
    for_seeds(seeds(2 << 20, 100), &size, |case| compare(case, 60));
}
