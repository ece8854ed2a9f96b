//! Templates: narrowed questions against the same asked one by one, and against what was asked before.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::BTreeSet;

use common::formula::random_formula;
use common::generate::{Shape, narrowed, question_of_shape};
use common::show::show;
use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::Formula;
use surefoot_oracle::{
    AllAssignments, Assignment, BranchAndBound, Limits, Options, Question, Reference, Template, Variable,
    assignments_reference,
};

const CASES: u64 = 200;

#[test]
fn narrowed_questions_are_answered_as_if_asked_alone() {
    let (mut some, mut limited) = (0, 0);
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real] {
        for seed in seeds(9_000_000, CASES / if shape == Shape::Integer { 1 } else { 4 }) {
            let mut random = Random::new(seed);
            let question = question_of_shape(&mut random, shape);
            let tracked: Vec<Formula> =
                (0..1 + random.below(3)).map(|_| random_formula(&mut random, &question)).collect();
            let template = Template::new(question.clone(), tracked.clone());
            let mut oracle = BranchAndBound::new(Options::default());
            for _ in 0..4 {
                let variables = narrowed(&mut random, &question);
                let also: Vec<Formula> = (0..random.below(3)).map(|_| random_formula(&mut random, &question)).collect();
                let mut excluded = FxHashSet::default();
                if random.below(3) == 0 {
                    excluded.insert(Assignment::new((0..tracked.len()).map(|_| random.below(2) == 0)));
                }
                let ask = |oracle: &mut BranchAndBound| {
                    oracle.assignments_within(&template, &variables, &also, &excluded, &Limits::default())
                };
                let found = ask(&mut oracle);
                assert_eq!(
                    found,
                    ask(&mut BranchAndBound::new(Options::default())),
                    "seed {seed}: what was asked before"
                );
                let alone = template.narrowed(&variables, &also);
                let slow =
                    assignments_reference(&mut Reference::new(), &alone, &tracked, &excluded, &Limits::default());
                let of =
                    |found: &std::collections::BTreeMap<Assignment, _>| found.keys().cloned().collect::<BTreeSet<_>>();
                assert_eq!(of(&found.found), of(&slow.found), "seed {seed}\n{}\ntracked {tracked:?}", show(&alone));
                assert!(found.found.values().all(|point| alone.is_witness(point)), "seed {seed}");
                some += usize::from(!found.found.is_empty());
                limited += usize::from(!also.is_empty());
            }
        }
    }
    assert!(some > 100 && limited > 100, "{some} with assignments, {limited} with more to hold");
}

#[test]
#[should_panic(expected = "a narrowed box lies within the template's")]
fn wider_boxes_are_refused() {
    let question =
        Question { variables: vec![Variable::integer(0, 3)], applications: Vec::new(), formula: Formula::truth() };
    let template = Template::new(question, Vec::new());
    let mut oracle = BranchAndBound::new(Options::default());
    let wider = [Variable::integer(0, 4)];
    let _ = oracle.assignments_within(&template, &wider, &[], &FxHashSet::default(), &Limits::default());
}
