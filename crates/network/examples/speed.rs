//! How fast choices are decided, by activation and arithmetic, beside ReLU over the reals in the same run, as CSV:
//! `cargo run --release -p surefoot-network --example speed`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark driver")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers of an example are small"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use surefoot_network::{Activation, Arithmetic, Evaluator, Layer, Network};
use surefoot_num::Rational;
use surefoot_num::function::Function;

const POINTS: usize = 1024;
const TIME: Duration = Duration::from_millis(400);

struct Random(u64);

impl Random {
    /// From -2 to 2.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0
    }
}

fn network(sizes: &[usize], activation: Activation, arithmetic: Arithmetic) -> Network {
    let mut random = Random(0x5eed);
    let mut layers = Vec::new();
    for (index, pair) in sizes.windows(2).enumerate() {
        // Weights of single precision, as files have them.
        let mut number = || f64::from((random.next() / (pair[0] as f64).sqrt()) as f32);
        let weights = (0..pair[0] * pair[1]).map(|_| number()).collect();
        let bias = (0..pair[1]).map(|_| number()).collect();
        let activation = if index + 2 == sizes.len() { Activation::Identity } else { activation };
        layers.push(Layer::new(pair[0], weights, bias, activation).unwrap());
    }
    Network::new(layers).unwrap().with_arithmetic(arithmetic).unwrap()
}

/// Decisions per second, and the share of them that floats left open.
fn rate(network: &Network, points: &[Vec<f64>]) -> (f64, f64) {
    let mut evaluator = Evaluator::new(network);
    let exact = |point: &[f64]| point.iter().map(|&x| Rational::from_f64(x).unwrap()).collect::<Vec<_>>();
    let (start, mut rounds) = (Instant::now(), 0usize);
    while start.elapsed() < TIME {
        for point in points {
            black_box(evaluator.argmax(black_box(point), 0.0, |_| true, || exact(point))).unwrap();
        }
        rounds += 1;
    }
    let decisions = (rounds * points.len()) as f64;
    (decisions / start.elapsed().as_secs_f64(), evaluator.statistics().exact as f64 / decisions)
}

fn main() {
    let functions = [
        Function::Tanh,
        Function::Sigmoid,
        Function::Softplus,
        Function::Elu { alpha: 1.0 },
        Function::Gelu,
        Function::GeluTanh,
        Function::Silu,
    ];
    let mut kinds = vec![(Activation::Relu, Arithmetic::Real)];
    kinds.extend(functions.map(|function| (Activation::Smooth(function), Arithmetic::Real)));
    kinds.push((Activation::LayerNorm { epsilon: 1e-5 }, Arithmetic::Real));
    kinds.push((Activation::Relu, Arithmetic::Float32));
    kinds.push((Activation::Smooth(Function::Tanh), Arithmetic::Float32));
    println!("network,activation,arithmetic,decisions per second,times slower than relu,left open by floats");
    for sizes in [&[14usize, 16, 16, 5][..], &[8, 64, 64, 4]] {
        let mut random = Random(7);
        let points: Vec<Vec<f64>> =
            (0..POINTS).map(|_| (0..sizes[0]).map(|_| (random.next() * 4.0).floor()).collect()).collect();
        let mut relu = 0.0;
        for (activation, arithmetic) in &kinds {
            let (rate, open) = rate(&network(sizes, *activation, *arithmetic), &points);
            if relu == 0.0 {
                relu = rate;
            }
            let shape = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
            println!("{shape},{activation},{arithmetic:?},{rate:.0},{:.2},{open:.4}", relu / rate);
        }
    }
}
