//! The reachable part of a model under a policy, as a Markov decision process with its states.

use surefoot_limits::Stop;
use surefoot_mdp::{Mdp, StateSet};
use surefoot_model::{LabelId, Model, ModelError, State, TermId};
use surefoot_temporal::graph::Graph as Transitions;
use surefoot_verdict::Reporter;

use crate::compile::Generator;
use crate::explore::Search;
use crate::number::number;
use crate::record::{Packed, RecordError, Recorded, Resolution};
use crate::store::Store;
use crate::task::{Ending, Exploration, Statistics, Task};

/// A model's reachable states and transitions.
#[derive(Debug)]
pub struct Graph<'m> {
    /// The process; its states are numbered in the order of exploration, start states first, [vanishing ones](Mdp::vanishing) last.
    pub mdp: Mdp,
    /// How many of the first states are start states.
    pub starts: u32,
    /// Whether the limit may have been reached before all start states were found: nothing is known about the others.
    pub starts_missing: bool,
    /// How many of the first states were expanded. The others are the frontier of an exploration that a limit cut short;
    /// nothing is known of their moves.
    pub expanded: u32,
    /// The limit that cut the exploration short.
    pub limit: Option<Stop>,
    /// Figures of the exploration.
    pub statistics: Statistics,
    generator: Generator<'m>,
    store: Store,
    order: Vec<Packed>,
    /// Vector of every choice but those of vanishing states.
    vectors: Vec<u32>,
}

/// Why there is no graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// The exploration failed.
    Incomplete(Box<Exploration>),
    /// The transitions could not be kept.
    Record(RecordError),
    /// The model has real variables.
    Real(String),
}

/// Explores a discrete model and keeps its transitions, as far as the limits allow.
///
/// # Errors
/// Where the model is in error, has no start states, or has real variables.
pub fn build<'m>(task: &Task<'m>, resolution: Resolution, reporter: &dyn Reporter) -> Result<Graph<'m>, GraphError> {
    if let Some(slot) = task.model.slots.iter().find(|s| s.domain.int_bounds().is_none()) {
        return Err(GraphError::Real(slot.name.to_string()));
    }
    let incomplete = |ending, statistics| GraphError::Incomplete(Box::new(Exploration { ending, statistics }));
    let search =
        Search::new(task, Some(resolution)).map_err(|e| incomplete(Ending::StartError(e), Statistics::default()))?;
    let (exploration, search) = search.run(reporter).map_err(GraphError::Record)?;
    let limit = match exploration.ending {
        Ending::Complete => None,
        // Nothing can be said about no start state.
        Ending::Limit(reason) if exploration.statistics.start_states > 0 => Some(reason),
        ending => return Err(incomplete(ending, exploration.statistics)),
    };
    let Search { generator, store, recorder, .. } = search;
    let recorder = recorder.expect("the search was to record");
    let Recorded { mdp, expanded, order, vectors, transitions } = recorder.finish().map_err(GraphError::Record)?;
    let mut statistics = exploration.statistics;
    // Recorded successors are not made distinct on the way; this was done when rows were written.
    statistics.transitions = transitions;
    let starts = u32::try_from(statistics.start_states).expect("recorded states have numbers of 32 bits");
    // All start states are found before the first one is expanded.
    let starts_missing = limit.is_some() && expanded == 0;
    Ok(Graph { mdp, starts, starts_missing, expanded, limit, statistics, generator, store, order, vectors })
}

impl Graph<'_> {
    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.generator.model()
    }

    /// Roughly the bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.mdp.bytes() + 4 * (self.order.len() + self.vectors.len())
    }

    /// The states whose moves are not known.
    #[must_use]
    pub fn frontier(&self) -> StateSet {
        StateSet::from_members(self.order.len(), self.expanded..number(self.order.len()))
    }

    /// Which states follow which, whatever the probabilities, as formulas of CTL see it: vanishing states are no steps. Nothing is known of the
    /// frontier of an exploration that was cut short: its states have no successors here.
    #[must_use]
    pub fn transitions(&self) -> Transitions {
        let mut transitions = Transitions::default();
        let (mut row, vanishing) = (Vec::new(), self.mdp.vanishing());
        let targets = |state: u32| self.mdp.choices(state).flat_map(|choice| self.mdp.branches(choice));
        for state in 0..number(self.order.len()) {
            row.clear();
            for branch in targets(state) {
                if vanishing.contains(&branch.target) {
                    // Never two in a row.
                    row.extend(targets(branch.target).map(|inner| inner.target));
                } else {
                    row.push(branch.target);
                }
            }
            transitions.push(&mut row);
        }
        transitions
    }

    /// A state by number.
    #[must_use]
    pub fn state(&self, number: u32) -> State {
        let mut values = vec![0; self.model().slots.len()];
        self.unpack(number, &mut values);
        State::from_ints(&values)
    }

    /// The integer values of a state.
    pub fn unpack(&self, number: u32, values: &mut [i64]) {
        let (shard, index) = self.order[number as usize].parts();
        self.generator.layout().unpack(self.store.shards[shard].state(self.store.stride, index), values);
    }

    /// The label of a choice of a state that does not vanish; `None` = silent.
    #[must_use]
    pub fn label(&self, choice: u32) -> Option<LabelId> {
        self.generator.label(self.vectors[choice as usize])
    }

    /// The vector of a choice of a state that does not vanish.
    #[must_use]
    pub fn vector(&self, choice: u32) -> u32 {
        self.vectors[choice as usize]
    }

    /// The states that satisfy a condition, of those that do not vanish ([`Until::through_vanishing`](surefoot_mdp::Until::through_vanishing)).
    ///
    /// # Errors
    /// Where the condition has no value.
    pub fn satisfying(&mut self, condition: TermId) -> Result<StateSet, Box<ModelError>> {
        let condition = self.generator.condition(condition);
        let mut worker = self.generator.worker();
        let mut set = StateSet::empty(self.order.len());
        for number in 0..number(self.order.len()) {
            let (shard, index) = self.order[number as usize].parts();
            self.generator.load(&mut worker, self.store.shards[shard].state(self.store.stride, index));
            if self.generator.holds(&condition, &worker)? {
                set.insert(number);
            }
        }
        Ok(set)
    }
}
