//! The model that a network alone is the policy of: its inputs are variables, and each output's label has an edge that changes nothing.

use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_network::Network;
use surefoot_problem::{Failure, PolicySource, Problem, Request, Selection, Source};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use super::query::Question;
use crate::values::Bounds;

/// Whether there is nothing in a box.
pub(super) fn is_empty(bounds: &[Bounds]) -> bool {
    bounds.iter().any(|(lower, upper)| lower > upper)
}

/// Bounds of each input that hold in all questions.
pub(super) fn hull(questions: &[Result<Question, &'static str>], inputs: usize) -> Vec<Bounds> {
    let mut hull: Option<Vec<Bounds>> = None;
    for question in questions.iter().flatten().filter(|question| !is_empty(&question.bounds)) {
        let hull = hull.get_or_insert_with(|| question.bounds.clone());
        for ((lower, upper), (l, u)) in hull.iter_mut().zip(&question.bounds) {
            (*lower, *upper) = ((*lower).min(*l), (*upper).max(*u));
        }
    }
    hull.unwrap_or_else(|| vec![(0, 0); inputs])
}

/// The model that a network is the policy of, by the ordinary readers.
pub(super) fn load(bounds: &[Bounds], outputs: usize, network: Arc<Network>) -> Result<Problem, Failure> {
    const NETWORK: &str = "<network>";
    let input = |(i, (lower, upper)): (usize, &(i64, i64))| json!({"name": format!("x{i}"), "type": {"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper}});
    let labels: Vec<String> = (0..outputs).map(|i| format!("y{i}")).collect();
    let each = |make: &dyn Fn(&String) -> Value| labels.iter().map(make).collect::<Vec<Value>>();
    let model = json!({
        "jani-version": 1, "name": "network", "type": "mdp",
        "actions": each(&|label| json!({"name": label})),
        "variables": bounds.iter().enumerate().map(input).collect::<Vec<_>>(),
        "automata": [{
            "name": "network", "locations": [{"name": "asked"}], "initial-locations": ["asked"],
            "edges": each(&|label| json!({"location": "asked", "action": label, "destinations": [{"location": "asked"}]})),
        }],
        "system": {
            "elements": [{"automaton": "network"}],
            "syncs": each(&|label| json!({"synchronise": [label], "result": label})),
        },
        "properties": [{"name": "nothing", "expression": {"op": "filter", "fun": "∀", "states": {"op": "initial"},
            "values": {"op": "∀", "exp": {"op": "G", "exp": true}}}}],
    });
    let inputs: Vec<String> = (0..bounds.len()).map(|i| format!("x{i}")).collect();
    let policy =
        json!({"network": NETWORK, "inputs": inputs, "outputs": {"labels": labels}, "filter": false, "ties": "first"});
    let request = Request {
        model: Source::text("<model>", model.to_string()),
        policy: Some(PolicySource::Text {
            name: "<policy>".to_owned(),
            text: policy.to_string().into(),
            networks: vec![(NETWORK.to_owned(), network)],
        }),
        ..Request::default()
    };
    Problem::load(&mut SourceMap::default(), &request, Selection::Decide).map_err(|failure| match failure {
        // Errors have places there, too.
        Failure::Input(errors) => Diagnostic::error_anywhere(format!(
            "there are no certificates about this network: {}",
            errors.first().map_or("", |error| error.message.as_str())
        ))
        .into(),
        other => other,
    })
}
