//! The successors of an abstract state: from what earlier iterations found out, and else by questions to the oracle.
//!
//! Only transitions to states that are not reached yet are asked about: whether there are others changes nothing in what is
//! reachable.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_abstraction::moves::Move;
use surefoot_abstraction::{AbstractState, Choice, PredicateSet, Rule, System};
use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;
use surefoot_oracle::{Assignment, BranchAndBound, Holds, KeepStatistics, Limits, Statistics};

use crate::options::Options;
use crate::starts::by_box;
use crate::store::{Record, Store, Witness, lies_in, prefix};

/// With more predicates of the successor open, whether all targets are reached is not looked at.
const SKIPPABLE: usize = 4;

/// Nodes of a question that is not likely to be decided.
const HOPELESS_NODES: u64 = 16;

/// Moves of a location vector under the current predicates.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) moves: Vec<Move>,
    /// Per move, the first one of the same operator with the same guard: whether it is chosen is the same question.
    same_guard: Vec<usize>,
    /// What the policy chooses, for all moves at once.
    choice: Option<Choice>,
}

/// The successors of an abstract state.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// By which move, whereto, and whether that is only assumed.
    pub(crate) successors: Vec<(u32, AbstractState, bool)>,
    pub(crate) record: Record,
    pub(crate) stopped: Option<Stop>,
    pub(crate) work: Statistics,
}

impl Prepared {
    /// Makes the moves of rules.
    pub(crate) fn new(system: &System<'_>, predicates: &PredicateSet, rules: &[Arc<Rule>]) -> Self {
        let moves = rules.iter().map(|rule| system.prepared(predicates, rule)).collect();
        let first = |by: usize| {
            let key = |rule: &Rule| (rule.operator.clone(), rule.choices.clone());
            let same = |other: &Arc<Rule>| other.formula == rules[by].formula && key(other) == key(&rules[by]);
            rules[..by].iter().position(same).unwrap_or(by)
        };
        let same_guard = (0..rules.len()).map(first).collect();
        Self { moves, same_guard, choice: Choice::new(system, predicates, rules) }
    }
}

/// The successors of a move.
#[derive(Debug, Default)]
struct Successors {
    /// Those that exist, with witnesses.
    known: BTreeMap<Assignment, Witness>,
    /// Others that may.
    assumed: Vec<Assignment>,
    /// Others that were not asked about, as they lead to states that are reached anyhow.
    skipped: Vec<Assignment>,
    /// Whether there may be others still.
    open: bool,
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
    /// By locations.
    pub(crate) prepared: &'a FxHashMap<Box<[u32]>, Prepared>,
    /// Whether a state is known to be reached: then it does not matter whether another transition leads there.
    pub(crate) is_reached: &'a (dyn Fn(&AbstractState) -> bool + Sync),
}

impl Expander<'_, '_> {
    /// The successors of an abstract state.
    pub(crate) fn expand(&self, state: &AbstractState, oracle: &mut BranchAndBound) -> Expansion {
        let prepared = &self.prepared[&state.locations];
        let before = oracle.statistics();
        let bounds = self.system.bounds(self.predicates, state);
        let known = self.store.find(state);
        let uncut = known.map(|(count, _)| self.is_uncut(state, count));
        let mut expansion = Expansion::default();
        let known_of = |(by, step): (usize, &Move)| {
            let earlier = known.map(|(count, record)| (count, record, by, uncut.unwrap_or(false)));
            if step.is_excluded(&bounds) { Successors::default() } else { self.known(step, state, earlier) }
        };
        let found: Vec<Successors> = prepared.moves.iter().enumerate().map(known_of).collect();
        let limits = Limits { nodes: Some(self.options.choice_nodes), ..self.options.limits.clone() };
        // A move with a witness is chosen somewhere.
        let asked = |by: usize| found[by].open && found[by].known.is_empty();
        let chosen = prepared.choice.as_ref().map(|choice| (choice, choice.chosen(state, asked, oracle, &limits)));
        for (by, (step, mut found)) in prepared.moves.iter().zip(found).enumerate() {
            let refuted_as = prepared.same_guard[by];
            let refuted = refuted_as < by && expansion.record.is_refuted(refuted_as);
            let mut nodes = self.options.expansion_nodes;
            match chosen.as_ref().and_then(|(choice, chosen)| Some((choice, chosen[by].as_ref()?))) {
                _ if refuted => found = Successors::default(),
                Some((_, Holds::Nowhere)) => found = Successors::default(),
                Some((choice, Holds::Somewhere(point))) if found.open => {
                    let witness = step.successor_at(state, |symbol| choice.value(point, symbol), oracle);
                    self.take_witness(step, state, witness, &mut found);
                }
                // What was too much for all together will hardly be decided alone, but for a guard that helps or a witness.
                Some((_, Holds::Undecided)) if found.known.is_empty() => nodes = nodes.min(HOPELESS_NODES),
                _ => {}
            }
            if found.open {
                self.ask(step, state, &mut found, nodes, oracle, &mut expansion.stopped);
            }
            let target = |assignment: &Assignment| step.successor(state, assignment);
            expansion.successors.extend(found.known.keys().map(|a| (by as u32, target(a), false)));
            expansion.successors.extend(found.assumed.iter().map(|a| (by as u32, target(a), true)));
            let open = found.assumed.into_iter().chain(found.skipped).collect();
            expansion.record.add(by, found.known.into_values().collect(), open);
        }
        expansion.work = oracle.statistics().since(&before);
        expansion
    }

    /// Whether the predicates after the first `count` leave the cell of a state as it was.
    fn is_uncut(&self, state: &AbstractState, count: usize) -> bool {
        let parent = prefix(state, count);
        let bounds = self.system.bounds(self.predicates, &parent);
        (count..self.predicates.len()).all(|p| by_box(self.predicates, p, &bounds) == Some(state.values.get(p)))
    }

    /// What is known of the successors of one move without asking.
    fn known(&self, step: &Move, state: &AbstractState, earlier: Option<(usize, &Record, usize, bool)>) -> Successors {
        let mut found = Successors::default();
        if let Some((_, record, by, _)) = earlier
            && record.is_refuted(by)
        {
            return found;
        }
        if let Some(possible) = possible(&step.decided(state)) {
            let some = possible.len();
            found.skipped = possible.into_iter().filter(|a| (self.is_reached)(&step.successor(state, a))).collect();
            if found.skipped.len() == some {
                return found;
            }
        }
        if let Some((count, record, by, uncut)) = earlier {
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

    /// Takes a witness; where the box decides all that the move tracks, it is the only one needed.
    fn take_witness(
        &self,
        step: &Move,
        state: &AbstractState,
        witness: Option<(Assignment, Vec<Rational>)>,
        found: &mut Successors,
    ) {
        let Some((assignment, point)) = witness else { return };
        found.open = step.decided(state).iter().any(Option::is_none);
        found.skipped.retain(|skipped| *skipped != assignment);
        found.known.insert(assignment, step.values(self.system, state, &point));
    }

    /// Asks for the successors of one move that are not known.
    fn ask(
        &self,
        step: &Move,
        state: &AbstractState,
        found: &mut Successors,
        nodes: u64,
        oracle: &mut BranchAndBound,
        stopped: &mut Option<Stop>,
    ) {
        let mut excluded: FxHashSet<Assignment> = found.known.keys().chain(&found.skipped).cloned().collect();
        let limits = Limits { nodes: Some(nodes), ..self.options.limits.clone() };
        let more = step.successors(state, &excluded, oracle, &limits);
        excluded.extend(more.found.keys().cloned());
        found.known.extend(more.found.into_iter().map(|(a, point)| (a, step.values(self.system, state, &point))));
        match more.stopped {
            None => {}
            Some(Stop::Most(Unit::Nodes, _)) => {
                // Soundness: where the policy's choice is not decided, whatever the guard permits counts as possible.
                let rest = step.unrestricted(state, &excluded, oracle, &self.options.limits);
                *stopped = stopped.or(rest.stopped);
                found.assumed = rest.found.into_keys().collect();
            }
            limit => *stopped = stopped.or(limit),
        }
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
