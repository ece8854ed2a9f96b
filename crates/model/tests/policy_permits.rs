//! What a policy that was read permits in a state.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod policy_common;

use surefoot_model::Interpreter;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;

use policy_common::*;

/// A policy over `labels` whose network has input `y` and these output rows (weight, bias).
fn over_y(test: &str, rows: &[[f64; 2]], labels: &str, rest: &str) -> (Lowered, Policy) {
    // relu(y + 5) - 5 = y on the domain of y.
    let shifted: Vec<[f64; 2]> = rows.iter().map(|[w, b]| [*w, b - 5.0 * w]).collect();
    let rows: Vec<&[f64]> = shifted.iter().map(|r| &r[..]).collect();
    std::fs::write(folder(test).join("y.nnet"), nnet(&[&[&[1.0, 5.0]], &rows])).unwrap();
    let text = format!(r#"{{"network": "y.nnet", "inputs": ["y"], "outputs": {labels}{rest}}}"#);
    let (lowered, policy, _) = read(test, "p.policy.json", &text).unwrap();
    (lowered, policy)
}

/// `0.1 x` in single precision is `0.3` there and not over the reals: `0.1` is stored as the nearest double, three times which is
/// more than the double nearest to `0.3`, while single precision rounds both to the same number.
#[test]
fn single_precision_chooses_as_it_rounds() {
    let network = nnet(&[&[&[0.0, 0.3], &[0.1, 0.0]]]);
    std::fs::write(folder("single").join("single.nnet"), network).unwrap();
    let text = |semantics: &str| {
        let outputs = r#"{"labels": ["left", "right"]}"#;
        format!(r#"{{"network": "single.nnet", "inputs": ["x"], "outputs": {outputs}, "semantics": "{semantics}"}}"#)
    };
    for (semantics, expected, notices) in [("real", "right", 2), ("float32", "left", 3)] {
        let (lowered, policy, notes) = read("single", "p.policy.json", &text(semantics)).unwrap();
        let taken = permitted(&lowered, &policy, 3, 0);
        assert!(taken.iter().any(|label| label == expected) && taken.len() == 3, "{semantics}: {taken:?}");
        assert_eq!(notes.len(), notices, "{notes:?}");
    }
}

#[test]
fn the_filter_chooses_among_applicable_labels() {
    // left: y, right: 0, stay: -9.
    let rows = [[1.0, 0.0], [0.0, 0.0], [0.0, -9.0]];
    let labels = r#"{"labels": ["left", "right", "stay"]}"#;
    let (lowered, policy) = over_y("filter_off", &rows, labels, "");
    assert_eq!(permitted(&lowered, &policy, 2, 1), ["left", "wind"]);
    // `left` is chosen and not applicable at x = 0: only the environment moves.
    assert_eq!(permitted(&lowered, &policy, 0, 1), ["wind"]);
    assert_eq!(permitted(&lowered, &policy, 4, -1), ["-", "wind"]);
    let (lowered, policy) = over_y("filter_on", &rows, labels, r#", "filter": true"#);
    assert_eq!(permitted(&lowered, &policy, 2, 1), ["left", "wind"]);
    assert_eq!(permitted(&lowered, &policy, 0, 1), ["right", "wind"]);
    // Silent operators are the environment's too.
    assert_eq!(permitted(&lowered, &policy, 4, -1), ["-", "left", "wind"]);
    // Under the filter a label that never happens is never chosen; `left` and `right` are the environment's here.
    let rows = [[0.0, 1.0], [0.0, 0.0]];
    let labels = r#"{"labels": ["unused", "stay"]}"#;
    let (lowered, policy) = over_y("filter_unused", &rows, labels, r#", "filter": true"#);
    assert_eq!(permitted(&lowered, &policy, 2, 0), ["stay", "left", "right", "wind"]);
    let (lowered, policy) = over_y("unused", &rows, labels, "");
    assert_eq!(permitted(&lowered, &policy, 2, 0), ["left", "right", "wind"]);
}

#[test]
fn ties_go_to_the_first_or_to_any() {
    // right: y, left: 0: a tie at y = 0, with the network's first output being `right`.
    let rows = [[1.0, 0.0], [0.0, 0.0]];
    let labels = r#"{"labels": ["right", "left"]}"#;
    let (lowered, policy) = over_y("ties_first", &rows, labels, r#", "ties": "first""#);
    assert_eq!(permitted(&lowered, &policy, 2, 0), ["stay", "right", "wind"]);
    let (lowered, policy) = over_y("ties_any", &rows, labels, r#", "ties": "any""#);
    assert_eq!(permitted(&lowered, &policy, 2, 0), ["stay", "left", "right", "wind"]);
    assert_eq!(permitted(&lowered, &policy, 2, 1), ["stay", "right", "wind"]);
    assert_eq!(permitted(&lowered, &policy, 2, -1), ["stay", "left", "wind"]);
    // Without the filter a tied label that is not applicable simply does not happen.
    assert_eq!(permitted(&lowered, &policy, 0, 0), ["stay", "right", "wind"]);
}

#[test]
fn the_first_network_whose_condition_holds_is_asked() {
    let folder = folder("when");
    std::fs::write(folder.join("left.nnet"), nnet(&[&[&[0.0, 0.0]], &[&[0.0, 1.0], &[0.0, 0.0]]])).unwrap();
    std::fs::write(folder.join("right.nnet"), nnet(&[&[&[0.0, 0.0]], &[&[0.0, 0.0], &[0.0, 1.0]]])).unwrap();
    let text = r#"{
      "networks": [
        {"file": "left.nnet", "when": {"op": "<", "left": "y", "right": 0}},
        {"file": "right.nnet", "when": {"op": "state-condition", "locations": [{"automaton": "car", "index": 1, "location": "moving"}],
                                        "exp": {"op": "<", "left": "y", "right": 3}}}
      ],
      "inputs": ["y"], "outputs": {"labels": ["left", "right"]}
    }"#;
    let (lowered, policy, _) = read("when", "p.policy.json", text).unwrap();
    assert_eq!(permitted(&lowered, &policy, 2, -1), ["stay", "left", "wind"]);
    assert_eq!(permitted(&lowered, &policy, 2, 0), ["stay", "right", "wind"]);
    // No network for the state: an error of the policy, not a silent stop.
    let error = Interpreter::new(&lowered.model).permitted_operators(&state(2, 3), Some(&policy)).unwrap_err();
    assert!(error.describe(&lowered.model).contains("no network of the policy has a 'when' condition that holds here"));
}

#[test]
fn regression_outputs_are_values_of_transient_variables() {
    // force = 2 y: `wind` has the guard force <= 2.
    let (lowered, policy) = over_y("regression", &[[2.0, 0.0]], r#"{"variables": ["force"]}"#, "");
    assert!(permitted(&lowered, &policy, 2, 1).contains(&"wind".to_owned()));
    assert!(!permitted(&lowered, &policy, 2, 2).contains(&"wind".to_owned()));
    // All other labels are the environment's.
    assert_eq!(permitted(&lowered, &policy, 2, 2), ["stay", "left", "right"]);
    let text = r#"{"network": "n1_1.nnet", "inputs": ["x"], "outputs": {"variables": ["clipped"]}}"#;
    let (_, _, notes) = read("regression", "q.policy.json", text).unwrap();
    assert!(notes.iter().any(|n| n.message == "the bounds of 'clipped' do not restrict the outputs of the network"));
}

#[test]
fn weights_are_read_to_the_precision_asked_for() {
    for (weights, expected) in [("f64", 0.1), ("f32", f64::from(0.1_f32))] {
        let test = format!("weights_{weights}");
        std::fs::write(folder(&test).join("tenth.nnet"), nnet(&[&[&[0.1, 0.0]], &[&[1.0, 0.0]]])).unwrap();
        let text = format!(
            r#"{{"networks": [{{"file": "tenth.nnet", "weights": "{weights}"}}], "inputs": ["x"], "outputs": {{"labels": ["left"]}}}}"#
        );
        let (_, policy, _) = read(&test, "p.policy.json", &text).unwrap();
        assert_eq!(*policy.networks[0].network.layers()[0].weights(), [expected]);
    }
}
