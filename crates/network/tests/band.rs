//! How far single precision is from the real numbers, against both at random points.

#![expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use surefoot_network::band::Band;
use surefoot_network::{Activation, Arithmetic, Layer, Network, Normalisation, Scores};
use surefoot_num::function::Function;
use surefoot_num::{Random, Rational};

fn below(random: &mut Random, bound: u64) -> u64 {
    random.next_u64() % bound
}

/// A number between -2 and 2, at times one of single precision, times a factor.
fn weight(random: &mut Random, factor: f64) -> f64 {
    let unit = (random.next_u64() >> 11) as f64 / (1u64 << 51) as f64 - 2.0;
    let number = if below(random, 2) == 0 { f64::from(unit as f32) } else { unit };
    if below(random, 8) == 0 { 0.0 } else { number * factor }
}

fn layer(random: &mut Random, inputs: usize, outputs: usize, activation: Activation) -> Layer {
    let factor = [1.0, 1e-3, 100.0][below(random, 3) as usize];
    let weights = (0..inputs * outputs).map(|_| weight(random, factor)).collect();
    let bias = (0..outputs).map(|_| weight(random, factor)).collect();
    Layer::new(inputs, weights, bias, activation).expect("it fits")
}

fn number(random: &mut Random) -> Rational {
    let (numerator, denominator) = (below(random, 4001), 1 + below(random, 97));
    Rational::new(numerator.cast_signed() - 2000, denominator.cast_signed()).expect("not zero")
}

fn normalisation(random: &mut Random, size: usize) -> Normalisation {
    let scale = (0..size).map(|_| Rational::new(1 + below(random, 20).cast_signed(), 7).expect("not zero")).collect();
    Normalisation::new(scale, (0..size).map(|_| number(random)).collect()).expect("it fits")
}

fn network(random: &mut Random, inputs: usize) -> Network {
    let hidden = [
        Activation::Relu,
        Activation::Relu,
        Activation::Smooth(Function::Tanh),
        Activation::Smooth(Function::Sigmoid),
        Activation::Smooth(Function::Softplus),
        Activation::Smooth(Function::Elu { alpha: 2.0 }),
        Activation::Smooth(Function::Silu),
        Activation::Smooth(Function::Gelu),
    ];
    let (mut layers, mut width) = (Vec::new(), inputs);
    for _ in 0..below(random, 3) {
        let next = 1 + below(random, 12) as usize;
        let activation = hidden[below(random, 8) as usize];
        layers.push(layer(random, width, next, activation));
        width = next;
    }
    layers.push(layer(random, width, 3, Activation::Identity));
    let mut network = Network::new(layers).expect("it fits");
    if below(random, 2) == 0 {
        network = network.with_input_normalisation(normalisation(random, inputs)).expect("it fits");
    }
    if below(random, 3) == 0 {
        network = network.with_output_normalisation(normalisation(random, 3)).expect("it fits");
    }
    network
}

#[test]
fn single_precision_stays_within_the_band() {
    let mut random = Random::new(11);
    let (mut close, mut points) = (0u32, 0u32);
    for _ in 0..300 {
        let inputs = 1 + below(&mut random, 5) as usize;
        let real = network(&mut random, inputs);
        let single = real.clone().with_arithmetic(Arithmetic::Float32).expect("no layer is normalised");
        let sizes: Vec<f64> = (0..inputs).map(|_| [3.0, 2000.0][below(&mut random, 2) as usize]).collect();
        let band = Band::new(&single, &sizes).outputs(&single);
        for _ in 0..5 {
            let point: Vec<Rational> = sizes
                .iter()
                .map(|size| number(&mut random).max(Rational::from(-*size as i64)).min(Rational::from(*size as i64)))
                .collect();
            let Scores::Exact(computed) = single.scores_at(&point) else { panic!("nothing overflows") };
            let exact = real.scores_at(&point).shown(3);
            let rounded = Rational::new(1, 1 << 60).expect("not zero");
            for ((computed, exact), band) in computed.iter().zip(&exact).zip(&band) {
                let distance = (computed - exact).abs();
                let band = Rational::from_f64(*band).expect("finite");
                assert!(distance <= &band + &rounded, "{computed} and {exact} are more than {band} apart");
                points += 1;
                close += u32::from(&distance * &Rational::from(1000) >= band);
            }
        }
    }
    // Not so wide that it says nothing.
    assert!(close > points / 10, "{close} of {points} come near");
}

#[test]
fn overflow_has_no_band() {
    let big = Layer::new(1, vec![3e38], vec![0.0], Activation::Identity).expect("it fits");
    let network = Network::new(vec![big]).expect("one layer");
    let network = network.with_arithmetic(Arithmetic::Float32).expect("no layer is normalised");
    assert!(Band::new(&network, &[0.01]).width(&network).is_finite());
    assert_eq!(Band::new(&network, &[10.0]).width(&network), f64::INFINITY);
}
