//! Figures of predicate abstractions, recorded from PlaJA's own tests.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{budget, read};
use surefoot_abstraction::expand::expand;
use surefoot_abstraction::search::search;
use surefoot_abstraction::{AbstractState, Abstraction, Configuration, Method, Options, PredicateSet, StateId, System};
use surefoot_jani::source::SourceMap;
use surefoot_model::property::Question;
use surefoot_oracle::{Assignment, BranchAndBound, Limits};
use surefoot_testkit::shared_data;
use surefoot_verify::abstraction::read_predicates;
use surefoot_verify::{AbstractOptions, Abstracted, Conclusion, Problem, Request, Selection, abstraction};

fn plaja() -> Option<PathBuf> {
    Some(shared_data(env!("CARGO_MANIFEST_DIR"))?.join("plaja"))
}

fn run(request: &Request, options: &AbstractOptions, threads: usize) -> Abstracted {
    let mut sources = SourceMap::default();
    let mut problem = Problem::load(&mut sources, request, Selection::Abstract).unwrap();
    let predicates = read_predicates(&mut sources, &mut problem, None, false).unwrap();
    abstraction(&problem, &predicates, options, &budget(threads)).unwrap()
}

/// PlaJA's model of that name, its first property, as PlaJA counts.
fn small(name: &str, method: Method) -> Option<Abstracted> {
    let model = plaja()?.join(name);
    let request = Request { model, property: Some("0".to_owned()), plaja_compat: true, ..Request::default() };
    Some(run(&request, &AbstractOptions { plaja: true, method, ..AbstractOptions::default() }, 1))
}

fn successors(abstraction: &Abstraction, state: usize) -> BTreeSet<StateId> {
    abstraction.transitions[state].iter().map(|(_, target)| *target).collect()
}

fn values(abstraction: &Abstraction, state: StateId) -> Vec<bool> {
    abstraction.states.get(state).values.iter().collect()
}

fn blocksworld() -> Option<Request> {
    let folder = plaja()?.join("icaps22/blocksworld");
    let properties = "additional_properties/safety_verification/cost05/blocksworld_6_5/\
                      compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal/\
                      pa_compact_starts_cost_predicates_afterwards_blocksworld_6_5_32_32.jani";
    Some(Request {
        model: folder.join("models/cost05/blocksworld_6_5.jani"),
        properties: vec![folder.join(properties)],
        property: Some("1".to_owned()),
        plaja_compat: true,
        ..Request::default()
    })
}

#[test]
fn six_blocks_with_forty_three_predicates() {
    let Some(request) = blocksworld() else { return };
    let options = AbstractOptions { plaja: true, ..AbstractOptions::default() };
    for threads in [1, 2] {
        let result = run(&request, &options, threads);
        let f = result.figures;
        assert_eq!((f.predicates, f.start_states, f.expanded_states), (43, 171, 433));
        assert_eq!((f.reachable_states, f.transitions, f.unsafe_states), (433, 1005, 0));
        assert_eq!((result.conclusion, result.assumptions), (Conclusion::Holds, Vec::new()));
    }
}

#[test]
fn the_papers_expansion_finds_the_same_of_six_blocks() {
    let Some(request) = blocksworld() else { return };
    let method = Method::Paper(Configuration::RELAXED_THEN_EXACT);
    let result = run(&request, &AbstractOptions { plaja: true, method, ..AbstractOptions::default() }, 2);
    let f = result.figures;
    assert_eq!((f.start_states, f.reachable_states, f.transitions), (171, 433, 1005));
}

#[test]
fn the_initial_state_of_for_pa_has_23_successors() {
    for method in [Method::Builtin, Method::Paper(Configuration::PLAIN)] {
        let Some(result) = small("for_pa.jani", method) else { return };
        let start = result.abstraction.states.get(StateId(0));
        assert_eq!((result.abstraction.start, start.locations.len(), start.values.len()), (1, 5, 12));
        let (f, t) = (false, true);
        assert_eq!(values(&result.abstraction, StateId(0)), [f, t, t, f, f, f, f, f, f, t, t, f]);
        assert_eq!(successors(&result.abstraction, 0).len(), 23);
        assert_eq!(result.conclusion, Conclusion::Nothing);
    }
}

#[test]
fn the_initial_state_of_for_pa2_has_one_successor() {
    for method in [Method::Builtin, Method::Paper(Configuration::PLAIN)] {
        let Some(result) = small("for_pa2.jani", method) else { return };
        assert_eq!(values(&result.abstraction, StateId(0)), [true, false]);
        let successors: Vec<StateId> = successors(&result.abstraction, 0).into_iter().collect();
        assert_eq!(successors.len(), 1);
        let next = result.abstraction.states.get(successors[0]);
        assert_eq!((&*next.locations, values(&result.abstraction, successors[0])), (&[1][..], vec![true, false]));
    }
}

#[test]
fn the_policy_of_for_ppa_simple_leaves_one_successor() {
    for method in [Method::Builtin, Method::Paper(Configuration::RELAXED)] {
        let Some(result) = small("for_ppa_simple.jani", method) else { return };
        assert_eq!(values(&result.abstraction, StateId(0)), [true, false]);
        let successors: Vec<StateId> = successors(&result.abstraction, 0).into_iter().collect();
        assert_eq!(successors.len(), 1);
        let next = result.abstraction.states.get(successors[0]);
        assert_eq!((&*next.locations, values(&result.abstraction, successors[0])), (&[1][..], vec![true, false]));
    }
}

/// The successors of the initial abstract state after a change to it.
fn successors_after(name: &str, change: impl Fn(&Problem, &mut Vec<bool>, &mut [u32])) -> Option<Vec<AbstractState>> {
    let model = plaja()?.join(name);
    let request = Request { model, property: Some("0".to_owned()), plaja_compat: true, ..Request::default() };
    let mut problem = read(&request, Selection::Abstract);
    let Ok(Question::Safety(safety)) = problem.lowered.question(0) else { panic!("no safety property") };
    let mut system = System::new(problem.model(), problem.policy(), &safety, false).unwrap();
    let (set, _) = PredicateSet::new(system.lowering().space(), &system.given.clone().unwrap(), true);
    let found = search(&mut system, &set, &Options { states: Some(0), ..Options::default() }).unwrap();
    let start = found.states.get(StateId(0));
    let (mut values, mut locations) = (start.values.iter().collect(), start.locations.clone());
    change(&problem, &mut values, &mut locations);
    let state = AbstractState { locations, values: Assignment::new(values.into_iter()) };
    let moves = system.moves(&set, &state.locations).unwrap();
    let mut oracle = BranchAndBound::new(surefoot_oracle::Options::default());
    let limits = Limits::default();
    let (transitions, stopped) = expand(&system, &set, &moves, &state, Method::Builtin, &mut oracle, &limits);
    assert_eq!(stopped, None);
    let targets: BTreeSet<AbstractState> = transitions.into_iter().map(|transition| transition.target).collect();
    Some(targets.into_iter().collect())
}

fn instance(problem: &Problem, name: &str) -> usize {
    problem.model().instances.iter().position(|instance| &*instance.name == name).unwrap()
}

#[test]
fn other_states_of_for_pa() {
    let Some(enabled) = successors_after("for_pa.jani", |_, values, _| values[0] = true) else { return };
    assert_eq!(enabled.len(), 4);
    let moved = successors_after("for_pa.jani", |problem, _, locations| locations[instance(problem, "A2")] = 5);
    assert_eq!(moved.unwrap().len(), 2);
}

#[test]
fn beyond_two_the_policy_of_for_ppa_simple_has_no_move() {
    let Some(unchanged) = successors_after("for_ppa_simple.jani", |_, _, _| {}) else { return };
    assert_eq!(unchanged.len(), 1);
    let beyond = successors_after("for_ppa_simple.jani", |_, values, _| values[1] = true);
    assert_eq!(beyond.unwrap().len(), 0);
}
