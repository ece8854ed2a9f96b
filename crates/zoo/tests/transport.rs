//! Transport: rules, counts and scripted policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

mod worlds;

use surefoot_explicit::simulate::{RunEnd, SimulateOptions, simulate};
use surefoot_verdict::Silent;
use worlds::{Moves, Named, World, refusal, sorted};

fn world(words: &str) -> World {
    World::new("transport", words)
}

/// Where a package is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Lies(usize),
    On(usize),
}

/// What is where, in plain words.
#[derive(Clone)]
struct Line {
    length: usize,
    capacity: usize,
    trucks: Vec<usize>,
    packages: Vec<Place>,
    accident: i64,
}

impl Line {
    /// From positions alone.
    fn of(state: &Named, length: usize, capacity: usize, trucks: usize, packages: usize) -> Self {
        let get = |name: String| usize::try_from(state[&name]).unwrap();
        let place = |p: usize| match get(format!("package_{p}")) {
            at if at < length => Place::Lies(at),
            beyond => Place::On(beyond - length),
        };
        Self {
            length,
            capacity,
            trucks: (0..trucks).map(|t| get(format!("truck_{t}"))).collect(),
            packages: (0..packages).map(place).collect(),
            accident: state["accident"],
        }
    }

    fn load(&self, t: usize) -> usize {
        self.packages.iter().filter(|place| **place == Place::On(t)).count()
    }

    /// The variables in their order.
    fn values(&self) -> Vec<i64> {
        let places = self.packages.iter().map(|place| match place {
            Place::Lies(at) => *at,
            Place::On(t) => self.length + t,
        });
        let loads = (0..self.trucks.len()).map(|t| self.load(t));
        let all = self.trucks.iter().copied().chain(places).chain(loads);
        all.map(|value| value as i64).chain([self.accident]).collect()
    }

    fn changed(&self, change: impl Fn(&mut Self)) -> Vec<i64> {
        let mut next = self.clone();
        change(&mut next);
        next.values()
    }

    fn moves(&self, drop: &str) -> Moves {
        let mut moves = Moves::new();
        if self.accident != 0 {
            return moves;
        }
        let mut push = |label: String, outcomes: &[(&str, Vec<i64>)]| {
            moves.push((label, outcomes.iter().map(|(p, values)| ((*p).to_owned(), values.clone())).collect()));
        };
        for (t, at) in self.trucks.iter().copied().enumerate() {
            if at > 0 {
                push(format!("drive_left_{t}"), &[("1", self.changed(|line| line.trucks[t] -= 1))]);
            }
            if at + 1 < self.length {
                push(format!("drive_right_{t}"), &[("1", self.changed(|line| line.trucks[t] += 1))]);
            }
            for p in 0..self.packages.len() {
                if self.packages[p] == Place::On(t) {
                    let unloaded = self.changed(|line| line.packages[p] = Place::Lies(at));
                    push(format!("unload_{p}_{t}"), &[("1", unloaded)]);
                }
                if self.packages[p] != Place::Lies(at) {
                    continue;
                }
                let loaded = self.changed(|line| line.packages[p] = Place::On(t));
                let dropped = self.changed(|line| line.accident = 1);
                let overloaded = self.changed(|line| {
                    line.packages[p] = Place::On(t);
                    line.accident = 2;
                });
                let label = format!("load_{p}_{t}");
                match (self.load(t), drop) {
                    (load, _) if load == self.capacity => push(label, &[("1", overloaded)]),
                    (1.., "on") => push(label, &[("9/10", loaded), ("1/10", dropped)]),
                    (1.., "choice") => {
                        push(label.clone(), &[("1", loaded)]);
                        push(label, &[("1", dropped)]);
                    }
                    _ => push(label, &[("1", loaded)]),
                }
            }
        }
        sorted(moves)
    }
}

/// A plain simulator agrees on every state; doing so, it checks that loads and positions belong together.
#[test]
fn trucks_and_packages_move_as_the_model_says() {
    for drop in ["off", "on", "choice"] {
        for (length, trucks, packages, capacity, start) in
            [(2, 1, 2, 1, "one"), (3, 1, 3, 2, "ground"), (4, 1, 2, 1, "order"), (2, 2, 3, 2, "any")]
        {
            let world = world(&format!(
                "length={length} trucks={trucks} packages={packages} capacity={capacity} start={start} drop={drop}"
            ));
            for state in world.states() {
                let line = Line::of(&world.named(&state), length, capacity, trucks, packages);
                assert_eq!(state.to_ints().unwrap()[1..], line.values());
                assert_eq!(world.moves(&state), line.moves(drop), "{}", state.describe(world.model()));
                assert_eq!(world.is_unsafe(&state), line.accident != 0);
                let overloaded = (0..trucks).any(|t| line.load(t) > capacity);
                assert_eq!(overloaded, line.accident == 2, "more than a truck takes is an accident");
            }
        }
    }
}

#[test]
fn sizes_have_known_counts() {
    let expected = [
        ("", [625, 1_080, 2_785, 2_785, 5, 5]),
        ("drop=on", [625, 1_215, 2_785, 2_935, 140, 140]),
        ("length=2 packages=1 capacity=1 drop=on", [4, 6, 10, 10, 0, 0]),
        ("length=10 packages=3 start=order drop=choice", [2_200, 13_880, 31_770, 31_770, 580, 580]),
        ("length=4 trucks=2 packages=3 start=one drop=on", [1, 4_296, 17_088, 18_048, 872, 872]),
        ("length=6 packages=4 start=any", [14_256, 14_400, 39_744, 39_744, 144, 144]),
    ];
    assert_eq!(expected.map(|(words, _)| (words, world(words).counts())), expected);
}

#[test]
fn start_sets_range_from_one_state_to_more_than_can_be_counted() {
    for (words, expected) in [
        ("start=one", 1),
        ("start=order", 5 * 35),
        ("", 5 * 125),
        // Three packages on the ground or on the truck, but not all three on the truck.
        ("start=any", 5 * (216 - 1)),
        ("length=10 trucks=2 packages=2 drop=on", 10_000),
        ("length=100 trucks=4 packages=12 start=any", 20_000),
    ] {
        assert_eq!(world(words).starts(20_000), expected, "{words}");
    }
}

/// One package at a time is safe, and delivers everything; the greedy truck fails as soon as two or more lie in its way.
#[test]
fn scripted_policies_do_what_they_say() {
    for drop in ["off", "on", "choice"] {
        for (length, packages, capacity) in [(2, 3, 1), (5, 3, 2), (7, 4, 3)] {
            let words = format!("length={length} packages={packages} capacity={capacity} drop={drop}");
            let single = world(&format!("{words} policy=single"));
            let figures = single.explored();
            assert_eq!(figures.reach_states, 0, "{words}");
            // Runs stop when everything is delivered, and only then.
            assert!(figures.deadlocks > 0 && figures.deadlocks <= figures.goal_states, "{words}: {figures:?}");
            let task = single.task(&single.safety.start, single.policy.as_ref());
            let options = SimulateOptions { runs: 30, steps: 500, seed: 5 };
            let runs = simulate(&task, &options, &Silent, None).unwrap().totals;
            assert_eq!((runs.ended(RunEnd::Stopped), runs.through_goal), (30, 30), "{words}: {runs:?}");
            assert!(world(&format!("{words} policy=greedy")).explored().reach_states > 0, "{words}");
        }
    }
    let random = world("policy=random hidden=8 policy_seed=3 filter=on trucks=2").explored();
    assert!(random.states >= random.start_states);
}

#[test]
fn capacities_leave_room_for_accidents_unless_given() {
    for (words, name) in [("", "5_1_3_2"), ("packages=2", "5_1_2_1"), ("packages=2 drop=on", "5_1_2_2")] {
        let world = world(words);
        assert_eq!(&*world.model().name, format!("transport_{name}"), "{words}");
        assert!(world.explored().reach_states > 0, "{words}");
    }
}

#[test]
fn random_runs_end_in_accidents() {
    for words in ["", "drop=on length=20 packages=8 capacity=3 trucks=2 start=one", "drop=choice"] {
        let world = world(words);
        let options = SimulateOptions { runs: 20, steps: 20_000, seed: 7 };
        let done = simulate(&world.task(&world.safety.start, None), &options, &Silent, None).unwrap();
        assert_eq!(done.totals.ended(RunEnd::Reach), 20, "{words}");
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    assert!(refusal("transport", "length=1").contains("expected 2..100"));
    assert!(refusal("transport", "capacity=3").contains("nothing could go wrong; give at most capacity=2, or drop=on"));
    let one = refusal("transport", "packages=1");
    assert!(one.contains("one package can never be unsafe") && one.contains("packages=2 or more"), "{one}");
    assert!(refusal("transport", "trucks=2 policy=single").contains("drives one truck"));
    assert!(refusal("transport", "drop=maybe").contains("off | on | choice"));
    assert!(refusal("transport", "package=4").contains("did you mean 'packages'?"));
}
