//! `diff`: do two policies choose alike, and does a proof about one hold of the other?

use surefoot_files::escape;
use surefoot_model::LabelId;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::Problem;
use surefoot_verify::diff::{Compared, Difference, Proof, Reachable, Side, Verdict, Way};
use surefoot_verify::result::diff::Comparison;
use surefoot_verify::result::{Body, ResultObject};
use surefoot_verify::task::diff::{Alike, Differing};
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Session, Wish, begin};
use super::{assumed, subject};
use crate::args::diff::{DiffArgs, WayArg};
use crate::output::{Exit, counted};
use crate::table::run_table;

/// Pairs of labels that are shown; the result object has them all.
const MOST_PAIRS: usize = 20;

/// What is to be done.
pub(crate) fn job(args: &DiffArgs) -> Wish {
    let question = match (&args.invariant, args.prove) {
        (Some(path), _) => Alike::Certificate(path.clone()),
        (None, true) => Alike::Proof,
        (None, false) => Alike::Choices(args.engine.map_or_else(Way::default, Way::from), args.region.clone()),
    };
    let differing = Differing { new: args.common.second_policy(), question };
    let request = args.common.request(&args.model);
    Wish { job: Job::Diff(request, Box::new(differing)), fits: fits(args) }
}

/// That the options fit each other.
fn fits(args: &DiffArgs) -> Result<(), Diagnostic> {
    if args.common.policies() > 2 {
        let error = Diagnostic::error_anywhere("two policies are compared, and --policy names more");
        return Err(error.with_help("give --policy OLD --policy NEW, in this order"));
    }
    if args.engine == Some(WayArg::Explicit) && args.region.is_some() {
        let message = "--engine explicit looks at reachable states, and --region is about states whether or not runs come to them";
        return Err(Diagnostic::error_anywhere(message).with_help("leave one of them out"));
    }
    Ok(())
}

pub(crate) fn run(args: &DiffArgs) -> Exit {
    let Wish { job, fits } = job(args);
    let ended = begin(&args.common, job).and_then(|(task, output)| {
        let mut session = Session::open(&task, output, args.common.events.as_deref())?;
        fits.map_err(|error| session.fail(&error.into()))?;
        session.prepare()?;
        session.run()
    });
    ended.map_or_else(|exit| exit, |ended| ended.show(told))
}

/// What people are told.
pub(crate) fn told(outcome: &Outcome) -> String {
    match (&outcome.told, &outcome.problem, &outcome.result.body) {
        (Told::Compared(found), Some(problem), Some(Body::Compared(about))) => {
            about.found.as_ref().map_or_else(String::new, |record| text(problem, found, record, &outcome.result))
        }
        _ => String::new(),
    }
}

fn labels(problem: &Problem, labels: Option<&[LabelId]>) -> String {
    let name = |label: &LabelId| escape(&problem.model().labels[label.0 as usize]).into_owned();
    match labels {
        None => "no choice (no network is responsible)".to_owned(),
        Some([]) => "nothing".to_owned(),
        Some(labels) => labels.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}

fn headline(found: &Compared, record: &Comparison) -> String {
    let word = found.verdict.word();
    let place = match record.region.as_ref().and_then(|region| region.condition.as_ref()) {
        Some(condition) => format!("in all states with {}", escape(condition)),
        None => "in all states of the domains, reachable or not".to_owned(),
    };
    let reachable = found.reachable.as_ref();
    let rest = match &found.verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Holds(Proof::Reachable) => {
            let states = reachable.map_or(0, |found| found.union.states);
            format!("both policies choose the same in all {}", counted(states, "reachable state"))
        }
        Verdict::Holds(Proof::Region) => format!("both policies choose the same {place}"),
        Verdict::Holds(Proof::Invariant) => {
            format!("the invariant is inductive under {} too, which is therefore safe", record.other_policy.file)
        }
        Verdict::Violated(difference) if difference.leaving.is_some() => {
            let new = &record.other_policy.file;
            format!("the invariant is not inductive under {new} (which need not be unsafe)")
        }
        Verdict::Violated(_) => match reachable {
            Some(Reachable { union, .. }) => {
                let (differing, states) = (union.differing, counted(union.states, "reachable state"));
                format!("the policies differ in {differing} of {states}{}", percent(differing, union.states))
            }
            None => "the policies differ in a state of the region, which need not be reachable".to_owned(),
        },
    };
    format!("{word}: {rest}\n")
}

/// A share in words.
fn percent(part: u64, all: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
    let share = 100.0 * part as f64 / all as f64;
    match share {
        _ if all == 0 => String::new(),
        ..1.0 => format!(" ({share:.2} %)"),
        _ => format!(" ({share:.1} %)"),
    }
}

fn side(name: &str, side: &Side) -> String {
    let tally = &side.tally;
    let stopped = side.stopped.as_ref().map_or(String::new(), |why| format!("; not all of them: {}", escape(why)));
    format!(
        "  {name:<9} {}, asked in {}, different in {}{stopped}\n",
        counted(tally.states, "reachable state"),
        tally.asked,
        tally.differing
    )
}

fn text(problem: &Problem, found: &Compared, record: &Comparison, result: &ResultObject) -> String {
    let mut text = headline(found, record);
    text.push_str(&subject(problem));
    let other = &record.other_policy;
    let filter = if other.filter { "on" } else { "off" };
    let (file, ties) = (escape(&other.file), other.ties.word());
    text.push_str(&format!("  new       {file} (filter {filter}, ties {ties})\n"));
    if let Some(reachable) = &found.reachable {
        text.push_str(&side("under old", &reachable.old));
        if let Some(new) = &reachable.new {
            text.push_str(&side("under new", new));
        }
        for (pair, states) in reachable.union.pairs.iter().take(MOST_PAIRS) {
            let [old, new] = [&pair.one, &pair.other].map(|chosen| labels(problem, Some(chosen)));
            text.push_str(&format!("  choice    {old} -> {new} in {}\n", counted(*states, "state")));
        }
        let more = reachable.union.pairs.len().saturating_sub(MOST_PAIRS);
        if more > 0 {
            text.push_str(&format!("  choice    ... and {more} more pairs; --json has them all\n"));
        }
    }
    if let Some(region) = &record.region {
        text.push_str(&format!(
            "  asked     {} about both networks, {}\n",
            counted(region.questions, "question"),
            counted(region.nodes, "node")
        ));
    }
    text.push_str(&reused(record));
    if let Some(difference) = found.verdict.refutation() {
        text.push_str(&example(problem, difference));
    }
    for assumption in assumed(problem).chain(&found.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  engine    {}\n  time      {:.2} s\n", found.engine, result.seconds));
    if let Some(run) = found.verdict.refutation().and_then(|difference| difference.run.as_ref()) {
        text.push('\n');
        text.push_str(&run_table(problem, run));
    }
    text
}

/// What became of an invariant.
fn reused(record: &Comparison) -> String {
    let Some(reused) = &record.invariant else { return String::new() };
    let mut text = format!(
        "  invariant {} and {}, of {}\n",
        counted(reused.regions, "region"),
        counted(reused.states, "state"),
        escape(&reused.source)
    );
    text.push_str(&format!(
        "  changed   {} of {} and {} of {} that were looked at\n",
        reused.regions_changed,
        counted(reused.regions_asked, "region"),
        reused.states_changed,
        counted(reused.states_asked, "state")
    ));
    let proof = reused
        .questions_of_the_proof
        .map_or(String::new(), |questions| format!(", and the proof of the old policy took {questions}"));
    text.push_str(&format!(
        "  asked     {}; every move of them alone is {}{proof}\n",
        counted(reused.questions, "question"),
        reused.questions_from_nothing
    ));
    text
}

/// The state that tells policies apart.
fn example(problem: &Problem, difference: &Difference) -> String {
    let model = problem.model();
    let [old, new] = [&difference.old, &difference.new].map(|opinion| labels(problem, opinion.as_deref()));
    let place = match &difference.run {
        Some(run) if run.steps.is_empty() => "a start state: ".to_owned(),
        Some(run) => format!("after {}, none is nearer: ", counted(run.steps.len() as u64, "step")),
        None => String::new(),
    };
    let mut text = format!("  example   {place}{}\n", difference.state.describe(model));
    text.push_str(&format!("  chosen    old: {old}; new: {new}\n"));
    if let Some((operator, successor)) = &difference.leaving {
        let (operator, successor) = (model.describe_operator(operator), successor.describe(model));
        text.push_str(&format!("  leaves    by {operator} to {successor}, which is outside of the invariant\n"));
        text.push_str(
            "  note      whether a run comes there, and what follows, was not asked: verify the new policy\n",
        );
    }
    text
}
