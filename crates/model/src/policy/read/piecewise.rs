//! Network inputs that are piecewise linear in the state: comparisons, maxima, one-hot encodings.
//!
//! Such inputs become ReLU units in front of the network ([`surefoot_network::encode`]), which then reads the linear forms that
//! occur in them. So every engine sees linear inputs and a network, as always, and nothing is approximated. Comparisons jump,
//! so they need integers: there the units are exact.

use std::rc::Rc;
use std::sync::Arc;

use surefoot_linear::Linear;
use surefoot_network::Network;
use surefoot_network::encode::{EncodeError, Encoder, Piece};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Node, ObjectReader, Shape};
use surefoot_text::source::Span;

use super::Reading;
use super::units::{MAX_UNITS, Unit, Units};
use crate::term::TermId;

const ONE_HOT: Shape = Shape::new("a one-hot input", &["one_hot"], &["from", "to"]);
/// More values than this are no one-hot encoding.
const MAX_VALUES: i64 = 1 << 16;

/// An entry of the list of inputs.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// A linear form.
    Linear(Linear),
    /// Any other term.
    Term(TermId),
    /// The truth values `form = from`, ..., `form = to`.
    OneHot { form: Linear, from: i64, to: i64 },
}

impl Entry {
    /// How many inputs of the network it is.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Linear(_) | Self::Term(_) => 1,
            Self::OneHot { from, to, .. } => usize::try_from(to - from + 1).unwrap_or(0),
        }
    }
}

/// Whether an input is `{"one_hot": ...}`.
pub(super) fn is_one_hot(node: Node<'_>) -> bool {
    node.get("op").is_none() && node.get("one_hot").is_some()
}

impl Reading<'_> {
    /// `{"one_hot": ..., "from": ..., "to": ...}`; by default all values that the expression can have.
    pub(super) fn one_hot(&mut self, node: Node<'_>) -> Result<Entry, Diagnostic> {
        let object = ObjectReader::new(node, &ONE_HOT)?;
        let of = object.required("one_hot");
        let form = self.input_form(of, 0).map_err(|error| {
            error.with_help(
                "a one-hot input is about a linear expression; compute any other one in a variable of the model",
            )
        })?;
        let space = self.lowered.model.space();
        if !space.is_integral(&form) {
            return Err(Diagnostic::error(of.span(), "a one-hot input needs an integer")
                .with_help("it is 1 at the place of its value; use an integer variable or a sum of them"));
        }
        let range = space.range(&form);
        let ends = range.ends().and_then(|(low, high)| Some((low.to_i64()?, high.to_i64()?)));
        let end = |name: &str, default: Option<i64>| match object.optional(name) {
            Some(node) => node.expect_i64("an integer"),
            None => default.ok_or_else(|| {
                Diagnostic::error(of.span(), "this expression has no bounds").with_help("give \"from\" and \"to\"")
            }),
        };
        let (from, to) = (end("from", ends.map(|(low, _)| low))?, end("to", ends.map(|(_, high)| high))?);
        if to < from || to.saturating_sub(from) >= MAX_VALUES {
            let message = format!("one-hot from {from} to {to}: expected 1 to {MAX_VALUES} values");
            return Err(Diagnostic::error(node.span(), message));
        }
        Ok(Entry::OneHot { form, from, to })
    }

    /// Why a term has no units, so that it cannot be an input.
    pub(super) fn not_piecewise(&self, term: TermId) -> Option<String> {
        let space = self.lowered.model.space();
        let terms = &self.lowered.model.terms;
        Units { terms, space: &space, forms: Vec::new(), left: MAX_UNITS }.unit(term, 0).err()
    }

    /// What the network reads, and the network with the units that the entries need.
    pub(super) fn encoded(
        &self,
        entries: &[Entry],
        network: &Arc<Network>,
        span: Span,
    ) -> Result<(Vec<Linear>, Arc<Network>), Diagnostic> {
        let linear = |entry: &Entry| match entry {
            Entry::Linear(form) => Some(form.clone()),
            _ => None,
        };
        if let Some(forms) = entries.iter().map(linear).collect::<Option<Vec<_>>>() {
            return Ok((forms, Arc::clone(network)));
        }
        let space = self.lowered.model.space();
        let mut units = Units { terms: &self.lowered.model.terms, space: &space, forms: Vec::new(), left: MAX_UNITS };
        let mut shapes = Vec::new();
        for entry in entries {
            match entry {
                Entry::Linear(form) => shapes.push(units.form(form.clone())),
                Entry::Term(term) => shapes.push(units.unit(*term, 0).map_err(|text| refused(span, &text))?),
                Entry::OneHot { form, from, to } => {
                    for value in *from..=*to {
                        let shifted = form - &Linear::constant_form(Rational::from(value));
                        shapes.push(Unit::Zero(Rc::new(units.linear(form.clone(), &shifted))));
                    }
                }
            }
        }
        if units.forms.is_empty() {
            // All inputs are constant, and a network has at least one.
            units.forms.push(Linear::default());
        }
        let mut left = MAX_UNITS;
        let mut encoder = Encoder::new(units.forms.len());
        let pieces: Result<Vec<Piece>, EncodeError> =
            shapes.iter().map(|unit| unit.piece(&mut encoder, &mut left)).collect();
        let whole = pieces.and_then(|pieces| encoder.before(&pieces, network));
        let whole = whole.map_err(|error| refused(span, &error.to_string()))?;
        Ok((units.forms, Arc::new(whole)))
    }
}

fn refused(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(span, format!("these inputs cannot be turned into exact ReLU units: {text}"))
        .with_help("compute it in a variable of the model, or before the network")
}
