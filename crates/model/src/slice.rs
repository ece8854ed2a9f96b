//! Which variables an answer can depend on.
//!
//! A slot is *relevant* if a guard, a probability, an array index, a policy or the property reads it, or an update of a relevant
//! slot does (the cone of influence). Locations always are. The other slots can be left out of the state without changing
//! any answer about runs, with one exception: an update that leaves its variable's domain is an error of the model, and so is one of
//! a cell that is not there, or of one cell twice. So a slot is dropped only if all its updates provably stay inside, for all
//! values of the variables they read, and no other update can be of the same cell.

use std::ops::Range;

use surefoot_linear::{Interval, Linear, Symbol, SymbolRange};
use surefoot_num::Rational;

use crate::model::{AssignedTerm, Assignment, Model, SlotId, Target, TransientId};
use crate::policy::Policy;
use crate::term::{Term, TermId};

/// Which slots can be left out, for a property that reads the given terms. Arrays go as a whole.
#[must_use]
pub fn droppable(model: &Model, policy: Option<&Policy>, property: &[TermId]) -> Vec<bool> {
    let mut cone = Cone { model, relevant: vec![false; model.slots.len()], seen: vec![false; model.transients.len()] };
    for location in 0..model.instances.len() {
        cone.relevant[location] = true;
    }
    for term in property {
        cone.read(*term);
    }
    if let Some(policy) = policy {
        for network in &policy.networks {
            network.when.into_iter().for_each(|when| cone.read(when));
            for (symbol, _) in network.inputs.iter().flat_map(Linear::terms) {
                cone.relevant[symbol.index()] = true;
            }
        }
    }
    let edges = || model.instances.iter().flat_map(|i| &i.edges);
    let assignments = || edges().flat_map(|e| &e.destinations).flat_map(|d| &d.assignments);
    let writers = writers(model);
    // Between assignments of different indices a variable may be outside its domain: only when all are done must it be inside.
    let mut written_first: Vec<Option<i64>> = vec![None; model.slots.len()];
    for assignment in assignments() {
        for slot in targets(&assignment.target) {
            let first = &mut written_first[slot.index()];
            *first = Some(first.map_or(assignment.index, |first| first.min(assignment.index)));
        }
    }
    for edge in edges() {
        cone.read(edge.guard);
        edge.destinations.iter().for_each(|d| cone.read(d.probability));
    }
    for assignment in assignments() {
        if let Target::Cell { dimensions, .. } = &assignment.target {
            dimensions.iter().for_each(|(_, index)| cone.read(*index));
        }
        // Two automata that write one variable may contradict each other, which is an error too.
        let shared = |slot: SlotId| writers[slot.index()] > 1;
        if !stays_inside(model, assignment, &written_first) || targets(&assignment.target).any(shared) {
            targets(&assignment.target).for_each(|slot| cone.relevant[slot.index()] = true);
        }
    }
    for destination in edges().flat_map(|e| &e.destinations) {
        for (i, assignment) in destination.assignments.iter().enumerate() {
            // A cell with a computed index may be the one that another assignment means.
            let here = range_of(&assignment.target);
            let overlaps = |other: &Assignment| {
                let there = range_of(&other.target);
                here.start.max(there.start) < here.end.min(there.end)
            };
            if destination.assignments[..i].iter().any(overlaps) {
                targets(&assignment.target).for_each(|slot| cone.relevant[slot.index()] = true);
            }
        }
    }
    loop {
        let before = cone.relevant.clone();
        for assignment in assignments() {
            // A cell with a computed index may be any of them: all or none.
            let slots: Vec<SlotId> = targets(&assignment.target).collect();
            let transient = matches!(assignment.target, Target::Transient(_));
            if transient || slots.iter().any(|s| cone.relevant[s.index()]) {
                slots.iter().for_each(|s| cone.relevant[s.index()] = true);
                match assignment.value {
                    AssignedTerm::Value(term) => cone.read(term),
                    AssignedTerm::Interval(lower, upper) => {
                        cone.read(lower);
                        cone.read(upper);
                    }
                }
            }
        }
        if cone.relevant == before {
            break;
        }
    }
    cone.relevant.iter().map(|relevant| !relevant).collect()
}

/// How many instances write each slot.
fn writers(model: &Model) -> Vec<usize> {
    let mut count = vec![0; model.slots.len()];
    for instance in &model.instances {
        let mut written = vec![false; model.slots.len()];
        for assignment in instance.edges.iter().flat_map(|e| &e.destinations).flat_map(|d| &d.assignments) {
            targets(&assignment.target).for_each(|slot| written[slot.index()] = true);
        }
        for (count, written) in count.iter_mut().zip(written) {
            *count += usize::from(written);
        }
    }
    count
}

struct Cone<'m> {
    model: &'m Model,
    relevant: Vec<bool>,
    seen: Vec<bool>,
}

impl Cone<'_> {
    /// Marks what a term reads, through the definitions of transient variables too.
    fn read(&mut self, term: TermId) {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            for id in self.model.terms.reachable(term) {
                match self.model.terms.get(id) {
                    Term::Slot(slot) => self.relevant[slot.index()] = true,
                    Term::Transient(TransientId(t)) if !self.seen[*t as usize] => {
                        self.seen[*t as usize] = true;
                        work.push(self.model.transients[*t as usize].definition);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The numbers of the slots an assignment may write.
fn range_of(target: &Target) -> Range<u32> {
    match target {
        Target::Slot(slot) => slot.0..slot.0 + 1,
        Target::Cell { base, dimensions } => {
            base.0..base.0 + dimensions.iter().map(|(length, _)| length).product::<u32>()
        }
        Target::Transient(_) => 0..0,
    }
}

/// The slots an assignment may write.
fn targets(target: &Target) -> impl Iterator<Item = SlotId> + use<> {
    range_of(target).map(SlotId)
}

/// Whether an assignment provably has a value, inside the domain of its target, which provably is there. The domains are not what bounds a slot that may have been
/// written before, at a smaller index.
fn stays_inside(model: &Model, assignment: &Assignment, written_first: &[Option<i64>]) -> bool {
    let AssignedTerm::Value(term) = assignment.value else { return false };
    let indices = match &assignment.target {
        Target::Cell { dimensions, .. } => dimensions.iter().map(|(_, index)| *index).collect(),
        Target::Slot(_) | Target::Transient(_) => Vec::new(),
    };
    let written = |slot: SlotId| written_first[slot.index()].is_some_and(|first| first < assignment.index);
    if indices.into_iter().chain([term]).any(|term| model.terms.slots_read(term).into_iter().any(written)) {
        return false;
    }
    let Some((low, high)) = range(model, term) else { return false };
    if let Target::Cell { dimensions, .. } = &assignment.target {
        let within = |(length, index): &(u32, TermId)| {
            let last = Rational::from(i64::from(*length) - 1);
            range(model, *index).is_some_and(|(low, high)| low.signum() >= 0 && high <= last)
        };
        if !dimensions.iter().all(within) {
            return false;
        }
    }
    targets(&assignment.target).all(|slot| {
        let domain = &model.slots[slot.index()].domain;
        domain.contains(&low) && domain.contains(&high)
    })
}

/// Values between which that of a linear term provably is; `None` where it may have none.
fn range(model: &Model, term: TermId) -> Option<(Rational, Rational)> {
    if model.terms.is_fallible(term) {
        return None;
    }
    let bounds = |symbol: Symbol| SymbolRange::from(&model.slots[symbol.index()].domain).bounds;
    let Interval { lower, upper } = model.terms.linear(term)?.range(bounds);
    lower.zip(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;
    use std::path::Path;
    use surefoot_jani::read_model_text;
    use surefoot_text::source::SourceMap;

    #[test]
    fn domains_do_not_bound_what_was_written_before() {
        // `w` is 2 for a while, beyond its domain, and `d` would be 3 then, beyond its own.
        let text = r#"{"jani-version": 1, "name": "m", "type": "mdp", "variables": [
            {"name": "w", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1}, "initial-value": 1},
            {"name": "d", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0},
            {"name": "e", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1}, "initial-value": 1}],
          "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [{"location": "l",
            "destinations": [{"location": "l", "assignments": [
              {"ref": "w", "value": {"op": "+", "left": "w", "right": 1}, "index": 0},
              {"ref": "d", "value": {"op": "+", "left": "e", "right": "w"}, "index": INDEX},
              {"ref": "w", "value": 1, "index": 2}]}]}]}],
          "system": {"elements": [{"automaton": "a"}]}}"#;
        for (index, dropped) in [("1", false), ("0", true)] {
            let mut sources = SourceMap::default();
            let (syntax, _) =
                read_model_text(&mut sources, Path::new("m.jani"), &text.replace("INDEX", index)).expect("a model");
            let lowered = lower(std::sync::Arc::new(syntax), &[]).expect("it has a meaning");
            let slot = lowered.model.slot("d").expect("it is there");
            assert_eq!(droppable(&lowered.model, None, &[])[slot.index()], dropped, "index {index}");
        }
    }
}
