//! Numbers at the edges of floats: each of these once gave, or could have given, a wrong answer or no end.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::conformance::generous;
use common::show::show;
use common::{apply, int, network};
use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Options, Oracle, Question, QuestionError, Variable};

#[test]
fn bounds_that_floats_cannot_hold_are_refused() {
    let wide = |lower: i64, upper: i64| Question {
        variables: vec![Variable::integer(lower, upper)],
        applications: Vec::new(),
        formula: Formula::truth(),
    };
    let most = 1i64 << 53;
    assert!(wide(-most, most).check().is_ok());
    for (lower, upper) in [(0, most + 1), (-most - 1, 0), (i64::MIN, i64::MAX)] {
        assert!(wide(lower, upper).check().is_err(), "{lower}..{upper}");
    }
    let mut real = wide(0, 0);
    real.variables[0] = Variable::real("0".parse().unwrap(), "1e400".parse().unwrap());
    assert!(real.check().is_err());
}

/// Asks the engine and holds the answer against a witness that is known.
fn finds(question: &Question, witness: &[Rational]) {
    assert!(question.is_witness(witness), "the witness is one");
    match BranchAndBound::new(Options::default()).decide(question, &generous()) {
        Answer::Sat(point) => assert!(question.is_witness(&point), "{point:?}"),
        answer => panic!("{answer:?}\n{}", show(question)),
    }
}

#[test]
fn sums_that_leave_the_range_of_floats_decide_nothing() {
    let big: Rational = "1.5e308".parse().unwrap();
    let question = |sign: i64, constant: i64, relation| {
        let coefficient = |v: u32| &(if v < 2 { big.clone() } else { -&big }) * &int(sign);
        let form = Linear::new((0..4).map(|v| (Symbol(v), coefficient(v))).collect(), int(constant));
        let variables = vec![Variable::real(int(1), int(1)); 4];
        Question { variables, applications: Vec::new(), formula: Formula::Atom(Atom { form, relation }) }
    };
    // big + big - big - big - 1 is -1, not infinite; and the other way round.
    let never = question(1, -1, Relation::AtLeastZero);
    assert_eq!(BranchAndBound::new(Options::default()).decide(&never, &generous()), Answer::Unsat);
    finds(&question(-1, 1, Relation::Positive), &vec![int(1); 4]);
}

#[test]
fn the_smallest_integer_is_a_coefficient_like_others() {
    let form = Linear::new(vec![(Symbol(0), int(i64::MIN))], int(5));
    let formula = Formula::Atom(Atom::at_least_zero(form));
    finds(&Question { variables: vec![Variable::integer(0, 3)], applications: Vec::new(), formula }, &[int(0)]);
}

#[test]
fn multipliers_that_underflow_are_not_forgotten() {
    let chain = |weights: &[f64], activation_of_last: Activation| {
        let layer = |(i, w): (usize, &f64)| {
            let activation = if i + 1 == weights.len() { activation_of_last } else { Activation::Relu };
            Layer::new(1, vec![*w], vec![0.0], activation).unwrap()
        };
        Arc::new(Network::new(weights.iter().enumerate().map(layer).collect()).unwrap())
    };
    let at_least = |bound: &str| {
        let bound: Rational = bound.parse().unwrap();
        Formula::Atom(Atom::at_least_zero(Linear::new(vec![(Symbol(1), int(1))], -&bound)))
    };
    let tiny = chain(&[1e200, 1e-200, 1e-200], Activation::Identity);
    let ask = |network: &Arc<Network>, variable: Variable, formula: Formula| Question {
        variables: vec![variable],
        applications: vec![apply(network, [Linear::symbol(Symbol(0))])],
        formula,
    };
    finds(&ask(&tiny, Variable::real(int(0), int(1)), at_least("0.9e-200")), &[int(1)]);
    finds(&ask(&tiny, Variable::integer(0, 100), at_least("90e-200")), &[int(100)]);
    let weights = [[1e38; 3].as_slice(), &[1e-38; 9]].concat();
    finds(&ask(&chain(&weights, Activation::Identity), Variable::integer(0, 100), at_least("90e-228")), &[int(100)]);
}

#[test]
fn coefficients_beyond_floats_make_inputs_uncertain() {
    let network = Arc::new(network(&[&[&[1.0, 0.0]]]));
    let huge: Rational = "1e400".parse().unwrap();
    let third = Rational::new(1, 3).unwrap();
    let input = Linear::new(vec![(Symbol(0), huge), (Symbol(1), third.clone()), (Symbol(2), -&third)], Rational::ZERO);
    let far = 1_000_000_000_000_000;
    let variables = vec![Variable::integer(0, 0), Variable::integer(far + 1, far + 1), Variable::integer(far, far)];
    let formula = Formula::Atom(Atom::at_least_zero(Linear::new(vec![(Symbol(3), int(1))], -&third)));
    let question = Question { variables, applications: vec![apply(&network, [input])], formula };
    finds(&question, &[int(0), int(far + 1), int(far)]);
}

#[test]
fn large_integers_are_split_into_smaller_ranges() {
    let base = 1i64 << 52;
    let sum = Linear::new((0..4).map(|v| (Symbol(v), int(1))).collect(), -&int(4 * (base + 1) + 1));
    let balanced =
        Linear::new(vec![(Symbol(0), int(1)), (Symbol(1), int(1)), (Symbol(2), int(-1)), (Symbol(3), int(-1))], int(0));
    let formula = Formula::all([Formula::Atom(Atom::zero(sum)), Formula::Atom(Atom::zero(balanced))]);
    let question =
        Question { variables: vec![Variable::integer(base + 1, base + 2); 4], applications: vec![], formula };
    assert_eq!(BranchAndBound::new(Options::default()).decide(&question, &generous()), Answer::Unsat);
}

#[test]
fn deep_formulas_are_refused_and_large_questions_keep_their_deadline() {
    let mut formula = Formula::Atom(Atom::at_least_zero(Linear::symbol(Symbol(0))));
    for _ in 0..2_000 {
        formula = Formula::All(vec![Formula::Any(vec![formula])]);
    }
    let question = Question { variables: vec![Variable::integer(0, 1)], applications: vec![], formula };
    assert_eq!(question.check(), Err(QuestionError::Nesting));

    let n = 20_000u32;
    let chain = (0..n - 1)
        .map(|v| Formula::Atom(Atom::at_least_zero(&Linear::symbol(Symbol(v)) - &Linear::symbol(Symbol(v + 1)))));
    let variables = vec![Variable::integer(0, 3); n as usize];
    let question = Question { variables, applications: vec![], formula: Formula::all(chain) };
    let started = Instant::now();
    let deadline = started.checked_add(Duration::from_secs(1));
    let _ = BranchAndBound::new(Options::default())
        .decide(&question, &surefoot_limits::Limits::default().until(deadline).into());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
