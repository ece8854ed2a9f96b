//! `explain`: what a choice of the policy hinges on.

use surefoot_model::{LabelId, SlotId};
use surefoot_num::Rational;
use surefoot_verify::Problem;
use surefoot_verify::explain::{Explanation, Turn};
use surefoot_verify::task::explain::Explaining;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Wish, carry_out};
use super::subject;
use crate::args::ExplainArgs;
use crate::output::Exit;

/// What is to be done.
pub(crate) fn job(args: &ExplainArgs) -> Wish {
    let explaining = match (&args.run, &args.state) {
        (Some(run), _) => Explaining::Run(run.into(), usize::try_from(args.step).unwrap_or(usize::MAX)),
        (None, state) => Explaining::State(state.clone().unwrap_or_default()),
    };
    Wish::of(Job::Explain(args.common.request(&args.model), explaining))
}

pub(crate) fn run(args: &ExplainArgs) -> Exit {
    carry_out(&args.common, job(args).job, told)
}

/// What people are told.
pub(crate) fn told(outcome: &Outcome) -> String {
    match (&outcome.told, &outcome.problem) {
        (Told::Explained(explanation), Some(problem)) => {
            text(problem, explanation, outcome.result.reason.as_deref(), outcome.result.seconds)
        }
        _ => String::new(),
    }
}

/// Scores of networks are long fractions; people read floats.
fn short(value: &Rational) -> String {
    let text = value.to_string();
    if text.len() <= 8 { text } else { format!("{:.6}", value.to_f64()) }
}

fn text(problem: &Problem, explanation: &Explanation, reason: Option<&str>, seconds: f64) -> String {
    let model = problem.model();
    let names = |labels: &[LabelId]| {
        let names: Vec<&str> = labels.iter().map(|label| &*model.labels[label.0 as usize]).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") }
    };
    let value = |slot: SlotId, value: &Rational| model.describe_value(slot, value);
    let mut text = match reason {
        None => format!("done: the policy chooses {}\n", names(&explanation.chosen.labels)),
        Some(reason) => format!("unknown: {reason}; the policy chooses {}\n", names(&explanation.chosen.labels)),
    };
    text.push_str(&subject(problem));
    text.push_str(&format!("  state     {}\n", explanation.state.describe(model)));
    let networks = problem.policy().map_or(&[][..], |policy| &policy.networks);
    if let (Some(network), 2..) = (networks.get(explanation.chosen.network), networks.len()) {
        text.push_str(&format!("  network   {}\n", network.file));
    }
    let score = |(label, score): &(LabelId, Rational)| format!("{} {}", model.labels[label.0 as usize], short(score));
    let scores: Vec<String> = explanation.chosen.scores.iter().map(score).collect();
    text.push_str(&format!("  scores    {}\n", scores.join(", ")));
    if let Some((label, margin)) = &explanation.chosen.runner_up {
        text.push_str(&format!("  margin    {} before {}\n", short(margin), model.labels[label.0 as usize]));
    }
    match &explanation.nearest {
        Some(nearest) => {
            let change = |slot: &SlotId| {
                let (from, to) = (explanation.state.get(*slot), nearest.state.get(*slot));
                format!("{}: {} -> {}", model.slots[slot.index()].name, value(*slot, from), value(*slot, to))
            };
            let changes: Vec<String> = nearest.changed.iter().map(change).collect();
            let (changes, labels) = (changes.join(", "), names(&nearest.labels));
            text.push_str(&format!(
                "  nearest   {changes} gives {labels}; no change by less than {} does\n",
                nearest.distance
            ));
        }
        None if reason.is_none() => {
            text.push_str("  nearest   none: the choice is the same in all states with these locations\n");
        }
        None => {}
    }
    let turn = |slot: SlotId, turn: &Turn, word: &str| {
        format!("{word} {} gives {}", value(slot, &turn.value), names(&turn.labels))
    };
    let mut quiet: Vec<&str> = Vec::new();
    for alone in &explanation.alone {
        let name = &*model.slots[alone.slot.index()].name;
        let below = alone.below.as_ref().map(|below| turn(alone.slot, below, "down to"));
        let above = alone.above.as_ref().map(|above| turn(alone.slot, above, "up to"));
        let turns: Vec<String> = below.into_iter().chain(above).collect();
        if turns.is_empty() {
            quiet.push(name);
        } else {
            let now = value(alone.slot, explanation.state.get(alone.slot));
            text.push_str(&format!("  {name} = {now}: {}\n", turns.join(", ")));
        }
    }
    if !quiet.is_empty() && reason.is_none() {
        text.push_str(&format!("  alone no value changes the choice of {}\n", quiet.join(", ")));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}
