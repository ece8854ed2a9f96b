//! Policy files of both kinds: what is read, and what is refused with which words.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod policy_common;

use std::path::Path;
use std::sync::Arc;

use surefoot_model::policy::read::read_policy;
use surefoot_model::policy::{Outputs, Ties};
use surefoot_text::diagnostic::Severity;
use surefoot_text::source::SourceMap;

use policy_common::*;

#[test]
fn a_jani2nnet_file_with_every_kind_of_input() {
    let network = some_network(7, 3);
    std::fs::write(folder("every_kind").join("seven.nnet"), network).unwrap();
    let text = r#"{
      "file": "./seven.nnet", "torch-file": "seven.pt", "filter": true, "elements": [2],
      "input": [
        {"name": "x", "automaton": null}, {"name": "open", "automaton": null}, {"name": "A", "automaton": null, "index": 1},
        {"name": "speed", "automaton": {"name": "car", "index": 0}}, {"name": "speed", "automaton": {"name": "car", "index": 1}},
        {"name": "car", "index": 1}, {"name": "world", "index": 0}
      ],
      "output": ["right", "left", "stay"]
    }"#;
    let (lowered, policy, notes) = read("every_kind", "p.jani2nnet", text).unwrap();
    assert_eq!(input_values(&lowered, &policy, 0), rationals(&["3", "1", "8", "2", "3", "1", "0"]));
    assert!(policy.filter);
    assert_eq!(policy.ties, Ties::First);
    let Outputs::Labels(labels) = &policy.outputs else { panic!("labels") };
    assert_eq!(
        labels.iter().map(|l| &*lowered.model.labels[l.0 as usize]).collect::<Vec<_>>(),
        ["right", "left", "stay"]
    );
    let [torch, bounds, weights] = &notes[..] else { panic!("{notes:?}") };
    assert!(torch.severity == Severity::Notice && torch.message.contains("torch-file"), "{torch:?}");
    assert!(bounds.severity == Severity::Notice && bounds.message.contains("minima and maxima"), "{bounds:?}");
    assert!(weights.severity == Severity::Notice && weights.message.contains("64-bit float"), "{weights:?}");
    // The content decides where the name does not.
    assert!(read("every_kind", "p.json", text).is_ok());
}

#[test]
fn the_first_lines_of_a_message_are_pinned() {
    let text = r#"{"file": "n1_2.nnet", "input": [{"name": "car0_x", "automaton": null}], "elements": [2], "output": ["left", "rihgt"]}"#;
    let expected = r#"error: the model has no global variable 'car0_x'
 --> p.jani2nnet:1:42
  |
  = at input[0].name
help: its global variables and constants are A, N, clipped, force, gear, on, open, x, y

error: the model has no action 'rihgt'
 --> p.jani2nnet:1:109
  |
  = at output[1]
help: did you mean 'right'?"#;
    let shown = read("pinned", "p.jani2nnet", text).unwrap_err();
    // How much of a long line is shown is not our business here.
    let lines = |text: &str| text.lines().filter(|l| !l.contains(" | ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&shown), lines(expected), "{shown}");
}

#[test]
fn jani2nnet_files_are_refused_with_place_and_advice() {
    let base = |file: &str, input: &str, elements: &str, output: &str| {
        format!(r#"{{"file": {file}, "input": {input}, "elements": {elements}, "output": {output}}}"#)
    };
    let (net, x, labels) = ("\"n1_2.nnet\"", r#"{"name": "x", "automaton": null}"#, r#"["left", "right"]"#);
    let input = |input: &str| base(net, &format!("[{input}]"), "[2]", labels);
    for (text, expected) in [
        (
            input(r#"{"name": "speed", "automaton": null}"#),
            r#"it is local to an automaton: "automaton": {"name": "car", "index": 0}"#,
        ),
        (input(r#"{"name": "spede", "automaton": {"name": "car", "index": 0}}"#), "did you mean 'speed'?"),
        (input(r#"{"name": "x", "automaton": {"name": "car", "index": 0}}"#), "there is a global one of that name"),
        (
            input(r#"{"name": "speed", "automaton": {"name": "car", "index": 2}}"#),
            "'car' occurs 2 times in the system, there is no index 2",
        ),
        (
            input(r#"{"name": "speed", "automaton": {"name": "car"}}"#),
            "'car' occurs 2 times in the system: which one is meant?",
        ),
        (input(r#"{"name": "speed", "automaton": {"name": "cra", "index": 0}}"#), "the system has no automaton 'cra'"),
        (
            input(r#"{"name": "speed", "automaton": "car"}"#),
            "expected the automaton of an input as an object, found a string",
        ),
        (input(r#"{"name": "x"}"#), r#"the variable has "automaton": null"#),
        (input(r#"{"name": "world", "index": 1}"#), "'world' occurs once in the system, there is no index 1"),
        (input(r#"{"name": "A", "automaton": null}"#), "say which of its 3 cells is meant"),
        (input(r#"{"name": "A", "automaton": null, "index": 3}"#), "'A' has 3 cells, there is no cell 3"),
        (input(r#"{"name": "A", "automaton": null, "index": -1}"#), "'A' has 3 cells, there is no cell -1"),
        (input(r#"{"name": "x", "automaton": null, "index": 0}"#), "'x' is no array, so it has no cells"),
        (input(r#"{"name": "force", "automaton": null}"#), "the transient variable 'force' cannot be an input"),
        (input(""), "a network needs at least one input"),
        (input(&format!("{x}, {x}")), "the network n1_2.nnet has 1 input, but 2 are listed"),
        (
            base(net, &format!("[{x}]"), "[2, 2]", labels),
            r#""elements" says hidden layers of sizes 2, 2, the network n1_2.nnet has hidden layers of sizes 2"#,
        ),
        (base(net, &format!("[{x}]"), "[0]", labels), "a hidden layer has at least one neuron"),
        (base(net, &format!("[{x}]"), "[2]", r#"["left"]"#), "the network n1_2.nnet has 2 outputs, but 1 is listed"),
        (base(net, &format!("[{x}]"), "[2]", r#"["left", "left"]"#), "the action 'left' is listed twice"),
        (base(net, &format!("[{x}]"), "[2]", r#"["left", 3]"#), "expected the name of an action, found a number"),
        (
            base("\"nowhere.nnet\"", &format!("[{x}]"), "[2]", labels),
            "cannot read the network nowhere.nnet: No such file or directory",
        ),
        (
            base("\"nowhere.nnet\"", &format!("[{x}]"), "[2]", labels),
            "help: the path is relative to the folder of p.jani2nnet",
        ),
        (
            base("\"p.jani2nnet\"", &format!("[{x}]"), "[2]", labels),
            "unknown network format; supported: .nnet, .onnx, .safetensors",
        ),
        (r#"{"file": "n1_2.nnet", "inptu": []}"#.to_owned(), r#"did you mean "input"?"#),
        (r#"{"file": "n1_2.nnet", "input": []}"#.to_owned(), r#"a jani2nnet policy needs "elements" and "output""#),
        ("[".to_owned(), "p.jani2nnet:1:"),
    ] {
        let shown = read("jani2nnet", "p.jani2nnet", &text).map(|_| ()).unwrap_err();
        assert!(shown.contains(expected), "wanted: {expected}\nfound: {shown}");
    }
    std::fs::write(folder("jani2nnet").join("broken.nnet"), "1,1,2,2,\n1,2,\n0,\n0,\n1,\n0,0,\n1,1,\n1,\nx,\n")
        .unwrap();
    let shown =
        read("jani2nnet", "p.jani2nnet", &base("\"broken.nnet\"", &format!("[{x}]"), "[2]", labels)).map(|_| ());
    let shown = shown.unwrap_err();
    assert!(shown.contains("cannot use the network broken.nnet:9:1:") && shown.contains("= at file"), "{shown}");
}

#[test]
fn a_policy_file_with_everything() {
    let text = r#"{
      "comment": "x is scaled to 0..1; the car's location and a constant are features",
      "networks": [
        {"file": "n2_3.nnet", "when": {"op": "<", "left": "y", "right": 0}, "weights": "f32"},
        {"file": "n1_3.nnet", "inputs": [{"variable": "speed", "automaton": "car", "index": 1}]}
      ],
      "inputs": [
        {"op": "/", "left": {"op": "-", "left": "x", "right": 2}, "right": "N"},
        {"op": "+", "left": {"op": "*", "left": 0.5, "right": {"location": "car", "index": 1}}, "right": {"location": "world"}}
      ],
      "outputs": {"labels": ["stay", "left", "unused"]},
      "filter": true, "ties": "any"
    }"#;
    let (lowered, policy, notes) = read("everything", "p.policy.json", text).unwrap();
    assert_eq!(policy.networks.len(), 2);
    assert!(policy.networks[0].when.is_some() && policy.networks[1].when.is_none());
    assert_eq!(input_values(&lowered, &policy, 0), rationals(&["1/4", "1/2"]));
    assert_eq!(input_values(&lowered, &policy, 1), rationals(&["3"]));
    assert!(policy.filter);
    assert_eq!(policy.ties, Ties::Any);
    assert!(policy.networks[0].file.ends_with("n2_3.nnet"));
    let messages: Vec<(Severity, &str)> = notes.iter().map(|n| (n.severity, &*n.message)).collect();
    let warning = "the action 'unused' never happens in the model, so the filter never lets it be chosen";
    // Both networks leave their bounds open: once is enough. The weights of one are stated.
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert_eq!(messages[0], (Severity::Warning, warning));
    assert!(messages[1].0 == Severity::Notice && messages[1].1.contains("n2_3.nnet and another network: the input"));
    assert!(messages[2].0 == Severity::Notice && messages[2].1.contains("n1_3.nnet: the decimal weights"));
}

#[test]
fn inputs_are_names_constants_cells_and_truth_values() {
    let inputs = r#"["x", "N", "on", "open", 0.1, {"op": "aa", "exp": "A", "index": {"op": "-", "left": "N", "right": 2}}, {"op": "*", "left": 0, "right": "x"}]"#;
    std::fs::write(folder("names").join("seven.nnet"), some_network(7, 2)).unwrap();
    let text =
        format!(r#"{{"network": "seven.nnet", "inputs": {inputs}, "outputs": {{"labels": ["left", "right"]}}}}"#);
    let (lowered, policy, _) = read("names", "p.policy.json", &text).unwrap();
    assert_eq!(input_values(&lowered, &policy, 0), rationals(&["3", "4", "1", "1", "1/10", "9", "0"]));
    assert!(!policy.filter);
    assert_eq!(policy.ties, Ties::First);
}

/// Truth values are the numbers 0 and 1 in the arithmetic of inputs, and `ite` over them is linear; `open` is a variable that is
/// true, `on` a constant, `x` is 3.
#[test]
fn truth_values_count_as_numbers() {
    for (input, value) in [
        (r#"{"op": "*", "left": 2, "right": "open"}"#, "2"),
        (r#"{"op": "*", "left": "open", "right": 2}"#, "2"),
        (r#"{"op": "/", "left": "open", "right": 4}"#, "1/4"),
        (r#"{"op": "-", "left": "x", "right": "open"}"#, "2"),
        (r#"{"op": "+", "left": true, "right": {"op": "*", "left": "on", "right": "open"}}"#, "2"),
        (r#"{"op": "+", "left": "open", "right": {"location": "world"}}"#, "1"),
        (r#"{"op": "¬", "exp": "open"}"#, "0"),
        (r#"{"op": "*", "left": 3, "right": {"op": "¬", "exp": {"op": "¬", "exp": "open"}}}"#, "3"),
        (r#"{"op": "ite", "if": "open", "then": 0.5, "else": -1}"#, "1/2"),
        (r#"{"op": "ite", "if": {"op": "¬", "exp": "open"}, "then": 0.5, "else": -1}"#, "-1"),
        (r#"{"op": "ite", "if": "open", "then": {"op": "+", "left": "x", "right": 1}, "else": "x"}"#, "4"),
        (r#"{"op": "ite", "if": {"op": "<", "left": "N", "right": 2}, "then": "y", "else": "x"}"#, "3"),
        (r#"{"op": "ite", "if": "open", "then": "open", "else": "open"}"#, "1"),
    ] {
        let text =
            format!(r#"{{"network": "n1_2.nnet", "inputs": [{input}], "outputs": {{"labels": ["left", "right"]}}}}"#);
        let (lowered, policy, _) = read("truth", "p.policy.json", &text).unwrap_or_else(|e| panic!("{input}: {e}"));
        assert_eq!(input_values(&lowered, &policy, 0), rationals(&[value]), "{input}");
    }
}

#[test]
fn policy_files_are_refused_with_place_and_advice() {
    let labels = r#""outputs": {"labels": ["left", "right"]}"#;
    let with_inputs = |inputs: &str| format!(r#"{{"network": "n1_2.nnet", "inputs": [{inputs}], {labels}}}"#);
    let network = |network: &str| format!(r#"{{"networks": [{network}], "inputs": ["x"], {labels}}}"#);
    let outputs = |outputs: &str| format!(r#"{{"network": "n1_2.nnet", "inputs": ["x"], "outputs": {outputs}}}"#);
    let options = |rest: &str| format!(r#"{{"network": "n1_2.nnet", "inputs": ["x"], {labels}, {rest}}}"#);
    let variable =
        |rest: &str| format!(r#"{{"network": "n1_1.nnet", "inputs": ["x"], "outputs": {{"variables": [{rest}]}}}}"#);
    for (text, expected) in [
        (with_inputs(r#"{"op": "*", "left": "x", "right": "y"}"#), "this input is not linear in the state"),
        (
            with_inputs(r#"{"op": "*", "left": "x", "right": {"location": "world"}}"#),
            "this input is not linear in the state",
        ),
        (with_inputs(r#"{"op": "%", "left": "x", "right": 2}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "aa", "exp": "A", "index": "y"}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "/", "left": "x", "right": 0}"#), "this input divides by zero"),
        (
            with_inputs(r#"{"op": "+", "left": "x", "right": "force"}"#),
            "the transient variable 'force' cannot be an input",
        ),
        (
            with_inputs(r#"{"op": "min", "left": "x", "right": {"location": "world"}}"#),
            "can only stand under +, -, *, /, ite and ¬ here",
        ),
        (with_inputs(r#"{"op": "*", "left": "open", "right": "x"}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "/", "left": 1, "right": "open"}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "ite", "if": "x", "then": 1, "else": 0}"#), "must be a truth value, this is a number"),
        (with_inputs(r#"{"op": "¬", "exp": "x"}"#), "must be a truth value, this is a number"),
        (with_inputs(r#""xx""#), "unknown name 'xx'"),
        (with_inputs(r#""speed""#), "several automata have a local variable of that name: car#0, car#1"),
        (with_inputs(r#"{"variable": "speed", "automaton": "car", "index": 7}"#), "there is no index 7"),
        (with_inputs(r#"{"location": "wrold"}"#), "did you mean 'world'?"),
        (with_inputs(r#"{"location": "world", "cell": 1}"#), r#"a location as input has no member "cell""#),
        (with_inputs(r#""A""#), "an array is used where a single value is expected"),
        (with_inputs(r#"{"op": "plus", "left": 1, "right": 2}"#), r#"there is no operator "plus""#),
        (with_inputs(r#""x", "y""#), "the network n1_2.nnet has 1 input, but 2 are listed"),
        (with_inputs(""), "a network needs at least one input"),
        (network(r#"{"file": "n1_2.nnet", "when": "x"}"#), "a condition must be of type bool, this is int"),
        (
            network(r#"{"file": "n1_2.nnet", "when": {"op": "<", "left": "force", "right": 1}}"#),
            "\"when\" cannot depend on the transient variable 'force'",
        ),
        (
            network(r#"{"file": "n1_2.nnet", "when": {"op": "<", "left": "force", "right": 1}}"#),
            "= at networks[0].when.left",
        ),
        (network(r#"{"file": "n1_2.nnet", "weights": "f16"}"#), "weights are read as \"f32\" or \"f64\", not \"f16\""),
        (
            network(r#"{"file": "n.onnx", "weights": "f32"}"#),
            "\"weights\" is for .nnet files, which this network is not",
        ),
        (
            network(r#"{"file": "n1_2.nnet", "output": "y"}"#),
            "\"output\" is for .onnx files, which this network is not",
        ),
        (network(r#"{"file": "n2_2.nnet"}"#), "the network n2_2.nnet has 2 inputs, but 1 is listed"),
        (network(r#"{"file": "n1_3.nnet"}"#), "the network n1_3.nnet has 3 outputs, but 2 are listed"),
        (network(r#"{"path": "n1_2.nnet"}"#), r#"a network of a policy has no member "path""#),
        (network("3"), "expected a network: the path of its file, or an object, found a number"),
        (network(r#""nowhere.onnx""#), "cannot read the network nowhere.onnx: No such file or directory"),
        (network(""), "a policy needs at least one network"),
        (outputs(r#"{"labels": ["left", "rigth"]}"#), "did you mean 'right'?"),
        (outputs(r#"{"labels": ["left", "left"]}"#), "the action 'left' is listed twice"),
        (outputs(r#"{"labels": []}"#), "a policy needs at least one output"),
        (outputs("{}"), r#""outputs" has "labels", "variables" or "components""#),
        (outputs(r#"{"lables": []}"#), r#"did you mean "labels"?"#),
        (variable(r#""x""#), "'x' is part of the state or a constant"),
        (variable(r#""farce""#), "did you mean 'force'?"),
        (variable(r#""gear""#), "'gear' is of type int, and outputs of a network are reals"),
        (variable(r#""force", "force""#), "the variable 'force' is listed twice"),
        (options(r#""filter": 1"#), "expected true or false, found a number"),
        (options(r#""ties": "plaja""#), "the command-line option `plaja-compat` breaks them as PlaJA does"),
        (options(r#""ties": "last""#), "ties are broken by \"first\" or \"any\", not \"last\""),
        (options(r#""semantics": "f16""#), "networks are computed in \"real\" or \"float32\" numbers, not \"f16\""),
        (options(r#""networks": []"#), "\"network\" and \"networks\" cannot be given together"),
        (options(r#""filters": true"#), "did you mean \"filter\"?"),
        (format!(r#"{{"network": "n1_2.nnet", {labels}}}"#), "there are no \"inputs\" for this network"),
        (format!(r#"{{"inputs": ["x"], {labels}}}"#), "a policy needs \"network\" or \"networks\""),
        (
            r#"{"network": "n1_1.nnet", "inputs": ["x"], "outputs": {"variables": ["force"]}, "filter": true}"#
                .to_owned(),
            "\"filter\" says how actions are chosen, but this policy computes variables",
        ),
        (
            r#"{"network": "n1_1.nnet", "inputs": ["x"], "outputs": {"variables": ["force"]}, "semantics": "float32"}"#
                .to_owned(),
            "\"float32\" is for policies that choose actions",
        ),
        ("{}".to_owned(), "a policy needs \"outputs\""),
        ("3".to_owned(), "expected a policy as an object, found a number"),
    ] {
        let shown = read("native", "p.policy.json", &text).map(|_| ()).unwrap_err();
        assert!(shown.contains(expected), "wanted: {expected}\nfound: {shown}");
        assert!(shown.contains(" --> p.policy.json:1:"), "{shown}");
    }
}

#[test]
fn hostile_nesting_ends_in_an_error() {
    let deep = |leaf: &str, depth: usize| {
        format!("{}{leaf}{}", r#"{"op": "+", "left": 1, "right": "#.repeat(depth), "}".repeat(depth))
    };
    let policy =
        |input: &str| format!(r#"{{"network": "n1_1.nnet", "inputs": [{input}], "outputs": {{"labels": ["left"]}}}}"#);
    let text = policy(&deep(r#"{"location": "world"}"#, 10_000));
    let (lowered, long, _) = read("deep", "p.policy.json", &text).unwrap();
    assert_eq!(input_values(&lowered, &long, 0), rationals(&["10000"]));
    for (before, after) in [(r#"{"op": "*", "left": 1, "right": "#, "}"), (r#"{"op": "¬", "exp": "#, "}")] {
        let text = policy(&format!("{}\"on\"{}", before.repeat(10_000), after.repeat(10_000)));
        assert!(read("deep", "p.policy.json", &text).map(|_| ()).unwrap_err().contains("nested more than 64 deep"));
    }
    let text = policy(&deep("\"x\"", 10_000));
    let (lowered, policy, _) = read("deep", "p.policy.json", &text).unwrap();
    assert_eq!(input_values(&lowered, &policy, 0), rationals(&["10003"]));
}

#[test]
fn all_entries_report_their_errors_at_once() {
    let text = r#"{"networks": ["n9.nnet", {"file": "n1_2.nnet", "when": "nothing"}], "inputs": ["xx"],
                   "outputs": {"labels": ["a", "b"]}, "ties": "no"}"#;
    let shown = read("at_once", "p.policy.json", text).map(|_| ()).unwrap_err();
    for expected in ["n9.nnet", "'nothing'", "'xx'", "no action 'a'", "no action 'b'", "not \"no\""] {
        assert!(shown.contains(expected), "wanted: {expected}\nfound: {shown}");
    }
}

#[test]
fn a_network_is_no_policy_and_a_missing_file_is_named() {
    let (mut lowered, mut sources) = (model(), SourceMap::default());
    let errors = read_policy(&mut lowered, &mut sources, Path::new("some.nnet")).unwrap_err();
    assert_eq!(errors[0].message, "some.nnet is a network; a policy file is needed");
    let errors = read_policy(&mut lowered, &mut sources, Path::new("nowhere.policy.json")).unwrap_err();
    assert!(errors[0].message.starts_with("cannot read nowhere.policy.json"), "{errors:?}");
}

#[test]
fn networks_that_are_never_asked_are_warned_about() {
    let text = r#"{"networks": [{"file": "n1_2.nnet", "when": {"op": "<", "left": "N", "right": 0}}, "n1_2.nnet", "n1_2.nnet"],
                   "inputs": ["x"], "outputs": {"labels": ["left", "right"]}}"#;
    let (_, policy, notes) = read("never", "p.policy.json", text).unwrap();
    let warnings: Vec<&str> = notes.iter().filter(|n| n.severity == Severity::Warning).map(|n| &*n.message).collect();
    assert_eq!(
        warnings,
        [
            "this network is never asked: its condition is always false",
            "this network is never asked: one before it is asked in all states"
        ]
    );
    assert!(Arc::ptr_eq(&policy.networks[1].network, &policy.networks[2].network), "one file is read once");
}
