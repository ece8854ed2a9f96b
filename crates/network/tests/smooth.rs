//! Networks with smooth functions, and in single precision: fast evaluations against slow ones, ties that are seen, and ties that are
//! not and therefore no answer.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::cmp::Ordering;

use proptest::prelude::*;
use surefoot_network::eval::Float32Network;
use surefoot_network::eval::smooth::SmoothPoint;
use surefoot_network::{
    Activation, Arithmetic, Evaluator, FloatNetwork, Layer, Network, Normalisation, Scores, Undecided,
};
use surefoot_num::Rational;
use surefoot_num::function::Function;

fn activation() -> impl Strategy<Value = Activation> {
    prop_oneof![
        Just(Activation::Relu),
        Just(Activation::Identity),
        Just(Activation::Smooth(Function::Tanh)),
        Just(Activation::Smooth(Function::Sigmoid)),
        Just(Activation::Smooth(Function::Softplus)),
        Just(Activation::Smooth(Function::Elu { alpha: 1.0 })),
        Just(Activation::Smooth(Function::Elu { alpha: 0.375 })),
        Just(Activation::Smooth(Function::Gelu)),
        Just(Activation::Smooth(Function::GeluTanh)),
        Just(Activation::Smooth(Function::Silu)),
        Just(Activation::LayerNorm { epsilon: 1e-5 }),
    ]
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -3.0f64..3.0, 3 => (-16i32..16).prop_map(|n| f64::from(n) / 8.0), 1 => Just(0.0), 1 => -300.0f64..300.0]
}

fn rational() -> impl Strategy<Value = Rational> {
    (-60i64..60, prop_oneof![Just(1i64), Just(3), Just(16)]).prop_map(|(n, d)| Rational::new(n, d).unwrap())
}

fn network() -> impl Strategy<Value = Network> {
    proptest::collection::vec(1usize..10, 2..5).prop_flat_map(|sizes| {
        let count: usize = sizes.windows(2).map(|p| (p[0] + 1) * p[1]).sum();
        let activations = proptest::collection::vec(activation(), sizes.len() - 1);
        let scales = proptest::option::of(proptest::collection::vec((rational(), rational()), sizes[0]));
        (proptest::collection::vec(weight(), count), activations, scales).prop_map(
            move |(numbers, activations, scales)| {
                let mut rest = &numbers[..];
                let mut layers = Vec::new();
                for (pair, activation) in sizes.windows(2).zip(activations) {
                    let (weights, tail) = rest.split_at(pair[0] * pair[1]);
                    let (bias, tail) = tail.split_at(pair[1]);
                    rest = tail;
                    layers.push(Layer::new(pair[0], weights.to_vec(), bias.to_vec(), activation).unwrap());
                }
                let network = Network::new(layers).unwrap();
                let Some(scales) = scales else { return network };
                let (scale, offset) = scales.into_iter().unzip();
                network.with_input_normalisation(Normalisation::new(scale, offset).unwrap()).unwrap()
            },
        )
    })
}

fn network_and_point() -> impl Strategy<Value = (Network, Vec<Rational>)> {
    network().prop_flat_map(|network| {
        let point = proptest::collection::vec(rational(), network.input_len());
        (Just(network), point)
    })
}

fn near(point: &[Rational]) -> (Vec<f64>, f64) {
    let (floats, distances): (Vec<f64>, Vec<f64>) = point.iter().map(Rational::to_f64_within).unzip();
    (floats, distances.into_iter().fold(0.0, f64::max))
}

fn exact(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Floats are within their bound of what a thousand bits say, and choices are those of a thousand bits.
    #[test]
    fn floats_and_choices_agree_with_many_bits((network, point) in network_and_point(), mask: u32) {
        let balls = SmoothPoint::new(&network, &point).outputs(1024);
        let ends: Vec<(Rational, Rational)> = balls.iter().map(surefoot_num::function::Ball::ends).collect();
        let (inputs, error) = near(&point);
        let float = FloatNetwork::new(&network);
        let mut scratch = float.scratch();
        let outputs = float.eval(&inputs, error, &mut scratch);
        if outputs.error < f64::INFINITY {
            let error = exact(outputs.error);
            for (value, (low, high)) in outputs.values.iter().zip(&ends) {
                let value = exact(*value);
                prop_assert!(&value - &error <= *high && *low <= &value + &error, "{} {}", value.to_f64(), low.to_f64());
            }
        }
        let allowed = |output: usize| mask >> output & 1 == 1;
        let mut evaluator = Evaluator::new(&network);
        if let Ok(chosen) = evaluator.argmax(&inputs, error, allowed, || point.clone()) {
            let candidates: Vec<usize> = (0..network.output_len()).filter(|i| allowed(*i)).collect();
            prop_assert_eq!(chosen.is_none(), candidates.is_empty());
            for other in candidates {
                let best = chosen.unwrap();
                // Not certainly smaller than another one; and not equal to an earlier one unless bits cannot tell.
                prop_assert!(ends[best].1 >= ends[other].0, "{best} {other}");
            }
            let all = evaluator.all_argmax(&inputs, error, allowed, || point.clone()).unwrap();
            prop_assert_eq!(all.first().copied(), chosen);
        }
    }

    /// Rows that are equal, neurons that are equal or opposite: ties all the way, and the first of them is chosen.
    #[test]
    fn equal_terms_tie(
        hidden in proptest::collection::vec(weight(), 6),
        next in proptest::collection::vec(weight(), 4),
        functions in proptest::sample::subsequence(vec![
            Function::Tanh, Function::Sigmoid, Function::Softplus, Function::Gelu, Function::GeluTanh, Function::Silu,
        ], 2),
        point in proptest::collection::vec(rational(), 2),
    ) {
        // Neurons a, b and their opposites.
        let (a, b) = (&hidden[..3], &hidden[3..]);
        let weights = [a[0], a[1], b[0], b[1], -a[0], -a[1], -b[0], -b[1]].to_vec();
        let first = Layer::new(2, weights, vec![a[2], b[2], -a[2], -b[2]], Activation::Smooth(functions[0])).unwrap();
        // Twice the same, in other words where f(x) + f(-x) or f(x) - f(-x) is known.
        let law = functions[0].reflection().unwrap();
        let (p, q) = (next[0], next[1]);
        let (sign, offset) = (Rational::from(law.sign).to_f64(), Rational::from(law.offset).to_f64());
        let rows: [[f64; 4]; 2] = [[p, q, 0.0, 0.0], [0.0, 0.0, sign * p, sign * q]];

        // f(x) = sign (f(-x) - offset) + sign slope ... ; functions with a slope are compared only through equal rows.
        let rows = if law.slope == 0 { rows } else { [rows[0], rows[0]] };
        let shift = if law.slope == 0 { -sign * offset * (p + q) } else { 0.0 };
        prop_assume!(exact(p) + exact(q) == exact(p + q));
        let second = Layer::new(4, rows.concat(), vec![next[2], next[2] + shift], Activation::Smooth(functions[1])).unwrap();
        prop_assume!(exact(next[2]) + exact(shift) == exact(next[2] + shift));
        let last = Layer::new(2, vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0], vec![0.5, 0.5, -100_000.0], Activation::Identity).unwrap();
        let network = Network::new(vec![first, second, last]).unwrap();
        let scores = network.scores_at(&point);
        prop_assert_eq!(scores.compare(0, 1), Ok(Ordering::Equal));
        let (inputs, error) = near(&point);
        let mut evaluator = Evaluator::new(&network);
        prop_assert_eq!(evaluator.argmax(&inputs, error, |i| i < 2, || point.clone()), Ok(Some(0)));
        prop_assert_eq!(evaluator.all_argmax(&inputs, error, |i| i < 2, || point.clone()), Ok(vec![0, 1]));
    }

    /// The emulation against every operation rounded by itself, in rational arithmetic.
    #[test]
    fn single_precision_is_emulated_exactly((network, point) in network_and_point(), mask: u32) {
        let Ok(network) = network.with_arithmetic(Arithmetic::Float32) else { return Ok(()) };
        let reference = network.eval_float32_reference(&point);
        let emulated = Float32Network::new(&network).eval_at(&point);
        let emulated = emulated.ok().map(|outputs| outputs.iter().map(|x| exact(f64::from(*x))).collect::<Vec<_>>());
        prop_assert_eq!(&emulated, &reference);
        let Some(reference) = reference else { return Ok(()) };
        let allowed = |output: usize| mask >> output & 1 == 1;
        let best = (0..reference.len()).filter(|i| allowed(*i)).map(|i| &reference[i]).max();
        let expected = (0..reference.len()).find(|i| allowed(*i) && Some(&reference[*i]) == best);
        let (inputs, error) = near(&point);
        let chosen = Evaluator::new(&network).argmax(&inputs, error, allowed, || point.clone());
        prop_assert_eq!(chosen, Ok(expected));
    }
}

/// `3 / sqrt(9 + 16)` is `3/5`: no precision separates five times that from three, and nothing here knows roots.
#[test]
fn a_tie_that_nothing_shows_is_no_answer() {
    let norm = Layer::new(1, vec![1.0, -1.0], vec![0.0; 2], Activation::LayerNorm { epsilon: 16.0 }).unwrap();
    let last = Layer::new(2, vec![5.0, 0.0, 0.0, 0.0], vec![0.0, 3.0], Activation::Identity).unwrap();
    let network = Network::new(vec![norm, last]).unwrap();
    let mut evaluator = Evaluator::new(&network);
    let chosen = evaluator.argmax(&[3.0], 0.0, |_| true, || vec![Rational::from(3)]);
    assert_eq!(chosen, Err(Undecided::Precision));
    let chosen = evaluator.argmax(&[4.0], 0.0, |_| true, || vec![Rational::from(4)]);
    assert_eq!(chosen, Ok(Some(0)));
}

/// Scores that lose need not be told apart; and every way to ask says the same.
#[test]
fn ties_among_losers_do_not_matter() {
    let norm = Layer::new(1, vec![1.0, -1.0], vec![0.0; 2], Activation::LayerNorm { epsilon: 16.0 }).unwrap();
    let weights = vec![5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let last = Layer::new(2, weights, vec![0.0, 3.0, 10.0, 10.0], Activation::Identity).unwrap();
    let network = Network::new(vec![norm, last]).unwrap();
    let point = vec![Rational::from(3)];
    let scores = network.scores_at(&point);
    assert_eq!(scores.first_largest(&[0, 1, 2, 3]), Ok(Some(2)));
    assert_eq!(scores.largest(&[0, 1, 2, 3]), Ok(vec![2, 3]));
    assert_eq!(scores.first_largest(&[0, 1]), Err(Undecided::Precision));
    let tolerance = Rational::new(1, 10_000_000).unwrap();
    assert_eq!(scores.within(&[0, 1], &tolerance), Ok(vec![0, 1]));
    let mut evaluator = Evaluator::new(&network);
    assert_eq!(evaluator.argmax(&[3.0], 0.0, |_| true, || point.clone()), Ok(Some(2)));
    assert_eq!(evaluator.all_argmax(&[3.0], 0.0, |_| true, || point.clone()), Ok(vec![2, 3]));
    assert_eq!(evaluator.within(&[3.0], 0.0, |i| i < 2, &tolerance, || point.clone()), Ok(vec![0, 1]));
}

#[test]
fn scores_far_beyond_saturation_are_told_apart() {
    // tanh 400 and tanh 401 are both one to 1100 bits.
    let first = Layer::new(1, vec![1.0, 1.0], vec![0.0, 1.0], Activation::Smooth(Function::Tanh)).unwrap();
    let network = Network::new(vec![first]).unwrap();
    let mut evaluator = Evaluator::new(&network);
    for x in [400, 400_000] {
        let exact = || vec![Rational::from(x)];
        assert_eq!(evaluator.argmax(&[Rational::from(x).to_f64()], 0.0, |_| true, exact), Ok(Some(1)), "{x}");
    }
}

/// Sums that cancel: what is shown is near the value all the same.
#[test]
fn shown_scores_are_near() {
    let first = Layer::new(1, vec![1.0, -1.0], vec![0.0; 2], Activation::Smooth(Function::Sigmoid)).unwrap();
    let merge = Layer::new(2, vec![1e60, 1e60, 0.0, 0.0], vec![-1e60, 2.0], Activation::Identity).unwrap();
    let network = Network::new(vec![first, merge]).unwrap();
    let shown = network.scores_at(&[Rational::ONE]).shown(2);
    assert_eq!(shown, [Rational::ZERO, Rational::from(2)]);
}

#[test]
fn overflow_in_single_precision_is_no_answer() {
    let layer = Layer::new(1, vec![1e38, 1.0], vec![0.0; 2], Activation::Identity).unwrap();
    let network = Network::new(vec![layer]).unwrap().with_arithmetic(Arithmetic::Float32).unwrap();
    let mut evaluator = Evaluator::new(&network);
    assert_eq!(evaluator.argmax(&[9.0], 0.0, |_| true, || vec![Rational::from(9)]), Err(Undecided::Overflow));
    let scores = network.scores_at(&[Rational::from(9)]);
    assert!(matches!(scores, Scores::Unknown(Undecided::Overflow)));
    // Whichever way it is asked, and even where there is only one to choose.
    assert_eq!(scores.first_largest(&[1]), Err(Undecided::Overflow));
    assert_eq!(evaluator.argmax(&[9.0], 0.0, |i| i == 1, || vec![Rational::from(9)]), Err(Undecided::Overflow));
    assert_eq!(evaluator.all_argmax(&[9.0], 0.0, |i| i == 1, || vec![Rational::from(9)]), Err(Undecided::Overflow));
    assert_eq!(evaluator.argmax(&[9.0], 0.0, |_| false, || vec![Rational::from(9)]), Ok(None));
    assert_eq!(evaluator.all_argmax(&[9.0], 0.0, |_| false, || vec![Rational::from(9)]), Ok(vec![]));
}
