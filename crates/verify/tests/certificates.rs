//! Certificates of all verdicts of all engines on random models under random policies: written, and accepted by the checker.
//!
//! That verdicts are right is the matter of other tests. Here whatever is decided has to be certified, but for few; a certificate that the checker rejects is a failure.

mod common;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::{budget, problem, slice};
use surefoot_fixtures::seeds;
use surefoot_model::TermId;
use surefoot_model::policy::{Outputs, Ties};
use surefoot_model::property::Question;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy};
use surefoot_verdict::Silent;
use surefoot_verify::certify::{Certified, Certifying, Subject};
use surefoot_verify::{Budget, EngineChoice, Failure, Problem, VerifyOptions, verify};

const ENGINES: [EngineChoice; 4] = [EngineChoice::EXPLICIT, EngineChoice::CEGAR, EngineChoice::BMC, EngineChoice::AUTO];

/// A random problem: a model, a policy or none, one of its properties, goals that end runs or do not.
fn random_problem(case: &Case) -> Problem {
    let mut random = case.random();
    let mut lowered = load_text(&case.jani);
    let mut conditions: Vec<TermId> = Vec::new();
    for property in 0..PROPERTIES {
        let Ok(Question::Safety(safety)) = lowered.question(property) else { panic!("not a safety property") };
        conditions.extend(safety.reach);
    }
    let policy = if random.percent(85) { random_policy(&mut random, &lowered.model, &conditions[1..]) } else { None };
    let mut problem = problem(lowered, policy, random.below(PROPERTIES));
    problem.query.goal_terminal = problem.query.goal.is_some() && random.percent(40);
    if random.percent(30) {
        slice(&mut problem);
    }
    problem
}

/// Certificates by engine and verdict.
type Counts = Mutex<BTreeMap<String, usize>>;

fn count(counts: &Counts, what: String) {
    *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
}

/// Whether the policy computes values of variables instead of choosing actions.
fn computes(problem: &Problem) -> bool {
    problem.policy().is_some_and(|policy| matches!(policy.outputs, Outputs::Transients(_)))
}

/// Whether outputs that are nearly maximal count as maximal.
fn has_tolerance(problem: &Problem) -> bool {
    problem.policy().is_some_and(|policy| policy.ties == Ties::Plaja)
}

fn check(problem: &Problem, engine: EngineChoice, folder: &std::path::Path, counts: &Counts) {
    let budget = Budget { started: Instant::now(), time: Some(Duration::from_secs(3)), ..budget(1) };
    let options = VerifyOptions { keep: true, assume_no_errors: true, ..engine.into() };
    let outcome = match verify(problem, &options, &budget, &Silent) {
        Ok(outcome) => outcome,
        // Start conditions that read what the policy computes are taken in two ways.
        Err(Failure::Internal(what)) if !computes(problem) => panic!("{what}"),
        // Refused, in error, or stopped: there is no verdict.
        Err(_) => return,
    };
    let Some(evidence) = outcome.verdict.evidence() else { return };
    let subject = Subject { engine: outcome.engine, assume_no_errors: outcome.open.is_some(), rests_on: &[] };
    let certifying = Certifying { file: None, check: Some(folder.to_owned()) };
    let budget = Budget { started: Instant::now(), time: Some(Duration::from_secs(20)), ..budget };
    let certified = certifying.certify(problem, &subject, Some(evidence), &budget);
    let word = outcome.verdict.word();
    match certified {
        Ok(Certified { record: Some(record), .. }) => {
            assert!(record.checked && record.bytes > 0);
            count(counts, format!("{} {word}", engine.name()));
        }
        // There are none for these.
        Ok(Certified { warning: Some(_), .. }) if computes(problem) || has_tolerance(problem) => {}
        // A proof by the checker's rules was not found.
        Ok(Certified { warning: Some(warning), .. }) => count(counts, format!("none: {}", warning.message)),
        other => panic!("{} {word}: {other:?}", engine.name()),
    }
}

#[test]
fn every_verdict_is_certified() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let counts = Counts::default();
    for_seeds(seeds(17_000_000, 80), &Size::default(), |case| {
        let problem = random_problem(case);
        for engine in ENGINES {
            check(&problem, engine, folder.path(), &counts);
        }
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let of = |start: &str| counts.iter().filter(|(what, _)| what.starts_with(start)).map(|(_, n)| n).sum::<usize>();
    for verdict in ["holds", "violated"] {
        for engine in ["explicit", "cegar", "bmc", "auto"] {
            assert!(of(&format!("{engine} {verdict}")) > 5, "{engine} {verdict}: {counts:#?}");
        }
    }
    assert!(50 * of("none") <= of(""), "{counts:#?}");
}
