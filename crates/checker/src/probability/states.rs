//! The values of states: from records to states of the model, and back.
//!
//! A file may leave out slots on which nothing depends ([`droppable`]): then a state of the file stands for all states with these values in the other slots. They have the
//! same moves up to what is left out, none of which is in error for what is left out, so any one of them speaks for the others.

use rustc_hash::FxHashMap;
use surefoot_model::slice::droppable;
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_problem::Problem;

use super::process::Part;
use super::{Rule, rejected, unreadable, unsupported};
use crate::refused::Refused;

/// The states of a file.
pub(super) struct States<'a> {
    problem: &'a Problem,
    part: &'a Part<'a>,
    /// The slots that records have values of, in their order.
    slots: Vec<usize>,
    /// A value for every slot, for those that are left out.
    any: Vec<i64>,
    numbers: FxHashMap<&'a [u8], usize>,
}

impl<'a> States<'a> {
    pub(super) fn new(problem: &'a Problem, part: &'a Part<'a>) -> Result<Self, Refused> {
        let model = problem.model();
        let slots = part.index.states.clone();
        let fit = slots.len() + usize::from(part.index.steps.is_some()) == part.values.fields.len()
            && slots.windows(2).all(|pair| pair[0] < pair[1])
            && slots.last().is_none_or(|last| *last < model.slots.len());
        if !fit {
            return Err(unreadable("'states' does not list the slots of the values"));
        }
        check_left_out(problem, &slots)?;
        let mut any = Vec::new();
        for slot in &model.slots {
            let (lower, _) = slot.domain.int_bounds().ok_or_else(|| {
                unsupported(format!("the variable '{}' is real: there are infinitely many states", slot.name))
            })?;
            any.push(lower);
        }
        let mut numbers = FxHashMap::default();
        for number in 0..part.states {
            if numbers.insert(part.values.record(number), number).is_some() {
                return Err(rejected(Rule::States, format!("state {number} is there twice")));
            }
        }
        let states = Self { problem, part, slots, any, numbers };
        for number in 0..part.states {
            states.state(number)?;
        }
        Ok(states)
    }

    /// A state by number, and the steps that are left where they are counted.
    pub(super) fn state(&self, number: usize) -> Result<(State, Option<u64>), Refused> {
        let mut values = unpack(self.part.values.record(number), &self.part.values.fields)
            .map_err(|reason| rejected(Rule::States, format!("state {number}: {reason}")))?;
        let left = match self.part.index.steps {
            None => None,
            Some(steps) => {
                let left = values.pop().and_then(|left| u64::try_from(left).ok()).filter(|left| *left <= steps);
                let many = || rejected(Rule::States, format!("state {number} has more steps left than there are"));
                Some(left.ok_or_else(many)?)
            }
        };
        let mut all = self.any.clone();
        for (slot, value) in self.slots.iter().zip(values) {
            let declared = &self.problem.model().slots[*slot];
            if !declared.domain.contains(&Rational::from(value)) {
                let reason = format!("state {number}: {value} is no value of '{}'", declared.name);
                return Err(rejected(Rule::States, reason));
            }
            all[*slot] = value;
        }
        Ok((State::from_ints(&all), left))
    }

    /// The number of a state of the model, with so many steps left where they are counted.
    pub(super) fn number(&self, state: &State, left: Option<u64>) -> Option<usize> {
        let values = self.slots.iter().map(|slot| state.0.get(*slot)?.to_i64());
        let values: Option<Vec<i64>> = values.chain(left.map(|left| i64::try_from(left).ok())).collect();
        let record = pack(&values?, &self.part.values.fields)?;
        self.numbers.get(&*record).copied()
    }
}

/// Slots that are left out are ones that nothing depends on.
fn check_left_out(problem: &Problem, slots: &[usize]) -> Result<(), Refused> {
    let model = problem.model();
    if slots.len() == model.slots.len() {
        return Ok(());
    }
    let query = &problem.query;
    let mut read: Vec<TermId> = query.target.into_iter().chain(query.goal).collect();
    if let Some(quantity) = &query.quantity {
        read.extend([quantity.right, quantity.decided]);
        read.extend(quantity.left);
    }
    let droppable = droppable(model, problem.policy(), &read);
    let needed = (0..model.slots.len()).find(|slot| !slots.contains(slot) && !droppable[*slot]);
    needed.map_or(Ok(()), |slot| {
        let reason = format!("the values of '{}' are left out, but it matters", model.slots[slot].name);
        Err(rejected(Rule::States, reason))
    })
}

/// The values of a record. Bits behind the last one are 0: a state has one record only.
fn unpack(record: &[u8], fields: &[(u32, bool)]) -> Result<Vec<i64>, String> {
    let mut bits = record.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    let mut values = Vec::with_capacity(fields.len());
    for (size, signed) in fields {
        let mut value = 0u64;
        for (i, bit) in bits.by_ref().take(*size as usize).enumerate() {
            value |= u64::from(bit) << i;
        }
        // Two's complement: the bits above the highest are copies of it.
        let negative = *signed && value >> (size - 1) == 1;
        let above = if negative && *size < 64 { u64::MAX << size } else { 0 };
        let value = if *signed {
            (value | above).cast_signed()
        } else {
            i64::try_from(value).map_err(|_| format!("{value} is too large"))?
        };
        values.push(value);
    }
    if bits.any(|bit| bit) { Err("its record has bits behind its values".to_owned()) } else { Ok(values) }
}

/// The record of values; `None` where one does not fit.
fn pack(values: &[i64], fields: &[(u32, bool)]) -> Option<Vec<u8>> {
    let bits: usize = fields.iter().map(|(size, _)| *size as usize).sum();
    let mut record = vec![0u8; bits.div_ceil(8)];
    let mut at = 0;
    for (value, (size, signed)) in values.iter().zip(fields) {
        let room = i128::from(*size) - i128::from(*signed);
        let fits = if *signed { -(1i128 << room) } else { 0 }..1i128 << room;
        if !fits.contains(&i128::from(*value)) {
            return None;
        }
        for i in 0..*size {
            if value >> i.min(63) & 1 == 1 {
                record[at / 8] |= 1 << (at % 8);
            }
            at += 1;
        }
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_values_are_each_other() {
        let fields = [(1, false), (4, true), (10, false), (64, true), (63, false)];
        for values in [[1, -3, 1000, i64::MIN, i64::MAX], [0, 7, 0, -1, 0], [1, -8, 1023, i64::MAX, 1]] {
            let record = pack(&values, &fields).unwrap();
            assert_eq!(record.len(), 18);
            assert_eq!(unpack(&record, &fields).unwrap(), values);
        }
        assert_eq!(
            u16::from_le_bytes(pack(&[1, -3, 1000], &fields[..3]).unwrap().try_into().unwrap()),
            1 | 0b1101 << 1 | 1000 << 5
        );
        for outside in [[2, 0, 0], [-1, 0, 0], [0, 8, 0], [0, -9, 0], [0, 0, 1024]] {
            assert_eq!(pack(&outside, &fields[..3]), None);
        }
    }

    #[test]
    fn a_state_has_one_record() {
        let fields = [(3, false)];
        assert_eq!(unpack(&[5], &fields), Ok(vec![5]));
        assert!(unpack(&[5 | 8], &fields).unwrap_err().contains("behind"));
        assert!(unpack(&[255; 8], &[(64, false)]).unwrap_err().contains("large"));
    }
}
