//! ONNX graphs, written byte by byte, asked by `decide`.

#![expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "the numbers of a test are small")]

use serde_json::json;

use super::harness::{Case, case, run};

/// A field of a protocol buffer that holds bytes.
fn bytes(field: u8, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    let mut out = varint(u64::from(field) << 3 | 2);
    out.extend(varint(content.len() as u64));
    out.extend(content);
    out
}

/// A field that holds a number.
fn number(field: u8, value: i64) -> Vec<u8> {
    let mut out = varint(u64::from(field) << 3);
    out.extend(varint(value as u64));
    out
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(low);
            return out;
        }
        out.push(low | 0x80);
    }
}

fn node(op: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|input| bytes(1, input));
    let attributes = attributes.iter().flat_map(|attribute| bytes(5, attribute));
    let rest = [bytes(2, output), bytes(3, format!("the {op}")), bytes(4, op)].concat();
    bytes(1, inputs.chain(rest).chain(attributes).collect::<Vec<u8>>())
}

fn int(name: &str, value: i64) -> Vec<u8> {
    [bytes(1, name), number(3, value), number(20, 2)].concat()
}

fn floats(name: &str, dims: &[i64], values: &[f32]) -> Vec<u8> {
    let dims = dims.iter().flat_map(|dim| number(1, *dim));
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let rest = [number(2, 1), bytes(8, name), bytes(9, data)].concat();
    bytes(5, dims.chain(rest).collect::<Vec<u8>>())
}

fn integers(name: &str, values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    bytes(5, [number(1, values.len() as i64), number(2, 7), bytes(8, name), bytes(9, data)].concat())
}

fn info(field: u8, name: &str, dims: &[i64], elements: i64) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|dim| bytes(1, number(1, *dim))).collect();
    let tensor = [number(1, elements), bytes(2, dims)].concat();
    bytes(field, [bytes(1, name), bytes(2, bytes(1, tensor))].concat())
}

/// A model of these parts of a graph, with input `x` of shape [1, 2] and output `y`.
fn model(parts: &[Vec<u8>]) -> Vec<u8> {
    let graph = [parts.concat(), info(11, "x", &[1, 2], 1), info(12, "y", &[1, 2], 1)].concat();
    [number(1, 8), bytes(8, number(2, 17)), bytes(7, graph)].concat()
}

fn raw(name: &'static str, content: impl AsRef<[u8]>) -> Case {
    case(name, "decide q.json --network n.onnx")
        .json("q.json", &json!({"box": [[0, 3], [0, 3]], "label": 0}))
        .file("n.onnx", content)
}

fn graph(name: &'static str, parts: &[Vec<u8>]) -> Case {
    raw(name, model(parts))
}

/// A graph of one operator without attributes.
fn single(name: &'static str, op: &str) -> Case {
    graph(name, &[node(op, &["x"], "y", &[])])
}

#[test]
fn onnx() {
    let relu = || node("Relu", &["x"], "y", &[]);
    let weights = |name: &str| floats(name, &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    let product = || node("MatMul", &["x", "w"], "y", &[]);
    let whole = model(&[relu()]);
    let no_opset =
        [number(1, 8), bytes(7, [relu(), info(11, "x", &[1, 2], 1), info(12, "y", &[1, 2], 1)].concat())].concat();
    let two_opsets = [&whole[..], &bytes(8, number(2, 9))].concat();
    let old = [bytes(8, number(2, 5)), bytes(7, relu())].concat();
    let text_input =
        [bytes(8, number(2, 17)), bytes(7, [relu(), info(11, "x", &[1, 2], 8), info(12, "y", &[1, 2], 8)].concat())];
    run(
        "onnx",
        vec![
            graph("a graph", &[product(), weights("w")]).code(0).says("sat"),
            raw("empty", "").says("no graph"),
            raw("no protocol buffer", "hello").says("not an ONNX model"),
            raw("cut off", &whole[..whole.len() / 2]).says("n.onnx"),
            raw("a zip archive", b"PK\x03\x04....").says("a zip archive").says("help:"),
            raw("a pickle", b"\x80\x04\x95....").says("a Python pickle"),
            raw("HDF5", b"\x89HDF\r\n\x1a\n").says("a Keras or HDF5 file"),
            raw("no operator set", no_opset).says("names no ONNX operator set"),
            raw("two operator sets", two_opsets).says("two operator sets of the domain 'ai.onnx'"),
            raw("an old operator set", old).says("operator set 5 is too old").says("opset_version=17"),
            raw("texts as inputs", text_input.concat()).says("expected float, double or integers"),
            graph("two tensors of one name", &[product(), weights("w"), weights("w")])
                .says("two stored tensors")
                .says("'w'"),
            graph("two nodes of one output", &[relu(), relu()]).says("two nodes produce 'y'"),
            graph("two outputs of one name", &[relu(), info(12, "y", &[1, 2], 1)]).says("there are two outputs 'y'"),
            graph("two inputs of one name", &[relu(), info(11, "x", &[1, 2], 1)]).says("there are two inputs 'x'"),
            graph("an attribute twice", &[node("Flatten", &["x"], "y", &[int("axis", 1), int("axis", 0)])])
                .says("has the attribute 'axis' twice"),
            graph(
                "an index that does not exist",
                &[node("Gather", &["x", "i"], "y", &[int("axis", 1)]), integers("i", &[99])],
            )
            .says("index 99 does not exist: the axis has 2 entries"),
            graph(
                "an axis that does not exist",
                &[node("Gather", &["x", "i"], "y", &[int("axis", 9)]), integers("i", &[0])],
            )
            .says("axis 9 does not exist"),
            graph("a cycle", &[node("Relu", &["y"], "y", &[])]).says("not produced by an earlier node"),
            graph("a tensor that is missing", &[product()]).says("its input 'w'"),
            graph("a tensor without data", &[product(), floats("w", &[2, 2], &[])]).says("tensor 'w'"),
            graph("a tensor with too little data", &[product(), floats("w", &[2, 2], &[1.0])])
                .says("shape [2, 2] needs 16"),
            graph("a tensor of NaN", &[product(), floats("w", &[2, 2], &[f32::NAN; 4])]).says("entry 0 is NaN"),
            graph("a negative shape", &[product(), floats("w", &[-2, 2], &[1.0; 4])]).says("negative dimension"),
            graph("a shape beyond all numbers", &[product(), floats("w", &[i64::MAX, 8], &[1.0])]).says("is too large"),
            graph("a tensor of no entries", &[product(), floats("w", &[0, 2], &[])])
                .says("tensor 'w'")
                .says("no entries"),
            graph("a matrix that does not fit", &[product(), floats("w", &[3, 1], &[1.0; 3])]).says("does not fit"),
            graph("a product of inputs", &[node("Mul", &["x", "x"], "y", &[])]).says("only products with constants"),
            graph("an operator after the end", &[node("Relu", &["x"], "z", &[])]).says("nothing produces 'y'"),
            graph("GRU behind Expand", &[node("Expand", &["x"], "e", &[]), node("GRU", &["e"], "y", &[])])
                .says("the GRU")
                .says("feed-forward")
                .not("the Expand"),
            graph("GELU in parts", &[node("Erf", &["x"], "e", &[]), node("Mul", &["x", "e"], "y", &[])])
                .says("opset_version=20"),
            single("mish", "Mish").says("Mish is not supported").says("activation_fn=torch.nn.ReLU"),
            single("a root", "Sqrt").says("opset_version=20"),
            single("LSTM", "LSTM").says("depend on its history"),
            single("convolution", "Conv").says("expected batch, channels and a grid"),
            single("group normalisation", "GroupNormalization").says("train without it"),
            single("an operator that nobody has", "Frobnicate")
                .says("operator Frobnicate is not in the supported subset"),
            graph("softmax in the middle", &[node("Softmax", &["x"], "s", &[]), node("Relu", &["s"], "y", &[])])
                .says("only at the end"),
            graph("softmax at the end", &[node("Relu", &["x"], "s", &[]), node("Softmax", &["s"], "y", &[])])
                .code(0)
                .says("Softmax (node 'the Softmax') was taken off"),
            graph("the last of equals", &[node("ArgMax", &["x"], "y", &[int("select_last_index", 1), int("axis", 1)])])
                .says("select_last_index=1"),
        ],
    );
}
