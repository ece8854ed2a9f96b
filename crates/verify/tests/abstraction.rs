//! Figures of predicate abstractions, recorded from PlaJA's own tests.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{budget, problem, read};
use surefoot_abstraction::transition::transitions;
use surefoot_abstraction::{
    AbstractState, Abstraction, Configuration, Method, Options, Oracles, PredicateSet, StateId, System, search,
};
use surefoot_fixtures::shared_data;
use surefoot_model::property::Question;
use surefoot_oracle::{Assignment, BranchAndBound, Limits};
use surefoot_testkit::load_text;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::abstraction::read_predicates;
use surefoot_verify::{AbstractOptions, Abstracted, Problem, Request, Selection, Verdict, abstraction};

fn plaja() -> Option<PathBuf> {
    Some(shared_data(env!("CARGO_MANIFEST_DIR"))?.join("plaja"))
}

fn run(request: &Request, options: &AbstractOptions, threads: usize) -> Abstracted {
    let mut sources = SourceMap::default();
    let mut problem = Problem::load(&mut sources, request, Selection::Abstract).unwrap();
    let predicates = read_predicates(&mut sources, &mut problem, None, false).unwrap();
    abstraction(&problem, &predicates, options, &budget(threads), &Silent).unwrap()
}

/// PlaJA's model of that name, its first property, as PlaJA counts.
fn small(name: &str, method: Method) -> Option<Abstracted> {
    let model = plaja()?.join(name);
    let request =
        Request { model: (&model).into(), property: Some("0".to_owned()), plaja_compat: true, ..Request::default() };
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
        model: (&folder.join("models/cost05/blocksworld_6_5.jani")).into(),
        properties: vec![(&folder.join(properties)).into()],
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
        assert!(result.assumptions().is_empty() && matches!(result.conclusion, Some(Verdict::Holds(_))));
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
        assert!(result.conclusion.is_none(), "{:?}", result.conclusion);
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

/// PlaJA's model of that name with its first property, its text changed before it is read.
fn changed(name: &str, change: impl Fn(&mut serde_json::Value)) -> Option<Problem> {
    let mut model = serde_json::from_str(&std::fs::read_to_string(plaja()?.join(name)).unwrap()).unwrap();
    change(&mut model);
    Some(problem(load_text(&model.to_string()), None, 0))
}

fn unchanged(name: &str) -> Option<Problem> {
    let model = plaja()?.join(name);
    let request =
        Request { model: (&model).into(), property: Some("0".to_owned()), plaja_compat: true, ..Request::default() };
    Some(read(&request, Selection::Abstract))
}

/// The successors of the initial abstract state after a change to it.
fn successors_after(mut problem: Problem, change: impl Fn(&Problem, &mut Vec<bool>, &mut [u32])) -> Vec<AbstractState> {
    let Ok(Question::Safety(safety)) = problem.lowered.question(0) else { panic!("no safety property") };
    let mut system = System::new(problem.model(), problem.policy(), &safety, false).unwrap();
    let (set, _) = PredicateSet::new(system.lowering().space(), &system.given.clone().unwrap(), true);
    let found =
        search(&mut system, &set, &Options { states: Some(0), ..Options::default() }, &Oracles::seeded(0), &Silent)
            .unwrap();
    let start = found.states.get(StateId(0));
    let (mut values, mut locations) = (start.values.iter().collect(), start.locations.clone());
    change(&problem, &mut values, &mut locations);
    let state = AbstractState { locations, values: Assignment::new(values.into_iter()) };
    let moves = system.moves(&set, &state.locations).unwrap();
    let mut oracle = BranchAndBound::new(surefoot_oracle::Options::default());
    let limits = Limits::default();
    let (transitions, stopped) = transitions(&system, &set, &moves, &state, Method::Builtin, &mut oracle, &limits);
    assert_eq!(stopped, None);
    let targets: BTreeSet<AbstractState> = transitions.into_iter().map(|transition| transition.target).collect();
    targets.into_iter().collect()
}

fn instance(problem: &Problem, name: &str) -> usize {
    problem.model().instances.iter().position(|instance| &*instance.name == name).unwrap()
}

#[test]
fn other_states_of_for_pa() {
    let Some(problem) = unchanged("for_pa.jani") else { return };
    let fourth = instance(&problem, "A4");
    let enabled = successors_after(problem, |_, values, _| values[0] = true);
    assert_eq!(enabled.len(), 4);
    assert!(enabled.iter().all(|state| state.locations[fourth] == 1 && !state.values.get(11)), "at 1, not beyond 3");
    let moved = |problem: &Problem, _: &mut Vec<bool>, locations: &mut [u32]| locations[instance(problem, "A2")] = 5;
    assert_eq!(successors_after(unchanged("for_pa.jani").unwrap(), moved).len(), 2);
}

#[test]
fn a_vector_with_one_more_participant_leaves_22_successors_of_for_pa() {
    let join = |model: &mut serde_json::Value| {
        let vector = &mut model["system"]["syncs"][1]["synchronise"];
        assert_eq!(vector.to_string(), r#"["label_alt1",null,"label_alt2",null,null]"#);
        vector[1] = "label_alt1".into();
    };
    let Some(problem) = changed("for_pa.jani", join) else { return };
    assert_eq!(successors_after(problem, |_, _, _| {}).len(), 22);
    let as_it_is = changed("for_pa.jani", |_| {}).unwrap();
    assert_eq!(successors_after(as_it_is, |_, _, _| {}).len(), 23);
}

#[test]
fn beyond_two_the_policy_of_for_ppa_simple_has_no_move() {
    let Some(problem) = unchanged("for_ppa_simple.jani") else { return };
    assert_eq!(successors_after(problem, |_, _, _| {}).len(), 1);
    let beyond = successors_after(unchanged("for_ppa_simple.jani").unwrap(), |_, values, _| values[1] = true);
    assert_eq!(beyond.len(), 0);
}
