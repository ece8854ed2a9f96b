//! Locations and variables of the model by name, as policy files give them.

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Node, ObjectReader, Shape};
use surefoot_text::source::Span;

use super::{Reading, help_with_names};
use crate::lower::Value;
use crate::model::SlotId;
use crate::term::{ScalarType, TermId};

const LOCATION: Shape = Shape::new("a location as input", &["location"], &["index"]);
const LOCAL: Shape = Shape::new("a local variable as input", &["variable", "automaton"], &["index", "cell"]);

/// Whose variable a name is.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    Global,
    Instance(usize),
}

impl Reading<'_> {
    /// `{"location": ...}` or `{"variable": ...}`.
    pub(super) fn input_leaf(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        if node.get("location").is_some() {
            let object = ObjectReader::new(node, &LOCATION)?;
            let instance = self.instance(object.required("location"), object.optional("index"))?;
            return Ok(self.location_number(instance));
        }
        let object = ObjectReader::new(node, &LOCAL)?;
        let instance = self.instance(object.required("automaton"), object.optional("index"))?;
        self.variable(object.required("variable"), Owner::Instance(instance), object.optional("cell"))
    }

    /// The number of the location an instance is at.
    pub(super) fn location_number(&mut self, instance: usize) -> TermId {
        self.lowered.model.terms.slot(SlotId::at(instance), ScalarType::Int)
    }

    /// The instance of an automaton's name and the number of its occurrence among the system's elements.
    pub(super) fn instance(&self, name: Node<'_>, index: Option<Node<'_>>) -> Result<usize, Diagnostic> {
        let automaton = name.expect_str("the name of an automaton")?;
        let instances = &self.lowered.model.instances;
        let count = instances.iter().filter(|i| &*i.automaton == automaton).count();
        if count == 0 {
            let mut known: Vec<&str> = instances.iter().map(|i| &*i.automaton).collect();
            known.dedup();
            let error = Diagnostic::error(name.span(), format!("the system has no automaton '{automaton}'"));
            return Err(help_with_names(error, automaton, "automata", &known));
        }
        let occurrence = match index.filter(|index| !index.is_null()) {
            Some(node) => node.expect_i64("the place of the automaton among its occurrences, from 0")?,
            None if count == 1 => 0,
            None => {
                let message = format!("'{automaton}' occurs {count} times in the system: which one is meant?");
                let help = format!("add \"index\", a number from 0 to {}", count - 1);
                return Err(Diagnostic::error(name.span(), message).with_help(help));
            }
        };
        let wanted = u32::try_from(occurrence).ok();
        let found = instances.iter().position(|i| &*i.automaton == automaton && Some(i.occurrence) == wanted);
        found.ok_or_else(|| {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("'{automaton}' occurs {times} in the system, there is no index {occurrence}");
            Diagnostic::error(index.map_or(name.span(), Node::span), message)
                .with_help("the index counts the occurrences of this automaton among the system's elements, from 0")
        })
    }

    /// A variable (or constant) by its name and owner, or a cell of an array.
    pub(super) fn variable(&self, name: Node<'_>, owner: Owner, cell: Option<Node<'_>>) -> Result<TermId, Diagnostic> {
        let text = name.expect_str("the name of a variable")?;
        let names = &self.lowered.names;
        let known = match owner {
            Owner::Global => &names.globals,
            Owner::Instance(i) => &names.instances[i].locals,
        };
        let Some(value) = known.get(text) else { return Err(self.unknown_variable(text, name.span(), owner)) };
        match (value, cell) {
            (Value::Scalar(term), None) => Ok(*term),
            (Value::Scalar(_), Some(cell)) => {
                Err(Diagnostic::error(cell.span(), format!("'{text}' is no array, so it has no cells")))
            }
            (Value::Array(items), None) => {
                let message = format!("'{text}' is an array; an input is a single value");
                let help = format!("say which of its {} cells is meant, as one input each", items.len());
                Err(Diagnostic::error(name.span(), message).with_help(help))
            }
            (Value::Array(items), Some(cell)) => {
                let index = cell.expect_i64("the number of a cell, from 0")?;
                match usize::try_from(index).ok().and_then(|i| items.get(i)) {
                    Some(Value::Scalar(term)) => Ok(*term),
                    Some(Value::Array(_)) => {
                        let message = format!("'{text}' is an array of arrays, and one number does not tell a cell");
                        let help = "in a .policy.json file cells are also written {\"op\": \"aa\", ...}";
                        Err(Diagnostic::error(cell.span(), message).with_help(help))
                    }
                    None => {
                        let message = format!("'{text}' has {} cells, there is no cell {index}", items.len());
                        Err(Diagnostic::error(cell.span(), message).with_help("cells are counted from 0"))
                    }
                }
            }
        }
    }

    fn unknown_variable(&self, name: &str, span: Span, owner: Owner) -> Diagnostic {
        let names = &self.lowered.names;
        match owner {
            Owner::Global => {
                let error = Diagnostic::error(span, format!("the model has no global variable '{name}'"));
                let local = names.instances.iter().position(|i| i.locals.contains_key(name));
                let Some(local) = local.map(|i| &self.lowered.model.instances[i]) else {
                    let mut known = self.global_names();
                    known.sort_unstable();
                    return help_with_names(error, name, "global variables and constants", &known);
                };
                error.with_help(format!(
                    "it is local to an automaton: \"automaton\": {{\"name\": \"{}\", \"index\": {}}}",
                    local.automaton, local.occurrence
                ))
            }
            Owner::Instance(i) => {
                let automaton = &self.lowered.model.instances[i].automaton;
                let message = format!("the automaton '{automaton}' has no local variable '{name}'");
                let error = Diagnostic::error(span, message);
                if names.globals.contains_key(name) {
                    return error.with_help("there is a global one of that name: give it without its automaton");
                }
                let mut known: Vec<&str> = names.instances[i].locals.keys().map(|name| &**name).collect();
                known.sort_unstable();
                help_with_names(error, name, "local variables", &known)
            }
        }
    }

    fn global_names(&self) -> Vec<&str> {
        self.lowered.names.globals.keys().map(|name| &**name).collect()
    }
}
