//! Proof reuse: an invariant that is inductive under one policy, and whether it is under another.
//!
//! **What is asked.** Start states, unsafe states and moves of the environment are the same under both policies, which have the same labels. An operator that both
//! permit in a state has been shown to stay inside. So the invariant is inductive under the second policy if, in every state of it, the operators that the second
//! permits *and the first does not* stay inside and are not in error. For each region and label that is first a question about two networks at once, whether the label is newly permitted anywhere
//! in it; where it is, each of the label's moves is asked whether it leads out.
//!
//! **Leading out** is not one formula, as an invariant may have many thousand regions. A state is asked for from which the move is newly permitted; where it leads into a
//! region, states that lead there are ruled out, and the next one is asked for. There are finitely many regions, so this ends: with nothing left, or with a successor outside.
//!
//! **What it means.** Inductive under the second policy: no run under it reaches an unsafe state. Not inductive: the state that is told is in the invariant and has a successor outside;
//! whether a run comes to that state, and whether the successor is unsafe or leads to something that is, is another question.
//!
//! Soundness: [`Reused::Inductive`] needs every question refuted. A successor outside counts after the reference interpreter has confirmed both policies' choices and the step, and evaluated
//! that it is in no region and not among the states.
//!
//! * `local`: what can happen at given locations; `region`, `states`: the two kinds of parts of an invariant.

mod local;
mod region;
mod states;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use surefoot_abstraction::System;
use surefoot_limits::Stop;
use surefoot_model::model::Operator;
use surefoot_model::{ModelError, State, TermId};
use surefoot_oracle::{BranchAndBound, Limits, Statistics};
use surefoot_text::diagnostic::Diagnostic;

use crate::first::up_to_first;
use crate::invariant::{Invariant, Part};
use crate::policies::{Opinion, Policies};

use local::Local;

/// States that are looked at in one piece.
const STATES: usize = 1024;

/// A newly permitted step out of the invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// A state of the invariant.
    pub state: State,
    /// What the first policy permits there.
    pub old: Opinion,
    /// What the second does.
    pub new: Opinion,
    /// What it does.
    pub operator: Operator,
    /// A state outside that this leads to.
    pub successor: State,
}

/// What became of the invariant.
#[derive(Debug, Clone)]
pub enum Reused {
    /// It is inductive under the second policy.
    Inductive,
    /// It is not.
    Leaves(Box<Leaving>),
    /// The model, or the second policy, is in error in a state of it where the second policy is asked.
    Fault(Box<ModelError>),
    /// It is not known.
    Open(Stop),
    /// A state that was found is not as asked: an error of ours.
    Wrong(Box<State>),
}

/// An answer, and what it took.
#[derive(Debug, Clone)]
pub struct Reuse {
    /// The answer.
    pub answer: Reused,
    /// Regions that were looked at, and those of them in which something is newly permitted (or may be).
    pub regions: (u64, u64),
    /// The same of states.
    pub states: (u64, u64),
    /// What was asked.
    pub statistics: Statistics,
    /// What a check of every move asks at least: one question for each region and move that bounds do not exclude there.
    pub from_nothing: u64,
}

/// What is re-checked.
#[derive(Debug)]
pub struct Reusing<'p, 's> {
    /// The policies.
    pub policies: Policies<'p>,
    /// The first policy's system.
    pub old: System<'s>,
    /// The second one's.
    pub new: System<'s>,
    /// States without moves.
    pub terminal: Option<TermId>,
    /// Whether operators count as absent where they are in error.
    pub assume_no_errors: bool,
}

/// Whether an invariant of the first policy is one of the second.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn reuse(mut reusing: Reusing<'_, '_>, invariant: &Invariant, limits: &Limits) -> Result<Reuse, Diagnostic> {
    let locations = reusing.policies.model.instances.len();
    let whole = invariant.are_whole(reusing.policies.model);
    let mut states: Vec<&[i64]> = invariant.states.iter().map(|values| &**values).collect();
    states.sort_unstable();
    // States that leave slots open are asked about like regions.
    let mut regions: Vec<Part> = invariant.regions.clone();
    if !whole {
        regions.extend(states.drain(..).map(|values| invariant.state_as_region(values)));
    }
    let mut locals: FxHashMap<Box<[i64]>, Local> = FxHashMap::default();
    for region in &regions {
        if let Entry::Vacant(missing) = locals.entry(region.locations(locations)) {
            let local = Local::new(&mut reusing, missing.key())?;
            missing.insert(local);
        }
    }
    let check = Check { reusing: &reusing, invariant, locals, identical: reusing.policies.are_identical() };
    let chunks: Vec<&[&[i64]]> = states.chunks(STATES).collect();
    let piece = |number: usize, oracle: &mut BranchAndBound, limits: &Limits| match number.checked_sub(regions.len()) {
        None => check.region(&regions[number], oracle, limits),
        Some(chunk) => check.states(chunks[chunk], limits),
    };
    let settles = |piece: &Piece| !matches!(piece.answer, Reused::Inductive | Reused::Open(_));
    let (pieces, statistics) = up_to_first(regions.len() + chunks.len(), limits, piece, settles);
    let mut total = Reuse { answer: Reused::Inductive, regions: (0, 0), states: (0, 0), statistics, from_nothing: 0 };
    for (number, piece) in pieces.into_iter().enumerate() {
        let counted = if number < invariant.regions.len() { &mut total.regions } else { &mut total.states };
        counted.0 += piece.looked_at;
        counted.1 += piece.changed;
        total.from_nothing += piece.moves;
        if !matches!(piece.answer, Reused::Inductive) {
            total.answer = piece.answer;
        }
    }
    Ok(total)
}

/// What one region, or some states, came to.
struct Piece {
    answer: Reused,
    looked_at: u64,
    changed: u64,
    moves: u64,
}

struct Check<'c, 'p, 's> {
    reusing: &'c Reusing<'p, 's>,
    invariant: &'c Invariant,
    locals: FxHashMap<Box<[i64]>, Local>,
    /// Whether nothing tells the policies apart: then nothing is newly permitted.
    identical: bool,
}
