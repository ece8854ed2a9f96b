//! Best-first exploration of the likely part of a model.
//!
//! States are expanded in the order of the most probable path that leads to them, equal states merged. What is not
//! expanded yet is the frontier; counting it as lost gives a lower bound on a probability, counting it as won an upper
//! one. So bounds come from a few thousand states where paths would be enumerated by the million
//! (and the whole model may be out of reach).
//!
//! Where there are many start states, some may be given up: [`Partial::focus`] says from which of them, and how much from each, states are
//! expanded. What was expanded stays.
//!
//! The order uses floats; it decides only what is looked at first, never what is true.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use surefoot_limits::Limits;
use surefoot_mdp::{Mdp, StateSet, solving_bytes};
use surefoot_model::{LabelId, ModelError, State, TermId};
use surefoot_num::Rational;

use crate::compile::{ChoiceEnd, Condition, Expansion, Generator, ProbabilityNumber, Worker};
use crate::explore::{fixed_slots, searches};
use crate::number::number;
use crate::pack::hash;
use crate::record::{RecordError, Resolution, RowWriter};
use crate::start::{StartError, StartSearch};
use crate::store::Shard;
use crate::task::Task;

/// Why a partial exploration cannot begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartialError {
    /// There is nowhere to start, or too many places.
    Start(StartError),
    /// The model is in error.
    Model(Box<ModelError>),
    /// The transitions could not be kept.
    Record(RecordError),
}

/// An entry of the queue: larger weight first, then smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    weight: f64,
    state: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.weight.total_cmp(&other.weight).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Below every weight.
const OUT_OF_FOCUS: f64 = -1.0;

/// The moves of an expanded state: ranges of the choices kept.
type Row = Option<(u32, u32)>;

/// A growing part of a model.
#[derive(Debug)]
pub struct Partial<'m> {
    generator: Generator<'m>,
    worker: Worker,
    expansion: Expansion,
    decided: Option<Condition>,
    goal: Option<Condition>,
    states: Shard,
    stride: usize,
    /// Weight of the best path to a state from the starts in focus, as far as it is known; [`OUT_OF_FOCUS`] where there is none.
    weights: Vec<f64>,
    rows: Vec<Row>,
    choices: Vec<ChoiceEnd>,
    outcomes: Vec<(ProbabilityNumber, u32)>,
    successors: Vec<u32>,
    queue: BinaryHeap<Entry>,
    /// Probabilities by number, exactly and as floats.
    values: Vec<Rational>,
    floats: Vec<f64>,
    expanded: usize,
    /// How many of the first states are start states.
    pub starts: u32,
    /// Whether the time was up before all start states were found: then nothing is known about the others.
    pub starts_missing: bool,
}

impl<'m> Partial<'m> {
    /// Begins with the start states; `decided` are states whose moves do not matter.
    ///
    /// # Errors
    /// Where there are no start states or the start condition has no value.
    pub fn new(task: &Task<'m>, decided: Option<TermId>) -> Result<Self, PartialError> {
        let searches = searches(task).map_err(PartialError::Start)?;
        let mut partial = Self::empty(task, &searches, decided);
        let mut words = vec![0; partial.stride];
        for search in &searches {
            let result = search.for_each(|values| {
                partial.generator.layout().pack(values, &mut words);
                partial.reach(&words, 1.0);
                ControlFlow::Continue(())
            });
            match result {
                Err(StartError::Stopped(_)) if !partial.weights.is_empty() => {
                    partial.starts_missing = true;
                    break;
                }
                other => other.map_err(PartialError::Start)?,
            }
        }
        partial.started(&task.start.states)
    }

    /// Begins with some of the start states.
    ///
    /// # Errors
    /// Where there are none.
    pub fn from_states(task: &Task<'m>, decided: Option<TermId>, states: &[State]) -> Result<Self, PartialError> {
        let searches = searches(task).map_err(PartialError::Start)?;
        Self::empty(task, &searches, decided).started(states)
    }

    /// Nothing yet.
    fn empty(task: &Task<'m>, searches: &[StartSearch<'m>], decided: Option<TermId>) -> Self {
        let mut generator = Generator::new(task.model, task.policy, &fixed_slots(task, searches), task.dropped);
        let decided = decided.map(|term| generator.condition(term));
        let goal = task.goal.filter(|_| task.goal_terminal).map(|term| generator.condition(term));
        let (worker, stride) = (generator.worker(), generator.layout().words());
        Self {
            generator,
            worker,
            expansion: Expansion { record: true, ..Expansion::default() },
            decided,
            goal,
            states: Shard::default(),
            stride,
            weights: Vec::new(),
            rows: Vec::new(),
            choices: Vec::new(),
            outcomes: Vec::new(),
            successors: Vec::new(),
            queue: BinaryHeap::new(),
            values: Vec::new(),
            floats: Vec::new(),
            expanded: 0,
            starts: 0,
            starts_missing: false,
        }
    }

    /// Enters a state that paths may begin in, and says its number.
    ///
    /// # Panics
    /// When it is not a state of the model.
    pub fn enter(&mut self, state: &State) -> u32 {
        let mut words = vec![0; self.stride];
        let values = state.to_ints().expect("a discrete model has integer states");
        self.generator.layout().pack(&values, &mut words);
        self.reach(&words, 1.0)
    }

    /// Adds listed start states, after which there are no more.
    fn started(mut self, states: &[State]) -> Result<Self, PartialError> {
        for state in states {
            self.enter(state);
        }
        self.starts = number(self.weights.len());
        if self.starts == 0 {
            return Err(PartialError::Start(StartError::Empty));
        }
        Ok(self)
    }

    /// The number of a state that a path of the given weight leads to.
    fn reach(&mut self, words: &[u64], weight: f64) -> u32 {
        let number = self.states.insert(self.stride, words, hash(words), 0);
        if number as usize == self.weights.len() {
            self.weights.push(weight);
            self.rows.push(None);
            self.queue.push(Entry { weight, state: number });
        } else if weight > self.weights[number as usize] {
            let before = std::mem::replace(&mut self.weights[number as usize], weight);
            if self.rows[number as usize].is_none() {
                self.queue.push(Entry { weight, state: number });
            } else if before < 0.0 {
                // It was expanded for a start that has been given up: what it leads to comes into focus with it.
                self.spread([Entry { weight, state: number }].into());
            }
        }
        number
    }

    /// Weighs what the given states lead to, best paths first, and queues what of it is not expanded.
    fn spread(&mut self, mut work: BinaryHeap<Entry>) {
        while let Some(Entry { weight, state }) = work.pop() {
            if weight < self.weights[state as usize] {
                continue;
            }
            let Some((first, end)) = self.rows[state as usize] else {
                self.queue.push(Entry { weight, state });
                continue;
            };
            let (mut outcome, mut successor) = self.begin(first as usize);
            let last = self.begin(end as usize).0;
            while outcome < last {
                let (probability, next) = self.outcomes[outcome];
                let share = weight * self.floats[probability.index()];
                for &target in &self.successors[successor..next as usize] {
                    if share > self.weights[target as usize] {
                        self.weights[target as usize] = share;
                        work.push(Entry { weight: share, state: target });
                    }
                }
                (outcome, successor) = (outcome + 1, next as usize);
            }
        }
    }

    /// Expands for the given start states only from now on, those with larger weights (above zero) sooner; other numbers are left out. Of the
    /// others nothing is lost that is known. Takes time in the size of the part.
    pub fn focus(&mut self, starts: impl IntoIterator<Item = (u32, f64)>) {
        self.weights.fill(OUT_OF_FOCUS);
        self.queue.clear();
        let mut work = BinaryHeap::new();
        for (state, weight) in starts {
            if state < self.starts && weight > self.weights[state as usize].max(0.0) {
                self.weights[state as usize] = weight;
                work.push(Entry { weight, state });
            }
        }
        self.spread(work);
    }

    /// Whether all that the start states in focus lead to was expanded.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        !self.queue.iter().any(|entry| self.rows[entry.state as usize].is_none())
    }

    /// Expands up to `count` more states; fewer when there are no more, or a limit is reached.
    ///
    /// # Errors
    /// The first error of the model.
    pub fn grow(&mut self, count: usize, limits: &Limits) -> Result<(), PartialError> {
        let target = self.expanded + count;
        while self.expanded < target {
            if self.expanded.is_multiple_of(1024) && limits.exceeded(self.bytes()).is_some() {
                break;
            }
            let Some(Entry { weight, state }) = self.queue.pop() else { break };
            // Entries are not removed when a better one comes in.
            if self.rows[state as usize].is_none() && weight >= self.weights[state as usize] {
                self.expand(state).map_err(PartialError::Model)?;
                self.expanded += 1;
            }
        }
        Ok(())
    }

    fn expand(&mut self, state: u32) -> Result<(), Box<ModelError>> {
        let first = number(self.choices.len());
        self.generator.load(&mut self.worker, self.states.state(self.stride, state as usize));
        for condition in [&self.decided, &self.goal].into_iter().flatten() {
            if self.generator.holds(condition, &self.worker)? {
                self.rows[state as usize] = Some((first, first));
                return Ok(());
            }
        }
        let mut expansion = std::mem::take(&mut self.expansion);
        let result = self.generator.expand(&mut self.worker, &mut expansion);
        if result.is_ok() {
            self.keep(state, first, &expansion);
        }
        self.expansion = expansion;
        result
    }

    fn keep(&mut self, state: u32, first: u32, expansion: &Expansion) {
        let weight = self.weights[state as usize];
        let (outcomes, successors) = (self.outcomes.len(), self.successors.len());
        let mut from = 0;
        for (probability, end) in &expansion.outcomes {
            let share = weight * self.float(*probability);
            for successor in from..*end {
                let words = &expansion.successors[successor * self.stride..(successor + 1) * self.stride];
                let number = self.reach(words, share);
                self.successors.push(number);
            }
            from = *end;
            self.outcomes.push((*probability, number(successors + end)));
        }
        self.choices.extend(expansion.choices.iter().map(|c| ChoiceEnd {
            vector: c.vector,
            successors: successors + c.successors,
            outcomes: outcomes + c.outcomes,
        }));
        self.rows[state as usize] = Some((first, number(self.choices.len())));
    }

    fn float(&mut self, number: ProbabilityNumber) -> f64 {
        if number.index() >= self.values.len() {
            let known = self.values.len();
            self.generator.update_probabilities(&mut self.values);
            self.floats.extend(self.values[known..].iter().map(Rational::to_f64));
        }
        self.floats[number.index()]
    }

    /// Whether a state was expanded.
    #[must_use]
    pub fn is_expanded(&self, state: u32) -> bool {
        self.rows[state as usize].is_some()
    }

    /// The integer values of a state.
    pub fn unpack(&self, state: u32, values: &mut [i64]) {
        self.generator.layout().unpack(self.states.state(self.stride, state as usize), values);
    }

    /// Whether every reachable state was expanded.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.expanded == self.rows.len()
    }

    /// States found and expanded.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.rows.len(), self.expanded)
    }

    /// Roughly the bytes held, and those that solving will take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let (states, choices, branches) = (self.rows.len(), self.choices.len(), self.successors.len());
        // The process made of it takes as much again as its transitions.
        let held = states * (8 * self.stride + 80) + branches * 24 + choices * 48;
        held + solving_bytes(states, choices, branches)
    }

    /// Where the outcomes and the successors of a choice begin.
    fn begin(&self, choice: usize) -> (usize, usize) {
        let previous = choice.checked_sub(1).map(|previous| self.choices[previous]);
        previous.map_or((0, 0), |end| (end.outcomes, end.successors))
    }

    /// The successors of a state, those of all its choices; none on the frontier.
    #[must_use]
    pub fn successors(&self, state: u32) -> &[u32] {
        match self.rows[state as usize] {
            Some((first, end)) if first < end => {
                &self.successors[self.begin(first as usize).1..self.choices[end as usize - 1].successors]
            }
            _ => &[],
        }
    }

    /// Choices, and transitions: the distinct successors of every choice.
    #[must_use]
    pub fn transitions(&self) -> (usize, usize) {
        let distinct = |choice: usize| {
            let mut successors = self.successors[self.begin(choice).1..self.choices[choice].successors].to_vec();
            successors.sort_unstable();
            successors.dedup();
            successors.len()
        };
        (self.choices.len(), (0..self.choices.len()).map(distinct).sum())
    }

    /// The part explored so far as a process, [vanishing states](Mdp::vanishing) last; states of the frontier have no choices.
    ///
    /// # Errors
    /// Where the transitions cannot be kept.
    pub fn process(&self) -> Result<(Mdp, StateSet), PartialError> {
        let mut frontier = StateSet::empty(self.rows.len());
        let note = |_: &mut RowWriter, state| {
            frontier.insert(number(state));
            Ok(())
        };
        let (mdp, _) = self.rows_of(Resolution::Vanishing, note, 0)?;
        Ok((mdp, frontier))
    }

    /// The same with one choice per [combination](Resolution::Combined) of what outcomes leave open, and the label of every choice: a process to be written.
    ///
    /// # Errors
    /// Where the transitions cannot be kept.
    pub fn labelled_process(&self) -> Result<(Mdp, StateSet, Vec<Option<LabelId>>), PartialError> {
        let frontier = StateSet::from_fn(self.rows.len(), |state| self.rows[state as usize].is_none());
        let (mdp, vectors) = self.rows_of(Resolution::Combined, |_, _| Ok(()), 0)?;
        Ok((mdp, frontier, vectors.into_iter().map(|vector| self.generator.label(vector)).collect()))
    }

    /// The rows of all states, those of the frontier as given, and more states without choices; and the vectors of the choices.
    fn rows_of(
        &self,
        resolution: Resolution,
        mut frontier: impl FnMut(&mut RowWriter, usize) -> Result<(), RecordError>,
        more: usize,
    ) -> Result<(Mdp, Vec<u32>), PartialError> {
        let values = &self.values;
        let mut writer = RowWriter::new(resolution);
        let write = |writer: &mut RowWriter, choice: usize| {
            let end = self.choices[choice];
            let (outcomes, successors) = self.begin(choice);
            writer.choice(
                end.vector,
                &self.outcomes[outcomes..end.outcomes],
                &self.successors[successors..end.successors],
                successors,
                values,
            )
        };
        for (state, row) in self.rows.iter().enumerate() {
            writer.begin_state().map_err(PartialError::Record)?;
            match row {
                None => frontier(&mut writer, state).map_err(PartialError::Record)?,
                Some((first, end)) => {
                    for choice in *first..*end {
                        write(&mut writer, choice as usize).map_err(PartialError::Record)?;
                    }
                }
            }
        }
        for _ in 0..more {
            writer.begin_state().map_err(PartialError::Record)?;
        }
        writer.finish().map_err(PartialError::Record)
    }

    /// The part explored so far as a process in which every state of the frontier decides with a given probability whether the question is won; and the number of
    /// the state in which it is, the last but one of those that do not vanish.
    ///
    /// # Errors
    /// Where the transitions cannot be kept.
    pub fn process_with(&self, mut value: impl FnMut(&[i64]) -> Rational) -> Result<(Mdp, u32), PartialError> {
        let (won, lost) = (number(self.rows.len()), number(self.rows.len() + 1));
        let mut values = vec![0; self.generator.model().slots.len()];
        let decide = |writer: &mut RowWriter, state: usize| {
            self.generator.layout().unpack(self.states.state(self.stride, state), &mut values);
            writer.either(won, lost, &value(&values))
        };
        let (mdp, _) = self.rows_of(Resolution::Vanishing, decide, 2)?;
        Ok((mdp, won))
    }

    /// A state by number.
    #[must_use]
    pub fn state(&self, number: u32) -> State {
        let mut values = vec![0; self.generator.model().slots.len()];
        self.generator.layout().unpack(self.states.state(self.stride, number as usize), &mut values);
        State::from_ints(&values)
    }

    /// The states found so far that satisfy a condition.
    ///
    /// # Errors
    /// Where the condition has no value.
    pub fn satisfying(&mut self, condition: TermId) -> Result<StateSet, Box<ModelError>> {
        let mut known = Vec::new();
        self.extend_satisfying(condition, &mut known)?;
        Ok(StateSet::from_fn(known.len(), |state| known[state as usize]))
    }

    /// Whether each state found so far satisfies a condition, where that is known already of the first ones.
    ///
    /// # Errors
    /// Where the condition has no value.
    pub fn extend_satisfying(&mut self, condition: TermId, known: &mut Vec<bool>) -> Result<(), Box<ModelError>> {
        let condition = self.generator.condition(condition);
        for state in known.len()..self.rows.len() {
            self.generator.load(&mut self.worker, self.states.state(self.stride, state));
            known.push(self.generator.holds(&condition, &self.worker)?);
        }
        Ok(())
    }
}
