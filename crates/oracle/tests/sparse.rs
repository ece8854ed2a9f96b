//! Sparse layers: networks with wide ones, against all points and against what searches announce.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]

#[path = "common/audit/mod.rs"]
mod audit;
mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use audit::{Auditor, Goal};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Activation, ExactNetwork, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Limits, Options, Oracle, Question, Variable};

/// Linear functions, sums and differences of pairs of them, and so on: `max(a, b) = (|a + b|' + |a - b|) / 2` written with ReLUs, as
/// two-level lattices are. Layers of pairs are wide, and have two weights in each row.
fn lattice(random: &mut Random, inputs: usize, leaves: usize) -> Network {
    let number = |random: &mut Random| random.between(-6, 6) as f64 / 2.0;
    let mut layers = Vec::new();
    let weights = (0..inputs * leaves).map(|_| number(random)).collect();
    let bias = (0..leaves).map(|_| number(random)).collect();
    layers.push(Layer::new(inputs, weights, bias, Activation::Identity).unwrap());
    let mut width = leaves;
    let mut pairs = leaves / 2;
    while pairs > 0 {
        let chosen: Vec<(usize, usize)> = (0..pairs)
            .map(|k| (2 * k, 2 * k + 1))
            .map(|pair| if random.percent(80) { pair } else { (random.below(width), random.below(width)) })
            .collect();
        let rows = chosen.iter().flat_map(|(a, b)| [(*a, *b, 1.0), (*a, *b, -1.0)]).collect::<Vec<_>>();
        let mut weights = vec![0.0; 4 * pairs * width];
        let mut next = vec![0.0; pairs * 4 * pairs];
        let max = random.percent(50);
        for (k, (a, b, sign)) in rows.iter().enumerate() {
            for (half, direction) in [1.0, -1.0].into_iter().enumerate() {
                let neuron = 2 * k + half;
                weights[neuron * width + a] += direction;
                weights[neuron * width + b] += direction * sign;
                // a + b keeps its sign; |a - b| is added for the larger one, subtracted for the smaller one.
                let of_sum = *sign > 0.0;
                next[(k / 2) * 4 * pairs + neuron] = if of_sum || !max { 0.5 * direction } else { 0.5 };
                if !of_sum && !max {
                    next[(k / 2) * 4 * pairs + neuron] = -0.5;
                }
            }
        }
        layers.push(Layer::new(width, weights, vec![0.0; 4 * pairs], Activation::Relu).unwrap());
        layers.push(Layer::new(4 * pairs, next, vec![0.0; pairs], Activation::Identity).unwrap());
        width = pairs;
        pairs /= 2;
    }
    Network::new(layers).unwrap()
}

/// Whether the output is at least a number, which it is rarely in the box.
fn question(random: &mut Random, leaves: usize, integers: bool) -> (Question, Vec<(i64, i64)>) {
    let inputs = 2;
    let network = Arc::new(lattice(random, inputs, leaves));
    let exact = ExactNetwork::new(&network).unwrap();
    let bounds: Vec<(i64, i64)> = (0..inputs).map(|_| (-random.between(1, 4), random.between(1, 4))).collect();
    let mut values: Vec<Rational> = grid(&bounds, 1).iter().map(|point| exact.eval(point)[0].clone()).collect();
    values.sort();
    let highest = values[values.len() - 1 - random.below(2)].clone();
    let least = &highest + &"1/8".parse::<Rational>().unwrap();
    let least = if random.percent(70) { least } else { &highest - &Rational::ONE };
    let variables = bounds
        .iter()
        .map(|&(l, u)| if integers { Variable::integer(l, u) } else { Variable::real(l.into(), u.into()) })
        .collect();
    let application = Application { network, inputs: Symbol::first(inputs).map(Linear::symbol).collect() };
    let mut question = Question { variables, applications: vec![application], formula: Formula::truth() };
    let form = &Linear::symbol(question.output(0, 0)) - &Linear::constant_form(least);
    question.formula = Formula::Atom(Atom::at_least_zero(form));
    (question, bounds)
}

/// Points of a box with this many steps between integers.
fn grid(bounds: &[(i64, i64)], steps: i64) -> Vec<Vec<Rational>> {
    bounds.iter().fold(vec![Vec::new()], |points, (lower, upper)| {
        let values = (lower * steps..=upper * steps).map(|x| Rational::from(x).checked_div(&steps.into()).unwrap());
        let values: Vec<Rational> = values.collect();
        points.iter().flat_map(|point| values.iter().map(|x| [&point[..], std::slice::from_ref(x)].concat())).collect()
    })
}

fn options() -> Options {
    Options { enumerate: 1.0, root_steps: 0, long_after: 2, ..Options::default() }
}

#[test]
fn answers_about_sparse_networks_are_right() {
    let mut answers = [0, 0];
    for seed in seeds(35_000_000, 30) {
        let random = &mut Random::new(seed);
        let integers = random.percent(50);
        let (question, bounds) = question(random, 128, integers);
        let network = &question.applications[0].network;
        assert!(network.layers().iter().any(Layer::is_sparse), "a layer is wide enough");
        let answer = BranchAndBound::new(options()).decide(&question, &Limits::default());
        let points = grid(&bounds, if integers { 1 } else { 3 });
        let witness = points.iter().any(|point| question.is_witness(point));
        match &answer {
            Answer::Sat(point) => assert!(question.is_witness(point), "seed {seed}"),
            Answer::Unsat => assert!(!witness, "seed {seed}: there is a witness"),
            Answer::Unknown(stop) => panic!("seed {seed}: {stop:?}"),
        }
        assert!(!integers || witness == matches!(answer, Answer::Sat(_)), "seed {seed}: {answer:?}");
        answers[usize::from(answer == Answer::Unsat)] += 1;
    }
    assert!(answers.iter().all(|count| *count > 4), "{answers:?}");
}

#[test]
fn what_is_announced_about_sparse_networks_is_true() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in seeds(36_000_000, 4) {
        let random = &mut Random::new(seed);
        let (question, _) = question(random, 128, true);
        let mut auditor = Auditor::new(&question, &[], Goal::One, random.clone());
        let answer = BranchAndBound::new(options()).with_proof(&mut auditor).decide(&question, &Limits::default());
        if answer == Answer::Unsat {
            assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left");
        }
        auditor.counts.iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
    }
    assert!(counts["neurons"] > 10 && counts["relaxed"] > 10, "{counts:?}");
}
