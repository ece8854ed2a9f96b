//! The policy's choice on a piece: bounds, oracle, walk and signs agree with the scores at points.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::sync::Arc;

use surefoot_ctl::agent::Prepared;
use surefoot_ctl::agent::choice::{by_signs, far_ahead, permitted, permitted_outputs};
use surefoot_ctl::agent::walk::Contest;
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::region::{Decider, Piece, Truth};
use surefoot_model::policy::Ties;
use surefoot_network::{Activation, Layer, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_oracle::Limits;
use surefoot_symbolic::{Atom, Linear, Relation};
use surefoot_testkit::Random;
use surefoot_testkit::network::random_network;

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
    let terms = (0..dimension).map(|i| (i as u32, small(random))).collect();
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
            let values: Vec<Rational> = inputs.iter().map(|form| form.eval(|s| point[s as usize].clone())).collect();
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
                let truth = atom.eval(|s| point[s as usize].clone());
                assert!(kind(&fast).is_none_or(|said| said == truth), "seed {seed}: {atom:?} at {point:?}");
            }
        }
    }
}

/// Oracles refuse boxes as large as these.
#[test]
fn large_boxes_are_decided() {
    let large = &Rational::from(10).checked_pow(17).expect("ten is not zero");
    let larger = &Rational::from(10).checked_pow(301).expect("ten is not zero");
    let network = Network::new(vec![Layer::new(1, vec![1.0, -1.0], vec![0.0, 0.0], Activation::Identity).unwrap()]);
    let prepared = Prepared::new(&Arc::new(network.unwrap()));
    let (form, limits) = (Linear::symbol(0), Limits::default());
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
