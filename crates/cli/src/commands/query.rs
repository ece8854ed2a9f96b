//! `verify` of a VNN-LIB query: what the standard asks of a solver's command line.
//!
//! The first line of standard output is `sat`, `unsat`, `unknown` or `timed-out`; the state follows `sat`, in the form of
//! the query's version, unless it goes to files. Everything else goes to standard error.

use surefoot_limits::Cancel;
use surefoot_verify::decide::counterexample::assigned;
use surefoot_verify::task::Outcome;
use surefoot_verify::task::decide::Deciding;

use super::decide::{answers, carry_out, deciding, details, wish};
use super::session::{Ended, Wish};
use crate::args::query::VerifyQueryArgs;
use crate::output::{Exit, Output};
use crate::process;

pub(crate) fn run(args: &VerifyQueryArgs) -> Exit {
    let ended = match answer(args) {
        Ok(ended) => ended,
        Err(exit) => return exit,
    };
    let exit = ended.show(|outcome| text(args, outcome));
    ended.output.details(&details(&ended.outcome));
    exit
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &VerifyQueryArgs, cancel: &Cancel) -> Wish {
    let common = deciding(&args.query, &args.network, args.timeout, &args.answering, cancel);
    wish(Deciding { tensors: args.serialise_assignments.clone(), assigns: true, ..common })
}

fn answer(args: &VerifyQueryArgs) -> Result<Ended, Exit> {
    let mut output = Output::to(args.answering.json.as_deref(), args.answering.quiet)?;
    let folder = args.serialise_assignments.as_deref();
    folder.map_or(Ok(()), |folder| output.claim_folder("--serialise-assignments", folder))?;
    carry_out(job(args, &process::cancel()), &args.answering, output)
}

/// The answer as the standard has it.
pub(crate) fn text(args: &VerifyQueryArgs, outcome: &Outcome) -> String {
    let Some((queries, answers)) = answers(outcome) else { return String::new() };
    let (Some(query), Some(answer), Some(property)) = (queries.queries.first(), answers.first(), &queries.property)
    else {
        return String::new();
    };
    let assigned = assigned(query, answer).filter(|_| args.serialise_assignments.is_none());
    let state = assigned.map(|assigned| assigned.text(property)).unwrap_or_default();
    format!("{}\n{state}", answer.word())
}
