//! How fast a 14-16-16-5 network is evaluated: `cargo run --release -p surefoot-network --example speed`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark driver")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

use std::hint::black_box;
use std::time::Instant;

use surefoot_network::{Activation, Evaluator, Layer, Network};
use surefoot_num::Rational;

fn main() {
    let mut state = 0x5eedu64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0
    };
    let sizes = [14usize, 16, 16, 5];
    let mut layers = Vec::new();
    for (index, pair) in sizes.windows(2).enumerate() {
        let weights = (0..pair[0] * pair[1]).map(|_| random()).collect();
        let bias = (0..pair[1]).map(|_| random()).collect();
        let activation = if index == 2 { Activation::Identity } else { Activation::Relu };
        layers.push(Layer::new(pair[0], weights, bias, activation).unwrap());
    }
    let network = Network::new(layers).unwrap();
    let mut evaluator = Evaluator::new(&network);
    let points: Vec<Vec<f64>> = (0..1024).map(|_| (0..14).map(|_| (random() * 4.0).floor()).collect()).collect();
    let exact = |point: &[f64]| point.iter().map(|&x| Rational::from_f64(x).unwrap()).collect::<Vec<_>>();

    let float = evaluator.float().clone();
    let slow = surefoot_network::ExactNetwork::new(&network).expect("a network of ReLUs");
    let mut scratch = float.scratch();
    let rounds = 2_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for point in &points {
            black_box(float.eval(black_box(point), 0.0, &mut scratch).error);
        }
    }
    let rate = (rounds * points.len()) as f64 / start.elapsed().as_secs_f64();
    println!("float evaluations: {:.2} million/s", rate / 1e6);

    let start = Instant::now();
    for _ in 0..rounds {
        for point in &points {
            black_box(evaluator.argmax(black_box(point), 0.0, |_| true, || exact(point)));
        }
    }
    let rate = (rounds * points.len()) as f64 / start.elapsed().as_secs_f64();
    println!("argmax: {:.2} million/s, {:?}", rate / 1e6, evaluator.statistics());

    let start = Instant::now();
    for point in &points {
        black_box(slow.eval_scaled(&exact(point)));
    }
    println!("exact evaluations: {:.0}/s", points.len() as f64 / start.elapsed().as_secs_f64());
}
