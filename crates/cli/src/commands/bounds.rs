//! `bounds`: how likely at most; decides a bound, or derives an interval.

use surefoot_num::Direction;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Verdict;
use surefoot_verify::bounds::expected::{ExpectedOutcome, Extended, ExtendedInterval, Summed, Until};
use surefoot_verify::result::{Body, ResultObject};
use surefoot_verify::task::bounds::{Bounding, ExpectedOf};
use surefoot_verify::task::refine::Refining;
use surefoot_verify::task::{Job, Outcome, Told};
use surefoot_verify::{
    Abstracting, BoundsOptions, BoundsOutcome, EngineChoice, Number, Problem, Request, Setting, Slicing,
};

use super::certify::certified;
use super::session::{Session, Wish, begin};
use super::{ASSUMING, assumed, explored, subject};
use crate::args::{BoundsArgs, ExtremeArg};
use crate::output::{Exit, counted};

/// The width of the interval where none is asked for.
const PRECISION: f64 = 1e-6;

pub(crate) fn run(args: &BoundsArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &BoundsArgs) -> Wish {
    // What is left out of states would make several start states one.
    let mean = args.mean || args.weights.is_some();
    let slicing = if mean { Slicing::Off } else { args.slice.slicing() };
    let mut request = Request { slicing, ..args.common.request(&args.model) };
    request.asking.within = args.within;
    let refines = args.engine.takes(Setting::Refinement);
    let options = BoundsOptions {
        precision: args.precision.unwrap_or(PRECISION),
        p_max: args.p_max.clone(),
        exact: args.exact,
        seed: args.common.seed,
        assume_no_errors: args.assume.no_errors(),
        weights: None,
        abstracting: Abstracting { sketch: args.report.is_wanted(), ..args.algorithm.abstracting(args.precision) },
    };
    let refinement = if refines { args.cegar.refining() } else { Refining::default() };
    let certifying = args.certificate.certifying();
    let expecting = args.expect.map(|extreme| ExpectedOf {
        direction: match extreme {
            ExtremeArg::Max => Direction::Max,
            ExtremeArg::Min => Direction::Min,
        },
        reward: args.reward.clone(),
    });
    let weights = args.weights.clone();
    // What is said about each start state needs all states.
    let engine = if mean && args.engine == EngineChoice::AUTO { EngineChoice::EXPLICIT } else { args.engine };
    let bounding = Bounding { engine, options, refinement, certifying, expecting, weights };
    Wish { job: Job::Bounds(request, Box::new(bounding)), fits: check_options(args) }
}

fn carry_out(args: &BoundsArgs) -> Result<Exit, Exit> {
    let Wish { job, fits } = job(args);
    let (task, output) = begin(&args.common, job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    fits.map_err(|error| session.fail(&error.into()))?;
    if args.engine.takes(Setting::Refinement) {
        session.claim_refinement(&args.cegar)?;
    }
    session.claim_certificate(&args.certificate)?;
    let page = session.claim_page(&args.report)?;
    session.guard()?;
    session.prepare()?;
    Ok(session.run()?.show_with(page.as_ref(), &task.budget, told))
}

/// That no option is given to an engine or an algorithm to which it means nothing.
fn check_options(args: &BoundsArgs) -> Result<(), Diagnostic> {
    let refuse = |message: String| Err(Diagnostic::error_anywhere(message));
    let takes = EngineChoice::taking(Setting::Refinement);
    let algorithm = &args.algorithm;
    let explores = args.engine == EngineChoice::AUTO || args.engine == EngineChoice::EXPLICIT;
    let by_exploring =
        [("--mean", args.mean), ("--weights", args.weights.is_some()), ("--expect", args.expect.is_some())];
    if let Some((option, _)) = by_exploring.into_iter().find(|(_, given)| *given && !explores) {
        return refuse(format!("{option} is for --engine explicit"));
    }
    if args.expect.is_some() && (args.p_max.is_some() || args.certificate.certifying().is_wanted()) {
        let option = if args.p_max.is_some() { "--p-max" } else { "--certificate" };
        return refuse(format!("{option} is about probabilities, and --expect about sums"));
    }
    if algorithm.is_given() && args.engine != EngineChoice::AUTO && !args.engine.takes(Setting::Refinement) {
        return refuse(format!("--algorithm is for --engine {takes} or auto"));
    }
    if let Some(option) = algorithm.given().filter(|_| !algorithm.is_paper()) {
        return refuse(format!("{option} is for --algorithm paper"));
    }
    if let Some(option) = algorithm.given_ours() {
        if algorithm.is_paper() {
            return refuse(format!("{option} is for --algorithm auto"));
        }
        if args.engine != EngineChoice::AUTO && !args.engine.takes(Setting::Refinement) {
            return refuse(format!("{option} is for --engine {takes} or auto"));
        }
    }
    if let Some(option) = args.cegar.given() {
        if !args.engine.takes(Setting::Refinement) {
            return refuse(format!("{option} is for --engine {takes}"));
        }
        if args.cegar.falsifies() {
            return refuse("--falsify is for `verify`: probabilities have no single run that shows them".to_owned());
        }
        // Boxes have no predicates, and so nothing to start from or to keep.
        if !algorithm.is_paper() && option != "--max-iterations" {
            return refuse(format!("{option} is for --algorithm paper"));
        }
        args.cegar.preset().map_err(Diagnostic::error_anywhere)?;
    }
    if algorithm.is_paper() && algorithm.has_step() && args.precision.is_some() {
        let error = Diagnostic::error_anywhere("--precision and --p-step are the same with --algorithm paper");
        return Err(error.with_help("give one of them"));
    }
    Ok(())
}

/// What people are told.
pub(crate) fn told(outcome: &Outcome) -> String {
    match (&outcome.told, &outcome.problem) {
        (Told::Bounded(found), Some(problem)) => {
            let text = text(problem, found, weights(&outcome.result), outcome.result.seconds);
            certified(&text, &outcome.result)
        }
        (Told::Expected(found), Some(problem)) => {
            expected_text(problem, found, weights(&outcome.result), outcome.result.seconds)
        }
        _ => String::new(),
    }
}

/// How much every start state counts, as it was written.
fn weights(result: &ResultObject) -> Option<&str> {
    let Some(Body::Decided(decided)) = &result.body else { return None };
    decided.over_starts.as_ref()?.weights.as_deref()
}

/// Over what a mean is.
fn over_starts(starts: u32, weights: Option<&str>) -> String {
    let starts = counted(u64::from(starts), "start state");
    weights.map_or(starts.clone(), |weights| format!("{starts}, weighted by {}", weights.trim()))
}

pub(super) fn interval(lower: &Number, upper: &Number) -> String {
    match (lower, upper) {
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

fn extended(value: &ExtendedInterval) -> String {
    match (&value.lower, &value.upper) {
        (Extended::Finite(lower), Extended::Finite(upper)) => interval(lower, upper),
        (Extended::Finite(lower), Extended::Infinite) => format!("at least {}", shown(lower.approximate())),
        (Extended::Infinite, _) => "infinite: it need not be reached".to_owned(),
    }
}

pub(super) fn expected_text(
    problem: &Problem,
    outcome: &ExpectedOutcome,
    weights: Option<&str>,
    seconds: f64,
) -> String {
    let mut text = match &outcome.decision {
        None => "done\n".to_owned(),
        Some(Verdict::Holds(())) => "holds: the expected value compares as asked\n".to_owned(),
        Some(Verdict::Violated(())) => "violated: the expected value does not compare as asked\n".to_owned(),
        Some(Verdict::Unknown(reason)) => format!("unknown: {reason}\n"),
    };
    text.push_str(&format!("  value     {}\n", extended(&outcome.value)));
    if outcome.starts > 1 {
        text.push_str(&format!(
            "  mean      {} over {}\n",
            extended(&outcome.mean),
            over_starts(outcome.starts, weights)
        ));
        text.push_str(&format!(
            "  smallest  {}\n  largest   {}\n",
            extended(&outcome.smallest),
            extended(&outcome.largest)
        ));
    }
    let extreme = match outcome.expecting.direction {
        Direction::Max => "at most",
        Direction::Min => "at least",
    };
    let until = match outcome.expecting.until {
        Until::Goal(_) => "the goal",
        Until::Reach(_) => "a state as asked for",
    };
    let what = match outcome.expecting.summed {
        Summed::Steps => "steps",
        Summed::Value { .. } => "reward on the way",
    };
    text.push_str(&format!("  expected  {what} to {until}, {extreme}, whatever the environment does\n"));
    text.push_str(&subject(problem));
    text.push_str(&explored(&outcome.statistics));
    text.push_str(&format!("  start     {}\n", outcome.start.describe(problem.model())));
    for assumption in assumed(problem) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}

pub(super) fn text(problem: &Problem, outcome: &BoundsOutcome, weights: Option<&str>, seconds: f64) -> String {
    let assuming = if outcome.assumptions.is_empty() { "" } else { ASSUMING };
    let headline = match &outcome.decision {
        Some(Verdict::Holds(())) => format!("holds{assuming}: the probability compares as asked"),
        Some(Verdict::Violated(())) => format!("violated{assuming}: the probability does not compare as asked"),
        None => format!("done{assuming}"),
        Some(Verdict::Unknown(reason)) => format!("unknown: {reason}"),
    };
    let mut text = format!("{headline}\n  value     {}\n", interval(&outcome.lower, &outcome.upper));
    if let Some(open) = outcome.open.as_ref().filter(|_| outcome.assumptions.is_empty()) {
        let value = interval(&open.lower, &open.upper);
        text.push_str(&format!("  no errors {value}, if the model is never in error\n"));
    }
    if let Some(over) = outcome.over_starts.as_ref().filter(|_| outcome.starts > 1) {
        let mean = interval(&over.mean.0, &over.mean.1);
        let (least, most) = (interval(&over.smallest.0, &over.smallest.1), interval(&over.largest.0, &over.largest.1));
        let starts = over_starts(outcome.starts, weights);
        text.push_str(&format!("  mean      {mean} over {starts}\n  between   {least} and {most}\n"));
    }
    text.push_str(&subject(problem));
    match &outcome.abstracted {
        None => text.push_str(&explored(&outcome.statistics)),
        Some(details) => {
            for (word, line) in details.lines() {
                text.push_str(&format!("  {word:<9} {line}\n"));
            }
        }
    }
    if let Some(start) = outcome.start.as_ref().filter(|_| outcome.starts > 1 || outcome.abstracted.is_some()) {
        text.push_str(&format!("  start     {}\n", start.describe(problem.model())));
    }
    if outcome.choice_states > 0 {
        let states = counted(outcome.choice_states as u64, "state");
        text.push_str(&format!("  scheduler chooses in {states}\n"));
    }
    let shown = assumed(problem);
    for assumption in shown.chain(&outcome.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    let arithmetic = match outcome.lower {
        Number::Exact(_) => "solved in fractions",
        Number::Float(_) => "bounds rounded outward",
    };
    let algorithm = outcome.abstracted.as_ref().map_or(String::new(), |details| format!(" {}", details.told()));
    text.push_str(&format!("  engine    {}{algorithm}; {arithmetic}\n", outcome.engine));
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}
