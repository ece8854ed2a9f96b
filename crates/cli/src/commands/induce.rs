//! `induce`: writes the policy-induced (or full) model for other checkers.

use std::path::PathBuf;

use surefoot_export::Numbers;
use surefoot_verify::result::body::Exported;
use surefoot_verify::task::induce::Inducing;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Ended, Session, Wish, begin};
use super::subject;
use crate::args::{InduceArgs, NumbersArg};
use crate::output::Exit;

pub(crate) fn run(args: &InduceArgs) -> Exit {
    carry_out(args).map_or_else(|exit| exit, |ended| ended.show(text))
}

fn inducing(args: &InduceArgs) -> Inducing {
    Inducing {
        out: args.out.clone(),
        format: args.format,
        numbers: args.numbers.map(|numbers| match numbers {
            NumbersArg::Exact => Numbers::Exact,
            NumbersArg::Double => Numbers::Double,
        }),
        always_mdp: args.mdp,
        any_size: args.large,
    }
}

/// The files that it writes.
pub(crate) fn files(args: &InduceArgs) -> Vec<PathBuf> {
    inducing(args).files()
}

/// What is to be done.
pub(crate) fn job(args: &InduceArgs) -> Wish {
    Wish::of(Job::Induce(args.common.request(&args.model), inducing(args)))
}

fn carry_out(args: &InduceArgs) -> Result<Ended, Exit> {
    let (task, output) = begin(&args.common, job(args).job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    files(args).iter().try_for_each(|path| session.output.claim("--out", path))?;
    session.prepare()?;
    session.run()
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let (Told::Induced(written), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let mut text = match (written, &outcome.result.reason) {
        (Some(written), _) => format!("done: wrote {}\n{}", written.files.join(", "), subject(problem)),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or_default();
            format!("unknown: {reason}; nothing was written\n{}", subject(problem))
        }
    };
    text.push_str(&written.as_ref().map(|written| contents(&written.exported)).unwrap_or_default());
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    text
}

/// What is in the files.
fn contents(exported: &Exported) -> String {
    let Exported { format, r#type, numbers, states, choices, transitions, self_loops, labels } = exported;
    let added = match self_loops {
        0 => String::new(),
        loops => format!(" (with {loops} self-loops in states without moves)"),
    };
    let labels: Vec<String> = labels.0.iter().map(|(name, count)| format!("{name} {count}")).collect();
    format!(
        "  format    {format}, {type}, {numbers} probabilities\n  states    {states}\n  choices   {choices}{added}\n  branches  \
         {transitions}\n  labels    {}\n",
        labels.join(", ")
    )
}
