//! All pieces: a stack, worked on from the top in groups of a fixed size.
//!
//! The pieces of a group are looked at in parallel, and what they say is taken in order: the first piece of a group on which the formula
//! fails is the one told. Neither groups nor order depend on the number of threads, so neither does the result.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_limits::Stop;
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::Limits;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Reason, Reporter, Silent};

use super::closed::NotClosed;
use super::confirm::{Unconfirmed, confirm_within};
use super::evidence::Evidence;
use super::look::{PieceOutcome, Task, decided_steps};
use super::progress::{Progress, Statistics};
use super::start::{Root, roots};
use crate::explore::cell::Counts;
use crate::explore::{Engine, Memory, Trouble};
use crate::formula::unfold::{NodeId, Unfolded};
use crate::formula::{Constraints, Ctl};
use crate::region::Piece;
use crate::system::System;

/// Pieces looked at together.
const GROUP: usize = 32;

/// When so many pieces were left open, others are not looked at any more: nothing but a failure could still be told.
const MOST_LEFT: usize = 256;

/// Steps that are looked ahead where states do not close.
const NEAR: [u64; 4] = [1, 4, 16, 64];

/// How to search.
#[derive(Debug, Clone)]
pub struct Options {
    /// When to stop; of the limits of an oracle, those of time and memory.
    pub limits: Limits,
    /// The most states of a piece, for formulas without bounds.
    pub most_states: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { limits: Limits::default(), most_states: 1_000_000 }
    }
}

/// A piece on which the formula is decided.
#[derive(Debug, Clone)]
pub struct Covered {
    /// The root it is a part of.
    pub root: usize,
    /// The piece.
    pub piece: Piece,
    /// Whether the formula holds; `None` where there are no start states.
    pub holds: Option<bool>,
    /// The decided pattern: states that were looked at, with their successors and the policy's choices.
    pub pattern: Arc<Memory>,
}

/// A start state in which the formula fails.
#[derive(Debug, Clone)]
pub struct Failing {
    /// The start state.
    pub start: State,
    /// Why it does.
    pub evidence: Box<Evidence>,
}

/// The answer: whether the formula holds in all start states.
pub type Verdict = surefoot_verdict::Verdict<(), Failing>;

/// The answer, and how it came about.
#[derive(Debug)]
pub struct Checked {
    /// The answer.
    pub verdict: Verdict,
    /// The formula written out, and its negation.
    pub formula: Unfolded,
    /// The node of the negation, which evidence is for.
    pub negation: NodeId,
    /// The boxes of start states.
    pub roots: Vec<Root>,
    /// The pieces on which the formula is decided. When it holds they cover all start states.
    pub cover: Vec<Covered>,
    /// What was done.
    pub statistics: Statistics,
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The start set is empty.
    NoStart,
    /// Something else; never [`Trouble::Open`] nor [`Trouble::Stopped`].
    Trouble(Box<Trouble>),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(Box::new(trouble))
    }
}

/// Decides a formula; in parallel on the current thread pool.
///
/// # Errors
/// [`Failure`]: an empty start set, errors of the model, what is refused by name.
pub fn check(system: &System<'_>, formula: &Ctl, options: &Options) -> Result<Checked, Failure> {
    check_reporting(system, formula, options, &Silent)
}

/// Like [`check`], telling how far it is.
///
/// # Errors
/// As [`check`].
pub fn check_reporting(
    system: &System<'_>,
    formula: &Ctl,
    options: &Options,
    reporter: &dyn Reporter,
) -> Result<Checked, Failure> {
    check_on(system, formula, options, roots(system).map_err(Trouble::from)?, reporter)
}

/// Decides a formula on a part of the start set.
///
/// # Errors
/// [`Failure`]: no start states, errors of the model, what is refused by name.
pub fn check_on(
    system: &System<'_>,
    formula: &Ctl,
    options: &Options,
    roots: Vec<Root>,
    reporter: &dyn Reporter,
) -> Result<Checked, Failure> {
    let too_large = |error: crate::formula::unfold::TooLarge| {
        Failure::from(Trouble::from(Diagnostic::error_anywhere(error.to_string()).refusal()))
    };
    let mut unfolded = Unfolded::new(formula).map_err(too_large)?;
    let negation = unfolded.add(&formula.clone().negated()).map_err(too_large)?;
    let engine = Engine::new(system, &unfolded, options.limits.clone(), options.most_states);
    let mut search = Search {
        engine: &engine,
        cover: Vec::new(),
        statistics: Statistics::default(),
        reporter,
        left_pieces: 0,
        left: None,
    };
    let verdict = search.run(&roots)?;
    let verdict = match verdict {
        Found::Holds if search.cover.iter().all(|covered| covered.holds.is_none()) => return Err(Failure::NoStart),
        Found::Holds => Verdict::Holds(()),
        Found::Violated(start) => match Evidence::new(&engine, negation, &start) {
            Ok(evidence) => {
                // Soundness: nothing is called violated that the reference interpreter does not confirm.
                let left = Options { limits: engine.limits_left(), most_states: options.most_states };
                match confirm_within(system, &unfolded, negation, &start, &evidence, &left) {
                    Ok(()) => Verdict::Violated(Failing { start, evidence: Box::new(evidence) }),
                    Err(Unconfirmed::Stopped(stop)) => Verdict::Unknown(Reason::Unconfirmed(stop.into())),
                    Err(Unconfirmed::TooMany(most)) => Verdict::Unknown(Reason::NotClosed(most as u64)),
                    Err(Unconfirmed::Wrong(reason)) => {
                        return Err(Trouble::Internal(format!("the evidence is not confirmed: {reason}")).into());
                    }
                }
            }
            Err(Trouble::Stopped(stop)) => Verdict::Unknown(Reason::Unconfirmed(stop.into())),
            Err(trouble) => return Err(trouble.into()),
        },
        Found::Stopped(stop, decided) => Verdict::Unknown(Reason::Horizon { limit: stop.into(), decided }),
        Found::NotClosed(NotClosed(most)) => Verdict::Unknown(Reason::NotClosed(most as u64)),
        Found::LeftOpen(stop, start) => Verdict::Unknown(Reason::LeftOpen { limit: stop.into(), start }),
    };
    let Search { cover, statistics, .. } = search;
    if let Some(failed) = near_failure(system, formula, options, &verdict, &roots, reporter)? {
        return Ok(failed);
    }
    Ok(Checked { verdict, formula: unfolded, negation, roots, cover, statistics })
}

/// Failure within a few steps, where the states do not close.
///
/// Soundness: what is looked at holds wherever the formula does.
fn near_failure(
    system: &System<'_>,
    formula: &Ctl,
    options: &Options,
    verdict: &Verdict,
    roots: &[Root],
    reporter: &dyn Reporter,
) -> Result<Option<Checked>, Failure> {
    if !matches!(verdict, Verdict::Unknown(Reason::NotClosed(_))) {
        return Ok(None);
    }
    for steps in NEAR {
        let Some(weaker) = formula.negation_normal().weakened(steps) else { return Ok(None) };
        let checked = check_on(system, &weaker, options, roots.to_vec(), reporter)?;
        match checked.verdict {
            Verdict::Violated(_) => return Ok(Some(checked)),
            Verdict::Holds(()) => {}
            Verdict::Unknown(_) => return Ok(None),
        }
    }
    Ok(None)
}

enum Found {
    Holds,
    Violated(State),
    Stopped(Stop, u64),
    NotClosed(NotClosed),
    /// Nothing fails, but on some pieces the policy's choice could not be told; the smallest of them in words.
    LeftOpen(Stop, String),
}

struct Search<'e, 's, 'm> {
    engine: &'e Engine<'s, 'm>,
    cover: Vec<Covered>,
    statistics: Statistics,
    reporter: &'e dyn Reporter,
    /// How many pieces were left open, and the smallest of them.
    left_pieces: usize,
    left: Option<Left>,
}

/// A piece on which the policy's choice could not be told.
struct Left {
    stop: Stop,
    /// Its largest width.
    width: Rational,
    /// Its start states, in words.
    start: String,
}

impl Search<'_, '_, '_> {
    fn run(&mut self, roots: &[Root]) -> Result<Found, Failure> {
        let mut stack: Vec<Task> = Vec::new();
        for (number, root) in roots.iter().enumerate().rev() {
            let piece = match root.narrowed(&self.engine.limits) {
                Ok(Some(piece)) => piece,
                Ok(None) => continue,
                Err(stopped) => return Ok(Found::Stopped(stopped.0, 0)),
            };
            let memory = Arc::new(Memory::default());
            stack.push(Task::new(number, root, piece, &memory));
        }
        while !stack.is_empty() {
            let group: Vec<Task> = stack.split_off(stack.len().saturating_sub(GROUP)).into_iter().rev().collect();
            let said: Vec<(PieceOutcome, Arc<Memory>, Counts)> =
                group.par_iter().map(|task| self.engine.look(task, &roots[task.root])).collect();
            let mut next = Vec::new();
            let mut stopped = None;
            let mut open = Vec::new();
            for (task, (said, memory, counts)) in group.into_iter().zip(said) {
                self.statistics.add(counts);
                match said {
                    PieceOutcome::Failed(trouble) => return Err(trouble.into()),
                    PieceOutcome::NotClosed(open) => return Ok(Found::NotClosed(open)),
                    PieceOutcome::Stopped(limit @ (Stop::Tie | Stop::Narrow)) => {
                        self.leave(limit, &task);
                        if self.left_pieces >= MOST_LEFT {
                            stopped.get_or_insert(limit);
                        }
                    }
                    PieceOutcome::Stopped(limit) => {
                        stopped.get_or_insert(limit);
                        open.push((Arc::clone(&task.image), memory));
                    }
                    PieceOutcome::Cut(parts) => {
                        self.statistics.cuts += 1;
                        next.extend(parts.into_iter().map(|p| Task::new(task.root, &roots[task.root], p, &memory)));
                    }
                    PieceOutcome::Decided(holds) => {
                        self.statistics.pieces += 1;
                        let (root, piece) = (task.root, task.piece);
                        let violated = (holds == Some(false)).then(|| task.image.at(piece.point()));
                        self.cover.push(Covered { root, piece, holds, pattern: memory });
                        if let Some(start) = violated {
                            return Ok(Found::Violated(start));
                        }
                    }
                }
            }
            let limit = match self.engine.check_memory() {
                Err(Trouble::Stopped(limit)) => Some(limit),
                _ => None,
            };
            if let (Some(Stop::Tie | Stop::Narrow), None) = (stopped, limit) {
                break;
            }
            if let Some(limit) = stopped.or(limit) {
                open.extend(next.iter().chain(&stack).map(|task| (Arc::clone(&task.image), Arc::clone(&task.memory))));
                let horizon = open.iter().map(|(image, memory)| decided_steps(image, memory)).min().unwrap_or(0);
                return Ok(Found::Stopped(limit, horizon));
            }
            stack.extend(next.into_iter().rev());
            self.reporter.tell(&Progress { statistics: self.statistics, open: stack.len() });
        }
        // Soundness: what was left open may fail.
        Ok(self.left.take().map_or(Found::Holds, |left| Found::LeftOpen(left.stop, left.start)))
    }

    /// Takes note of a piece that is left open; the smallest is told, the first of equals.
    fn leave(&mut self, stop: Stop, task: &Task) {
        self.left_pieces += 1;
        let widths = task.piece.bounds().iter().map(|(lower, upper)| upper - lower);
        let width = widths.max().unwrap_or(Rational::ZERO);
        if self.left.as_ref().is_none_or(|left| width < left.width) {
            let corner = |end: fn(&(Rational, Rational)) -> Rational| {
                let ends: Vec<Rational> = task.piece.bounds().iter().map(end).collect();
                task.image.at(&ends).describe(self.engine.system.model())
            };
            let (lower, upper) = (corner(|b| b.0.clone()), corner(|b| b.1.clone()));
            let start = if lower == upper { lower } else { format!("from {lower} to {upper}") };
            self.left = Some(Left { stop, width, start });
        }
    }
}
