//! The probabilistic abstraction against all concrete states, and its largest value against interval iteration on all of it.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_abstraction::{AbstractState, Oracles, PredicateSet, System};
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

/// The predicates of the unsafety condition, and some thresholds.
fn predicates(system: &System<'_>, random: &mut Random) -> PredicateSet {
    let space = system.lowering().space();
    let mut given: Vec<Formula> = atoms(space, system.reach(), system.model().instances.len());
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

#[test]
fn transitions_are_those_of_all_states_and_both_searches_agree() {
    let (compared, between) = (Cell::new(0u64), Cell::new(0u64));
    for_seeds_of(random_chances, seeds(73_000_000, 150), &Size { states: 200, ..Size::default() }, |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        let predicates = predicates(&system, &mut random);
        let expected = by_brute_force(&instance, &system, &predicates);
        let (oracles, limits) = (Oracles::<BranchAndBound>::seeded(0), Limits::default());
        let mut lowered = Lowered::default();
        let mut starts = Vec::new();
        if instance.starts().is_empty() {
            return;
        }
        let made = Process::new(&mut system, &predicates, &mut lowered, &mut starts, &oracles, &limits);
        let mut process = made.unwrap_or_else(|halt| panic!("{halt:?}"));
        // By search, as far as it needs to go.
        let optimum = max_prob(&mut process, &mut Fret::new(case.seed)).unwrap_or_else(|halt| panic!("{halt:?}"));
        let seen = process.open().count();
        let (lower, upper) = reference(&mut process).unwrap_or_else(|halt| panic!("{halt:?}"));
        let (low, high) = (optimum.lower.to_f64(), optimum.upper.to_f64());
        assert!(low <= upper && lower <= high, "[{low}, {high}] and [{lower}, {upper}]");
        assert!(high - low < 1e-6 && upper - lower < 1e-6, "[{low}, {high}] and [{lower}, {upper}]");
        between.set(between.get() + u64::from(lower > 0.01 && upper < 0.99) + u64::from(seen > 0) * 1000);
        expand_all(&mut process).unwrap_or_else(|halt| panic!("{halt:?}"));
        let Some(expected) = expected else { return };
        for (id, state) in process.states.iter() {
            let Place::Expanded(transitions) = &process.places[id.index()] else { continue };
            let told = |targets: &[surefoot_abstraction::StateId]| -> Vec<AbstractState> {
                targets.iter().map(|id| process.states.get(*id).clone()).collect()
            };
            let found: BTreeSet<_> = transitions
                .iter()
                .map(|t| (process.operators(id).joints[t.by].rules[0].operator.clone(), told(&t.targets)))
                .collect();
            assert_eq!(found, expected[state], "{state:?}");
            compared.set(compared.get() + 1);
        }
    });
    let (values, lazy) = (between.get() % 1000, between.get() / 1000);
    assert!(
        compared.get() > 500 && values > 15 && lazy > 10,
        "{} states, {values} values, {lazy} lazily",
        compared.get()
    );
}
