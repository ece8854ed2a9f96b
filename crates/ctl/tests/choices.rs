//! The policy's choice on a piece: bounds, oracle, walk and signs agree with the scores at points.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::sync::Arc;

use surefoot_ctl::agent::Prepared;
use surefoot_ctl::agent::choice::{by_signs, far_ahead, permitted, permitted_outputs};
use surefoot_ctl::agent::walk::Contest;
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::region::{Decider, Piece, Truth};
use surefoot_fixtures::{Random, random_network};
use surefoot_linear::{Atom, Linear, Relation, Symbol};
use surefoot_model::policy::Ties;
use surefoot_network::{Activation, Layer, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_oracle::Limits;

fn small(random: &mut Random) -> Rational {
    Rational::new(random.between(-6, 6), *random.pick(&[1, 2, 3])).expect("not zero")
}

fn random_piece(random: &mut Random, dimension: usize) -> Option<Piece> {
    let integer: Vec<bool> = (0..dimension).map(|_| random.percent(30)).collect();
    let bounds = (0..dimension).map(|_| {
        let low = small(random);
        let high = &low + &Rational::new(random.between(0, 6), 2).expect("not zero");
        (low, high)
    });
    let bounds: Vec<(Rational, Rational)> = bounds.collect();
    let mut piece = Piece::new(bounds, integer.into())?;
    for _ in 0..random.below(3) {
        let atom = Atom {
            form: random_form(random, dimension),
            relation: *random.pick(&[Relation::AtLeastZero, Relation::Positive]),
        };
        piece = piece.with(&atom, &Limits::default()).expect("no limits")?;
    }
    Some(piece)
}

fn random_form(random: &mut Random, dimension: usize) -> Linear {
    let terms = (0..dimension).map(|i| (Symbol::at(i), small(random))).collect();
    Linear::new(terms, small(random))
}

/// Points of a piece: its own, and those of a grid.
fn points(random: &mut Random, piece: &Piece) -> Vec<Vec<Rational>> {
    let mut points = vec![piece.point().to_vec()];
    for _ in 0..30 {
        let point: Vec<Rational> = piece
            .bounds()
            .iter()
            .map(|(low, high)| {
                let part = Rational::new(random.between(0, 4), 4).expect("not zero");
                low + &(&(high - low) * &part)
            })
            .collect();
        if piece.contains(&point) {
            points.push(point);
        }
    }
    points
}

#[test]
fn choices_on_pieces_are_those_at_points() {
    let (mut decided, mut cut) = (0, 0);
    for seed in 0..1500 {
        let random = &mut Random::new(seed);
        let dimension = 1 + random.below(3);
        let Some(piece) = random_piece(random, dimension) else { continue };
        let inputs: Vec<Linear> = (0..1 + random.below(3)).map(|_| random_form(random, dimension)).collect();
        let outputs = 2 + random.below(3);
        let prepared = Prepared::new(&Arc::new(random_network(random, inputs.len(), outputs)));
        let candidates: Vec<usize> = (0..outputs).filter(|_| random.percent(85)).collect();
        let ties = *random.pick(&[Ties::First, Ties::First, Ties::Any, Ties::Plaja]);
        let contest = Contest { candidates: &candidates, ties };
        let limits = Limits::default();
        let points = points(random, &piece);
        let at = |point: &[Rational]| {
            let values: Vec<Rational> = inputs.iter().map(|form| form.eval(|s| point[s.index()].clone())).collect();
            permitted_outputs(&prepared.network.eval_reference(&values), &contest)
        };
        let expected: Vec<Vec<usize>> = points.iter().map(|point| at(point)).collect();
        let mut decider = Decider::new(piece.clone(), &limits);
        if let Some(winner) = far_ahead(&decider, &prepared, &inputs, &contest) {
            assert!(expected.iter().all(|found| *found == [winner]), "seed {seed}: bounds");
        }
        let mut oracle = None;
        for (name, result) in [
            ("oracle", permitted(&mut decider, &mut oracle, &prepared, &inputs, &contest)),
            ("signs", by_signs(&mut Decider::new(piece.clone(), &limits), &prepared, &inputs, &contest)),
        ] {
            match result {
                Ok(outputs) => {
                    assert!(expected.iter().all(|found| *found == outputs), "seed {seed}: {name}");
                    decided += 1;
                }
                Err(Trouble::Open(line)) => {
                    let parts = piece.apart(&line, &limits).expect("no limits");
                    assert!(parts.len() > 1, "seed {seed}: {name}: a cut that parts nothing");
                    // The parts are the piece, and share nothing.
                    for point in &points {
                        assert_eq!(parts.iter().filter(|part| part.contains(point)).count(), 1, "seed {seed}");
                    }
                    cut += 1;
                }
                Err(other) => panic!("seed {seed}: {name}: {other:?}"),
            }
        }
    }
    assert!(decided > 1000 && cut > 200, "{decided} decided, {cut} cut");
}

#[test]
fn constraints_are_decided_as_by_programs() {
    for seed in 0..1500 {
        let random = &mut Random::new(seed);
        let dimension = 1 + random.below(3);
        let Some(piece) = random_piece(random, dimension) else { continue };
        let relations = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero];
        let limits = Limits::default();
        for _ in 0..4 {
            let atom = Atom { form: random_form(random, dimension), relation: *random.pick(&relations) };
            let mut decider = Decider::new(piece.clone(), &limits);
            let (fast, slow) =
                (decider.atom(&atom).expect("no limits"), decider.by_programs(&atom).expect("no limits"));
            let kind = |truth: &Truth| match truth {
                Truth::Holds => Some(true),
                Truth::Fails => Some(false),
                Truth::Open(_) => None,
            };
            assert_eq!(kind(&fast), kind(&slow), "seed {seed}: {atom:?} on {piece:?}");
            for point in points(random, &piece) {
                let truth = atom.eval(|s| point[s.index()].clone());
                assert!(kind(&fast).is_none_or(|said| said == truth), "seed {seed}: {atom:?} at {point:?}");
            }
        }
    }
}

/// A number of any size, zero and those that no float is near to among them.
fn extreme(random: &mut Random, exponents: &[i32]) -> Rational {
    let power = Rational::from(10).checked_pow(*random.pick(exponents)).expect("ten is not zero");
    &Rational::new(random.between(-99, 99), 7).expect("not zero") * &power
}

/// The network `w relu(s x + o)` with as many neurons as outputs, a scale and an offset per output.
fn extreme_network(random: &mut Random, outputs: usize) -> Network {
    let float = |random: &mut Random, exponents: &[i32]| extreme(random, exponents).to_f64();
    let layer = |random: &mut Random, inputs: usize, activation| {
        let weights = (0..inputs * outputs).map(|_| float(random, &[-308, -150, -20, 0, 0, 0, 20, 150])).collect();
        let bias = (0..outputs).map(|_| if random.percent(50) { 0.0 } else { float(random, &[-320, 0]) }).collect();
        Layer::new(inputs, weights, bias, activation).expect("as many weights as inputs times outputs")
    };
    let mut layers = Vec::new();
    if random.percent(50) {
        layers.push(layer(random, 1, Activation::Relu));
    }
    let width = if layers.is_empty() { 1 } else { outputs };
    layers.push(layer(random, width, Activation::Identity));
    let mut network = Network::new(layers).expect("layers fit together");
    if random.percent(60) {
        let scale = extreme(random, &[-330, -300, -130, 0, 130, 300, 330]);
        let offset = if random.percent(70) { Rational::ZERO } else { extreme(random, &[-330, 0]) };
        network = network.with_input_normalisation(Normalisation::new(vec![scale], vec![offset]).unwrap()).unwrap();
    }
    if random.percent(40) {
        let scales = (0..outputs).map(|_| extreme(random, &[-330, -200, 0, 200])).collect();
        let offsets = (0..outputs).map(|_| extreme(random, &[-400, -320, -100, 0])).collect();
        network = network.with_output_normalisation(Normalisation::new(scales, offsets).unwrap()).unwrap();
    }
    network
}

/// The network with an offset of its last output that makes it all but equal to the first at a point.
fn close_race(random: &mut Random, network: Network, input: &Rational) -> Network {
    let scores = network.eval_reference(std::slice::from_ref(input));
    let last = scores.len() - 1;
    let part = Rational::new(1_000_000 + random.between(-3, 3), 1_000_000).expect("not zero");
    let wanted = &(&scores[0] * &part) - &scores[last];
    let (mut scales, mut offsets) = match network.output_normalisation() {
        Some(normalisation) => (normalisation.scale().to_vec(), normalisation.offset().to_vec()),
        None => (vec![Rational::ONE; scores.len()], vec![Rational::ZERO; scores.len()]),
    };
    offsets[last] = &offsets[last] + &wanted;
    if random.percent(30) {
        (scales[0], offsets[0]) = (-&scales[0], -&offsets[0]);
    }
    network.with_output_normalisation(Normalisation::new(scales, offsets).unwrap()).unwrap()
}

#[test]
fn bounds_are_bounds_for_numbers_of_any_size() {
    let mut decided = 0;
    for seed in 0..3_000 {
        let random = &mut Random::new(seed);
        let exponents = [-330, -320, -308, -200, -130, 0, 0, 130, 200, 300];
        let low = extreme(random, &exponents);
        let width = &low.abs() * &Rational::new(1, *random.pick(&[10, 100_000, 1_000_000_000])).expect("not zero");
        let high = &low + &width;
        let outputs = 2 + random.below(2);
        let form = Linear::new(vec![(Symbol(0), extreme(random, &exponents))], extreme(random, &[-400, -310, 0]));
        let form = if random.percent(50) { Linear::new(form.terms().to_vec(), Rational::ZERO) } else { form };
        let at = |x: &Rational| form.eval(|_| x.clone());
        let mut network = extreme_network(random, outputs);
        if random.percent(80) {
            network = close_race(random, network, &at(&low));
        }
        let Some(piece) = Piece::new(vec![(low.clone(), high.clone())], [false].into()) else { continue };
        let prepared = Prepared::new(&Arc::new(network));
        let candidates: Vec<usize> = (0..outputs).collect();
        let contest = Contest { candidates: &candidates, ties: *random.pick(&[Ties::First, Ties::Any, Ties::Plaja]) };
        let limits = Limits::default();
        let decider = Decider::new(piece.clone(), &limits);
        let scores = |x: &Rational| prepared.network.eval_reference(&[at(x)]);
        let points = [low.clone(), high.clone(), piece.point()[0].clone()];
        if let Some(winner) = far_ahead(&decider, &prepared, std::slice::from_ref(&form), &contest) {
            for point in &points {
                assert_eq!(permitted_outputs(&scores(point), &contest), [winner], "seed {seed}");
            }
            decided += 1;
        }
        let Some(enclosed) =
            prepared.exact.as_ref().unwrap().bounds.enclose(std::slice::from_ref(&form), piece.float_bounds())
        else {
            continue;
        };
        for point in &points {
            for (output, score) in scores(point).iter().enumerate() {
                assert!(enclosed.output(output).contains(score), "seed {seed}: output {output}");
            }
        }
    }
    assert!(decided > 200, "{decided} decided");
}

/// Coefficients that are subnormal as floats, and products that underflow although the scale after them makes them large.
#[test]
fn underflow_decides_nothing() {
    let number = |text: &str| text.parse::<Rational>().expect("a number");
    for (coefficient, scale, low, high, other) in [
        ("1e-320", "1", "1e300", "1.000001e300", 9.99995e-21),
        ("1e-130", "1e300", "1e-200", "2e-200", 5e-31),
        ("1e-200", "1e200", "1e-200", "2e-200", 5e-201),
    ] {
        let layer = Layer::new(1, vec![1.0, 0.0], vec![0.0, other], Activation::Identity).unwrap();
        let normalisation = Normalisation::new(vec![number(scale)], vec![Rational::ZERO]).unwrap();
        let network = Network::new(vec![layer]).unwrap().with_input_normalisation(normalisation).unwrap();
        let prepared = Prepared::new(&Arc::new(network));
        let form = Linear::new(vec![(Symbol(0), number(coefficient))], Rational::ZERO);
        let piece = Piece::new(vec![(number(low), number(high))], [false].into()).expect("not empty");
        let contest = Contest { candidates: &[0, 1], ties: Ties::First };
        let limits = Limits::default();
        let at = |x: &str| {
            let scores = prepared.network.eval_reference(&[form.eval(|_| number(x))]);
            permitted_outputs(&scores, &contest)
        };
        assert_eq!((at(low), at(high)), (vec![0], vec![0]));
        let mut decider = Decider::new(piece, &limits);
        let winner = far_ahead(&decider, &prepared, std::slice::from_ref(&form), &contest);
        assert!(winner.is_none_or(|winner| winner == 0), "{coefficient} {scale}: {winner:?}");
        let outputs = permitted(&mut decider, &mut None, &prepared, std::slice::from_ref(&form), &contest);
        assert!(matches!(&outputs, Ok(outputs) if *outputs == [0]), "{coefficient} {scale}: {outputs:?}");
    }
}

/// Oracles refuse boxes as large as these.
#[test]
fn large_boxes_are_decided() {
    let large = &Rational::from(10).checked_pow(17).expect("ten is not zero");
    let larger = &Rational::from(10).checked_pow(301).expect("ten is not zero");
    let network = Network::new(vec![Layer::new(1, vec![1.0, -1.0], vec![0.0, 0.0], Activation::Identity).unwrap()]);
    let prepared = Prepared::new(&Arc::new(network.unwrap()));
    let (form, limits) = (Linear::symbol(Symbol(0)), Limits::default());
    let contest = Contest { candidates: &[0, 1], ties: Ties::First };
    for (bound, integer) in [(large, true), (larger, false)] {
        let piece = Piece::new(vec![(-bound, bound.clone())], [integer].into()).expect("not empty");
        let mut decider = Decider::new(piece.clone(), &limits);
        let Err(Trouble::Open(cut)) =
            permitted(&mut decider, &mut None, &prepared, std::slice::from_ref(&form), &contest)
        else {
            panic!("the choice is not the same everywhere")
        };
        let parts = piece.apart(&cut, &limits).expect("no limits");
        let choices = parts.into_iter().map(|part| {
            let mut decider = Decider::new(part, &limits);
            permitted(&mut decider, &mut None, &prepared, std::slice::from_ref(&form), &contest)
                .expect("the same everywhere")
        });
        assert_eq!(choices.collect::<Vec<_>>(), [[0], [1]]);
    }
}
