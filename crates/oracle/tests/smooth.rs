//! Networks that are not piecewise linear, over reals: what is refuted has no witness, and what cannot be told is left open with a box.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use common::formula::{random_formula, random_point};
use common::generate::{Shape, question_of_shape};
use common::show::show;
use common::{apply, ask, at_least_zero, out, positive, r, zero};
use surefoot_fixtures::network::{in_single_precision, smoothed, with_activations};
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Network};
use surefoot_num::Rational;
use surefoot_num::function::Function;
use surefoot_oracle::proof::{ProofSink, Step};
use surefoot_oracle::{Answer, BranchAndBound, Limits, Options, Oracle, Question, Variable};

const CASES: u64 = 300;

/// A question over reals about networks that are not exact, or over both.
fn question(seed: u64) -> Question {
    let mut random = Random::new(seed);
    let shape = if seed.is_multiple_of(2) { Shape::Real } else { Shape::Mixed };
    let mut question = question_of_shape(&mut random, shape);
    for application in &mut question.applications {
        let mut plain = |activation: Activation| match activation {
            Activation::LayerNorm { .. } => Activation::Smooth(Function::Tanh),
            activation => activation,
        };
        let network = with_activations(&smoothed(&mut random, &application.network), &mut plain);
        application.network = Arc::new(if random.percent(25) { in_single_precision(&network) } else { network });
    }
    question.formula = random_formula(&mut random, &question);
    question
}

/// Whatever the answer, it is held against points of a grid.
#[test]
fn answers_over_reals_are_not_refuted_by_points() {
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for seed in seeds(41_000_000, CASES) {
        let question = question(seed);
        let mut oracle = BranchAndBound::new(Options::default());
        match oracle.decide(&question, &Limits { nodes: Some(400), ..Limits::default() }) {
            Answer::Sat(point) => {
                assert!(question.is_witness(&point), "seed {seed}: {point:?}\n{}", show(&question));
                sat += 1;
            }
            Answer::Unsat => {
                let mut random = Random::new(seed);
                for _ in 0..60 {
                    let point = random_point(&mut random, &question);
                    assert!(!question.is_witness(&point), "seed {seed}: {point:?}\n{}", show(&question));
                }
                unsat += 1;
            }
            Answer::Unknown(stop) => {
                let left = oracle.undecided();
                assert!(matches!(stop, Stop::Most(..)) || left.is_some_and(|left| left.stop == stop), "seed {seed}");
                open += 1;
            }
        }
    }
    assert!(sat > CASES / 4 && unsat > CASES / 6 && open < CASES / 3, "{sat} sat, {unsat} unsat, {open} open");
}

/// `tanh(x)` and a number.
fn tangent() -> Arc<Network> {
    let network = common::network(&[&[&[1.0, 0.0]], &[&[1.0, 0.0]]]);
    let mut tanh = |a: Activation| if a == Activation::Relu { Activation::Smooth(Function::Tanh) } else { a };
    Arc::new(with_activations(&network, &mut tanh))
}

fn decide(low: &str, high: &str, formula: impl Fn(&Question) -> Formula) -> (Answer, Option<Vec<(f64, f64)>>) {
    let network = tangent();
    let inputs = [Linear::symbol(Symbol(0))];
    let question = ask(vec![Variable::real(r(low), r(high))], vec![apply(&network, inputs)], formula);
    let mut oracle = BranchAndBound::new(Options::default());
    let answer = oracle.decide(&question, &Limits { nodes: Some(5_000), ..Limits::default() });
    (answer, oracle.undecided().map(|left| left.bounds.clone()))
}

/// `tanh(x) - number`.
fn above(question: &Question, number: &str) -> Linear {
    &out(question, 0, 0) - &Linear::constant_form(r(number))
}

#[test]
fn margins_are_decided_and_borders_left_open() {
    // tanh(1) = 0.76159...
    let (answer, left) = decide("-3", "1", |q| at_least_zero(above(q, "0.7616")));
    assert_eq!((answer, left), (Answer::Unsat, None));
    let (answer, _) = decide("-3", "1", |q| at_least_zero(above(q, "0.7615")));
    let Answer::Sat(point) = answer else { panic!("{answer:?}") };
    assert!(point[0] > r("0.9") && point[0] <= r("1"));
    // It is zero at zero, and rational arithmetic knows.
    let (answer, _) = decide("-3", "0", |q| at_least_zero(above(q, "0")));
    assert!(matches!(answer, Answer::Sat(_) | Answer::Unknown(Stop::Narrow)), "{answer:?}");
    // No rational point has this value.
    let (answer, left) = decide("-3", "3", |q| zero(above(q, "0.5")));
    assert_eq!(answer, Answer::Unknown(Stop::Narrow));
    let left = left.unwrap();
    let root = 0.549_306_144_334_054_8;
    let (lower, upper) = left[0];
    assert!(lower <= root && root <= upper && upper - lower < 1e-6, "{left:?}");
}

/// Scores that are equal everywhere are seen to be.
#[test]
fn copies_are_equal_in_every_arithmetic() {
    let rows: &[&[f64]] = &[&[0.3, -1.7, 0.1], &[0.3, -1.7, 0.1], &[1.0, 0.25, 0.0]];
    let plain = common::network(&[&[&[0.7, 0.1, 0.0], &[-0.3, 1.1, 0.2]], rows]);
    let mut tanh = |a: Activation| if a == Activation::Relu { Activation::Smooth(Function::Tanh) } else { a };
    let smooth = with_activations(&plain, &mut tanh);
    for network in [smooth.clone(), in_single_precision(&plain), in_single_precision(&smooth)] {
        let network = Arc::new(network);
        let variables = vec![Variable::real(r("-4"), r("4")); 2];
        let inputs = || (0..2).map(|v| Linear::symbol(Symbol(v)));
        let question = ask(variables, vec![apply(&network, inputs())], |q| positive(&out(q, 0, 0) - &out(q, 0, 1)));
        let answer = BranchAndBound::new(Options::default()).decide(&question, &Limits::default());
        assert_eq!(answer, Answer::Unsat);
        let other: Vec<Rational> = vec![r("1"), r("-1")];
        assert!(!question.is_witness(&other));
    }
}

/// Smooth neurons have no phases: a search over phases would never begin, and a round of such searches never end.
#[test]
fn there_are_no_rounds_over_phases() {
    struct NoRounds(u64);
    impl ProofSink for NoRounds {
        fn step(&mut self, step: Step<'_>) {
            assert!(!matches!(step, Step::Again { .. }), "a round begins");
            self.0 += u64::from(matches!(step, Step::Split { .. }));
        }
    }
    let mut sink = NoRounds(0);
    for seed in seeds(42_000_000, 60) {
        let question = question(seed);
        let smooth = question
            .applications
            .iter()
            .any(|a| a.network.layers().iter().any(|l| !l.activation().is_piecewise_linear()));
        if smooth {
            let options = Options { long_after: 0, ..Options::default() };
            let limits = Limits { nodes: Some(300), ..Limits::default() };
            BranchAndBound::new(options).with_proof(&mut sink).decide(&question, &limits);
        }
    }
    assert!(sink.0 > 500, "searches split");
}
