//! `explore`: counts the reachable states.

use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Wish, carry_out};
use super::{subject, target_name};
use crate::args::ExploreArgs;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &ExploreArgs) -> Exit {
    carry_out(&args.common, job(args).job, text)
}

/// What is to be done.
pub(crate) fn job(args: &ExploreArgs) -> Wish {
    Wish::of(Job::Explore(args.common.request(&args.model)))
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let (Told::Explored(figures), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let mut text = match &outcome.result.reason {
        None => format!("done: {}\n", counted(figures.states, "reachable state")),
        Some(reason) => format!("unknown: {reason}; the figures so far:\n"),
    };
    text.push_str(&subject(problem));
    let mut line = |name: &str, value: u64| text.push_str(&format!("  {name:<16}{value}\n"));
    line("start states", figures.start_states);
    line("states", figures.states);
    line("choices", figures.choices);
    line("transitions", figures.transitions);
    line("deadlocks", figures.deadlocks);
    if let Some(name) = target_name(problem) {
        line(name, figures.reach_states);
    }
    if problem.query.goal.is_some() {
        line("goal states", figures.goal_states);
    }
    line("depth", figures.depth);
    text.push_str(&format!("  {:<16}{:.2} s\n", "time", outcome.result.seconds));
    text
}
