//! The fast evaluations against the reference, on random networks and on the nasty ones: exact ties, outputs that
//! differ in the last bit, subnormal and huge weights, inputs normalised by thirds.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use proptest::prelude::*;
use surefoot_linear::{Linear, Symbol};
use surefoot_network::bounds::BoundingNetwork;
use surefoot_network::eval::Neuron;
use surefoot_network::{Activation, Evaluator, ExactNetwork, FloatNetwork, Layer, Network, Normalisation};
use surefoot_num::{FloatInterval, Rational};

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -4.0f64..4.0,
        4 => (-16i32..16).prop_map(|n| f64::from(n) / 8.0),
        1 => Just(0.0),
        1 => any::<u64>().prop_map(|bits| Some(f64::from_bits(bits)).filter(|f| f.is_finite()).unwrap_or(1.0)),
        1 => prop_oneof![Just(5e-324), Just(-3e-310), Just(1e300), Just(-1e300), Just(f64::MAX), Just(1e-200)],
    ]
}

fn tame_weight() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -4.0f64..4.0, 2 => (-16i32..16).prop_map(|n| f64::from(n) / 8.0), 1 => Just(0.0)]
}

fn rational() -> impl Strategy<Value = Rational> {
    prop_oneof![
        (-50i64..50).prop_map(Rational::from),
        (-90i64..90, 1i64..10).prop_map(|(n, d)| Rational::new(n, d).unwrap()),
        weight().prop_map(|w| Rational::from_f64(w).unwrap()),
    ]
}

fn small_rational() -> impl Strategy<Value = Rational> {
    (-90i64..90, prop_oneof![Just(1i64), Just(3), Just(7), Just(16)]).prop_map(|(n, d)| Rational::new(n, d).unwrap())
}

fn normalisation(len: usize, wild: bool) -> BoxedStrategy<Option<Normalisation>> {
    let entry = if wild { rational().boxed() } else { small_rational().boxed() };
    let lists = proptest::collection::vec((entry.clone(), entry), len);
    let normalisation = lists.prop_map(|pairs| {
        let (scale, offset) = pairs.into_iter().unzip();
        Normalisation::new(scale, offset).unwrap()
    });
    proptest::option::of(normalisation).boxed()
}

fn network(wild: bool) -> impl Strategy<Value = Network> {
    proptest::collection::vec(1usize..11, 2..5).prop_flat_map(move |sizes| {
        let count: usize = sizes.windows(2).map(|p| (p[0] + 1) * p[1]).sum();
        let numbers = if wild { weight().boxed() } else { tame_weight().boxed() };
        let relus = proptest::collection::vec(any::<bool>(), sizes.len() - 1);
        let (inputs, outputs) = (sizes[0], sizes[sizes.len() - 1]);
        let normalisations = (normalisation(inputs, wild), normalisation(outputs, wild));
        (proptest::collection::vec(numbers, count), relus, normalisations).prop_map(move |(numbers, relus, norms)| {
            let mut rest = &numbers[..];
            let mut layers = Vec::new();
            for (pair, relu) in sizes.windows(2).zip(relus) {
                let (weights, tail) = rest.split_at(pair[0] * pair[1]);
                let (bias, tail) = tail.split_at(pair[1]);
                rest = tail;
                let activation = if relu { Activation::Relu } else { Activation::Identity };
                layers.push(Layer::new(pair[0], weights.to_vec(), bias.to_vec(), activation).unwrap());
            }
            let mut network = Network::new(layers).unwrap();
            if let Some(input) = norms.0 {
                network = network.with_input_normalisation(input).unwrap();
            }
            if let Some(output) = norms.1 {
                network = network.with_output_normalisation(output).unwrap();
            }
            network
        })
    })
}

fn network_and_point(wild: bool) -> impl Strategy<Value = (Network, Vec<Rational>)> {
    network(wild).prop_flat_map(move |network| {
        let entry = if wild { rational().boxed() } else { small_rational().boxed() };
        let point = proptest::collection::vec(entry, network.input_len());
        (Just(network), point)
    })
}

/// Nearest floats of a point and a bound on the distance.
fn rounded(point: &[Rational]) -> (Vec<f64>, f64) {
    let floats: Vec<f64> = point.iter().map(Rational::to_f64).collect();
    let distance = |(x, f): (&Rational, &f64)| {
        Rational::from_f64(*f).map_or(f64::INFINITY, |f| {
            let gap = (x - &f).abs();
            if gap.is_zero() { 0.0 } else { gap.to_f64().next_up() }
        })
    };
    let error = point.iter().zip(&floats).map(distance).fold(0.0, f64::max);
    (floats, error)
}

fn check_float(network: &Network, point: &[Rational]) -> Result<bool, TestCaseError> {
    let reference = network.eval_reference(point);
    prop_assert_eq!(&network.eval_exact(point), &reference);
    let float = FloatNetwork::new(network);
    let mut scratch = float.scratch();
    let (inputs, input_error) = rounded(point);
    let outputs = float.eval(&inputs, input_error, &mut scratch);
    if outputs.error == f64::INFINITY {
        return Ok(false);
    }
    let bound = Rational::from_f64(outputs.error).expect("finite");
    for (exact, value) in reference.iter().zip(outputs.values) {
        let value = Rational::from_f64(*value).expect("a finite bound promises finite values");
        prop_assert!((&value - exact).abs() <= bound, "{value} {exact} {bound}");
    }
    Ok(true)
}

/// The walk over forms `start + t (end - start)`: with the signs at a `t` it gives the outputs there, and so it does when every neuron
/// is a symbol of its own that means what the neuron yields.
fn check_walk(network: &Network, ends: [&[Rational]; 2], t: &Rational) -> Result<(), TestCaseError> {
    let parameter = Symbol(3);
    let line: Vec<Linear> = ends[0]
        .iter()
        .zip(ends[1])
        .map(|(start, end)| Linear::new(vec![(parameter, end - start)], start.clone()))
        .collect();
    let inputs: Vec<Rational> = line.iter().map(|form| form.eval(|_| t.clone())).collect();
    let (exact, reference) = (ExactNetwork::new(network).unwrap(), network.eval_reference(&inputs));
    let around = exact.walk_around(&line, |_| t.clone());
    prop_assert_eq!(around.iter().map(|form| form.eval(|_| t.clone())).collect::<Vec<_>>(), reference.clone());
    // Symbols after the parameter are neurons, in the order of evaluation.
    let mut values = vec![t.clone()];
    let outputs = exact.walk(&line, |z| {
        let (form, multiple) = (z.form(), z.multiple());
        let value = form.eval(|s| values[s.index() - parameter.index()].clone());
        prop_assert_eq!(value.signum(), multiple.eval(|s| values[s.index() - parameter.index()].clone()).signum());
        let symbol = parameter.plus(values.len());
        values.push(if z.relu { value.max(Rational::ZERO) } else { value });
        Ok(Neuron::Instead(Linear::symbol(symbol)))
    })?;
    let outputs: Vec<Rational> =
        outputs.iter().map(|form| form.eval(|s| values[s.index() - parameter.index()].clone())).collect();
    prop_assert_eq!(outputs, reference);
    Ok(())
}

/// Every pre-activation along a segment is within its bounds over the segment's box.
fn check_bounds(network: &Network, ends: [&[Rational]; 2], t: &Rational) -> Result<(), TestCaseError> {
    let forms: Vec<Linear> = (0..network.input_len()).map(|j| Linear::symbol(Symbol::at(j))).collect();
    let pairs = || ends[0].iter().zip(ends[1]);
    let outwards = |(a, b): (&Rational, &Rational)| {
        let (a, b) = (a.to_f64(), b.to_f64());
        FloatInterval { lower: a.min(b).next_down(), upper: a.max(b).next_up() }
    };
    let bounds: Vec<FloatInterval> = pairs().map(outwards).collect();
    let point: Vec<Rational> = pairs().map(|(a, b)| a + &(&(b - a) * t)).collect();
    let Some(enclosed) = BoundingNetwork::new(network).unwrap().enclose(&forms, &bounds) else { return Ok(()) };
    let constants: Vec<Linear> = point.iter().cloned().map(Linear::constant_form).collect();
    let outputs = ExactNetwork::new(network).unwrap().walk(&constants, |z| {
        let value = z.form().constant().clone();
        prop_assert!(enclosed.neurons()[z.layer][z.neuron].contains(&value));
        Ok(if z.relu && value.signum() < 0 { Neuron::Inactive } else { Neuron::Active })
    })?;
    prop_assert_eq!(
        outputs.iter().map(|form| form.constant().clone()).collect::<Vec<_>>(),
        network.eval_reference(&point)
    );
    Ok(())
}

fn check_argmax(network: &Network, point: &[Rational], mask: u32, tolerance: &Rational) -> Result<(), TestCaseError> {
    let reference = network.eval_reference(point);
    let allowed = |index: usize| mask >> index & 1 == 1;
    let best = (0..reference.len()).filter(|&i| allowed(i)).map(|i| &reference[i]).max();
    let maximal = |t: &Rational| -> Vec<usize> {
        (0..reference.len()).filter(|&i| allowed(i) && best.is_some_and(|best| reference[i] >= (best - t))).collect()
    };
    let (inputs, input_error) = rounded(point);
    let mut evaluator = Evaluator::new(network);
    let first = evaluator.argmax(&inputs, input_error, allowed, || point.to_vec());
    prop_assert_eq!(first, Ok(maximal(&Rational::ZERO).first().copied()));
    let all = evaluator.all_argmax(&inputs, input_error, allowed, || point.to_vec());
    prop_assert_eq!(all, Ok(maximal(&Rational::ZERO)));
    let near = evaluator.within(&inputs, input_error, allowed, tolerance, || point.to_vec());
    prop_assert_eq!(near, Ok(maximal(tolerance)));
    if best.is_some() {
        prop_assert_eq!(evaluator.statistics().float + evaluator.statistics().exact, 3);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_walk_and_the_bounds_agree_with_evaluation(
        (network, start, end) in any::<bool>().prop_flat_map(network_and_point).prop_flat_map(|(network, start)| {
            let end = proptest::collection::vec(small_rational(), start.len());
            (Just(network), Just(start), end)
        }),
        t in (0i64..=8).prop_map(|n| Rational::new(n, 8).unwrap()),
    ) {
        check_walk(&network, [&start, &end], &t)?;
        check_bounds(&network, [&start, &end], &t)?;
    }

    #[test]
    fn wild_networks((network, point) in network_and_point(true)) {
        check_float(&network, &point)?;
    }

    #[test]
    fn tame_networks_have_finite_bounds((network, point) in network_and_point(false)) {
        prop_assert!(check_float(&network, &point)?);
    }

    #[test]
    fn argmax_is_exact((network, point) in network_and_point(false), mask: u32, t in 0i64..50) {
        check_argmax(&network, &point, mask, &Rational::new(t, 10).unwrap())?;
    }

    #[test]
    fn argmax_is_exact_on_wild_networks((network, point) in network_and_point(true), mask: u32) {
        check_argmax(&network, &point, mask, &Rational::new(1, 10_000_000).unwrap())?;
    }

    /// Two equal rows, and one that differs from them in the last bit of one weight or bias, somewhere among others.
    #[test]
    fn ties_and_near_ties(
        hidden in proptest::collection::vec(tame_weight(), 12),
        row in proptest::collection::vec(0.01f64..4.0, 5),
        places in proptest::sample::subsequence((0..6usize).collect::<Vec<_>>(), 3).prop_shuffle(),
        (up, bump) in (any::<bool>(), 0usize..5),
        point in proptest::collection::vec(small_rational(), 2),
        mask: u32,
    ) {
        let first = Layer::new(2, hidden[..8].to_vec(), hidden[8..].to_vec(), Activation::Relu).unwrap();
        // Six outputs; unset ones are far below.
        let mut rows = vec![vec![0.0, 0.0, 0.0, 0.0, -1000.0]; 6];
        rows[places[0]] = row.clone();
        rows[places[1]] = row.clone();
        let mut near = row;
        near[bump] = if up { near[bump].next_up() } else { near[bump].next_down() };
        rows[places[2]] = near;
        let weights = rows.iter().flat_map(|r| r[..4].to_vec()).collect();
        let bias = rows.iter().map(|r| r[4]).collect();
        let second = Layer::new(4, weights, bias, Activation::Identity).unwrap();
        let network = Network::new(vec![first, second]).unwrap();
        check_argmax(&network, &point, mask, &Rational::new(1, 10_000_000).unwrap())?;
        check_argmax(&network, &point, u32::MAX, &Rational::ZERO)?;
    }
}

#[test]
fn bad_floats_go_the_exact_way() {
    let layer = Layer::new(1, vec![1.0, -1.0], vec![0.0; 2], Activation::Relu).unwrap();
    let network = Network::new(vec![layer]).unwrap();
    let mut evaluator = Evaluator::new(&network);
    for (input, error) in [(f64::NAN, 0.0), (f64::INFINITY, 0.0), (1.0, f64::NAN), (1.0, -1.0), (1.0, f64::INFINITY)] {
        let exact = || vec![Rational::from(-2)];
        assert_eq!(evaluator.argmax(&[input], error, |_| true, exact), Ok(Some(1)), "{input} {error}");
    }
    assert_eq!(evaluator.statistics().exact, 5);
    // Overflow in the middle: NaN must not hide behind ReLU.
    let big = Layer::new(1, vec![f64::MAX, f64::MAX], vec![0.0; 2], Activation::Identity).unwrap();
    let cancel = Layer::new(2, vec![1.0, -1.0, 0.0, 0.0], vec![1.0, 0.0], Activation::Relu).unwrap();
    let mut evaluator = Evaluator::new(&Network::new(vec![big, cancel]).unwrap());
    assert_eq!(evaluator.argmax(&[4.0], 0.0, |_| true, || vec![Rational::from(4)]), Ok(Some(0)));
    assert_eq!(evaluator.statistics().exact, 1);
}

#[test]
fn nothing_allowed_means_no_choice() {
    let layer = Layer::new(1, vec![1.0, -1.0], vec![0.0; 2], Activation::Relu).unwrap();
    let mut evaluator = Evaluator::new(&Network::new(vec![layer]).unwrap());
    let never = || unreachable!("floats decide that");
    assert_eq!(evaluator.argmax(&[1.0], 0.0, |_| false, never), Ok(None));
    let never = || unreachable!("floats decide that");
    assert!(evaluator.all_argmax(&[1.0], 0.0, |_| false, never).is_ok_and(|all| all.is_empty()));
}
