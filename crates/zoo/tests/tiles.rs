//! SlidingTiles: counts, invariants, failing and slipping moves, and the original models where they are at hand.

mod loaded;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use loaded::{Loaded, error, generate, successors};
use surefoot_explicit::Statistics;
use surefoot_explicit::start::for_each_start;
use surefoot_fixtures::shared_data;
use surefoot_model::property::Question;
use surefoot_model::{Interpreter, State};
use surefoot_num::Rational;
use surefoot_testkit::load;

/// States, choices and distinct successors per choice.
fn counts(found: &Statistics) -> (u64, u64, u64) {
    (found.states, found.choices, found.transitions)
}

fn explored(settings: &[&str], constants: &[&str]) -> Statistics {
    Loaded::new("tiles", settings, constants).explore("unsafe", None).statistics
}

/// The number of start states.
fn starts(loaded: &Loaded) -> usize {
    let mut states = BTreeSet::new();
    let added = for_each_start(&loaded.lowered.model, &loaded.safety("unsafe").start, |state| {
        states.insert(state.clone());
        ControlFlow::Continue(())
    });
    added.expect("start states");
    states.len()
}

#[test]
fn half_of_all_arrangements_are_reachable() {
    // Without costs; the number of moves is twice the number of pairs of neighbours, for each place of the others.
    for (rows, columns, states, choices) in [(2, 2, 12, 24), (2, 3, 360, 840), (3, 2, 360, 840), (2, 4, 20_160, 50_400)]
    {
        let size = [format!("rows={rows}"), format!("columns={columns}")];
        let found = explored(&[&size[0], &size[1], "bound=0", "start=one"], &[]);
        assert_eq!(counts(&found), (states, choices, choices), "{rows}x{columns}");
        assert_eq!((found.deadlocks, found.goal_states), (0, 1), "the goal can be reached");
    }
    let found = explored(&["bound=0", "start=one"], &[]);
    assert_eq!(counts(&found), (181_440, 483_840, 483_840));
    assert_eq!((found.reach_states, found.goal_states), (20_160, 1));
}

#[test]
fn with_wrapping_counts_are_those_of_the_original_models() {
    let settings = ["wrap=on", "start=one", "step_cost=on"];
    let terminal = |failing: &str, bound: &str| {
        explored(
            &settings,
            &[&format!("failing_probability={failing}"), &format!("item_cost_bound={bound}"), "cost_terminal=true"],
        )
    };
    // Where the published figures count a loop at each deadlock, these do not.
    assert_eq!(counts(&terminal("0", "1")), (181_440, 564_480, 564_480));
    for (failing, bound, states, choices) in [("0.5", "0", 1, 0), ("1", "1", 4, 4), ("1", "2", 11, 14)] {
        let found = terminal(failing, bound);
        assert_eq!((counts(&found), found.deadlocks), ((states, choices, choices), 1), "{failing} {bound}");
    }
}

#[test]
fn start_states_are_those_of_the_original_model() {
    let ours = Loaded::new("tiles", &["wrap=on", "step_cost=on"], &[]);
    // Three columns in order, 9! / (3! 3! 2!), without those of tile 3 on cell 7, 7! / (3! 3!).
    assert_eq!(starts(&ours), 5040 - 140);
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let file = data.join("plaja/npuzzle/compact_starts_non_terminal/models/offset_enc/npuzzle_3_3.jani");
    let constants = ["failing_probability=0.5", "item_cost_bound=1", "cost_terminal=false"];
    let constants = constants.map(|c| surefoot_model::lower::GivenConstant::parse(c).unwrap());
    let (mut lowered, _) = load(&file, None, &constants);
    let Ok(Question::Safety(theirs)) = lowered.question(0) else { panic!("a safety property") };
    // Same variables in the same order: the states can be compared as they are, in their moves too.
    let own_names: Vec<_> = ours.lowered.model.slots[1..].iter().map(|s| s.name.clone()).collect();
    assert_eq!(own_names, lowered.model.slots[1..].iter().map(|s| s.name.clone()).collect::<Vec<_>>());
    let (mine, other) = (Interpreter::new(&ours.lowered.model), Interpreter::new(&lowered.model));
    let own = ours.safety("unsafe");
    let mut count = 0;
    for_each_start(&lowered.model, &theirs.start, |state| {
        count += 1;
        assert!(mine.holds(own.start.conditions[0], state).unwrap());
        if count % 20 == 0 {
            let moves = |interpreter: &Interpreter<'_>| {
                let choices = interpreter.choices(state).unwrap();
                choices.into_iter().map(|c| (c.label, successors(c))).collect::<BTreeSet<_>>()
            };
            assert_eq!(moves(&mine), moves(&other));
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(count, 4900);
}

#[test]
fn costs_multiply_states() {
    // 12 arrangements, costs of three tiles.
    let found = explored(&["rows=2", "columns=2", "bound=1", "start=one"], &[]);
    assert_eq!((counts(&found), found.deadlocks), ((96, 192, 288), 0));
    let found = explored(&["rows=2", "columns=2", "bound=2", "start=one", "step_cost=on"], &[]);
    assert_eq!((counts(&found), found.deadlocks), ((756, 1512, 2448), 0));
    let found = explored(&["rows=2", "columns=2", "bound=1", "start=one", "cost_terminal=on"], &[]);
    assert_eq!((counts(&found), found.deadlocks), ((96, 96, 192), 24));
}

#[test]
fn tiles_stay_a_permutation() {
    for settings in [
        &["rows=2", "columns=2", "start=one"][..],
        &["rows=2", "columns=3", "bound=0", "start=one", "slip=30", "unsafe=3@4,1@5,2@0"],
        &["rows=2", "columns=3", "bound=0", "start=one", "wrap=on", "slip=30"],
    ] {
        let loaded = Loaded::new("tiles", settings, &[]);
        let cells = if settings[1] == "columns=2" { 4 } else { 6 };
        let states = loaded.reachable(loaded.initial());
        assert!(states.len() > 90);
        for state in states {
            let mut found: Vec<i64> = (1..cells).map(|i| loaded.int(&state, &format!("tile_{i}"))).collect();
            found.push(loaded.int(&state, "empty"));
            found.sort_unstable();
            assert_eq!(found, (0..cells).collect::<Vec<_>>());
        }
    }
}

/// A state of the 3x3 puzzle without costs: the cells of the empty cell and of the tiles.
fn arranged(cells: [i64; 9]) -> State {
    let mut values = vec![0];
    values.extend(cells);
    State::from_ints(&values)
}

#[test]
fn tiles_that_hang_may_slip() {
    let loaded = Loaded::new("tiles", &["bound=0", "slip=25"], &[]);
    // 1 2 8      Cell 7 is empty, and tile 3 beside it: each other tile that moves there may be overtaken.
    // 4 5 6
    // 3 _ 7
    let hanging = arranged([7, 0, 1, 6, 3, 4, 5, 8, 2]);
    let moves = loaded.by_label(&hanging);
    assert_eq!(moves.keys().collect::<Vec<_>>(), ["move_left", "move_right", "move_up"]);
    let outcomes = |label: &str| {
        let [choice] = &moves[label][..] else { panic!("one choice") };
        let outcome = |o: &surefoot_model::Outcome| (o.probability.to_string(), o.successors[0].clone());
        choice.outcomes.iter().map(outcome).collect::<Vec<_>>()
    };
    let slipped = arranged([6, 0, 1, 7, 3, 4, 5, 8, 2]);
    assert_eq!(outcomes("move_left"), [("1".to_owned(), slipped.clone())]);
    let right = arranged([8, 0, 1, 6, 3, 4, 5, 7, 2]);
    assert_eq!(outcomes("move_right"), [("3/4".to_owned(), right), ("1/4".to_owned(), slipped.clone())]);
    let up = arranged([4, 0, 1, 6, 3, 7, 5, 8, 2]);
    assert_eq!(outcomes("move_up"), [("3/4".to_owned(), up), ("1/4".to_owned(), slipped)]);
    // Elsewhere nothing slips.
    let calm = loaded.by_label(&arranged([0, 1, 2, 3, 4, 5, 6, 7, 8]));
    assert!(calm.values().flatten().all(|choice| choice.outcomes.len() == 1));
}

#[test]
fn failing_and_slipping_are_independent() {
    let loaded = Loaded::new("tiles", &["rows=2", "columns=2", "bound=1", "failing=20", "slip=10", "unsafe=3@0"], &[]);
    // Cell 0 is empty, tile 1 on cell 1 moves, tile 3 on cell 2 hangs.
    let state = State::from_ints(&[0, 0, 1, 3, 2, 0, 0, 0]);
    let [choice] = &loaded.by_label(&state)["move_right"][..] else { panic!("one choice") };
    let probabilities: Vec<String> = choice.outcomes.iter().map(|o| o.probability.to_string()).collect();
    assert_eq!(probabilities, ["18/25", "9/50", "1/10"]);
    let total: Rational = choice.outcomes.iter().map(|o| o.probability.clone()).sum();
    assert_eq!(total, Rational::ONE);
}

#[test]
fn all_sizes_generate_and_read_without_warnings() {
    for settings in [
        &[][..],
        &["rows=2", "columns=2"],
        &["rows=2", "columns=3", "slip=10"],
        &["rows=4", "columns=4", "bound=3", "step_cost=on"],
        &["rows=5", "columns=5", "wrap=on"],
        &["start=all", "unsafe=1@8,2@7,3@6", "slip=5"],
    ] {
        let loaded = Loaded::new("tiles", settings, &[]);
        assert!(loaded.safety("unsafe").goal.is_some());
        assert!(loaded.policy.is_none());
    }
    assert_eq!(starts(&Loaded::new("tiles", &["rows=2", "columns=2", "start=all", "bound=0"], &[])), 24 - 6 - 1);
}

#[test]
fn random_policies_see_costs_or_not() {
    for (costs, inputs) in [("costs=ignoring", 4), ("costs=aware", 7)] {
        let settings = ["rows=2", "columns=2", "policy=random", "hidden=8,8", "filter=on", costs];
        let loaded = Loaded::new("tiles", &settings, &[]);
        let policy = loaded.policy.as_ref().expect("a policy was asked for");
        assert_eq!((policy.networks[0].inputs.len(), policy.filter), (inputs, true));
        let found = loaded.explore("unsafe", Some(policy)).statistics;
        assert!(found.states < 192 && found.choices == found.states, "one move per state");
    }
    assert!(generate("tiles", &["policy=random"]).properties.contains("policy.policy.json"));
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    assert!(error("tiles", &["rows=1"]).contains("expected 2..12"));
    assert!(error("tiles", &["rows=5", "columns=6"]).contains("30 cells; at most 25"));
    assert!(error("tiles", &["unsafe=9@1"]).contains("'9@1' is no tile from 1 to 8"));
    assert!(error("tiles", &["bound=0", "step_cost=on"]).contains("with bound=0 there are none"));
    assert!(error("tiles", &["policy=random", "hidden=x"]).contains("hidden=x"));
    let unsafe_start = error("tiles", &["unsafe=3@7,4@4", "start=one"]);
    assert!(unsafe_start.contains("tile 4 is on cell 4 at the start"), "{unsafe_start}");
    generate("tiles", &["unsafe=4@4"]);
    assert!(error("tiles", &["tile=3"]).contains("unsafe=TILE@CELL,..., "));
    assert!(error("tiles", &["start=some"]).contains("order | all | one"));
}
