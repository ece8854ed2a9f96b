//! All assignments at once: the search against asking for each, and against all points.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeSet;

use common::formula::{all_points, random_formula};
use common::generate::{Shape, question_of_shape};
use common::show::show;
use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::Formula;
use surefoot_oracle::{
    AllAssignments, Assignment, BranchAndBound, Kind, Limits, Options, Question, Reference, assignments_reference,
};

const CASES: u64 = 700;

fn truth_values(question: &Question, tracked: &[Formula], point: &[surefoot_num::Rational]) -> Assignment {
    let values = question.symbol_values(point);
    let truths: Vec<bool> = tracked.iter().map(|f| f.eval(&|s| values[s.index()].clone())).collect();
    Assignment::new(truths.into_iter())
}

fn tracked_formulas(random: &mut Random, question: &Question) -> Vec<Formula> {
    (0..1 + random.below(4)).map(|_| random_formula(random, question)).collect()
}

#[test]
fn the_search_finds_what_asking_for_each_finds() {
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real] {
        for seed in seeds(7_000_000, CASES / if shape == Shape::Integer { 1 } else { 4 }) {
            let mut random = Random::new(seed);
            let question = question_of_shape(&mut random, shape);
            let tracked = tracked_formulas(&mut random, &question);
            let mut excluded = FxHashSet::default();
            if random.below(3) == 0 {
                excluded.insert(Assignment::new((0..tracked.len()).map(|_| random.below(2) == 0)));
            }
            let limits = Limits::default();
            let slow = assignments_reference(&mut Reference::new(), &question, &tracked, &excluded, &limits);
            let fast = BranchAndBound::new(Options::default()).assignments(&question, &tracked, &excluded, &limits);
            assert_eq!(fast.stopped, None);
            let of = |found: &std::collections::BTreeMap<Assignment, _>| found.keys().cloned().collect::<BTreeSet<_>>();
            assert_eq!(of(&fast.found), of(&slow.found), "seed {seed}\n{}\ntracked {tracked:?}", show(&question));
            for (assignment, point) in &fast.found {
                assert!(question.is_witness(point), "seed {seed}: {point:?}");
                assert_eq!(truth_values(&question, &tracked, point), *assignment, "seed {seed}");
            }
        }
    }
}

#[test]
fn the_search_finds_what_all_points_show() {
    let mut several = 0;
    for seed in seeds(8_000_000, CASES) {
        let mut random = Random::new(seed);
        let mut question = question_of_shape(&mut random, Shape::Integer);
        if random.percent(50) {
            question.formula = Formula::truth();
        }
        assert!(question.variables.iter().all(|v| v.kind == Kind::Integer));
        let tracked = tracked_formulas(&mut random, &question);
        let points = all_points(&question).unwrap();
        let expected: BTreeSet<Assignment> = points
            .iter()
            .filter(|point| question.is_witness(point))
            .map(|point| truth_values(&question, &tracked, point))
            .collect();
        let mut oracle = BranchAndBound::new(Options::default());
        let none = FxHashSet::default();
        let found = oracle.assignments(&question, &tracked, &none, &Limits::default());
        assert_eq!(found.found.keys().cloned().collect::<BTreeSet<_>>(), expected, "seed {seed}\n{}", show(&question));
        several += u64::from(expected.len() > 1);
    }
    assert!(several > CASES / 4, "{several} of {CASES} have several assignments");
}
