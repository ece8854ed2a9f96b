//! `bounds`: how likely at most; decides a bound, or derives an interval.

use serde_json::{Value, json};
use surefoot_jani::source::SourceMap;
use surefoot_verify::states::StateNames;
use surefoot_verify::{
    BoundsOptions, BoundsOutcome, Budget, Decision, Engine, Failure, Number, Problem, Report, Request, Selection,
    bounds, partial_bounds,
};

use super::{subject, target_name};
use crate::args::{BoundsArgs, CommonArgs};
use crate::output::{Exit, Output, counted};
use crate::progress::Reporter;

pub(crate) fn run(args: &BoundsArgs) -> Exit {
    let output = match Output::new(&args.common) {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let budget = args.common.budget();
    let mut sources = SourceMap::default();
    let request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    let problem = match Problem::load(&mut sources, &request, Selection::Bound) {
        Ok(problem) => problem,
        Err(failure) => return output.failure(Report::new("bounds", args.common.seed), &failure, &sources),
    };
    output.notes(&problem.notes, &sources);
    let options = BoundsOptions { precision: args.precision, p_max: args.p_max.clone(), exact: args.exact };
    decide("bounds", &problem, args.engine, &options, &args.common, &budget, &output, &sources)
}

/// Runs and reports; `verify` comes here too, for comparisons of probabilities.
#[expect(clippy::too_many_arguments, reason = "a command is all of these")]
pub(super) fn decide(
    command: &str,
    problem: &Problem,
    engine: Engine,
    options: &BoundsOptions,
    common: &CommonArgs,
    budget: &Budget,
    output: &Output,
    sources: &SourceMap,
) -> Exit {
    let reporter = match Reporter::new(common, budget.started) {
        Ok(reporter) => reporter,
        Err(exit) => return exit,
    };
    let (name, result) = match engine {
        Engine::Partial => ("partial", partial_bounds(problem, options, budget, &reporter)),
        Engine::Auto | Engine::Explicit => ("explicit", bounds(problem, options, budget, &reporter)),
    };
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return fail(command, common, output, &failure, sources);
        }
    };
    let word = match &outcome.decision {
        Decision::Holds => Some("holds"),
        Decision::Violated => Some("violated"),
        Decision::Derived => None,
        Decision::Unknown(_) => Some("unknown"),
    };
    reporter.end(&outcome.statistics, word);
    let seconds = budget.started.elapsed().as_secs_f64();
    let mut report = Report::new(command, common.seed);
    report.describe_problem(problem);
    report.set("verdict", word.map_or(Value::Null, Value::from));
    if let Decision::Unknown(reason) = &outcome.decision {
        report.set("reason", reason.clone());
    }
    report.set("engine", name);
    report.set_statistics(&outcome.statistics, target_name(problem));
    report.set("value", json!({"lo": number(&outcome.lower), "hi": number(&outcome.upper)}));
    report.set("witness", witness(problem, &outcome));
    let exit = match outcome.decision {
        Decision::Holds | Decision::Derived => Exit::Done,
        Decision::Violated => Exit::Violated,
        Decision::Unknown(_) => Exit::Unknown,
    };
    output.result(&text(problem, &outcome, name, seconds), &report.finish(seconds), exit)
}

fn fail(command: &str, common: &CommonArgs, output: &Output, failure: &Failure, sources: &SourceMap) -> Exit {
    output.failure(Report::new(command, common.seed), failure, sources)
}

/// A number of the result object: floats as numbers, exact values as fractions in text.
fn number(value: &Number) -> Value {
    match value {
        Number::Float(value) => json!(value),
        Number::Exact(value) => json!(value.to_string()),
    }
}

/// The start state of the value, and what the scheduler does where it has a choice.
fn witness(problem: &Problem, outcome: &BoundsOutcome) -> Value {
    let names = StateNames::new(problem.model());
    let record = |state| json!(names.record(problem.model(), state));
    let scheduler: Vec<Value> =
        outcome.scheduler.iter().map(|(state, action)| json!({"state": record(state), "action": action})).collect();
    json!({
        "start": record(&outcome.start),
        "scheduler": scheduler,
        "scheduler_states": outcome.choice_states,
    })
}

fn interval(outcome: &BoundsOutcome) -> String {
    match (&outcome.lower, &outcome.upper) {
        (Number::Exact(lower), Number::Exact(upper)) if lower == upper => {
            let text = lower.to_string();
            let text = if text.len() <= 60 { text } else { format!("{}... (a long fraction)", &text[..40]) };
            format!("{text} = {:.10}", lower.to_f64())
        }
        (lower, upper) => format!("[{}, {}]", lower.approximate(), upper.approximate()),
    }
}

fn text(problem: &Problem, outcome: &BoundsOutcome, engine: &str, seconds: f64) -> String {
    let headline = match &outcome.decision {
        Decision::Holds => "holds: the probability compares as asked".to_owned(),
        Decision::Violated => "violated: the probability does not compare as asked".to_owned(),
        Decision::Derived => "done".to_owned(),
        Decision::Unknown(reason) => format!("unknown: {reason}"),
    };
    let figures = &outcome.statistics;
    let mut text = format!("{headline}\n  value     {}\n", interval(outcome));
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  explored  {} from {}, {}, depth {}\n",
        counted(figures.states, "state"),
        counted(figures.start_states, "start state"),
        counted(figures.transitions, "transition"),
        figures.depth
    ));
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
    text.push_str(&format!("  engine    {engine}; bounds rounded outward\n"));
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}
