//! Systems with their policy as part of them, against what they encode: the same largest probability, by definition and by exploration.
//!
//! The encoding is read back like any model, without a policy. Where nothing was rounded, the largest probability of reaching an unsafe state is that of
//! the original under its policy, which brute force gives by definition.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::setting::{MOST, largest, size};
use common::truth::{Fault, Formula, Process};
use common::{budget, exactly, interval, problem, rational, run};
use surefoot_encode::{Encoded, Options, Starts, Subject, Target, encode};
use surefoot_fixtures::{Random, seeds};
use surefoot_jani::syntax::PathOp;
use surefoot_linear::Linear;
use surefoot_model::policy::{PolicyNetwork, Ties};
use surefoot_model::{Interpreter, State, TermId};
use surefoot_network::{Layer, Network};
use surefoot_num::Rational;
use surefoot_testkit::{Case, for_seeds, for_seeds_of, load_text, random_chances, random_policy};
use surefoot_verify::{EngineChoice, Problem};

/// How many of what were met.
#[derive(Default)]
struct Met {
    compared: AtomicUsize,
    real: AtomicUsize,
    likely: AtomicUsize,
    governed: AtomicUsize,
    rounded: AtomicUsize,
    refused: AtomicUsize,
}

fn count(which: &AtomicUsize) {
    which.fetch_add(1, Ordering::Relaxed);
}

/// The first property of a random model, under a random policy.
fn instance(case: &Case) -> (Problem, TermId) {
    let mut random: Random = case.random();
    let mut lowered = load_text(&case.jani);
    let second = surefoot_testkit::safety(&mut lowered, 1);
    let conditions: Vec<TermId> = second.reach.into_iter().collect();
    let mut policy = if random.percent(90) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
    if let Some(policy) = policy.as_mut().filter(|_| random.percent(80)) {
        policy.networks.iter_mut().for_each(coarsen);
        policy.ties = if policy.ties == Ties::Plaja { Ties::Any } else { policy.ties };
    }
    let mut problem = problem(lowered, policy, 0);
    problem.query.goal_terminal = problem.query.goal.is_some() && random.percent(40);
    let target = problem.query.target.expect("the property is about unsafe states");
    (problem, target)
}

/// Weights of few bits, so that nothing has to be rounded: random ones are chosen to be awkward.
fn coarsen(network: &mut PolicyNetwork) {
    let near = |weight: f64| (weight.clamp(-9.0, 9.0) * 4.0).round() / 4.0;
    let layer = |layer: &Layer| {
        let all = |numbers: &[f64]| numbers.iter().map(|weight| near(*weight)).collect();
        Layer::new(layer.input_len(), all(&layer.weights()), all(layer.bias()), layer.activation())
            .expect("the same shape")
    };
    let layers = network.network.layers().iter().map(layer).collect();
    network.network = Arc::new(Network::new(layers).expect("the same shape"));
    let half = |number: &Rational| &(number * &Rational::from(2)).floor() * &rational("1/2");
    for form in &mut network.inputs {
        let terms = form.terms().iter().map(|(symbol, weight)| (*symbol, half(weight))).collect();
        *form = Linear::new(terms, half(form.constant()));
    }
}

fn encoded(problem: &Problem, target: TermId, options: Options) -> Result<Encoded, String> {
    let query = &problem.query;
    let subject = Subject {
        model: problem.model(),
        policy: problem.policy(),
        start: &query.start,
        unsafe_states: target,
        terminal: query.goal.filter(|_| query.goal_terminal),
    };
    encode(&subject, &options).map_err(|refusal| refusal.message)
}

fn finally(right: TermId) -> Formula {
    Formula { op: PathOp::Finally, left: None, right }
}

/// The largest probability of an encoding, by exploration.
fn explored(text: &str) -> Rational {
    let read = problem(load_text(text), None, 0);
    let outcome =
        run(&read, EngineChoice::EXPLICIT, &exactly(), &budget(1)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (lower, upper) = interval(&outcome);
    assert_eq!(lower, upper, "it was asked for exactly");
    lower
}

fn check(case: &Case, met: &Met) {
    let (problem, target) = instance(case);
    let Ok(process) = Process::of(&problem, finally(target), MOST) else { return };
    let value = largest(&process.values(true, None));
    for (target_checker, starts) in
        [(Target::Storm, Starts::Initial), (Target::Storm, Starts::Edges), (Target::JaniReal, Starts::Edges)]
    {
        let options = Options { target: target_checker, precision: None, starts };
        match encoded(&problem, target, options) {
            Err(message) => {
                let known = ["cannot be encoded", "compute exactly below 2^53 only", "applicability filter needs them"];
                assert!(known.iter().any(|known| message.contains(known)), "{message}");
                count(&met.refused);
            }
            Ok(Encoded { figures, .. }) if !figures.exact => count(&met.rounded),
            Ok(Encoded { text, .. }) if target_checker == Target::JaniReal => {
                assert_eq!(by_definition(&text), value, "real neurons\n{text}");
                count(&met.real);
            }
            Ok(Encoded { text, .. }) => {
                assert_eq!(explored(&text), value, "{starts:?}\n{text}");
                count(&met.compared);
                if value.signum() > 0 {
                    count(&met.likely);
                }
                if problem.policy().is_some() {
                    count(&met.governed);
                }
            }
        }
    }
}

/// The largest probability of an encoding with real neurons, which has one initial state.
fn by_definition(text: &str) -> Rational {
    let read = problem(load_text(text), None, 0);
    let Some(quantity) = &read.query.quantity else { panic!("a probability is asked for") };
    let initial: Option<Box<[Rational]>> = read.model().slots.iter().map(|slot| slot.initial.clone()).collect();
    let initial = State(initial.expect("one initial state"));
    assert!(Interpreter::new(read.model()).holds(read.model().restrict_initial, &initial).expect("a value"));
    match Process::from(&read, finally(quantity.right), vec![initial], 12 * MOST) {
        Ok(process) => largest(&process.values(true, None)),
        Err(Fault::Error | Fault::Large) => panic!("the encoding is in error or too large\n{text}"),
    }
}

#[test]
fn encodings_have_the_probability_of_what_they_encode() {
    let met = Met::default();
    for_seeds(seeds(0, 300), &size(), |case| check(case, &met));
    for_seeds_of(random_chances, seeds(0, 200), &size(), |case| check(case, &met));
    let of = |which: &AtomicUsize| which.load(Ordering::Relaxed);
    let all = [&met.compared, &met.real, &met.likely, &met.governed].map(of);
    assert!(all.iter().all(|met| *met > 20), "{all:?}: too little was compared");
    assert!(of(&met.rounded) > 0 && of(&met.refused) > 0, "awkward policies and models were met too");
}
