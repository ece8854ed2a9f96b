//! Types, constants, variables and functions.

use crate::read::{Fault, Read, Reader};
use crate::syntax::{ConstantDeclaration, FunctionDeclaration, NumericBase, Type, TypeKind, VariableDeclaration};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};
use surefoot_text::source::Spanned;
use surefoot_text::suggest;

/// Array types nested deeper than this are refused.
const MAX_DIMENSIONS: usize = 16;

const BOUNDED: Shape = Shape::new("a bounded type", &["kind", "base"], &["lower-bound", "upper-bound"]);
const ARRAY: Shape = Shape::new("an array type", &["kind", "base"], &[]);
const CONSTANT: Shape = Shape::new("a constant", &["name", "type"], &["value"]);
const VARIABLE: Shape = Shape::new("a variable", &["name", "type"], &["transient", "initial-value"]);
const FUNCTION: Shape = Shape::new("a function", &["name", "type", "parameters", "body"], &[]);
const PARAMETER: Shape = Shape::new("a parameter", &["name", "type"], &[]);

impl Reader<'_> {
    pub(super) fn ty(&mut self, node: Node<'_>) -> Read<Type> {
        let mut arrays = Vec::new();
        let mut inner = node;
        while inner.kind() == Kind::Object && inner.get("kind").and_then(Node::as_str) == Some("array") {
            if arrays.len() == MAX_DIMENSIONS {
                let message = format!("arrays of more than {MAX_DIMENSIONS} dimensions are not supported");
                return Err(Diagnostic::error(inner.span(), message)
                    .with_help("use an array of fewer dimensions")
                    .into());
            }
            let array = ObjectReader::new(inner, &ARRAY)?;
            arrays.push(inner.span());
            inner = array.required("base");
        }
        let kind = if inner.kind() == Kind::Object { self.bounded(inner)? } else { basic(inner)? };
        let element = Spanned::new(kind, inner.span());
        Ok(arrays.into_iter().rev().fold(element, |base, span| Spanned::new(TypeKind::Array(Box::new(base)), span)))
    }

    fn bounded(&mut self, node: Node<'_>) -> Read<TypeKind> {
        let kind = node.get("kind").ok_or_else(|| {
            Diagnostic::error(node.span(), "a type needs \"kind\"")
                .with_help("the kinds are \"bounded\" and \"array\"; bool, int and real are written as strings")
        })?;
        match kind.expect_str("the kind of a type")? {
            "bounded" => {}
            refused @ ("datatype" | "option") => {
                let message = format!("types of kind \"{refused}\" are not supported");
                let help = "use one variable per field";
                return Err(Fault::unsupported(Diagnostic::error(kind.span(), message).with_help(help)));
            }
            other => {
                let message = format!("there is no type of kind \"{}\"", surefoot_text::json::shown(other));
                let help = "the kinds are \"bounded\" and \"array\"; bool, int and real are written as strings";
                return Err(Diagnostic::error(kind.span(), message).with_help(help).into());
            }
        }
        let bounded = ObjectReader::new(node, &BOUNDED)?;
        let base = bounded.required("base");
        let base = match base.expect_str("\"int\" or \"real\"")? {
            "int" => NumericBase::Int,
            "real" => NumericBase::Real,
            _ => {
                return Err(Diagnostic::error(base.span(), "a bounded type has base \"int\" or \"real\"")
                    .with_help("truth values and arrays have no bounds")
                    .into());
            }
        };
        let lower = bounded.optional("lower-bound").map(|bound| self.expression(bound)).transpose()?;
        let upper = bounded.optional("upper-bound").map(|bound| self.expression(bound)).transpose()?;
        Ok(TypeKind::Bounded { base, lower, upper })
    }

    pub(super) fn constant(&mut self, node: Node<'_>) -> Read<ConstantDeclaration> {
        let object = ObjectReader::new(node, &CONSTANT)?;
        Ok(ConstantDeclaration {
            name: self.name(object.required("name"), "the name of a constant")?,
            ty: self.ty(object.required("type"))?,
            value: object.optional("value").map(|value| self.expression(value)).transpose()?,
        })
    }

    pub(super) fn variable(&mut self, node: Node<'_>) -> Read<VariableDeclaration> {
        let object = ObjectReader::new(node, &VARIABLE)?;
        let transient = object.optional("transient").map(|value| value.expect_bool("true or false")).transpose()?;
        Ok(VariableDeclaration {
            name: self.name(object.required("name"), "the name of a variable")?,
            ty: self.ty(object.required("type"))?,
            transient: transient.unwrap_or(false),
            initial_value: object.optional("initial-value").map(|value| self.expression(value)).transpose()?,
        })
    }

    pub(super) fn function(&mut self, node: Node<'_>) -> Read<FunctionDeclaration> {
        let object = ObjectReader::new(node, &FUNCTION)?;
        let name = self.name(object.required("name"), "the name of a function")?;
        let ty = self.ty(object.required("type"))?;
        let mut parameters = Vec::new();
        for parameter in object.required("parameters").expect_array("the parameters of a function as an array")? {
            let parameter = ObjectReader::new(parameter, &PARAMETER)?;
            let name = self.name(parameter.required("name"), "the name of a parameter")?;
            parameters.push((name, self.ty(parameter.required("type"))?));
        }
        Ok(FunctionDeclaration { name, ty, parameters, body: self.expression(object.required("body"))? })
    }
}

/// A type that is only a word.
fn basic(node: Node<'_>) -> Read<TypeKind> {
    match node.expect_str("a type")? {
        "bool" => Ok(TypeKind::Bool),
        "int" => Ok(TypeKind::Int),
        "real" => Ok(TypeKind::Real),
        refused @ ("clock" | "continuous") => {
            let message = format!("variables of type \"{refused}\" are not supported");
            let help = "only lts, dtmc and mdp models are supported, in which time does not pass";
            Err(Fault::unsupported(Diagnostic::error(node.span(), message).with_help(help)))
        }
        other => {
            let meant = match other.to_lowercase().as_str() {
                "boolean" => Some("bool"),
                "integer" => Some("int"),
                "float" | "double" | "rational" => Some("real"),
                _ => suggest(other, ["bool", "int", "real"].into_iter()),
            };
            let error =
                Diagnostic::error(node.span(), format!("there is no type \"{}\"", surefoot_text::json::shown(other)));
            Err(match meant {
                Some(meant) => error.with_help(format!("did you mean \"{meant}\"?")),
                None => {
                    error.with_help("the types are \"bool\", \"int\", \"real\", and bounded and array types as objects")
                }
            }
            .into())
        }
    }
}
