//! Templates refuse what they are not for.

use rustc_hash::FxHashSet;
use surefoot_linear::Formula;
use surefoot_oracle::{AllAssignments, BranchAndBound, Limits, Narrowing, Options, Question, Template, Variable};

#[test]
#[should_panic(expected = "a narrowed box lies within the template's")]
fn wider_boxes_are_refused() {
    let question =
        Question { variables: vec![Variable::integer(0, 3)], applications: Vec::new(), formula: Formula::truth() };
    let template = Template::new(question, Vec::new());
    let mut oracle = BranchAndBound::new(Options::default());
    let wider = [Variable::integer(0, 4)];
    let within = Narrowing { variables: &wider, also: &[] };
    let _ = oracle.assignments_within(&template, within, &FxHashSet::default(), &Limits::default());
}
