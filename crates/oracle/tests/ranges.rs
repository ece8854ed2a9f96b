//! Ranges of smooth neurons are cut where variables are many, and the answers stay what brute force says.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use common::show::show;
use common::{apply, ask, at_least_zero, float, out};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::function::Function;
use surefoot_oracle::proof::{ProofSink, Split, Step};
use surefoot_oracle::{Answer, BranchAndBound, Limits, Options, Oracle, Question, Variable};

const CASES: u64 = 60;
const INPUTS: usize = 12;

/// How far from the largest score a question asks: much more than the floats of this file are off.
const MARGIN: f64 = 1e-6;

/// Counts cuts of neurons' ranges.
#[derive(Default)]
struct Cuts(usize);

impl ProofSink for Cuts {
    fn step(&mut self, step: Step<'_>) {
        if matches!(step, Step::Split { split: Split::Neuron { .. }, .. }) {
            self.0 += 1;
        }
    }
}

/// Two or three smooth neurons in each of one or two layers, and a score; weights are multiples of a quarter.
fn network(random: &mut Random) -> Network {
    let functions =
        [Function::Tanh, Function::Sigmoid, Function::Softplus, Function::Elu { alpha: 1.0 }, Function::Silu];
    let function = Activation::Smooth(*random.pick(&functions));
    let mut sizes = vec![INPUTS, 2 + random.below(2)];
    if random.percent(40) {
        sizes.push(2);
    }
    sizes.push(1);
    let mut layer = |(index, pair): (usize, &[usize])| {
        let activation = if index + 2 < sizes.len() { function } else { Activation::Identity };
        let mut number = || f64::from(i8::try_from(random.between(-12, 12)).unwrap()) / 4.0;
        let weights = (0..pair[0] * pair[1]).map(|_| number()).collect();
        let bias = (0..pair[1]).map(|_| number()).collect();
        Layer::new(pair[0], weights, bias, activation).expect("numbers are finite")
    };
    Network::new(sizes.windows(2).enumerate().map(&mut layer).collect()).expect("layers fit")
}

/// The function as everybody writes it down.
fn plain(function: Function, z: f64) -> f64 {
    match function {
        Function::Tanh => z.tanh(),
        Function::Sigmoid => 1.0 / (1.0 + (-z).exp()),
        Function::Softplus => z.max(0.0) + (-z.abs()).exp().ln_1p(),
        Function::Elu { alpha } => {
            if z > 0.0 {
                z
            } else {
                alpha * z.exp_m1()
            }
        }
        Function::Silu => z / (1.0 + (-z).exp()),
        _ => unreachable!("no such function is drawn"),
    }
}

/// The score at a point of zeros and ones.
fn score(network: &Network, point: usize) -> f64 {
    let mut values: Vec<f64> = (0..INPUTS).map(|v| f64::from(u8::from(point >> v & 1 == 1))).collect();
    for layer in network.layers() {
        values = layer
            .rows()
            .map(|(row, bias)| {
                let z = row.iter().zip(&values).map(|(w, x)| w * x).sum::<f64>() + bias;
                if let Activation::Smooth(function) = layer.activation() { plain(function, z) } else { z }
            })
            .collect();
    }
    values[0]
}

/// Whether the score is somewhere at least so much.
fn question(network: &Arc<Network>, least: f64) -> Question {
    let inputs = (0..INPUTS).map(|v| Linear::symbol(Symbol::at(v)));
    let variables = vec![Variable::integer(0.into(), 1.into()); INPUTS];
    ask(variables, vec![apply(network, inputs)], |q| {
        at_least_zero(&out(q, 0, 0) - &Linear::constant_form(float(least)))
    })
}

#[test]
fn cut_ranges_answer_as_brute_force() {
    let mut cuts = Cuts::default();
    for seed in seeds(43_000_000, CASES) {
        let network = Arc::new(network(&mut Random::new(seed)));
        let most = (0..1 << INPUTS).map(|point| score(&network, point)).fold(f64::NEG_INFINITY, f64::max);
        for (least, sat) in [(most + MARGIN, false), (most - MARGIN, true)] {
            let question = question(&network, least);
            // In small boxes, which can be gone through here; without local search, or it finds all witnesses.
            let mut oracle = BranchAndBound::new(Options { root_steps: 0, cut_bits: 10.0, ..Options::default() });
            let answer = oracle.with_proof(&mut cuts).decide(&question, &Limits::default());
            match answer {
                Answer::Sat(point) => {
                    assert!(sat && question.is_witness(&point), "seed {seed}: {point:?}\n{}", show(&question));
                }
                answer => assert!(!sat && answer == Answer::Unsat, "seed {seed}: {answer:?}\n{}", show(&question)),
            }
        }
    }
    assert!(cuts.0 > 100, "{} cuts", cuts.0);
}
