//! Properties: JANI's filters and PlaJA's safety properties.

use crate::operators::{Operator, filter_function, filter_functions, lookup};
use crate::read::{Fault, Read, Reader, body_or_refusal};
use crate::syntax::{ExprId, Objective, PaProperty, Property, PropertyBody, Start, StateValues};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape, shown};
use surefoot_text::source::Spanned;
use surefoot_text::suggest;

const PROPERTY: Shape = Shape::new("a property", &["name", "expression"], &[]);
const FILTER: Shape = Shape::new("a filter", &["op", "fun", "values", "states"], &[]);
const SAFETY: Shape = Shape::new("a PA property", &["op"], &["start", "reach", "objective", "predicates", "file"]);
const OBJECTIVE: Shape = Shape::new(
    "an objective",
    &["op"],
    &["goal", "goal-potential", "goal-reward", "step-reward", "accumulate", "goal-terminal"],
);
const STATES: Shape = Shape::new("\"states-values\"", &["op", "values"], &[]);
const STATE: Shape = Shape::new("a start state", &[], &["locations", "variables"]);
const VALUE: Shape = Shape::new("the value of a variable", &["var", "value"], &[]);

impl Reader<'_> {
    pub(super) fn property(&mut self, node: Node<'_>) -> Read<Property> {
        let object = ObjectReader::new(node, &PROPERTY)?;
        let name = self.name(object.required("name"), "the name of a property")?;
        let before = self.pool.len();
        let body = body_or_refusal(self.property_body(object.required("expression")))?;
        if matches!(body, PropertyBody::Unsupported(_)) {
            // Nothing refers to the operands that were read before the refusal.
            self.pool.truncate(before);
        }
        Ok(Property { name, body, span: node.span() })
    }

    fn property_body(&mut self, node: Node<'_>) -> Read<PropertyBody> {
        let Some(op) = node.get("op") else {
            let error = Diagnostic::error(node.span(), "a property is an object with \"op\"");
            return Err(error.with_help("the operators of properties are \"filter\" and \"PA\"").into());
        };
        match op.expect_str("the operator of a property")? {
            "filter" => self.filter(node),
            "PA" => self.safety(node),
            other => match lookup(other) {
                Some(Operator::Refused(what, help)) => {
                    let error = Diagnostic::error(op.span(), format!("\"{other}\" ({what}) is not supported"));
                    Err(Fault::unsupported(error.with_help(help)))
                }
                Some(_) => {
                    let error = Diagnostic::error(op.span(), format!("\"{other}\" can stand only inside a filter"));
                    let help = "write {\"op\": \"filter\", \"fun\": \"values\", \"values\": ..., \"states\": {\"op\": \"initial\"}}";
                    Err(error.with_help(help).into())
                }
                None => {
                    let message = format!("there is no property operator \"{}\"", shown(other));
                    Err(Diagnostic::error(op.span(), message).with_help("there are \"filter\" and \"PA\"").into())
                }
            },
        }
    }

    fn filter(&mut self, node: Node<'_>) -> Read<PropertyBody> {
        let object = ObjectReader::new(node, &FILTER)?;
        let fun = object.required("fun");
        let name = fun.expect_str("the function of a filter")?;
        let Some(function) = filter_function(name) else {
            let error = Diagnostic::error(fun.span(), format!("there is no filter function \"{}\"", shown(name)));
            let meant = match name {
                "forall" => Some("∀"),
                "exists" => Some("∃"),
                _ => suggest(name, filter_functions()),
            };
            let known = || surefoot_text::json::listed(filter_functions());
            return Err(match meant {
                Some(meant) => error.with_help(format!("did you mean \"{meant}\"?")),
                None => error.with_help(format!("the functions are {}", known())),
            }
            .into());
        };
        let values = self.formula(object.required("values"))?;
        let states = self.formula(object.required("states"))?;
        Ok(PropertyBody::Filter { function, values, states })
    }

    fn safety(&mut self, node: Node<'_>) -> Read<PropertyBody> {
        let object = ObjectReader::new(node, &SAFETY)?;
        let start = object.optional("start").map(|start| self.included(start, &mut Self::start)).transpose()?;
        let reach = object.optional("reach").map(|reach| self.included(reach, &mut Self::expression)).transpose()?;
        let objective = object.optional("objective");
        let objective = objective.map(|node| self.included(node, &mut Self::objective)).transpose()?;
        let predicates = object.optional("predicates");
        let predicates = predicates.map(|node| self.included(node, &mut Self::predicates)).transpose()?;
        let file = object.optional("file").map(|file| {
            let path = self.resolve(file.span(), file.expect_str("the path of a policy interface")?);
            Ok::<_, Diagnostic>(Spanned::new(path, file.span()))
        });
        let file = file.transpose()?;
        Ok(PropertyBody::Pa(Box::new(PaProperty { start, reach, objective, predicates, file })))
    }

    fn start(&mut self, node: Node<'_>) -> Read<Start> {
        if node.kind() != Kind::Object || node.get("op").and_then(Node::as_str) != Some("states-values") {
            return Ok(Start::Condition(self.expression(node)?));
        }
        let values = ObjectReader::new(node, &STATES)?.required("values");
        let mut states = Vec::new();
        for state in values.expect_array("the start states as an array")? {
            let object = ObjectReader::new(state, &STATE)?;
            let locations = self.locations(object.optional("locations"))?;
            let mut variables = Vec::new();
            if let Some(list) = object.optional("variables") {
                for value in list.expect_array("the values of the variables as an array")? {
                    let value = ObjectReader::new(value, &VALUE)?;
                    let reference = self.reference(value.required("var"))?;
                    variables.push((reference, self.expression(value.required("value"))?));
                }
            }
            states.push(StateValues { locations, variables, span: state.span() });
        }
        Ok(Start::States(states))
    }

    fn objective(&mut self, node: Node<'_>) -> Read<Objective> {
        let object = ObjectReader::new(node, &OBJECTIVE)?;
        let op = object.required("op");
        if op.as_str() != Some("objective") {
            return Err(Diagnostic::error(op.span(), "an objective has the operator \"objective\"")
                .with_help("write \"op\": \"objective\"")
                .into());
        }
        // How rewards add up matters to learning only.
        if let Some(accumulate) = object.optional("accumulate") {
            for kind in accumulate.expect_array("\"steps\" and \"exit\" as an array")? {
                match kind.expect_str("\"steps\", \"time\" or \"exit\"")? {
                    "steps" | "time" | "exit" => {}
                    other => {
                        let message = format!("nothing accumulates at \"{}\"", shown(other));
                        let help = "the choices are \"steps\", \"time\" and \"exit\"";
                        return Err(Diagnostic::error(kind.span(), message).with_help(help).into());
                    }
                }
            }
        }
        let potential = match (object.optional("goal-potential"), object.optional("goal-reward")) {
            (Some(_), Some(old)) => {
                let error = Diagnostic::error(old.span(), "\"goal-reward\" is the old name of \"goal-potential\"");
                return Err(error.with_help("keep one of them").into());
            }
            (new, old) => new.or(old),
        };
        let goal = object.optional("goal").map(|goal| self.included(goal, &mut Self::expression)).transpose()?;
        let terminal = object.optional("goal-terminal");
        let goal_terminal = terminal.map(|node| node.expect_bool("whether goal states are terminal")).transpose()?;
        let goal_terminal = goal_terminal.unwrap_or(false);
        Ok(Objective {
            goal,
            goal_potential: potential.map(|potential| self.expression(potential)).transpose()?,
            step_reward: object.optional("step-reward").map(|reward| self.expression(reward)).transpose()?,
            goal_terminal,
        })
    }

    fn predicates(&mut self, node: Node<'_>) -> Read<Vec<ExprId>> {
        let mut predicates = Vec::new();
        for predicate in node.expect_array("the predicates as an array")? {
            predicates.push(self.expression(predicate)?);
        }
        Ok(predicates)
    }
}
