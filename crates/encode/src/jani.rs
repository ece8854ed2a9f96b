//! The composed system as JANI.
//!
//! Automata have one location each; where they are is a variable, so that conditions, policies and start states may speak of it, which JANI's
//! expressions cannot do of locations. All variables are global: guards of the controller read them. Only the controller has locations:
//! nothing reads them. Every move is a synchronisation in which the controller takes part.

mod expression;

use std::sync::Arc;

use surefoot_jani::syntax::{
    self, AssignedValue, Automaton, BinaryOp, Destination, Edge, Element, Expr, ExprId, FilterFunction, Location,
    ModelKind, NumericBase, PathOp, PathQuantifier, Pool, Property, PropertyBody, StateSet, Sync, System, Type,
    TypeKind, VariableDeclaration,
};
use surefoot_linear::Interval;
use surefoot_model::model::{AssignedTerm, Target as Assigned, Vector};
use surefoot_model::{Domain, Model, ScalarType, SlotId, State, Term, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Name, Span, Spanned};

use crate::compose::{Action, Composed, ControllerEdge};
use crate::names::Names;
use crate::options::Starts;
use crate::start;

/// The place of what no file says.
const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };
/// The one location of automata other than the controller.
const HERE: &str = "here";
/// The location of the controller from which runs begin, where there is one.
const BEGIN: &str = "begin";

/// The text.
pub(crate) fn write(composed: &mut Composed, starts: Starts) -> Result<String, Diagnostic> {
    let names = Names::new(&composed.plain.model, composed.neurons.iter().map(|neuron| neuron.name.as_str()));
    let listed = match starts {
        Starts::Initial => None,
        Starts::Edges => Some(start::states(&mut composed.plain.model, composed.start)?),
    };
    let (fixed, rest) = start::fixed(&mut composed.plain.model, composed.start);
    if composed.plain.model.terms.constant(rest).is_some_and(|rest| rest.is_zero()) {
        return Err(Diagnostic::error_anywhere("there are no start states"));
    }
    let initial: Vec<Option<Rational>> = match &listed {
        Some(states) => states[0].0.iter().cloned().map(Some).collect(),
        None => fixed,
    };
    let mut writer = Writer { pool: Pool::default(), composed, names };
    let variables = writer.variables(&initial);
    let restrict_initial = if listed.is_some() { None } else { writer.guard(rest) };
    let automata = writer.automata(listed.as_deref())?;
    let system = writer.system();
    let property = writer.property();
    let actions = writer.names.actions().map(name).collect();
    let model = syntax::Model {
        name: name(&*writer.model().name),
        kind: ModelKind::Mdp,
        features: Vec::new(),
        actions,
        constants: Vec::new(),
        variables,
        functions: Vec::new(),
        restrict_initial,
        automata,
        system,
        properties: vec![property],
        pool: writer.pool,
    };
    Ok(surefoot_jani::write_model(&model))
}

fn name(text: impl AsRef<str>) -> Name {
    Spanned::new(Arc::from(text.as_ref()), NOWHERE)
}

struct Writer<'c> {
    pool: Pool,
    composed: &'c Composed,
    names: Names,
}

impl Writer<'_> {
    fn model(&self) -> &Model {
        &self.composed.plain.model
    }

    fn term_of(&self, term: TermId) -> &Term {
        self.model().terms.get(term)
    }

    fn push(&mut self, expression: Expr) -> ExprId {
        self.pool.push(expression, NOWHERE)
    }

    fn number(&mut self, value: &Rational) -> ExprId {
        self.push(Expr::Number(value.clone()))
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.push(Expr::Binary(op, a, b))
    }

    fn variables(&mut self, initial: &[Option<Rational>]) -> Vec<VariableDeclaration> {
        let mut variables = Vec::new();
        let composed = self.composed;
        let written = |slot: &usize| start::is_written(&composed.plain.model, *slot);
        for slot in (0..composed.plain.model.slots.len()).filter(written) {
            let domain = self.model().slots[slot].domain.clone();
            let ty = match &domain {
                Domain::Bool => TypeKind::Bool,
                Domain::Int { lower, upper } => {
                    let ends = Interval::new(Rational::from(*lower), Rational::from(*upper));
                    self.bounded(NumericBase::Int, &ends)
                }
                Domain::Real { lower, upper } => {
                    let ends = Interval { lower: lower.clone(), upper: upper.clone() };
                    self.bounded(NumericBase::Real, &ends)
                }
            };
            let value = initial[slot].as_ref().map(|value| match domain {
                Domain::Bool => self.push(Expr::Bool(!value.is_zero())),
                _ => self.number(value),
            });
            variables.push(declaration(self.names.slot(slot), ty, value));
        }
        for neuron in 0..self.composed.neurons.len() {
            let ty = match self.composed.ty {
                ScalarType::Real => TypeKind::Real,
                _ => self.bounded(NumericBase::Int, &self.composed.neurons[neuron].range.clone()),
            };
            let zero = self.number(&Rational::ZERO);
            let slot = self.model().slots.len() + neuron;
            variables.push(declaration(self.names.slot(slot), ty, Some(zero)));
        }
        variables
    }

    fn bounded(&mut self, base: NumericBase, range: &Interval) -> TypeKind {
        if range.lower.is_none() && range.upper.is_none() {
            return if base == NumericBase::Int { TypeKind::Int } else { TypeKind::Real };
        }
        let lower = range.lower.as_ref().map(|lower| self.number(lower));
        let upper = range.upper.as_ref().map(|upper| self.number(upper));
        TypeKind::Bounded { base, lower, upper }
    }

    fn automata(&mut self, listed: Option<&[State]>) -> Result<Vec<Automaton>, Diagnostic> {
        let mut automata = Vec::new();
        // Where locations change, after all assignments.
        let last = self.model().instances.iter().flat_map(|i| &i.edges).flat_map(|e| &e.destinations);
        let last = last.flat_map(|d| &d.assignments).map(|a| a.index).max().unwrap_or(0);
        for instance in 0..self.model().instances.len() {
            let mut edges = Vec::new();
            for edge in 0..self.model().instances[instance].edges.len() {
                edges.push(self.edge(instance, edge, last)?);
            }
            automata.push(automaton(self.names.instance(instance), &[HERE], edges));
        }
        let composed = self.composed;
        let mut locations: Vec<&str> = composed.locations.iter().map(String::as_str).collect();
        let mut edges: Vec<Edge> = Vec::new();
        if let Some(states) = listed {
            locations.insert(0, BEGIN);
            edges.extend(states.iter().map(|state| self.start_edge(state, &composed.locations[0])));
        }
        edges.extend(composed.edges.iter().map(|edge| self.controller_edge(edge)));
        automata.push(automaton(self.names.controller(), &locations, edges));
        Ok(automata)
    }

    fn edge(&mut self, instance: usize, edge: usize, last: i64) -> Result<Edge, Diagnostic> {
        let edge = self.model().instances[instance].edges[edge].clone();
        let moves = start::is_written(self.model(), instance);
        let mut guard = self.guard(edge.guard);
        if moves {
            let (here, number) =
                (self.slot(SlotId::at(instance)), self.number(&Rational::from(i64::from(edge.source))));
            let at = self.binary(BinaryOp::Eq, here, number);
            guard = Some(guard.map_or(at, |guard| self.binary(BinaryOp::And, at, guard)));
        }
        let single = edge.destinations.len() == 1;
        let mut destinations = Vec::new();
        for destination in &edge.destinations {
            let mut assignments = Vec::new();
            for assignment in &destination.assignments {
                let (Assigned::Slot(slot), AssignedTerm::Value(value)) = (&assignment.target, assignment.value) else {
                    let message = "a non-deterministic assignment cannot be encoded: JANI has none";
                    let help = format!("use {} nuxmv", surefoot_text::option("target"));
                    return Err(Diagnostic::error(assignment.span, message).with_help(help).refusal());
                };
                assignments.push(self.assignment(*slot, value, assignment.index));
            }
            if moves && destination.location != edge.source {
                let (reference, number) =
                    (self.slot(SlotId::at(instance)), self.number(&Rational::from(i64::from(destination.location))));
                assignments.push(assign(reference, number, last));
            }
            let probability = (!single).then(|| self.expression(destination.probability));
            let location = name(HERE);
            destinations.push(Destination { location, probability, assignments, span: NOWHERE });
        }
        let action = self.names.edge_action(instance, edge.action);
        Ok(Edge { location: name(HERE), action: Some(name(action)), guard, destinations, span: NOWHERE })
    }

    /// A guard, unless it always holds.
    fn guard(&mut self, guard: TermId) -> Option<ExprId> {
        (*self.term_of(guard) != Term::Bool(true)).then(|| self.expression(guard))
    }

    fn controller_edge(&mut self, edge: &ControllerEdge) -> Edge {
        let guard = self.guard(edge.guard);
        let assignments = edge.assignments.iter().map(|(slot, value)| self.assignment(*slot, *value, 0)).collect();
        let action = match edge.action {
            Action::Silent => None,
            Action::Environment => Some(name(self.names.environment())),
            Action::Label(label) => Some(name(self.names.label(label))),
        };
        let to = &self.composed.locations[edge.target];
        let destination = Destination { location: name(to), probability: None, assignments, span: NOWHERE };
        let location = name(&self.composed.locations[edge.source]);
        Edge { location, action, guard, destinations: vec![destination], span: NOWHERE }
    }

    /// An edge that makes a state the current one.
    fn start_edge(&mut self, state: &State, idle: &str) -> Edge {
        let mut assignments = Vec::new();
        for slot in (0..state.0.len()).filter(|slot| start::is_written(&self.composed.plain.model, *slot)) {
            let value = match self.model().slots[slot].domain {
                Domain::Bool => self.push(Expr::Bool(!state.0[slot].is_zero())),
                _ => self.number(&state.0[slot]),
            };
            let reference = self.slot(SlotId::at(slot));
            assignments.push(assign(reference, value, 0));
        }
        let destination = Destination { location: name(idle), probability: None, assignments, span: NOWHERE };
        Edge { location: name(BEGIN), action: None, guard: None, destinations: vec![destination], span: NOWHERE }
    }

    fn assignment(&mut self, slot: SlotId, value: TermId, index: i64) -> syntax::Assignment {
        let (reference, value) = (self.slot(slot), self.expression(value));
        assign(reference, value, index)
    }

    fn system(&mut self) -> System {
        let model = self.model();
        let mut elements: Vec<Element> = (0..model.instances.len()).map(|i| element(self.names.instance(i))).collect();
        elements.push(element(self.names.controller()));
        let can_move = |vector: &&Vector| vector.participants.iter().all(|p| !p.edges.is_empty());
        let syncs = model.vectors.iter().filter(can_move).map(|vector| self.sync(vector)).collect();
        System { elements, syncs: Some(syncs), span: NOWHERE }
    }

    fn sync(&self, vector: &Vector) -> Sync {
        let mut synchronise: Vec<Option<Name>> = vec![None; self.model().instances.len()];
        for participant in &vector.participants {
            let edge = &self.model().instances[participant.instance].edges[participant.edges[0] as usize];
            synchronise[participant.instance] = Some(name(self.names.edge_action(participant.instance, edge.action)));
        }
        let governed = vector.label.filter(|label| self.composed.governed.contains(label));
        synchronise.push(Some(name(governed.map_or(self.names.environment(), |label| self.names.label(label)))));
        let result = vector.label.map_or(self.names.environment(), |label| self.names.label(label));
        Sync { synchronise, result: Some(name(result)), span: NOWHERE }
    }

    /// The largest probability of reaching an unsafe state, over all initial states.
    fn property(&mut self) -> Property {
        let reach = self.expression(self.composed.unsafe_states);
        let path = self.push(Expr::Path(PathOp::Finally, None, reach));
        let values = self.push(Expr::Quantified(PathQuantifier::Pmax, path));
        let states = self.push(Expr::StateSet(StateSet::Initial));
        let body = PropertyBody::Filter { function: FilterFunction::Max, values, states };
        Property { name: name("unsafe"), body, span: NOWHERE }
    }
}

fn declaration(variable: &str, ty: TypeKind, initial_value: Option<ExprId>) -> VariableDeclaration {
    let ty: Type = Spanned::new(ty, NOWHERE);
    VariableDeclaration { name: name(variable), ty, transient: false, initial_value }
}

fn automaton(called: &str, locations: &[&str], edges: Vec<Edge>) -> Automaton {
    let location = |text: &&str| Location { name: name(text), transient_values: Vec::new() };
    Automaton {
        name: name(called),
        variables: Vec::new(),
        functions: Vec::new(),
        restrict_initial: None,
        locations: locations.iter().map(location).collect(),
        initial_locations: vec![name(locations[0])],
        edges,
    }
}

fn element(automaton: &str) -> Element {
    Element { automaton: name(automaton), input_enable: Vec::new() }
}

fn assign(reference: ExprId, value: ExprId, index: i64) -> syntax::Assignment {
    syntax::Assignment { reference, value: AssignedValue::Expression(value), index, span: NOWHERE }
}
