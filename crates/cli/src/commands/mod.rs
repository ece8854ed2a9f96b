//! One file per command.

pub(crate) mod abstraction;
pub(crate) mod bounds;
pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod check_query;
pub(crate) mod ctl;
pub(crate) mod decide;
pub(crate) mod diff;
pub(crate) mod encode;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod induce;
pub(crate) mod page;
mod places;
pub(crate) mod query;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod session;
pub(crate) mod simulate;
pub(crate) mod supports;
pub(crate) mod verify;
pub(crate) mod view;
pub(crate) mod zoo;

use surefoot_explicit::Statistics;
use surefoot_files::escape;
use surefoot_verdict::Reason;
use surefoot_verify::result::{seeks_unsafe, ties};
use surefoot_verify::{OpenErrors, Problem};

/// What stands behind *holds* where the user took it for granted that the model is never in error, and no proof did.
const ASSUMING: &str = ", assuming that the model is never in error";

/// The same, where something was left open.
fn assuming(open: Option<&OpenErrors>) -> &'static str {
    if open.is_some() { ASSUMING } else { "" }
}

/// The assumptions that stand on a verdict's page: what was inferred from the files, and what options say. What holds of every policy
/// does not; the result object has them all.
fn assumed(problem: &Problem) -> impl Iterator<Item = &String> {
    let standing =
        |text: &String| text.starts_with("no policy:") || text.starts_with("the policy is the function over the reals");
    problem.assumptions.iter().filter(move |text| !standing(text))
}

/// Why nothing is known, with what there is to do about it.
fn told(reason: &Reason) -> String {
    match reason {
        Reason::TooLarge(what) => format!("{what} (use --method auto, or smaller bounds in the formula)"),
        _ => reason.to_string(),
    }
}

/// The lines of a result that say what it is about: the property and the policy.
fn subject(problem: &Problem) -> String {
    let property = match &problem.property {
        Some(property) => format!("{} (index {})", escape(&property.name), property.index),
        None if !problem.asking.is_empty() => "as text".to_owned(),
        None => "none".to_owned(),
    };
    let mut text = format!("  model     {}\n  property  {property}\n", escape(&problem.model().name));
    for (name, words) in problem.asking.told() {
        text.push_str(&format!("  {:<9} {}\n", name.replace('-', " "), escape(words.trim())));
    }
    let policy = match &problem.policy {
        None => "none: every enabled action is possible".to_owned(),
        Some(loaded) => {
            let filter = if loaded.policy.filter { "on" } else { "off" };
            let ties = ties(loaded.policy.ties).word();
            format!("{} (filter {filter}, ties {ties})", escape(&loaded.name))
        }
    };
    text.push_str(&format!("  policy    {policy}\n"));
    text
}

/// The line of a result that says how much was explored.
fn explored(figures: &Statistics) -> String {
    format!("  explored  {}\n", surefoot_verify::explored(figures))
}

/// What states of the target are called.
fn target_name(problem: &Problem) -> Option<&'static str> {
    seeks_unsafe(problem).map(|is_unsafe| if is_unsafe { "unsafe states" } else { "target states" })
}
