//! Outputs that are values: the transient variables that a policy computes.

use surefoot_jani::syntax::TypeKind;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Node;

use super::{Reading, help_with_names};
use crate::lower::Value;
use crate::model::TransientId;
use crate::policy::Outputs;
use crate::term::{ScalarType, Term};

impl Reading<'_> {
    /// The transient variables that a list names, in order and distinct.
    pub(super) fn variables(&mut self, list: Node<'_>) -> Result<Outputs, Diagnostic> {
        let mut variables: Vec<TransientId> = Vec::new();
        for item in list.expect_array("the outputs as an array of names of transient variables")? {
            let found = self.output_variable(item);
            let Some(id) = self.note(found) else { continue };
            let transient = &self.lowered.model.transients[id.0 as usize];
            let name = &transient.name;
            if variables.contains(&id) {
                let message = format!("the variable '{name}' is listed twice; each output needs one of its own");
                self.errors.push(Diagnostic::error(item.span(), message));
            } else if self.lowered.model.terms.constant(transient.definition).is_none() {
                let message = format!("the model gives '{name}' values at locations; those of the policy replace them");
                self.notes.push(Diagnostic::warning(item.span(), message));
            } else if self.has_bounds(name) {
                let message = format!("the bounds of '{name}' do not restrict the outputs of the network");
                let help = "declare it as \"real\"; \"min\" and \"max\" clip a value where it is used";
                self.notes.push(Diagnostic::warning(item.span(), message).with_help(help));
            }
            variables.push(id);
        }
        if variables.is_empty() && self.errors.is_empty() {
            return Err(Diagnostic::error(list.span(), "a policy needs at least one output"));
        }
        Ok(Outputs::Transients(variables))
    }

    /// Whether a transient variable is declared with bounds, by its full name (`car.accel[0]`).
    fn has_bounds(&self, name: &str) -> bool {
        let name = name.split('[').next().unwrap_or_default();
        let syntax = self.lowered.syntax();
        let locals = self.lowered.names.instances.iter().flat_map(|instance| {
            let variables = &syntax.automata[instance.automaton].variables;
            variables.iter().map(|v| (format!("{}.{}", instance.name, v.name.value), v))
        });
        let globals = syntax.variables.iter().map(|v| (v.name.value.to_string(), v));
        let declared = globals.chain(locals).find(|(full, v)| v.transient && full == name);
        let mut ty = declared.map(|(_, v)| &v.ty.value);
        while let Some(TypeKind::Array(inner)) = ty {
            ty = Some(&inner.value);
        }
        matches!(ty, Some(TypeKind::Bounded { .. }))
    }

    fn output_variable(&self, node: Node<'_>) -> Result<TransientId, Diagnostic> {
        let name = node.expect_str("the name of a transient variable")?;
        let model = &self.lowered.model;
        let by_full_name = || model.transients.iter().position(|t| &*t.name == name).map(TransientId::at);
        let id = match self.lowered.names.in_property(name) {
            Some(Value::Scalar(term)) => match model.terms.get(*term) {
                Term::Transient(id) => *id,
                _ => {
                    let message =
                        format!("'{name}' is part of the state or a constant; a policy computes transient variables");
                    let help = "mark the variable as \"transient\": true, and let edges assign from it";
                    return Err(Diagnostic::error(node.span(), message).with_help(help));
                }
            },
            Some(Value::Array(_)) => {
                let error =
                    Diagnostic::error(node.span(), format!("'{name}' is an array; an output is a single value"));
                return Err(error.with_help(format!("name its cells one by one, as in \"{name}[0]\"")));
            }
            None => by_full_name().ok_or_else(|| {
                let error = Diagnostic::error(node.span(), format!("the model has no transient variable '{name}'"));
                let known: Vec<&str> = model.transients.iter().map(|t| &*t.name).collect();
                help_with_names(error, name, "transient variables", &known)
            })?,
        };
        match model.transients[id.0 as usize].ty {
            ScalarType::Real => Ok(id),
            // Soundness: terms over int variables are simplified as if their values were integers.
            ty => {
                let message = format!("'{name}' is of type {}, and outputs of a network are reals", ty.name());
                let help = "declare it as \"real\", and round or compare it where it is used";
                Err(Diagnostic::error(node.span(), message).with_help(help))
            }
        }
    }
}
