//! Verdicts against brute force over all reachable states, on random models and policies, for every strategy.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;

use surefoot_abstraction::{Oracles, System};
use surefoot_cegar::{
    Cegar, Failure, Options, Order, Outcome, PathCheck, PolicyRefinement, Strategy, Variables, cegar,
};
use surefoot_fixtures::{Random, seeds};
use surefoot_model::State;
use surefoot_oracle::{FullOracle, Reference};
use surefoot_testkit::{Case, Instance, Size, Verdict, for_seeds};

use common::covers;

/// Whether states are a run from a start state.
fn is_run(instance: &Instance, states: &[State]) -> bool {
    instance.starts().contains(&states[0]) && instance.truth().are_steps(states)
}

/// On models with more states the reference oracle is not asked.
const MOST_FOR_REFERENCE: usize = 100;

fn check(instance: &Instance, expected: Verdict, outcome: &Outcome, what: &str) {
    match outcome {
        Outcome::Safe(invariant) => {
            assert!(expected.shortest.is_none(), "{what}: safe, and an unsafe state is reachable");
            assert!(invariant.open_fault.is_none(), "{what}: no limits");
            assert!(!expected.error && !expected.unclear, "{what}: safe, and an error is reachable");
        }
        Outcome::Unsafe(states) => {
            // Past a state in which a guard has no value, brute force sees nothing.
            assert!(
                expected.shortest.is_some() || expected.unclear,
                "{what}: no unsafe state is reachable: {states:?}"
            );
            assert!(is_run(instance, states) || expected.unclear, "{what}: not a run");
            assert!(instance.truth().step(states.last().unwrap()).reached, "{what}");
        }
        Outcome::Fault(fault, states) => {
            assert!(
                expected.error || expected.unclear,
                "{what}: {}, and no error is reachable: {states:?}",
                fault.what
            );
            assert!(is_run(instance, states) || expected.unclear, "{what}: not a run");
        }
        Outcome::Unknown(stop) => panic!("{what}: {stop:?} without limits"),
    }
}

fn random_strategies(random: &mut Random) -> Vec<(String, Strategy)> {
    let named = Strategy::named();
    let mut strategies: Vec<(String, Strategy)> = named.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect();
    let (name, strategy) = *random.pick(&named);
    let order = *random.pick(&[Order::DeepestFirst, Order::ShallowestFirst, Order::BreadthFirst]);
    let mut varied = Strategy { order, path_check: PathCheck::Single, ..strategy };
    if let PolicyRefinement::Split { relaxed, variables, .. } = &mut varied.policy {
        *relaxed = true;
        if random.percent(50) {
            *variables = Variables::Verix { epsilon: 1.0 };
        }
    }
    varied.untouched = random.percent(70);
    varied.preconditions.along = random.percent(50);
    varied.preconditions.only_open = random.percent(50);
    varied.preconditions.guards = random.percent(30);
    varied.preconditions.predicates = random.percent(30);
    strategies.push((format!("{name}, varied"), varied));
    strategies
}

/// What a run ends with; nothing where there is none.
fn run<O: FullOracle>(
    system: &mut System<'_>,
    starts: &[State],
    options: &Options,
    oracles: &Oracles<O>,
) -> Option<Cegar> {
    match cegar(system, &[], options, oracles, &mut ()) {
        Ok(run) => Some(run),
        Err(Failure::Abstraction(surefoot_abstraction::Failure::NoStart)) => {
            assert!(starts.is_empty());
            None
        }
        Err(Failure::Abstraction(_)) => None,
        Err(failure @ Failure::NoProgress { .. }) => panic!("{failure}"),
    }
}

/// The loop asks the reference oracle, which looks at all states for every question, instead of branch and bound.
fn compare_by_reference(first: u64, cases: u64) {
    let (safe, other) = (Cell::new(0u64), Cell::new(0u64));
    for_seeds(seeds(first, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        if instance.states.len() > MOST_FOR_REFERENCE {
            return;
        }
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let starts = instance.starts();
        let expected = instance.truth().verdict(starts.clone());
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        let strategies = random_strategies(&mut random);
        let (name, strategy) = random.pick(&strategies).clone();
        let options = Options { strategy, ..Options::default() };
        let Some(slow) = run(&mut system, &starts, &options, &Oracles::like(Reference::new())) else { return };
        check(&instance, expected, &slow.outcome, &format!("{name}, by the reference oracle"));
        let fast = run(&mut system, &starts, &options, &Oracles::seeded(0)).unwrap();
        let kind = |outcome: &Outcome| std::mem::discriminant(outcome);
        assert!(kind(&slow.outcome) == kind(&fast.outcome) || expected.error || expected.unclear, "{name}: {fast:?}");
        let counter = if matches!(slow.outcome, Outcome::Safe(_)) { &safe } else { &other };
        counter.set(counter.get() + 1);
    });
    let found = (safe.get(), other.get());
    assert!(found.0 > cases / 40 && found.1 > cases / 40, "{found:?} safe, others");
}

fn compare(first: u64, cases: u64, curved: bool) {
    let (safe, violated, faults) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    let ranges = Cell::new(0);
    for_seeds(seeds(first, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let Some(instance) = (if curved { instance.curved(&mut random) } else { Some(instance) }) else { return };
        let (model, policy, property) = (instance.model(), instance.policy.as_ref(), &instance.property);
        let starts = instance.starts();
        let expected = instance.truth().verdict(starts.clone());
        let Ok(mut system) = System::new(model, policy, property, instance.goal_terminal) else { return };
        let mut run = |options: &Options, what: &str| {
            let found = run(&mut system, &starts, options, &Oracles::seeded(options.seed))?;
            check(&instance, expected, &found.outcome, what);
            ranges.set(ranges.get() + covers(&instance, &system, &found, what));
            Some(found)
        };
        for (name, strategy) in random_strategies(&mut random) {
            let seed = if random.percent(50) { 0 } else { random.next_u64() };
            let what = format!("{name}, seed {seed}");
            let options = Options { strategy, seed, ..Options::default() };
            let Some(found) = run(&options, &what) else { return };
            let afresh = run(&Options { incremental: false, ..options.clone() }, &what).unwrap();
            assert_eq!(found.predicates.formulas(), afresh.predicates.formulas(), "{what}: without earlier iterations");
            assert_eq!(found.figures.iterations, afresh.figures.iterations, "{what}");
            assert_eq!(found.figures.reachable_states, afresh.figures.reachable_states, "{what}");
            // Next to nothing is decided at once: transitions are assumed, refuted, and found again.
            let hasty = Options {
                choice_nodes: random.below(9) as u64,
                expansion_nodes: random.below(3) as u64,
                transition_nodes: *random.pick(&[0, 2, 50]),
                path_nodes: *random.pick(&[1, 20_000]),
                ..options
            };
            run(&hasty, &format!("{what}, hasty")).unwrap();
        }
        let counter = match expected {
            Verdict { shortest: Some(_), .. } => &violated,
            Verdict::CLEAN => &safe,
            _ => &faults,
        };
        counter.set(counter.get() + 1);
    });
    assert!(ranges.get() > 2 * cases, "{} ranges of what was not written", ranges.get());
    let least = cases / 20;
    let found = (safe.get(), violated.get(), faults.get());
    assert!(found.0 > least && found.1 > least && found.2 > 0, "{found:?} safe, unsafe, in error");
}

#[test]
fn verdicts_are_the_same_by_the_reference_oracle() {
    compare_by_reference(32_000_000, 150);
}

#[test]
fn verdicts_are_those_of_all_states() {
    compare(31_000_000, 150, false);
}

#[test]
fn verdicts_about_smooth_policies_are_those_of_all_states() {
    compare(34_000_000, 60, true);
}
