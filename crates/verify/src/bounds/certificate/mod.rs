//! Certificates of bounds on probabilities.
//!
//! What was visited is visited again and written as a part of the model, with vectors that show the bounds ([`surefoot_checker::probability`] has the rules and why they are enough). The values
//! that a certificate shows may be a little wider than what was told: it says which ones it shows.
//!
//! * `part`: the part; `unroll`: step by step, where steps are counted; `vector`: vectors that are accepted; `rank`: why runs come to an end; `claims`: which bounds to show, and of which start states; `archive`: the file.

mod archive;
mod claims;
mod part;
mod rank;
mod unroll;
mod vector;

use std::path::Path;

use surefoot_checker::probability::Claim;
use surefoot_mdp::{Limits, Options, solve};
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_verdict::{Reporter, Unsupported};

use super::{BoundsOptions, BoundsOutcome, asked, supports};
use crate::engine::{Asked, Budget, Engine};
use crate::explicit::Explicit;
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use claims::Claims;
use part::Part;
use vector::{Lower, Question};

/// Work allowed for fractions, in small rational operations.
const EXACT_WORK: u64 = 40_000_000;
/// States expanded before the first attempt, where only the likely part is written.
const FIRST: usize = 256;

/// A certificate that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBound {
    /// What it shows.
    pub claims: Vec<Claim>,
    /// The verdict that follows, if one does.
    pub verdict: Option<bool>,
    /// States in it.
    pub states: usize,
    /// Branches in it.
    pub branches: usize,
    /// The size of the file.
    pub bytes: u64,
    /// The same before compression.
    pub raw_bytes: u64,
}

/// The vectors of a part.
struct Vectors {
    upper: Option<Vec<Rational>>,
    lower: Option<Lower>,
}

/// Writes a certificate of bounds that were found.
///
/// # Errors
/// [`Failure::Input`] with a refusal where there are no certificates for what is asked: ties within a tolerance, a model whose values cannot be shown with what was explored; or where
/// the file cannot be written.
pub fn write_bound_certificate(
    problem: &Problem,
    options: &BoundsOptions,
    outcome: &BoundsOutcome,
    budget: &Budget,
    path: &Path,
    reporter: &dyn Reporter,
) -> Result<WrittenBound, Failure> {
    supports(&Asked::of(problem))?;
    let quantity = asked(problem, options)?;
    refuse(problem)?;
    if !outcome.assumptions.is_empty() {
        return Err(no_certificate("the bounds rest on assumptions"));
    }
    if outcome.engine == Explicit.name() {
        let part = part::everything(problem, &quantity, budget, reporter)?;
        let (vectors, claims) = shown(problem, &quantity, &part, options, outcome, budget)?;
        return archive::write(problem, &quantity, outcome.engine, &part, &vectors, &claims, path);
    }
    // From the start state that shows one end, where the other one comes from an abstraction; else from all.
    let from = outcome.abstracted.is_some().then_some(outcome.start.as_ref()).flatten();
    if outcome.abstracted.is_some() && from.is_none() {
        return Err(no_certificate("no start state shows one end of the interval"));
    }
    let mut expanded = FIRST.max(usize::try_from(outcome.statistics.expanded).unwrap_or(usize::MAX));
    loop {
        let part = part::likely(problem, &quantity, budget, from, expanded)?;
        let found = shown(problem, &quantity, &part, options, outcome, budget);
        let enough = part.complete || budget.limits().stop().is_some();
        match found {
            Ok((vectors, claims)) if enough || claims.reach(outcome, options.precision) => {
                return archive::write(problem, &quantity, outcome.engine, &part, &vectors, &claims, path);
            }
            Err(failure) if enough => return Err(failure),
            _ => expanded = expanded.saturating_mul(2),
        }
    }
}

/// What there are no certificates for.
fn refuse(problem: &Problem) -> Result<(), Failure> {
    if problem.policy().is_some_and(|policy| policy.ties == surefoot_model::policy::Ties::Plaja) {
        return Err(no_certificate("choices are within a tolerance, as in PlaJA"));
    }
    Ok(())
}

/// Why there is no certificate.
fn no_certificate(reason: &str) -> Failure {
    Unsupported::new(Refusal::Question, Diagnostic::error_anywhere(reason)).into()
}

/// Vectors that show what was told, or nearly, and what they show.
fn shown(
    problem: &Problem,
    quantity: &Quantity,
    part: &Part<'_>,
    options: &BoundsOptions,
    outcome: &BoundsOutcome,
    budget: &Budget,
) -> Result<(Vectors, Claims), Failure> {
    let wanted = claims::wanted(quantity, outcome, part.all_starts);
    if wanted.is_empty() {
        return Err(no_certificate("what decides it is not shown by states of the model that were explored"));
    }
    let until = part.until();
    let limits = Limits { run: budget.limits(), exact_work: Some(EXACT_WORK), ..Limits::default() };
    let question = Question { mdp: &part.mdp, direction: quantity.direction, until: &until, frontier: &part.frontier };
    let (upper, lower) = wanted.sides(quantity);
    let mut vectors = Vectors { upper: None, lower: None };
    if !options.exact {
        let solving = Options {
            // Closer than what was told: these are other sweeps over the same states.
            precision: (options.precision / 16.0).max(f64::MIN_POSITIVE),
            initial: Some((0..part.starts).collect()),
            unknown: Some(part.frontier.clone()),
            limits: limits.clone(),
            threads: budget.threads,
            ..Options::default()
        };
        let solution = solve(&part.mdp, quantity.direction, &until, &solving)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        vectors.upper = if upper { question.upper(&solution.bounds) } else { None };
        vectors.lower = if lower { question.lower(&solution.bounds) } else { None };
        if let Some(claims) = wanted.claims(problem, quantity, part, &vectors)? {
            return Ok((vectors, claims));
        }
    }
    // A value that equals the bound of a comparison needs fractions, and so does what does not settle.
    if upper && let Some(exact) = question.exact_upper(&limits) {
        vectors.upper = Some(exact);
    }
    if lower && let Some(exact) = question.exact_lower(&limits) {
        vectors.lower = Some(exact);
    }
    match wanted.claims(problem, quantity, part, &vectors)? {
        Some(claims) => Ok((vectors, claims)),
        None => Err(no_certificate("its values could not be brought to satisfy the inequalities within the limits")),
    }
}
