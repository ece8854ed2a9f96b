//! Terms and properties of random models, lowered, against the reference interpreter.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::{Point, interpreter_of, states};
use surefoot_fixtures::seeds;
use surefoot_model::policy::Policy;
use surefoot_model::property::Safety;
use surefoot_model::{Model, ScalarType, State, TermId};
use surefoot_symbolic::{Condition, Lowering};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Size, for_seeds, load_text, random_policy, safety};

/// A condition says exactly what the interpreter does.
fn compare_condition(condition: &Condition, truth: Option<bool>, point: &Point, what: &str) {
    assert_eq!(point.holds(&condition.defined), truth.is_some(), "whether {what} has a value");
    assert_eq!(point.holds(&condition.holds), truth == Some(true), "whether {what} holds");
}

/// Every term of the model, in every state.
fn compare_terms(model: &Model, policy: Option<&Policy>, states: &[State]) {
    let interpreter = interpreter_of(model, policy);
    let mut lowering = Lowering::new(model, policy).unwrap();
    let points: Vec<Point> = states.iter().map(|state| Point::new(model, policy, state)).collect();
    for id in (0..model.terms.len() as u32).map(TermId) {
        let (cases, defined) = match lowering.cases(id, None, "a term") {
            Ok(lowered) => lowered,
            // Outputs of a network are real numbers without bounds: not everything is linear in them.
            Err(refusal) if policy.is_some() && refusal.refused.is_some() => continue,
            Err(other) => panic!("{other:?}"),
        };
        let boolean = model.terms.ty(id) == ScalarType::Bool;
        let condition = boolean.then(|| lowering.condition(id, None, "a term").unwrap());
        for (state, point) in states.iter().zip(&points) {
            let what = format!("{:?} in {}", model.terms.get(id), state.describe(model));
            let value = interpreter.eval(id, state).ok();
            assert_eq!(point.holds(&defined), value.is_some(), "whether {what} has a value");
            let holding: Vec<_> = cases.iter().filter(|case| point.holds(&case.condition)).collect();
            match (&holding[..], &value) {
                ([case], Some(value)) => assert_eq!(point.value(&case.value), *value, "{what}"),
                ([] | [_], None) => {}
                _ => panic!("{} cases of {what} hold: {cases:?}", holding.len()),
            }
            if let Some(condition) = &condition {
                compare_condition(condition, value.map(|v| !v.is_zero()), point, &what);
            }
        }
    }
}

#[test]
fn terms_of_random_models() {
    let size = Size { states: 200, ..Size::default() };
    for_seeds(seeds(0, 60), &size, |case| {
        let mut random = case.random();
        let lowered = load_text(&case.jani);
        let policy = random_policy(&mut random, &lowered.model, &[]);
        let states = states(&mut random, &lowered.model, 200);
        compare_terms(&lowered.model, None, &states);
        compare_terms(&lowered.model, policy.as_ref(), &states);
    });
}

#[test]
fn properties_of_random_models() {
    let size = Size { states: 1000, ..Size::default() };
    for_seeds(seeds(1 << 20, 60), &size, |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let mut properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let model = &lowered.model;
        let states = states(&mut random, model, 1000);
        properties[0].start.states.extend(states.iter().step_by(7).cloned());
        properties[0].predicates = Some(properties.iter().filter_map(|p| p.reach).collect());
        let (mut lowering, interpreter) = (Lowering::new(model, None).unwrap(), interpreter_of(model, None));
        for property in &properties {
            let symbolic = lowering.safety(property, None).unwrap();
            let list = |terms: &Option<Vec<TermId>>| terms.clone().unwrap_or_default();
            let pairs = (property.reach.into_iter().zip(symbolic.reach))
                .chain(property.goal.into_iter().zip(symbolic.goal))
                .chain(list(&property.predicates).into_iter().zip(symbolic.predicates.unwrap_or_default()));
            let pairs: Vec<(TermId, Condition)> = pairs.collect();
            for state in &states {
                let point = Point::new(model, None, state);
                for (term, condition) in &pairs {
                    compare_condition(condition, interpreter.holds(*term, state).ok(), &point, "a condition");
                }
                let conditions: Vec<_> =
                    property.start.conditions.iter().map(|c| interpreter.holds(*c, state)).collect();
                assert_eq!(point.holds(&symbolic.start.defined), conditions.iter().all(Result::is_ok));
                let start = conditions.contains(&Ok(true)) || property.start.states.contains(state);
                assert_eq!(point.holds(&symbolic.start.holds), start, "start in {}", state.describe(model));
            }
        }
    });
}
