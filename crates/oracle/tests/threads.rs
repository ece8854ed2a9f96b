//! Nodes split by several threads: answers, witnesses and figures are those of one.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]

use std::sync::Arc;

use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{
    Answer, Application, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Statistics, Ties, Variable,
};

/// A random network, and "this label is chosen, clearly" in a box of five variables.
fn question(random: &mut Random) -> Question {
    let (inputs, widths, outputs) = (5, [12, 12], 3);
    let mut layers = Vec::new();
    let mut before = inputs;
    for (index, width) in widths.into_iter().chain([outputs]).enumerate() {
        let weights = (0..before * width).map(|_| random.between(-12, 12) as f64 / 8.0).collect();
        let bias = (0..width).map(|_| random.between(-8, 8) as f64 / 4.0).collect();
        let activation = if index < widths.len() { Activation::Relu } else { Activation::Identity };
        layers.push(Layer::new(before, weights, bias, activation).unwrap());
        before = width;
    }
    let network = Arc::new(Network::new(layers).unwrap());
    let variable = |random: &mut Random| match random.percent(50) {
        true => Variable::integer(-random.between(4, 9), random.between(4, 9)),
        false => Variable::real((-random.between(1, 3)).into(), random.between(1, 3).into()),
    };
    let variables = (0..inputs).map(|_| variable(random)).collect();
    let application = Application { network, inputs: Symbol::first(inputs).map(Linear::symbol).collect() };
    let mut question = Question { variables, applications: vec![application], formula: Formula::truth() };
    let label = random.below(outputs);
    let chosen = question.chosen(0, label, &Ties::Any, |_| Formula::truth());
    let least = Linear::constant_form(Rational::from(random.between(10, 60)));
    let high = &Linear::symbol(question.output(0, label)) - &least;
    question.formula = Formula::all([chosen, Formula::Atom(Atom::at_least_zero(high))]);
    question
}

fn ask(question: &Question, threads: usize) -> (Answer, Statistics) {
    let options =
        Options { threads, together_after: 0, long_after: 2, root_steps: 0, enumerate: 1.0, ..Options::default() };
    let mut oracle = BranchAndBound::new(options);
    let answer = oracle.decide(question, &Limits::default());
    (answer, oracle.statistics())
}

#[test]
fn threads_change_nothing() {
    let (mut sat, mut nodes) = (0, 0);
    let mut unsat = 0;
    for seed in seeds(37_000_000, 60) {
        let question = question(&mut Random::new(seed));
        let alone = ask(&question, 1);
        for threads in [2, 5] {
            assert_eq!(ask(&question, threads), alone, "seed {seed}, {threads} threads");
        }
        match &alone.0 {
            Answer::Sat(point) => {
                assert!(question.is_witness(point), "seed {seed}");
                sat += 1;
            }
            Answer::Unsat => unsat += 1,
            Answer::Unknown(stop) => panic!("seed {seed}: {stop:?}"),
        }
        nodes = nodes.max(alone.1.nodes);
    }
    assert!(sat > 5 && unsat > 10 && nodes > 100, "{sat} sat, {unsat} unsat, {nodes} nodes");
}
