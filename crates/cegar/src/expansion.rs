//! The successors of an abstract state: from what earlier iterations found out, and else by questions to the oracle.
//!
//! Only transitions to states that are not reached yet are asked about: whether there are others changes nothing in what is
//! reachable.

use surefoot_abstraction::expand::{Effort, Knowledge, Successors};
use surefoot_abstraction::moves::Move;
use surefoot_abstraction::oracles::counted;
use surefoot_abstraction::{AbstractState, ByLocations, Moves, PredicateSet, System, expand};
use surefoot_limits::Stop;
use surefoot_oracle::{Assignment, FullOracle, Statistics};

use crate::number::number;
use crate::options::Options;
use crate::store::{Record, Store, lies_in};

/// With more predicates of the successor open, whether all targets are reached is not looked at.
const SKIPPABLE: usize = 4;

/// The successors of an abstract state.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// By which move, whereto, and whether that is only assumed.
    pub(crate) successors: Vec<(u32, AbstractState, bool)>,
    pub(crate) record: Record,
    pub(crate) stopped: Option<Stop>,
    pub(crate) work: Statistics,
}

/// The assignments with given values, if few are open.
fn possible(decided: &[Option<bool>]) -> Option<Vec<Assignment>> {
    let open: Vec<usize> = (0..decided.len()).filter(|index| decided[*index].is_none()).collect();
    let assignment = |code: u32| {
        let value = |index: usize| match decided[index] {
            Some(value) => value,
            None => code >> open.partition_point(|o| *o < index) & 1 == 1,
        };
        Assignment::new((0..decided.len()).map(value))
    };
    (open.len() <= SKIPPABLE).then(|| (0..1 << open.len()).map(assignment).collect())
}

/// Expands abstract states.
pub(crate) struct Expander<'a, 'm> {
    pub(crate) system: &'a System<'m>,
    pub(crate) predicates: &'a PredicateSet,
    pub(crate) options: &'a Options,
    pub(crate) store: &'a Store,
    pub(crate) moves: &'a ByLocations<Moves>,
    /// Whether a state is known to be reached: then it does not matter whether another transition leads there.
    pub(crate) is_reached: &'a (dyn Fn(&AbstractState) -> bool + Sync),
}

impl Expander<'_, '_> {
    /// The successors of an abstract state.
    pub(crate) fn expand(&self, state: &AbstractState, oracle: &mut impl FullOracle) -> Expansion {
        let moves = self.moves.at(&state.locations);
        let Options { choice_nodes, expansion_nodes, .. } = *self.options;
        let expander = expand::Expander {
            system: self.system,
            predicates: self.predicates,
            limits: &self.options.limits,
            effort: Effort { choice_nodes, move_nodes: Some(expansion_nodes) },
        };
        let known = Known::new(self.system, self.predicates, self.store, state, self.is_reached);
        let (found, work) = counted(oracle, |oracle| expander.expand(moves, state, &known, oracle));
        let mut expansion = Expansion { stopped: found.stopped, work, ..Expansion::default() };
        for (by, (step, found)) in moves.iter().zip(found.successors).enumerate() {
            let rule = number(by);
            let target = |assignment: &Assignment| step.successor(state, assignment);
            expansion.successors.extend(found.known.keys().map(|a| (rule, target(a), false)));
            expansion.successors.extend(found.assumed.iter().map(|a| (rule, target(a), true)));
            let open = found.assumed.into_iter().chain(found.skipped).collect();
            expansion.record.add(by, found.known.into_values().collect(), open);
        }
        expansion
    }
}

/// What is known of the successors of a state without asking.
pub struct Known<'a> {
    predicates: &'a PredicateSet,
    is_reached: &'a (dyn Fn(&AbstractState) -> bool + Sync),
    earlier: Option<Earlier<'a>>,
}

/// What an earlier iteration found out about an abstract state that the state lies in.
struct Earlier<'a> {
    /// Predicates that there were.
    count: usize,
    record: &'a Record,
    /// Whether the predicates since leave the cell of the state as it was.
    uncut: bool,
}

impl<'a> Known<'a> {
    /// What earlier iterations found out about a state; and transitions to states that are reached need not be asked about.
    pub fn new(
        system: &System<'_>,
        predicates: &'a PredicateSet,
        store: &'a Store,
        state: &AbstractState,
        is_reached: &'a (dyn Fn(&AbstractState) -> bool + Sync),
    ) -> Self {
        let earlier = store.find(state).map(|(count, record)| {
            // Whether the predicates after the first ones leave the cell as it was.
            let bounds = system.bounds(predicates, &state.over_first(count));
            let by_box = |p: usize| predicates.literal(p, true).value_in(&bounds);
            let uncut = (count..predicates.len()).all(|p| by_box(p) == Some(state.values.get(p)));
            Earlier { count, record, uncut }
        });
        Self { predicates, is_reached, earlier }
    }
}

impl Knowledge for Known<'_> {
    fn of(&self, by: usize, step: &Move, state: &AbstractState) -> Successors {
        let mut found = Successors::default();
        if self.earlier.as_ref().is_some_and(|earlier| earlier.record.is_refuted(by)) {
            return found;
        }
        if let Some(possible) = possible(&step.decided(state)) {
            let some = possible.len();
            found.skipped = possible.into_iter().filter(|a| (self.is_reached)(&step.successor(state, a))).collect();
            if found.skipped.len() == some {
                return found;
            }
        }
        if let Some(Earlier { count, record, uncut }) = self.earlier {
            let (witnesses, open) = record.witnesses(by);
            for witness in witnesses.iter().filter(|w| lies_in(w, state, self.predicates, count)) {
                let assignment = step.assignment_at(&step.point(witness));
                found.known.entry(assignment).or_insert_with(|| witness.clone());
            }
            found.skipped.retain(|a| !found.known.contains_key(a));
            let decided = |a: &Assignment| found.skipped.contains(a) || found.known.contains_key(a);
            if uncut && step.is_settled_from(count) && open.iter().all(decided) {
                found.skipped.retain(|a| open.contains(a));
                return found;
            }
        }
        found.open = true;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_vary_in_what_is_open() {
        let found = possible(&[Some(true), None, Some(false), None]).unwrap();
        let values: Vec<Vec<bool>> = found.iter().map(|a| a.iter().collect()).collect();
        let expected = [
            [true, false, false, false],
            [true, true, false, false],
            [true, false, false, true],
            [true, true, false, true],
        ];
        assert_eq!(values, expected);
        assert_eq!(possible(&[None; 5]), None);
        assert_eq!(possible(&[]).unwrap().len(), 1);
    }
}
