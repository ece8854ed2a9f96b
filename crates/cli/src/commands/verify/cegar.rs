//! What `verify --engine cegar` asks for, and what it shows.

use serde_json::Value;
use surefoot_files::replace;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::cegar::expression::file;
use surefoot_verify::cegar::{CegarDetails, Checkpoint, Resumed, first_predicates};
use surefoot_verify::{CegarOptions, EngineChoice, Evidence, Outcome, Request, Setting, Source, Verdict};

use crate::args::VerifyArgs;
use crate::args::cegar::CegarArgs;
use crate::commands::session::Session;
use crate::output::{Exit, complain, counted};

/// More predicates are only counted.
const MOST_SHOWN: usize = 40;

/// What refinement is to do; that none of it is asked of another engine.
pub(super) fn options(session: &mut Session<'_>, args: &VerifyArgs, request: &Request) -> Result<CegarOptions, Exit> {
    let refused = |session: &Session<'_>, message: String| session.fail(&Diagnostic::error_anywhere(message).into());
    if !args.engine.takes(Setting::Refinement) {
        return match args.cegar.given() {
            Some(option) => {
                Err(refused(session, format!("{option} is for --engine {}", EngineChoice::taking(Setting::Refinement))))
            }
            None => Ok(CegarOptions::default()),
        };
    }
    let preset = args.cegar.preset().map_err(|message| refused(session, message))?;
    session.output.protect_files(&args.cegar.predicates)?;
    if let Some(path) = &args.cegar.predicates_out {
        session.output.claim("--predicates-out", path)?;
    }
    if let Some(path) = &args.cegar.checkpoint {
        session.output.claim_rewritten("--checkpoint", path)?;
    }
    session.guard()?;
    let path = args.cegar.checkpoint.as_deref();
    let opened = path.map(|path| Checkpoint::open(&mut session.sources, &mut session.problem, request, path));
    let opened = opened.transpose().map_err(|failure| session.fail(&failure))?;
    let file = args.cegar.predicates.as_ref().map(Source::from);
    let read = first_predicates(&mut session.sources, &mut session.problem, file.as_ref(), request.ignore_predicates);
    let mut predicates = read.map_err(|failure| session.fail(&failure))?;
    session.guard()?;
    let (checkpoint, resumed) = opened.unzip();
    if let Some((path, Resumed { predicates: found, iterations })) = path.zip(resumed.flatten()) {
        let count = counted(found.len() as u64, "predicate");
        let after = counted(iterations, "iteration");
        session.output.details(&format!("notice: going on from {}: {count} after {after}", path.display()));
        predicates.extend(found);
    }
    Ok(CegarOptions {
        preset,
        predicates,
        iterations: args.cegar.max_iterations,
        checkpoint,
        falsify: args.cegar.falsifies(),
        work: None,
    })
}

/// Writes the predicates for another run, and says what could not be written.
pub(super) fn save(session: &Session<'_>, args: &CegarArgs, details: &CegarDetails) -> Result<(), Exit> {
    if let Some(reason) = &details.checkpoint_failure {
        complain(&format!("warning: the checkpoint could not always be written: {reason}"));
    }
    let Some(path) = &args.predicates_out else { return Ok(()) };
    let written: Vec<Value> = details.expressions.iter().flatten().cloned().collect();
    let missing = details.expressions.len() - written.len();
    if missing > 0 {
        let what = counted(missing as u64, "predicate");
        complain(&format!("warning: {what} left out of {}: JANI has no name for a variable", path.display()));
    }
    let saved = replace(path, |out| out.write_all(file(&written).as_bytes()));
    let cannot = |error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display()));
    saved.map_err(|error| session.fail(&cannot(error).into()))
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
