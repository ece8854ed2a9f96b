//! What `verify --engine cegar` asks for, and what it shows.

use surefoot_jani::diagnostic::Diagnostic;
use surefoot_verify::cegar::{CegarDetails, first_predicates};
use surefoot_verify::{CegarOptions, Engine, Evidence, Outcome, Verdict};

use crate::args::VerifyArgs;
use crate::commands::session::Session;
use crate::output::{Exit, counted};

/// More predicates are only counted.
const MOST_SHOWN: usize = 40;

/// What refinement is to do; that none of it is asked of another engine.
pub(super) fn options(session: &mut Session<'_>, args: &VerifyArgs) -> Result<CegarOptions, Exit> {
    let refused = |session: &Session<'_>, message: String| session.fail(&Diagnostic::error_anywhere(message).into());
    if args.engine != Engine::Cegar {
        return match args.cegar.given() {
            Some(option) => Err(refused(session, format!("{option} is for --engine cegar"))),
            None => Ok(CegarOptions::default()),
        };
    }
    let preset = args.cegar.preset().map_err(|message| refused(session, message))?;
    let file = args.cegar.predicates.as_deref();
    let read = first_predicates(&mut session.sources, &mut session.problem, file, args.common.ignores_predicates());
    let predicates = read.map_err(|failure| session.fail(&failure))?;
    Ok(CegarOptions { preset, predicates, iterations: args.cegar.max_iterations })
}

/// The lines that say how much was done.
pub(super) fn figures(details: &CegarDetails) -> String {
    let figures = &details.figures;
    let predicates = counted(details.words.predicates().len() as u64, "predicate");
    let mut text = format!(
        "  abstract  {predicates}; {} from {}, {}, in the last iteration\n",
        counted(figures.reachable_states, "abstract state"),
        counted(figures.start_states, "abstract start state"),
        counted(figures.transitions, "transition"),
    );
    text.push_str(&format!(
        "  refined   {}; {} of them for the policy, with {}\n",
        counted(figures.iterations, "iteration"),
        figures.policy_refinements,
        counted(figures.policy_predicates, "predicate"),
    ));
    text
}

/// What the engine's line says.
pub(super) fn engine(outcome: &Outcome, details: &CegarDetails) -> String {
    let work =
        format!("{}, {}", counted(details.figures.questions, "question"), counted(details.figures.nodes, "node"));
    let evidence = match &outcome.verdict {
        Verdict::Holds(Evidence::Invariant { states }) => {
            format!("an inductive invariant of {}", counted(*states as u64, "abstract state"))
        }
        Verdict::Unknown { .. } => "not decided".to_owned(),
        _ => "the run below was replayed in exact arithmetic".to_owned(),
    };
    format!("cegar ({}); {evidence}; {work}", details.preset)
}

/// The predicates that the invariant is made of.
pub(super) fn invariant(outcome: &Outcome, details: &CegarDetails) -> String {
    let Verdict::Holds(Evidence::Invariant { .. }) = outcome.verdict else { return String::new() };
    let all = details.words.predicates().len();
    let mut text = "\nThe invariant is made of these predicates:\n".to_owned();
    for predicate in details.words.predicates().take(MOST_SHOWN) {
        text.push_str(&format!("  {predicate}\n"));
    }
    match all.saturating_sub(MOST_SHOWN) {
        _ if all == 0 => String::new(),
        0 => text,
        more => format!("{text}  ... and {more} more; --json has them all\n"),
    }
}
