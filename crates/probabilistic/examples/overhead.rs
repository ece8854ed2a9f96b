//! What distributions cost (the paper's Figure 3): the time for the reachable part of the probabilistic abstraction and of the one without probabilities, for
//! the same predicates.
//!
//!     cargo run --release -p surefoot-probabilistic --example overhead -- MODEL PROPERTIES POLICY PREDICATES...
//!
//! Predicates are files of `surefoot zoo predicates`; more than one is a column of growing sets.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement: what is wrong with the files is the message"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use surefoot_abstraction::{Options, Oracles, PredicateSet, System, search};
use surefoot_cegar::atoms::at_least;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::policy::read::read_policy;
use surefoot_num::Rational;
use surefoot_oracle::Limits;
use surefoot_probabilistic::paper::maxprob::expand_all;
use surefoot_probabilistic::paper::process::{Lowered, Process};
use surefoot_testkit::{load, safety};
use surefoot_verdict::Silent;

/// Of so many measurements the best counts.
const TIMES: usize = 3;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [model, properties, policy, predicates @ ..] = files.as_slice() else {
        println!("MODEL PROPERTIES POLICY PREDICATES...");
        return;
    };
    let (mut lowered, mut sources) = load(Path::new(model), Some(Path::new(properties)), &[]);
    let (policy, _) = read_policy(&mut lowered, &mut sources, Path::new(policy)).unwrap();
    let safety = safety(&mut lowered, 0);
    println!("predicates  states  transitions  without ms  states  transitions  with ms  ratio");
    for file in predicates {
        let mut system = System::new(&lowered.model, Some(&policy), &safety, false).unwrap();
        let predicates = thresholds(&system, Path::new(file));
        let (mut plain, mut chance): (Duration, Duration) = (Duration::MAX, Duration::MAX);
        let (mut counts, mut others) = ((0, 0), (0, 0));
        for _ in 0..TIMES {
            let oracles = Oracles::seeded(0);
            let begin = Instant::now();
            let found = search(&mut system, &predicates, &Options::default(), &oracles, &Silent).unwrap();
            plain = plain.min(begin.elapsed());
            counts = (found.states.len(), found.transitions.iter().map(Vec::len).sum());
            let oracles = Oracles::seeded(0);
            let (mut lowered, mut starts, limits) = (Lowered::default(), Vec::new(), Limits::default());
            let begin = Instant::now();
            let mut process =
                Process::new(&mut system, &predicates, &mut lowered, &mut starts, &oracles, &limits).unwrap();
            expand_all(&mut process).unwrap();
            chance = chance.min(begin.elapsed());
            others = (process.states.len(), process.transitions);
        }
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:>10}  {:>6}  {:>11}  {:>10.1}  {:>6}  {:>11}  {:>7.1}  {:>5.2}",
            predicates.len(),
            counts.0,
            counts.1,
            milliseconds(plain),
            others.0,
            others.1,
            milliseconds(chance),
            chance.as_secs_f64() / plain.as_secs_f64()
        );
    }
}

/// The thresholds of a file, `c <= x` each; and the unsafety condition, which tells where the search ends.
fn thresholds(system: &System<'_>, file: &Path) -> PredicateSet {
    let (model, space) = (system.model(), system.lowering().space());
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut given: Vec<Formula> = surefoot_cegar::atoms::atoms(space, system.reach(), model.instances.len());
    for predicate in json.as_array().unwrap() {
        let name = predicate["right"].as_str().unwrap();
        let slot = model.slots.iter().position(|slot| &*slot.name == name).unwrap();
        given.push(at_least(space, Symbol::at(slot), &Rational::from(predicate["left"].as_i64().unwrap())));
    }
    PredicateSet::new(space, &given, false).0
}
