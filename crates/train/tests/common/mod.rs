//! Small models to learn on, and the policy that was learned followed by hand.

#![allow(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_limits::Limits;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::term::CmpOp;
use surefoot_model::{Interpreter, ScalarType, SlotId, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::load_text;
use surefoot_train::training::judge;
use surefoot_train::{Evaluation, Interface, Options, Problem, Trained, train};
use surefoot_verdict::Silent;

pub(crate) fn bounded(name: &str, lower: i64, upper: i64) -> Value {
    json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper}})
}

pub(crate) fn op(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

/// An edge with assignments of values to variables.
pub(crate) fn edge(action: &str, guard: &Value, assignments: &[(&str, Value)]) -> Value {
    let assignments: Vec<Value> =
        assignments.iter().map(|(name, value)| json!({"ref": name, "value": value})).collect();
    json!({"location": "l", "action": action, "guard": {"exp": guard},
           "destinations": [{"location": "l", "assignments": assignments}]})
}

/// A model of one automaton.
pub(crate) fn model(actions: &[&str], variables: &[Value], edges: &[Value]) -> Lowered {
    let actions: Vec<Value> = actions.iter().map(|name| json!({"name": name})).collect();
    load_text(
        &json!({
            "jani-version": 1, "name": "m", "type": "lts", "actions": actions, "variables": variables,
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
            "system": {"elements": [{"automaton": "a"}], "syncs": actions.iter().map(|action| {
                json!({"synchronise": [action["name"]], "result": action["name"]})
            }).collect::<Vec<_>>()},
        })
        .to_string(),
    )
}

/// `x` from 0, which is unsafe, to 8, the goal: `left` and `right`; `leap` by two, only where `x` is even.
pub(crate) fn corridor() -> Lowered {
    let inside = op("∧", op("<", 0, "x"), op("<", "x", 8));
    let even = op("=", op("%", "x", 2), 0);
    model(
        &["leap", "left", "right"],
        &[bounded("x", 0, 8)],
        &[
            edge("leap", &op("∧", inside.clone(), even), &[("x", op("+", "x", 2))]),
            edge("left", &inside, &[("x", op("-", "x", 1))]),
            edge("right", &inside, &[("x", op("+", "x", 1))]),
        ],
    )
}

/// A condition that compares the variable of a slot with a number.
pub(crate) fn compared(lowered: &mut Lowered, slot: u32, op: CmpOp, number: i64) -> TermId {
    let terms = &mut lowered.model.terms;
    let (slot, number) = (terms.slot(SlotId(slot), ScalarType::Int), terms.num(Rational::from(number)));
    terms.cmp(op, slot, number)
}

/// What to learn on a model, without limits.
pub(crate) fn problem<'m>(lowered: &'m Lowered, start: &'m StartSet, goal: TermId, avoid: TermId) -> Problem<'m> {
    Problem {
        model: &lowered.model,
        start,
        goal: Some(goal),
        avoid: Some(avoid),
        reward: None,
        progress: None,
        ends_at_goal: true,
        threads: 1,
        limits: Limits::default(),
    }
}

/// Everything that is learned, with all labels and all that changes.
pub(crate) fn learned(problem: &Problem<'_>, filter: bool, options: &Options) -> (Interface, Trained, Evaluation) {
    let starts = problem.starts().unwrap();
    let labels = Interface::labels_of(problem.model);
    let interface = Interface::new(problem.model, problem.inputs(&starts), labels, filter).unwrap();
    let trained = train(problem, &starts, &interface, options, &Silent).unwrap();
    let evaluation = judge(problem, &starts, &interface, &trained.network, options).unwrap();
    (interface, trained, evaluation)
}

pub(crate) fn policy(interface: &Interface, trained: &Trained) -> Policy {
    interface.policy(Arc::clone(&trained.network), "trained.onnx")
}

/// The only successor under the policy, by the reference interpreter; none where there is none.
pub(crate) fn follow(lowered: &Lowered, policy: &Policy, state: &State) -> Option<State> {
    let interpreter = Interpreter::with_policy(&lowered.model, policy);
    let choices = interpreter.permitted_choices(state, Some(policy)).unwrap();
    let mut successors = choices.into_iter().flat_map(|choice| choice.outcomes).flat_map(|outcome| outcome.successors);
    let first = successors.next();
    assert_eq!(successors.next(), None, "one way to go on");
    first
}
