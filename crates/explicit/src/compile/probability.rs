//! Probabilities of outcomes, each distinct value stored once.
//!
//! Every edge knows which of its destinations have positive probability: constantly, or per combination of the values of
//! the slots its probabilities read. Values are exact; numbers stand for them while exploring.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use surefoot_model::SlotId;
use surefoot_model::model::{Destination, Edge};
use surefoot_num::{IBig, Random, Rational};

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

/// A destination of positive probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) destination: u32,
    pub(super) probability: ProbabilityNumber,
    /// Tickets up to this, and above that of the branch before, draw it: see [`last_ticket`].
    last_ticket: u64,
}

/// Destinations of positive probability, in order.
pub(super) type Distribution = Box<[Branch]>;

/// The distribution of some values, which sum to one.
pub(super) fn distribution(values: &[Rational], probabilities: &Probabilities) -> Distribution {
    let mut sum = Rational::ZERO;
    let positive = values.iter().enumerate().filter(|(_, value)| !value.is_zero());
    let branches = positive.map(|(i, value)| {
        sum = &sum + value;
        Branch { destination: number(i), probability: probabilities.number(value), last_ticket: last_ticket(&sum) }
    });
    branches.collect()
}

/// The largest ticket that lies below a positive sum, at most one, of probabilities: a ticket is a number of 64 bits and stands for
/// that many parts of 2^64.
///
/// Soundness: `ticket / 2^64 < sum` is `ticket < 2^64 * sum`, and a ticket is an integer, so the comparison with the exact sum is one
/// with `ceil(2^64 * sum) - 1`.
fn last_ticket(sum: &Rational) -> u64 {
    let scaled = sum * &Rational::from(IBig::from(1u128 << 64));
    u64::try_from(scaled.ceil().numerator() - IBig::ONE).expect("a sum of probabilities is at most one")
}

/// The position of the branch that a random number draws; a single one needs none.
#[inline]
pub(super) fn draw(branches: &[Branch], random: &mut Random) -> usize {
    if branches.len() == 1 {
        return 0;
    }
    let ticket = random.next_u64();
    branches
        .iter()
        .position(|branch| ticket <= branch.last_ticket)
        .expect("the last ticket of a distribution is the largest")
}

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
            let value = |d: &Destination| terms.pool.constant(d.probability).expect("constant");
            let values: Vec<Rational> = edge.destinations.iter().map(value).collect();
            return Self::Constant(distribution(&values, probabilities));
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
