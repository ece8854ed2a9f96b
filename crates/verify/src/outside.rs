//! Other people's solvers in the place of the built-in oracle: who they are, and what a verdict owes them.
//!
//! Where a proof rests on a solver's word that there is no state, the verdict names the solver among its assumptions and has no
//! certificate. A witness of theirs was evaluated exactly, and a run was replayed: those rest on nobody.

use std::sync::Arc;

use surefoot_limits::Stop;
use surefoot_solvers::{Ledger, Outside};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Limit, Reason};

use crate::engine::{Budget, Evidence, Verdict};
use crate::problem::Failure;

pub use surefoot_solvers::{Choice, Places};

/// Who is asked instead, and where they are.
#[derive(Debug, Clone)]
pub struct OutsideRequest {
    /// Who.
    pub choice: Choice,
    /// Where they may be.
    pub places: Places,
}

impl OutsideRequest {
    /// The oracle, started, and its account.
    pub(crate) fn start(&self, budget: &Budget) -> Result<(Outside, Witnesses), Failure> {
        let outside = self.choice.start(&self.places, &budget.limits()).map_err(|missing| {
            // A limit of the run is no fault of theirs.
            if let Some(stop) = missing.stopped {
                return Failure::Stopped(stop);
            }
            let (python, oracle) = (option("python"), option("oracle"));
            let help = format!(
                "`make solvers` installs them: name that Python with {python} .venv/bin/python, or leave {oracle} out"
            );
            Diagnostic::error_anywhere(missing.to_string()).with_help(help).into()
        })?;
        let witnesses = Witnesses { name: outside.name(), ledger: outside.ledger() };
        Ok((outside, witnesses))
    }
}

/// Who was asked, and what was taken from them.
#[derive(Debug, Clone)]
pub struct Witnesses {
    /// Names and versions.
    pub name: String,
    ledger: Arc<Ledger>,
}

impl Witnesses {
    /// What a verdict takes for granted: nothing where it is a run, or says nothing of safety.
    #[must_use]
    pub fn assumptions(&self, verdict: Option<&Verdict>) -> Vec<String> {
        let rests = verdict.is_some_and(|verdict| match verdict {
            // That no unsafe state is reached in so many steps, or but for errors of the model, is their word too.
            Verdict::Unknown(reason) => matches!(reason, Reason::Steps { .. } | Reason::Errors { .. }),
            verdict => verdict.evidence().is_some_and(|evidence| !matches!(evidence, Evidence::Run(_))),
        });
        if rests { self.ledger.assumptions() } else { Vec::new() }
    }

    /// The verdict; where a solver gave no answer, with what it said instead.
    pub(crate) fn explained(&self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Unknown(Reason::Limit(limit)) => Verdict::Unknown(self.reason(limit, Reason::Limit(limit))),
            Verdict::Unknown(Reason::Steps { limit, safe }) => {
                Verdict::Unknown(self.reason(limit, Reason::Steps { limit, safe }))
            }
            verdict => verdict,
        }
    }

    fn reason(&self, limit: Limit, otherwise: Reason) -> Reason {
        let why = matches!(limit.stop, Stop::Solver(..)).then(|| self.ledger.why(limit.stop)).flatten();
        why.map_or(otherwise, |why| Reason::Outside { limit, why })
    }

    /// A failure. What would be an error of ours with the built-in oracle may be one of theirs: answers that contradict each other.
    pub(crate) fn blamed(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Internal(what) => {
                let message = format!("answers of {} contradict each other or the model: {what}", self.name);
                let help = format!("leave {} out: the built-in oracle is exact", option("oracle"));
                Diagnostic::error_anywhere(message).with_help(help).into()
            }
            // An empty start set, say, is their word too.
            Failure::Input(mut diagnostics) if !self.ledger.assumptions().is_empty() => {
                let rests = format!("this rests on the word of {}", self.name);
                for diagnostic in &mut diagnostics {
                    let help = diagnostic.help.take().map(|help| format!("{help}; {rests}"));
                    diagnostic.help = Some(help.unwrap_or_else(|| rests.clone()));
                }
                Failure::Input(diagnostics)
            }
            failure => failure,
        }
    }
}
