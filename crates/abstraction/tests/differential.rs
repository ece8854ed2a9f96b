//! The abstraction against brute force over all concrete states, on random models and policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the numbers of a test are small")]

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_abstraction::{
    AbstractState, Abstraction, Configuration, Exact, Failure, Method, Options, Oracles, PredicateSet, System, search,
};
use surefoot_fixtures::seeds;
use surefoot_model::property::Safety;
use surefoot_model::{State, TermId};
use surefoot_oracle::{Assignment, FullOracle, Reference};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, Truth, all_states, for_seeds, load_text, random_policy, safety};
use surefoot_verdict::Silent;

const CASES: u64 = 150;
/// Models with more states are left out.
const MOST_STATES: usize = 6_000;
/// On models with more states the reference oracle is not asked: it looks at all of them for every question.
const MOST_FOR_REFERENCE: usize = 200;

/// All states, and which predicates hold in them.
struct Brute<'m> {
    truth: Truth<'m>,
    predicates: Vec<TermId>,
}

impl Brute<'_> {
    fn abstract_of(&self, state: &State) -> Option<AbstractState> {
        let instances = self.truth.interpreter.model().instances.len();
        let locations = state.0[..instances].iter().map(|l| l.to_i64().unwrap() as u32).collect();
        let values: Option<Vec<bool>> = self.predicates.iter().map(|p| self.truth.holds(*p, state)).collect();
        Some(AbstractState { locations, values: Assignment::new(values?.into_iter()) })
    }

    /// Successors of a state; operators that are errors are absent. None where guards or the policy are errors.
    fn successors(&self, state: &State) -> Option<Vec<State>> {
        let step = self.truth.step(state);
        (!step.unclear).then_some(step.successors)
    }
}

/// The reachable abstract transitions, by brute force.
fn brute_force(
    brute: &Brute<'_>,
    states: &[State],
    start: &[State],
) -> Option<BTreeMap<AbstractState, BTreeSet<AbstractState>>> {
    let mut edges: BTreeMap<AbstractState, BTreeSet<AbstractState>> = BTreeMap::new();
    for state in states {
        let source = edges.entry(brute.abstract_of(state)?).or_default();
        for successor in brute.successors(state)? {
            source.insert(brute.abstract_of(&successor)?);
        }
    }
    let mut reached: BTreeMap<AbstractState, BTreeSet<AbstractState>> = BTreeMap::new();
    let mut work: Vec<AbstractState> = start.iter().map(|s| brute.abstract_of(s)).collect::<Option<_>>()?;
    while let Some(state) = work.pop() {
        if let Entry::Vacant(place) = reached.entry(state) {
            let targets = edges.get(place.key()).cloned().unwrap_or_default();
            work.extend(targets.iter().cloned());
            place.insert(targets);
        }
    }
    Some(reached)
}

fn found(abstraction: &Abstraction) -> BTreeMap<AbstractState, BTreeSet<AbstractState>> {
    let targets = |id: surefoot_abstraction::StateId| {
        abstraction.transitions[id.index()].iter().map(|(t, _)| t.target.clone()).collect()
    };
    abstraction.states.iter().map(|(id, state)| (state.clone(), targets(id))).collect()
}

fn abstraction_by<O: FullOracle>(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    method: Method,
    oracles: &Oracles<O>,
) -> Result<Abstraction, Failure> {
    let options = Options { expand_unsafe: true, method, ..Options::default() };
    let result = search(system, predicates, &options, oracles, &Silent);
    assert!(result.as_ref().is_ok_and(|a| a.stopped.is_none()) || result.is_err(), "no limits");
    result
}

/// Whether all states and transitions of one graph are in another.
fn is_within(
    small: &BTreeMap<AbstractState, BTreeSet<AbstractState>>,
    large: &BTreeMap<AbstractState, BTreeSet<AbstractState>>,
) -> bool {
    small.iter().all(|(state, targets)| large.get(state).is_some_and(|more| targets.is_subset(more)))
}

#[test]
fn abstractions_are_those_of_all_states() {
    let (compared, asked_reference, moved) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0usize));
    for_seeds(seeds(23_000_000, CASES), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(80) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        let model = &lowered.model;
        let Some(states) = all_states(model, MOST_STATES) else { return };
        let property = &properties[0];
        let predicates: Vec<TermId> = conditions.iter().copied().chain(property.reach).collect();
        let brute = Brute { truth: Truth::new(model, policy.as_ref()), predicates };
        let start = brute.truth.starts(&property.start, &states);
        let Some(expected) = brute_force(&brute, &states, &start) else { return };
        let Ok(mut system) = System::new(model, policy.as_ref(), property, false) else { return };
        let mut formulas = Vec::new();
        {
            let mut lowering = surefoot_symbolic::Lowering::new(model, policy.as_ref()).unwrap();
            for predicate in &brute.predicates {
                let Ok(condition) = lowering.condition(*predicate, None, "a predicate") else { return };
                formulas.push(condition.holds);
            }
        }
        let (set, _) = PredicateSet::new(system.lowering().space(), &formulas, true);
        let oracles = Oracles::seeded(0);
        let abstraction = match abstraction_by(&mut system, &set, Method::Builtin, &oracles) {
            Ok(abstraction) => abstraction,
            Err(Failure::NoStart) => {
                assert!(start.is_empty());
                return;
            }
            Err(Failure::Refused(_)) => return,
        };
        for (id, source) in abstraction.states.iter() {
            for (transition, _) in &abstraction.transitions[id.index()] {
                let witness = &transition.witness;
                assert_eq!(brute.abstract_of(witness).as_ref(), Some(source), "{}", witness.describe(model));
                let targets: Vec<_> = brute.successors(witness).unwrap().iter().map(|s| brute.abstract_of(s)).collect();
                assert!(targets.contains(&Some(transition.target.clone())), "{}", witness.describe(model));
            }
        }
        assert_eq!(found(&abstraction), expected);
        if states.len() <= MOST_FOR_REFERENCE {
            asked_reference.set(asked_reference.get() + 1);
            let slow = abstraction_by(&mut system, &set, Method::Builtin, &Oracles::like(Reference::new())).unwrap();
            assert_eq!(found(&slow), expected, "by the reference oracle");
        }
        let relaxed =
            found(&abstraction_by(&mut system, &set, Method::Paper(Configuration::RELAXED), &oracles).unwrap());
        let plain = found(&abstraction_by(&mut system, &set, Method::Paper(Configuration::PLAIN), &oracles).unwrap());
        assert!(is_within(&expected, &relaxed) && is_within(&relaxed, &plain), "exact, relaxed and plain are nested");
        let everything = Brute { truth: Truth::new(model, None), ..brute };
        if let Some(without_policy) = brute_force(&everything, &states, &start) {
            assert_eq!(plain, without_policy, "without a policy");
        }
        let bare = Configuration {
            plain_applicability: false,
            relaxed_applicability: false,
            entailment: false,
            relations: false,
            plain_transition: false,
            relaxed_transition: false,
            exact_applicability: random.percent(50),
            exact: Exact::Direct,
        };
        for configuration in [Configuration::BRANCH_AND_BOUND, Configuration::RELAXED_THEN_EXACT, bare] {
            let exact = found(&abstraction_by(&mut system, &set, Method::Paper(configuration), &oracles).unwrap());
            assert_eq!(exact, expected, "{configuration:?}");
        }
        compared.set(compared.get() + 1);
        moved.set(moved.get() + expected.values().map(BTreeSet::len).sum::<usize>());
    });
    assert!(asked_reference.get() > CASES / 20, "{} by the reference oracle", asked_reference.get());
    assert!(
        compared.get() > CASES / 5 && moved.get() > 200,
        "{} compared, {} transitions",
        compared.get(),
        moved.get()
    );
}
