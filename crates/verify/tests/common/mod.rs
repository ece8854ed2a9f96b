//! Problems from text, and budgets.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod archive;
pub(crate) mod setting;
pub(crate) mod sums;
pub(crate) mod truth;

use std::time::{Duration, Instant};

use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_num::Rational;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::{
    BoundsOptions, BoundsOutcome, Budget, EngineChoice, Failure, LoadedPolicy, Problem, Query, Request, Selection,
    Slice,
};

pub(crate) fn budget(threads: usize) -> Budget {
    Budget { started: Instant::now(), time: None, memory: None, threads, cancel: surefoot_limits::Cancel::default() }
}

pub(crate) fn time_limit(seconds: f64) -> Budget {
    Budget { time: Some(Duration::from_secs_f64(seconds)), ..budget(1) }
}

pub(crate) fn precise(precision: f64) -> BoundsOptions {
    BoundsOptions { precision, ..BoundsOptions::default() }
}

pub(crate) fn exactly() -> BoundsOptions {
    BoundsOptions { exact: true, ..precise(1e-6) }
}

pub(crate) fn at_most(p: &Rational) -> BoundsOptions {
    BoundsOptions { p_max: Some(p.clone()), ..precise(1e-6) }
}

/// A problem of files.
pub(crate) fn read(request: &Request, selection: Selection) -> Problem {
    let mut sources = SourceMap::default();
    Problem::load(&mut sources, request, selection).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The problem of a property of a lowered model.
pub(crate) fn problem(mut lowered: Lowered, policy: Option<Policy>, property: usize) -> Problem {
    let span = lowered.syntax().properties[property].name.span;
    let question = lowered.question(property).unwrap_or_else(|error| panic!("{error:?}"));
    let (query, _) = Query::of(&mut lowered, &question, Some(span));
    Problem {
        lowered,
        policy: policy.map(|policy| LoadedPolicy { policy, name: "random".to_owned() }),
        asking: surefoot_verify::Asking::default(),
        property: None,
        query,
        notes: Vec::new(),
        assumptions: Vec::new(),
        inputs: Vec::new(),
        constants: Vec::new(),
        slice: None,
    }
}

/// Leaves variables out that do not matter; whether there are any.
pub(crate) fn slice(problem: &mut Problem) -> bool {
    problem.slice = Slice::new(problem.model(), problem.policy(), &problem.query);
    problem.slice.is_some()
}

pub(crate) fn run(
    problem: &Problem,
    engine: EngineChoice,
    options: &BoundsOptions,
    budget: &Budget,
) -> Result<BoundsOutcome, Failure> {
    engine.bound(problem, options, budget, &Silent)
}

/// Lower and upper bound, which must be in order and within 0 and 1.
pub(crate) fn interval(outcome: &BoundsOutcome) -> (Rational, Rational) {
    let (lower, upper) = (outcome.lower.exact(), outcome.upper.exact());
    assert!(lower <= upper && lower.signum() >= 0 && upper <= Rational::ONE, "[{lower}, {upper}]");
    (lower, upper)
}

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}
