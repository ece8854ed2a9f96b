//! A model with nothing in it that checkers do not have: no transient variables, no computed array cells.
//!
//! * A transient variable that is read stands for its definition: what the locations say, else its initial value. One that an edge assigns and an
//!   assignment reads would be a variable of a single step: refused.
//! * An automaton of one location is always there: that is no variable.
//! * `a[i] := v` becomes `a_k := (i = k ? v : a_k)` for every cell. In the model an index outside is an error; here nothing is written.
//! * Probabilities that are constants and sum to one nearly are divided by their sum, as everywhere.

use rustc_hash::FxHashMap;
use surefoot_model::model::{AssignedTerm, Assignment, Destination, Target};
use surefoot_model::term::CmpOp;
use surefoot_model::{Model, ScalarType, SlotId, Term, TermId, TransientId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

/// Terms larger than this, written out, are no text for a checker.
const MOST_NODES: u32 = 2_000_000;

/// The model and conditions about it, plain.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) model: Model,
    /// What stands for each transient variable.
    definitions: FxHashMap<TermId, TermId>,
}

impl Plain {
    /// Makes a model plain.
    pub(crate) fn new(model: &Model) -> Result<Self, Diagnostic> {
        refuse_read_assignments(model)?;
        refuse_shared_arrays(model)?;
        let mut plain = Self { model: model.clone(), definitions: FxHashMap::default() };
        plain.define();
        for i in 0..plain.model.instances.len() {
            for e in 0..plain.model.instances[i].edges.len() {
                plain.edge(i, e)?;
            }
        }
        Ok(plain)
    }

    /// A condition without transient variables.
    pub(crate) fn term(&mut self, term: TermId) -> Result<TermId, Diagnostic> {
        let term = self.model.terms.substitute(term, &self.definitions);
        if self.model.terms.tree_size(term) > MOST_NODES {
            let span = self.model.terms.span(term);
            let message = "an expression is too large to be written out, with what its names stand for in place";
            return Err(Diagnostic { span, ..Diagnostic::error_anywhere(message) }.refusal());
        }
        Ok(term)
    }

    /// What transient variables stand for; one may stand for others.
    fn define(&mut self) {
        let transients = self.model.transients.clone();
        let mut definitions: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (i, transient) in transients.iter().enumerate() {
            let read = self.model.terms.transient(TransientId::at(i), transient.ty);
            definitions.insert(read, transient.definition);
        }
        for instance in (0..self.model.instances.len()).filter(|i| self.model.instances[*i].locations.len() == 1) {
            let slot = self.model.terms.slot(SlotId::at(instance), ScalarType::Int);
            definitions.insert(slot, self.model.terms.num(Rational::ZERO));
        }
        // Definitions are not circular: each round resolves one more level of them.
        for _ in 0..transients.len() {
            let resolved =
                definitions.iter().map(|(read, value)| (*read, self.model.terms.substitute(*value, &definitions)));
            definitions = resolved.collect();
        }
        self.definitions = definitions;
    }

    fn edge(&mut self, instance: usize, edge: usize) -> Result<(), Diagnostic> {
        let mut new = self.model.instances[instance].edges[edge].clone();
        new.guard = self.term(new.guard)?;
        let mut probabilities = Vec::new();
        for destination in &mut new.destinations {
            destination.probability = self.term(destination.probability)?;
            probabilities.extend(self.model.terms.constant(destination.probability));
            destination.assignments = self.assignments(destination)?;
        }
        let sum: Rational = probabilities.iter().cloned().sum();
        if probabilities.len() == new.destinations.len() && sum != Rational::ONE && !sum.is_zero() {
            for (destination, probability) in new.destinations.iter_mut().zip(&probabilities) {
                let exact = probability.checked_div(&sum).unwrap_or(Rational::ZERO);
                destination.probability = self.model.terms.num(exact);
            }
        }
        self.model.instances[instance].edges[edge] = new;
        Ok(())
    }

    /// The assignments to slots; those of computed cells of one array at one index are put together.
    fn assignments(&mut self, destination: &Destination) -> Result<Vec<Assignment>, Diagnostic> {
        let mut plain: Vec<Assignment> = Vec::new();
        for assignment in &destination.assignments {
            let value = match assignment.value {
                AssignedTerm::Value(value) => AssignedTerm::Value(self.term(value)?),
                AssignedTerm::Interval(lower, upper) => AssignedTerm::Interval(self.term(lower)?, self.term(upper)?),
            };
            match &assignment.target {
                Target::Transient(_) => {}
                Target::Slot(_) => {
                    // A computed cell that meets this one is an error of the model.
                    plain.retain(|a| a.target != assignment.target || a.index != assignment.index);
                    plain.push(Assignment { value, ..assignment.clone() });
                }
                Target::Cell { base, dimensions } => {
                    let AssignedTerm::Value(value) = value else {
                        let message = "a non-deterministic assignment to a computed array cell cannot be encoded";
                        return Err(Diagnostic::error(assignment.span, message).refusal());
                    };
                    let dimensions = dimensions.iter().map(|(n, term)| Ok((*n, self.term(*term)?)));
                    let dimensions: Vec<(u32, TermId)> = dimensions.collect::<Result<_, Diagnostic>>()?;
                    self.cells(*base, &dimensions, value, assignment, &mut plain);
                }
            }
        }
        plain.sort_by_key(|assignment| assignment.index);
        Ok(plain)
    }

    fn cells(
        &mut self,
        base: SlotId,
        dimensions: &[(u32, TermId)],
        value: TermId,
        assignment: &Assignment,
        plain: &mut Vec<Assignment>,
    ) {
        let count: u32 = dimensions.iter().map(|(length, _)| *length).product();
        for cell in 0..count {
            let mut rest = cell;
            let mut here = self.model.terms.bool(true);
            for (length, index) in dimensions.iter().rev() {
                let number = self.model.terms.num(Rational::from(i64::from(rest % length)));
                let equal = self.model.terms.cmp(CmpOp::Eq, *index, number);
                here = self.model.terms.and(here, equal);
                rest /= length;
            }
            let slot = SlotId(base.0 + cell);
            let target = Target::Slot(slot);
            let ty = self.model.slots[slot.index()].domain.ty();
            let same = |a: &Assignment| a.target == target && a.index == assignment.index;
            let at = plain.iter().position(same);
            let before = match at.map(|at| plain[at].value) {
                Some(AssignedTerm::Value(before)) => before,
                _ => self.model.terms.slot(slot, ty),
            };
            let value = AssignedTerm::Value(self.model.terms.ite(here, value, before));
            match at {
                Some(at) => plain[at].value = value,
                None if *self.model.terms.get(here) == Term::Bool(false) => {}
                None => plain.push(Assignment { target, value, ..assignment.clone() }),
            }
        }
    }
}

/// Refuses transient variables that edges assign and assignments read.
fn refuse_read_assignments(model: &Model) -> Result<(), Diagnostic> {
    let edges = model.instances.iter().flat_map(|instance| &instance.edges);
    let all: Vec<&Assignment> = edges.flat_map(|e| &e.destinations).flat_map(|d| &d.assignments).collect();
    let assigned = |id: TransientId| all.iter().find(|a| a.target == Target::Transient(id));
    for assignment in &all {
        let mut work = Vec::new();
        match assignment.value {
            AssignedTerm::Value(value) => work.push(value),
            AssignedTerm::Interval(lower, upper) => work.extend([lower, upper]),
        }
        if let Target::Cell { dimensions, .. } = &assignment.target {
            work.extend(dimensions.iter().map(|(_, index)| *index));
        }
        let mut seen = vec![false; model.transients.len()];
        while let Some(term) = work.pop() {
            for id in model.terms.reachable(term) {
                let Term::Transient(transient) = *model.terms.get(id) else { continue };
                if std::mem::replace(&mut seen[transient.0 as usize], true) {
                    continue;
                }
                work.push(model.transients[transient.0 as usize].definition);
                if let Some(written) = assigned(transient) {
                    let name = &model.transients[transient.0 as usize].name;
                    let message = format!(
                        "'{name}' is a transient variable that edges assign and assignments read, which cannot be encoded"
                    );
                    return Err(Diagnostic::error(written.span, message).refusal());
                }
            }
        }
    }
    Ok(())
}

/// Refuses vectors in which one participant writes a computed cell of an array that another one writes too: spread over all cells, the two would meet.
fn refuse_shared_arrays(model: &Model) -> Result<(), Diagnostic> {
    for vector in &model.vectors {
        let mut spread: Vec<(usize, SlotId, u32, &Assignment)> = Vec::new();
        let mut written: Vec<(usize, SlotId)> = Vec::new();
        for participant in &vector.participants {
            let edges = participant.edges.iter().map(|e| &model.instances[participant.instance].edges[*e as usize]);
            for assignment in edges.flat_map(|e| &e.destinations).flat_map(|d| &d.assignments) {
                match &assignment.target {
                    Target::Slot(slot) => written.push((participant.instance, *slot)),
                    Target::Cell { base, dimensions } => {
                        let count = dimensions.iter().map(|(length, _)| *length).product();
                        written.push((participant.instance, *base));
                        spread.push((participant.instance, *base, count, assignment));
                    }
                    Target::Transient(_) => {}
                }
            }
        }
        for (instance, base, count, assignment) in spread {
            let meets =
                |(other, slot): &(usize, SlotId)| *other != instance && (base.0..base.0 + count).contains(&slot.0);
            if written.iter().any(meets) {
                let message = "two automata that move together write this array, one of them a computed cell, which cannot be encoded";
                return Err(Diagnostic::error(assignment.span, message).refusal());
            }
        }
    }
    Ok(())
}
