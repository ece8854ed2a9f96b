//! Bounds on random models under random policies, against [`common::truth`].

mod common;

use common::setting::{Setting, compares, contains, largest, size, smallest, succeed};
use common::truth::Fault;
use common::{budget, exactly, precise, problem, run, slice, time_limit};
use std::sync::atomic::{AtomicUsize, Ordering};

use surefoot_fixtures::seeds;
use surefoot_jani::syntax::BinaryOp;
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy};
use surefoot_verdict::{Silent, Verdict};
use surefoot_verify::engine::Outcome;
use surefoot_verify::{Aggregate, BoundsOutcome, Budget, EngineChoice, Failure, Number, Threshold, verify};

/// What must be the same whatever the number of threads.
fn lasting(mut outcome: BoundsOutcome) -> String {
    outcome.statistics.bytes = 0;
    format!("{outcome:?}")
}

/// Intervals, exact values, both engines, slices and threads.
fn check_values(setting: &mut Setting) {
    let values = setting.values();
    let expected = match &values {
        Err(Fault::Large) => return,
        Err(Fault::Error) => None,
        Ok(values) => Some((smallest(values), largest(values))),
    };
    for sliced in [false, true] {
        if sliced && !slice(&mut setting.problem) {
            continue;
        }
        for aggregate in [Aggregate::Max, Aggregate::Min] {
            setting.quantity().aggregate = aggregate;
            let problem = &setting.problem;
            let result = run(problem, EngineChoice::EXPLICIT, &precise(1e-6), &budget(1));
            let Some((smallest, largest)) = &expected else {
                assert!(matches!(result, Err(Failure::Input(_))), "the model is in error, sliced {sliced}: {result:?}");
                continue;
            };
            let value = if aggregate == Aggregate::Max { largest } else { smallest };
            let outcome = succeed(result);
            assert_eq!(outcome.decision, None);
            contains(&outcome, value, "explicit");
            let rough = succeed(run(problem, EngineChoice::EXPLICIT, &precise(0.1), &budget(1)));
            contains(&rough, value, "explicit, precision 0.1");
            let exact = succeed(run(problem, EngineChoice::EXPLICIT, &exactly(), &budget(1)));
            let number = Number::Exact(value.clone());
            assert_eq!((&exact.lower, &exact.upper), (&number, &number), "sliced {sliced}, {aggregate:?}");
            for precision in [0.3, 1e-6] {
                let part = succeed(run(problem, EngineChoice::PARTIAL, &precise(precision), &budget(1)));
                assert_eq!(part.decision, None);
                contains(&part, value, "partial");
            }
            let first = lasting(outcome);
            for threads in [2, 4] {
                let again = succeed(run(problem, EngineChoice::EXPLICIT, &precise(1e-6), &budget(threads)));
                assert_eq!(lasting(again), first, "{threads} threads");
            }
        }
        setting.problem.slice = None;
    }
}

/// Comparisons, with thresholds that are values of start states or next to them.
fn check_comparisons(setting: &mut Setting) {
    let Ok(values) = setting.values() else { return };
    let mut bounds: Vec<Rational> = vec![smallest(&values), largest(&values), values[0].clone()];
    let tiny: Rational = "1e-30".parse().unwrap_or_default();
    bounds.extend([&bounds[0] + &tiny, &bounds[1] - &tiny, Rational::ZERO, Rational::ONE]);
    let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];
    if setting.random.percent(50) {
        slice(&mut setting.problem);
    }
    for _ in 0..6 {
        let (op, bound) = (*setting.random.pick(&ops), setting.random.pick(&bounds).clone());
        for aggregate in [Aggregate::All, Aggregate::Some] {
            setting.quantity().threshold = Some(Threshold { op, bound: bound.clone() });
            setting.quantity().aggregate = aggregate;
            let mut verdicts = values.iter().map(|value| compares(op, value, &bound));
            let holds = if aggregate == Aggregate::All { verdicts.all(|v| v) } else { verdicts.any(|v| v) };
            let decision = if holds { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
            let outcome = succeed(run(&setting.problem, EngineChoice::EXPLICIT, &precise(1e-3), &budget(1)));
            assert_eq!(outcome.decision, decision, "{aggregate:?} {op:?} {bound}: {values:?}");
            // The part may leave it open, but may not be wrong.
            let part = succeed(run(&setting.problem, EngineChoice::PARTIAL, &precise(1e-3), &budget(1)));
            let open = matches!(part.decision, Some(Verdict::Unknown(_)));
            assert!(open || part.decision == decision, "{aggregate:?} {op:?} {bound}: {part:?}");
        }
    }
    // The option is about the value that is reported.
    setting.quantity().threshold = None;
    for aggregate in [Aggregate::Max, Aggregate::Min] {
        setting.quantity().aggregate = aggregate;
        let value = if aggregate == Aggregate::Max { largest(&values) } else { smallest(&values) };
        for p in [&value, &(&value - &tiny), &(&value + &tiny)] {
            if p.signum() < 0 || *p > Rational::ONE {
                continue;
            }
            let outcome = succeed(run(&setting.problem, EngineChoice::EXPLICIT, &common::at_most(p), &budget(1)));
            let decision = if value <= *p { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
            assert_eq!(outcome.decision, decision, "{aggregate:?} at most {p}: {values:?}");
            contains(&outcome, &value, "with a bound");
        }
    }
}

/// What a limit leaves: nothing, where not even a start state was found.
fn left(result: Result<BoundsOutcome, Failure>) -> Option<BoundsOutcome> {
    match result {
        Err(Failure::Stopped(_)) => None,
        other => Some(succeed(other)),
    }
}

/// Whatever a limit leaves is sound.
fn check_limits(setting: &mut Setting) {
    let Ok(values) = setting.values() else { return };
    for aggregate in [Aggregate::Max, Aggregate::Min] {
        setting.quantity().aggregate = aggregate;
        let value = if aggregate == Aggregate::Max { largest(&values) } else { smallest(&values) };
        for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
            for limits in [time_limit(0.0), time_limit(2e-5), Budget { memory: Some(0), ..budget(1) }] {
                let Some(outcome) = left(run(&setting.problem, engine, &precise(1e-9), &limits)) else { continue };
                contains(&outcome, &value, "with a limit");
                // Fractions need all states, which the partial engine does not promise.
                let options = if engine == EngineChoice::EXPLICIT { exactly() } else { precise(1e-6) };
                let Some(outcome) = left(run(&setting.problem, engine, &options, &limits)) else { continue };
                contains(&outcome, &value, "with a limit, exactly");
                let asked = common::at_most(&value);
                let Some(outcome) = left(run(&setting.problem, engine, &asked, &limits)) else { continue };
                assert_ne!(outcome.decision, Some(Verdict::Violated(())), "{engine:?} {aggregate:?} {limits:?}");
                if value.signum() > 0 {
                    let less = &value * &Rational::from_f64(0.5).unwrap_or_default();
                    let asked = common::at_most(&less);
                    let Some(outcome) = left(run(&setting.problem, engine, &asked, &limits)) else { continue };
                    assert_ne!(outcome.decision, Some(Verdict::Holds(())), "{engine:?} {aggregate:?} {limits:?}");
                }
            }
        }
    }
}

/// Verdicts and the lengths of runs with and without variables that do not matter.
fn check_slices(case: &Case) -> bool {
    let mut random = case.random();
    let lowered = load_text(&case.jani);
    let policy = if random.percent(60) { random_policy(&mut random, &lowered.model, &[]) } else { None };
    let mut problem = problem(lowered, policy, random.below(PROPERTIES));
    problem.query.goal_terminal = random.percent(30);
    let length = |outcome: &Outcome| outcome.run().map(|run| run.steps.len());
    let full = verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(1), &Silent);
    if !slice(&mut problem) {
        return false;
    }
    for threads in [1, 2, 4] {
        match (&full, &verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(threads), &Silent)) {
            (Ok(full), Ok(sliced)) => {
                assert_eq!(sliced.verdict.word(), full.verdict.word());
                assert_eq!(length(sliced), length(full));
                let starts = |outcome: &Outcome| outcome.explored().map(|figures| figures.start_states);
                assert!(starts(sliced) <= starts(full));
            }
            (Err(Failure::Input(_)), Err(Failure::Input(_))) => {}
            // An error and an unsafe state at the same distance: which one comes first is nobody's business.
            (Ok(found), Err(Failure::Input(_))) | (Err(Failure::Input(_)), Ok(found)) => {
                assert!(found.run().is_some(), "an error is missed: {found:?}");
            }
            (full, sliced) => panic!("{full:?} and, sliced, {sliced:?}"),
        }
    }
    true
}

#[test]
fn values_agree_on_random_models() {
    for_seeds(seeds(3 << 20, 250), &size(), |case| check_values(&mut Setting::of(case)));
}

#[test]
fn comparisons_agree_on_random_models() {
    for_seeds(seeds(4 << 20, 250), &size(), |case| check_comparisons(&mut Setting::of(case)));
}

#[test]
fn limits_leave_sound_bounds_on_random_models() {
    for_seeds(seeds(5 << 20, 150), &size(), |case| check_limits(&mut Setting::of(case)));
}

#[test]
fn slices_change_no_verdict_on_random_models() {
    let sliced = AtomicUsize::new(0);
    for_seeds(seeds(6 << 20, 300), &Size { states: 500, ..Size::default() }, |case| {
        sliced.fetch_add(usize::from(check_slices(case)), Ordering::Relaxed);
    });
    assert!(sliced.into_inner() > 10, "few models have variables that do not matter");
}
