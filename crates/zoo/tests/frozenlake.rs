//! FrozenLake: where steps lead, in both encodings, and under the published policy.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers of a test are small"
)]

mod loaded;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use loaded::{Loaded, error, generate, successors};
use surefoot_fixtures::shared_data;
use surefoot_model::State;
use surefoot_num::Rational;

const DIRECTIONS: [(&str, i64, i64); 4] = [("left", 0, -1), ("down", 1, 0), ("right", 0, 1), ("up", -1, 0)];
const ENCODINGS: [&str; 2] = ["encoding=onehot", "encoding=coordinates"];

fn networks() -> Option<PathBuf> {
    shared_data(env!("CARGO_MANIFEST_DIR")).map(|folder| folder.join("venmas"))
}

/// Where the three outcomes of a direction lead, from the rules: clamped coordinates, ahead, left-hand, right-hand.
fn expected(size: i64, tile: i64, direction: usize) -> Vec<i64> {
    let (row, column) = ((tile - 1) / size + 1, (tile - 1) % size + 1);
    let lead = |d: usize| {
        let (_, down, right) = DIRECTIONS[d % 4];
        ((row + down).clamp(1, size) - 1) * size + (column + right).clamp(1, size)
    };
    vec![lead(direction), lead(direction + 1), lead(direction + 3)]
}

/// All reachable states by their tile.
fn by_tile(loaded: &Loaded) -> BTreeMap<i64, State> {
    let states = loaded.reachable(loaded.initial());
    let count = states.len();
    let by_tile: BTreeMap<i64, State> = states.into_iter().map(|s| (loaded.int(&s, "tile"), s)).collect();
    assert_eq!(by_tile.len(), count, "one state per tile");
    by_tile
}

#[test]
fn every_direction_has_three_outcomes_in_every_state() {
    for (size, settings) in [(2, "size=2"), (3, "size=3"), (4, "size=4"), (5, "size=5")] {
        for encoding in ENCODINGS {
            let loaded = Loaded::new("frozenlake", &[settings, encoding], &[]);
            let states = by_tile(&loaded);
            assert_eq!(states.len() as i64, size * size, "nothing is absorbing, so all tiles are reachable");
            for (tile, state) in states {
                let choices = loaded.by_label(&state);
                for (direction, (label, _, _)) in DIRECTIONS.iter().enumerate() {
                    assert_eq!(choices[*label].len(), 3, "{label} on tile {tile}");
                    let reached = choices[*label].iter().cloned().flat_map(successors);
                    let reached: Vec<i64> = reached.map(|s| loaded.int(&s, "tile")).collect();
                    assert_eq!(reached, expected(size, tile, direction), "{encoding}: {label} on tile {tile}");
                }
            }
        }
    }
}

#[test]
fn encodings_agree_with_the_tile_in_all_reachable_states() {
    for size in [3, 4, 6] {
        let size_setting = format!("size={size}");
        let one_hot = Loaded::new("frozenlake", &[&size_setting, "encoding=onehot"], &[]);
        for (tile, state) in by_tile(&one_hot) {
            for other in 1..=size * size {
                assert_eq!(one_hot.int(&state, &format!("tile_{other}")), i64::from(other == tile));
            }
        }
        let coordinates = Loaded::new("frozenlake", &[&size_setting, "encoding=coordinates"], &[]);
        for (tile, state) in by_tile(&coordinates) {
            let (row, column) = (coordinates.int(&state, "row"), coordinates.int(&state, "column"));
            assert_eq!((row - 1) * size + column, tile);
        }
    }
}

#[test]
fn explored_counts() {
    // States, choices, distinct successors per choice, hole states, goal states.
    for (settings, states, holes) in [
        (&["size=2", "holes=0"][..], 4, 0),
        (&[], 9, 2),
        (&["encoding=coordinates"], 9, 2),
        (&["size=4"], 16, 4),
        (&["size=8"], 64, 10),
        (&["size=8", "encoding=coordinates"], 64, 10),
        (&["size=20", "encoding=coordinates"], 400, 81),
        (&["size=4", "map=random", "seed=3"], 16, 1),
    ] {
        let loaded = Loaded::new("frozenlake", settings, &[]);
        let found = loaded.explore("holes", None).statistics;
        assert_eq!((found.states, found.choices, found.transitions), (states, 12 * states, 12 * states));
        assert_eq!((found.start_states, found.reach_states, found.deadlocks), (1, holes, 0), "{settings:?}");
        assert_eq!(loaded.explore("goal", None).statistics.reach_states, 1);
    }
}

#[test]
fn slipping_by_chance_has_the_same_successors_with_a_third_each() {
    let third = Rational::new(1, 3).expect("not zero");
    for encoding in ENCODINGS {
        let loaded = Loaded::new("frozenlake", &[encoding, "slip=chance"], &[]);
        for (tile, state) in by_tile(&loaded) {
            let choices = loaded.by_label(&state);
            for (direction, (label, _, _)) in DIRECTIONS.iter().enumerate() {
                let [choice] = &choices[*label][..] else { panic!("one edge of {label} on tile {tile}") };
                assert!(choice.outcomes.iter().all(|o| o.probability == third));
                let reached = successors(choice.clone()).iter().map(|s| loaded.int(s, "tile")).collect::<Vec<_>>();
                assert_eq!(reached, expected(3, tile, direction));
            }
        }
    }
}

#[test]
fn the_published_agent_moves_as_published() {
    let Some(folder) = networks() else { return };
    let loaded = Loaded::new("frozenlake", &[&format!("networks={}", folder.display())], &[]);
    let choices = ["up", "left", "up", "up", "right", "down", "up", "right", "up"];
    let successor_sets: [&[i64]; 9] =
        [&[1, 2], &[1, 2, 5], &[2, 3], &[1, 4, 5], &[2, 6, 8], &[5, 6, 9], &[4, 7, 8], &[5, 8, 9], &[6, 8, 9]];
    for (tile, state) in by_tile(&loaded) {
        let permitted = loaded.permitted(&state);
        assert_eq!(permitted.len(), 3);
        let label = permitted[0].label.expect("every edge has a label");
        assert_eq!(&*loaded.lowered.model.labels[label.0 as usize], choices[tile as usize - 1], "on tile {tile}");
        let reached: BTreeSet<i64> =
            permitted.into_iter().flat_map(successors).map(|s| loaded.int(&s, "tile")).collect();
        assert_eq!(reached.into_iter().collect::<Vec<_>>(), successor_sets[tile as usize - 1], "from tile {tile}");
    }
    let mut now = BTreeSet::from([loaded.initial()]);
    let after: [&[i64]; 5] = [&[1, 2], &[1, 2, 5], &[1, 2, 5, 6, 8], &[1, 2, 5, 6, 8, 9], &[1, 2, 5, 6, 8, 9]];
    for tiles in after {
        now = now.iter().flat_map(|s| loaded.permitted(s)).flat_map(successors).collect();
        assert_eq!(now.iter().map(|s| loaded.int(s, "tile")).collect::<BTreeSet<_>>(), tiles.iter().copied().collect());
    }
    let holes = loaded.explore("holes", loaded.policy.as_ref()).statistics;
    assert_eq!((holes.states, holes.reach_states), (6, 0), "the agent never falls into a hole");
    assert_eq!(loaded.explore("goal", loaded.policy.as_ref()).statistics.reach_states, 1);
}

/// However it is named, by its folder or directly, a `.nnet` has weights in single precision.
#[test]
fn given_networks_are_in_single_precision() {
    let folder = tempfile::tempdir().unwrap();
    let random = generate("frozenlake", &["policy=random", "hidden=4"]);
    assert!(!random.policy.unwrap().contains("f32"));
    let file = folder.path().join("frozenlake_agent.nnet");
    std::fs::write(&file, &random.networks[0].bytes).unwrap();
    for given in [folder.path(), &file] {
        let settings = [&*format!("networks={}", given.display())];
        let policy = generate("frozenlake", &settings).policy.unwrap();
        let policy: serde_json::Value = serde_json::from_str(&policy).unwrap();
        let expected = serde_json::json!([{"file": "frozenlake_agent.nnet", "weights": "f32"}]);
        assert_eq!(policy["networks"], expected);
        assert!(Loaded::new("frozenlake", &settings, &[]).policy.is_some());
    }
}

#[test]
fn without_networks_there_is_no_policy() {
    let instance = generate("frozenlake", &[]);
    assert_eq!(instance.policy, None);
    assert!(!instance.properties.contains("policy.policy.json"));
}

#[test]
fn random_policies_fit_either_encoding() {
    for (encoding, inputs) in [(ENCODINGS[0], 16), (ENCODINGS[1], 2)] {
        let loaded = Loaded::new("frozenlake", &["size=4", encoding, "policy=random", "hidden=8"], &[]);
        let policy = loaded.policy.as_ref().expect("a policy was asked for");
        assert_eq!(policy.networks[0].inputs.len(), inputs);
        let found = loaded.explore("holes", Some(policy)).statistics;
        assert_eq!(found.choices, 3 * found.states, "one direction per state");
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    assert!(error("frozenlake", &["size=1"]).contains("expected 2..32"));
    assert!(error("frozenlake", &["size=9"]).contains("use encoding=coordinates"));
    assert!(error("frozenlake", &["encoding=binary"]).contains("onehot | coordinates"));
    assert!(error("frozenlake", &["networks=nowhere"]).contains("cannot read the folder"));
    let Some(folder) = networks() else { return };
    let given = format!("networks={}", folder.display());
    assert!(error("frozenlake", &[&given, "size=4"]).contains("9 inputs and 4 outputs, but 16 inputs"));
    assert!(error("frozenlake", &[&given, "encoding=coordinates"]).contains("but 2 inputs"));
}
