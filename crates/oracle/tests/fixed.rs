//! Variables with one value: questions with many of them against the same questions without.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeSet;

use common::formula::random_formula;
use common::generate::{Shape, question_of_shape};
use common::pad::{ADDED, Padding};
use common::show::show;
use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{
    AllAssignments, Answer, Assignment, BranchAndBound, KeepStatistics, Limits, Narrowing, Options, Oracle, Question,
    Template, Variable,
};

const CASES: u64 = 1_000;

fn keys<V>(found: &std::collections::BTreeMap<Assignment, V>) -> BTreeSet<Assignment> {
    found.keys().cloned().collect()
}

/// Variables that more than the box says must hold fix as well.
fn widened(random: &mut Random, question: &Question) -> (Question, Vec<Formula>) {
    let mut wide = question.clone();
    let mut also = Vec::new();
    for (symbol, variable) in wide.variables.iter_mut().enumerate().take(ADDED) {
        if random.percent(30) {
            let value = surefoot_linear::Linear::new(vec![(Symbol::at(symbol), Rational::ONE)], -&variable.lower);
            also.push(Formula::Atom(surefoot_linear::Atom::zero(value)));
            *variable = Variable::integer(-9, 9);
        }
    }
    (wide, also)
}

#[test]
fn what_is_fixed_changes_nothing() {
    let (mut sat, mut unsat, mut split) = (0, 0, 0);
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real] {
        for seed in seeds(11_000_000, CASES / if shape == Shape::Integer { 1 } else { 4 }) {
            let mut random = Random::new(seed);
            let question = question_of_shape(&mut random, shape);
            let tracked: Vec<Formula> =
                (0..1 + random.below(3)).map(|_| random_formula(&mut random, &question)).collect();
            let padding = Padding::random(&mut random);
            let padded = padding.question(&question);
            let tracked_padded: Vec<Formula> = tracked.iter().map(|f| padding.formula(f)).collect();
            let oracle = || BranchAndBound::new(Options { root_steps: 0, enumerate: 1.0, ..Options::default() });
            let (limits, none) = (Limits::default(), FxHashSet::default());

            let mut asked = oracle();
            let (plain, answer) = (oracle().decide(&question, &limits), asked.decide(&padded, &limits));
            split += usize::from(asked.statistics().nodes > 1);
            match (&plain, &answer) {
                (Answer::Unsat, Answer::Unsat) => unsat += 1,
                (Answer::Sat(_), Answer::Sat(point)) => {
                    assert!(padded.is_witness(point), "seed {seed}: {point:?}\n{}", show(&padded));
                    sat += 1;
                }
                _ => panic!("seed {seed}: {plain:?} but {answer:?}\n{}", show(&padded)),
            }

            let expected = oracle().assignments(&question, &tracked, &none, &limits);
            let (wide, also) = widened(&mut random, &padded);
            let template = Template::new(wide.clone(), tracked_padded.clone());
            let within = |variables| Narrowing { variables, also: &also };
            let found = [
                (&padded, oracle().assignments(&padded, &tracked_padded, &none, &limits)),
                (&wide, oracle().assignments_within(&template, within(&padded.variables), &none, &limits)),
                (&wide, oracle().assignments_within(&template, within(&wide.variables), &none, &limits)),
            ];
            for (question, found) in found {
                assert_eq!(keys(&found.found), keys(&expected.found), "seed {seed}\n{}", show(&padded));
                for (assignment, point) in &found.found {
                    assert!(question.is_witness(point), "seed {seed}: {point:?}");
                    let values = question.symbol_values(point);
                    let truths = tracked_padded.iter().map(|f| f.eval(&|s| values[s.index()].clone()));
                    assert_eq!(*assignment, Assignment::new(truths), "seed {seed}");
                }
            }
        }
    }
    assert!(sat > 100 && unsat > 100 && split > 100, "{sat} sat, {unsat} unsat, {split} with splits");
}
