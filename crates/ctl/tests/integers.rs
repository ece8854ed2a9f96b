//! The procedure against the definition on random integer models: everything the class of models has, random policies,
//! random formulas with alternations.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::cell::Cell;

use common::{by_definition, random_atom, random_formula};
use surefoot_ctl::check::{Failure, Reference};
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::{Constraints, Ctl, Failing, Options, System, Verdict, check};
use surefoot_fixtures::seeds;
use surefoot_model::State;
use surefoot_model::property::{Question, Safety};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, all_states, for_seeds, load_text, policy::curved, random_policy};

const MOST_STATES: usize = 3_000;
const MOST_STARTS: usize = 40;

fn starts(system: &System<'_>, safety: &Safety) -> Option<Vec<State>> {
    let (model, interpreter) = (system.model(), system.interpreter());
    let mut found = safety.start.states.clone();
    for state in all_states(model, MOST_STATES)? {
        for condition in &safety.start.conditions {
            if interpreter.holds(*condition, &state).ok()? && !found.contains(&state) {
                found.push(state.clone());
            }
        }
    }
    Some(found)
}

fn compare(first: u64, cases: u64, unbounded: bool, smooth: bool) -> (u64, u64, u64) {
    let (holds, violated, errors) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    for_seeds(seeds(first, cases), &Size { states: 400, ..Size::default() }, |case: &Case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let property = random.below(PROPERTIES);
        let Ok(Question::Safety(safety)) = lowered.question(property) else { panic!("not a safety property") };
        let model = &lowered.model;
        let conditions: Vec<_> = safety.reach.into_iter().chain(safety.goal).collect();
        let policy = if random.percent(80) { random_policy(&mut random, model, &conditions) } else { None };
        let policy = match policy {
            Some(policy) if smooth => Some(curved(&mut random, policy)),
            policy => policy,
        };
        let terminal = safety.goal.filter(|_| random.percent(20));
        let Ok(system) = System::new(model, policy.as_ref(), &safety.start, terminal, None) else { return };
        let Some(starts) = starts(&system, &safety).filter(|starts| starts.len() <= MOST_STARTS) else { return };
        let slots: Vec<u32> = (0..model.slots.len() as u32).collect();
        let mut leaves: Vec<Ctl> = (0..3).map(|_| random_atom(&mut random, &slots)).collect();
        let reach = safety.reach.map(|reach| {
            let formula = surefoot_temporal::Ctl::State(reach);
            system.with_lowering(|l| surefoot_ctl::property::of_terms(l, &formula, None))
        });
        // Conditions over what the policy computes are for another test: the definition here reads slots only.
        if let Some(Ok(Ctl::State(reach))) = reach
            && reach.defined.is_truth()
            && !system.computes_values()
        {
            leaves.push(Ctl::State(reach));
        }
        for _ in 0..6 {
            let (depth, steps) = (1 + random.below(3), 1 + random.below(3) as u64);
            let formula = random_formula(&mut random, depth, steps, unbounded, &leaves);
            let result = check(&system, &formula, &Options { most_states: 5_000, ..Options::default() });
            let expected: Result<Option<Vec<bool>>, String> = if formula.is_bounded() {
                starts.iter().map(|start| by_definition(&system, &formula, start)).collect()
            } else {
                let unfolded = surefoot_ctl::Unfolded::new(&formula).unwrap();
                let reference = Reference::new(&system);
                starts.iter().map(|s| reference.by_iteration(&unfolded, unfolded.root(), s).map(Some)).collect()
            };
            let truths = match expected {
                Ok(Some(truths)) => truths,
                Ok(None) => continue,
                Err(_) => {
                    errors.set(errors.get() + 1);
                    continue;
                }
            };
            let verdict = match result {
                Err(Failure::NoStart) => {
                    assert!(starts.is_empty(), "there are start states");
                    continue;
                }
                Err(Failure::Trouble(trouble)) => match *trouble {
                    Trouble::Refused(_) => continue,
                    other => panic!("{other:?}"),
                },
                Ok(checked) => checked,
            };
            assert!(!starts.is_empty(), "an empty start set proves nothing");
            match verdict.verdict {
                Verdict::Holds(()) => {
                    assert!(truths.iter().all(|truth| *truth), "said to hold: {}", formula.describe(model));
                    holds.set(holds.get() + 1);
                }
                Verdict::Violated(Failing { start, .. }) => {
                    let at = starts.iter().position(|s| *s == start).expect("a start state");
                    assert!(!truths[at], "said to fail in {}: {}", start.describe(model), formula.describe(model));
                    violated.set(violated.get() + 1);
                }
                Verdict::Unknown(_) => panic!("without limits everything is decided"),
            }
        }
    });
    (holds.get(), violated.get(), errors.get())
}

#[test]
fn bounded_formulas_are_as_defined() {
    let (holds, violated, errors) = compare(61_000_000, 500, false, false);
    assert!(holds > 200 && violated > 400 && errors > 20, "{holds} hold, {violated} do not, {errors} errors");
}

#[test]
fn formulas_about_smooth_policies_are_as_defined() {
    let (holds, violated, _) = compare(63_000_000, 120, false, true);
    assert!(holds > 40 && violated > 80, "{holds} hold, {violated} do not");
}

#[test]
fn unbounded_formulas_are_as_defined() {
    let (holds, violated, _) = compare(62_000_000, 200, true, false);
    assert!(holds > 60 && violated > 120, "{holds} hold, {violated} do not");
}
