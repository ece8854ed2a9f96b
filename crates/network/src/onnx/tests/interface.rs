//! What files say of their inputs and outputs, and tensors in files of their own.

use super::*;
use crate::onnx::{interface, tensor_file};

#[test]
fn inputs_with_a_value_are_none() {
    let mut graph = Graph::new(&[None, Some(2)]).constant(floats("w", &[2, 1], &[1.0, 2.0]));
    // Old exports list weights among the inputs.
    graph.graph.input.push(info("w", &[Some(2), Some(1)]));
    graph.graph.input.push(info("goal", &[]));
    let bytes = graph.node("MatMul", &["x", "w"], "y", Vec::new()).bytes(&["y"]);
    let found = interface(&bytes).unwrap();
    let names: Vec<&str> = found.inputs.iter().chain(&found.outputs).map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["x", "goal", "y"]);
    let port = &found.inputs[0];
    assert_eq!((port.element.as_deref(), port.shown_shape()), (Some("float"), "[?,2]".to_owned()));
    assert!(port.fits(&[1, 2]) && port.fits(&[7, 2]));
    assert!(!port.fits(&[2]) && !port.fits(&[1, 3]) && !port.fits(&[1, 2, 1]));
    assert!(interface(&bytes[..bytes.len() - 1]).is_err() && interface(b"").is_err());
}

#[test]
fn tensors_are_written_as_onnx_has_them() {
    for (double, kind, raw) in [
        (false, data_type::FLOAT, [0.5f32, 0.1].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()),
        (true, data_type::DOUBLE, [0.5f64, 0.1].iter().flat_map(|x| x.to_le_bytes()).collect()),
    ] {
        let bytes = tensor_file("X", &[1, 2], &[0.5, 0.1], double);
        let TensorProto { dims, data_type, name, raw_data, .. } = TensorProto::decode(&*bytes).unwrap();
        assert_eq!((dims, data_type, name.as_str(), raw_data), (vec![1, 2], kind, "X", raw));
    }
}
