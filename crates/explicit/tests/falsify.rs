//! Directed runs on random models: real where they are found, and found where they are short; start states one by one.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::cell::Cell;
use std::ops::ControlFlow;

use common::{Event, Levels, task, truth};
use surefoot_explicit::start::sample::Wanted;
use surefoot_explicit::start::{StartSearch, for_each_start, is_start};
use surefoot_explicit::{FalsifyOptions, Task, falsify};
use surefoot_fixtures::seeds;
use surefoot_model::{SlotId, State, TermId};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy, safety};

/// A shorter run is to be found.
const SHORT: usize = 3;
const OPTIONS: FalsifyOptions = FalsifyOptions { runs: 300, steps: 12, seed: 1 };

/// Whether states are a run of the reference interpreter from a start state to one of `reach`.
fn is_run(task: &Task<'_>, states: &[State]) -> bool {
    let truth = truth(task);
    is_start(&truth.interpreter, task.start, &states[0]).unwrap()
        && truth.are_steps(states)
        && truth.step(states.last().unwrap()).reached
}

#[test]
fn runs_are_real_and_short_ones_are_found() {
    let (short, found) = (Cell::new(0u32), Cell::new(0u32));
    for_seeds(seeds(35_000_000, 120), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<_> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(70) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        let property = &properties[random.below(PROPERTIES)];
        let mut task = task(&lowered.model, policy.as_ref(), &property.start, property.reach);
        (task.goal, task.goal_terminal) = (property.goal, property.goal.is_some() && random.percent(30));
        let mut starts = Vec::new();
        let listed = for_each_start(task.model, task.start, |state| {
            starts.push(state.clone());
            if starts.len() < 3_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if listed.is_err() || starts.is_empty() || starts.len() == 3_000 {
            return;
        }
        let result = falsify(&task, &OPTIONS, None).unwrap();
        assert_eq!(falsify(&task, &OPTIONS, None).unwrap(), result, "not the same again");
        let directed = falsify(&task, &OPTIONS, Some(&|values| values[0].unsigned_abs() as u32)).unwrap();
        for states in [&result.run, &directed.run].into_iter().flatten() {
            assert!(is_run(&task, states), "{states:?}");
        }
        let levels = Levels::of(&task, starts, 3_000);
        let reached = levels.events.iter().any(|event| matches!(event, Event::Reached(_)));
        if reached && levels.levels.len() <= SHORT + 1 {
            short.set(short.get() + 1);
            found.set(found.get() + u32::from(result.run.is_some()));
        }
    });
    let (short, found) = (short.get(), found.get());
    assert!(short > 15 && found * 10 >= short * 9, "{found} of {short} short runs");
}

#[test]
fn single_start_states_are_start_states_and_extreme_where_asked() {
    for_seeds(seeds(36_000_000, 200), &Size::default(), |case: &Case| {
        let mut lowered = load_text(&case.jani);
        let property = safety(&mut lowered, 0);
        let model = &lowered.model;
        let mut random = surefoot_num::Random::new(case.seed);
        for condition in &property.start.conditions {
            let Ok(search) = StartSearch::new(model, *condition) else { continue };
            let mut all: Vec<Vec<i64>> = Vec::new();
            let listed = search.for_each(|values| {
                all.push(values.to_vec());
                if all.len() < 3_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if listed.is_err() || all.len() == 3_000 {
                continue;
            }
            let any = search.one(Wanted::Any, usize::MAX, &mut random).unwrap();
            assert_eq!(any.is_none(), all.is_empty());
            assert!(any.is_none_or(|state| all.contains(&state)));
            for slot in 0..model.slots.len() {
                let values = || all.iter().map(|state| state[slot]);
                let id = SlotId::at(slot);
                let mut one = |wanted| search.one(wanted, usize::MAX, &mut random).unwrap().map(|state| state[slot]);
                assert_eq!(one(Wanted::Smallest(id)), values().min(), "smallest {slot}");
                assert_eq!(one(Wanted::Largest(id)), values().max(), "largest {slot}");
            }
        }
    });
}
