//! Figures that other tools have recorded: Storm's state spaces, and PlaJA's explorer and successor generator.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use common::{Choices, Compiled, interpreted, task};
use serde_json::{Value, json};
use surefoot_explicit::start::for_each_start;
use surefoot_explicit::{Ending, Exploration, Task, explore};
use surefoot_fixtures::shared_data;
use surefoot_model::interpret::ModelErrorKind;
use surefoot_model::lower::{GivenConstant, Lowered};
use surefoot_model::policy::read::read_policy;
use surefoot_model::policy::{Policy, Ties};
use surefoot_model::property::{Safety, StartSet};
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_testkit::data::constants_of;
use surefoot_testkit::{declared_initial_state, load, load_text, safety};
use surefoot_verdict::Silent;

fn data() -> Option<PathBuf> {
    shared_data(env!("CARGO_MANIFEST_DIR"))
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Explores a model from its initial states.
fn explored(path: &Path, constants: &Value) -> Exploration {
    let (mut lowered, _) = load(path, None, &constants_of(constants));
    let start = StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() };
    explore(&Task { threads: 2, ..task(&lowered.model, None, &start, None) }, &Silent)
}

/// Storm gives every deadlock state a loop of its own.
fn check_counts(row: &Value, result: &Exploration) {
    let name = format!("{} {}", row["file"], row["constants"]);
    let count = |member: &str| row[member].as_u64().unwrap();
    assert_eq!(result.ending, Ending::Complete, "{name}");
    let s = &result.statistics;
    assert_eq!(s.states, count("states"), "states of {name}");
    assert_eq!(s.deadlocks, count("deadlock_states"), "deadlocks of {name}");
    assert_eq!(s.choices, count("choices") - s.deadlocks, "choices of {name}");
    assert_eq!(s.transitions, count("transitions") - s.deadlocks, "transitions of {name}");
    assert_eq!(s.expanded, s.states, "all states of {name} are expanded");
    if let Some(initial) = row.get("initial_states") {
        assert_eq!(Some(s.start_states), initial.as_u64(), "initial states of {name}");
    }
}

#[test]
fn benchmarks_have_the_state_spaces_that_storm_counts() {
    let Some(folder) = data().map(|data| data.join("qcomp")) else { return };
    let mut seen: Vec<(String, Value)> = Vec::new();
    for row in read_json(&folder.join("index.json")).as_array().unwrap() {
        let instance = (row["file"].as_str().unwrap().to_owned(), row["constants"].clone());
        if !seen.contains(&instance) {
            check_counts(row, &explored(&folder.join(&instance.0), &instance.1));
            seen.push(instance);
        }
    }
    assert_eq!(seen.len(), 15);
}

#[test]
fn planning_models_have_the_state_spaces_that_storm_counts() {
    let Some(folder) = data().map(|data| data.join("plaja")) else { return };
    let mut checked = 0;
    for row in read_json(&folder.join("statespace.json")).as_array().unwrap() {
        let file = row["file"].as_str().unwrap();
        let extrapolated = row["source"].as_str().unwrap().starts_with("EXTRAPOLATED");
        if extrapolated || file.starts_with("jani_env:") || file == "for_ppa_racetrack.jani" {
            continue;
        }
        check_counts(row, &explored(&folder.join(file), &row["constants"]));
        checked += 1;
    }
    assert_eq!(checked, 23);
}

/// Storm's count for this model comes from writing values outside their domain unchecked; with exploration checks it
/// reports this error, too.
#[test]
fn the_racetrack_model_leaves_a_domain() {
    let Some(folder) = data().map(|data| data.join("plaja")) else { return };
    let result = explored(&folder.join("for_ppa_racetrack.jani"), &json!({}));
    let Ending::ModelError(error) = &result.ending else { panic!("{result:?}") };
    let ModelErrorKind::OutOfDomain { variable, .. } = &error.kind else { panic!("{error:?}") };
    assert!(variable.ends_with("car0_dx"), "{variable}");
}

/// A finite graph of states: choices with their labels and successors.
struct Graph {
    states: Vec<State>,
    choices: Vec<Vec<(u32, Vec<usize>)>>,
}

impl Graph {
    fn new(starts: Vec<State>, mut expand: impl FnMut(&State) -> Choices) -> Self {
        let mut numbers: HashMap<State, usize> = starts.iter().cloned().enumerate().map(|(i, s)| (s, i)).collect();
        let mut graph = Self { states: starts, choices: Vec::new() };
        while let Some(state) = graph.states.get(graph.choices.len()).cloned() {
            let mut choices = Vec::new();
            for (vector, successors) in expand(&state).unwrap() {
                let number = |successor: State| {
                    *numbers.entry(successor.clone()).or_insert_with(|| {
                        graph.states.push(successor);
                        graph.states.len() - 1
                    })
                };
                choices.push((vector, successors.into_iter().map(number).collect()));
            }
            graph.choices.push(choices);
        }
        graph
    }

    /// The distance of every state to a target; `None` where there is no path.
    fn distances(&self, targets: &[bool]) -> Vec<Option<usize>> {
        let mut distance: Vec<Option<usize>> = targets.iter().map(|target| target.then_some(0)).collect();
        for d in 0.. {
            let mut changed = false;
            for s in 0..self.states.len() {
                let next = self.choices[s].iter().flat_map(|c| &c.1).any(|t| distance[*t] == Some(d));
                if distance[s].is_none() && next {
                    distance[s] = Some(d + 1);
                    changed = true;
                }
            }
            if !changed {
                return distance;
            }
        }
        unreachable!("distances are finite")
    }

    /// The states from which every run comes to a target.
    fn inevitable(&self, targets: &[bool]) -> Vec<bool> {
        let mut sure = targets.to_vec();
        loop {
            let before = count(&sure);
            for s in 0..self.states.len() {
                let mut successors = self.choices[s].iter().flat_map(|c| &c.1).peekable();
                sure[s] |= successors.peek().is_some() && successors.all(|t| sure[*t]);
            }
            if count(&sure) == before {
                return sure;
            }
        }
    }
}

/// PlaJA's small blocksworld with its policy.
struct Blocksworld {
    lowered: Lowered,
    safety: Safety,
    policy: Policy,
    /// The states of the property's start condition, and the initial one, which PlaJA adds.
    starts: Vec<State>,
}

impl Blocksworld {
    fn read(folder: &Path) -> Self {
        let constants = ["failing_probability=0", "item_cost_bound=1"].map(|c| GivenConstant::parse(c).unwrap());
        let path = folder.join("blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani");
        let (mut lowered, mut sources) = load(&path, None, &constants);
        let safety = safety(&mut lowered, 1);
        let file = safety.policy_file.clone().unwrap().value;
        let (mut policy, _) = read_policy(&mut lowered, &mut sources, &file).unwrap();
        policy.ties = Ties::Plaja;
        let mut starts = Vec::new();
        for_each_start(&lowered.model, &safety.start, |state| {
            starts.push(state.clone());
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        let initial = declared_initial_state(&lowered.model).unwrap();
        if !starts.contains(&initial) {
            starts.push(initial);
        }
        Self { lowered, safety, policy, starts }
    }

    fn model(&self) -> &Model {
        &self.lowered.model
    }

    fn targets(&self, graph: &Graph, term: TermId) -> Vec<bool> {
        let interpreter = Interpreter::new(self.model());
        graph.states.iter().map(|s| interpreter.holds(term, s).unwrap()).collect()
    }

    /// How many of some states, and how many start states among them.
    fn counts(&self, states: &[bool]) -> (usize, usize) {
        (count(states), count(&states[..self.starts.len()]))
    }
}

fn count(list: &[bool]) -> usize {
    list.iter().filter(|item| **item).count()
}

/// The states from which a target can be reached.
fn reaching(graph: &Graph, targets: &[bool]) -> Vec<bool> {
    graph.distances(targets).iter().map(Option::is_some).collect()
}

/// Those of the first kind that are not of the second.
fn without(states: &[bool], others: &[bool]) -> Vec<bool> {
    states.iter().zip(others).map(|(a, b)| *a && !b).collect()
}

#[test]
fn explorer_figures_are_those_of_plaja() {
    let Some(folder) = data().map(|data| data.join("plaja")) else { return };
    let world = Blocksworld::read(&folder);
    let model = world.model();
    for is_compiled in [true, false] {
        let mut engines = (Compiled::new(model, None), Compiled::new(model, Some(&world.policy)));
        let mut any_move = |s: &State| if is_compiled { engines.0.expand(s) } else { interpreted(model, None, s) };
        let mut permitted_move =
            |s: &State| if is_compiled { engines.1.expand(s) } else { interpreted(model, Some(&world.policy), s) };
        let all = Graph::new(world.starts.clone(), &mut any_move);
        let permitted = Graph::new(world.starts.clone(), &mut permitted_move);
        // PlaJA explores all transitions and marks those of the policy.
        let number = |t: &State| all.states.iter().position(|u| u == t).unwrap();
        let mark = |s: &State| {
            let choices = permitted_move(s).unwrap();
            choices.iter().map(|(v, list)| (*v, list.iter().map(number).collect())).collect()
        };
        let marked = Graph { choices: all.states.iter().map(mark).collect(), states: all.states.clone() };
        let goal = world.targets(&all, world.safety.goal.unwrap());
        assert_eq!(count(&goal), 1, "goal states");
        let distances = all.distances(&goal);
        assert_eq!(count(&reaching(&all, &goal)), 125, "states with a path to the goal");
        // Location, hand, table, blocks, clear, and costs; the last slots are costs, too.
        let solved = State::from_ints(&[0, 1, 1, 1, 2, 3, 4, 0, 0, 0, 1, 0, 0, 0, 0]);
        let at = all.states.iter().position(|s| s.0[..15] == solved.0[..]).unwrap();
        assert_eq!(distances[at], Some(0));
        let initial = declared_initial_state(model).unwrap();
        let at = all.states.iter().position(|s| *s == initial).unwrap();
        assert_eq!(distances[at], Some(8), "distance of the initial state");
        let first = all.choices[at].iter().find(|(_, next)| next.iter().any(|t| distances[*t] == Some(7))).unwrap();
        let label = model.vectors[first.0 as usize].label.unwrap();
        assert_eq!(&*model.labels[label.0 as usize], "choose_block_0");
        let sure = all.inevitable(&goal);
        assert_eq!(world.counts(&sure), (1, 0), "states that cannot avoid the goal");
        let led = reaching(&marked, &goal);
        assert_eq!(world.counts(&led), (125, 14), "states with a path to the goal under the policy");
        assert_eq!(count(&without(&led, &sure)), 124);

        let reach = world.targets(&all, world.safety.reach.unwrap());
        assert_eq!(count(&reaching(&all, &reach)), 125, "states with a path to an unsafe one");
        let sure = all.inevitable(&reach);
        assert_eq!(world.counts(&sure), (1, 0), "states that cannot avoid an unsafe one");
        let led = reaching(&marked, &reach);
        assert_eq!(world.counts(&led), (1, 0), "states with an unsafe path under the policy");
        assert_eq!(count(&without(&led, &sure)), 0);
        let met = world.targets(&permitted, world.safety.reach.unwrap());
        assert_eq!(count(&met), 0, "no unsafe state is reachable under the policy");
    }
}

/// The number of enabled operators and of their outcomes in a state, by interpreter and compiled.
fn successor_counts(model: &Model, state: &State) -> (usize, usize) {
    let choices = Interpreter::new(model).choices(state).unwrap();
    let outcomes = choices.iter().flat_map(|c| &c.outcomes);
    assert!(outcomes.clone().all(|o| o.probability.signum() > 0));
    let counts = (choices.len(), outcomes.clone().map(|o| o.successors.len()).sum());
    common::compare_states(model, None, [state]);
    let recorded = Compiled::new(model, None).record(state).unwrap();
    assert_eq!(counts, (recorded.len(), recorded.iter().map(|(_, outcomes)| outcomes.len()).sum()));
    counts
}

#[test]
fn successor_counts_are_those_of_plaja() {
    let Some(folder) = data().map(|data| data.join("plaja")) else { return };
    let text = std::fs::read_to_string(folder.join("for_succ_gen.jani")).unwrap();
    let lowered = load_text(&text);
    let model = &lowered.model;
    let initial = declared_initial_state(model).unwrap();
    assert_eq!(initial.0.len(), 15);
    let with = |model: &Model, changes: &[(&str, i64)]| {
        let mut values = initial.to_ints().unwrap();
        for (name, value) in changes {
            values[model.slot(name).unwrap().index()] = *value;
        }
        State::from_ints(&values)
    };
    assert_eq!(successor_counts(model, &initial), (5, 11));
    assert_eq!(successor_counts(model, &with(model, &[("x", 1), ("y", 1)])), (7, 19));
    assert_eq!(successor_counts(model, &with(model, &[("y", -2), ("A1", 1)])), (2, 2));
    assert_eq!(successor_counts(model, &with(model, &[("A4_enabled", 1)])), (1, 1));
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["system"]["syncs"][1]["synchronise"][2] = json!("label_alt1");
    let lowered = load_text(&changed.to_string());
    assert_eq!(successor_counts(&lowered.model, &with(&lowered.model, &[("A1", 6), ("x", 1)])), (3, 4));
}
