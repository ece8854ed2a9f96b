//! Bounds by abstraction on random models under random policies, against [`common::truth`].

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::setting::{Setting, compares, contains, largest, size, smallest};
use common::truth::Fault;
use common::{budget, precise, run, slice};
use surefoot_fixtures::seeds;
use surefoot_jani::syntax::BinaryOp;
use surefoot_num::Rational;
use surefoot_testkit::for_seeds;
use surefoot_verdict::Verdict;
use surefoot_verify::{
    Abstracting, Aggregate, Algorithm, BoundsOptions, BoundsOutcome, Budget, EngineChoice, Failure, Problem, Threshold,
};

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Boxes, Algorithm::Paper];

/// What runs came to.
#[derive(Default)]
struct Counts {
    closed: AtomicUsize,
    open: AtomicUsize,
    refused: AtomicUsize,
}

impl Counts {
    fn count(which: &AtomicUsize) {
        which.fetch_add(1, Ordering::Relaxed);
    }
}

fn options(algorithm: Algorithm) -> BoundsOptions {
    let step = Rational::new(1, 1000).unwrap_or_default();
    let abstracting = Abstracting { algorithm, p_step: step, ..Abstracting::default() };
    BoundsOptions { abstracting, ..precise(1e-3) }
}

/// An outcome, unless the question is refused, or the time was up before there was anything.
fn bounded(problem: &Problem, options: &BoundsOptions, counts: &Counts) -> Option<Result<BoundsOutcome, Failure>> {
    let limited = Budget { started: std::time::Instant::now(), time: Some(Duration::from_secs(2)), ..budget(1) };
    let result = run(problem, EngineChoice::CEGAR, options, &limited);
    match &result {
        Err(Failure::Stopped(_)) => {
            Counts::count(&counts.open);
            None
        }
        Err(failure) if failure.is_refusal() => {
            Counts::count(&counts.refused);
            None
        }
        Err(Failure::Internal(what)) => panic!("an error of ours: {what}"),
        _ => Some(result),
    }
}

/// Intervals contain the value, whatever is asked for.
fn check_values(setting: &mut Setting, counts: &Counts) {
    let values = setting.values();
    let expected = match &values {
        Err(Fault::Large) => return,
        Err(Fault::Error) => None,
        Ok(values) => Some((smallest(values), largest(values))),
    };
    if setting.random.percent(50) {
        slice(&mut setting.problem);
    }
    for aggregate in [Aggregate::Max, Aggregate::Min] {
        setting.quantity().aggregate = aggregate;
        for algorithm in ALGORITHMS {
            let Some(result) = bounded(&setting.problem, &options(algorithm), counts) else { continue };
            let Some((smallest, largest)) = &expected else {
                // The model is in error: that is found, or left open.
                if let Ok(outcome) = result {
                    let silent = outcome.open.is_none() && outcome.decision.is_none();
                    assert!(!silent, "{algorithm:?}: an error is missed: {outcome:?}");
                }
                continue;
            };
            let outcome = result.unwrap_or_else(|failure| panic!("{algorithm:?}: {failure:?}"));
            let value = if aggregate == Aggregate::Max { largest } else { smallest };
            contains(&outcome, value, &format!("{algorithm:?} {aggregate:?}"));
            let closed = outcome.decision.is_none();
            Counts::count(if closed { &counts.closed } else { &counts.open });
        }
    }
}

/// Comparisons are decided as the values are, or left open.
fn check_comparisons(setting: &mut Setting, counts: &Counts) {
    let Ok(values) = setting.values() else { return };
    let mut bounds: Vec<Rational> = vec![smallest(&values), largest(&values), values[0].clone()];
    let tiny: Rational = "1e-30".parse().unwrap_or_default();
    bounds.extend([&bounds[0] + &tiny, &bounds[1] - &tiny, Rational::ZERO, Rational::ONE]);
    let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];
    for _ in 0..3 {
        let (op, bound) = (*setting.random.pick(&ops), setting.random.pick(&bounds).clone());
        for aggregate in [Aggregate::All, Aggregate::Some] {
            setting.quantity().threshold = Some(Threshold { op, bound: bound.clone() });
            setting.quantity().aggregate = aggregate;
            let mut verdicts = values.iter().map(|value| compares(op, value, &bound));
            let holds = if aggregate == Aggregate::All { verdicts.all(|v| v) } else { verdicts.any(|v| v) };
            let decision = if holds { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
            for algorithm in ALGORITHMS {
                let Some(result) = bounded(&setting.problem, &options(algorithm), counts) else { continue };
                let outcome = result.unwrap_or_else(|failure| panic!("{algorithm:?}: {failure:?}"));
                let open = matches!(outcome.decision, Some(Verdict::Unknown(_)));
                let what = format!("{algorithm:?} {aggregate:?} {op:?} {bound}");
                assert!(open || outcome.decision == decision, "{what}: {outcome:?} {values:?}");
                Counts::count(if open { &counts.open } else { &counts.closed });
            }
        }
    }
}

fn summary(counts: Counts) -> (usize, usize, usize) {
    (counts.closed.into_inner(), counts.open.into_inner(), counts.refused.into_inner())
}

#[test]
fn intervals_contain_the_values_of_random_models() {
    let counts = Counts::default();
    for_seeds(seeds(7 << 20, 200), &size(), |case| check_values(&mut Setting::of(case), &counts));
    let (closed, open, refused) = summary(counts);
    assert!(closed > 80 && refused > 50 && closed > 2 * open, "closed {closed}, open {open}, refused {refused}");
}

#[test]
fn comparisons_agree_on_random_models() {
    let counts = Counts::default();
    for_seeds(seeds(8 << 20, 60), &size(), |case| check_comparisons(&mut Setting::of(case), &counts));
    let (closed, open, refused) = summary(counts);
    assert!(closed > 60 && refused > 20 && closed > open, "closed {closed}, open {open}, refused {refused}");
}
