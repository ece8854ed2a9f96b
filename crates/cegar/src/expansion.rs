//! The successors of an abstract state: from what earlier iterations found out, and else by questions to the oracle.
//!
//! Only transitions are asked about that say something new: into states that are not reached yet, or not with what may have been written. Whether
//! there are others changes nothing in what is reachable.

use rustc_hash::FxHashMap;
use surefoot_abstraction::expand::{Effort, Knowledge, Successors};
use surefoot_abstraction::moves::{Move, Witness};
use surefoot_abstraction::oracles::counted;
use surefoot_abstraction::{
    AbstractState, ByLocations, Moves, PredicateSet, Rule, SlotRange, System, Watched, Written, expand,
};
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
    pub(crate) watched: &'a Watched,
    /// What earlier expansions of this search found out.
    pub(crate) records: &'a FxHashMap<AbstractState, Record>,
    /// Whether a transition says nothing new wherever it leads from: by which move, from where nothing but this may have been written, whereto.
    pub(crate) is_covered: &'a (dyn Fn(&Rule, Written, &AbstractState) -> bool + Sync),
}

impl Expander<'_, '_> {
    /// The successors of an abstract state, of those of its states in which nothing but this was written.
    pub(crate) fn expand(&self, state: &AbstractState, written: Written, oracle: &mut impl FullOracle) -> Expansion {
        let moves = self.moves.at(&state.locations);
        let Options { choice_nodes, expansion_nodes, .. } = *self.options;
        let expander = expand::Expander {
            system: self.system,
            predicates: self.predicates,
            limits: &self.options.limits,
            effort: Effort { choice_nodes, move_nodes: Some(expansion_nodes) },
        };
        let within = self.watched.untouched(written);
        let is_covered = |rule: &Rule, target: &AbstractState| (self.is_covered)(rule, written, target);
        let known = Known::new(self.system, self.predicates, self.store, state, &is_covered);
        let known = known.narrowed(written, &within, self.records.get(state));
        let (found, work) = counted(oracle, |oracle| expander.expand(moves, state, &within, &known, oracle));
        let record = Record::of(written);
        let mut expansion = Expansion { stopped: found.stopped, work, record, ..Expansion::default() };
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
    is_covered: &'a (dyn Fn(&Rule, &AbstractState) -> bool + Sync),
    /// The ranges of what was not written.
    within: &'a [SlotRange],
    earlier: Option<Earlier<'a>>,
}

/// What was found out about an abstract state that the state lies in.
struct Earlier<'a> {
    /// Predicates that there were.
    count: usize,
    record: &'a Record,
    /// Whether the predicates since leave the cell of the state as it was.
    uncut: bool,
    /// Whether it was about all of the states that matter now: if not, nothing follows from what was not found.
    covers: bool,
    /// Whether it was about others, too.
    wider: bool,
}

impl<'a> Known<'a> {
    /// What earlier iterations found out about a state, anything having been written; and transitions that say nothing new need not be asked about.
    pub fn new(
        system: &System<'_>,
        predicates: &'a PredicateSet,
        store: &'a Store,
        state: &AbstractState,
        is_covered: &'a (dyn Fn(&Rule, &AbstractState) -> bool + Sync),
    ) -> Self {
        let earlier = store.find(state).map(|(count, record)| {
            // Whether the predicates after the first ones leave the cell as it was.
            let bounds = system.bounds(predicates, &state.over_first(count));
            let by_box = |p: usize| predicates.literal(p, true).value_in(&bounds);
            let uncut = (count..predicates.len()).all(|p| by_box(p) == Some(state.values.get(p)));
            Earlier { count, record, uncut, covers: true, wider: false }
        });
        Self { predicates, is_covered, within: &[], earlier }
    }

    /// The same for those of its states in which nothing but this was written; and what this iteration found out about fewer of them.
    pub(crate) fn narrowed(mut self, written: Written, within: &'a [SlotRange], again: Option<&'a Record>) -> Self {
        self.within = within;
        if let Some(earlier) = &mut self.earlier {
            // Soundness: what was refuted where more was untouched may be possible here.
            earlier.covers = written.is_within(earlier.record.written());
            earlier.wider = !earlier.record.written().is_within(written);
        }
        if let Some(record) = again.filter(|_| self.earlier.as_ref().is_none_or(|earlier| !earlier.covers)) {
            let count = self.predicates.len();
            let (covers, wider) = (written == record.written(), false);
            self.earlier = Some(Earlier { count, record, uncut: true, covers, wider });
        }
        self
    }

    /// Whether a witness from an earlier expansion is one of the states that matter now.
    fn is_here(&self, earlier: &Earlier<'_>, witness: &Witness, state: &AbstractState) -> bool {
        let untouched = |range: &SlotRange| range.contains(&witness[range.slot.index()].into());
        lies_in(witness, state, self.predicates, earlier.count) && (!earlier.wider || self.within.iter().all(untouched))
    }
}

impl Knowledge for Known<'_> {
    fn of(&self, by: usize, step: &Move, state: &AbstractState) -> Successors {
        let mut found = Successors::default();
        if self.earlier.as_ref().is_some_and(|earlier| earlier.covers && earlier.record.is_refuted(by)) {
            return found;
        }
        if let Some(possible) = possible(&step.decided(state)) {
            let some = possible.len();
            let is_covered = |a: &Assignment| (self.is_covered)(&step.rule, &step.successor(state, a));
            found.skipped = possible.into_iter().filter(is_covered).collect();
            if found.skipped.len() == some {
                return found;
            }
        }
        if let Some(earlier) = &self.earlier {
            let (witnesses, open) = earlier.record.witnesses(by);
            for witness in witnesses.iter().filter(|w| self.is_here(earlier, w, state)) {
                let assignment = step.assignment_at(&step.point(witness));
                found.known.entry(assignment).or_insert_with(|| witness.clone());
            }
            found.skipped.retain(|a| !found.known.contains_key(a));
            let decided = |a: &Assignment| found.skipped.contains(a) || found.known.contains_key(a);
            // Soundness: of a wider part's witnesses some were left out, whose successors others may lead to.
            let same = earlier.covers && !earlier.wider && earlier.uncut;
            if same && step.is_settled_from(earlier.count) && open.iter().all(decided) {
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
