//! Certificates of bounds on probabilities.
//!
//! A file is a part of the model as an archive in the format UMB: states, and of each *expanded* state all moves with their exact probabilities; the other states are
//! its *frontier*. Over it there are vectors of fractions. What has to be shown, and why it is enough, is in [`bound`]; the format's page in the book has both.
//!
//! * `open`: opening one; `archive`: the files of the archive, within limits; `process`: the part they describe; `claim`: what is said of it;
//! * `states`: the values of states; `moves`: an expanded state has the moves that it has in the model; `starts`: all start states;
//! * `bound`: the vectors are bounds.
//!
//! Everything about the model comes from its reference interpreter, and every comparison is one of fractions.

mod archive;
pub mod bound;
mod claim;
mod moves;
mod open;
mod process;
mod starts;
mod states;

use std::io::Read;

use surefoot_certificate::CertificateError;
use surefoot_certificate::index::Verdict;
use surefoot_model::State;
use surefoot_num::{FloatInterval, Rational};
use surefoot_problem::{Problem, Quantity};

pub use archive::{MOST_BYTES, is_archive};
pub use claim::{Claim, Starts, implied};
pub use moves::Move;
pub use open::{Opened, is_bounds, open};

use crate::refused::Refused;
use crate::subject::check_subject;
use archive::Files;
use bound::Kind;
use process::Part;
use states::States;

/// The rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// States are states of the model, each once.
    #[error("states")]
    States,
    /// An expanded state has the moves that it has in the model.
    #[error("moves")]
    Moves,
    /// The upper vector is one.
    #[error("upper bound")]
    Upper,
    /// The lower vector is one.
    #[error("lower bound")]
    Lower,
    /// Start states are in the file, and their values are as claimed.
    #[error("start states")]
    Starts,
    /// The verdict follows from the bounds.
    #[error("verdict")]
    Verdict,
}

/// That a rule is not met.
fn rejected(rule: Rule, why: impl Into<String>) -> Refused {
    Refused::rejected(rule.to_string(), why)
}

/// That the archive, or a part of it, is not what it should be.
fn unreadable(what: impl Into<String>) -> Refused {
    Refused::Unreadable(CertificateError::Archive(what.into()))
}

/// That something is of a kind that is not checked.
fn unsupported(why: impl Into<String>) -> Refused {
    Refused::rejected("what is claimed", why)
}

/// What a certificate that was accepted shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// Bounds on the probability that the property asks for.
    pub claims: Vec<Claim>,
    /// Whether the comparison holds, if the certificate says so.
    pub verdict: Option<Verdict>,
    /// The comparison, in words.
    pub comparison: Option<String>,
    /// The property, by name.
    pub property: Option<String>,
    /// States in the file, those of the frontier among them.
    pub states: usize,
    /// States of the frontier.
    pub frontier: usize,
    /// Choices of all states.
    pub choices: usize,
    /// Branches of all choices.
    pub branches: usize,
    /// Bytes of its files, before compression.
    pub raw_bytes: u64,
}

impl Proved {
    /// What it shows, in words.
    #[must_use]
    pub fn says(&self) -> String {
        let bound = |claim: &Claim| {
            let word = if claim.at_most { "most" } else { "least" };
            let from = if claim.starts == Starts::All { "every start state" } else { "one start state" };
            let shown = match claim.value.to_string() {
                short if short.len() <= 20 => short,
                // Rounded away from what is shown, so that what is said is so.
                _ => {
                    let near = FloatInterval::tightest(&claim.value);
                    if claim.at_most { near.upper.to_string() } else { near.lower.to_string() }
                }
            };
            format!("the probability is at {word} {shown} from {from}")
        };
        let bounds: Vec<String> = self.claims.iter().map(bound).collect();
        let comparison = self.comparison.as_ref().map_or(String::new(), |comparison| format!(" ({comparison})"));
        let verdict = self.verdict.map_or(String::new(), |verdict| format!("{}{comparison}: ", verdict.word()));
        let property = self.property.as_ref().map_or(String::new(), |name| format!(" (property '{name}')"));
        format!("{verdict}{}{property}", bounds.join(", "))
    }
}

/// Checks a certificate against a problem; no more than `most` bytes are unpacked ([`MOST_BYTES`] for most purposes).
///
/// Variables that the problem leaves out have no meaning here: a certificate says itself what it leaves out.
///
/// # Errors
/// The first thing that is not in order.
pub fn check(problem: &Problem, file: impl Read, most: u64) -> Result<Proved, Refused> {
    check_files(problem, &archive::read(file, most)?)
}

/// Judges a certificate that was opened.
///
/// # Errors
/// The first thing that is not in order.
pub fn judge(opened: &Opened) -> Result<Proved, Refused> {
    check_files(&opened.problem, &opened.files)
}

fn check_files(problem: &Problem, files: &Files) -> Result<Proved, Refused> {
    let part = Part::read(files)?;
    check_subject(problem, &part.index.subject, false)?;
    let quantity =
        problem.query.quantity.as_ref().ok_or_else(|| unsupported("the property asks for no probability"))?;
    if quantity.steps != part.index.steps {
        return Err(unsupported("the certificate is about another number of steps than the property"));
    }
    let claims = claim::read(&part.index)?;
    let states = States::new(problem, &part)?;
    let checked = Checked { problem, quantity, part: &part, states: &states, claims: &claims };
    checked.states()?;
    checked.starts()?;
    let verdict = claim::verdict(quantity, &part.index, &claims)?;
    let frontier = (0..part.states).filter(|state| part.frontier.contains(*state)).count();
    let (states, choices, branches) = (part.states, part.choices, part.branches);
    let raw_bytes = files.values().map(|bytes| bytes.len() as u64).sum();
    let threshold = part.index.threshold.as_ref().filter(|_| verdict.is_some());
    let comparison = threshold.map(|threshold| format!("{} {}", threshold.op, threshold.bound));
    let property = problem.property.as_ref().map(|property| property.name.clone());
    Ok(Proved { claims, verdict, comparison, property, states, frontier, choices, branches, raw_bytes })
}

/// A certificate that could be read.
struct Checked<'a> {
    problem: &'a Problem,
    quantity: &'a Quantity,
    part: &'a Part<'a>,
    states: &'a States<'a>,
    claims: &'a [Claim],
}

impl Checked<'_> {
    /// Every state is what the file says it is, and the vectors that claims rest on are bounds there.
    fn states(&self) -> Result<(), Refused> {
        let part = self.part;
        let upper = self.claims.iter().any(|claim| claim.is_upper(self.quantity));
        let lower = self.claims.iter().any(|claim| !claim.is_upper(self.quantity));
        let missing = |what: &str| unreadable(format!("there is no annotation 'certificate/{what}'"));
        let upper = upper.then(|| part.upper.as_ref().ok_or_else(|| missing("upper"))).transpose()?;
        let lower = lower.then(|| part.lower.as_ref().ok_or_else(|| missing("lower"))).transpose()?;
        let ranks = lower.map(|_| part.rank.as_ref().ok_or_else(|| missing("rank"))).transpose()?;
        let direction = self.quantity.direction;
        for number in 0..part.states {
            let (state, kind) = self.kind(number)?;
            let place = || format!("state {number} ({})", state.describe(self.problem.model()));
            let rejected = |rule: Rule, reason: String| rejected(rule, format!("{}: {reason}", place()));
            if let Some(upper) = upper {
                let value = |state: usize| upper.get(state);
                bound::upper(&kind, direction, number, &value).map_err(|reason| rejected(Rule::Upper, reason))?;
            }
            if let (Some(lower), Some(ranks)) = (lower, ranks) {
                let (value, rank) = (|state: usize| lower.get(state), |state: usize| ranks.get(state));
                bound::lower(&kind, direction, number, &value, &rank)
                    .map_err(|reason| rejected(Rule::Lower, reason))?;
            }
        }
        Ok(())
    }

    /// A state, and what the model and the file make of it; they must agree.
    fn kind(&self, number: usize) -> Result<(State, Kind), Refused> {
        let (state, left) = self.states.state(number)?;
        let moves = moves::Model { problem: self.problem, quantity: self.quantity, states: self.states };
        let kind = if self.part.frontier.contains(number) {
            match moves.decided(&state, left)? {
                Some(decided) => decided,
                None => Kind::Frontier,
            }
        } else {
            moves.kind(&state, left)?
        };
        let place = || format!("state {number} ({})", state.describe(self.problem.model()));
        moves::told(self.part, number)
            .and_then(|told| moves::agree(&kind, told, self.part.target.contains(number), number))
            .map_err(|reason| rejected(Rule::Moves, format!("{}: {reason}", place())))?;
        Ok((state, kind))
    }

    /// Start states have values as claimed.
    fn starts(&self) -> Result<(), Refused> {
        let covered = self.claims.iter().any(|claim| claim.starts == Starts::All);
        let mut found = 0usize;
        if covered {
            starts::for_each(self.problem, |start| {
                let number = self.states.number(start, self.quantity.steps).ok_or_else(|| self.absent(start))?;
                self.is_initial(number, start)?;
                found += 1;
                let mut all = self.claims.iter().filter(|claim| claim.starts == Starts::All);
                all.try_for_each(|claim| self.value(claim, number, start))
            })?;
            if found == 0 {
                return Err(rejected(Rule::Starts, "there is no start state"));
            }
        }
        for claim in self.claims {
            if let Starts::One(start) = &claim.starts {
                starts::is_start(self.problem, start)?;
                let number = self.states.number(start, self.quantity.steps).ok_or_else(|| self.absent(start))?;
                self.is_initial(number, start)?;
                self.value(claim, number, start)?;
            }
        }
        Ok(())
    }

    fn absent(&self, start: &State) -> Refused {
        let start = start.describe(self.problem.model());
        rejected(Rule::Starts, format!("the start state {start} is not among the states"))
    }

    fn is_initial(&self, number: usize, start: &State) -> Result<(), Refused> {
        if self.part.initial.contains(number) {
            return Ok(());
        }
        let start = start.describe(self.problem.model());
        Err(rejected(Rule::Starts, format!("the start state {start} is not marked as initial")))
    }

    /// The value of a start state is as claimed.
    fn value(&self, claim: &Claim, number: usize, start: &State) -> Result<(), Refused> {
        let upper = claim.is_upper(self.quantity);
        let vector = if upper { &self.part.upper } else { &self.part.lower };
        let value = vector.as_ref().map_or_else(|| Ok(Rational::ZERO), |vector| vector.get(number));
        let value = value.map_err(|reason| rejected(Rule::Starts, reason))?;
        let bound = claim.until_bound(self.quantity);
        if if upper { value <= bound } else { value >= bound } {
            return Ok(());
        }
        let (start, word) = (start.describe(self.problem.model()), if upper { "more" } else { "less" });
        Err(rejected(Rule::Starts, format!("the start state {start} has the value {value}, {word} than {bound}")))
    }
}
