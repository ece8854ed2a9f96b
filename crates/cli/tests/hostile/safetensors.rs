//! safetensors files, asked by `decide`.

use serde_json::{Value, json};

use super::harness::{Case, case, run};

/// A file with this header and so many bytes of zeros.
fn bytes(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(vec![0; data]);
    bytes
}

fn tensor(shape: &[usize], from: usize) -> Value {
    let size: usize = shape.iter().product();
    json!({"dtype": "F32", "shape": shape, "data_offsets": [from, from + 4 * size]})
}

fn raw(name: &'static str, content: impl AsRef<[u8]>) -> Case {
    case(name, "decide q.json --network n.safetensors")
        .json("q.json", &json!({"box": [[0, 3]], "label": 0}))
        .file("n.safetensors", content)
}

/// One layer `w` of one input and two outputs, with this metadata.
fn described(name: &'static str, metadata: Value) -> Case {
    let header = json!({"__metadata__": metadata, "w": tensor(&[2, 1], 0)});
    raw(name, bytes(&header.to_string(), 8))
}

fn layers(name: &'static str, text: &str) -> Case {
    described(name, json!({"surefoot.layers": text})).not("expected value").not("missing field").not("unknown variant")
}

#[test]
fn safetensors() {
    let good = r#"[{"weight": "w", "activation": "identity"}]"#;
    let two = json!({"0.weight": tensor(&[2, 1], 0), "2.weight": tensor(&[2, 2], 8)}).to_string();
    let list = json!({"l.0.weight": tensor(&[2, 1], 0), "l.1.weight": tensor(&[2, 2], 8)}).to_string();
    let w = tensor(&[2, 1], 0).to_string();
    let twice = format!("{{\"__metadata__\": {{\"surefoot.layers\": {}}}, \"w\": {w}, \"w\": {w}}}", json!(good));
    let both = format!("{{\"__metadata__\": {{\"a\": \"1\", \"a\": \"2\"}}, \"w\": {w}}}");
    run(
        "safetensors",
        vec![
            layers("a network", good).code(0).says("sat"),
            raw("no metadata", bytes(&two, 24))
                .says("does not say which activation")
                .says("surefoot.layers")
                .says("--activation relu"),
            raw("a stated activation", bytes(&two, 24)).arg("--activation").arg("relu").code(0).says("sat"),
            raw("a stated activation that is not supported", bytes(&two, 24))
                .arg("--activation")
                .arg("mish")
                .says("relu"),
            raw("numbers without a gap", bytes(&list, 24))
                .arg("--activation")
                .arg("relu")
                .says("between the layers 0 and 1"),
            layers("stated twice", good).arg("--activation").arg("relu").says("describes its own layers"),
            raw("other names", bytes(&json!({"w": tensor(&[2, 1], 0)}).to_string(), 8)).says("cannot tell the layers"),
            raw("empty", "").says("not a well-formed safetensors file"),
            raw("short", "abc").says("not a well-formed safetensors file"),
            raw("no JSON", bytes("{", 0)).says("not a well-formed safetensors file"),
            raw("a huge header", u64::MAX.to_le_bytes()).says("not a well-formed safetensors file"),
            raw("data that is missing", bytes(&two, 3)).says("not a well-formed safetensors file"),
            raw("no tensors", bytes("{}", 0)).says("the file has no tensors"),
            raw("a tensor twice", bytes(&twice, 8)).says("the header names 'w' twice"),
            raw("a metadata entry twice", bytes(&both, 8)).says("the header names 'a' twice"),
            layers("no JSON in the layers", "[{]").says("no JSON from line 1, column 3"),
            layers("layers cut off", "[{").says("the text ends in the middle"),
            layers("no list", "{}").says("expected a list of layers"),
            layers("no layers", "[]").says("the network has no layers"),
            layers("a number", "[7]").says("layer 0: expected an object like"),
            layers("no weight", r#"[{"activation": "relu"}]"#).says("layer 0: \"weight\" is missing"),
            layers("no activation", r#"[{"weight": "w"}]"#).says("layer 0: \"activation\" is missing"),
            layers("mish", r#"[{"weight": "w", "activation": "mish"}]"#).says("activation \"mish\" is not known"),
            layers("an unknown member", r#"[{"weight": "w", "activation": "relu", "b": 1}]"#)
                .says("has no member \"b\""),
            layers("a weight twice", r#"[{"weight": "w", "weight": "v", "activation": "relu"}]"#)
                .says("\"weight\" twice"),
            layers("a tensor that is not there", r#"[{"weight": "v", "activation": "relu"}]"#).says("tensor 'v'"),
            layers(
                "one tensor in many layers",
                &format!("[{}]", [r#"{"weight": "w", "activation": "relu"}"#; 3].join(",")),
            )
            .says("3 layers from 1 tensors"),
            described("a scale of words", json!({"surefoot.layers": good, "surefoot.input_scale": "[\"a\"]"}))
                .says("'surefoot.input_scale': entry 0"),
            described("a scale of numbers", json!({"surefoot.layers": good, "surefoot.input_scale": "[1]"}))
                .says("a list of numbers as text"),
            described("too many scales", json!({"surefoot.layers": good, "surefoot.input_scale": "[\"1\", \"1\"]"}))
                .says("has 2 entries, but the network has 1 inputs"),
            described(
                "a scale without an offset",
                json!({"surefoot.layers": good, "surefoot.input_scale": "[\"1/2\"]"}),
            )
            .code(0)
            .says("there is no 'surefoot.input_offset'"),
        ],
    );
}
