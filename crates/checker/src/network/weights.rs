//! The weights of a layer, by rows and by columns; of a layer that keeps only those that are not zero, only these.
//!
//! Soundness: what is left out are products with zero and sums with those. All numbers that they are taken of are finite, so this
//! changes no sum.

use surefoot_network::Layer;

/// The weights of a layer.
#[derive(Debug)]
pub enum Weights {
    /// All of them.
    Dense {
        /// Row by row.
        rows: Vec<f64>,
        /// Column by column.
        columns: Vec<f64>,
        /// How many neurons there are before the layer.
        inputs: usize,
    },
    /// Those that are not zero, with their places.
    Sparse {
        /// Row by row.
        rows: Vec<Vec<(usize, f64)>>,
        /// Column by column.
        columns: Vec<Vec<(usize, f64)>>,
    },
}

impl Weights {
    pub(super) fn new(layer: &Layer) -> Self {
        let inputs = layer.input_len();
        if layer.is_sparse() {
            let rows: Vec<Vec<_>> = (0..layer.output_len()).map(|output| layer.terms(output).collect()).collect();
            let mut columns = vec![Vec::new(); inputs];
            for (output, row) in rows.iter().enumerate() {
                row.iter().for_each(|(input, weight)| columns[*input].push((output, *weight)));
            }
            return Self::Sparse { rows, columns };
        }
        let rows = layer.weights().into_owned();
        let columns = (0..inputs).flat_map(|column| rows.iter().skip(column).step_by(inputs)).copied().collect();
        Self::Dense { rows, columns, inputs }
    }

    /// How many neurons there are before the layer.
    #[must_use]
    pub fn inputs(&self) -> usize {
        match self {
            Self::Dense { inputs, .. } => *inputs,
            Self::Sparse { columns, .. } => columns.len(),
        }
    }

    /// How many neurons the layer has.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match self {
            Self::Dense { rows, inputs, .. } => rows.len() / (*inputs).max(1),
            Self::Sparse { rows, .. } => rows.len(),
        }
    }

    /// Shows the weights of a neuron, with their inputs; zeros perhaps not.
    pub fn of_output(&self, output: usize, mut show: impl FnMut(usize, f64)) {
        match self {
            Self::Dense { rows, inputs, .. } => {
                let row = &rows[output * inputs..(output + 1) * inputs];
                row.iter().enumerate().for_each(|(input, weight)| show(input, *weight));
            }
            Self::Sparse { rows, .. } => rows[output].iter().for_each(|(input, weight)| show(*input, *weight)),
        }
    }

    /// Shows the weights of an input, with their outputs; zeros perhaps not.
    pub fn of_input(&self, input: usize, mut show: impl FnMut(usize, f64)) {
        match self {
            Self::Dense { rows, columns, inputs } => {
                let count = rows.len() / inputs;
                let column = &columns[input * count..(input + 1) * count];
                column.iter().enumerate().for_each(|(output, weight)| show(output, *weight));
            }
            Self::Sparse { columns, .. } => columns[input].iter().for_each(|(output, weight)| show(*output, *weight)),
        }
    }

    /// `next = form * weights`.
    pub(super) fn multiply(&self, form: &[f64], next: &mut Vec<f64>) {
        match self {
            Self::Dense { rows, inputs, .. } => multiply(form, rows, *inputs, next),
            Self::Sparse { rows, columns } => {
                next.clear();
                next.resize(columns.len(), 0.0);
                for (m, row) in form.iter().zip(rows).filter(|(m, _)| **m != 0.0) {
                    row.iter().for_each(|(input, weight)| next[*input] += m * weight);
                }
            }
        }
    }
}

/// `next = form * weights`, the weights being given row by row.
pub(super) fn multiply(form: &[f64], weights: &[f64], columns: usize, next: &mut Vec<f64>) {
    next.clear();
    next.resize(columns, 0.0);
    for (m, row) in form.iter().zip(weights.chunks_exact(columns.max(1))) {
        if *m != 0.0 {
            for (out, w) in next.iter_mut().zip(row) {
                *out += m * w;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_network::Activation;

    #[test]
    fn sparse_weights_are_the_same_weights() {
        let (inputs, outputs) = (200, 150);
        let row = |output: usize| [(output / 2, 2.0), (output + 3, -0.5)];
        let bias = vec![0.0; outputs];
        let layer = Layer::sparse(inputs, (0..outputs).map(row), bias, Activation::Relu).expect("it fits");
        let sparse = Weights::new(&layer);
        assert!(matches!(sparse, Weights::Sparse { .. }));
        let rows = layer.weights().into_owned();
        let columns = (0..inputs).flat_map(|column| rows.iter().skip(column).step_by(inputs)).copied().collect();
        let dense = Weights::Dense { rows, columns, inputs };
        assert_eq!((sparse.inputs(), sparse.outputs()), (dense.inputs(), dense.outputs()));
        let shown = |weights: &Weights, by_output: bool, at: usize| {
            let mut all = Vec::new();
            let mut show = |place: usize, weight: f64| {
                if weight != 0.0 {
                    all.push((place, weight));
                }
            };
            if by_output {
                weights.of_output(at, &mut show);
            } else {
                weights.of_input(at, &mut show);
            }
            all
        };
        assert!((0..outputs).all(|output| shown(&sparse, true, output) == shown(&dense, true, output)));
        assert!((0..inputs).all(|input| shown(&sparse, false, input) == shown(&dense, false, input)));
        let form: Vec<f64> = (0..150u8).map(|i| f64::from(i) - 70.0).collect();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        sparse.multiply(&form, &mut one);
        dense.multiply(&form, &mut other);
        assert_eq!(one, other);
    }
}
