//! `zoo train`: policies by learning.

use surefoot_explicit::simulate::RunEnd;
use surefoot_explicit::simulate::confidence::{self, Estimate};
use surefoot_files::escape;
use surefoot_verify::task::train::Learned;
use surefoot_verify::task::{Job, Outcome, Told};

use super::super::session::{Ended, Session, Wish, begin};
use super::super::simulate::{lengths, shares};
use super::super::subject;
use crate::args::train::ZooTrainArgs;
use crate::output::{Exit, counted};

pub(super) fn run(args: &ZooTrainArgs) -> Result<Exit, Exit> {
    carry_out(args).map(|ended| ended.show(text))
}

/// What is to be done.
pub(crate) fn job(args: &ZooTrainArgs) -> Wish {
    Wish::of(Job::Train(args.common.request(&args.model), Box::new(args.training())))
}

fn carry_out(args: &ZooTrainArgs) -> Result<Ended, Exit> {
    let files = args.training().files();
    let (task, output) = begin(&args.common, job(args).job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    session.prepare()?;
    let there: Vec<&str> =
        files.iter().filter(|path| path.exists()).filter_map(|path| path.file_name()?.to_str()).collect();
    for path in &files {
        session.output.claim("--out", path)?;
    }
    session.guard()?;
    if !there.is_empty() {
        session.output.details(&format!("notice: in {}, {} will be replaced", args.out.display(), there.join(", ")));
    }
    session.run()
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let (Told::Trained(learned), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let Learned { trained, judged, past_goal, record, run_steps } = &**learned;
    let totals = &judged.totals;
    let part = |count: u64| format!("{count} of {}", counted(totals.runs, "run"));
    let mut text = match (&outcome.result.reason, problem.query.goal) {
        (Some(reason), _) => format!("unknown: {reason}\n"),
        (None, Some(_)) => format!("done: {} under the policy reach the goal\n", part(totals.through_goal)),
        (None, None) => {
            format!("done: {} under the policy reach an unsafe state\n", part(totals.ended(RunEnd::Reach)))
        }
    };
    text.push_str(&subject(problem));
    let sizes = [&[record.network_inputs.len()], &record.hidden[..], &[record.labels.len()]].concat();
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    text.push_str(&format!("  network   {}\n", sizes.join(" -> ")));
    let (steps, episodes, updates) =
        (counted(trained.steps, "step"), counted(trained.episodes, "run"), counted(trained.updates, "update"));
    text.push_str(&format!(
        "  trained   {steps} in {episodes}, {updates}; kept as it was after {} steps\n",
        trained.kept
    ));
    text.push_str(&format!("  judged    by {} of at most {run_steps} steps\n", counted(totals.runs, "random run")));
    text.push_str(&shares(problem, totals, problem.query.target.is_some()));
    if let Some(past) = past_goal
        && problem.query.target.is_some()
        && let Some(Estimate { mean, lower, upper }) =
            confidence::share(past.totals.ended(RunEnd::Reach), past.totals.runs)
    {
        let [mean, lower, upper] = [mean, lower, upper].map(|share| format!("{:.2}", 100.0 * share));
        text.push_str(&format!("  past goal unsafe in {mean} % of runs that go on (95 %: {lower} to {upper} %)\n"));
    }
    text.push_str(&lengths(totals));
    text.push_str(&format!("  return    {:.4} on average\n", record.mean_return));
    text.push_str(&format!("  wrote     {} in {}\n", record.files.join(", "), escape(&record.folder)));
    text.push_str(&format!("  seed      {}\n", outcome.result.seed));
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    text
}
