//! Layers kept by their non-zero weights against the same layers kept densely: the same function everywhere.

use proptest::prelude::*;
use surefoot_linear::{Linear, Symbol};
use surefoot_num::function::Function;
use surefoot_num::{FloatInterval, Rational};

use super::smooth::SmoothPoint;
use crate::band::Band;
use crate::bounds::BoundingNetwork;
use crate::encode::Encoder;
use crate::layer::{Activation, Layer};
use crate::network::{Arithmetic, Network};
use crate::{ExactNetwork, FloatNetwork, Undecided, nnet, onnx};

use super::Float32Network;

const INPUTS: usize = 3;
const SIZES: [usize; 4] = [INPUTS, 9000, 160, 2];

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    /// From -2 to 2, in single precision.
    fn number(&mut self) -> f64 {
        f64::from(i16::try_from(self.below(1 << 12)).unwrap() - (1 << 11)) / 1024.0
            * [1.0, 0.1f32.into()][self.below(2)]
    }
}

/// A network of which the first two layers are kept by their non-zero weights; biases are zeros of either sign, or not.
fn network(seed: u64, hidden: Activation) -> Network {
    let mut numbers = Numbers(seed);
    let layer = |(index, pair): (usize, &[usize])| {
        let rows: Vec<Vec<(usize, f64)>> = (0..pair[1])
            .map(|output| match index {
                // Most rows are zero.
                0 if output % 3 > 0 => Vec::new(),
                0 => vec![(numbers.below(pair[0]), numbers.number())],
                1 => {
                    let mut places: Vec<usize> = (0..40).map(|_| 3 * numbers.below(pair[0] / 3)).collect();
                    places.sort_unstable();
                    places.dedup();
                    places.into_iter().map(|place| (place, numbers.number())).collect()
                }
                _ => (0..pair[0]).map(|place| (place, numbers.number())).collect(),
            })
            .collect();
        let bias = (0..pair[1]).map(|i| if i % 3 > 0 { [0.0, -0.0][i % 2] } else { numbers.number() }).collect();
        let activation = if index == 2 { Activation::Identity } else { hidden };
        Layer::sparse(pair[0], rows, bias, activation).unwrap()
    };
    let network = Network::new(SIZES.windows(2).enumerate().map(layer).collect()).unwrap();
    let sparse: Vec<bool> = network.layers().iter().map(Layer::is_sparse).collect();
    assert_eq!(sparse, [true, true, false]);
    network
}

fn kept_densely(network: &Network) -> Network {
    network.with_layers(network.layers().iter().map(Layer::kept_densely).collect())
}

fn point(seed: u64) -> Vec<f64> {
    let mut numbers = Numbers(seed ^ 0x5eed);
    (0..INPUTS).map(|_| numbers.number()).collect()
}

fn exact(point: &[f64]) -> Vec<Rational> {
    point.iter().map(|x| Rational::from_f64(*x).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn floats_and_their_bounds(seed in any::<u64>(), kind in 0usize..3) {
        let kinds = [Activation::Relu, Activation::Smooth(Function::Tanh), Activation::LayerNorm { epsilon: 0.5 }];
        let sparse = network(seed, kinds[kind]);
        let (sparse, dense) = (FloatNetwork::new(&sparse), FloatNetwork::new(&kept_densely(&sparse)));
        let (mut a, mut b) = (sparse.scratch(), dense.scratch());
        let point = point(seed);
        let (sparse, dense) = (sparse.eval(&point, 1e-9, &mut a), dense.eval(&point, 1e-9, &mut b));
        // Zeros of either sign are one number.
        prop_assert_eq!(sparse.values, dense.values);
        prop_assert!(sparse.error <= dense.error && sparse.error > 0.0 && dense.error < f64::INFINITY);
    }

    #[test]
    fn rational_numbers_and_forms(seed in any::<u64>()) {
        let sparse = network(seed, Activation::Relu);
        let dense = kept_densely(&sparse);
        let point = exact(&point(seed));
        let [one, other] = [&sparse, &dense].map(|network| ExactNetwork::new(network).unwrap());
        prop_assert_eq!(one.eval_scaled(&point), other.eval_scaled(&point));
        prop_assert_eq!(one.eval(&point), sparse.eval_reference(&point));
        let inputs: Vec<Linear> = Symbol::first(INPUTS).map(Linear::symbol).collect();
        let at = |symbol: Symbol| point[symbol.index()].clone();
        prop_assert_eq!(one.walk_around(&inputs, at), other.walk_around(&inputs, at));
        let floats = FloatNetwork::new(&sparse);
        let mut scratch = floats.scratch();
        let numbers: Vec<f64> = point.iter().map(Rational::to_f64).collect();
        let outputs = floats.eval(&numbers, 0.0, &mut scratch);
        for (float, truth) in outputs.values.iter().zip(one.eval(&point)) {
            let off = (&Rational::from_f64(*float).unwrap() - &truth).abs();
            prop_assert!(off <= Rational::from_f64(outputs.error).unwrap());
        }
    }

    #[test]
    fn single_precision_to_the_last_bit(seed in any::<u64>(), smooth in any::<bool>()) {
        let activation = if smooth { Activation::Smooth(Function::Tanh) } else { Activation::Relu };
        let sparse = network(seed, activation).with_arithmetic(Arithmetic::Float32).unwrap();
        let dense = kept_densely(&sparse);
        let bits = |network: &Network, point: &[f32]| {
            let outputs = Float32Network::new(network).eval(point);
            outputs.map(|outputs| outputs.iter().map(|y| y.to_bits()).collect::<Vec<_>>())
        };
        let point = exact(&point(seed));
        let single: Vec<f32> = point.iter().map(surefoot_num::function::single::nearest).collect();
        prop_assert_eq!(bits(&sparse, &single), bits(&dense, &single));
        let rounded = Float32Network::new(&sparse).eval_at(&point).unwrap();
        let rounded = rounded.iter().map(|y| Rational::from_f64(f64::from(*y)).unwrap()).collect::<Vec<_>>();
        prop_assert_eq!(sparse.eval_float32_reference(&point), Some(rounded));
        // An infinite input, which most rows do not read.
        prop_assert_eq!(bits(&sparse, &[f32::INFINITY, 0.0, 0.0]), Err(Undecided::Overflow));
        prop_assert_eq!(bits(&dense, &[f32::INFINITY, 0.0, 0.0]), Err(Undecided::Overflow));
        prop_assert_eq!(Band::new(&sparse, &[1.0, 2.0, 3.0]), Band::new(&dense, &[1.0, 2.0, 3.0]));
        // Something may overflow: nothing is said, of no neuron.
        let beyond = Band::new(&sparse, &[f64::INFINITY, 0.0, 0.0]);
        prop_assert!(beyond.layers[0].sums.iter().all(|sum| *sum == f64::INFINITY));
    }

    #[test]
    fn balls_terms_and_boxes(seed in any::<u64>()) {
        let sparse = network(seed, Activation::Relu);
        let dense = kept_densely(&sparse);
        let inputs: Vec<Linear> = Symbol::first(INPUTS).map(Linear::symbol).collect();
        let bounds = [FloatInterval { lower: -1.0, upper: 0.5 }; INPUTS];
        let [one, other] =
            [&sparse, &dense].map(|n| BoundingNetwork::new(n).unwrap().enclose(&inputs, &bounds).unwrap());
        prop_assert_eq!(one.neurons(), other.neurons());
        prop_assert_eq!(one.output(1), other.output(1));
        let point = exact(&point(seed));
        let smooth = network(seed, Activation::Smooth(Function::Sigmoid));
        let shown = |network: &Network| SmoothPoint::new(network, &point).shown();
        prop_assert_eq!(shown(&smooth), shown(&kept_densely(&smooth)));
    }
}

#[test]
fn files_hold_all_weights() {
    let network = network(3, Activation::Relu);
    let dense = kept_densely(&network);
    let (text, model) = (nnet::write(&network).unwrap(), onnx::write(&network).unwrap());
    assert_eq!(text, nnet::write(&dense).unwrap());
    assert_eq!(model, onnx::write(&dense).unwrap());
    let back = nnet::from_bytes(text.as_bytes(), crate::NnetWeights::F64).unwrap();
    assert!(back.same_parameters(&network) && back.layers()[1].is_sparse());
}

/// Eight layers of 20,000 neurons that read four neurons each: 3.2 billion weights, all but 640,000 of them zero.
#[test]
fn what_is_wide_takes_what_it_has() {
    const WIDTH: usize = 20_000;
    let layer = |index: usize| {
        let row = move |i: usize| {
            let mut places = [i, (7 * i + index) % WIDTH, (i + 31) % WIDTH, (13 * i + 5) % WIDTH];
            places.sort_unstable();
            let distinct: Vec<usize> = places.chunk_by(|a, b| a == b).map(|same| same[0]).collect();
            distinct.into_iter().enumerate().map(|(k, place)| (place, [1.0, -0.5, 0.25, -1.0][k]))
        };
        let bias = (0..WIDTH).map(|i| [0.5, -0.25, 0.0][i % 3]).collect();
        Layer::sparse(WIDTH, (0..WIDTH).map(row), bias, Activation::Relu).unwrap()
    };
    let last = Layer::sparse(WIDTH, [[(1, 1.0)], [(2, 1.0)]], vec![0.0; 2], Activation::Identity).unwrap();
    let network = Network::new((0..8).map(layer).chain([last]).collect()).unwrap();
    let kept = |network: &Network| network.layers().iter().map(Layer::nonzeros).sum::<usize>();
    assert!(network.layers().iter().all(Layer::is_sparse) && kept(&network) <= 640_002);

    let point: Vec<f64> = [0.5, -1.0, 2.0, 0.0, 1.5].into_iter().cycle().take(WIDTH).collect();
    let floats = FloatNetwork::new(&network);
    let mut scratch = floats.scratch();
    let outputs = floats.eval(&point, 0.0, &mut scratch);
    // Sums of dyadic numbers, which are exact.
    let truth = ExactNetwork::new(&network).unwrap().eval(&exact(&point));
    assert_eq!(exact(outputs.values), truth);
    assert!(outputs.error < 1e-6, "{}", outputs.error);
    let single = network.clone().with_arithmetic(Arithmetic::Float32).unwrap();
    assert_eq!(Float32Network::new(&single).eval_at(&exact(&point)).unwrap().len(), 2);
    assert_eq!(Band::new(&single, &vec![2.0; WIDTH]).layers.len(), 9);

    // Through neurons and back into layers, behind a function of one input.
    let mut encoder = Encoder::new(WIDTH);
    let mut pieces: Vec<_> = (0..WIDTH).map(|index| encoder.input(index)).collect();
    pieces[3] = encoder.maximum(&encoder.input(3), &encoder.input(4)).unwrap();
    let encoded = encoder.before(&pieces, &network).unwrap();
    assert!(encoded.layers().iter().all(Layer::is_sparse) && kept(&encoded) <= 640_002 + 3 * 2 * WIDTH);
    let mut raised = point.clone();
    raised[3] = raised[3].max(raised[4]);
    let expected = ExactNetwork::new(&network).unwrap().eval(&exact(&raised));
    assert_eq!(ExactNetwork::new(&encoded).unwrap().eval(&exact(&point)), expected);
}
