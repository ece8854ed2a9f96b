//! The procedure on random systems over reals and integers: every piece of its cover against the definition at points of the
//! piece, and every start state that is tried must be in a piece that says the right thing about it.
//!
//! Numbers are small and dyadic, so that borders (of guards, of cases, of ties between scores) run through points that are tried.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::systems::model;
use common::{by_definition, random_atom, random_formula};
use surefoot_ctl::check::{Failure, Reference};
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::{Checked, Constraints, Ctl, Failing, Options, System, Verdict, check};
use surefoot_fixtures::{Random, seeds};
use surefoot_model::State;
use surefoot_model::property::{Question, StartSet};
use surefoot_num::Rational;
use surefoot_testkit::policy::curved;
use surefoot_testkit::{load_text, random_policy};
use surefoot_verdict::Reason;

/// The start states of a grid of halves, and what the definition says about them. Nothing if the model is in error.
fn grid(system: &System<'_>, formula: &Ctl) -> Option<Vec<(State, bool)>> {
    let reference = Reference::new(system);
    let mut found = Vec::new();
    for (x, y, n) in (-6..=10).flat_map(|x| (-6..=10).flat_map(move |y| (0..=1).map(move |n| (x, y, n)))) {
        let half = |a: i64| Rational::new(a, 2).unwrap();
        let state = State([Rational::ZERO, half(x), half(y), Rational::from(n)].into());
        if reference.is_start(&state).unwrap() {
            let truth = by_definition(system, formula, &state).ok()??;
            found.push((state, truth));
        }
    }
    Some(found)
}

/// Whether the cover says the right thing about a start state; a state is in at most one piece of a root.
fn covered(checked: &Checked, state: &State) -> Option<bool> {
    let mut said = None;
    for piece in &checked.cover {
        let root = &checked.roots[piece.root];
        let point: Vec<Rational> = root.slots.iter().map(|slot| state.0[slot.index()].clone()).collect();
        if root.image.at(&point) == *state && piece.piece.contains(&point) {
            assert!(said.is_none(), "two pieces have the state");
            said = Some(piece.holds.expect("a start state"));
        }
    }
    said
}

/// What was decided; nothing where nothing was.
fn compare(seed: u64, smooth: bool) -> Option<bool> {
    let random = &mut Random::new(seed);
    let text = model(random);
    let mut lowered = load_text(&text);
    let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("not a safety property") };
    let start: StartSet = safety.start;
    let policy = if random.percent(90) { random_policy(random, &lowered.model, &[]) } else { None };
    let policy = match policy {
        Some(policy) if smooth => Some(curved(random, policy)),
        policy => policy,
    };
    let system = System::new(&lowered.model, policy.as_ref(), &start, None, None).ok()?;
    let leaves: Vec<Ctl> = (0..3).map(|_| random_atom(random, &[0, 1, 1, 2, 2, 3])).collect();
    let (depth, steps) = (1 + random.below(3), 1 + random.below(3) as u64);
    let formula = random_formula(random, depth, steps, false, &leaves);
    let context = || format!("seed {seed}: {}\n{text}", formula.describe(&lowered.model));
    let expected = grid(&system, &formula)?;
    let checked = match check(&system, &formula, &Options::default()) {
        Ok(checked) => checked,
        Err(Failure::NoStart) => {
            assert!(expected.is_empty(), "{}", context());
            return None;
        }
        // A piece may have errors that no point of the grid has.
        Err(Failure::Trouble(trouble)) => match *trouble {
            Trouble::Model(_) | Trouble::Refused(_) => return None,
            other => panic!("{other:?}: {}", context()),
        },
    };
    // Every piece at its own point, and between its point and others of the grid.
    for piece in checked.cover.iter().filter(|piece| piece.holds.is_some()).take(40) {
        let state = checked.roots[piece.root].image.at(piece.piece.point());
        match by_definition(&system, &formula, &state) {
            Ok(Some(truth)) => {
                assert_eq!(piece.holds, Some(truth), "at {}, {}", state.describe(&lowered.model), context());
            }
            Ok(None) => {}
            Err(error) => assert!(!error.is_empty()),
        }
    }
    let holds = match &checked.verdict {
        Verdict::Holds(()) => true,
        Verdict::Violated(Failing { start, .. }) => {
            assert_ne!(by_definition(&system, &formula, start), Ok(Some(true)), "{}", context());
            false
        }
        // The border of a smooth choice is no hyperplane.
        Verdict::Unknown(Reason::LeftOpen { .. }) if smooth => return None,
        other => panic!("{other:?}: {}", context()),
    };
    for (state, truth) in &expected {
        let said = covered(&checked, state);
        assert!(said.is_some() || !holds, "{} is not covered, {}", state.describe(&lowered.model), context());
        if let Some(said) = said {
            assert_eq!(said, *truth, "at {}, {}", state.describe(&lowered.model), context());
        }
    }
    Some(holds)
}

#[test]
fn pieces_say_what_the_definition_says() {
    let (mut holds, mut violated) = (0, 0);
    for seed in seeds(71_000_000, 1500) {
        match compare(seed, false) {
            Some(true) => holds += 1,
            Some(false) => violated += 1,
            None => {}
        }
    }
    assert!(holds > 150 && violated > 300, "{holds} hold, {violated} do not");
}

#[test]
fn pieces_say_what_the_definition_says_of_smooth_policies() {
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for seed in seeds(72_000_000, 200) {
        match compare(seed, true) {
            Some(true) => holds += 1,
            Some(false) => violated += 1,
            None => open += 1,
        }
    }
    assert!(holds > 20 && violated > 40, "{holds} hold, {violated} do not, {open} are open or in error");
}
