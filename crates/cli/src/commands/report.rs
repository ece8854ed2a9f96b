//! `report`: one HTML file that shows a result.

use surefoot_files::escape;
use surefoot_verify::Told;
use surefoot_verify::result::VerdictWord;
use surefoot_verify::task::{Job, Outcome};

use super::page::PageWish;
use super::session::{Session, Wish, begin};
use super::subject;
use crate::args::report::ReportArgs;
use crate::output::Exit;
use crate::process;

/// What is to be done.
pub(crate) fn job(args: &ReportArgs) -> Wish {
    Wish::of(Job::Report(args.common.request(&args.model), (&args.result).into()))
}

pub(crate) fn run(args: &ReportArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

fn carry_out(args: &ReportArgs) -> Result<Exit, Exit> {
    let (task, output) = begin(&args.common, job(args).job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    session.output.claim("--out", &args.out)?;
    let drawing = session.drawing(args.drawing.drawing.as_deref())?;
    session.guard()?;
    // What repeats the result does not read it.
    let mut words = process::words().to_vec();
    let result = args.result.to_string_lossy();
    if let Some(index) = words.iter().position(|word| *word == result) {
        words.remove(index);
    }
    let page = PageWish::new(&args.out, drawing, &words);
    let ended = session.run()?;
    Ok(ended.show_with(Some(&page), &task.budget, |outcome| told(args, outcome)))
}

/// What people are told.
pub(crate) fn told(args: &ReportArgs, outcome: &Outcome) -> String {
    let (Told::Reported(reported), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let said = reported.read.verdict;
    let verdict = said.map_or("no verdict", VerdictWord::word);
    let is_open = reported.confirmed || said.is_none_or(|word| word == VerdictWord::Unknown);
    let unchecked = if is_open { "" } else { ", which was not checked" };
    let out = args.out.display().to_string();
    format!("a page about a result that says {verdict}{unchecked}\n{}  page      {}\n", subject(problem), escape(&out))
}
