//! Refinement of policy predicate abstractions: PlaJA's Blocksworld, random models against exploration, predicates written and read.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use common::{budget, problem, read, slice};
use serde_json::Value;
use surefoot_fixtures::{seeds, shared_data};
use surefoot_model::lower::GivenConstant;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::abstraction::read_predicates;
use surefoot_verify::cegar::{expression, first_predicates};
use surefoot_verify::engine::Outcome;
use surefoot_verify::result::Command;
use surefoot_verify::{
    CegarDetails, CegarOptions, Details, EngineChoice, Failure, Preset, Problem, Request, ResultObject, Selection,
    Verdict, VerifyOptions, verify,
};

fn plaja() -> Option<PathBuf> {
    Some(shared_data(env!("CARGO_MANIFEST_DIR"))?.join("plaja"))
}

fn blocksworld_4_3() -> Option<Request> {
    let folder = plaja()?.join("blocksworld");
    let properties = "additional_properties/safety_verification/blocksworld_4_3/\
                      compact_starts_cost_predicates_afterwards/\
                      pa_compact_starts_cost_predicates_afterwards_blocksworld_4_3.jani";
    let constants = ["failing_probability=0.5", "item_cost_bound=50"];
    Some(Request {
        model: (&folder.join("cost_terminal/models/legacy_enc/blocksworld_4_3.jani")).into(),
        properties: vec![(&folder.join(properties)).into()],
        property: Some("1".to_owned()),
        constants: constants.map(|text| GivenConstant::parse(text).unwrap()).to_vec(),
        ..Request::default()
    })
}

fn blocksworld_6_5() -> Option<Request> {
    let folder = plaja()?.join("icaps22/blocksworld");
    let properties = "additional_properties/safety_verification/cost05/blocksworld_6_5/\
                      compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal/\
                      pa_compact_starts_cost_predicates_afterwards_blocksworld_6_5_32_32.jani";
    Some(Request {
        model: (&folder.join("models/cost05/blocksworld_6_5.jani")).into(),
        properties: vec![(&folder.join(properties)).into()],
        property: Some("1".to_owned()),
        ..Request::default()
    })
}

fn options(preset: &str, seed: u64) -> VerifyOptions {
    let cegar = CegarOptions { preset: preset.parse().unwrap(), ..CegarOptions::default() };
    VerifyOptions { engine: EngineChoice::CEGAR, seed, cegar, ..VerifyOptions::default() }
}

fn details(outcome: &Outcome) -> &CegarDetails {
    match &outcome.details {
        Details::Cegar(details) => details,
        Details::Explicit(_) | Details::Bmc(_) | Details::Runs(_) => panic!("not by refinement"),
    }
}

/// Everything of a result but the time.
fn object(problem: &Problem, outcome: &Outcome) -> Value {
    let object = ResultObject::about(Command::Verify, 0, problem).verified(problem, outcome);
    serde_json::to_value(object).expect("an object")
}

#[test]
fn blocksworld_4_3_holds_with_and_without_filter() {
    let Some(request) = blocksworld_4_3() else { return };
    for filter in [None, Some(true)] {
        let problem = read(&Request { filter, ..request.clone() }, Selection::Decide);
        let outcomes = [1, 2].map(|threads| verify(&problem, &options("explain", 0), &budget(threads), &Silent));
        let [one, two] = outcomes.map(Result::unwrap);
        assert!(
            matches!(one.verdict, Verdict::Holds(_)) && one.assumptions.is_empty(),
            "{filter:?}: {:?}",
            one.verdict
        );
        assert_eq!(object(&problem, &one), object(&problem, &two), "whatever the number of threads");
        let other = verify(&problem, &options("explain", 7), &budget(2), &Silent).unwrap();
        assert!(matches!(other.verdict, Verdict::Holds(_)), "with another seed: {:?}", other.verdict);
    }
}

#[test]
fn the_papers_strategies_decide_blocksworld_4_3() {
    let Some(request) = blocksworld_4_3() else { return };
    let problem = read(&request, Selection::Decide);
    for preset in ["sens^mid", "plaja"] {
        let outcome = verify(&problem, &options(preset, 0), &budget(2), &Silent).unwrap();
        assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{preset}: {:?}", outcome.verdict);
        assert!(details(&outcome).figures.policy_refinements > 0, "{preset}");
    }
}

#[test]
fn blocksworld_6_5_holds() {
    let Some(request) = blocksworld_6_5() else { return };
    let problem = read(&request, Selection::Decide);
    let outcome = verify(&problem, &options("explain", 0), &budget(2), &Silent).unwrap();
    assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{:?}", outcome.verdict);
}

#[test]
fn the_propertys_own_predicates_are_a_start() {
    let Some(request) = blocksworld_6_5() else { return };
    let mut sources = SourceMap::default();
    let mut problem = Problem::load(&mut sources, &request, Selection::Decide).unwrap();
    let own = first_predicates(&mut sources, &mut problem, None, false).unwrap();
    assert_eq!(own, read_predicates(&mut sources, &mut problem, None, false).unwrap_or_default());
    assert!(first_predicates(&mut sources, &mut problem, None, true).unwrap().is_empty());
}

/// What the engines say: the verdict, or that the model is in error.
fn word(result: &Result<Outcome, Failure>) -> &'static str {
    match result {
        Ok(outcome) => outcome.verdict.word(),
        Err(Failure::Input(_)) => "refused",
        Err(Failure::Internal(what)) => panic!("{what}"),
        Err(Failure::Stopped(stop)) => panic!("{stop}"),
    }
}

/// Another run from predicates that went through a file has them all.
fn check_round_trip(mut problem: Problem, outcome: &Outcome, file: &Path) -> bool {
    let first = details(outcome);
    let written: Option<Vec<Value>> = first.expressions.iter().cloned().collect();
    let Some(written) = written else { return false };
    std::fs::write(file, expression::file(&written)).unwrap();
    let predicates = first_predicates(&mut SourceMap::default(), &mut problem, Some(&file.into()), false).unwrap();
    let cegar = CegarOptions { predicates, preset: Preset::default(), iterations: Some(1), ..CegarOptions::default() };
    let options = VerifyOptions { engine: EngineChoice::CEGAR, cegar, ..VerifyOptions::default() };
    let again = verify(&problem, &options, &budget(1), &Silent).unwrap();
    let words = |outcome: &Outcome| -> Vec<String> { details(outcome).words.predicates().map(str::to_owned).collect() };
    assert_eq!(words(&again), words(outcome));
    assert_eq!(again.verdict.word(), outcome.verdict.word());
    true
}

#[test]
fn random_models_are_decided_as_by_exploration() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("predicates.json");
    let (decided, errors, written) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    for_seeds(seeds(26_000_000, 120), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let lowered = load_text(&case.jani);
        let policy = if random.percent(80) { random_policy(&mut random, &lowered.model, &[]) } else { None };
        let mut problem = problem(lowered, policy, random.below(PROPERTIES));
        problem.query.goal_terminal = random.percent(30);
        let explicit = verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(1), &Silent);
        // A slice is for exploration: it must not disturb.
        if random.percent(50) {
            slice(&mut problem);
        }
        let found = verify(&problem, &options("explain", random.below(2) as u64), &budget(1), &Silent);
        match (word(&explicit), word(&found)) {
            (ours, theirs) if ours == theirs && ours != "refused" => decided.set(decided.get() + 1),
            ("refused", "refused") => errors.set(errors.get() + 1),
            // Which of an error and an unsafe state comes first is nobody's business; models not in the class are refused.
            ("refused", "violated") | ("violated" | "holds", "refused") => {}
            (explicit, found) => panic!("{explicit} by exploration, {found} by refinement"),
        }
        if let Ok(outcome) = &found
            && matches!(outcome.verdict, Verdict::Holds(_))
            && check_round_trip(problem, outcome, &file)
        {
            written.set(written.get() + 1);
        }
    });
    let counts = (decided.get(), errors.get(), written.get());
    assert!(counts.0 > 40 && counts.1 > 5 && counts.2 > 10, "{counts:?} decided, in error, written and read");
}
