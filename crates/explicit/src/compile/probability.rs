//! Probabilities of outcomes, each distinct value stored once.
//!
//! Every edge knows which of its destinations have positive probability: constantly, or per combination of the values of
//! the slots its probabilities read. Values are exact; numbers stand for them while exploring.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use surefoot_model::SlotId;
use surefoot_model::model::Edge;
use surefoot_num::Rational;

use super::Terms;
use super::update::reads_transient;
use crate::number::number;

/// The number of a probability; that of the probability one is [`ProbabilityNumber::ONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProbabilityNumber(u32);

impl ProbabilityNumber {
    /// The number of the probability one.
    pub const ONE: Self = Self(0);

    /// The index into the values that [`Generator::update_probabilities`](super::Generator::update_probabilities) lists.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All probabilities met so far.
#[derive(Debug)]
pub(super) struct Probabilities(Mutex<(Vec<Rational>, FxHashMap<Rational, ProbabilityNumber>)>);

impl Probabilities {
    pub(super) fn new() -> Self {
        let numbers = [(Rational::ONE, ProbabilityNumber::ONE)].into_iter().collect();
        Self(Mutex::new((vec![Rational::ONE], numbers)))
    }

    pub(super) fn number(&self, value: &Rational) -> ProbabilityNumber {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = table.1.get(value) {
            return *number;
        }
        let number = ProbabilityNumber(number(table.0.len()));
        table.0.push(value.clone());
        table.1.insert(value.clone(), number);
        number
    }

    pub(super) fn product(&self, a: ProbabilityNumber, b: ProbabilityNumber) -> ProbabilityNumber {
        let product = {
            let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            &table.0[a.index()] * &table.0[b.index()]
        };
        self.number(&product)
    }

    /// Brings a list of the values by number up to date.
    pub(super) fn update(&self, values: &mut Vec<Rational>) {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        values.extend_from_slice(&table.0[values.len()..]);
    }
}

/// Destinations of positive probability, with their probabilities.
pub(super) type Distribution = Box<[(u32, ProbabilityNumber)]>;

/// The distribution of an edge.
#[derive(Debug)]
pub(super) enum Support {
    Constant(Distribution),
    /// Depends on these slots; looked up per combination of their values.
    Dynamic(Box<[SlotId]>),
}

impl Support {
    pub(super) fn compile(terms: &mut Terms<'_>, edge: &Edge, probabilities: &Probabilities) -> Self {
        if edge.constant_probabilities {
            let value = |i: usize| terms.pool.constant(edge.destinations[i].probability).expect("constant");
            let values = (0..edge.destinations.len()).map(|i| (number(i), value(i)));
            let positive = values.filter(|(_, p)| !p.is_zero());
            return Self::Constant(positive.map(|(i, p)| (i, probabilities.number(&p))).collect());
        }
        let mut slots: Vec<SlotId> = Vec::new();
        for destination in &edge.destinations {
            let term = terms.inline(destination.probability);
            slots.extend(terms.pool.slots_read(term));
            // What the policy computes may depend on anything.
            if reads_transient(terms, term) {
                slots.extend((0..terms.model.slots.len()).map(SlotId::at));
            }
        }
        slots.sort_unstable();
        slots.dedup();
        Self::Dynamic(slots.into())
    }
}
