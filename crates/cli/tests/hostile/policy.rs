//! Policy files.

use serde_json::{Value, json};

use super::harness::{Case, NNET, base, case, int, policy, run, set};

const LINE: &str = "verify m.jani --policy p.policy.json";

fn with(name: &'static str, pointer: &str, value: Value) -> Case {
    let mut policy = policy("n.nnet");
    set(&mut policy, pointer, value);
    case(name, LINE).json("m.jani", &base()).json("p.policy.json", &policy).file("n.nnet", NNET)
}

fn text(name: &'static str, content: &str) -> Case {
    case(name, LINE).json("m.jani", &base()).file("p.policy.json", content).file("n.nnet", NNET)
}

/// A file given as policy, or as the network of one.
fn foreign(extension: &str, what: &str, as_policy: bool) -> Case {
    let name = format!("agent.{extension}");
    let line = if as_policy { format!("verify m.jani --policy {name}") } else { LINE.to_owned() };
    case("a foreign file", &line)
        .json("m.jani", &base())
        .json("p.policy.json", &policy(&name))
        .file(&name, b"PK\x03\x04\x00\xff")
        .says(what)
        .says("help:")
        .not("unknown network format")
}

#[test]
fn policies() {
    let mut cases = vec![
        with("a policy", "/filter", json!(false)).code(1),
        text("empty", "").says("the text is empty"),
        text("an array", "[]").says("a policy as an object"),
        text("an empty object", "{}").says("a policy needs \"outputs\""),
        text("a member twice", "{\"network\": \"n.nnet\", \"network\": \"n.nnet\"}").says("is given twice"),
        with("an unknown member", "/netwrok", json!(1)).says("did you mean"),
        with("no path", "/network", json!(7)).says("the path of a network file"),
        with("a folder", "/network", json!(".")).says("cannot use the network .: unknown network format"),
        with("a network that is not there", "/network", json!("no.nnet"))
            .says("cannot read the network no.nnet")
            .says("relative to"),
        with("an unknown extension", "/network", json!("n.net")).says("unknown network format").says("help:"),
        with("both members", "/networks", json!(["n.nnet"])).says("cannot be given together"),
        with("an unknown action", "/outputs/labels/0", json!("og")).says("the model has no action 'og'"),
        with("an action twice", "/outputs/labels/1", json!("go")).says("the action 'go' is listed twice"),
        with("too few outputs", "/outputs/labels", json!(["go"])).says("has 2 outputs, but 1 is listed"),
        with("no outputs", "/outputs/labels", json!([])).says("at least one output"),
        with("two kinds of outputs", "/outputs/variables", json!(["x"]))
            .says("\"labels\", \"variables\" or \"components\""),
        with("a state variable as output", "/outputs", json!({"variables": ["x"]})).says("transient"),
        with("an unknown input", "/inputs/0", json!("y")).says("'y'"),
        with("too many inputs", "/inputs/-", json!("x")).says("has 1 input, but 2 are listed"),
        with("no inputs", "/inputs", json!([])).says("at least one input"),
        with("an input that is not linear", "/inputs/0", json!({"op": "*", "left": "x", "right": "x"}))
            .says("is not linear"),
        with("an input divided by zero", "/inputs/0", json!({"op": "/", "left": "x", "right": 0}))
            .says("divides by zero"),
        with("a word as filter", "/filter", json!("on")).says("true or false"),
        with("unknown ties", "/ties", json!("last")).says("ties are broken by \"first\" or \"any\""),
        with("PlaJA's ties", "/ties", json!("plaja")).says("--plaja-compat"),
        with("an unknown location", "/inputs/0", json!({"location": "b"})).says("the system has no automaton 'b'"),
        with("an index without need", "/inputs/0", json!({"location": "a", "index": 5})).says("there is no index 5"),
        case("a network as policy", "verify m.jani --policy n.nnet")
            .json("m.jani", &base())
            .file("n.nnet", NNET)
            .says("a policy file is needed"),
        case("a model as policy", "verify m.jani --policy m.jani").json("m.jani", &base()).says("a JANI model"),
        case("a policy that is not there", "verify m.jani --policy no.policy.json")
            .json("m.jani", &base())
            .says("cannot read no.policy.json"),
        case("a filter without a policy", "verify m.jani --filter on")
            .json("m.jani", &base())
            .says("--filter is about a policy")
            .says("--policy FILE"),
    ];
    let entry = |name, extra: Value| {
        let mut policy =
            json!({"networks": [{"file": "n.nnet"}], "inputs": ["x"], "outputs": {"labels": ["go", "stop"]}});
        for (key, value) in extra.as_object().expect("members") {
            policy["networks"][0][key] = value.clone();
        }
        case(name, LINE).json("m.jani", &base()).json("p.policy.json", &policy).file("n.nnet", NNET)
    };
    cases.extend([
        entry("an entry", json!({"weights": "f32"})).code(1),
        entry("unknown weights", json!({"weights": "f16"})).says("not \"f16\""),
        entry("weights of no text", json!({"weights": 32})).says("\"f32\" or \"f64\""),
        entry("an output of no ONNX", json!({"output": "y"})).says("is for .onnx files"),
        entry("an activation of no safetensors", json!({"activation": "relu"})).says("is for .safetensors files"),
        entry("an activation that is not supported", json!({"file": "n.safetensors", "activation": "mish"}))
            .says("\"mish\" is not known")
            .says("tanh"),
        entry("a condition that is a number", json!({"when": 1})).says("bool"),
        entry("a condition that never holds", json!({"when": false})).says("its condition is always false"),
    ]);
    for (extension, what) in [
        ("zip", "a zip archive"),
        ("pt", "a PyTorch checkpoint"),
        ("pth", "a PyTorch checkpoint"),
        ("ckpt", "a PyTorch"),
        ("pkl", "a Python pickle"),
        ("joblib", "a Python pickle"),
        ("h5", "a Keras or HDF5 file"),
        ("keras", "a Keras"),
        ("pb", "a TensorFlow model"),
        ("tflite", "a TensorFlow model"),
        ("npz", "a NumPy"),
        ("msgpack", "a Flax"),
        ("gz", "a compressed file"),
        ("prism", "a PRISM model"),
    ] {
        cases.push(foreign(extension, what, true));
        cases.push(foreign(extension, what, false));
    }
    for extension in ["onnx", "nnet", "safetensors"] {
        cases.push(foreign(extension, "a zip archive", false));
    }
    run("policies", cases);
}

#[test]
fn jani2nnet() {
    let file = json!({"file": "n.nnet", "input": [{"name": "x", "automaton": null}], "elements": [], "output": ["go", "stop"]});
    let with = |name, pointer: &str, value: Value| {
        let mut file = file.clone();
        set(&mut file, pointer, value);
        case(name, "verify m.jani --policy p.jani2nnet")
            .json("m.jani", &base())
            .json("p.jani2nnet", &file)
            .file("n.nnet", NNET)
    };
    let of_array = |name, index: Value| {
        let cells = json!({"op": "av", "elements": [0, 1]});
        let array = json!({"name": "y", "type": {"kind": "array", "base": int(0, 3)}, "initial-value": cells});
        let mut model = base();
        set(&mut model, "/features", json!(["arrays"]));
        set(&mut model, "/variables/-", array);
        with(name, "/input/0", json!({"name": "y", "automaton": null, "index": index})).json("m.jani", &model)
    };
    run(
        "jani2nnet",
        vec![
            with("a policy", "/filter", json!(false)).code(1),
            with("wrong sizes", "/elements", json!([7])).says("is it the right network?"),
            with("a size of zero", "/elements", json!([0])).says("at least one neuron"),
            with("an unknown variable", "/input/0/name", json!("y")).says("no global variable 'y'"),
            with("no automaton", "/input/0", json!({"name": "x"})).says("\"automaton\": null"),
            with("a cell of no array", "/input/0/index", json!(0)).says("is no array"),
            with("an unknown action", "/output/0", json!("og")).says("no action 'og'"),
            of_array("a huge index", json!(1e300)).says("expected the number of a cell, from 0, found 1e+300"),
            of_array("half an index", json!(0.5)).says("expected the number of a cell, from 0, found 0.5"),
            of_array("an index beyond the array", json!(2)).says("'y' has 2 cells, there is no cell 2"),
            of_array("a negative index", json!(-1)).says("'y' has 2 cells, there is no cell -1"),
            with("no file", "/file", Value::Null).says("the path of a network file"),
        ],
    );
}
