//! Verdicts against brute force over all reachable states, on random models and policies, for every strategy.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::cell::Cell;
use std::collections::BTreeSet;

use surefoot_abstraction::System;
use surefoot_cegar::{
    Cegar, Failure, Options, Order, Outcome, PathCheck, PolicyRefinement, Strategy, Variables, cegar,
};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Random, Size, for_seeds, load_text, random_policy, seeds};

/// Models with more states are left out.
const MOST_STATES: usize = 4_000;

fn safety(lowered: &mut Lowered, property: usize) -> Safety {
    match lowered.question(property) {
        Ok(Question::Safety(safety)) => safety,
        other => panic!("not a safety property: {other:?}"),
    }
}

/// All states of the domains; none if there are too many.
fn all_states(model: &Model) -> Option<Vec<State>> {
    let mut states: Vec<Vec<Rational>> = vec![Vec::new()];
    for (index, slot) in model.slots.iter().enumerate() {
        let (lower, upper) = match model.instances.get(index) {
            Some(instance) => (0, instance.locations.len() as i64 - 1),
            None => slot.domain.int_bounds()?,
        };
        if states.len() * usize::try_from(upper - lower + 1).unwrap() > MOST_STATES {
            return None;
        }
        let extended = |state: &Vec<Rational>| {
            (lower..=upper).map(|value| [state.as_slice(), &[Rational::from(value)]].concat()).collect::<Vec<_>>()
        };
        states = states.iter().flat_map(extended).collect();
    }
    Some(states.into_iter().map(|state| State(state.into())).collect())
}

struct Truth<'m> {
    interpreter: Interpreter<'m>,
    policy: Option<&'m Policy>,
    property: &'m Safety,
    goal_terminal: bool,
    start: Vec<State>,
}

/// What brute force says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Verdict {
    is_unsafe: bool,
    /// Some update or condition of a reachable state is an error.
    error: bool,
    /// Some guard or the policy has no value in a reachable state, so that its successors are not known.
    unclear: bool,
}

impl Truth<'_> {
    fn holds(&self, term: Option<TermId>, state: &State) -> Option<bool> {
        term.map_or(Some(false), |term| self.interpreter.holds(term, state).ok())
    }

    /// Successors of a state, and whether some operator is an error there; `None` where that has no answer.
    fn successors(&self, state: &State) -> Option<(Vec<State>, bool)> {
        if self.goal_terminal && self.holds(self.property.goal, state)? {
            return Some((Vec::new(), false));
        }
        let operators = self.interpreter.permitted_operators(state, self.policy).ok()?;
        let (mut successors, mut error) = (Vec::new(), false);
        for operator in operators {
            match self.interpreter.choice(state, operator) {
                Ok(choice) => successors.extend(choice.outcomes.into_iter().flat_map(|o| o.successors)),
                Err(_) => error = true,
            }
        }
        Some((successors, error))
    }

    fn verdict(&self) -> Verdict {
        let mut verdict = Verdict::default();
        let mut seen: BTreeSet<Vec<Rational>> = BTreeSet::new();
        let mut work = self.start.clone();
        while let Some(state) = work.pop() {
            if !seen.insert(state.0.to_vec()) {
                continue;
            }
            match self.holds(self.property.reach, &state) {
                // What comes after an unsafe state does not matter.
                Some(true) => {
                    verdict.is_unsafe = true;
                    continue;
                }
                Some(false) => {}
                None => verdict.error = true,
            }
            match self.successors(&state) {
                Some((successors, error)) => {
                    verdict.error |= error;
                    work.extend(successors);
                }
                None => verdict.unclear = true,
            }
        }
        verdict
    }

    /// Whether states are a run from a start state.
    fn is_run(&self, states: &[State]) -> bool {
        let steps =
            states.windows(2).all(|pair| self.successors(&pair[0]).is_some_and(|(next, _)| next.contains(&pair[1])));
        self.start.contains(&states[0]) && steps
    }
}

fn check(truth: &Truth<'_>, expected: Verdict, outcome: &Outcome, what: &str) {
    match outcome {
        Outcome::Safe(invariant) => {
            assert!(!expected.is_unsafe, "{what}: safe, and an unsafe state is reachable");
            assert!(invariant.open_fault.is_none(), "{what}: no limits");
            assert!(!expected.error && !expected.unclear, "{what}: safe, and an error is reachable");
        }
        Outcome::Unsafe(states) => {
            // Past a state in which a guard has no value, brute force sees nothing.
            assert!(expected.is_unsafe || expected.unclear, "{what}: no unsafe state is reachable: {states:?}");
            assert!(truth.is_run(states) || expected.unclear, "{what}: not a run");
            assert_eq!(truth.holds(truth.property.reach, states.last().unwrap()), Some(true), "{what}");
        }
        Outcome::Fault(fault, states) => {
            assert!(
                expected.error || expected.unclear,
                "{what}: {}, and no error is reachable: {states:?}",
                fault.what
            );
            assert!(truth.is_run(states) || expected.unclear, "{what}: not a run");
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
    varied.preconditions.along = random.percent(50);
    varied.preconditions.only_open = random.percent(50);
    varied.preconditions.guards = random.percent(30);
    varied.preconditions.predicates = random.percent(30);
    strategies.push((format!("{name}, varied"), varied));
    strategies
}

fn compare(first: u64, cases: u64) {
    let (safe, violated, faults) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    for_seeds(seeds(first, cases), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(85) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        let model = &lowered.model;
        let Some(states) = all_states(model) else { return };
        let property = &properties[random.below(PROPERTIES)];
        let interpreter = policy.as_ref().map_or(Interpreter::new(model), |p| Interpreter::with_policy(model, p));
        let holds = |state: &&State| {
            let here = |condition: &TermId| interpreter.holds(*condition, state).unwrap_or(false);
            property.start.conditions.iter().any(here) || property.start.states.contains(state)
        };
        let start: Vec<State> = states.iter().filter(holds).cloned().collect();
        let goal_terminal = random.percent(40);
        let truth = Truth { interpreter, policy: policy.as_ref(), property, goal_terminal, start };
        let expected = truth.verdict();
        let Ok(mut system) = System::new(model, policy.as_ref(), property, goal_terminal) else { return };
        let mut run = |strategy: Strategy, seed: u64, incremental: bool| -> Option<Cegar> {
            let options = Options { strategy, seed, incremental, ..Options::default() };
            match cegar(&mut system, &[], &options, &mut ()) {
                Ok(run) => Some(run),
                Err(Failure::NoStart) => {
                    assert!(truth.start.is_empty());
                    None
                }
                Err(Failure::Refused(_)) => None,
                Err(failure @ Failure::NoProgress { .. }) => panic!("{failure}"),
            }
        };
        for (name, strategy) in random_strategies(&mut random) {
            let seed = if random.percent(50) { 0 } else { random.next_u64() };
            let what = format!("{name}, seed {seed}");
            let Some(found) = run(strategy, seed, true) else { return };
            check(&truth, expected, &found.outcome, &what);
            let afresh = run(strategy, seed, false).unwrap();
            assert_eq!(found.predicates.formulas(), afresh.predicates.formulas(), "{what}: without earlier iterations");
            assert_eq!(found.figures.iterations, afresh.figures.iterations, "{what}");
            assert_eq!(found.figures.reachable_states, afresh.figures.reachable_states, "{what}");
        }
        let counter = match expected {
            Verdict { is_unsafe: true, .. } => &violated,
            Verdict { is_unsafe: false, error: false, unclear: false } => &safe,
            _ => &faults,
        };
        counter.set(counter.get() + 1);
    });
    let least = cases / 20;
    let found = (safe.get(), violated.get(), faults.get());
    assert!(found.0 > least && found.1 > least && found.2 > 0, "{found:?} safe, unsafe, in error");
}

#[test]
fn verdicts_are_those_of_all_states() {
    compare(31_000_000, 150);
}

#[test]
#[ignore = "slow: thousands of models"]
fn verdicts_are_those_of_all_states_of_many_models() {
    compare(32_000_000, 4_000);
}
