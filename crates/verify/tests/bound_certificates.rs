//! Certificates of bounds: what is written is accepted, and what is accepted is so.
//!
//! On random models under random policies every certificate is checked, its claims are compared with [`common::truth`], and so are those of mutants that are
//! accepted: a certificate of something false is none, whatever was done to it.

mod common;

use common::archive::Archive;
use common::setting::{Setting, compares, largest, size, smallest};
use common::{at_most, budget, precise, run, slice};
use std::sync::atomic::{AtomicUsize, Ordering};

use surefoot_certificate::index::Verdict as Told;
use surefoot_checker::probability::{Claim, Proved, Starts};
use surefoot_fixtures::{Random, seeds};
use surefoot_jani::syntax::BinaryOp;
use surefoot_model::policy::Ties;
use surefoot_num::Rational;
use surefoot_testkit::{Case, for_seeds, for_seeds_of, random_chances};
use surefoot_verdict::{Silent, Verdict};
use surefoot_verify::bounds::certificate::write_bound_certificate;
use surefoot_verify::{Aggregate, BoundsOptions, BoundsOutcome, Budget, EngineChoice, Failure, Problem, Threshold};

/// How many of what were met.
#[derive(Default)]
struct Met {
    accepted: AtomicUsize,
    partial: AtomicUsize,
    strict: AtomicUsize,
    refused: AtomicUsize,
    mutants: AtomicUsize,
    survivors: AtomicUsize,
}

fn count(which: &AtomicUsize) {
    which.fetch_add(1, Ordering::Relaxed);
}

/// Writes a certificate.
fn certificate(problem: &Problem, options: &BoundsOptions, outcome: &BoundsOutcome) -> Result<Vec<u8>, Failure> {
    certificate_within(problem, options, outcome, &budget(1))
}

fn certificate_within(
    problem: &Problem,
    options: &BoundsOptions,
    outcome: &BoundsOutcome,
    budget: &Budget,
) -> Result<Vec<u8>, Failure> {
    let folder = tempfile::tempdir().expect("it is well-formed");
    let path = folder.path().join("bounds.cert");
    let written = write_bound_certificate(problem, options, outcome, budget, &path, &Silent)?;
    let bytes = std::fs::read(path).expect("it is well-formed");
    assert_eq!(written.bytes, bytes.len() as u64);
    Ok(bytes)
}

/// Whether claims are true, the values of the start states given.
fn are_true(proved: &Proved, values: &[Rational]) -> bool {
    let fits =
        |claim: &Claim, value: &Rational| if claim.at_most { *value <= claim.value } else { *value >= claim.value };
    proved.claims.iter().all(|claim| match claim.starts {
        Starts::All => values.iter().all(|value| fits(claim, value)),
        // Which one it is the checker knows; some value must fit.
        Starts::One(_) => values.iter().any(|value| fits(claim, value)),
    })
}

/// The certificate of an outcome is accepted, and shows what was told.
fn check_one(
    setting: &Setting,
    options: &BoundsOptions,
    outcome: &BoundsOutcome,
    values: &[Rational],
    met: &Met,
) -> Archive {
    let problem = &setting.problem;
    let bytes = certificate(problem, options, outcome).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(bytes, certificate(problem, options, outcome).expect("it is well-formed"), "the same bytes again");
    let archive = Archive::unpack(&bytes);
    let proved = archive.check(problem).unwrap_or_else(|refused| panic!("{refused}\n{outcome:?}"));
    assert!(are_true(&proved, values), "{proved:?}: {values:?}");
    let told = match &outcome.decision {
        Some(Verdict::Holds(())) => Some(Told::Holds),
        Some(Verdict::Violated(())) => Some(Told::Violated),
        _ => None,
    };
    assert_eq!(proved.verdict, told);
    if told.is_none() {
        let slack = Rational::from_f64(options.precision / 10.0).expect("it is well-formed");
        for claim in &proved.claims {
            let close = if claim.at_most {
                claim.value <= &outcome.upper.exact() + &slack
            } else {
                &claim.value + &slack >= outcome.lower.exact()
            };
            assert!(close, "{claim:?} for [{:?}, {:?}]", outcome.lower, outcome.upper);
        }
    }
    count(&met.accepted);
    archive
}

/// What a limit leaves is shown all the same: states that were not visited count for nothing, or for everything.
fn check_limits(setting: &mut Setting, met: &Met) {
    let Ok(values) = setting.values() else { return };
    let limited = Budget { memory: Some(0), ..budget(1) };
    for aggregate in [Aggregate::Max, Aggregate::Min] {
        setting.quantity().aggregate = aggregate;
        let Ok(outcome) = run(&setting.problem, EngineChoice::EXPLICIT, &precise(1e-6), &limited) else { continue };
        match certificate_within(&setting.problem, &precise(1e-6), &outcome, &limited) {
            Ok(bytes) => {
                let archive = Archive::unpack(&bytes);
                let proved = archive.check(&setting.problem).unwrap_or_else(|refused| panic!("{refused}"));
                assert!(are_true(&proved, &values), "{proved:?}: {values:?}");
                count(if proved.frontier > 0 { &met.partial } else { &met.accepted });
                let mut random = setting.random.clone();
                mutate(setting, &archive, &values, &mut random, met);
            }
            Err(failure) => {
                assert!(failure.is_refusal(), "{failure:?}");
                count(&met.refused);
            }
        }
    }
}

/// Mutants of a certificate claim nothing that is false, or are rejected.
fn mutate(setting: &Setting, archive: &Archive, values: &[Rational], random: &mut Random, met: &Met) {
    let names: Vec<&String> = archive.0.keys().filter(|name| name.ends_with(".bin")).collect();
    for _ in 0..12 {
        let mut mutant = archive.clone();
        if random.percent(60) {
            // A value that would be false: the wrong side of every true one.
            mutant = mutant.with_claims(|index| {
                for bound in index["bounds"].as_array_mut().expect("it is well-formed") {
                    let false_value = if bound["at"] == "most" {
                        &largest(values) - &Rational::new(1, 1 << 40).expect("it is well-formed")
                    } else {
                        &largest(values) + &Rational::new(1, 1 << 40).expect("it is well-formed")
                    };
                    bound["value"] = serde_json::Value::from(false_value.to_string());
                }
            });
        }
        for _ in 0..1 + random.below(3) {
            let name = *random.pick(&names);
            let bytes = mutant.0.get_mut(name).expect("it is well-formed");
            if bytes.is_empty() {
                continue;
            }
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = bytes[at].wrapping_add(1),
                2 => bytes[at] = 0,
                // One entry of eight bytes becomes another one.
                _ => {
                    let (from, to) = (random.below(bytes.len() / 8 + 1) * 8, at / 8 * 8);
                    if from + 8 <= bytes.len() && to + 8 <= bytes.len() {
                        bytes.copy_within(from..from + 8, to);
                    }
                }
            }
        }
        count(&met.mutants);
        if let Ok(proved) = mutant.check(&setting.problem) {
            count(&met.survivors);
            assert!(are_true(&proved, values), "accepted: {proved:?}, but the values are {values:?}");
        }
    }
}

/// A question, with ties that there are certificates for.
fn setting(case: &Case) -> Setting {
    let mut setting = Setting::of(case);
    if let Some(loaded) = &mut setting.problem.policy
        && loaded.policy.ties == Ties::Plaja
    {
        loaded.policy.ties = Ties::Any;
    }
    setting
}

fn check_values(setting: &mut Setting, met: &Met) {
    let Ok(values) = setting.values() else { return };
    let mut random = setting.random.clone();
    for sliced in [false, true] {
        if sliced && !slice(&mut setting.problem) {
            continue;
        }
        for aggregate in [Aggregate::Max, Aggregate::Min] {
            setting.quantity().aggregate = aggregate;
            for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
                let options = precise(*random.pick(&[1e-6, 1e-2, 0.3]));
                let options =
                    BoundsOptions { exact: engine == EngineChoice::EXPLICIT && random.percent(20), ..options };
                let outcome = run(&setting.problem, engine, &options, &budget(1)).expect("it is well-formed");
                let archive = check_one(setting, &options, &outcome, &values, met);
                mutate(setting, &archive, &values, &mut random, met);
            }
        }
        setting.problem.slice = None;
    }
}

fn check_comparisons(setting: &mut Setting, met: &Met) {
    let Ok(values) = setting.values() else { return };
    let tiny = Rational::new(1, 1 << 50).expect("it is well-formed");
    let bounds = [smallest(&values), largest(&values), &smallest(&values) + &tiny, &largest(&values) - &tiny];
    let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];
    for _ in 0..3 {
        let (op, bound) = (*setting.random.pick(&ops), setting.random.pick(&bounds).clone());
        for aggregate in [Aggregate::All, Aggregate::Some] {
            setting.quantity().threshold = Some(Threshold { op, bound: bound.clone() });
            setting.quantity().aggregate = aggregate;
            let mut verdicts = values.iter().map(|value| compares(op, value, &bound));
            let holds = if aggregate == Aggregate::All { verdicts.all(|v| v) } else { verdicts.any(|v| v) };
            let outcome =
                run(&setting.problem, EngineChoice::EXPLICIT, &precise(1e-3), &budget(1)).expect("it is well-formed");
            // That every value is something else than a number, or that some is that number, may need more than one bound on one start state.
            if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
                && certificate(&setting.problem, &precise(1e-3), &outcome).is_err()
            {
                count(&met.refused);
                continue;
            }
            let archive = check_one(setting, &precise(1e-3), &outcome, &values, met);
            // The opposite verdict does not follow.
            let opposite = archive.with_claims(|index| {
                index["verdict"] = serde_json::Value::from(if holds { "violated" } else { "holds" });
            });
            let refused = opposite.check(&setting.problem).expect_err("it is not accepted").to_string();
            assert!(refused.starts_with("verdict"), "{refused}");
            if largest(&values) == bound || smallest(&values) == bound {
                count(&met.strict);
            }
        }
    }
    setting.quantity().threshold = None;
    setting.quantity().aggregate = Aggregate::Max;
    let options = at_most(&largest(&values));
    let outcome = run(&setting.problem, EngineChoice::EXPLICIT, &options, &budget(1)).expect("it is well-formed");
    check_one(setting, &options, &outcome, &values, met);
}

#[test]
fn what_is_written_is_accepted_and_what_is_accepted_is_so() {
    let met = Met::default();
    for_seeds(seeds(21 << 20, 120), &size(), |case: &Case| check_values(&mut setting(case), &met));
    for_seeds_of(random_chances, seeds(22 << 20, 120), &size(), |case: &Case| check_values(&mut setting(case), &met));
    let Met { accepted, mutants, survivors, .. } = met;
    let [accepted, mutants, survivors] = [accepted, mutants, survivors].map(AtomicUsize::into_inner);
    assert!(accepted > 150 && mutants > 1000, "{accepted} accepted; {mutants} mutants, {survivors} accepted");
}

#[test]
fn parts_of_models_are_shown() {
    let met = Met::default();
    for_seeds(seeds(25 << 20, 100), &size(), |case: &Case| check_limits(&mut setting(case), &met));
    for_seeds_of(random_chances, seeds(26 << 20, 100), &size(), |case| check_limits(&mut setting(case), &met));
    assert!(met.partial.into_inner() > 30, "few have a frontier");
}

#[test]
fn comparisons_are_shown() {
    let met = Met::default();
    for_seeds(seeds(23 << 20, 80), &size(), |case: &Case| check_comparisons(&mut setting(case), &met));
    for_seeds_of(random_chances, seeds(24 << 20, 80), &size(), |case| check_comparisons(&mut setting(case), &met));
    assert!(met.accepted.into_inner() > 150 && met.strict.into_inner() > 20, "few were decided");
}
