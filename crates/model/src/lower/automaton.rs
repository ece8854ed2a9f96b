//! Edges, destinations and assignments of every instance.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_jani::syntax::{self, AssignedValue, Expr, ExprId, ModelKind};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{Name, Span};
use surefoot_text::suggest;

use super::Lowering;
use super::expression::Scope;
use super::names::Value;
use crate::interpret::normalise;
use crate::model::{AssignedTerm, Assignment, Destination, Edge, Instance, LabelId, Location, Target, numbered};
use crate::term::{ScalarType, Term, TermId};

impl Lowering<'_> {
    /// Action labels in the order of declaration.
    pub(super) fn lower_labels(&mut self) -> Result<Vec<Arc<str>>, Diagnostic> {
        let mut labels: Vec<Arc<str>> = Vec::new();
        let mut known = FxHashSet::default();
        for action in &self.syntax.actions {
            if !known.insert(&action.value) {
                let message = format!("the action '{}' is declared twice", action.value);
                return Err(Diagnostic::error(action.span, message).with_help("remove one of them"));
            }
            labels.push(Arc::clone(&action.value));
        }
        Ok(labels)
    }

    pub(super) fn lower_automata(&mut self, labels: &[Arc<str>]) -> Result<Vec<Instance>, Vec<Diagnostic>> {
        let syntax = self.syntax;
        let mut instances = Vec::new();
        let mut errors: Vec<Diagnostic> = Vec::new();
        for i in 0..self.names.instances.len() {
            let automaton = &syntax.automata[self.names.instances[i].automaton];
            let mut edges = Vec::new();
            for (number, edge) in automaton.edges.iter().enumerate() {
                match self.lower_edge(i, automaton, edge, number, labels) {
                    Ok(edge) => edges.push(edge),
                    Err(error) if !errors.contains(&error) => errors.push(error),
                    Err(_) => {}
                }
            }
            let element = &syntax.system.elements[i];
            for action in &element.input_enable {
                match find_label(labels, action) {
                    Ok(label) => self.enable_input(i, automaton, label, &mut edges, action.span),
                    Err(error) => errors.push(error),
                }
            }
            // An edge whose guard is false never fires. Its place in the automaton's list is kept in `number`.
            edges.retain(|edge| !matches!(self.terms.get(edge.guard), Term::Bool(false)));
            let mut initial_locations = Vec::new();
            for name in &automaton.initial_locations {
                match self.find_location(i, automaton, name) {
                    Ok(location) => initial_locations.push(location),
                    Err(error) => errors.push(error),
                }
            }
            if initial_locations.is_empty() {
                errors.push(Diagnostic::error(automaton.name.span, "this automaton has no initial location"));
            }
            let names = &self.names.instances[i];
            instances.push(Instance {
                automaton: Arc::clone(&automaton.name.value),
                occurrence: names.occurrence,
                name: Arc::clone(&names.name),
                locations: automaton.locations.iter().map(|l| Location { name: Arc::clone(&l.name.value) }).collect(),
                initial_locations,
                edges,
            });
        }
        if errors.is_empty() { Ok(instances) } else { Err(errors) }
    }

    fn lower_edge(
        &mut self,
        instance: usize,
        automaton: &syntax::Automaton,
        edge: &syntax::Edge,
        number: usize,
        labels: &[Arc<str>],
    ) -> Result<Edge, Diagnostic> {
        let scope = Scope::instance(instance);
        let source = self.find_location(instance, automaton, &edge.location)?;
        let action = edge.action.as_ref().map(|name| find_label(labels, name)).transpose()?;
        let guard = match edge.guard {
            Some(guard) => self.lower_bool(guard, &scope)?,
            None => self.terms.bool(true),
        };
        if edge.destinations.is_empty() {
            return Err(Diagnostic::error(edge.span, "this edge has no destinations"));
        }
        if self.syntax.kind == ModelKind::Lts && edge.destinations.len() > 1 {
            return Err(Diagnostic::error(edge.span, "an edge of an lts has one destination")
                .with_help("use \"type\": \"mdp\" for probabilistic outcomes"));
        }
        let mut destinations = Vec::new();
        for destination in &edge.destinations {
            let location = self.find_location(instance, automaton, &destination.location)?;
            let probability = match destination.probability {
                Some(probability) => {
                    let term = self.lower_term(probability, &scope)?;
                    if !self.terms.ty(term).is_numeric() {
                        let span = self.syntax.pool.span(probability);
                        return Err(Diagnostic::error(span, "a probability must be a number, this is of type bool")
                            .with_help("write a number from 0 to 1"));
                    }
                    term
                }
                None => self.terms.num(Rational::ONE),
            };
            let mut assignments = Vec::new();
            for assignment in &destination.assignments {
                self.lower_assignment(assignment, &scope, &mut assignments)?;
            }
            assignments.sort_by_key(|a| a.index);
            check_conflicts(&assignments)?;
            destinations.push(Destination { location, probability, assignments });
        }
        let constant_probabilities = self.check_probabilities(&mut destinations, edge.span)?;
        Ok(Edge { number: Some(number), source, action, guard, destinations, constant_probabilities, span: edge.span })
    }

    /// The number of a location.
    fn find_location(&self, instance: usize, automaton: &syntax::Automaton, name: &Name) -> Result<u32, Diagnostic> {
        self.names.instances[instance].locations.get(&name.value).copied().ok_or_else(|| {
            let message = format!("the automaton '{}' has no location '{}'", automaton.name.value, name.value);
            let error = Diagnostic::error(name.span, message);
            match suggest(&name.value, automaton.locations.iter().map(|l| &*l.name.value)) {
                Some(near) => error.with_help(format!("did you mean '{near}'?")),
                None => error,
            }
        })
    }

    /// Whether the probabilities are constant; if so they are checked, and normalised when almost right.
    fn check_probabilities(&mut self, destinations: &mut [Destination], span: Span) -> Result<bool, Diagnostic> {
        let values: Option<Vec<Rational>> = destinations.iter().map(|d| self.terms.constant(d.probability)).collect();
        let Some(mut values) = values else {
            return Ok(false);
        };
        if let Some(negative) = values.iter().find(|v| v.signum() < 0) {
            return Err(Diagnostic::error(span, format!("the probability {negative} is negative"))
                .with_help("probabilities lie between 0 and 1"));
        }
        match normalise(&mut values) {
            Ok(false) => {}
            Ok(true) => {
                let message = "the probabilities of this edge sum to almost 1 and were normalised";
                self.notes.push(Diagnostic::warning(span, message).with_help("write them as exact fractions"));
                for (destination, value) in destinations.iter_mut().zip(values) {
                    destination.probability = self.terms.num(value);
                }
            }
            Err(sum) => {
                return Err(Diagnostic::error(span, format!("the probabilities of this edge sum to {sum}, not to 1"))
                    .with_help("correct one of them; 1/3 is exact as {\"op\": \"/\", \"left\": 1, \"right\": 3}"));
            }
        }
        Ok(true)
    }

    fn lower_assignment(
        &mut self,
        assignment: &syntax::Assignment,
        scope: &Scope,
        out: &mut Vec<Assignment>,
    ) -> Result<(), Diagnostic> {
        let (index, span) = (assignment.index, assignment.span);
        let targets = self.lower_targets(assignment.reference, scope)?;
        let values: Vec<AssignedTerm> = match &assignment.value {
            AssignedValue::Expression(expression) => {
                self.lower_value(*expression, scope)?.scalars().into_iter().map(AssignedTerm::Value).collect()
            }
            AssignedValue::Interval(lower, upper) => {
                vec![AssignedTerm::Interval(self.lower_term(*lower, scope)?, self.lower_term(*upper, scope)?)]
            }
        };
        if targets.len() != values.len() {
            return Err(Diagnostic::error(span, "the value does not have the shape of the variable"));
        }
        for ((target, wanted), value) in targets.into_iter().zip(values) {
            let fits = |term: TermId| match wanted {
                ScalarType::Bool => self.terms.ty(term) == ScalarType::Bool,
                ScalarType::Int => self.terms.ty(term) == ScalarType::Int,
                ScalarType::Real => self.terms.ty(term).is_numeric(),
            };
            let terms = match value {
                AssignedTerm::Value(term) => [term, term],
                AssignedTerm::Interval(lower, upper) => [lower, upper],
            };
            if let Some(misfit) = terms.into_iter().find(|term| !fits(*term)) {
                let found = self.terms.ty(misfit);
                let message =
                    format!("a value of type {} is assigned to a variable of type {}", found.name(), wanted.name());
                let error = Diagnostic::error(span, message);
                return Err(if found == ScalarType::Real {
                    error.with_help("use floor, ceil or trc ('/' always gives a real number)")
                } else {
                    error
                });
            }
            if matches!((&target, value), (Target::Transient(_), AssignedTerm::Interval(..))) {
                return Err(Diagnostic::error(
                    span,
                    "a non-deterministic assignment to a transient variable is not supported",
                )
                .with_help("make the variable part of the state: leave \"transient\" out"));
            }
            out.push(Assignment { target, value, index, span });
        }
        Ok(())
    }

    /// What a reference assigns to: one target per scalar, with its type.
    fn lower_targets(&mut self, reference: ExprId, scope: &Scope) -> Result<Vec<(Target, ScalarType)>, Diagnostic> {
        let pool = &self.syntax.pool;
        let span = pool.span(reference);
        let mut indices = Vec::new();
        let mut base = reference;
        while let Expr::ArrayAccess(array, index) = pool.get(base) {
            indices.push(*index);
            base = *array;
        }
        if !matches!(pool.get(base), Expr::Identifier(_)) {
            return Err(Diagnostic::error(span, "only variables and array cells can be assigned to")
                .with_help("expected a name, or \"aa\" of a name"));
        }
        indices.reverse();
        let mut value = self.lower_value(base, scope)?;
        let mut dimensions: Vec<(u32, TermId)> = Vec::new();
        // Constant leading indices select directly; from the first computed one on, cells are addressed at run time.
        for index in indices {
            let term = self.lower_term(index, scope)?;
            let Value::Array(items) = value else {
                return Err(Diagnostic::error(span, "only arrays have cells, this is a single value")
                    .with_help("assign to it without an index"));
            };
            if self.terms.ty(term) != ScalarType::Int {
                return Err(Diagnostic::error(pool.span(index), "an array index must be of type int")
                    .with_help("round it with \"floor\" or \"ceil\" first"));
            }
            let position = self.terms.constant(term).and_then(|c| c.to_i64()).and_then(|i| usize::try_from(i).ok());
            let constant = self.terms.constant(term).is_some();
            if constant && position.is_none_or(|p| p >= items.len()) {
                let message = format!("the index is outside the array, which has {} cells", items.len());
                return Err(Diagnostic::error(pool.span(index), message).with_help("cells are counted from 0"));
            }
            let first = items.first().cloned();
            match (position, dimensions.is_empty()) {
                (Some(position), true) => value = items[position].clone(),
                _ => {
                    dimensions.push((numbered(items.len()), term));
                    value = first.ok_or_else(|| Diagnostic::error(span, "an empty array has no cells"))?;
                }
            }
        }
        if !dimensions.is_empty() && matches!(value, Value::Array(_)) {
            return Err(Diagnostic::error(span, "a whole row with a computed index cannot be assigned")
                .with_help("assign its cells one by one"));
        }
        value
            .scalars()
            .into_iter()
            .map(|term| {
                let ty = self.terms.ty(term);
                let target = match self.terms.get(term) {
                    Term::Slot(slot) if dimensions.is_empty() => Target::Slot(*slot),
                    Term::Slot(slot) => Target::Cell { base: *slot, dimensions: dimensions.clone() },
                    Term::Transient(id) if dimensions.is_empty() => Target::Transient(*id),
                    Term::Transient(_) => {
                        let message = "a cell of a transient array with a computed index cannot be assigned";
                        return Err(Diagnostic::error(span, message).with_help("assign to cells with constant indices"));
                    }
                    _ => {
                        return Err(Diagnostic::error(span, "constants cannot be assigned to")
                            .with_help("declare it among the variables"));
                    }
                };
                Ok((target, ty))
            })
            .collect()
    }

    /// Adds the implicit loop of an input-enabled action: taken where no edge with that action is enabled.
    fn enable_input(
        &mut self,
        instance: usize,
        automaton: &syntax::Automaton,
        label: LabelId,
        edges: &mut Vec<Edge>,
        span: Span,
    ) {
        debug_assert_eq!(self.names.instances[instance].locals.len(), automaton.variables.len());
        for location in 0..numbered(automaton.locations.len()) {
            let guards: Vec<TermId> =
                edges.iter().filter(|e| e.source == location && e.action == Some(label)).map(|e| e.guard).collect();
            let some = self.terms.any(guards);
            let guard = self.terms.not(some);
            let probability = self.terms.num(Rational::ONE);
            edges.push(Edge {
                number: None,
                source: location,
                action: Some(label),
                guard,
                destinations: vec![Destination { location, probability, assignments: Vec::new() }],
                constant_probabilities: true,
                span,
            });
        }
    }
}

/// One edge must not assign twice to the same variable at the same index.
fn check_conflicts(assignments: &[Assignment]) -> Result<(), Diagnostic> {
    let mut assigned = FxHashSet::default();
    for a in assignments {
        if !assigned.insert((a.index, &a.target)) {
            return Err(Diagnostic::error(a.span, "this variable is assigned twice at once")
                .with_help("give one of the assignments a larger \"index\""));
        }
    }
    Ok(())
}

pub(super) fn find_label(labels: &[Arc<str>], name: &Name) -> Result<LabelId, Diagnostic> {
    labels.iter().position(|l| *l == name.value).map(LabelId::at).ok_or_else(|| {
        let error = Diagnostic::error(name.span, format!("the action '{}' is not declared", name.value));
        match suggest(&name.value, labels.iter().map(|l| &**l)) {
            Some(near) => error.with_help(format!("did you mean '{near}'?")),
            None => error.with_help("declare it in the model's \"actions\""),
        }
    })
}
