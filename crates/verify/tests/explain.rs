//! Explanations of random policies' choices, against all states.

mod common;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{budget, problem};
use surefoot_fixtures::seeds;
use surefoot_model::interpret::EvalErrorKind;
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{LabelId, SlotId, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::policy::curved;
use surefoot_testkit::{Size, all_states, for_seeds, load_text, random_policy, safety};
use surefoot_verify::explain::{Explanation, explain};
use surefoot_verify::{Failure, Problem};

/// What is chosen; `None` where the model is in error.
fn chosen(problem: &Problem, policy: &Policy, state: &State) -> Option<Vec<LabelId>> {
    let interpreter = problem.interpreter();
    let applicable = interpreter.applicable_labels(state).ok()?;
    policy.permitted(&interpreter, state, &applicable).ok().map(|permitted| permitted.labels)
}

fn distance(a: &State, b: &State) -> Rational {
    a.0.iter().zip(&b.0).map(|(a, b)| (a - b).abs()).fold(Rational::ZERO, Rational::max)
}

/// All states with the same locations in which a network is asked, each with whether the label is still chosen; `None` where some have no answer.
fn around(problem: &Problem, policy: &Policy, state: &State, label: LabelId) -> Option<Vec<(State, bool)>> {
    let instances = problem.model().instances.len();
    let all = all_states(problem.model(), 2000)?;
    let interpreter = problem.interpreter();
    let asked = |other: &State| match policy.network_at(&interpreter, other) {
        Err(error) => error.kind != EvalErrorKind::NoNetwork,
        Ok(_) => true,
    };
    let near = all.into_iter().filter(|other| other.0[..instances] == state.0[..instances] && asked(other));
    near.map(|other| chosen(problem, policy, &other).map(|labels| (other, labels.contains(&label)))).collect()
}

fn check(problem: &Problem, policy: &Policy, explanation: &Explanation, all: &[(State, bool)]) {
    let (state, label) = (&explanation.state, explanation.chosen.labels[0]);
    let differs = |other: &State, slots: &[SlotId]| {
        (0..other.0.len()).all(|slot| other.0[slot] == state.0[slot] || slots.contains(&SlotId::at(slot)))
    };
    let turned = || all.iter().filter(|(_, stays)| !stays).map(|(other, _)| other);
    // One variable at a time.
    for slot in (problem.model().instances.len()..state.0.len()).map(SlotId::at) {
        let values = || turned().filter(|other| differs(other, &[slot])).map(|other| other.get(slot));
        let below = values().filter(|value| *value < state.get(slot)).max();
        let above = values().filter(|value| *value > state.get(slot)).min();
        let found = explanation.alone.iter().find(|alone| alone.slot == slot);
        assert_eq!(found.and_then(|f| f.below.as_ref()).map(|turn| &turn.value), below, "below, {slot:?}");
        assert_eq!(found.and_then(|f| f.above.as_ref()).map(|turn| &turn.value), above, "above, {slot:?}");
    }
    let nearest = turned().map(|other| distance(other, state)).min();
    assert_eq!(explanation.nearest.as_ref().map(|nearest| nearest.distance.clone()), nearest);
    let Some(nearest) = &explanation.nearest else { return };
    assert_eq!(distance(&nearest.state, state), nearest.distance);
    assert!(differs(&nearest.state, &nearest.changed), "what changed is named");
    assert_eq!(Some(&nearest.labels), chosen(problem, policy, &nearest.state).as_ref());
    assert!(!nearest.labels.contains(&label));
    for slot in &nearest.changed {
        let rest: Vec<SlotId> = nearest.changed.iter().copied().filter(|other| other != slot).collect();
        let without = turned().find(|other| differs(other, &rest) && distance(other, state) <= nearest.distance);
        assert_eq!(without, None, "{slot:?} need not change");
    }
}

/// Explains choices of random policies; how many were explained, how many have another choice near by, and how many are of several networks.
fn explained(seeds: Range<u64>, smooth: bool) -> [usize; 3] {
    let counts: [AtomicUsize; 3] = std::array::from_fn(|_| AtomicUsize::new(0));
    for_seeds(seeds, &Size { states: 300, ..Size::default() }, |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
        let Some(policy) = random_policy(&mut random, &lowered.model, &conditions) else { return };
        let policy = if smooth { curved(&mut random, policy) } else { policy };
        let problem = problem(lowered, Some(policy.clone()), 0);
        let states = all_states(problem.model(), 2000).unwrap_or_default();
        for _ in 0..3 {
            let state = random.pick(&states).clone();
            let result = explain(&problem, &state, &budget(1));
            if matches!(policy.outputs, Outputs::Transients(_)) {
                assert!(matches!(result, Err(Failure::Input(_))), "{result:?}");
                continue;
            }
            // Errors of the model on the way are told; what cannot be lowered is refused.
            let Ok(explanation) = result else { continue };
            let Some(all) = around(&problem, &policy, &state, explanation.chosen.labels[0]) else { continue };
            let found = [true, explanation.nearest.is_some(), policy.networks.len() > 1];
            for (count, is) in counts.iter().zip(found) {
                count.fetch_add(usize::from(is), Ordering::Relaxed);
            }
            let asked = policy.network_at(&problem.interpreter(), &state);
            assert_eq!(Ok(explanation.chosen.network), asked, "the network that decides");
            check(&problem, &policy, &explanation, &all);
        }
    });
    counts.map(AtomicUsize::into_inner)
}

#[test]
fn explanations_are_as_brute_force_says() {
    let [seen, turned, several] = explained(seeds(41 << 20, 250), false);
    assert!(seen > 100 && turned > 50 && several > 20, "{seen}, {turned} with another choice, {several} of several");
}

/// Smooth functions and single precision: integers end at points, so that nothing is left open.
#[test]
fn explanations_of_smooth_networks_are_as_brute_force_says() {
    let [seen, turned, several] = explained(seeds(42 << 20, 150), true);
    assert!(seen > 60 && turned > 30 && several > 10, "{seen}, {turned} with another choice, {several} of several");
}
