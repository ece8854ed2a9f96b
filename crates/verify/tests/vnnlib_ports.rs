//! Inputs and outputs of ONNX files in VNN-LIB queries: by order, by name, packed.

use std::path::PathBuf;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use surefoot_limits::Cancel;
use surefoot_network::ReadOptions;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::Source;
use surefoot_verify::decide::{NetworkOrigin, NetworkSource, Queries, Settings, branch_and_bound, decide_all};

/// A field of a protocol buffer with bytes in it.
fn field(tag: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 128, "one byte has the length");
    let length = u8::try_from(content.len()).expect("as written");
    [&[tag << 3 | 2, length][..], content].concat()
}

fn number(tag: u8, value: u8) -> Vec<u8> {
    vec![tag << 3, value]
}

fn port(name: &str, sizes: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = sizes.iter().flat_map(|size| field(1, &number(1, *size))).collect();
    let tensor = [number(1, 1), field(2, &dims)].concat();
    [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
}

fn node(op: &str, inputs: &[&str], output: &str, attributes: &[u8]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|input| field(1, input.as_bytes())).collect();
    [inputs, field(2, output.as_bytes()), field(4, op.as_bytes()), attributes.to_vec()].concat()
}

/// Inputs `state` of two numbers and `goal` of one; outputs `sum` (of all three), and `both` (the state less the goal).
fn model() -> Vec<u8> {
    let axis = field(5, &[field(1, b"axis"), number(3, 1), vec![0xa0, 1, 2]].concat());
    let ones: Vec<u8> = [1f32, 1.0, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let weight = [number(1, 3), number(1, 1), number(2, 1), field(8, b"W"), field(9, &ones)].concat();
    let graph = [
        field(1, &node("Concat", &["state", "goal"], "all", &axis)),
        field(1, &node("MatMul", &["all", "W"], "sum", &[])),
        field(1, &node("Sub", &["state", "goal"], "both", &[])),
        field(5, &weight),
        field(11, &port("state", &[1, 2])),
        field(11, &port("goal", &[1, 1])),
        field(12, &port("sum", &[1, 1])),
        field(12, &port("both", &[1, 2])),
    ]
    .concat();
    let length = graph.len();
    let varint =
        [u8::try_from(length & 127).expect("as written") | 128, u8::try_from(length >> 7).expect("as written")];
    let opset = field(8, &number(2, 13));
    [number(1, 8), vec![7 << 3 | 2], varint.to_vec(), graph, opset].concat()
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("as written");
        std::fs::write(folder.path().join("m.onnx"), model()).expect("as written");
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        std::io::Write::write_all(&mut packed, &model()).expect("as written");
        std::fs::write(folder.path().join("m.onnx.gz"), packed.finish().expect("as written")).expect("as written");
        Self(folder)
    }

    /// The state and the outputs, in the order of the query; or the error.
    fn decide(&self, file: &str, declarations: &str, conditions: &str) -> Result<(Vec<String>, Vec<String>), String> {
        let text = format!("(vnnlib-version <2.0>)(declare-network f {declarations})(assert (and {conditions}))");
        let path: PathBuf = self.0.path().join(file);
        let network = NetworkSource { name: Some("f".to_owned()), network: NetworkOrigin::File(path) };
        let source = Source::text("q.vnnlib", Arc::from(text.as_str()));
        let queries = Queries::load(&mut SourceMap::default(), &source, &[network], &ReadOptions::default());
        let queries = queries.map_err(|failure| format!("{failure:?}"))?;
        let settings = Settings { time: None, memory: None, threads: 1, cancel: Cancel::default() };
        let answers = decide_all(&queries.queries, &settings, &branch_and_bound(0, 1), &Silent).expect("as written");
        let shown = |values: &[surefoot_num::Rational]| values.iter().map(ToString::to_string).collect();
        Ok((shown(answers[0].state().unwrap_or_default()), shown(&answers[0].outputs)))
    }
}

const POINT: &str = "(== S[0,0] 0.5) (== S[0,1] 2.0) (== G[0,0] 4.0)";

#[test]
fn by_order_and_by_name() {
    let files = Files::new();
    let of = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    let by_order = "(declare-input S real [1,2]) (declare-input G real [1,1])
        (declare-output A real [1,1]) (declare-output B real [1,2])";
    for file in ["m.onnx", "m.onnx.gz"] {
        let expected = (of(&["1/2", "2", "4"]), of(&["13/2", "-7/2", "-2"]));
        assert_eq!(files.decide(file, by_order, POINT), Ok(expected));
    }
    let by_name = r#"(declare-input G real [1,1] "goal") (declare-input S real [1,2] "state")
        (declare-output B real [1,2] "both") (declare-output A real [1,1] "sum")"#;
    let expected = (of(&["4", "1/2", "2"]), of(&["-7/2", "-2", "13/2"]));
    assert_eq!(files.decide("m.onnx", by_name, POINT), Ok(expected));
    let one = by_name.replace(r#"(declare-output A real [1,1] "sum")"#, "");
    assert_eq!(files.decide("m.onnx", &one, POINT).expect("as written").1, of(&["-7/2", "-2"]));
    let state = "(== S[0,0] 0.5) (== S[0,1] 2.0)";
    let longer = format!("{POINT} (== S[0,2] 0.0)");
    for (declarations, conditions, message) in [
        (by_order.replace("(declare-output A real [1,1])", ""), POINT, "declared with 1 output, but"),
        (by_order.replace("(declare-input G real [1,1])", ""), state, "declared with 1 input, but"),
        (
            by_order.replace("S real [1,2]", "S real [1,3]"),
            &longer,
            "S has 3 elements, but the input state has the shape",
        ),
        (by_order.replace("B real [1,2]", "B real [1,3]"), POINT, "3 inputs and 3 outputs, but"),
        (by_name.replace("goal", "gaol"), POINT, "has no input gaol, which G is said to be"),
        (by_name.replace("goal", "state"), POINT, "two tensors of f are said to be the input state"),
        (
            by_name.replace(r#"(declare-input G real [1,1] "goal")"#, ""),
            state,
            "has inputs that are not declared for f",
        ),
    ] {
        let error = files.decide("m.onnx", &declarations, conditions).unwrap_err();
        assert!(error.contains(message), "{message}: {error}");
    }
}
