//! Policy files of both kinds: what is read, what is refused with which words, and what a read policy permits.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::diagnostic::{Diagnostic, Severity};
use surefoot_jani::source::SourceMap;
use surefoot_jani::{read_model, read_model_text, render};
use surefoot_model::lower::{GivenConstant, Lowered, lower};
use surefoot_model::policy::read::read_policy;
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::{Interpreter, State};
use surefoot_network::NnetWeights;
use surefoot_num::Rational;

/// Two instances of `car` (with a local speed), a clock, and something of everything that a policy may name.
const MODEL: &str = r#"{
  "jani-version": 1, "name": "cars", "type": "mdp",
  "actions": [{"name": "stay"}, {"name": "left"}, {"name": "right"}, {"name": "wind"}, {"name": "unused"}],
  "constants": [{"name": "N", "type": "int", "value": 4}, {"name": "on", "type": "bool", "value": true}],
  "variables": [
    {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": "N"}, "initial-value": 0},
    {"name": "y", "type": {"kind": "bounded", "base": "int", "lower-bound": -5, "upper-bound": 5}, "initial-value": 0},
    {"name": "open", "type": "bool", "initial-value": false},
    {"name": "A", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}},
     "initial-value": {"op": "av", "elements": [7, 8, 9]}},
    {"name": "force", "type": "real", "transient": true, "initial-value": 0},
    {"name": "clipped", "type": {"kind": "bounded", "base": "real", "lower-bound": 0, "upper-bound": 1},
     "transient": true, "initial-value": 0},
    {"name": "gear", "type": "int", "transient": true, "initial-value": 0}
  ],
  "automata": [
    {"name": "world", "locations": [{"name": "w"}], "initial-locations": ["w"], "edges": [
      {"location": "w", "action": "stay", "destinations": [{"location": "w"}]},
      {"location": "w", "action": "left", "guard": {"exp": {"op": "<", "left": 0, "right": "x"}},
       "destinations": [{"location": "w", "assignments": [{"ref": "x", "value": {"op": "-", "left": "x", "right": 1}}]}]},
      {"location": "w", "action": "right", "guard": {"exp": {"op": "<", "left": "x", "right": "N"}},
       "destinations": [{"location": "w", "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]}]},
      {"location": "w", "action": "wind", "guard": {"exp": {"op": "≤", "left": "force", "right": 2}},
       "destinations": [{"location": "w"}]},
      {"location": "w", "guard": {"exp": {"op": "=", "left": "x", "right": 4}}, "destinations": [{"location": "w"}]}
    ]},
    {"name": "car", "locations": [{"name": "parked"}, {"name": "moving"}], "initial-locations": ["parked"],
     "variables": [
       {"name": "speed", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 1}
     ], "edges": []}
  ],
  "system": {
    "elements": [{"automaton": "world"}, {"automaton": "car"}, {"automaton": "car"}],
    "syncs": [
      {"synchronise": ["stay", null, null], "result": "stay"}, {"synchronise": ["left", null, null], "result": "left"},
      {"synchronise": ["right", null, null], "result": "right"}, {"synchronise": ["wind", null, null], "result": "wind"}
    ]
  }
}"#;

/// Slots: world, car#0, car#1, x, y, open, A[0..2], car#0.speed, car#1.speed.
fn state(x: i64, y: i64) -> State {
    State::from_ints(&[0, 0, 1, x, y, 1, 7, 8, 9, 2, 3])
}

fn model() -> Lowered {
    let (syntax, _) = read_model_text(&mut SourceMap::default(), Path::new("cars.jani"), MODEL).unwrap();
    lower(Arc::new(syntax), &[]).unwrap()
}

/// A folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("policy_files").join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Layers as rows of weights with the bias last, as a `.nnet` text.
fn nnet(layers: &[&[&[f64]]]) -> String {
    let list = |values: &[f64]| values.iter().map(|v| format!("{v},")).collect::<String>();
    let inputs = layers[0][0].len() - 1;
    let sizes: String = layers.iter().map(|l| format!("{},", l.len())).collect();
    let mut text = format!("{},{inputs},{},9,\n{inputs},{sizes}\n0,\n", layers.len(), layers[layers.len() - 1].len());
    text += &format!("{}\n{}\n", list(&vec![-9.0; inputs]), list(&vec![9.0; inputs]));
    text += &format!("{}\n{}\n", list(&vec![0.0; inputs + 1]), list(&vec![1.0; inputs + 1]));
    for layer in layers {
        layer.iter().for_each(|row| text += &format!("{}\n", list(&row[..row.len() - 1])));
        layer.iter().for_each(|row| text += &format!("{},\n", row[row.len() - 1]));
    }
    text
}

/// `inputs` inputs, two hidden neurons, `outputs` outputs.
fn some_network(inputs: usize, outputs: usize) -> String {
    let (hidden, out) = (vec![1.0; inputs + 1], vec![1.0; 3]);
    nnet(&[&[&hidden, &hidden], &vec![&out[..]; outputs]])
}

/// Reads a policy text next to `n<inputs>_<outputs>.nnet` networks; gives messages as text where it cannot be read.
fn read(test: &str, name: &str, text: &str) -> Result<(Lowered, Policy, Vec<Diagnostic>), String> {
    let folder = folder(test);
    for (inputs, outputs) in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3)] {
        std::fs::write(folder.join(format!("n{inputs}_{outputs}.nnet")), some_network(inputs, outputs)).unwrap();
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    let (mut lowered, mut sources) = (model(), SourceMap::default());
    match read_policy(&mut lowered, &mut sources, &path) {
        Ok((policy, notes)) => Ok((lowered, policy, notes)),
        Err(errors) => {
            assert!(errors.iter().all(|e| e.severity == Severity::Error));
            let shown: Vec<String> = errors.iter().map(|e| render(e, &sources)).collect();
            Err(shown.join("\n\n").replace(&format!("{}/", folder.display()), ""))
        }
    }
}

fn input_values(lowered: &Lowered, policy: &Policy, network: usize) -> Vec<Rational> {
    assert_eq!(lowered.model.slots.len(), 11);
    let at = state(3, -2);
    policy.networks[network].inputs.iter().map(|form| form.eval(|slot| at.get(slot).clone())).collect()
}

fn rationals(texts: &[&str]) -> Vec<Rational> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// The labels of the permitted operators, silent ones as `-`.
fn permitted(lowered: &Lowered, policy: &Policy, x: i64, y: i64) -> Vec<String> {
    let interpreter = Interpreter::with_policy(&lowered.model, policy);
    let operators = interpreter.permitted_operators(&state(x, y), Some(policy)).unwrap();
    let label = |v: u32| lowered.model.vectors[v as usize].label.map_or("-", |l| &lowered.model.labels[l.0 as usize]);
    operators.iter().map(|o| label(o.vector).to_owned()).collect()
}

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
    let [torch, bounds] = &notes[..] else { panic!("{notes:?}") };
    assert!(torch.severity == Severity::Notice && torch.message.contains("torch-file"), "{torch:?}");
    assert!(bounds.severity == Severity::Notice && bounds.message.contains("minima and maxima"), "{bounds:?}");
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
    let warning = "the action 'unused' never happens in the model, so choosing it stops the run";
    // Both networks have the same notice: once is enough.
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0], (Severity::Warning, warning));
    assert_eq!(messages[1].0, Severity::Notice);
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
        (with_inputs(r#"{"op": "<", "left": "x", "right": "y"}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "aa", "exp": "A", "index": "y"}"#), "this input is not linear in the state"),
        (with_inputs(r#"{"op": "/", "left": "x", "right": 0}"#), "this input divides by zero"),
        (
            with_inputs(r#"{"op": "+", "left": "x", "right": "force"}"#),
            "the transient variable 'force' cannot be an input",
        ),
        (
            with_inputs(r#"{"op": "min", "left": "x", "right": {"location": "world"}}"#),
            "can only stand under +, -, * and / here",
        ),
        (
            with_inputs(r#"{"op": "+", "left": "open", "right": {"location": "world"}}"#),
            "must be a number, this is of type bool",
        ),
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
        (outputs("{}"), r#""outputs" has either "labels" or "variables""#),
        (outputs(r#"{"lables": []}"#), r#"did you mean "labels"?"#),
        (variable(r#""x""#), "'x' is part of the state or a constant"),
        (variable(r#""farce""#), "did you mean 'force'?"),
        (variable(r#""gear""#), "'gear' is of type int, and outputs of a network are reals"),
        (variable(r#""force", "force""#), "the variable 'force' is listed twice"),
        (options(r#""filter": 1"#), "expected true or false, found a number"),
        (options(r#""ties": "plaja""#), "the command-line option --plaja-compat breaks them as PlaJA does"),
        (options(r#""ties": "last""#), "ties are broken by \"first\" or \"any\", not \"last\""),
        (options(r#""networks": []"#), "\"network\" and \"networks\" cannot be given together"),
        (options(r#""filters": true"#), "did you mean \"filter\"?"),
        (format!(r#"{{"network": "n1_2.nnet", {labels}}}"#), "there are no \"inputs\" for this network"),
        (format!(r#"{{"inputs": ["x"], {labels}}}"#), "a policy needs \"network\" or \"networks\""),
        (
            r#"{"network": "n1_1.nnet", "inputs": ["x"], "outputs": {"variables": ["force"]}, "filter": true}"#
                .to_owned(),
            "\"filter\" says how actions are chosen, but this policy computes variables",
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
    assert!(read("deep", "p.policy.json", &text).map(|_| ()).unwrap_err().contains("nested more than 64 deep"));
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
        assert_eq!(policy.networks[0].network.layers()[0].weights(), [expected]);
    }
}

/// A model with the names of the examples in `docs/policies.md`.
const DOCUMENTED: &str = r#"{
  "jani-version": 1, "name": "documented", "type": "mdp",
  "actions": [{"name": "accelerate"}, {"name": "coast"}, {"name": "brake"}],
  "constants": [{"name": "top_speed", "type": "int", "value": 5}],
  "variables": [
    {"name": "distance", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 60}, "initial-value": 60},
    {"name": "speed", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5}, "initial-value": 0},
    {"name": "lane", "type": {"kind": "array", "base": "bool"}, "initial-value": {"op": "av", "elements": [true, false]}}
  ],
  "automata": [
    {"name": "gearbox", "locations": [{"name": "low"}, {"name": "high"}], "initial-locations": ["low"], "edges": [
      {"location": "low", "action": "accelerate", "destinations": [{"location": "high"}]},
      {"location": "low", "action": "coast", "destinations": [{"location": "low"}]},
      {"location": "high", "action": "brake", "destinations": [{"location": "low"}]}
    ]},
    {"name": "wagon", "locations": [{"name": "w"}], "initial-locations": ["w"], "edges": [],
     "variables": [{"name": "load", "type": "bool", "initial-value": true}]}
  ],
  "system": {
    "elements": [{"automaton": "gearbox"}, {"automaton": "wagon"}, {"automaton": "wagon"}],
    "syncs": [
      {"synchronise": ["accelerate", null, null], "result": "accelerate"},
      {"synchronise": ["coast", null, null], "result": "coast"},
      {"synchronise": ["brake", null, null], "result": "brake"}
    ]
  }
}"#;

#[test]
fn the_examples_of_the_documentation_are_read() {
    let folder = folder("documentation");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let examples: Vec<&str> = docs.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [native, plaja] = examples[..] else { panic!("{} examples", examples.len()) };
    let approach = surefoot_network::nnet::from_bytes(some_network(6, 3).as_bytes(), NnetWeights::F64).unwrap();
    std::fs::write(folder.join("approach.onnx"), surefoot_network::onnx::write(&approach).unwrap()).unwrap();
    let read_documented = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        let mut sources = SourceMap::default();
        let (syntax, _) = read_model_text(&mut sources, Path::new("documented.jani"), DOCUMENTED).unwrap();
        let mut lowered = lower(Arc::new(syntax), &[]).unwrap();
        read_policy(&mut lowered, &mut sources, &folder.join(name)).unwrap().0
    };
    std::fs::write(folder.join("parking.nnet"), some_network(2, 3)).unwrap();
    let policy = read_documented("native.policy.json", native);
    assert_eq!(policy.networks.iter().map(|n| n.inputs.len()).collect::<Vec<_>>(), [6, 2]);
    let (first, wide) = (vec![1.0; 5], vec![1.0; 17]);
    let sixteen = nnet(&[&[&first[..]; 16], &[&wide[..]; 16], &[&wide[..]; 3]]);
    std::fs::write(folder.join("parking.nnet"), sixteen).unwrap();
    assert_eq!(read_documented("plaja.jani2nnet", plaja).networks[0].inputs.len(), 4);
}

/// Where the reference data is, or `None` when it is not there, which is an error only in CI.
fn shared() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/plaja");
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the reference data is missing");
    None
}

/// A model with the names that the racetrack policies use; the model itself is not part of the reference data.
fn racetrack() -> String {
    let variables: Vec<String> = ["car0_y", "car0_x", "car0_dy", "car0_dx"]
        .iter()
        .map(|name| format!(r#"{{"name": "{name}", "type": {{"kind": "bounded", "base": "int", "lower-bound": -9, "upper-bound": 40}}, "initial-value": 0}}"#))
        .collect();
    let actions = || (-1..=1).flat_map(|y| (-1..=1).map(move |x| format!("accel0_{y}_{x}")));
    let declared: Vec<String> = actions().map(|a| format!(r#"{{"name": "{a}"}}"#)).collect();
    let edges: Vec<String> = actions()
        .map(|a| format!(r#"{{"location": "l", "action": "{a}", "destinations": [{{"location": "l"}}]}}"#))
        .collect();
    format!(
        r#"{{"jani-version": 1, "name": "racetrack", "type": "mdp", "actions": [{}], "variables": [{}],
            "automata": [{{"name": "car", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [{}]}}],
            "system": {{"elements": [{{"automaton": "car"}}]}}}}"#,
        declared.join(","),
        variables.join(","),
        edges.join(",")
    )
}

fn count_policies(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.fold(0, |count, path| {
        let here = usize::from(path.extension().is_some_and(|e| e == "jani2nnet"));
        count + if path.is_dir() { count_policies(&path) } else { here }
    })
}

#[test]
fn reference_policies_are_read() {
    let Some(shared) = shared() else {
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: the reference data is not there");
        }
        return;
    };
    let constants = ["failing_probability=0.5", "item_cost_bound=50"].map(|c| GivenConstant::parse(c).unwrap());
    let mut read = 0;
    for (model, policy, given, inputs, outputs) in [
        ("for_ppa_simple.jani", "for_ppa_simple", 0, 1, 3),
        ("for_nn_sat.jani", "for_nn_sat", 0, 9, 3),
        ("for_nn_sat.jani", "for_nn_sat_with_unused_vars", 0, 2, 3),
        (
            "blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani",
            "rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16",
            2,
            14,
            5,
        ),
        (
            "icaps22/blocksworld/models/cost05/blocksworld_6_5.jani",
            "icaps22/blocksworld/networks/blocksworld_6_5/learned_cost05_non_terminal/blocksworld_6_5_32_32",
            0,
            20,
            7,
        ),
        ("", "icaps22/racetrack/networks/simple/barto-small/no_filtering/simple_barto-small_16_16", 0, 4, 9),
    ] {
        let mut sources = SourceMap::default();
        let syntax = if model.is_empty() {
            read_model_text(&mut sources, Path::new("racetrack.jani"), &racetrack()).unwrap().0
        } else {
            read_model(&mut sources, &shared.join(model)).unwrap().0
        };
        let mut lowered = lower(Arc::new(syntax), &constants[..given]).unwrap();
        let result = read_policy(&mut lowered, &mut sources, &shared.join(format!("{policy}.jani2nnet")));
        let (found, _) = result.unwrap_or_else(|errors| {
            let shown: Vec<String> = errors.iter().map(|e| render(e, &sources)).collect();
            panic!("{policy}: {}", shown.join("\n"))
        });
        let network = &found.networks[0];
        assert_eq!((network.inputs.len(), network.network.output_len()), (inputs, outputs), "{policy}");
        assert!(!found.filter);
        read += 1;
    }
    assert_eq!(read, count_policies(&shared), "every policy of the reference data is read above");
}
