//! The domains of variables: bounds that are constants, and types that are not supported.

use surefoot_jani::syntax::{NumericBase, Type, TypeKind};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Name;

use super::Lowering;
use super::expression::Scope;
use crate::model::Domain;

/// The name of a type for messages.
pub(super) fn type_name(ty: &Type) -> &'static str {
    match &ty.value {
        TypeKind::Bool => "bool",
        TypeKind::Int => "int",
        TypeKind::Real => "real",
        TypeKind::Bounded { base: NumericBase::Int, .. } => "bounded int",
        TypeKind::Bounded { base: NumericBase::Real, .. } => "bounded real",
        TypeKind::Array(_) => "array",
        TypeKind::Clock => "clock",
        TypeKind::Continuous => "continuous",
    }
}

impl Lowering<'_> {
    /// The domain of a non-transient scalar.
    pub(super) fn domain(&mut self, ty: &Type, scope: &Scope, name: &Name) -> Result<Domain, Diagnostic> {
        match &ty.value {
            TypeKind::Bool => Ok(Domain::Bool),
            TypeKind::Real => Ok(Domain::Real { lower: None, upper: None }),
            TypeKind::Int => Err(unbounded(ty, name)),
            TypeKind::Clock | TypeKind::Continuous => {
                Err(Diagnostic::error(ty.span, format!("variables of type {} are not supported", type_name(ty))))
            }
            TypeKind::Array(_) => Err(Diagnostic::error(ty.span, "an array type is not expected here")),
            TypeKind::Bounded { base, lower, upper } => {
                let mut bound = |expression: Option<surefoot_jani::syntax::ExprId>| match expression {
                    None => Ok(None),
                    Some(expression) => {
                        let term = self.lower_term(expression, scope)?;
                        let span = self.syntax.pool.span(expression);
                        match self.terms.constant(term) {
                            Some(value) if self.terms.ty(term).is_numeric() => Ok(Some((value, span))),
                            _ => Err(Diagnostic::error(span, "a bound must be a constant number")
                                .with_help("write a number, or a constant of the model")),
                        }
                    }
                };
                let (lower, upper) = (bound(*lower)?, bound(*upper)?);
                if let (Some((l, _)), Some((u, span))) = (&lower, &upper)
                    && l > u
                {
                    let message = format!("the domain of '{}' is empty: {l} is above {u}", name.value);
                    return Err(Diagnostic::error(*span, message).with_help("exchange the bounds"));
                }
                match base {
                    NumericBase::Real => Ok(Domain::Real { lower: lower.map(|l| l.0), upper: upper.map(|u| u.0) }),
                    NumericBase::Int => {
                        let (Some((lower, ls)), Some((upper, us))) = (lower, upper) else {
                            return Err(unbounded(ty, name));
                        };
                        let as_int = |value: Rational, span| {
                            value.to_i64().ok_or_else(|| {
                                let message = format!("the bound {value} of an int is not a 64-bit integer");
                                Diagnostic::error(span, message).with_help("give a whole number of at most 64 bits")
                            })
                        };
                        Ok(Domain::Int { lower: as_int(lower, ls)?, upper: as_int(upper, us)? })
                    }
                }
            }
        }
    }

    /// The domain of a bounded transient variable; one bound may be missing.
    pub(super) fn transient_domain(&mut self, ty: &Type, scope: &Scope, name: &Name) -> Result<Domain, Diagnostic> {
        let TypeKind::Bounded { base: NumericBase::Int, lower, upper } = &ty.value else {
            return self.domain(ty, scope, name);
        };
        if lower.is_some() && upper.is_some() {
            return self.domain(ty, scope, name);
        }
        let half = TypeKind::Bounded { base: NumericBase::Real, lower: *lower, upper: *upper };
        self.domain(&Type::new(half, ty.span), scope, name)
    }
}

fn unbounded(ty: &Type, name: &Name) -> Diagnostic {
    Diagnostic::error(ty.span, format!("the variable '{}' is an unbounded integer, which is not supported", name.value))
        .with_help(
            "give it bounds: {\"kind\": \"bounded\", \"base\": \"int\", \"lower-bound\": ..., \"upper-bound\": ...}",
        )
}
