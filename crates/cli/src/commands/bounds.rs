//! `bounds`: how likely at most; decides a bound, or derives an interval.

use serde_json::{Value, json};
use surefoot_verdict::{Event, Verdict};
use surefoot_verify::bounds::Chosen;
use surefoot_verify::states::StateNames;
use surefoot_verify::{BoundsOptions, BoundsOutcome, EngineChoice, Number, Problem, Purpose, Request, Selection};

use super::session::Session;
use super::{explored, subject, target_name};
use crate::args::BoundsArgs;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &BoundsArgs) -> Exit {
    let request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    let options = BoundsOptions { precision: args.precision, p_max: args.p_max.clone(), exact: args.exact };
    let session = Session::open("bounds", &args.common, &request, Selection::Bound);
    session.and_then(|s| decide(&s, args.engine, &options)).unwrap_or_else(|exit| exit)
}

/// Runs and reports; `verify` comes here too, for comparisons of probabilities.
pub(super) fn decide(session: &Session<'_>, engine: EngineChoice, options: &BoundsOptions) -> Result<Exit, Exit> {
    let (problem, budget) = (&session.problem, &session.budget);
    let purpose = Purpose::Bound { exact: options.exact };
    if let Err(unsupported) = engine.supports(&problem.asked(), purpose) {
        return Err(session.fail(&unsupported.into()));
    }
    let reporter = session.reporter()?;
    let outcome = match engine.bound(problem, options, budget, &reporter) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    let verdict = outcome.decision.as_ref();
    let (word, exit) = (verdict.map(Verdict::word), verdict.map_or(Exit::Done, Exit::of));
    reporter.end(&outcome.statistics.explored().figures(), word);
    let seconds = session.seconds();
    let mut report = session.report();
    report.set("verdict", word.map_or(Value::Null, Value::from));
    if let Some(reason) = verdict.and_then(Verdict::reason) {
        report.set("reason", reason.to_string());
    }
    report.set("engine", outcome.engine);
    report.set_statistics(&outcome.statistics, target_name(problem));
    report.set("value", json!({"lo": number(&outcome.lower), "hi": number(&outcome.upper)}));
    report.set("witness", witness(problem, &outcome));
    Ok(session.output.result(&text(problem, &outcome, seconds), &report.finish(seconds), exit))
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
    let dropped = |name: &str| {
        let slice = problem.slice.as_ref();
        slice.is_some_and(|slice| (0..slice.dropped.len()).any(|i| slice.dropped[i] && names.slot(i) == name))
    };
    let entry = |chosen: &Chosen| {
        let mut state = names.record(problem.model(), &chosen.state);
        state.variables.retain(|(name, _)| !dropped(name));
        json!({"state": state, "action": chosen.action, "choice": chosen.choice})
    };
    let scheduler: Vec<Value> = outcome.scheduler.iter().map(entry).collect();
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
        (lower, upper) => format!("[{}, {}]", shown(lower.approximate()), shown(upper.approximate())),
    }
}

/// A probability as digits, with an exponent where there would be many zeros first.
fn shown(value: f64) -> String {
    if value == 0.0 || value >= 1e-4 { value.to_string() } else { format!("{value:e}") }
}

fn text(problem: &Problem, outcome: &BoundsOutcome, seconds: f64) -> String {
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
