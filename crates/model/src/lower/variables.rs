//! Variables: instances and their locations, initial values, arrays flattened into slots.

use std::sync::Arc;

use surefoot_jani::syntax::{NumericBase, Type, TypeKind, VariableDeclaration};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use super::Lowering;
use super::domain::type_name;
use super::expression::Scope;
use super::names::{InstanceNames, Value};
use crate::model::{Domain, Slot, SlotId, Transient, TransientId, numbered};
use crate::term::{CmpOp, ScalarType, TermId};

impl Lowering<'_> {
    /// One location slot per instance comes first in the state vector.
    pub(super) fn declare_instances(&mut self) -> Result<(), Diagnostic> {
        let syntax = self.syntax;
        for element in &syntax.system.elements {
            let name = &element.automaton;
            let automaton = syntax.automata.iter().position(|a| a.name.value == name.value).ok_or_else(|| {
                let error = Diagnostic::error(name.span, format!("there is no automaton '{}'", name.value));
                match surefoot_text::suggest(&name.value, syntax.automata.iter().map(|a| &*a.name.value)) {
                    Some(near) => error.with_help(format!("did you mean '{near}'?")),
                    None => error,
                }
            })?;
            let occurrence = numbered(self.names.instances.iter().filter(|i| i.automaton == automaton).count());
            let total = syntax.system.elements.iter().filter(|e| e.automaton.value == name.value).count();
            let own_name: Arc<str> =
                if total > 1 { format!("{}#{occurrence}", name.value).into() } else { Arc::clone(&name.value) };
            let locations = &syntax.automata[automaton].locations;
            if locations.is_empty() {
                return Err(Diagnostic::error(syntax.automata[automaton].name.span, "this automaton has no locations")
                    .with_help("it needs at least one"));
            }
            let mut numbers = rustc_hash::FxHashMap::default();
            for (number, location) in locations.iter().enumerate() {
                numbers.entry(Arc::clone(&location.name.value)).or_insert(numbered(number));
            }
            let initial: Vec<u32> = syntax.automata[automaton]
                .initial_locations
                .iter()
                .filter_map(|l| numbers.get(&l.value).copied())
                .collect();
            self.slots.push(Slot {
                name: Arc::clone(&own_name),
                instance: Some(self.names.instances.len()),
                domain: Domain::Int { lower: 0, upper: i64::from(numbered(locations.len() - 1)) },
                initial: if let [only] = initial[..] { Some(Rational::from(i64::from(only))) } else { None },
            });
            let locals = rustc_hash::FxHashMap::default();
            let names = InstanceNames { automaton, occurrence, name: own_name, locals, locations: numbers };
            self.names.instances.push(names);
        }
        if self.names.instances.is_empty() {
            return Err(Diagnostic::error(syntax.system.span, "the system has no elements")
                .with_help("list the automata that run in it"));
        }
        Ok(())
    }

    pub(super) fn declare_variables(&mut self) -> Result<(), Vec<Diagnostic>> {
        let syntax = self.syntax;
        let mut errors = Vec::new();
        for variable in &syntax.variables {
            if self.names.globals.contains_key(&variable.name.value) {
                let message = format!("the name '{}' is declared twice", variable.name.value);
                let help = "constants and variables share their names; rename one of them, or remove it";
                errors.push(Diagnostic::error(variable.name.span, message).with_help(help));
                continue;
            }
            match self.declare(variable, &Scope::global(), None) {
                Ok(value) => {
                    self.names.globals.insert(Arc::clone(&variable.name.value), value);
                }
                Err(error) => errors.push(error),
            }
        }
        for i in 0..self.names.instances.len() {
            for variable in &syntax.automata[self.names.instances[i].automaton].variables {
                if self.names.instances[i].locals.contains_key(&variable.name.value) {
                    let message = format!("the name '{}' is declared twice", variable.name.value);
                    let help = "rename one of them, or remove it";
                    errors.push(Diagnostic::error(variable.name.span, message).with_help(help));
                    continue;
                }
                match self.declare(variable, &Scope::instance(i), Some(i)) {
                    Ok(value) => {
                        self.names.instances[i].locals.insert(Arc::clone(&variable.name.value), value);
                    }
                    // A second instance of the same automaton has the same errors.
                    Err(error) if !errors.contains(&error) => errors.push(error),
                    Err(_) => {}
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn declare(
        &mut self,
        variable: &VariableDeclaration,
        scope: &Scope,
        instance: Option<usize>,
    ) -> Result<Value, Diagnostic> {
        let name: Arc<str> = match instance {
            Some(i) => format!("{}.{}", self.names.instances[i].name, variable.name.value).into(),
            None => Arc::clone(&variable.name.value),
        };
        let initial = match variable.initial_value {
            Some(expression) => {
                let value = self.lower_value(expression, scope)?;
                if let Some(term) = value.scalars().into_iter().find(|t| self.terms.constant(*t).is_none()) {
                    let span = self.terms.span(term).unwrap_or(self.syntax.pool.span(expression));
                    return Err(Diagnostic::error(span, "an initial value must be constant")
                        .with_help("use restrict-initial for conditions over several variables"));
                }
                Some(value)
            }
            None if variable.transient => {
                let message = format!("the transient variable '{}' has no initial-value", variable.name.value);
                return Err(Diagnostic::error(variable.name.span, message).with_help("JANI asks for one"));
            }
            None => None,
        };
        self.declare_typed(&variable.ty, initial.as_ref(), variable, scope, instance, &name)
    }

    fn declare_typed(
        &mut self,
        ty: &Type,
        initial: Option<&Value>,
        variable: &VariableDeclaration,
        scope: &Scope,
        instance: Option<usize>,
        name: &str,
    ) -> Result<Value, Diagnostic> {
        if let TypeKind::Array(inner) = &ty.value {
            let Some(Value::Array(items)) = initial else {
                let message = format!("the array variable '{}' needs an array as initial-value", variable.name.value);
                return Err(Diagnostic::error(variable.name.span, message).with_help("it fixes the array's length"));
            };
            let cells: Result<Vec<Value>, Diagnostic> = items
                .iter()
                .enumerate()
                .map(|(i, item)| {
                    let cell = format!("{name}[{i}]");
                    self.declare_typed(inner, Some(item), variable, scope, instance, &cell)
                })
                .collect();
            return Ok(Value::Array(cells?));
        }
        let initial = match initial {
            Some(Value::Scalar(term)) => Some(*term),
            Some(Value::Array(_)) => {
                let message = format!("the variable '{name}' is no array, its initial-value is one");
                return Err(Diagnostic::error(variable.name.span, message)
                    .with_help("give it a single value, or an array type"));
            }
            None => None,
        };
        if let Some(term) = initial {
            self.check_initial_type(ty, term, variable, name)?;
        }
        if variable.transient {
            let variable_type = ty;
            let ty = match &ty.value {
                TypeKind::Bool => ScalarType::Bool,
                TypeKind::Int | TypeKind::Bounded { base: NumericBase::Int, .. } => ScalarType::Int,
                _ => ScalarType::Real,
            };
            let definition = initial.expect("transient variables have an initial value");
            let bounded = matches!(variable_type.value, TypeKind::Bounded { .. });
            let domain =
                if bounded { Some(self.transient_domain(variable_type, scope, &variable.name)?) } else { None };
            let value = self.terms.constant(definition).expect("checked by the caller");
            if let Some(domain) = domain.as_ref().filter(|domain| !domain.contains(&value)) {
                let message =
                    format!("the initial value {value} of '{name}' is outside its domain {}", domain.describe());
                return Err(Diagnostic::error(variable.name.span, message));
            }
            let id = TransientId::at(self.transients.len());
            self.transients.push(Transient { name: name.into(), ty, domain, definition, initial: definition });
            return Ok(Value::Scalar(self.terms.transient(id, ty)));
        }
        let domain = self.domain(ty, scope, &variable.name)?;
        let initial = initial.map(|term| self.terms.constant(term).expect("checked by the caller"));
        if let Some(value) = initial.as_ref().filter(|value| !domain.contains(value)) {
            let message = format!("the initial value {value} of '{name}' is outside its domain {}", domain.describe());
            return Err(Diagnostic::error(variable.name.span, message));
        }
        let slot = SlotId(u32::try_from(self.slots.len()).expect("fewer than 2^32 slots"));
        let term = self.terms.slot(slot, domain.ty());
        self.slots.push(Slot { name: name.into(), instance, domain, initial });
        Ok(Value::Scalar(term))
    }

    /// Truth values are no numbers, and fractions no integers, here as in assignments.
    fn check_initial_type(
        &self,
        ty: &Type,
        initial: TermId,
        variable: &VariableDeclaration,
        name: &str,
    ) -> Result<(), Diagnostic> {
        let value = self.terms.constant(initial).expect("checked by the caller");
        let is_bool = self.terms.ty(initial) == ScalarType::Bool;
        let integral = matches!(&ty.value, TypeKind::Int | TypeKind::Bounded { base: NumericBase::Int, .. });
        let found = match &ty.value {
            TypeKind::Bool if !is_bool => format!("the number {value}"),
            TypeKind::Bool => return Ok(()),
            _ if is_bool => "a truth value".to_owned(),
            _ if integral && !value.is_integer() => format!("{value}, no integer"),
            _ => return Ok(()),
        };
        let span = variable.initial_value.map_or(variable.name.span, |value| self.syntax.pool.span(value));
        let message = format!("'{name}' is of type {}, its initial value is {found}", type_name(ty));
        let help =
            if matches!(ty.value, TypeKind::Bool) { "write true or false" } else { "write a number of that type" };
        Err(Diagnostic::error(span, message).with_help(help))
    }

    /// The condition that an instance is at a location.
    pub(super) fn at_location(&mut self, instance: usize, location: u32) -> TermId {
        let slot = self.terms.slot(SlotId::at(instance), ScalarType::Int);
        let number = self.terms.num(Rational::from(i64::from(location)));
        if self.slots[instance].domain.int_bounds() == Some((0, 0)) {
            return self.terms.bool(true);
        }
        self.terms.cmp(CmpOp::Eq, slot, number)
    }
}
