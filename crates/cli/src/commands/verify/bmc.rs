//! What `verify --engine bmc` shows.

use surefoot_verify::{BmcDetails, Evidence, Outcome, Verdict};

use crate::output::counted;

/// The line that says how much was done.
pub(super) fn figures(details: &BmcDetails) -> String {
    let figures = &details.figures;
    format!("  followed  {}; {} more end like others\n", counted(figures.paths, "path"), figures.merged)
}

/// What the engine's line says.
pub(super) fn engine(outcome: &Outcome, details: &BmcDetails) -> String {
    let work =
        format!("{}, {}", counted(details.figures.questions, "question"), counted(details.figures.nodes, "node"));
    let evidence = match &outcome.verdict {
        Verdict::Holds(Evidence::AllPaths { depth, .. }) => {
            format!("all paths were followed to their ends, after at most {}", counted(u64::from(*depth), "step"))
        }
        Verdict::Unknown(_) if outcome.open.is_some() => {
            "all paths were followed to their ends, and errors are open".to_owned()
        }
        Verdict::Unknown(_) => "not decided".to_owned(),
        _ => "the run below is a shortest one, and was replayed in exact arithmetic".to_owned(),
    };
    format!("bmc; {evidence}; {work}")
}
