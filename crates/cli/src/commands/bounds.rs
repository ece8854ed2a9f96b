//! `bounds`: how likely at most; decides a bound, or derives an interval.

use surefoot_verdict::Verdict;
use surefoot_verify::task::bounds::Bounding;
use surefoot_verify::task::{Job, Outcome, Told};
use surefoot_verify::{BoundsOptions, BoundsOutcome, Number, Problem, Request};

use super::session::carry_out;
use super::{explored, subject};
use crate::args::BoundsArgs;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &BoundsArgs) -> Exit {
    let request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    let options = BoundsOptions { precision: args.precision, p_max: args.p_max.clone(), exact: args.exact };
    carry_out(&args.common, Job::Bounds(request, Bounding { engine: args.engine, options }), told)
}

fn told(outcome: &Outcome) -> String {
    match (&outcome.told, &outcome.problem) {
        (Told::Bounded(found), Some(problem)) => text(problem, found, outcome.result.seconds),
        _ => String::new(),
    }
}

fn interval(outcome: &BoundsOutcome) -> String {
    match (&outcome.lower, &outcome.upper) {
        (Number::Exact(lower), Number::Exact(upper)) if lower == upper => {
            let text = lower.to_string();
            let text = if text.len() <= 60 { text } else { format!("{}... (a long fraction)", &text[..40]) };
            format!("{text} = {:.10}", lower.to_f64())
        }
        (lower, upper) => format!("[{}, {}]", shown(lower.approximate()), shown(upper.approximate())),
    }
}

/// A probability as digits, with an exponent where there would be many zeros first.
fn shown(value: f64) -> String {
    if value == 0.0 || value >= 1e-4 { value.to_string() } else { format!("{value:e}") }
}

pub(super) fn text(problem: &Problem, outcome: &BoundsOutcome, seconds: f64) -> String {
    let headline = match &outcome.decision {
        Some(Verdict::Holds(())) => "holds: the probability compares as asked".to_owned(),
        Some(Verdict::Violated(())) => "violated: the probability does not compare as asked".to_owned(),
        None => "done".to_owned(),
        Some(Verdict::Unknown(reason)) => format!("unknown: {reason}"),
    };
    let mut text = format!("{headline}\n  value     {}\n", interval(outcome));
    text.push_str(&subject(problem));
    text.push_str(&explored(&outcome.statistics));
    if outcome.starts > 1 {
        text.push_str(&format!("  start     {}\n", outcome.start.describe(problem.model())));
    }
    if outcome.choice_states > 0 {
        let states = counted(outcome.choice_states as u64, "state");
        text.push_str(&format!("  scheduler chooses in {states}\n"));
    }
    for assumption in problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states")) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    let arithmetic = match outcome.lower {
        Number::Exact(_) => "solved in fractions",
        Number::Float(_) => "bounds rounded outward",
    };
    text.push_str(&format!("  engine    {}; {arithmetic}\n", outcome.engine));
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}
