//! Whether the invariant that proves one policy safe is inductive under another.
//!
//! The invariant is that of a certificate, which is judged first by the checker, as `certify` does; or the abstract states that refinement ends with under the first policy.
//! What is asked of it then is in [`mod@surefoot_diff::reuse`].

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use surefoot_certificate::index::Claim;
use surefoot_certificate::{CertificateLines, Index};
use surefoot_checker::formula::{Formula as Told, Formulas};
use surefoot_checker::invariant::{Kept, check_keeping};
use surefoot_checker::rules::{Region, States};
use surefoot_checker::{Refused, subject};
use surefoot_diff::{Invariant, Leaving, Part, Reuse, Reused, Reusing, reuse};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::Reporter;

use super::everywhere::in_pool;
use super::{Both, Compared, Difference, Proof, Verdict};
use crate::abstraction::regions::Regions;
use crate::abstraction::system;
use crate::cegar::CegarOptions;
use crate::engine::{self, Budget, Details, EngineChoice, Evidence, VerifyOptions};
use crate::problem::Failure;

/// What a certificate may take for granted.
const NO_ERRORS: &str = "the model is never in error (taken for granted by the certificate)";

/// Where the invariant comes from.
#[derive(Debug)]
pub enum Source {
    /// A certificate, read up to its index.
    Certificate(Box<(PathBuf, Index, CertificateLines)>),
    /// Refinement under the first policy.
    Refinement(Box<CegarOptions>),
}

/// What became of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// Where it comes from, in words.
    pub source: String,
    /// Regions that were looked at, and those among them in which something is newly permitted, or may be.
    pub regions: (u64, u64),
    /// The same of states.
    pub states: (u64, u64),
    /// Regions and states that there are.
    pub size: (u64, u64),
    /// Questions that were asked.
    pub questions: u64,
    /// Nodes of the oracle's searches.
    pub nodes: u64,
    /// Questions that a check of every move asks at least, of the regions that were looked at.
    pub from_nothing: u64,
    /// Questions of the proof under the first policy, where it was made here.
    pub proof_questions: Option<u64>,
}

/// An invariant that is one under the first policy.
struct Shown {
    kept: Kept,
    assume_no_errors: bool,
    source: String,
    proof_questions: Option<u64>,
}

/// Looks at the invariant under the second policy.
///
/// # Errors
/// Certificates that are rejected, or about something else; first policies that are not shown safe; what cannot be lowered.
pub fn reuse_invariant(
    both: &Both<'_>,
    source: Source,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Compared, Failure> {
    let policies = both.policies()?;
    let query = &both.problem.query;
    let shown = match source {
        Source::Certificate(certificate) => {
            let (path, index, lines) = *certificate;
            of_certificate(both, &path, &index, lines)?
        }
        Source::Refinement(options) => match of_refinement(both, *options, budget, reporter)? {
            Ok(shown) => shown,
            Err(verdict) => return Ok(compared(verdict, Figures::default(), Vec::new())),
        },
    };
    let invariant = invariant(both, &shown.kept).map_err(Failure::Internal)?;
    let size = (invariant.regions.len() as u64, invariant.states.len() as u64);
    let assumptions: Vec<String> = shown.assume_no_errors.then(|| NO_ERRORS.to_owned()).into_iter().collect();
    let Shown { source, proof_questions, assume_no_errors, .. } = shown;
    let figures = Figures { source, size, proof_questions, ..Figures::default() };
    if query.initial_only {
        // Nothing moves.
        return Ok(compared(Verdict::Holds(Proof::Invariant), figures, assumptions));
    }
    let asked = engine::Asked::of(both.problem);
    let old = system(&asked, &[])?;
    let new = system(&engine::Asked { policy: Some(policies.new), ..asked }, &[])?;
    let reusing = Reusing { policies, old, new, terminal: both.terminal(), assume_no_errors };
    let limits = budget.oracle_limits();
    let found = in_pool(budget, || reuse(reusing, &invariant, &limits))??;
    let Reuse { answer, regions, states, statistics, from_nothing } = found;
    let (questions, nodes) = (statistics.questions, statistics.nodes);
    let figures = Figures { regions, states, questions, nodes, from_nothing, ..figures };
    let verdict = match answer {
        Reused::Inductive => Verdict::Holds(Proof::Invariant),
        Reused::Leaves(step) => {
            let Leaving { state, old, new, operator, successor } = *step;
            let leaving = Some((operator, successor));
            Verdict::Violated(Box::new(Difference { state, old, new, run: None, least: false, leaving }))
        }
        Reused::Fault(error) => return Err(in_error(both, &error)),
        Reused::Open(stop) => Verdict::Unknown(budget.limit(stop).into()),
        Reused::Wrong(state) => {
            let state = state.describe(both.problem.model());
            return Err(Failure::Internal(format!("the oracle found a state that is not as asked ({state})")));
        }
    };
    Ok(compared(verdict, figures, assumptions))
}

fn compared(verdict: Verdict, figures: Figures, assumptions: Vec<String>) -> Compared {
    Compared { verdict, engine: "invariant", reachable: None, region: None, reused: Some(figures), assumptions }
}

/// An error in a state of the invariant: nothing says that a run comes to it.
fn in_error(both: &Both<'_>, error: &surefoot_model::ModelError) -> Failure {
    let mut diagnostic = both.problem.model_error(error);
    let new = &both.new.name;
    diagnostic.message =
        format!("under {new}, in a state of the invariant (which need not be reachable), {}", diagnostic.message);
    diagnostic.with_help(format!("`verify {} {new}` says whether a run comes to it", option("policy"))).into()
}

/// The invariant of a certificate that the checker accepts.
fn of_certificate(both: &Both<'_>, path: &Path, index: &Index, lines: CertificateLines) -> Result<Shown, Failure> {
    let name = path.display();
    if index.claim != Claim::Unreachable {
        let message = format!("the certificate {name} is no proof by an invariant: it claims '{}'", index.claim.says());
        let help = format!("write one with `verify {} FILE` where the verdict is holds", option("certificate"));
        return Err(Diagnostic::error_anywhere(message).with_help(help).into());
    }
    let assume_no_errors = index.semantics.assume_no_errors;
    let judged = subject::check(both.problem, index, assume_no_errors)
        .and_then(|()| check_keeping(both.problem, assume_no_errors, lines));
    let (_, _, kept) = judged.map_err(|refused| {
        let (what, help) = match &refused {
            Refused::Unreadable(_) => ("cannot be read", "write it anew"),
            Refused::Rejected { .. } => {
                ("is not one about this model, property and first policy", "give those that it was written with")
            }
        };
        let message = format!("the certificate {name} {what}: {refused}");
        Failure::from(Diagnostic::error_anywhere(message).with_help(help))
    })?;
    Ok(Shown { kept, assume_no_errors, source: format!("the certificate {name}"), proof_questions: None })
}

/// The invariant that refinement ends with under the first policy; or what it ended with instead.
fn of_refinement(
    both: &Both<'_>,
    cegar: CegarOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Result<Shown, Verdict>, Failure> {
    if both.problem.query.claim.is_none() {
        let message = format!("{} needs a property that says which states must not be reached", option("prove"));
        let help = format!("name one with {}, or say so with {} TEXT", option("property"), option("never"));
        return Err(Diagnostic::error_anywhere(message).with_help(help).into());
    }
    let engine = "cegar".parse::<EngineChoice>().map_err(|_| Failure::Internal("there is refinement".to_owned()))?;
    let options = VerifyOptions { engine, cegar, keep: true, ..VerifyOptions::default() };
    let found = engine::verify(both.problem, &options, budget, reporter)?;
    let proof_questions = match &found.details {
        Details::Cegar(details) => Some(details.figures.questions),
        _ => None,
    };
    let old = both.problem.policy.as_ref().map_or("the first policy", |policy| &policy.name);
    match found.verdict {
        engine::Verdict::Holds(Evidence::Invariant { cells: Some(cells), .. }) => {
            let system = system(&engine::Asked::of(both.problem), &[])?;
            let regions = Regions::new(&system, &cells).map_err(Failure::Internal)?;
            let Regions { formulas, regions, .. } = regions;
            let kept = Kept { formulas, regions, states: States::default() };
            let source = format!("a proof of {old} by refinement");
            Ok(Ok(Shown { kept, assume_no_errors: false, source, proof_questions }))
        }
        engine::Verdict::Unknown(reason) => Ok(Err(Verdict::Unknown(reason))),
        engine::Verdict::Violated(_) => {
            let message = format!("{old} is not safe: there is no invariant that could hold of another policy");
            let help = format!("`verify {} {old}` shows a run", option("policy"));
            Err(Diagnostic::error_anywhere(message).with_help(help).into())
        }
        engine::Verdict::Holds(_) => {
            let message = format!("the proof of {old} is no invariant of abstract states");
            let help = format!("write one with `verify {} FILE`", option("certificate"));
            Err(Diagnostic::error_anywhere(message).with_help(help).into())
        }
    }
}

/// The same regions and states over linear formulas.
fn invariant(both: &Both<'_>, kept: &Kept) -> Result<Invariant, String> {
    let part = |region: &Region| -> Result<Part, String> {
        let formulas = region.formulas.iter().map(|formula| lowered(&kept.formulas, *formula));
        let bounds = region.bounds.iter().map(|(slot, lower, upper)| (*slot as usize, *lower, *upper));
        Ok(Part { bounds: bounds.collect(), formula: Formula::all(formulas.collect::<Result<Vec<_>, _>>()?) })
    };
    let regions = kept.regions.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let slots = kept.states.kept.iter().map(|slot| *slot as usize).collect();
    let states: FxHashSet<Box<[i64]>> = kept.states.values.iter().cloned().collect();
    Ok(Invariant::new(both.problem.model(), regions, slots, states))
}

/// A formula of a certificate as a linear one.
fn lowered(formulas: &Formulas, id: u32) -> Result<Formula, String> {
    let all = |parts: &[u32]| parts.iter().map(|part| lowered(formulas, *part)).collect::<Result<Vec<_>, _>>();
    Ok(match formulas.get(id)? {
        Told::Atom(atom) => {
            let terms = atom.terms.iter().map(|(slot, a)| (Symbol(*slot), Rational::from(*a))).collect();
            Formula::atom(Atom::at_least_zero(Linear::new(terms, Rational::from(atom.constant))))
        }
        Told::All(parts) => Formula::all(all(parts)?),
        Told::Any(parts) => Formula::any(all(parts)?),
        Told::Not(part) => lowered(formulas, *part)?.negated(),
    })
}
