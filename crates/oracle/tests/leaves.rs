//! Questions that only exact linear programs can answer, beside networks with several layers.
//!
//! A disjunct with a single point that no float holds is found by no sampling, and the network in the other disjunct
//! makes the search assume phases of neurons first. Such questions are satisfiable by construction.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]

mod common;

use std::sync::Arc;

use common::conformance::generous;
use common::show::show;
use common::{apply, int, network, zero};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Options, Oracle, Question, Variable};

const CASES: u64 = 1500;

fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator, denominator).unwrap()
}

/// "The variables are at the point".
fn is_at(point: &[Rational]) -> Formula {
    let coordinate =
        |(v, x): (usize, &Rational)| zero(&Linear::symbol(Symbol::at(v)) - &Linear::constant_form(x.clone()));
    Formula::all(point.iter().enumerate().map(coordinate))
}

fn deep_network(random: &mut Random, inputs: usize) -> Network {
    let depth = 3 + random.below(2);
    let mut width = inputs;
    let mut layers = Vec::new();
    for layer in 0..depth {
        let last = layer + 1 == depth;
        let next = if last { 1 } else { 2 + random.below(2) };
        let weights = (0..width * next).map(|_| random.between(-8, 8) as f64 / 4.0).collect();
        let bias = (0..next).map(|_| random.between(-4, 4) as f64 / 4.0).collect();
        let activation = if last { Activation::Identity } else { Activation::Relu };
        layers.push(Layer::new(width, weights, bias, activation).unwrap());
        width = next;
    }
    Network::new(layers).unwrap()
}

#[test]
fn the_point_beside_a_network_is_found() {
    for seed in seeds(31_000_000, CASES) {
        let mut random = Random::new(seed);
        let n = 1 + random.below(2);
        let network = Arc::new(deep_network(&mut random, n));
        let variables = vec![Variable::real(int(-1), int(1)); n];
        let applications = vec![apply(&network, Symbol::first(n).map(Linear::symbol))];
        let mut question = Question { variables, applications, formula: Formula::truth() };
        let mut grid = || (0..n).map(|_| ratio(random.between(-12, 12), 12)).collect::<Vec<_>>();
        let largest = (0..60).map(|_| question.symbol_values(&grid())[n].clone()).reduce(Rational::max).unwrap();
        let beyond = &largest + &ratio(random.between(0, 8), 8);
        let point: Vec<Rational> = (0..n).map(|_| ratio(random.between(-6, 6) * 3 + 1, 21)).collect();
        let above = &Linear::symbol(Symbol::at(n)) - &Linear::constant_form(beyond);
        question.formula = Formula::any([Formula::Atom(Atom::positive(above)), is_at(&point)]);
        let bare = Options { root_steps: 0, phases: 1000, ..Options::default() };
        for options in [Options::default(), bare] {
            match BranchAndBound::new(options).decide(&question, &generous()) {
                Answer::Sat(found) => assert!(question.is_witness(&found), "seed {seed}"),
                answer => panic!("seed {seed}: {answer:?}, but {point:?} is a witness\n{}", show(&question)),
            }
        }
    }
}

#[test]
fn assumed_phases_of_decided_scores_do_not_refute() {
    // The output is never 3; x = 1/3 is fine.
    let network = Arc::new(network(&[&[&[2.0, 0.0], &[2.0, 1.0]], &[&[-1.0, 2.0, -1.0]], &[&[-1.0, 1.0]]]));
    let applications = vec![apply(&network, [Linear::symbol(Symbol(0))])];
    let never = Formula::Atom(Atom::at_least_zero(Linear::new(vec![(Symbol(1), int(1))], int(-3))));
    let formula = Formula::any([never, is_at(&[ratio(1, 3)])]);
    let question = Question { variables: vec![Variable::real(int(-1), int(1))], applications, formula };
    let answer = BranchAndBound::new(Options::default()).decide(&question, &generous());
    assert_eq!(answer, Answer::Sat(vec![ratio(1, 3)]));
}
