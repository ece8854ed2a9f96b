//! What earlier iterations found out about abstract states.
//!
//! Predicates are only ever added, so an abstract state lies inside one of every earlier iteration: the one with the same
//! locations whose truth values are the first ones. What was refuted there is refuted here; a witness found there is one here
//! if it lies here; and where the new predicates cut neither the state nor the successors of a move, all is as it was.
//!
//! What was refuted was refuted where nothing but certain variables had been written ([`surefoot_abstraction::untouched`]): it counts where no others
//! may have been.
//!
//! Results do not depend on the store, as long as every question is decided: it says which successors there are, and that is
//! a fact. (A question that would be given up may be known to have no answer here.) Witnesses for refinement are found anew.

use rustc_hash::FxHashMap;
use surefoot_abstraction::moves::Witness;
use surefoot_abstraction::{AbstractState, PredicateSet, Written};
use surefoot_linear::Symbol;
use surefoot_oracle::Assignment;

use crate::number::number;

/// How many iterations are remembered.
const LEVELS: usize = 8;

/// What the moves of an abstract state lead to.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// What may have been written in the states that were looked at.
    written: Written,
    /// The moves that lead anywhere, ascending.
    moves: Vec<Moved>,
}

/// What a move leads to.
#[derive(Debug, Clone)]
struct Moved {
    by: u32,
    /// One witness per successor that is known.
    witnesses: Box<[Witness]>,
    /// The assignments of what the move tracked that were not decided; all others are refuted.
    open: Box<[Assignment]>,
}

impl Record {
    /// Of states in which nothing else may have been written.
    #[must_use]
    pub fn of(written: Written) -> Self {
        Self { written, moves: Vec::new() }
    }

    /// What may have been written in the states that were looked at.
    pub(crate) fn written(&self) -> Written {
        self.written
    }

    /// Takes note of what a move leads to, later than those before.
    pub fn add(&mut self, by: usize, witnesses: Box<[Witness]>, open: Box<[Assignment]>) {
        if !witnesses.is_empty() || !open.is_empty() {
            self.moves.push(Moved { by: number(by), witnesses, open });
        }
    }

    /// The bytes that it takes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let witness = |witness: &Witness| size_of::<Witness>() + size_of_val::<[i64]>(witness);
        let moved = |moved: &Moved| {
            let open = moved.open.len() * (size_of::<Assignment>() + 8);
            size_of::<Moved>() + open + moved.witnesses.iter().map(witness).sum::<usize>()
        };
        size_of::<Self>() + self.moves.iter().map(moved).sum::<usize>()
    }

    fn find(&self, by: usize) -> Option<&Moved> {
        let index = self.moves.binary_search_by_key(&number(by), |moved| moved.by).ok()?;
        Some(&self.moves[index])
    }

    /// Whether a move is known to lead nowhere.
    pub(crate) fn is_refuted(&self, by: usize) -> bool {
        self.find(by).is_none()
    }

    /// One witness per known successor of a move, and the assignments that were not decided.
    pub(crate) fn witnesses(&self, by: usize) -> (&[Witness], &[Assignment]) {
        self.find(by).map_or((&[], &[]), |moved| (&moved.witnesses, &moved.open))
    }
}

/// Expansions of one iteration.
#[derive(Debug, Default)]
struct Level {
    predicates: usize,
    records: FxHashMap<AbstractState, Record>,
    bytes: usize,
}

/// Expansions of earlier iterations.
#[derive(Debug, Default)]
pub struct Store {
    levels: Vec<Level>,
}

impl Store {
    /// Takes note of an iteration's expansions, which take so many bytes, and forgets older ones that do not fit into the memory allowed.
    pub fn add(
        &mut self,
        predicates: usize,
        records: FxHashMap<AbstractState, Record>,
        bytes: usize,
        memory: Option<usize>,
    ) {
        self.levels.push(Level { predicates, records, bytes });
        // Half of the memory is for the next search.
        while self.levels.len() > LEVELS || memory.is_some_and(|most| self.bytes() > most / 2) {
            self.levels.remove(0);
        }
    }

    /// The bytes that it takes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bytes).sum()
    }

    /// The latest that is known of a state that this one lies in, and how many predicates there were.
    #[must_use]
    pub fn find(&self, state: &AbstractState) -> Option<(usize, &Record)> {
        self.levels.iter().rev().find_map(|level| {
            let record = level.records.get(&state.over_first(level.predicates))?;
            Some((level.predicates, record))
        })
    }
}

/// The bytes that an abstract state takes where it is stored, roughly.
#[must_use]
pub fn state_bytes(state: &AbstractState) -> usize {
    size_of::<AbstractState>() + size_of_val::<[u32]>(&state.locations) + state.values.len().div_ceil(64) * 8
}

/// Whether a witness found with fewer predicates satisfies the rest of a state's literals.
pub(crate) fn lies_in(witness: &Witness, state: &AbstractState, predicates: &PredicateSet, from: usize) -> bool {
    let value = |slot: Symbol| surefoot_num::Rational::from(witness[slot.index()]);
    (from..predicates.len()).all(|p| predicates.formulas()[p].eval(&value) == state.values.get(p))
}
