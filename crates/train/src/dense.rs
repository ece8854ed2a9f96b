//! Dense layers with ReLU between them: values and gradients for batches, in plain loops over `f32`.
//!
//! `y = W x + b`, layer by layer; all but the last are followed by `max(0, .)`. Weights are kept by inputs (`weights[i * outputs + o]`), so that the inner loops of
//! values and of gradients run along neighbours and add up in a fixed order: compilers turn them into vector instructions without changing a bit.
//!
//! The gradient of ReLU at 0 is 0, as PyTorch has it.

use surefoot_num::Random;

/// Sums of a product of two vectors run in so many lanes, which are added up in order at the end.
const LANES: usize = 8;

/// The sizes of a network's layers, and where their parameters stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Inputs, hidden layers, outputs.
    sizes: Vec<usize>,
}

/// A network: all parameters in one list, layer by layer, weights before biases.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    shape: Shape,
    parameters: Vec<f32>,
}

/// The values of all neurons on a batch, and room for their gradients. All buffers are reused.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    /// Per layer, the inputs first: `value[row * size + neuron]`.
    values: Vec<Vec<f32>>,
    /// The gradient of the layer under way, and of the one below.
    above: Vec<f32>,
    below: Vec<f32>,
}

impl Shape {
    /// Inputs, hidden layers, outputs.
    ///
    /// # Panics
    /// When there are fewer than two sizes, or one is zero.
    #[must_use]
    pub fn new(sizes: Vec<usize>) -> Self {
        assert!(sizes.len() >= 2 && !sizes.contains(&0), "a network has inputs and outputs, and no empty layer");
        Self { sizes }
    }

    /// The sizes.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How many parameters there are.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.sizes.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum()
    }

    /// Per layer: inputs, outputs, and where its weights and its biases begin.
    fn layers(&self) -> impl DoubleEndedIterator<Item = Place> + '_ {
        let mut ends = vec![0];
        for pair in self.sizes.windows(2) {
            ends.push(ends[ends.len() - 1] + (pair[0] + 1) * pair[1]);
        }
        (0..self.sizes.len() - 1).map(move |layer| {
            let (inputs, outputs) = (self.sizes[layer], self.sizes[layer + 1]);
            Place { layer, inputs, outputs, weights: ends[layer], bias: ends[layer] + inputs * outputs }
        })
    }
}

/// Where a layer stands.
struct Place {
    layer: usize,
    inputs: usize,
    outputs: usize,
    weights: usize,
    bias: usize,
}

impl Place {
    fn split<'p>(&self, parameters: &'p [f32]) -> (&'p [f32], &'p [f32]) {
        (&parameters[self.weights..self.bias], &parameters[self.bias..self.bias + self.outputs])
    }

    fn split_mut<'p>(&self, parameters: &'p mut [f32]) -> (&'p mut [f32], &'p mut [f32]) {
        parameters[self.weights..self.bias + self.outputs].split_at_mut(self.inputs * self.outputs)
    }
}

impl Dense {
    /// Random weights, uniform in the interval of He's initialisation (2015); no biases.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sizes of layers are small")]
    pub fn random(shape: Shape, random: &mut Random) -> Self {
        let mut parameters = vec![0.0; shape.parameter_count()];
        for place in shape.layers() {
            let most = (6.0 / place.inputs as f32).sqrt();
            for weight in place.split_mut(&mut parameters).0 {
                *weight = (2.0 * uniform(random) - 1.0) * most;
            }
        }
        Self { shape, parameters }
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// All parameters.
    #[must_use]
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// All parameters, to be changed.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    /// Per layer: weights, a row per neuron, one after the other; and biases.
    #[must_use]
    pub fn rows(&self) -> Vec<(Vec<f32>, Vec<f32>)> {
        let layer = |place: Place| {
            let (weights, bias) = place.split(&self.parameters);
            let rows = (0..place.outputs).flat_map(|o| (0..place.inputs).map(move |i| weights[i * place.outputs + o]));
            (rows.collect(), bias.to_vec())
        };
        self.shape.layers().map(layer).collect()
    }

    /// The outputs for a batch of inputs, one row after the other.
    pub fn forward<'p>(&self, inputs: &[f32], pass: &'p mut Pass) -> &'p [f32] {
        let sizes = self.shape.sizes();
        let rows = inputs.len() / sizes[0];
        pass.values.resize_with(sizes.len(), Vec::new);
        pass.values[0].clear();
        pass.values[0].extend_from_slice(inputs);
        for place in self.shape.layers() {
            let (below, above) = pass.values.split_at_mut(place.layer + 1);
            let (below, above) = (&below[place.layer], &mut above[0]);
            above.resize(rows * place.outputs, 0.0);
            let (weights, bias) = place.split(&self.parameters);
            let last = place.layer + 2 == sizes.len();
            for (x, y) in below.chunks_exact(place.inputs).zip(above.chunks_exact_mut(place.outputs)) {
                y.copy_from_slice(bias);
                for (value, row) in x.iter().zip(weights.chunks_exact(place.outputs)) {
                    // What ReLU has cut off adds nothing; that is about half of all.
                    if *value != 0.0 {
                        add_scaled(y, *value, row);
                    }
                }
                if !last {
                    y.iter_mut().for_each(|value| *value = value.max(0.0));
                }
            }
        }
        &pass.values[sizes.len() - 1]
    }

    /// Adds the gradient of a function of the outputs to `gradient`, in the order of the parameters: `outputs` is its gradient by the outputs of the last
    /// [`Dense::forward`] with the same room.
    pub fn backward(&self, pass: &mut Pass, outputs: &[f32], gradient: &mut [f32]) {
        let Pass { values, above, below } = pass;
        above.clear();
        above.extend_from_slice(outputs);
        for place in self.shape.layers().rev() {
            let x = &values[place.layer];
            let (weights, bias) = place.split_mut(gradient);
            let rows = x.chunks_exact(place.inputs).zip(above.chunks_exact(place.outputs));
            for (x, dy) in rows {
                add_scaled(bias, 1.0, dy);
                for (value, row) in x.iter().zip(weights.chunks_exact_mut(place.outputs)) {
                    if *value != 0.0 {
                        add_scaled(row, *value, dy);
                    }
                }
            }
            if place.layer == 0 {
                break;
            }
            below.clear();
            below.resize(x.len(), 0.0);
            let (weights, _) = place.split(&self.parameters);
            let rows = x.chunks_exact(place.inputs).zip(above.chunks_exact(place.outputs));
            for ((x, dy), dx) in rows.zip(below.chunks_exact_mut(place.inputs)) {
                for ((value, row), dx) in x.iter().zip(weights.chunks_exact(place.outputs)).zip(dx) {
                    if *value > 0.0 {
                        *dx = dot(row, dy);
                    }
                }
            }
            std::mem::swap(above, below);
        }
    }
}

/// A number of [0, 1), with 24 random bits.
#[expect(clippy::cast_precision_loss, reason = "24 bits are exact")]
pub(crate) fn uniform(random: &mut Random) -> f32 {
    (random.next_u64() >> 40) as f32 / (1u32 << 24) as f32
}

/// `y += a x`.
#[inline]
fn add_scaled(y: &mut [f32], a: f32, x: &[f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The product of two vectors, in lanes.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The obviously right sibling: one input, in double precision, by the definition.
    pub(crate) fn reference(shape: &Shape, parameters: &[f64], input: &[f64]) -> Vec<f64> {
        let mut values = input.to_vec();
        for place in shape.layers() {
            let neuron = |o: usize| {
                let products = (0..place.inputs).map(|i| parameters[place.weights + i * place.outputs + o] * values[i]);
                parameters[place.bias + o] + products.sum::<f64>()
            };
            let last = place.layer + 2 == shape.sizes.len();
            values = (0..place.outputs).map(neuron).map(|y| if last { y } else { y.max(0.0) }).collect();
        }
        values
    }

    fn doubles(numbers: &[f32]) -> Vec<f64> {
        numbers.iter().map(|number| f64::from(*number)).collect()
    }

    /// A network with biases, and a batch of inputs.
    fn example(sizes: &[usize], rows: usize, random: &mut Random) -> (Dense, Vec<f32>) {
        let mut network = Dense::random(Shape::new(sizes.to_vec()), random);
        network.parameters_mut().iter_mut().for_each(|p| *p += (uniform(random) - 0.5) / 4.0);
        let inputs = (0..rows * sizes[0]).map(|_| 2.0 * uniform(random) - 1.0).collect();
        (network, inputs)
    }

    const SHAPES: [&[usize]; 5] = [&[3, 2], &[1, 5, 1], &[4, 16, 16, 9], &[5, 7, 3, 11, 4], &[9, 19, 33, 8]];

    #[test]
    fn values_are_those_of_the_definition() {
        let mut random = Random::new(3);
        for sizes in SHAPES {
            let (network, inputs) = example(sizes, 6, &mut random);
            let mut pass = Pass::default();
            let outputs = network.forward(&inputs, &mut pass).to_vec();
            let parameters = doubles(network.parameters());
            let expected: Vec<f64> = inputs
                .chunks(sizes[0])
                .flat_map(|row| reference(network.shape(), &parameters, &doubles(row)))
                .collect();
            for (found, expected) in outputs.iter().zip(&expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-5, "{sizes:?}: {found} is not {expected}");
            }
            // A batch is its rows: no sum runs over several.
            for (row, output) in inputs.chunks(sizes[0]).zip(outputs.chunks(sizes[sizes.len() - 1])) {
                assert_eq!(network.forward(row, &mut pass), output);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut random = Random::new(11);
        for sizes in SHAPES {
            let (network, inputs) = example(sizes, 5, &mut random);
            let outputs = sizes[sizes.len() - 1];
            // A smooth function of the outputs with another weight for each of them: half the sum of their squares, weighed.
            let weights: Vec<f32> = (0..5 * outputs).map(|_| uniform(&mut random) - 0.5).collect();
            let value = |parameters: &[f64]| -> f64 {
                let rows =
                    inputs.chunks(sizes[0]).flat_map(|row| reference(network.shape(), parameters, &doubles(row)));
                rows.zip(&weights).map(|(y, w)| f64::from(*w) * y * y / 2.0).sum()
            };
            let mut pass = Pass::default();
            let by_outputs: Vec<f32> =
                network.forward(&inputs, &mut pass).iter().zip(&weights).map(|(y, w)| y * w).collect();
            let mut gradient = vec![0.0; network.shape().parameter_count()];
            network.backward(&mut pass, &by_outputs, &mut gradient);
            let parameters = doubles(network.parameters());
            for (i, found) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = parameters.clone();
                    moved[i] += by;
                    value(&moved)
                };
                let step = 1e-6;
                let expected = (moved(step) - moved(-step)) / (2.0 * step);
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 2e-5 * (1.0 + expected.abs()), "{sizes:?}, parameter {i}: {found} is not {expected}");
            }
        }
    }

    #[test]
    fn rows_are_weights_by_neurons() {
        let network = Dense { shape: Shape::new(vec![2, 3]), parameters: (0..9u8).map(f32::from).collect() };
        assert_eq!(network.rows(), [(vec![0.0, 3.0, 1.0, 4.0, 2.0, 5.0], vec![6.0, 7.0, 8.0])]);
        assert_eq!(network.shape().parameter_count(), 9);
    }
}
