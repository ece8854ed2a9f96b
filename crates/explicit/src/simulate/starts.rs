//! Where runs begin: each start state as likely as any other.
//!
//! Start states are not listed: of every condition the boxes that hold its states are kept, with the number of states of each. A source (a box, or a
//! listed state) is drawn by its number of states, then a point of the box. A state that an earlier condition has too is drawn again, so that it
//! counts once; a state is never drawn again from the first condition that has it, so among `n` conditions this takes `n` draws on average, at most.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;
use surefoot_model::property::StartSet;
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_num::Random;

use crate::explore::{fixed_slots, searches};
use crate::start::{IntBox, StartError, StartSearch, is_start};
use crate::task::Task;

/// Bytes of boxes that are kept, at most, where no limit is given.
const MOST_BYTES: usize = 1 << 28;

/// The start states of a task, to be drawn from.
#[derive(Debug)]
pub struct Starts<'m> {
    model: &'m Model,
    start: &'m StartSet,
    searches: Vec<StartSearch<'m>>,
    /// Per condition: where its boxes end.
    ends: Vec<usize>,
    boxes: Vec<IntBox>,
    /// How many states there are up to and with each box, then each listed state that no condition has.
    up_to: Vec<u128>,
    listed: Vec<&'m State>,
    all: bool,
}

impl<'m> Starts<'m> {
    /// Finds them.
    ///
    /// # Errors
    /// Where there are none, or a limit was met first.
    pub fn new(task: &Task<'m>) -> Result<Self, StartError> {
        let searches = searches(task)?;
        // What is left is for the runs.
        let most_bytes = task.limits.memory.map_or(MOST_BYTES, |most| most / 2);
        let most = (most_bytes / (16 * task.model.slots.len() + 40)).max(1);
        let (mut boxes, mut ends, mut all) = (Vec::new(), Vec::new(), true);
        for search in &searches {
            search.for_each_box(|region| {
                if boxes.len() >= most {
                    all = false;
                    return ControlFlow::Break(());
                }
                boxes.push(region.clone());
                ControlFlow::Continue(())
            })?;
            ends.push(boxes.len());
        }
        let conditions = StartSet { conditions: task.start.conditions.clone(), states: Vec::new() };
        let interpreter = Interpreter::new(task.model);
        let mut seen: FxHashSet<&State> = FxHashSet::default();
        let mut listed: Vec<&State> = Vec::new();
        for state in &task.start.states {
            // A condition without value in a state was no error where it was looked for, so the state is not one of its own.
            if !is_start(&interpreter, &conditions, state).unwrap_or(false) && seen.insert(state) {
                listed.push(state);
            }
        }
        let mut total = 0u128;
        let sizes = boxes.iter().map(size).chain(listed.iter().map(|_| 1));
        let up_to: Vec<u128> = sizes
            .map(|size| {
                total = total.saturating_add(size);
                total
            })
            .collect();
        if up_to.is_empty() {
            return Err(StartError::Empty);
        }
        Ok(Self { model: task.model, start: task.start, searches, ends, boxes, up_to, listed, all })
    }

    /// Slots that no edge writes and that have one value in all of them.
    #[must_use]
    pub fn fixed(&self, task: &Task<'_>) -> Vec<Option<i64>> {
        fixed_slots(task, &self.searches)
    }

    /// Whether none is left out.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.all
    }

    /// A random one.
    ///
    /// # Panics
    /// Never: there is one.
    pub fn draw(&self, random: &mut Random) -> State {
        let total = *self.up_to.last().expect("a start set is not empty");
        loop {
            let ticket = below(total, random);
            let source = self.up_to.partition_point(|up_to| *up_to <= ticket);
            let Some(region) = self.boxes.get(source) else { return self.listed[source - self.boxes.len()].clone() };
            let values: Vec<i64> = region.iter().map(|bounds| value(*bounds, random)).collect();
            let condition = self.ends.partition_point(|end| *end <= source);
            let state = self.searches[condition].state(&values);
            let interpreter = Interpreter::new(self.model);
            let has = |term: &TermId| interpreter.holds(*term, &state).unwrap_or(false);
            if !self.start.conditions[..condition].iter().any(has) {
                return state;
            }
        }
    }
}

/// How many states a box has; more than 2^128 count as so many.
fn size(region: &IntBox) -> u128 {
    region.iter().fold(1, |size: u128, (low, high)| size.saturating_mul(u128::from(high.abs_diff(*low)) + 1))
}

/// A value of an interval; nothing is drawn where there is one.
fn value((low, high): (i64, i64), random: &mut Random) -> i64 {
    match high.abs_diff(low) {
        0 => low,
        width => {
            let offset = u64::try_from(below(u128::from(width) + 1, random)).expect("at most the width");
            low.wrapping_add_unsigned(offset)
        }
    }
}

/// A number below `n`, which is not zero; nothing is drawn where that is zero.
fn below(n: u128, random: &mut Random) -> u128 {
    match usize::try_from(n) {
        Ok(1) => 0,
        Ok(n) => random.below(n) as u128,
        // The remainder prefers small numbers by less than one part in 2^63, at up to 2^65 numbers; what is beyond is never counted one by one.
        Err(_) => ((u128::from(random.next_u64()) << 64) | u128::from(random.next_u64())) % n,
    }
}
