//! Reaching abstract states: by which transitions, whether these exist, and what comes next.

use surefoot_abstraction::{AbstractState, StateId, Written};
use surefoot_limits::{Stop, Unit};
use surefoot_oracle::{Answer, FullOracle, Limits};

use super::{Found, Search};
use crate::options::Order;
use crate::path::{AbstractPath, End};
use crate::store::state_bytes;

/// An abstract transition: its source and move.
pub(super) type By = (StateId, u32);

/// How a state was reached.
#[derive(Debug, Clone, Default)]
pub(super) struct Reached {
    /// By which transition; `None` for start states.
    parent: Option<By>,
    depth: u32,
    /// Whether that transition is only assumed.
    pub(super) assumed: bool,
    /// Other transitions that are only assumed.
    others: Vec<By>,
    /// What may have been written on the way there, on any run.
    pub(super) written: Written,
    /// Whether it waits to be expanded.
    pub(super) queued: bool,
    /// Whether it was expanded, with as much written as was then.
    pub(super) expanded: bool,
}

/// What is in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// A part of the start set.
    Start(u32),
    /// An abstract state.
    State(StateId),
}

impl<O: FullOracle> Search<'_, '_, O> {
    /// Enters a state; the end of the search if it is unsafe.
    pub(super) fn enter(
        &mut self,
        state: AbstractState,
        parent: Option<By>,
        assumed: bool,
        oracle: &mut O,
    ) -> Option<Found> {
        let (id, new) = self.states.insert(state);
        let depth = parent.map_or(0, |(id, _)| self.depth(id) + 1);
        if new {
            self.reached.push(None);
            // The store of states keeps each twice; and there is the entry of the queue.
            self.bytes += 2 * state_bytes(self.states.get(id)) + size_of::<Reached>() + 64;
        }
        let written = parent.map_or_else(Written::default, |(source, by)| {
            let rule = &self.rules.at(&self.states.get(source).locations)[by as usize];
            self.telling.of(self.watched.after(rule, self.written(source)), self.states.get(id))
        });
        let again = match &mut self.reached[id.index()] {
            // A state that is only assumed to be reached was not expanded, so that no path leads through it.
            Some(reached) => {
                if reached.assumed && !assumed {
                    (reached.parent, reached.assumed) = (parent, false);
                } else if reached.assumed {
                    reached.others.extend(parent);
                }
                // Soundness: where more may have been written than when it was expanded, more may be possible.
                reached.written.join(written) && !reached.queued
            }
            none => {
                *none = Some(Reached { parent, depth, assumed, written, ..Reached::default() });
                return self.look(id, oracle);
            }
        };
        if again {
            self.push_state(id);
        }
        None
    }

    /// What may have been written where a state is reached.
    pub(super) fn written(&self, id: StateId) -> Written {
        self.reached[id.index()].as_ref().map_or_else(Written::default, |reached| reached.written)
    }

    /// Puts a state that is reached into the queue.
    fn push_state(&mut self, id: StateId) {
        if let Some(reached) = &mut self.reached[id.index()] {
            reached.queued = true;
            let depth = reached.depth;
            self.push(self.heuristic.distance(self.states.get(id)), depth, Entry::State(id));
        }
    }

    fn depth(&self, id: StateId) -> u32 {
        self.reached[id.index()].as_ref().map_or(0, |reached| reached.depth)
    }

    /// Looks at a state that was reached: the end of the search if it is unsafe, else it is put into the queue.
    fn look(&mut self, id: StateId, oracle: &mut O) -> Option<Found> {
        let (state, limits) = (self.states.get(id), &self.options.limits);
        match self.heuristic.is_unsafe(self.system, self.predicates, state, oracle, limits) {
            Ok(true) => {
                if let Some(end) = self.confirm(id, oracle) {
                    return Some(end);
                }
                if self.reached[id.index()].is_some() {
                    self.unsafe_state = Some(id);
                    return Some(Found::Path(self.path_to(id, End::Unsafe)));
                }
                return None;
            }
            Ok(false) => {}
            Err(limit) => return Some(Found::Stopped(limit)),
        }
        self.push_state(id);
        None
    }

    pub(super) fn push(&mut self, distance: u32, depth: u32, entry: Entry) {
        let tie = if self.options.seed == 0 { 0 } else { self.random.next_u64() };
        let key = match self.options.strategy.order {
            Order::DeepestFirst => (distance, -i64::from(depth), tie, entry),
            Order::ShallowestFirst => (distance, i64::from(depth), tie, entry),
            Order::BreadthFirst => (0, i64::from(depth), tie, entry),
        };
        self.queue.insert(key);
    }

    /// The path on which a state was reached first.
    pub(crate) fn path_to(&self, id: StateId, end: End) -> AbstractPath {
        let (mut states, mut steps) = (vec![self.states.get(id).clone()], Vec::new());
        let mut at = id;
        while let Some((parent, by)) = self.reached[at.index()].as_ref().and_then(|reached| reached.parent) {
            let source = self.states.get(parent);
            steps.push(self.rules.at(&source.locations)[by as usize].clone());
            states.push(source.clone());
            at = parent;
        }
        states.reverse();
        steps.reverse();
        AbstractPath { states, steps, end }
    }

    /// Decides the transition that a state was assumed to be reached by, and the next one where it does not exist. A transition
    /// that is still not decided stays.
    pub(super) fn confirm(&mut self, id: StateId, oracle: &mut O) -> Option<Found> {
        while let Some(reached) = self.reached[id.index()].as_mut().filter(|reached| reached.assumed) {
            let (source, by) = reached.parent.expect("start states are not assumed");
            let moves = self.moves.at(&self.states.get(source).locations);
            let step = moves.get(by as usize).expect("paths are made of known moves");
            let limits = Limits { nodes: Some(self.options.transition_nodes), ..self.options.limits.clone() };
            let mut answer = Answer::Unsat;
            for question in step.into_target(self.states.get(source), self.states.get(id)) {
                match oracle.decide(&question, &limits) {
                    Answer::Unsat => {}
                    sat @ Answer::Sat(_) => {
                        answer = sat;
                        break;
                    }
                    unknown @ Answer::Unknown(_) => answer = unknown,
                }
            }
            match answer {
                Answer::Sat(_) | Answer::Unknown(Stop::Most(Unit::Nodes, _)) => reached.assumed = false,
                Answer::Unknown(limit) => return Some(Found::Stopped(limit)),
                Answer::Unsat if reached.others.is_empty() => self.reached[id.index()] = None,
                Answer::Unsat => {
                    let other = reached.others.remove(0);
                    reached.parent = Some(other);
                }
            }
        }
        None
    }
}
