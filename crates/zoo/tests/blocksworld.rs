//! Blocksworld: rules, counts and the originals.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod towers;
mod worlds;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use surefoot_explicit::simulate::{RunEnd, SimulateOptions, simulate};
use surefoot_explicit::{Task, explore};
use surefoot_fixtures::shared_data;
use surefoot_model::State;
use surefoot_model::property::Question;
use surefoot_testkit::blocksworld::dropping_blocksworld;
use surefoot_testkit::data::constants_of;
use surefoot_testkit::{load, load_text};
use surefoot_verdict::Silent;
use towers::{How, Towers};
use worlds::{World, refusal};

fn world(words: &str) -> World {
    World::new("blocksworld", words)
}

/// A plain simulator agrees on every state; doing so, it checks that positions, flags and counter belong together.
#[test]
fn towers_of_blocks_move_as_the_model_says() {
    const CHOICE: &[[&str; 3]] = &[["1", "0", "0"], ["0", "1", "0"]];
    let cases = [
        ("", How { low: CHOICE, high: CHOICE }),
        ("failure=never", How { low: &[["1", "0", "0"]], high: &[["1", "0", "0"]] }),
        ("failure=chance", How { low: &[["1/2", "1/2", "0"]], high: &[["1/2", "1/2", "0"]] }),
        ("drop=on", How { low: &[["4/5", "1/5", "0"]], high: &[["7/10", "1/5", "1/10"]] }),
        ("drop=on failure=choice", How { low: CHOICE, high: &[["9/10", "0", "1/10"], ["0", "1", "0"]] }),
        ("drop=on failure=never", How { low: &[["1", "0", "0"]], high: &[["9/10", "0", "1/10"]] }),
    ];
    for (words, how) in cases {
        for (n, bound, start) in [(2, 2, "order"), (3, 2, "free"), (4, 1, "one")] {
            let world = world(&format!("blocks={n} bound={bound} start={start} {words}"));
            for state in world.states() {
                let towers = Towers::of(&world.named(&state), n);
                assert_eq!(state.to_ints().unwrap()[1..], towers.values(), "{words}");
                assert_eq!(
                    world.moves(&state),
                    towers.moves(bound, &how),
                    "{words}: {}",
                    state.describe(world.model())
                );
                assert_eq!(world.is_unsafe(&state), towers.towers.len() == n);
            }
        }
    }
}

#[test]
fn sizes_have_known_counts() {
    let expected = [
        ("", [14, 32_000, 104_448, 104_448, 5_489, 256]),
        ("blocks=2", [1, 80, 192, 192, 17, 16]),
        ("blocks=3 bound=2 start=free", [108, 594, 1_512, 1_512, 154, 27]),
        ("blocks=5 bound=1", [51, 27_712, 66_880, 66_880, 10_201, 32]),
        ("blocks=6 failure=never start=one", [1, 7_057, 18_552, 18_552, 0, 1]),
        ("blocks=4 bound=1 drop=on limit=2", [8, 2_000, 2_176, 5_696, 777, 272]),
        ("blocks=3 bound=2 growth=any", [4, 594, 2_268, 3_402, 0, 27]),
        ("blocks=4 bound=1 drop=on failure=choice", [14, 2_000, 4_352, 5_696, 777, 16]),
    ];
    assert_eq!(expected.map(|(words, _)| (words, world(words).counts())), expected);
}

/// As in the originals, costs that are at the bound from the beginning leave nothing to do.
#[test]
fn without_room_for_costs_nothing_moves() {
    for words in ["blocks=2 bound=0", "blocks=2 bound=0 failure=never"] {
        let s = world(words).explored();
        assert_eq!((s.states, s.deadlocks), (1, 1), "{words}");
    }
    assert!(world("blocks=2 bound=0 growth=any").explored().states > 1);
}

#[test]
fn start_sets_range_from_one_state_to_more_than_can_be_counted() {
    // Partitions of the blocks into towers, without the one that is all on the table.
    for (words, expected) in [
        ("start=one", 1),
        ("blocks=4", 14),
        ("blocks=6", 202),
        ("blocks=8", 4_139),
        ("blocks=6 start_table=4", 187),
        ("blocks=4 limit=1", 1),
        ("blocks=4 start=free", 14 * 256),
        ("blocks=12 bound=50 start=free", 10_000),
    ] {
        assert_eq!(world(words).starts(10_000), expected, "{words}");
    }
}

/// The originals were counted by another tool, which gives deadlocks a loop.
#[test]
fn state_spaces_are_those_of_the_originals() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let text = std::fs::read_to_string(data.join("plaja/statespace.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["file"].as_str().unwrap().ends_with("blocksworld_4_3.jani")) {
        let bound = row["constants"]["item_cost_bound"].as_i64().unwrap();
        let failure = match row["constants"]["failing_probability"].as_f64().unwrap() {
            0.5 if bound <= 3 => "chance",
            0.0 => "never",
            _ => continue,
        };
        let s = world(&format!("bound={bound} failure={failure} step_cost=on")).explored_initially();
        let count = |member: &str| row[member].as_u64().unwrap();
        assert_eq!(s.states, count("states"), "{row}");
        assert_eq!(s.deadlocks, count("deadlock_states"), "{row}");
        assert_eq!(s.choices + s.deadlocks, count("choices"), "{row}");
        assert_eq!(s.transitions + s.deadlocks, count("transitions"), "{row}");
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// A property of an original, and what we generate for it.
fn original(data: &Path, name: &str, property: usize, bound: i64) -> World {
    let constants = constants_of(&serde_json::json!({"failing_probability": 0.5, "item_cost_bound": bound}));
    let file = data.join("plaja/blocksworld/cost_terminal/models/legacy_enc").join(name);
    let (mut lowered, _) = load(&file, None, &constants);
    let Ok(Question::Safety(safety)) = lowered.question(property) else { panic!("a safety property") };
    World { lowered, safety, policy: None }
}

#[test]
fn start_unsafe_and_goal_states_are_those_of_the_originals() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let ours = world("bound=2 failure=chance step_cost=on");
    let theirs = original(&data, "blocksworld_4_3.jani", 1, 2);
    let names = |world: &World| -> Vec<String> {
        let variables = world.model().slots[1..].iter().map(|slot| slot.name.to_string());
        variables.chain(world.model().labels.iter().map(ToString::to_string)).collect()
    };
    assert_eq!(names(&ours), names(&theirs));
    let (ours, theirs) = (ours.explored(), theirs.explored());
    assert_eq!(ours.start_states, 14);
    assert_eq!((ours.start_states, ours.states, ours.choices), (theirs.start_states, theirs.states, theirs.choices));
    assert_eq!((ours.transitions, ours.deadlocks), (theirs.transitions, theirs.deadlocks));
    assert_eq!((ours.reach_states, ours.goal_states), (theirs.reach_states, theirs.goal_states));
}

/// The original with eight blocks has too many states for a test: here are its start states, and what may follow some of them.
#[test]
fn eight_blocks_start_and_move_as_in_the_original() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let ours = world("blocks=8 bound=2 growth=any failure=chance step_cost=on");
    let theirs = original(&data, "blocksworld_8_7.jani", 0, 2);
    let starts: BTreeSet<State> = ours.start_states().into_iter().collect();
    assert_eq!(starts.len(), 4_139);
    assert_eq!(starts, theirs.start_states().into_iter().collect());
    for state in starts.iter().step_by(40) {
        let moves = ours.moves(state);
        assert_eq!(moves, theirs.moves(state));
        for (_, values) in moves.iter().flat_map(|(_, outcomes)| outcomes) {
            let next = State::from_ints(&[&[0], &values[..]].concat());
            assert_eq!(ours.moves(&next), theirs.moves(&next));
        }
    }
}

#[test]
fn dropping_blocks_have_the_state_space_of_the_generator_for_tests() {
    for (n, bound) in [(2, 3), (3, 3), (4, 2)] {
        let mut other = load_text(&dropping_blocksworld(n, bound));
        let Ok(Question::Safety(safety)) = other.question(0) else { panic!("a safety property") };
        let ours = world(&format!("blocks={n} bound={bound} drop=on"));
        let task = ours.task(&safety.start, None);
        let task = Task { model: &other.model, reach: safety.reach, goal: None, ..task };
        let theirs = explore(&task, &Silent).statistics;
        let ours = ours.explored();
        assert_eq!(
            (ours.start_states, ours.states, ours.choices),
            (theirs.start_states, theirs.states, theirs.choices)
        );
        assert_eq!((ours.transitions, ours.deadlocks), (theirs.transitions, theirs.deadlocks));
        assert_eq!(ours.reach_states, theirs.reach_states);
    }
}

/// `stack` never adds to the table, so it is safe unless blocks drop; `unstack` is not.
#[test]
fn scripted_policies_do_what_they_say() {
    for costs in ["aware", "ignoring"] {
        for n in [2, 3, 4] {
            let of = |words: &str| world(&format!("blocks={n} costs={costs} {words}")).explored().reach_states;
            assert_eq!(of("policy=stack"), 0);
            assert!(of("policy=unstack") > 0);
            assert!(of("policy=stack drop=on") > 0);
        }
    }
    // Block 0 is the only clear one: it is taken, and put back on block 1.
    let tower = world("policy=stack start=one failure=never");
    assert_eq!(tower.explored().states, 2);
    let random = world("policy=random hidden=8 policy_seed=3 filter=on");
    assert!(random.policy.as_ref().unwrap().filter);
    assert!(random.explored().states > 14);
}

/// The network of the originals on the generated model, as on theirs.
#[test]
fn learned_networks_fit() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let folder = data.join("plaja/rddps22/blocksworld/networks/learned_cost05_non_terminal");
    let words = format!("networks={}", folder.display());
    let safe = world(&format!("{words} bound=3"));
    assert_eq!(safe.explored().reach_states, 0);
    // Recorded with the learned policy, unsafe states not counted.
    let dropping = world(&format!("{words} bound=3 drop=on")).explored();
    assert_eq!(dropping.states - dropping.reach_states, 788);
    assert!(refusal("blocksworld", &format!("{words} costs=ignoring")).contains("cost_block_0"));
}

#[test]
fn random_runs_go_on_until_costs_or_the_table_run_out() {
    for words in ["", "blocks=8 drop=on bound=12", "blocks=12 start=one policy=stack"] {
        let world = world(words);
        let task = world.task(&world.safety.start, world.policy.as_ref());
        let done = simulate(&task, &SimulateOptions { runs: 20, steps: 200, seed: 7 }, &Silent, None).unwrap().totals;
        assert_eq!(done.runs, 20);
        assert!(done.shortest > 0, "{words}");
        let ended = [RunEnd::Stopped, RunEnd::Reach, RunEnd::StepLimit].map(|end| done.ended(end));
        assert_eq!(ended.iter().sum::<u64>(), 20, "{words}");
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    assert!(refusal("blocksworld", "blocks=1").contains("expected 2..12"));
    assert!(refusal("blocksworld", "blocks=4 limit=4").contains("at most 3"));
    assert!(refusal("blocksworld", "blocks=3 start_table=3").contains("at most 2 blocks"));
    assert!(refusal("blocksworld", "drop=maybe").contains("off | on"));
    assert!(refusal("blocksworld", "block=4").contains("did you mean 'blocks'?"));
}
