//! Every oracle gives the right answers; the reference, against truths of its own.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::capability::capabilities;
use common::conformance::{conformance, known_answers, truth};
use common::formula::all_points;
use common::generate::{Shape, question_of_shape};
use common::show::show;
use common::{int, zero};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_oracle::{BranchAndBound, Kind, Options, Question, Reference};

/// Questions over integers that are asked again over reals.
const TWINS: u64 = 600;

#[test]
fn the_reference_knows_the_answers_that_are_known() {
    let faults = known_answers("reference", &|| Box::new(Reference::new()));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Over integers, the reference enumerates; over reals it takes networks apart. A clause per variable that lists the
/// integers makes the second question mean what the first does.
#[test]
fn the_reference_agrees_with_enumeration_when_integers_are_listed() {
    let (mut sat, mut total) = (0, 0);
    for seed in seeds(1_000_000, TWINS) {
        let mut random = Random::new(seed);
        let mut question = question_of_shape(&mut random, Shape::Mixed);
        for variable in &mut question.variables {
            (variable.lower, variable.upper) =
                (variable.lower.ceil(), variable.lower.ceil().max(variable.upper.floor()));
            variable.upper = (&variable.lower + &int(2)).min(variable.upper.clone());
            variable.kind = Kind::Integer;
        }
        let witness = all_points(&question).unwrap().into_iter().any(|point| question.is_witness(&point));
        let listed = listed(&question);
        assert_eq!(truth(&listed), Some(witness), "seed {seed}\n{}", show(&listed));
        (sat, total) = (sat + u64::from(witness), total + 1);
    }
    assert!(sat > total / 5 && sat < total - total / 5, "{sat} of {total} are satisfiable");
}

/// The question with real variables, each restricted to the integers of its range.
fn listed(question: &Question) -> Question {
    let mut listed = question.clone();
    let mut clauses = Vec::new();
    for (index, variable) in listed.variables.iter_mut().enumerate() {
        variable.kind = Kind::Real;
        let values = variable.lower.to_i64().unwrap()..=variable.upper.to_i64().unwrap();
        let is = |value: i64| zero(&Linear::symbol(Symbol::at(index)) - &Linear::constant_form(int(value)));
        clauses.push(Formula::any(values.map(is)));
    }
    listed.formula = Formula::all(clauses.into_iter().chain([question.formula.clone()]));
    listed
}

#[test]
fn the_reference_has_its_capabilities_by_the_defaults() {
    capabilities(Reference::new);
}

#[test]
fn branch_and_bound_conforms() {
    conformance("branch and bound", || Box::new(BranchAndBound::new(Options::default())));
}

#[test]
fn branch_and_bound_has_its_capabilities() {
    capabilities(|| BranchAndBound::new(Options::default()));
}

/// Small questions are often settled by trying points, which hides what bounds and splits do with them.
#[test]
fn branch_and_bound_conforms_by_bounds_alone() {
    let options = || Options { root_steps: 0, enumerate: 1.0, program_rows: usize::MAX, ..Options::default() };
    conformance("bounds alone", || Box::new(BranchAndBound::new(options())));
    capabilities(|| BranchAndBound::new(options()));
}
