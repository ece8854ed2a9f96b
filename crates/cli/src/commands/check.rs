//! `check`: reads everything and reports what it is.

use surefoot_text::render;
use surefoot_verify::task::check::Checked;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Session, Wish, begin};
use crate::args::CheckArgs;
use crate::output::{Exit, complain, counted};

/// What is to be done.
pub(crate) fn job(args: &CheckArgs) -> Wish {
    Wish::of(Job::Check(args.common.request(&args.model)))
}

pub(crate) fn run(args: &CheckArgs) -> Exit {
    let ended = begin(&args.common, job(args).job).and_then(|(task, output)| Session::open(&task, output, None)?.run());
    let ended = match ended {
        Ok(ended) => ended,
        Err(exit) => return exit,
    };
    let errors = checked(&ended.outcome).map_or(&[][..], |checked| &checked.errors);
    errors.iter().for_each(|error| complain(&render(error, &ended.sources)));
    ended.show(text)
}

fn checked(outcome: &Outcome) -> Option<&Checked> {
    if let Told::Checked(checked) = &outcome.told { Some(checked) } else { None }
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let Some(checked) = checked(outcome) else { return String::new() };
    let headline = match (checked.errors.len(), checked.undefined.len()) {
        (0, 0) => "readable".to_owned(),
        (0, n) => format!("readable, but {} without a value", counted(n as u64, "constant")),
        (n, _) => format!("not readable: {}", counted(n as u64, "error")),
    };
    format!("{headline}\n{}", checked.text)
}
