//! Operators and policies of random models, lowered, against the reference interpreter.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::operators::Comparison;
use common::{Point, states};
use surefoot_fixtures::seeds;
use surefoot_model::policy::Outputs;
use surefoot_model::{Interpreter, State, TermId};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy, safety};

/// Which network is asked, and whether one is.
fn compare_policy(lowered: &mut Comparison<'_>, states: &[State]) {
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
                assert_eq!(point.value(form), state.value(expected));
            }
        }
    }
}

fn compare(case: &Case, most: usize) -> (usize, usize) {
    let mut random = case.random();
    let mut lowered = load_text(&case.jani);
    let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
    let policy = random_policy(&mut random, &lowered.model, &conditions);
    let states = states(&mut random, &lowered.model, most);
    let (mut compared, mut errors) = (0, 0);
    for policy in [None, policy.as_ref()] {
        // Outputs of a network are real numbers without bounds: not everything is linear in them.
        let outputs = policy.is_some_and(|p| matches!(p.outputs, Outputs::Transients(_)));
        let mut comparison = match Comparison::new(&lowered.model, policy) {
            Ok(comparison) => comparison,
            Err(refusal) if outputs && refusal.refused.is_some() => continue,
            Err(refusal) => panic!("{refusal:?}"),
        };
        compare_policy(&mut comparison, &states);
        for state in &states {
            comparison.compare(state);
        }
        let refusals = comparison.refusals();
        assert!(outputs || refusals.is_empty(), "{refusals:?}");
        compared += comparison.compared;
        errors += comparison.errors;
    }
    (compared, errors)
}

#[test]
fn operators_of_random_models() {
    let size = Size { states: 200, ..Size::default() };
    let (compared, errors) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_seeds(seeds(2 << 20, 100), &size, |case| {
        let (more, bad) = compare(case, 200);
        compared.set(compared.get() + more);
        errors.set(errors.get() + bad);
    });
    // Nothing is compared in vain.
    assert!(compared.get() > 10_000 && errors.get() > 500, "{} operators, {} errors", compared.get(), errors.get());
}
