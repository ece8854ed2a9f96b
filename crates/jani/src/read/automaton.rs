//! Automata: locations, edges, destinations, assignments.

use crate::read::model::refuse_members;
use crate::read::{Fault, Read, Reader};
use crate::syntax::{AssignedValue, Assignment, Automaton, Destination, Edge, Expr, ExprId, Location};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};
use surefoot_text::source::Name;

const AUTOMATON: Shape = Shape::new(
    "an automaton",
    &["name", "locations", "initial-locations", "edges"],
    &["variables", "functions", "restrict-initial"],
);
const LOCATION: Shape = Shape::new("a location", &["name"], &["transient-values"]);
const TRANSIENT_VALUE: Shape = Shape::new("a transient value", &["ref", "value"], &[]);
const EDGE: Shape = Shape::new("an edge", &["location", "destinations"], &["action", "guard"]);
const DESTINATION: Shape = Shape::new("a destination", &["location"], &["probability", "assignments"]);
const ASSIGNMENT: Shape = Shape::new("an assignment", &["ref", "value"], &["index"]);
const CHOICE: Shape = Shape::new("a non-deterministic assignment", &["ref", "lower-bound", "upper-bound"], &["index"]);
const WRAPPED: Shape = Shape::new("an expression with its comment", &["exp"], &[]);

const UNTIMED: &str = "only lts, dtmc and mdp models are supported, in which time does not pass";

impl Reader<'_> {
    pub(super) fn automaton(&mut self, node: Node<'_>) -> Read<Automaton> {
        refuse_members(node, &[("named-expressions", "use \"functions\" without parameters")])?;
        let object = ObjectReader::new(node, &AUTOMATON)?;
        let name = self.name(object.required("name"), "the name of an automaton")?;
        let variables = self.each(object.optional("variables"), "the variables as an array", Self::variable);
        let functions = self.each(object.optional("functions"), "the functions as an array", Self::function);
        let restriction = self.restrict_initial(object.optional("restrict-initial"));
        let restrict_initial = self.note(restriction).flatten();
        let locations = self.each(Some(object.required("locations")), "the locations as an array", Self::location);
        let initial = object.required("initial-locations");
        let initial_locations = self.each(Some(initial), "the initial locations as an array", |reader, node| {
            reader.name(node, "the name of a location")
        });
        if initial.kind() == Kind::Array && initial.items().next().is_none() {
            self.errors.push(
                Diagnostic::error(initial.span(), "an automaton needs at least one initial location")
                    .with_help("list the locations in which it may begin"),
            );
        }
        let edges = self.each(Some(object.required("edges")), "the edges as an array", Self::edge);
        Ok(Automaton { name, variables, functions, restrict_initial, locations, initial_locations, edges })
    }

    pub(super) fn restrict_initial(&mut self, node: Option<Node<'_>>) -> Read<Option<ExprId>> {
        node.map(|node| self.wrapped(node)).transpose()
    }

    /// `{"exp": E, "comment"?}`.
    fn wrapped(&mut self, node: Node<'_>) -> Read<ExprId> {
        if node.kind() == Kind::Object && node.get("op").is_some() {
            let error = Diagnostic::error(node.span(), "expected an object with the member \"exp\"");
            return Err(error.with_help("write {\"exp\": ...} around the expression").into());
        }
        let exp = ObjectReader::new(node, &WRAPPED)?.required("exp");
        self.expression(exp)
    }

    fn location(&mut self, node: Node<'_>) -> Read<Location> {
        refuse_members(node, &[("time-progress", UNTIMED)])?;
        let object = ObjectReader::new(node, &LOCATION)?;
        let name = self.name(object.required("name"), "the name of a location")?;
        let mut transient_values = Vec::new();
        if let Some(values) = object.optional("transient-values") {
            for value in values.expect_array("the transient values as an array")? {
                let value = ObjectReader::new(value, &TRANSIENT_VALUE)?;
                let reference = self.reference(value.required("ref"))?;
                transient_values.push((reference, self.expression(value.required("value"))?));
            }
        }
        Ok(Location { name, transient_values })
    }

    fn edge(&mut self, node: Node<'_>) -> Read<Edge> {
        refuse_members(
            node,
            &[("rate", UNTIMED), ("priority", "strengthen the guards of the edges with lower priority instead")],
        )?;
        let object = ObjectReader::new(node, &EDGE)?;
        let location = self.name(object.required("location"), "the name of a location")?;
        let action = object.optional("action").map(|action| self.action(action)).transpose()?;
        let guard = object.optional("guard").map(|guard| self.wrapped(guard)).transpose()?;
        let list = object.required("destinations");
        let mut destinations = Vec::new();
        for destination in list.expect_array("the destinations as an array")? {
            destinations.push(self.destination(destination)?);
        }
        if destinations.is_empty() {
            return Err(Diagnostic::error(list.span(), "an edge needs at least one destination")
                .with_help("add where it leads: {\"location\": ...}")
                .into());
        }
        Ok(Edge { location, action, guard, destinations, span: node.span() })
    }

    fn action(&mut self, node: Node<'_>) -> Read<Name> {
        let name = self.name(node, "the name of an action");
        name.map_err(|fault| {
            fault.diagnostic.with_help("a silent edge is written without the member \"action\"").into()
        })
    }

    fn destination(&mut self, node: Node<'_>) -> Read<Destination> {
        let object = ObjectReader::new(node, &DESTINATION)?;
        let location = self.name(object.required("location"), "the name of a location")?;
        let probability = object.optional("probability").map(|exp| self.wrapped(exp)).transpose()?;
        let mut assignments = Vec::new();
        if let Some(list) = object.optional("assignments") {
            for assignment in list.expect_array("the assignments as an array")? {
                assignments.push(self.assignment(assignment)?);
            }
        }
        Ok(Destination { location, probability, assignments, span: node.span() })
    }

    fn assignment(&mut self, node: Node<'_>) -> Read<Assignment> {
        let chooses = node.get("lower-bound").is_some() || node.get("upper-bound").is_some();
        let object = ObjectReader::new(node, if chooses { &CHOICE } else { &ASSIGNMENT })?;
        let reference = self.reference(object.required("ref"))?;
        let value = if chooses {
            let lower = self.expression(object.required("lower-bound"))?;
            AssignedValue::Interval(lower, self.expression(object.required("upper-bound"))?)
        } else {
            AssignedValue::Expression(self.expression(object.required("value"))?)
        };
        let index = object.optional("index").map(|index| index.expect_i64("an integer")).transpose()?;
        Ok(Assignment { reference, value, index: index.unwrap_or(0), span: node.span() })
    }

    /// What can be assigned to: a name, or an element of something that can be assigned to.
    pub(super) fn reference(&mut self, node: Node<'_>) -> Read<ExprId> {
        let id = self.expression(node)?;
        let mut place = id;
        loop {
            match self.pool.get(place) {
                Expr::Identifier(_) => return Ok(id),
                Expr::ArrayAccess(array, _) => place = *array,
                _ => {
                    let error =
                        Diagnostic::error(self.pool.span(place), "only variables and their elements have values");
                    return Err(Fault::from(error.with_help("expected a name, or \"aa\" of a name")));
                }
            }
        }
    }
}
