//! The weights of one layer, from rows over variables and the slots at which variables are found in the layer before.
//!
//! Slots of different variables are different and those of one variable are too, and a row names a variable once: so every weight is
//! set once, and nothing is ever rounded. Where the layer is kept by its non-zero weights ([`Layer`]), the others are never made.

use super::row::Row;
use super::signal::VarId;
use crate::layer::{Activation, Layer};
use crate::shape::ShapeError;
use crate::sparse;

/// How a variable is found in a layer: a sum of slots with signs.
pub(super) type Slots = Vec<(usize, f64)>;

/// What a neuron of the layer computes, but for its bias.
#[derive(Clone, Copy)]
pub(super) enum Line<'r> {
    /// A row, times a sign.
    Row(&'r Row, f64),
    /// A variable, times a sign.
    Var(VarId, f64),
}

impl Line<'_> {
    /// The weights that are set, some of them zero.
    fn spread(self, here: &[Slots], mut set: impl FnMut(usize, f64)) {
        match self {
            Self::Row(row, by) => {
                for (var, coefficient) in row.terms() {
                    let coefficient = by * coefficient;
                    here[var.0].iter().for_each(|(slot, sign)| set(*slot, sign * coefficient));
                }
            }
            Self::Var(var, by) => here[var.0].iter().for_each(|(slot, sign)| set(*slot, sign * by)),
        }
    }
}

/// How large a layer is.
#[derive(Clone, Copy)]
pub(super) struct Size {
    inputs: usize,
    outputs: usize,
    nonzeros: usize,
    /// Whether it is kept by its non-zero weights.
    sparse: bool,
}

impl Size {
    /// Of a layer of these lines, after one of that many neurons.
    pub(super) fn of(lines: &[Line<'_>], here: &[Slots], inputs: usize) -> Self {
        let mut nonzeros = 0;
        lines.iter().for_each(|line| line.spread(here, |_, weight| nonzeros += usize::from(weight != 0.0)));
        let outputs = lines.len();
        let sparse = u32::try_from(inputs).is_ok() && sparse::pays(inputs.saturating_mul(outputs), nonzeros);
        Self { inputs, outputs, nonzeros, sparse }
    }

    /// How many numbers it takes.
    pub(super) fn numbers(self) -> usize {
        if self.sparse { self.nonzeros + self.outputs } else { self.inputs.saturating_mul(self.outputs) }
    }

    /// The layer; of the same lines.
    pub(super) fn layer(
        self,
        lines: &[Line<'_>],
        here: &[Slots],
        bias: Vec<f64>,
        activation: Activation,
    ) -> Result<Layer, ShapeError> {
        if self.sparse {
            let row = |line: &Line<'_>| {
                let mut terms = Vec::new();
                line.spread(here, |slot, weight| terms.push((slot, weight)));
                terms.sort_unstable_by_key(|(slot, _)| *slot);
                terms
            };
            return Layer::sparse(self.inputs, lines.iter().map(row), bias, activation);
        }
        let mut weights = vec![0.0; self.inputs * self.outputs];
        for (row, line) in weights.chunks_exact_mut(self.inputs.max(1)).zip(lines) {
            line.spread(here, |slot, weight| {
                debug_assert!(row[slot] == 0.0, "each slot belongs to one variable, and rows name a variable once");
                row[slot] = weight;
            });
        }
        Layer::new(self.inputs, weights, bias, activation)
    }
}
