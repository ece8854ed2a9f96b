//! `explore`: counts the reachable states.

use surefoot_verdict::Event;
use surefoot_verify::{Selection, explore};

use super::session::Session;
use super::{subject, target_name};
use crate::args::ExploreArgs;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &ExploreArgs) -> Exit {
    let request = args.common.request(&args.model);
    Session::open("explore", &args.common, &request, Selection::Named)
        .and_then(|s| count(&s))
        .unwrap_or_else(|exit| exit)
}

fn count(session: &Session<'_>) -> Result<Exit, Exit> {
    let (problem, budget) = (&session.problem, &session.budget);
    let reporter = session.reporter()?;
    let result = explore(problem, budget, &reporter);
    let (limit, figures) = match result {
        Ok(result) => result,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    reporter.end(&figures.explored().figures(), limit.map(|_| "unknown"));
    let seconds = session.seconds();
    let mut report = session.report();
    report.set("engine", "explicit");
    report.set_statistics(&figures, target_name(problem));
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
    text.push_str(&subject(problem));
    let mut line = |name: &str, value: u64| text.push_str(&format!("  {name:<16}{value}\n"));
    line("start states", figures.start_states);
    line("states", figures.states);
    line("choices", figures.choices);
    line("transitions", figures.transitions);
    line("deadlocks", figures.deadlocks);
    if let Some(name) = target_name(problem) {
        line(&name.replace('_', " "), figures.reach_states);
    }
    if problem.query.goal.is_some() {
        line("goal states", figures.goal_states);
    }
    line("depth", figures.depth);
    text.push_str(&format!("  {:<16}{seconds:.2} s\n", "time"));
    Ok(session.output.result(&text, &report.finish(seconds), exit))
}
