//! What is inferred about a policy stands among the assumptions of every result, whatever `--quiet` says; what cannot be
//! inferred is an error.

mod common;

use common::{Folder, compare, counter, never, property};
use serde_json::{Value, json};

/// A safetensors file of `F32` tensors.
fn safetensors(tensors: &[(&str, &[usize], &[f32])], metadata: &Value) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    if !metadata.is_null() {
        header.insert("__metadata__".to_owned(), metadata.clone());
    }
    for (name, shape, values) in tensors {
        let from = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]});
        header.insert((*name).to_owned(), entry);
    }
    let header = Value::Object(header).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

/// `up` scores `2.5 - act(x)`, `down` scores 0: the same tensors whatever the activation.
const TENSORS: [(&str, &[usize], &[f32]); 4] = [
    ("0.weight", &[1, 1], &[1.0]),
    ("0.bias", &[1], &[0.0]),
    ("2.weight", &[2, 1], &[-1.0, 0.0]),
    ("2.bias", &[2], &[2.5, 0.0]),
];

fn folder(network: &[u8], entry: &Value) -> Folder {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(9, &[property("safe", &never(&compare("=", "x", 8)))]));
    std::fs::write(folder.path().join("net.safetensors"), network).expect("a file can be written");
    folder.write_json(
        "p.policy.json",
        &json!({"networks": [entry], "inputs": ["x"], "outputs": {"labels": ["up", "down"]}}),
    );
    folder.write_json("q.json", &json!({"box": [[0, 9]], "label": 0}));
    folder
}

fn assumes(object: &Value, words: &str) -> bool {
    object["assumptions"].as_array().expect("a list").iter().any(|a| a.as_str().is_some_and(|a| a.contains(words)))
}

#[test]
fn a_file_that_does_not_say_its_activation_is_refused() {
    let folder = folder(&safetensors(&TENSORS, &Value::Null), &json!("net.safetensors"));
    for args in [
        &["verify", "m.jani", "--policy", "p.policy.json"][..],
        &["check", "m.jani", "--policy", "p.policy.json"],
        &["decide", "q.json", "--network", "net.safetensors"],
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, 2, "{}", ran.err);
        for words in ["does not say which activation stands between its layers", "surefoot.layers", "relu"] {
            assert!(ran.err.contains(words), "{words}: {}", ran.err);
        }
    }
}

#[test]
fn the_users_own_statement_is_taken_and_told() {
    let entry = json!({"file": "net.safetensors", "activation": "relu"});
    let folder = folder(&safetensors(&TENSORS, &Value::Null), &entry);
    let inferred = "in the order of the numbers in their names, with ReLU between them";
    for command in ["check", "explore", "simulate", "verify", "bounds", "abstract"] {
        let (code, object) = folder.run_json(&[command, "m.jani", "--policy", "p.policy.json", "--ignore-predicates"]);
        assert!(code != 2 && assumes(&object, inferred), "{command}: {object}");
    }
    let induce = ["induce", "m.jani", "--policy", "p.policy.json", "--out", "m.drn"];
    assert!(assumes(&folder.run_json(&induce).1, inferred));
    let ctl = ["ctl", "m.jani", "--policy", "p.policy.json", "--formula", "AG[<=2] x < 8"];
    assert!(assumes(&folder.run_json(&ctl).1, inferred));
    let decide = ["decide", "q.json", "--network", "net.safetensors", "--activation", "relu"];
    let (code, object) = folder.run_json(&decide);
    assert!(code == 0 && assumes(&object, inferred), "{object}");
    let predicates = ["zoo", "predicates", "m.jani", "--policy", "p.policy.json", "--count", "1", "--out", "o.json"];
    assert!(assumes(&folder.run_json(&predicates).1, inferred));
    // And people are told, unless they ask for quiet.
    assert!(folder.run(&["verify", "m.jani", "--policy", "p.policy.json"]).err.contains(inferred));
}

#[test]
fn a_file_that_describes_itself_leaves_nothing_to_infer() {
    let layers = r#"[{"weight": "0.weight", "bias": "0.bias", "activation": "relu"},
                     {"weight": "2.weight", "bias": "2.bias", "activation": "identity"}]"#;
    let bytes = safetensors(&TENSORS, &json!({"surefoot.layers": layers}));
    let described = folder(&bytes, &json!("net.safetensors"));
    let (code, object) = described.run_json(&["verify", "m.jani", "--policy", "p.policy.json"]);
    assert!(code != 2 && !assumes(&object, "net.safetensors"), "{object}");
    let both = folder(&bytes, &json!({"file": "net.safetensors", "activation": "relu"}));
    let ran = both.run(&["verify", "m.jani", "--policy", "p.policy.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("describes its own layers"), "{}", ran.err);
}

#[test]
fn what_nnet_leaves_open_is_told_once_for_all_networks() {
    let nnet = "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n-1,\n0,\n2.5,\n0,\n";
    let folder = folder(b"", &json!({"file": "a.nnet", "when": compare("<", "x", 5)}));
    folder.write("a.nnet", nnet);
    folder.write("b.nnet", nnet);
    let mut policy = folder.read_json("p.policy.json");
    policy["networks"].as_array_mut().expect("a list").push(json!("b.nnet"));
    folder.write_json("p.policy.json", &policy);
    let (_, object) = folder.run_json(&["verify", "m.jani", "--policy", "p.policy.json"]);
    assert!(assumes(&object, "a.nnet and another network: the input minima and maxima"), "{object}");
    assert!(assumes(&object, "the decimal weights are read to the nearest 64-bit float"), "{object}");
    policy["networks"] = json!([{"file": "a.nnet", "weights": "f64"}]);
    folder.write_json("p.policy.json", &policy);
    let (_, object) = folder.run_json(&["verify", "m.jani", "--policy", "p.policy.json"]);
    assert!(!assumes(&object, "64-bit float") && assumes(&object, "minima and maxima"), "stated: {object}");
    folder.write_json(
        "p.jani2nnet",
        &json!({"file": "a.nnet", "torch-file": "a.pt", "input": [{"name": "x", "automaton": null}], "elements": [],
                "output": ["up", "down"]}),
    );
    let args = ["verify", "m.jani", "--policy", "p.jani2nnet", "--filter", "on"];
    let (_, object) = folder.run_json(&args);
    for words in ["minima and maxima", "\"torch-file\" is not used", "the applicability filter is on"] {
        assert!(assumes(&object, words), "{words}: {object}");
    }
}
