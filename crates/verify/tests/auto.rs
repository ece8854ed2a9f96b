//! The engine that suits the problem: as exploration where that decides, and the same whatever the threads.

mod common;

use std::cell::Cell;

use common::{budget, problem};
use surefoot_fixtures::seeds;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy};
use surefoot_verdict::Silent;
use surefoot_verify::engine::Outcome;
use surefoot_verify::{Budget, CegarOptions, EngineChoice, Failure, Verdict, VerifyOptions, verify};

fn word(result: &Result<Outcome, Failure>) -> &'static str {
    match result {
        Ok(outcome) => outcome.verdict.word(),
        Err(Failure::Input(_)) => "refused",
        Err(Failure::Internal(message)) => panic!("{message}"),
        Err(Failure::Stopped(stop)) => panic!("{stop}"),
    }
}

/// The engine and what it found, but for figures of memory.
fn found(result: &Result<Outcome, Failure>) -> String {
    match result {
        Ok(Outcome { verdict, engine, details, .. }) => format!("{engine}: {verdict:?}, {details:?}"),
        Err(failure) => format!("{failure:?}"),
    }
}

#[test]
fn random_models_are_decided_as_by_exploration() {
    let (explored, symbolic) = (Cell::new(0u32), Cell::new(0u32));
    for_seeds(seeds(38_000_000, 12), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let lowered = load_text(&case.jani);
        let policy = if random.percent(80) { random_policy(&mut random, &lowered.model, &[]) } else { None };
        let problem = problem(lowered, policy, random.below(PROPERTIES));
        let explicit = verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(1), &Silent);
        let auto = verify(&problem, &EngineChoice::AUTO.into(), &budget(1), &Silent);
        assert_eq!(word(&auto), word(&explicit));
        explored.set(explored.get() + u32::from(auto.is_ok_and(|outcome| outcome.engine == "explicit")));
        // Without memory for states only the others are left.
        let none = |threads| Budget { memory: Some(0), ..budget(threads) };
        let one = verify(&problem, &EngineChoice::AUTO.into(), &none(1), &Silent);
        let three = verify(&problem, &EngineChoice::AUTO.into(), &none(3), &Silent);
        assert_eq!(found(&one), found(&three), "with other threads");
        match (word(&explicit), word(&one)) {
            ("refused", "violated") | ("holds" | "violated", "refused" | "unknown") => {}
            (explicit, found) => assert_eq!(explicit, found, "without memory for states"),
        }
        symbolic.set(symbolic.get() + u32::from(one.is_ok_and(|outcome| outcome.engine != "explicit")));
    });
    assert!(explored.get() > 4 && symbolic.get() > 0, "{explored:?} by exploration, {symbolic:?} by others");
}

#[test]
fn directed_runs_help_refinement_and_change_no_verdict() {
    let by_runs = Cell::new(0u32);
    for_seeds(seeds(39_000_000, 6), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let lowered = load_text(&case.jani);
        let policy = if random.percent(80) { random_policy(&mut random, &lowered.model, &[]) } else { None };
        let problem = problem(lowered, policy, random.below(PROPERTIES));
        let run = |falsify: bool| {
            let cegar = CegarOptions { falsify, ..CegarOptions::default() };
            let options = VerifyOptions { engine: EngineChoice::CEGAR, cegar, ..VerifyOptions::default() };
            verify(&problem, &options, &budget(1), &Silent)
        };
        let (with, without) = (run(true), run(false));
        if word(&with) != "refused" && word(&without) != "refused" {
            assert_eq!(word(&with), word(&without));
        }
        if let Ok(Outcome {
            verdict: Verdict::Violated(_), details: surefoot_verify::Details::Cegar(details), ..
        }) = with
        {
            by_runs.set(by_runs.get() + u32::from(details.falsified.is_some()));
        }
    });
    assert!(by_runs.get() > 0, "{} violations by runs", by_runs.get());
}
