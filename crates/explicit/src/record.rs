//! The transitions of an exploration, as a Markov decision process.
//!
//! States are numbered in the order in which they are expanded: level by level. A successor's number is known once its level
//! is complete, so the rows of a level are kept aside until then. Within a choice, outcomes with the same successor are
//! merged. An outcome with several successors (non-deterministic assignments) is resolved by the environment, who knows the outcome:
//! by a vanishing state that the outcome leads to, or, where processes are to be written for others, by one choice per combination
//! ([`Resolution`]). Both have the same probabilities; the number of combinations is a product, that of vanishing states' choices a sum.

use surefoot_mdp::{BuildError, Mdp, MdpBuilder, ProbabilityId, acyclic_solving_bytes, solving_bytes};
use surefoot_model::State;
use surefoot_num::Rational;

use crate::compile::{Expansion, Generator, ProbabilityNumber};
use crate::number::number;

/// The most combinations of non-deterministic assignments in one choice.
const MAX_COMBINATIONS: usize = 100_000;

/// A state by shard and index, in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed(u32);

const INDEX_BITS: u32 = 27;

impl Packed {
    pub(crate) fn new(shard: usize, index: usize) -> Option<Self> {
        if index >= 1 << INDEX_BITS { None } else { Some(Self((number(shard) << INDEX_BITS) | number(index))) }
    }

    pub(crate) fn parts(self) -> (usize, usize) {
        ((self.0 >> INDEX_BITS) as usize, (self.0 & ((1 << INDEX_BITS) - 1)) as usize)
    }
}

/// How non-deterministic assignments are resolved in a choice that has several outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resolution {
    /// Where an outcome has several successors it leads to a [vanishing state](Mdp::vanishing), whose choices they are. For processes that are solved
    /// afterwards: limits of memory count what that will take.
    #[default]
    Vanishing,
    /// One choice per combination of the outcomes' successors. For processes that are written.
    Combined,
}

/// Why the transitions could not be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Too many combinations of non-deterministic assignments.
    #[error("one choice has {} combinations of values of non-deterministic assignments, more than {MAX_COMBINATIONS}", 
        .combinations.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string()))]
    Combinations {
        /// How many, if that can be counted.
        combinations: Option<usize>,
        /// Whose choice it is: a vector.
        vector: u32,
        /// The state, once it is known.
        state: Option<Box<State>>,
    },
    /// More states than can be numbered.
    #[error("there are too many states to keep their transitions")]
    TooManyStates,
    /// The process was refused.
    #[error("{0}")]
    Build(#[from] BuildError),
}

/// What one chunk of states does: rows of choices of outcomes of successors.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Shard of every successor, in order.
    pub(crate) shards: Vec<u8>,
    /// End of every state's choices.
    rows: Vec<u32>,
    /// Vector and end of outcomes of every choice.
    choices: Vec<(u32, u32)>,
    /// Probability and end of successors of every outcome.
    outcomes: Vec<(ProbabilityNumber, u32)>,
}

impl Trace {
    /// Adds a state with its expansion (or without moves).
    pub(crate) fn add(&mut self, expansion: Option<&Expansion>) {
        if let Some(expansion) = expansion {
            let (outcomes, successors) = (self.outcomes.len(), self.shards.len());
            self.choices.extend(expansion.choices.iter().map(|c| (c.vector, number(outcomes + c.outcomes))));
            self.outcomes.extend(expansion.outcomes.iter().map(|(p, end)| (*p, number(successors + end))));
        }
        self.rows.push(number(self.choices.len()));
    }
}

/// Writes the rows of a process, state by state.
#[derive(Debug, Default)]
pub(crate) struct RowWriter {
    builder: MdpBuilder,
    probabilities: Vec<Option<ProbabilityId>>,
    /// Vector of every choice but those of vanishing states.
    pub(crate) vectors: Vec<u32>,
    branches: usize,
    /// The current state, and whether some state leads to an earlier one: else there are no cycles but those of single states.
    state: u32,
    leads_back: bool,
    /// Room for one row.
    scratch: Vec<(u32, ProbabilityNumber)>,
    resolution: Resolution,
    /// Distinct successors of every choice of the model, summed up.
    pub(crate) transitions: u64,
}

/// Collects the transitions of an exploration.
#[derive(Debug)]
pub(crate) struct Recorder {
    writer: RowWriter,
    /// Number of every state, by shard and index.
    numbers: Vec<Vec<u32>>,
    /// Every state by number.
    pub(crate) order: Vec<Packed>,
    /// Rows of the current level, with successors by shard and index.
    level: Vec<(Trace, Vec<Packed>)>,
    /// Rows written.
    rows: u32,
    /// Probabilities by number, as far as they were needed.
    values: Vec<Rational>,
}

/// What was recorded.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) mdp: Mdp,
    /// How many of its states were expanded; the others have no choices.
    pub(crate) expanded: u32,
    /// The states by number.
    pub(crate) order: Vec<Packed>,
    /// The vectors of the choices.
    pub(crate) vectors: Vec<u32>,
    /// Distinct successors of every choice of the model, summed up.
    pub(crate) transitions: u64,
}

impl RowWriter {
    pub(crate) fn new(resolution: Resolution) -> Self {
        Self { resolution, ..Self::default() }
    }

    pub(crate) fn begin_state(&mut self) -> Result<(), RecordError> {
        self.state = self.builder.begin_state()?;
        Ok(())
    }

    /// A choice of the current state between two states, with the probability of the first.
    pub(crate) fn either(&mut self, first: u32, second: u32, probability: &Rational) -> Result<(), RecordError> {
        self.builder.begin_choice()?;
        let rest = &Rational::ONE - probability;
        for (target, probability) in [(first, probability), (second, &rest)] {
            if !probability.is_zero() {
                self.builder.branch_exact(target, probability)?;
            }
        }
        Ok(())
    }

    /// A choice of the current state: outcomes with their probabilities and the ends of their successors, counted from
    /// `base`.
    pub(crate) fn choice(
        &mut self,
        vector: u32,
        outcomes: &[(ProbabilityNumber, u32)],
        successors: &[u32],
        base: usize,
        values: &[Rational],
    ) -> Result<(), RecordError> {
        self.leads_back |= successors.iter().any(|successor| *successor < self.state);
        if let ([(probability, _)], [target]) = (outcomes, successors) {
            self.builder.begin_choice()?;
            self.vectors.push(vector);
            let id = self.probability(*probability, values)?;
            self.builder.branch(*target, id)?;
            self.branches += 1;
            self.transitions += 1;
            return Ok(());
        }
        if outcomes.len() == successors.len() {
            let mut row = std::mem::take(&mut self.scratch);
            row.clear();
            row.extend(successors.iter().zip(outcomes).map(|(s, (p, _))| (*s, *p)));
            self.transitions += self.row(vector, &row, values)?;
            self.scratch = row;
            return Ok(());
        }
        let mut distinct = successors.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        self.transitions += distinct.len() as u64;
        let mut start = base;
        let options: Vec<(ProbabilityNumber, Vec<u32>)> = outcomes
            .iter()
            .map(|(p, end)| {
                let range = start - base..*end as usize - base;
                start = *end as usize;
                (*p, successors[range].to_vec())
            })
            .collect();
        if self.resolution == Resolution::Vanishing && options.len() > 1 {
            return self.open_row(vector, &options, values);
        }
        let combinations = options.iter().try_fold(1usize, |n, (_, o)| n.checked_mul(o.len()));
        // What has one outcome is not a combination.
        if options.len() > 1 && combinations.is_none_or(|n| n > MAX_COMBINATIONS) {
            return Err(RecordError::Combinations { combinations, vector, state: None });
        }
        let mut digits = vec![0usize; options.len()];
        loop {
            let row: Vec<(u32, ProbabilityNumber)> =
                options.iter().zip(&digits).map(|((p, o), d)| (o[*d], *p)).collect();
            self.row(vector, &row, values)?;
            let Some(last) = (0..digits.len()).rev().find(|i| digits[*i] + 1 < options[*i].1.len()) else {
                return Ok(());
            };
            digits[last] += 1;
            digits[last + 1..].fill(0);
        }
    }

    /// One choice of the process whose outcomes may have several successors.
    fn open_row(
        &mut self,
        vector: u32,
        options: &[(ProbabilityNumber, Vec<u32>)],
        values: &[Rational],
    ) -> Result<(), RecordError> {
        let certain =
            |(p, o): &(ProbabilityNumber, Vec<u32>)| if let [target] = o[..] { Some((target, *p)) } else { None };
        let row: Vec<(u32, ProbabilityNumber)> = options.iter().filter_map(certain).collect();
        self.row(vector, &row, values)?;
        for (probability, targets) in options.iter().filter(|option| certain(option).is_none()) {
            let id = self.probability(*probability, values)?;
            self.builder.branch_to_any(targets, id)?;
            self.branches += 1 + targets.len();
        }
        Ok(())
    }

    /// One choice of the process, equal targets merged; how many there are.
    fn row(&mut self, vector: u32, row: &[(u32, ProbabilityNumber)], values: &[Rational]) -> Result<u64, RecordError> {
        self.builder.begin_choice()?;
        self.vectors.push(vector);
        let before = self.branches;
        for (i, (target, probability)) in row.iter().enumerate() {
            let same = |(t, _): &&(u32, ProbabilityNumber)| t == target;
            if row[..i].iter().any(|entry| same(&entry)) {
                continue;
            }
            self.branches += 1;
            if row[i + 1..].iter().any(|entry| same(&entry)) {
                let sum: Rational = row[i..].iter().filter(same).map(|(_, p)| values[p.index()].clone()).sum();
                self.builder.branch_exact(*target, &sum)?;
            } else {
                let id = self.probability(*probability, values)?;
                self.builder.branch(*target, id)?;
            }
        }
        Ok((self.branches - before) as u64)
    }

    fn probability(&mut self, number: ProbabilityNumber, values: &[Rational]) -> Result<ProbabilityId, RecordError> {
        if self.probabilities.len() < values.len() {
            self.probabilities.resize(values.len(), None);
        }
        if let Some(id) = self.probabilities[number.index()] {
            return Ok(id);
        }
        let id = self.builder.probability(&values[number.index()])?;
        self.probabilities[number.index()] = Some(id);
        Ok(id)
    }

    pub(crate) fn finish(self) -> Result<(Mdp, Vec<u32>), RecordError> {
        Ok((self.builder.finish()?, self.vectors))
    }
}

impl Recorder {
    pub(crate) fn new(shards: usize, resolution: Resolution) -> Self {
        Self {
            writer: RowWriter::new(resolution),
            numbers: vec![Vec::new(); shards],
            order: Vec::new(),
            level: Vec::new(),
            rows: 0,
            values: Vec::new(),
        }
    }

    /// Numbers the next states of a shard, up to the given length.
    pub(crate) fn number(&mut self, shard: usize, length: usize) -> Result<(), RecordError> {
        for index in self.numbers[shard].len()..length {
            let number = u32::try_from(self.order.len()).map_err(|_| RecordError::TooManyStates)?;
            self.numbers[shard].push(number);
            self.order.push(Packed::new(shard, index).ok_or(RecordError::TooManyStates)?);
        }
        Ok(())
    }

    /// Keeps the rows of a chunk, its successors given per shard in order of appearance.
    pub(crate) fn keep(&mut self, trace: Trace, per_shard: &[&[u32]]) -> Result<(), RecordError> {
        let mut rest = per_shard.to_vec();
        let mut successors = Vec::with_capacity(trace.shards.len());
        for shard in &trace.shards {
            let (index, others) = rest[*shard as usize].split_first().expect("a shard has an index per successor");
            rest[*shard as usize] = others;
            successors.push(Packed::new(*shard as usize, *index as usize).ok_or(RecordError::TooManyStates)?);
        }
        self.level.push((trace, successors));
        Ok(())
    }

    /// Writes the rows of the finished level; all its successors have been numbered.
    pub(crate) fn flush(&mut self, generator: &Generator<'_>) -> Result<(), RecordError> {
        let mut values = std::mem::take(&mut self.values);
        generator.update_probabilities(&mut values);
        let result = self.flush_with(&values);
        self.values = values;
        result
    }

    fn flush_with(&mut self, values: &[Rational]) -> Result<(), RecordError> {
        let mut numbers: Vec<u32> = Vec::new();
        for (trace, successors) in std::mem::take(&mut self.level) {
            let (mut choice, mut outcome, mut successor) = (0usize, 0usize, 0usize);
            for row in &trace.rows {
                self.rows += 1;
                self.writer.begin_state()?;
                while choice < *row as usize {
                    let (vector, end) = trace.choices[choice];
                    let outcomes = &trace.outcomes[outcome..end as usize];
                    let last = outcomes.last().map_or(successor, |(_, end)| *end as usize);
                    numbers.clear();
                    numbers.extend(successors[successor..last].iter().map(|s| self.number_of(*s)));
                    self.writer.choice(vector, outcomes, &numbers, successor, values)?;
                    choice += 1;
                    outcome = end as usize;
                    successor = last;
                }
            }
        }
        Ok(())
    }

    fn number_of(&self, state: Packed) -> u32 {
        let (shard, index) = state.parts();
        self.numbers[shard][index]
    }

    /// The state whose row was begun last.
    pub(crate) fn last(&self) -> Option<Packed> {
        self.rows.checked_sub(1).map(|number| self.order[number as usize])
    }

    /// Roughly the bytes held, and those that solving will take where the process is to be solved.
    pub(crate) fn bytes(&self) -> usize {
        let (states, choices, branches) = (self.order.len(), self.writer.vectors.len(), self.writer.branches);
        let solving = match self.writer.resolution {
            Resolution::Vanishing if self.writer.leads_back => solving_bytes(states, choices, branches),
            Resolution::Vanishing => acyclic_solving_bytes(states),
            Resolution::Combined => 0,
        };
        states * 12 + choices * 8 + branches * 8 + solving
    }

    /// All that was recorded.
    pub(crate) fn finish(mut self) -> Result<Recorded, RecordError> {
        let expanded = self.rows;
        for _ in expanded as usize..self.order.len() {
            self.writer.begin_state()?;
        }
        let transitions = self.writer.transitions;
        let (mdp, vectors) = self.writer.finish()?;
        Ok(Recorded { mdp, expanded, order: self.order, vectors, transitions })
    }
}
