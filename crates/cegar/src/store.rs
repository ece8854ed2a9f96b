//! What earlier iterations found out about abstract states.
//!
//! Predicates are only ever added, so an abstract state lies inside one of every earlier iteration: the one with the same
//! locations whose truth values are the first ones. What was refuted there is refuted here; a witness found there is one here
//! if it lies here; and where the new predicates cut neither the state nor the successors of a move, all is as it was.
//!
//! Results do not depend on the store: it says which successors there are, and that is a fact. Witnesses for refinement are
//! found anew.

use rustc_hash::FxHashMap;
use surefoot_abstraction::{AbstractState, PredicateSet};
use surefoot_oracle::Assignment;
use surefoot_symbolic::Symbol;

/// How many iterations are remembered.
const LEVELS: usize = 8;

/// A concrete state with the choices of a rule, as integers.
pub(crate) type Witness = Box<[i64]>;

/// What the moves of an abstract state lead to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// The moves that lead anywhere, ascending.
    moves: Vec<Moved>,
}

/// What a move leads to.
#[derive(Debug, Clone)]
struct Moved {
    by: u32,
    /// One witness per successor.
    witnesses: Box<[Witness]>,
    /// Whether there are no other successors.
    complete: bool,
}

impl Record {
    /// Takes note of the witnesses of a move, later than those before.
    pub(crate) fn add(&mut self, by: usize, witnesses: Box<[Witness]>, complete: bool) {
        if !witnesses.is_empty() || !complete {
            self.moves.push(Moved { by: by as u32, witnesses, complete });
        }
    }

    fn find(&self, by: usize) -> Option<&Moved> {
        let index = self.moves.binary_search_by_key(&(by as u32), |moved| moved.by).ok()?;
        Some(&self.moves[index])
    }

    /// Whether a move is known to lead nowhere.
    pub(crate) fn is_refuted(&self, by: usize) -> bool {
        self.find(by).is_none()
    }

    /// One witness per known successor of a move, and whether these are all.
    pub(crate) fn witnesses(&self, by: usize) -> (&[Witness], bool) {
        self.find(by).map_or((&[], true), |moved| (&moved.witnesses, moved.complete))
    }
}

/// Expansions of one iteration.
#[derive(Debug, Default)]
struct Level {
    predicates: usize,
    records: FxHashMap<AbstractState, Record>,
}

/// Expansions of earlier iterations.
#[derive(Debug, Default)]
pub(crate) struct Store {
    levels: Vec<Level>,
}

impl Store {
    /// Takes note of an iteration's expansions.
    pub(crate) fn add(&mut self, predicates: usize, records: FxHashMap<AbstractState, Record>) {
        if self.levels.len() == LEVELS {
            self.levels.remove(0);
        }
        self.levels.push(Level { predicates, records });
    }

    /// The latest that is known of a state that this one lies in, and how many predicates there were.
    pub(crate) fn find(&self, state: &AbstractState) -> Option<(usize, &Record)> {
        self.levels.iter().rev().find_map(|level| {
            let record = level.records.get(&prefix(state, level.predicates))?;
            Some((level.predicates, record))
        })
    }
}

/// The abstract state over the first predicates only.
pub(crate) fn prefix(state: &AbstractState, predicates: usize) -> AbstractState {
    let values = Assignment::new((0..predicates).map(|predicate| state.values.get(predicate)));
    AbstractState { locations: state.locations.clone(), values }
}

/// Whether a witness found with fewer predicates satisfies the rest of a state's literals.
pub(crate) fn lies_in(witness: &Witness, state: &AbstractState, predicates: &PredicateSet, from: usize) -> bool {
    let value = |slot: Symbol| surefoot_num::Rational::from(witness[slot as usize]);
    (from..predicates.len()).all(|p| predicates.formulas()[p].eval(&value) == state.values.get(p))
}
