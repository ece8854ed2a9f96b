//! What an outcome makes of the states of a node.
//!
//! Assignments of equal index happen at once, those of a larger index see their results; two assignments to one slot must agree. A value
//! from an interval is a symbol of its own, between bounds.

use surefoot_linear::Symbol;
use surefoot_model::model::{AssignedTerm, Assignment, Target};
use surefoot_model::{SlotId, TransientId};
use surefoot_num::Rational;

use crate::enclosure::Enclosure;
use crate::operator::Outcome;
use crate::values::Values;

/// What is written at once.
#[derive(Default)]
struct Written {
    slots: Vec<(SlotId, Enclosure)>,
    transients: Vec<(TransientId, Enclosure)>,
    /// The ends of intervals that were assigned, to see that two assignments of one mean the same values.
    intervals: Vec<(SlotId, Enclosure, Enclosure)>,
}

impl Values<'_> {
    /// Updates the values by an outcome.
    ///
    /// # Errors
    /// Why the outcome can be in error in some state.
    pub fn update(&mut self, outcome: &Outcome<'_>) -> Result<(), String> {
        self.apply(outcome)?;
        for (slot, value) in &self.updated {
            let slot = &self.model.slots[slot.index()];
            if !self.is_inside(value, &slot.domain) {
                return Err(format!("'{}' may leave its domain", slot.name));
            }
        }
        Ok(())
    }

    /// Updates the values by an outcome, inside the domains or not.
    ///
    /// # Errors
    /// Why an assignment can be in error in some state.
    pub fn apply(&mut self, outcome: &Outcome<'_>) -> Result<(), String> {
        let mut indices: Vec<i64> = outcome.assignments.iter().flat_map(|list| list.iter().map(|a| a.index)).collect();
        indices.sort_unstable();
        indices.dedup();
        for index in indices {
            let mut written = Written::default();
            for assignment in outcome.assignments.iter().flat_map(|list| list.iter()).filter(|a| a.index == index) {
                self.assign(assignment, &mut written)?;
            }
            self.updated.extend(written.slots);
            self.transients.extend(written.transients);
        }
        for (instance, location) in &outcome.locations {
            self.updated.insert(SlotId::at(*instance), Enclosure::constant(i64::from(*location).into()));
        }
        Ok(())
    }

    fn assign(&mut self, assignment: &Assignment, written: &mut Written) -> Result<(), String> {
        let slot = match &assignment.target {
            Target::Slot(slot) => *slot,
            Target::Cell { base, dimensions } => {
                let mut offset = 0u32;
                for (length, index) in dimensions {
                    let index = self.number(*index);
                    let position = index.value.as_constant().filter(|_| !index.error).and_then(Rational::to_i64);
                    let position = position.and_then(|p| u32::try_from(p).ok()).filter(|p| p < length);
                    let position = position.ok_or_else(|| "the index of an array is not decided".to_owned())?;
                    offset = offset * length + position;
                }
                SlotId(base.0 + offset)
            }
            Target::Transient(transient) => {
                if let AssignedTerm::Value(term) = assignment.value {
                    let value = self.number(term);
                    let declaration = &self.model.transients[transient.0 as usize];
                    let inside = declaration.domain.as_ref().is_none_or(|d| self.is_inside(&value.value, d));
                    if value.error || !inside {
                        return Err(format!("'{}' may have no value in its domain", declaration.name));
                    }
                    // Of several assignments at once to a transient variable the last one counts.
                    written.transients.push((*transient, value.value));
                }
                return Ok(());
            }
        };
        match assignment.value {
            AssignedTerm::Value(term) => {
                let value = self.number(term);
                if value.error {
                    return Err(format!("what '{}' is assigned may have no value", self.name(slot)));
                }
                self.write(slot, value.value, written)
            }
            AssignedTerm::Interval(lower, upper) => {
                let (lower, upper) = (self.number(lower), self.number(upper));
                if lower.error || upper.error {
                    return Err(format!("what '{}' is assigned may have no value", self.name(slot)));
                }
                self.choose(slot, lower.value, upper.value, written)
            }
        }
    }

    fn write(&self, slot: SlotId, value: Enclosure, written: &mut Written) -> Result<(), String> {
        match written.slots.iter().find(|(other, _)| *other == slot) {
            None => {
                written.slots.push((slot, value));
                Ok(())
            }
            // Soundness: equal exact forms are equal numbers. A symbol of a choice is one of its own, which no other form has.
            Some((_, before)) if before.is_exact() && *before == value => Ok(()),
            Some(_) => Err(format!("'{}' may be assigned two values at once", self.name(slot))),
        }
    }

    /// Assigns any value between two that is in the slot's domain.
    fn choose(
        &mut self,
        slot: SlotId,
        lower: Enclosure,
        upper: Enclosure,
        written: &mut Written,
    ) -> Result<(), String> {
        if let Some((_, low, high)) = written.intervals.iter().find(|(other, ..)| *other == slot) {
            let same = low.is_exact() && high.is_exact() && *low == lower && *high == upper;
            return if same { Ok(()) } else { Err(format!("'{}' may be assigned two intervals", self.name(slot))) };
        }
        let Some((least, most)) = self.model.slots[slot.index()].domain.int_bounds() else {
            return Err(format!("'{}' is no integer", self.name(slot)));
        };
        let ((low, low_most), (high_least, high)) = (self.range(&lower), self.range(&upper));
        // The interval has an integer of the domain in every state if its largest lower end, rounded, is at most its smallest upper one.
        let first = low_most.ceil().max(Rational::from(least));
        let last = high_least.floor().min(Rational::from(most));
        if first > last {
            return Err(format!("the interval that '{}' is assigned may be empty", self.name(slot)));
        }
        let range = (low.ceil().max(Rational::from(least)), high.floor().min(Rational::from(most)));
        let symbol = Symbol::at(self.bounds.len() + self.choices.len());
        self.choices.push(range);
        self.write(slot, Enclosure::symbol(symbol), written)?;
        written.intervals.push((slot, lower, upper));
        Ok(())
    }

    fn name(&self, slot: SlotId) -> &str {
        &self.model.slots[slot.index()].name
    }
}
