//! Constants: evaluated first, in any order, with values from outside taking precedence.

use std::sync::Arc;

use surefoot_jani::syntax::{ConstantDeclaration, NumericBase, Type, TypeKind};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::suggest;

use super::expression::Scope;
use super::names::Value;
use super::order::evaluation_order;
use super::{GivenConstant, Lowering, domain};
use crate::term::ScalarType;

/// Constants with more bits are refused: a square of a square of a square has twice as many each time.
const MAX_BITS: usize = 1 << 20;

impl Lowering<'_> {
    pub(super) fn lower_constants(&mut self, given: &[GivenConstant]) -> Result<(), Vec<Diagnostic>> {
        let syntax = self.syntax;
        let mut errors = Vec::new();
        for (index, constant) in given.iter().enumerate() {
            if given[..index].iter().any(|earlier| earlier.name == constant.name) {
                let message = format!("the constant '{}' is given twice on the command line", constant.name);
                errors.push(
                    Diagnostic::error_anywhere(message)
                        .with_help(format!("keep one {} for each constant", option("const"))),
                );
                continue;
            }
            if !syntax.constants.iter().any(|c| *c.name.value == *constant.name) {
                let error = format!("the model has no constant '{}'", constant.name);
                let near = suggest(&constant.name, syntax.constants.iter().map(|c| &*c.name.value));
                let known: Vec<&str> = syntax.constants.iter().map(|c| &*c.name.value).collect();
                let help = match near {
                    Some(name) => format!("did you mean '{name}'?"),
                    None if known.is_empty() => "the model has no constants at all".to_owned(),
                    None => format!("it has {}", known.join(", ")),
                };
                errors.push(Diagnostic::error_anywhere(error).with_help(help));
            }
        }
        let undefined: Vec<&ConstantDeclaration> = syntax
            .constants
            .iter()
            .filter(|c| c.value.is_none() && !given.iter().any(|g| *g.name == *c.name.value))
            .collect();
        if !undefined.is_empty() {
            let names: Vec<String> =
                undefined.iter().map(|c| format!("'{}' ({})", c.name.value, domain::type_name(&c.ty))).collect();
            let options: Vec<String> =
                undefined.iter().map(|c| format!("{} {}=...", option("const"), c.name.value)).collect();
            errors.push(
                Diagnostic::error(undefined[0].name.span, format!("no value for the constant {}", names.join(", ")))
                    .with_help(format!("give it on the command line: {}", options.join(" "))),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let (order, circular) = evaluation_order(syntax, given);
        for index in order {
            self.lower_constant(&syntax.constants[index], given).map_err(|error| vec![error])?;
        }
        let Some(first) = circular.first().map(|index| &syntax.constants[*index]) else { return Ok(()) };
        // Lowering it names the name that has no value yet.
        let error = self.lower_constant(first, given).err().unwrap_or_else(|| {
            Diagnostic::error(first.name.span, "this constant is defined in terms of itself")
                .with_help("give it a value that does not depend on it")
        });
        Err(vec![error])
    }

    fn lower_constant(&mut self, constant: &ConstantDeclaration, given: &[GivenConstant]) -> Result<(), Diagnostic> {
        let name = &constant.name;
        if self.names.globals.contains_key(&name.value) {
            return Err(Diagnostic::error(name.span, format!("the name '{}' is declared twice", name.value))
                .with_help("constants and variables share their names; rename one of them, or remove it"));
        }
        let value = if let Some(outside) = given.iter().find(|g| *g.name == *name.value) {
            if constant.value.is_some() {
                let note = format!("the constant '{}' is overridden with {}", name.value, outside.value);
                self.notes.push(Diagnostic::notice(name.span, note));
            }
            let is_bool = matches!(constant.ty.value, TypeKind::Bool);
            if is_bool != outside.is_bool {
                let wanted = domain::type_name(&constant.ty);
                return Err(Diagnostic::error(name.span, format!("the constant '{}' is of type {wanted}", name.value))
                    .with_help(format!("give it as {}", if is_bool { "true or false" } else { "a number" })));
            }
            let ty = if is_bool { ScalarType::Bool } else { ScalarType::Real };
            Value::Scalar(self.terms.value(outside.value.clone(), ty))
        } else {
            let value = constant.value.expect("undefined constants were reported");
            self.lower_value(value, &Scope::global())?
        };
        for term in value.scalars() {
            if self.terms.constant(term).is_some_and(|number| number.bit_size() > MAX_BITS) {
                return Err(Diagnostic::error(name.span, format!("the value of '{}' is too large", name.value))
                    .with_help("numbers with more than 300,000 digits are not computed with"));
            }
            if self.terms.constant(term).is_none() {
                return Err(Diagnostic::error(name.span, format!("the value of '{}' is not constant", name.value))
                    .with_help("only numbers, truth values and other constants may occur in it"));
            }
        }
        self.check_constant_type(&constant.ty, &value, constant)?;
        self.names.globals.insert(Arc::clone(&name.value), value);
        Ok(())
    }

    fn check_constant_type(
        &mut self,
        ty: &Type,
        value: &Value,
        constant: &ConstantDeclaration,
    ) -> Result<(), Diagnostic> {
        let wrong = |found: &str| {
            let wanted = domain::type_name(&constant.ty);
            let message = format!("the constant '{}' is of type {wanted}, its value is {found}", constant.name.value);
            Err(Diagnostic::error(constant.name.span, message)
                .with_help("give it a value of its type, or another type"))
        };
        let term = match (&ty.value, value) {
            (TypeKind::Array(inner), Value::Array(items)) => {
                return items.iter().try_for_each(|item| self.check_constant_type(inner, item, constant));
            }
            (TypeKind::Array(_), _) => return wrong("not an array"),
            (_, Value::Array(_)) => return wrong("an array"),
            (_, Value::Scalar(term)) => *term,
        };
        let number = self.terms.constant(term).expect("checked above");
        let is_bool = self.terms.ty(term) == ScalarType::Bool;
        match &ty.value {
            TypeKind::Bool if !is_bool => wrong("a number"),
            TypeKind::Bool => Ok(()),
            _ if is_bool => wrong("a truth value"),
            TypeKind::Int | TypeKind::Bounded { base: NumericBase::Int, .. } if !number.is_integer() => {
                wrong(&number.to_string())
            }
            TypeKind::Bounded { .. } => {
                let domain = self.domain(ty, &Scope::global(), &constant.name)?;
                if domain.contains(&number) { Ok(()) } else { wrong(&number.to_string()) }
            }
            _ => Ok(()),
        }
    }
}
