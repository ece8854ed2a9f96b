//! Which formulas hold nowhere: what the joint search must not be misled by.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use common::{apply, form, network};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_oracle::{
    BranchAndBound, Holds, KeepStatistics, Limits, Narrowing, Nowhere, Options, Question, Template, Ties, Variable,
};

/// A row and a score are measured in different units: one that fails by little must not hide the other.
#[test]
fn labels_that_take_turns_do_not_hide_a_third() {
    let constant = |bias: f64| [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, bias];
    let network = Arc::new(network(&[&[&constant(0.0), &constant(-50.0), &constant(0.0)]]));
    let question = Question {
        variables: vec![Variable::integer(0, 30); 6],
        applications: vec![apply(&network, Symbol::first(6).map(Linear::symbol))],
        formula: Formula::truth(),
    };
    let small = Formula::Atom(Atom::at_least_zero(form(&[(Symbol(5), -1)], 20)));
    let applicable = |label: usize| match label {
        0 => small.clone(),
        1 => Formula::truth(),
        _ => small.negated(),
    };
    let chosen = |label: usize| question.chosen(0, label, &Ties::Any, applicable);
    let template = Template::new(question.clone(), (0..3).map(chosen).collect());
    let mut oracle = BranchAndBound::new(Options::default());
    let limits = Limits { nodes: Some(100), ..Limits::default() };
    let within = Narrowing { variables: &question.variables, also: &[] };
    let found = oracle.nowhere(&template, within, &[true; 3], &limits);
    assert!(matches!(found.as_slice(), [Holds::Somewhere(_), Holds::Nowhere, Holds::Somewhere(_)]), "{found:?}");
    assert!(oracle.statistics().nodes < 50, "{:?}", oracle.statistics());
}
