//! `explore`: counts the reachable states.

use surefoot_jani::source::SourceMap;
use surefoot_verify::{Problem, Report, Selection, explore};

use super::{subject, target_name};
use crate::args::ExploreArgs;
use crate::output::{Exit, Output, counted};
use crate::progress::Reporter;

pub(crate) fn run(args: &ExploreArgs) -> Exit {
    let output = match Output::new(&args.common) {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let budget = args.common.budget();
    let mut sources = SourceMap::default();
    let problem = match Problem::load(&mut sources, &args.common.request(&args.model), Selection::Named) {
        Ok(problem) => problem,
        Err(failure) => return output.failure(Report::new("explore", args.common.seed), &failure, &sources),
    };
    output.notes(&problem.notes, &sources);
    let reporter = match Reporter::new(&args.common, budget.started) {
        Ok(reporter) => reporter,
        Err(exit) => return exit,
    };
    let (limit, figures) = match explore(&problem, &budget, &reporter) {
        Ok(result) => result,
        Err(failure) => {
            drop(reporter);
            return output.failure(Report::new("explore", args.common.seed), &failure, &sources);
        }
    };
    reporter.end(&figures, limit.map(|_| "unknown"));
    let seconds = budget.started.elapsed().as_secs_f64();
    let mut report = Report::new("explore", args.common.seed);
    report.describe_problem(&problem);
    report.set("engine", "explicit");
    report.set_statistics(&figures, target_name(&problem));
    let (headline, exit) = match limit {
        None => (format!("done: {}\n", counted(figures.states, "reachable state")), Exit::Done),
        Some(limit) => {
            let reason = budget.describe(limit);
            report.set("verdict", "unknown");
            report.set("reason", reason.clone());
            (format!("unknown: {reason}; the figures so far:\n"), Exit::Unknown)
        }
    };
    let mut text = headline;
    text.push_str(&subject(&problem));
    let mut line = |name: &str, value: u64| text.push_str(&format!("  {name:<16}{value}\n"));
    line("start states", figures.start_states);
    line("states", figures.states);
    line("choices", figures.choices);
    line("transitions", figures.transitions);
    line("deadlocks", figures.deadlocks);
    if let Some(name) = target_name(&problem) {
        line(&name.replace('_', " "), figures.reach_states);
    }
    if problem.query.goal.is_some() {
        line("goal states", figures.goal_states);
    }
    line("depth", figures.depth);
    text.push_str(&format!("  {:<16}{seconds:.2} s\n", "time"));
    output.result(&text, &report.finish(seconds), exit)
}
