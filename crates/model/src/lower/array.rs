//! Arrays taken apart: cells by constant or computed index, choices between arrays, constructors.

use std::sync::Arc;

use surefoot_jani::syntax::ExprId;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{Name, Span};

use super::Lowering;
use super::expression::Scope;
use super::names::Value;
use crate::term::{ScalarType, TermId};

const MAX_ARRAY: i64 = 1_000_000;

impl Lowering<'_> {
    /// An array of these items, which must have one shape and be all numbers or all truth values.
    pub(super) fn array(&self, items: Vec<Value>, span: Span) -> Result<Value, Diagnostic> {
        let Some((first, rest)) = items.split_first() else { return Ok(Value::Array(items)) };
        if let Some(at) = rest.iter().position(|item| !item.same_shape(first)) {
            let message = format!("the cells of an array have one shape, but cell {} differs from cell 0", at + 1);
            return Err(Diagnostic::error(span, message).with_help("all rows need the same number of cells"));
        }
        let is_bool = |term: &TermId| self.terms.ty(*term) == ScalarType::Bool;
        let mut kinds = items.iter().flat_map(Value::scalars).map(|term| is_bool(&term));
        if let Some(kind) = kinds.next()
            && kinds.any(|other| other != kind)
        {
            let error = Diagnostic::error(span, "the cells of an array are all numbers or all truth values, not both");
            return Err(error.with_help("use two arrays"));
        }
        Ok(Value::Array(items))
    }

    pub(super) fn choose(
        &mut self,
        condition: TermId,
        then: &Value,
        otherwise: &Value,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        match (then, otherwise) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                if self.terms.ty(*a).is_numeric() != self.terms.ty(*b).is_numeric() {
                    return Err(Diagnostic::error(span, "the branches of 'ite' have different types")
                        .with_help("both are numbers, or both are truth values"));
                }
                let term = self.terms.ite(condition, *a, *b);
                self.terms.set_span(term, span);
                Ok(Value::Scalar(term))
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let items =
                    a.iter().zip(b).map(|(a, b)| self.choose(condition, a, b, span)).collect::<Result<_, _>>()?;
                Ok(Value::Array(items))
            }
            _ => Err(Diagnostic::error(span, "the branches of 'ite' have different shapes")
                .with_help("both are single values, or arrays of the same length")),
        }
    }

    pub(super) fn access(&mut self, array: Value, index: TermId, span: Span) -> Result<Value, Diagnostic> {
        let Value::Array(items) = array else {
            return Err(Diagnostic::error(span, "only arrays have cells, this is a single value")
                .with_help("use it without an index"));
        };
        if self.terms.ty(index) != ScalarType::Int {
            let found = self.terms.ty(index).name();
            return Err(Diagnostic::error(span, format!("an array index must be of type int, this is {found}"))
                .with_help("round it with \"floor\" or \"ceil\" first"));
        }
        if let Some(number) = self.terms.constant(index) {
            let item = number.to_i64().and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i));
            return item.cloned().ok_or_else(|| {
                let message = format!("the index {number} is outside the array, which has {} cells", items.len());
                Diagnostic::error(span, message).with_help("cells are counted from 0")
            });
        }
        self.select(&items, index, span)
    }

    /// Selection by a computed index, cell by cell for arrays of arrays.
    fn select(&mut self, items: &[Value], index: TermId, span: Span) -> Result<Value, Diagnostic> {
        match items.first() {
            None => {
                Err(Diagnostic::error(span, "an empty array has no cells")
                    .with_help("give the array at least one cell"))
            }
            Some(Value::Scalar(_)) => {
                let cells: Vec<TermId> = items.iter().map(|i| self.scalar(i, span)).collect::<Result<_, _>>()?;
                let numeric = self.terms.ty(cells[0]).is_numeric();
                if cells.iter().any(|c| self.terms.ty(*c).is_numeric() != numeric) {
                    return Err(Diagnostic::error(span, "the cells of this array have different types"));
                }
                let term = self.terms.select(&cells, index);
                self.terms.set_span(term, span);
                Ok(Value::Scalar(term))
            }
            Some(first @ Value::Array(row)) => {
                if items.iter().any(|item| !item.same_shape(first)) {
                    return Err(Diagnostic::error(span, "the rows of this array have different lengths"));
                }
                let columns: Result<Vec<Value>, Diagnostic> = (0..row.len())
                    .map(|c| {
                        let column: Vec<Value> = items
                            .iter()
                            .map(|item| match item {
                                Value::Array(cells) => cells[c].clone(),
                                Value::Scalar(_) => unreachable!("same shape as the first"),
                            })
                            .collect();
                        self.select(&column, index, span)
                    })
                    .collect();
                Ok(Value::Array(columns?))
            }
        }
    }

    pub(super) fn construct(
        &mut self,
        name: &Name,
        length: TermId,
        body: ExprId,
        scope: &Scope,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let length = Some(length).filter(|length| self.terms.ty(*length).is_numeric());
        let length = length
            .and_then(|length| self.terms.constant(length))
            .and_then(|l| l.to_i64())
            .filter(|l| (0..=MAX_ARRAY).contains(l));
        let Some(length) = length else {
            let message = format!("the length of an array must be a constant from 0 to {MAX_ARRAY}");
            return Err(Diagnostic::error(span, message).with_help("write a number, or a constant of the model"));
        };
        let items: Result<Vec<Value>, Diagnostic> = (0..length)
            .map(|i| {
                let index = Value::Scalar(self.terms.num(Rational::from(i)));
                self.lower_value(body, &scope.with([(Arc::clone(&name.value), index)]))
            })
            .collect();
        self.array(items?, span)
    }
}
