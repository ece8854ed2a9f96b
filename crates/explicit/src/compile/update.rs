//! Destinations as lists of writes.
//!
//! Usually all assignments of an outcome have the same index: then every value is read in the source state and the writes go
//! straight into the packed successor. With several indices the outcome is worked out on a copy of the state, index by
//! index. Writes to transient variables are kept only as a mark: an outcome in which some participant assigns one and
//! some participant reads one is left to the reference interpreter.

use std::ops::Range;

use surefoot_model::model::{AssignedTerm, Destination, Target};
use surefoot_model::{Domain, Model, ScalarType, SlotId, Term, TermId};

use super::Terms;
use super::value::Value;

/// What is written.
#[derive(Debug, Clone)]
pub(super) enum Written {
    Value(Value),
    Interval(Value, Value),
}

/// Where it is written.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Slot(SlotId),
    Cell(SlotId, Box<[(u32, Value)]>),
}

#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) place: Place,
    pub(super) written: Written,
    pub(super) index: i64,
}

/// A compiled destination.
#[derive(Debug, Clone)]
pub(super) struct CompiledDestination {
    pub(super) location: i64,
    pub(super) writes: Box<[Write]>,
    /// Smallest and largest index, when there are writes.
    pub(super) indices: Option<(i64, i64)>,
    /// Left to the reference interpreter.
    pub(super) exact: bool,
    /// Assigns a transient variable.
    pub(super) assigns_transient: bool,
    /// Reads a transient variable.
    pub(super) reads_transient: bool,
}

impl CompiledDestination {
    pub(super) fn compile(terms: &mut Terms<'_>, destination: &Destination, dropped: Option<&[bool]>) -> Self {
        let is_dropped = |slot: &SlotId| dropped.is_some_and(|d| d[slot.index()]);
        let mut writes = Vec::new();
        let assigns_transient = destination.assignments.iter().any(|a| matches!(a.target, Target::Transient(_)));
        let (mut exact, mut reads) = (false, false);
        for assignment in &destination.assignments {
            let place = match &assignment.target {
                // Cells of an array with computed indices are dropped all together.
                Target::Slot(slot) | Target::Cell { base: slot, .. } if is_dropped(slot) => continue,
                Target::Slot(slot) => Place::Slot(*slot),
                Target::Cell { base, dimensions } => {
                    reads |= dimensions.iter().any(|(_, i)| reads_transient(terms, *i));
                    let dimensions =
                        dimensions.iter().map(|(length, index)| (*length, Value::compile(terms, *index, 0))).collect();
                    Place::Cell(*base, dimensions)
                }
                Target::Transient(transient) => {
                    // Its value matters only to later assignments, but evaluating it may fail, or leave the domain.
                    if let AssignedTerm::Value(term) = assignment.value {
                        reads |= reads_transient(terms, term);
                        let term = terms.inline(term);
                        exact |= terms.pool.is_fallible(term);
                        let domain = &terms.model.transients[transient.0 as usize].domain;
                        let inside = |d: &Domain| terms.pool.constant(term).is_some_and(|value| d.contains(&value));
                        exact |= domain.as_ref().is_some_and(|d| !inside(d));
                    }
                    continue;
                }
            };
            let read: &[TermId] = match &assignment.value {
                AssignedTerm::Value(term) => &[*term],
                AssignedTerm::Interval(lower, upper) => &[*lower, *upper],
            };
            // Soundness: the compiled form reads the definition of a transient variable, not what this step assigned.
            reads |= read.iter().any(|term| reads_transient(terms, *term));
            let written = match assignment.value {
                AssignedTerm::Value(term) => Written::Value(Value::compile(terms, term, 0)),
                AssignedTerm::Interval(lower, upper) => {
                    let is_int = |t: TermId| terms.pool.ty(t) == ScalarType::Int;
                    exact |= !is_int(lower) || !is_int(upper);
                    Written::Interval(Value::compile(terms, lower, 0), Value::compile(terms, upper, 0))
                }
            };
            writes.push(Write { place, written, index: assignment.index });
        }
        let indices = writes.iter().map(|w| w.index);
        let indices = indices.clone().min().zip(indices.max());
        // Intervals in sequences fork the run in the middle of a step: rare enough to be left alone.
        exact |= indices.is_some_and(|(first, last)| first != last)
            && writes.iter().any(|w| matches!(w.written, Written::Interval(..)));
        Self {
            location: i64::from(destination.location),
            writes: writes.into(),
            indices,
            exact,
            assigns_transient,
            reads_transient: reads,
        }
    }
}

pub(super) fn reads_transient(terms: &Terms<'_>, term: TermId) -> bool {
    terms.pool.reachable(term).into_iter().any(|id| matches!(terms.get(id), Term::Transient(_)))
}

/// The slots that an assignment may write.
fn range(target: &Target) -> Range<u32> {
    match target {
        Target::Slot(slot) => slot.0..slot.0 + 1,
        Target::Cell { base, dimensions } => {
            let size: u32 = dimensions.iter().map(|(length, _)| length).product();
            base.0..base.0 + size
        }
        Target::Transient(_) => 0..0,
    }
}

/// Whether some outcome of an instance's edges may write a slot twice: cells whose computed indices coincide.
pub(super) fn may_write_twice(model: &Model, instance: usize) -> bool {
    let meet = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
    model.instances[instance].edges.iter().flat_map(|e| &e.destinations).any(|destination| {
        let ranges: Vec<Range<u32>> = destination.assignments.iter().map(|a| range(&a.target)).collect();
        ranges.iter().enumerate().any(|(i, a)| ranges[..i].iter().any(|b| meet(a, b)))
    })
}

/// The slots that some edge of an instance may write.
pub(super) fn written_slots(model: &Model, instance: usize) -> Vec<SlotId> {
    let mut slots = Vec::new();
    for edge in &model.instances[instance].edges {
        for assignment in edge.destinations.iter().flat_map(|d| &d.assignments) {
            slots.extend(range(&assignment.target).map(SlotId));
        }
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}
