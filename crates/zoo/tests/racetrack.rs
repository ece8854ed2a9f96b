//! Racetrack: instances read back, the rules against a simulator of our own, counts.
#![allow(clippy::unwrap_used, reason = "for tests only")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the numbers of a test are small")]

mod race;

use race::{Car, Outcome, Race, Rules};
use surefoot_explicit::simulate::{RunEnd, SimulateOptions, simulate};
use surefoot_fixtures::Random;
use surefoot_testkit::declared_initial_state;
use surefoot_verdict::Silent;

/// States, transitions, crashed and finished ones, without a policy.
type Counts = (u64, u64, u64, u64);

fn counts(settings: &[&str]) -> Counts {
    let race = Race::new(settings);
    let statistics = race.explore(None).statistics;
    (statistics.states, statistics.transitions, statistics.reach_states, statistics.goal_states)
}

#[test]
fn every_size_is_read_without_a_word() {
    let race = Race::new(&[]);
    assert_eq!(&*race.lowered.model.name, "racetrack_barto-small");
    for map in ["tiny", "corridor", "ring", "zigzag", "barto-small"] {
        for more in
            [&["velocity=2"][..], &["collision=full", "velocity=3"], &["failure=20"], &["failure=5", "collision=full"]]
        {
            let map = format!("map={map}");
            Race::new(&[&[&*map], more].concat());
        }
    }
}

#[test]
fn counts_are_pinned() {
    let cases: [(&[&str], Counts); 8] = [
        (&["map=tiny", "velocity=1"], (189, 1017, 73, 3)),
        (&["map=tiny", "velocity=3"], (587, 1692, 393, 6)),
        (&["map=tiny", "velocity=3", "collision=full"], (1091, 2032, 365, 14)),
        (&["map=tiny", "velocity=3", "failure=10"], (587, 3196, 393, 6)),
        (&["map=corridor"], (1000, 3420, 600, 20)),
        (&["map=ring", "velocity=3"], (810, 2826, 488, 8)),
        (&["map=ring", "velocity=3", "collision=full"], (1580, 3510, 469, 17)),
        (&[], (17202, 84996, 7727, 31)),
    ];
    let found: Vec<_> = cases.iter().map(|(settings, _)| counts(settings)).collect();
    assert_eq!(found, cases.map(|(_, expected)| expected));
    // The same with the rules in plain Rust, where a step is one edge.
    for (map, velocity) in [("tiny", 1), ("tiny", 3), ("ring", 3), ("barto-small", 8)] {
        let race = Race::new(&[&format!("map={map}"), &format!("velocity={velocity}")]);
        let cars = Rules::of(&race, map, velocity).reachable(race.start());
        let crashed = cars.iter().filter(|car| car.crashed).count() as u64;
        let statistics = race.explore(None).statistics;
        assert_eq!((statistics.states, statistics.reach_states), (cars.len() as u64, crashed));
    }
}

#[test]
fn start_conditions_have_no_state_in_the_middle_of_a_step() {
    for collision in ["collision=simple", "collision=full"] {
        let race = Race::new(&["map=corridor", "start=condition", collision]);
        assert_eq!(race.explore(None).statistics.start_states, 30, "{collision}");
    }
}

#[test]
fn what_always_holds_holds_in_all_reachable_states() {
    for collision in ["simple", "full"] {
        for (map, velocity) in [("tiny", 2), ("corridor", 2)] {
            let (collision, map) = (format!("collision={collision}"), format!("map={map}"));
            let race = Race::new(&[&map, &collision, &format!("velocity={velocity}")]);
            let rules = Rules::of(&race, &map[4..], velocity);
            let mut seen = 0;
            for state in race.reachable() {
                let car = race.car(&state);
                let cell = rules.cell(car.x, car.y);
                assert!(cell != 'x', "{car:?}");
                assert_eq!(cell == 'g', car.finished, "{car:?}");
                assert!(car.dx.abs() <= velocity && car.dy.abs() <= velocity);
                assert!(!(car.crashed && car.finished));
                seen += 1;
            }
            assert!(seen > 100);
        }
    }
}

#[test]
fn the_model_does_what_the_simulator_does() {
    let mut random = Random::new(11);
    for round in 0..24 {
        let (width, height) = (random.between(2, 9) as usize, random.between(1, 7) as usize);
        let mut map: Vec<Vec<char>> =
            (0..height).map(|_| (0..width).map(|_| if random.percent(20) { 'x' } else { '.' }).collect()).collect();
        map[0][0] = 's';
        map[height - 1][width - 1] = 'g';
        let text: String = map.iter().map(|row| row.iter().collect::<String>() + "\n").collect();
        let limit = random.between(1, 4);
        let collision = *random.pick(&["simple", "full"]);
        let failure = *random.pick(&[0, 30]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.txt");
        std::fs::write(&file, &text).unwrap();
        let race = Race::new(&[
            &format!("map={}", file.display()),
            &format!("velocity={limit}"),
            &format!("collision={collision}"),
            &format!("failure={failure}"),
        ]);
        let rules = Rules::new(&text, limit, collision == "full");
        for _ in 0..4 {
            let mut state = declared_initial_state(&race.lowered.model).unwrap();
            for _ in 0..20 {
                let car = race.car(&state);
                let (ax, ay) = (random.between(-1, 1), random.between(-1, 1));
                let outcomes = race.step(&state, ax, ay);
                if car.crashed || car.finished {
                    assert!(outcomes.is_empty(), "{car:?}");
                    break;
                }
                let mut expected: Vec<Outcome> = vec![(rules.drive(&car, ax, ay), 100 - failure)];
                expected.push((rules.drive(&car, 0, 0), failure));
                let found: Vec<Outcome> = outcomes.iter().map(|(s, percent)| (race.car(s), *percent)).collect();
                assert_eq!(race::merged(&found), race::merged(&expected), "round {round}, {text}{car:?} {ax} {ay}");
                state = random.pick(&outcomes).0.clone();
            }
        }
    }
}

#[test]
fn start_states_are_solvable_and_different() {
    let race = Race::new(&["map=ring", "velocity=4", "start=states", "count=150", "seed=3"]);
    assert_eq!(race.safety.start.states.len(), 150);
    let rules = Rules::of(&race, "ring", 4);
    for state in &race.safety.start.states[..30] {
        assert!(rules.can_finish(&race.car(state)), "{:?}", race.car(state));
    }
    let again = Race::new(&["map=ring", "velocity=4", "start=states", "count=40", "seed=3"]);
    assert_eq!(again.safety.start.states, race.safety.start.states[..40]);
    let other = Race::new(&["map=ring", "velocity=4", "start=states", "count=40", "seed=4"]);
    assert_ne!(again.safety.start.states, other.safety.start.states);
    // As many as there are, where there are fewer.
    for collision in ["collision=simple", "collision=full"] {
        let race = Race::new(&["map=tiny", "velocity=4", "start=states", "count=100000", collision]);
        let rules = Rules::of(&race, "tiny", 4);
        let solvable = rules.everywhere().into_iter().filter(|car| rules.can_finish(car));
        let listed: std::collections::BTreeSet<Car> = race.safety.start.states.iter().map(|s| race.car(s)).collect();
        assert_eq!(listed, solvable.collect());
        assert_eq!(listed.len(), race.safety.start.states.len());
        assert!(listed.len() < 21 * 81, "some cars cannot be stopped any more");
    }
    let resting = Race::new(&["map=tiny", "velocity=1", "start=condition"]);
    assert_eq!(resting.explore(None).statistics.start_states, 21);
}

#[test]
fn random_policies_drive() {
    let race = Race::new(&["map=ring", "velocity=3", "policy=random", "hidden=8,8", "policy_seed=5", "start=states"]);
    let policy = race.policy.as_ref();
    assert!(policy.is_some());
    let options = SimulateOptions { runs: 50, steps: 50, seed: 1 };
    let simulation = simulate(&race.task(policy), &options, &Silent, None).unwrap();
    assert_eq!(simulation.totals.runs, 50);
    assert!(simulation.totals.ended(RunEnd::Reach) > 0);
    let statistics = race.explore(policy).statistics;
    assert_eq!(statistics.start_states, 100);
    assert!(statistics.transitions <= statistics.states, "one move per state");
}

#[test]
fn the_scripted_policy_is_the_formula_and_arrives() {
    let race = Race::new(&["map=corridor", "velocity=3", "policy=towards-goal"]);
    let mut state = declared_initial_state(&race.lowered.model).unwrap();
    let mut steps = 0;
    while let Some((chosen, next)) = race.policy_step(&state) {
        let car = race.car(&state);
        // The goal cells are (16, 1) and (16, 2); halves are rounded up.
        let (ux, uy) = ((16 - car.x) - 2 * car.dx, (2 - car.y) - 2 * car.dy);
        assert_eq!(chosen, format!("accel0_{}_{}", ux.signum(), uy.signum()), "{car:?}");
        state = next;
        steps += 1;
    }
    assert!(race.car(&state).finished, "after {steps} steps");
    assert!(steps < 20);
}

#[test]
fn networks_of_the_papers_fit() {
    let Some(data) = surefoot_fixtures::shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let folder = data.join("plaja/icaps22/racetrack/networks/simple/barto-small/no_filtering");
    let race = Race::new(&[&format!("networks={}", folder.display())]);
    let policy = race.policy.as_ref().unwrap();
    assert_eq!(policy.networks[0].network.hidden_sizes(), [16, 16]);
    // It drives along the course and stops on the way: safe, and without a goal.
    let statistics = race.explore(Some(policy)).statistics;
    assert_eq!((statistics.states, statistics.reach_states, statistics.goal_states), (20, 0, 0));
}

#[test]
fn wrong_parameters_are_refused() {
    let error = |settings: &[&str]| race::generate(settings).unwrap_err().to_string();
    assert!(error(&["map=nowhere"]).contains("barto-small"));
    assert!(error(&["velocity=0"]).contains("1..10"));
    assert!(error(&["collision=soft"]).contains("simple | full"));
    assert!(error(&["failure=100"]).contains("0..99"));
    assert!(error(&["count=0"]).contains("1..100000"));
    assert!(error(&["networks=/nowhere"]).contains("cannot read the folder"));
    assert!(error(&["policy=random", "hidden=x"]).contains("hidden=x"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.txt");
    std::fs::write(&file, "sxg\n").unwrap();
    let walled = format!("map={}", file.display());
    assert!(race::generate(&[&walled, "collision=full"]).is_ok(), "one start needs no goal in reach");
    assert!(!error(&[&walled, "velocity=1", "start=states"]).is_empty());
    std::fs::write(&file, "s.g\n.?.\n").unwrap();
    assert!(error(&[&walled]).contains("line 2, column 2: '?'"));
}
