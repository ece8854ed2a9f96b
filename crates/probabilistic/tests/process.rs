//! The probabilistic abstraction against all concrete states, and its largest value against interval iteration on all of it.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_abstraction::{AbstractState, Oracles, PredicateSet, StateId, System};
use surefoot_cegar::atoms::{at_least, atoms};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, State};
use surefoot_num::Rational;
use surefoot_oracle::{BranchAndBound, Limits};
use surefoot_probabilistic::paper::fret::Fret;
use surefoot_probabilistic::paper::maxprob::{expand_all, max_prob, reference};
use surefoot_probabilistic::paper::process::{Lowered, Place, Process};
use surefoot_testkit::{Case, Instance, Size, for_seeds_of, random_chances};

/// Given predicates (those of the unsafety condition, where there are none), and some thresholds.
fn predicates(system: &System<'_>, given: &[Formula], random: &mut Random) -> PredicateSet {
    let space = system.lowering().space();
    let mut given = given.to_vec();
    if given.is_empty() {
        given = atoms(space, system.reach(), system.model().instances.len());
    }
    for slot in system.model().instances.len()..system.model().slots.len() {
        let (lower, upper) = system.model().slots[slot].domain.int_bounds().unwrap();
        if random.percent(60) && lower < upper {
            given.push(at_least(space, Symbol::at(slot), &Rational::from(random.between(lower + 1, upper))));
        }
    }
    PredicateSet::new(space, &given, false).0
}

type Distributions = BTreeMap<AbstractState, BTreeSet<(Operator, Vec<AbstractState>)>>;

/// What all concrete states do, told by abstract states; `None` where one of them is in error.
fn by_brute_force(instance: &Instance, system: &System<'_>, predicates: &PredicateSet) -> Option<Distributions> {
    let policy = instance.policy.as_ref();
    let interpreter =
        policy.map_or(Interpreter::new(instance.model()), |policy| Interpreter::with_policy(instance.model(), policy));
    let mut all = Distributions::new();
    for state in &instance.states {
        let of = |state: &State| system.abstract_of(predicates, state);
        let found = all.entry(of(state)).or_default();
        let goal = instance.property.goal.filter(|_| instance.goal_terminal);
        if goal.is_some_and(|goal| interpreter.holds(goal, state).unwrap()) {
            continue;
        }
        for choice in interpreter.permitted_choices(state, policy).ok()? {
            let mut tuples: Vec<Vec<AbstractState>> = vec![Vec::new()];
            for outcome in &choice.outcomes {
                let targets: BTreeSet<AbstractState> = outcome.successors.iter().map(of).collect();
                let with = |tuple: &Vec<AbstractState>, target: &AbstractState| -> Vec<AbstractState> {
                    tuple.iter().chain([target]).cloned().collect()
                };
                tuples = tuples.iter().flat_map(|tuple| targets.iter().map(move |t| with(tuple, t))).collect();
            }
            found.extend(tuples.into_iter().map(|tuple| (choice.operator.clone(), tuple)));
        }
    }
    Some(all)
}

/// Compares the transitions of all states that are expanded; says how many there are.
fn compare(process: &Process<'_, '_, BranchAndBound>, expected: &Distributions) -> u64 {
    let mut compared = 0;
    for (id, state) in process.states.iter() {
        let Place::Expanded(transitions) = &process.places[id.index()] else { continue };
        let told = |targets: &[StateId]| targets.iter().map(|id| process.states.get(*id).clone()).collect();
        let operator = |by: usize| process.operators(id).joints[by].rules[0].operator.clone();
        let found: BTreeSet<_> = transitions.iter().map(|t| (operator(t.by), told(&t.targets))).collect();
        assert_eq!(found, expected[state], "{state:?}");
        compared += 1;
    }
    compared
}

#[test]
fn transitions_are_those_of_all_states_and_both_searches_agree() {
    let (compared, between, lazy) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    for_seeds_of(random_chances, seeds(73_000_000, 150), &Size { states: 200, ..Size::default() }, |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        if instance.starts().is_empty() {
            return;
        }
        let (oracles, limits) = (Oracles::<BranchAndBound>::seeded(0), Limits::default());
        let (mut lowered, mut starts) = (Lowered::default(), Vec::new());
        let mut given: Vec<Formula> = Vec::new();
        // Then with more predicates, and what is known from the first time.
        for _ in 0..2 {
            let predicates = predicates(&system, &given, &mut random);
            let expected = by_brute_force(&instance, &system, &predicates);
            let made = Process::new(&mut system, &predicates, &mut lowered, &mut starts, &oracles, &limits);
            let mut process = made.unwrap_or_else(|halt| panic!("{halt:?}"));
            // By search, as far as it needs to go.
            let optimum = max_prob(&mut process, &mut Fret::new(case.seed)).unwrap_or_else(|halt| panic!("{halt:?}"));
            lazy.set(lazy.get() + u64::from(process.open().count() > 0));
            let (lower, upper) = reference(&mut process).unwrap_or_else(|halt| panic!("{halt:?}"));
            let (low, high) = (optimum.lower.to_f64(), optimum.upper.to_f64());
            assert!(low <= upper && lower <= high, "[{low}, {high}] and [{lower}, {upper}]");
            assert!(high - low < 1e-6 && upper - lower < 1e-6, "[{low}, {high}] and [{lower}, {upper}]");
            between.set(between.get() + u64::from(lower > 0.01 && upper < 0.99));
            expand_all(&mut process).unwrap_or_else(|halt| panic!("{halt:?}"));
            compared.set(compared.get() + expected.map_or(0, |expected| compare(&process, &expected)));
            process.remember();
            given = predicates.formulas().to_vec();
        }
    });
    let (values, lazy) = (between.get(), lazy.get());
    assert!(
        compared.get() > 500 && values > 15 && lazy > 10,
        "{} states, {values} values, {lazy} lazily",
        compared.get()
    );
}
