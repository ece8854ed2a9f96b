//! Files built in memory.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, TensorView};

use super::tensors::half;
use super::*;

fn plain(bytes: &[u8]) -> Result<Network, SafetensorsError> {
    from_bytes(bytes, &ReadOptions::default())
}

fn stated(bytes: &[u8], activation: Activation) -> Result<Network, SafetensorsError> {
    from_bytes(bytes, &ReadOptions { activation: Some(activation), ..ReadOptions::default() })
}

fn file(tensors: &[(&str, Dtype, Vec<usize>, Vec<u8>)], metadata: &[(&str, &str)]) -> Vec<u8> {
    let views: Vec<_> = tensors
        .iter()
        .map(|(name, dtype, shape, data)| (*name, TensorView::new(*dtype, shape.clone(), data).unwrap()))
        .collect();
    let map: HashMap<String, String> = metadata.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    safetensors::serialize(views, if map.is_empty() { None } else { Some(map) }).unwrap()
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn sequential(prefix: &str) -> Vec<u8> {
    let name = |n: &str| format!("{prefix}{n}");
    let (w0, b0, w2) = (name("0.weight"), name("0.bias"), name("2.weight"));
    file(
        &[
            (&w0, Dtype::F32, vec![2, 1], f32s(&[0.1, -1.0])),
            (&b0, Dtype::F32, vec![2], f32s(&[0.0, 1.0])),
            (&w2, Dtype::BF16, vec![1, 2], vec![0x80, 0x3f, 0x00, 0xc0]),
        ],
        &[],
    )
}

#[test]
fn a_sequential_is_read_where_the_activation_is_stated() {
    for prefix in ["", "policy."] {
        let network = stated(&sequential(prefix), Activation::Relu).unwrap();
        assert_eq!(*network.layers()[0].weights(), [f64::from(0.1f32), -1.0]);
        assert_eq!(network.layers()[0].activation(), Activation::Relu);
        assert_eq!(*network.layers()[1].weights(), [1.0, -2.0]);
        assert_eq!(network.layers()[1].activation(), Activation::Identity);
        assert_eq!(network.notices().len(), 1);
        let linear = stated(&sequential(prefix), Activation::Identity).unwrap();
        assert_eq!(linear.relu_count(), 0);
    }
}

#[test]
fn nothing_is_guessed_about_activations() {
    // The same bytes for tanh and for ReLU.
    assert_eq!(plain(&sequential("")).unwrap_err(), SafetensorsError::NoActivation);
    // Layers 0 and 1: a ModuleList with ReLU in between, or two linear maps?
    let list = file(
        &[
            ("layers.0.weight", Dtype::F32, vec![1, 1], f32s(&[1.0])),
            ("layers.1.weight", Dtype::F32, vec![1, 1], f32s(&[-1.0])),
        ],
        &[],
    );
    assert_eq!(stated(&list, Activation::Relu).unwrap_err(), SafetensorsError::NoGap { number: 0, next: 1 });
    assert!(stated(&list, Activation::Identity).is_ok());
    let own = file(
        &[("w", Dtype::F32, vec![1, 1], f32s(&[1.0]))],
        &[("surefoot.layers", r#"[{"weight": "w", "activation": "relu"}]"#)],
    );
    assert_eq!(stated(&own, Activation::Relu).unwrap_err(), SafetensorsError::StatedTwice);
    assert_eq!(plain(&file(&[], &[])).unwrap_err(), SafetensorsError::Empty);
}

#[test]
fn names_that_stand_twice_are_refused() {
    let header = r#"{"0.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},"0.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(f32s(&[1.0]));
    let message = plain(&bytes).unwrap_err().to_string();
    assert!(message.starts_with("the header names '0.weight' twice"), "{message}");
}

#[test]
fn described_layers_and_normalisation() {
    let tensors = [("w", Dtype::F64, vec![1usize, 2], [0.1f64, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect())];
    let layers = ("surefoot.layers", r#"[{"weight": "w", "activation": "relu"}]"#);
    let network = plain(&file(&tensors, &[layers, ("surefoot.input_scale", r#"["1/3", "0.1"]"#)])).unwrap();
    assert_eq!(network.input_normalisation().unwrap().scale()[1], "1/10".parse().unwrap());
    assert_eq!(network.layers()[0].activation(), Activation::Relu);
    assert_eq!(network.notices(), ["there is no 'surefoot.input_offset', so every offset is 0"]);
    let entry = |text| vec![("surefoot.layers", text)];
    for (metadata, expected) in [
        (entry("[{]"), "metadata entry 'surefoot.layers': no JSON from line 1, column 3 on"),
        (entry("[{"), "metadata entry 'surefoot.layers': the text ends in the middle"),
        (entry("[]"), "the network has no layers"),
        (entry("{}"), "metadata entry 'surefoot.layers': expected a list of layers, each like {"),
        (entry("[1e999]"), "metadata entry 'surefoot.layers': line 1, column"),
        (entry("[1]"), "metadata entry 'surefoot.layers': layer 0: expected an object like"),
        (entry(r#"[{"weight": "v", "activation": "relu"}]"#), "tensor 'v': named"),
        (
            entry(r#"[{"weight": 7, "activation": "relu"}]"#),
            "metadata entry 'surefoot.layers': layer 0: \"weight\" must",
        ),
        (entry(r#"[{"weight": "w"}]"#), "metadata entry 'surefoot.layers': layer 0: \"activation\" is missing"),
        (entry(r#"[{"weight": "w", "activation": "mish"}]"#), "metadata entry 'surefoot.layers': layer 0: activation"),
        (
            entry(r#"[{"weight": "w", "activation": "relu", "x": 1}]"#),
            "metadata entry 'surefoot.layers': layer 0: has no",
        ),
        (entry(r#"[{"weight": "w", "weight": "w"}]"#), "metadata entry 'surefoot.layers': a layer has the member"),
        (vec![layers, ("surefoot.output_scale", r#"["0", "1"]"#)], "metadata entry 'surefoot.output_scale': has 2"),
        (vec![layers, ("surefoot.input_scale", r#"["nan", "1"]"#)], "metadata entry 'surefoot.input_scale': entry 0"),
        (vec![layers, ("surefoot.input_scale", "[1, 2]")], "metadata entry 'surefoot.input_scale': expected a list"),
        (vec![], "cannot tell the layers"),
    ] {
        let message = plain(&file(&tensors, &metadata)).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn halves_widen_exactly() {
    for (bits, value) in [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x0001, 2f64.powi(-24)),
        (0x7bff, 65504.0),
        (0x3555, 0.333_251_953_125),
        (0x7c00, f64::INFINITY),
    ] {
        assert_eq!(half(bits), value);
    }
    assert!(half(0x7e00).is_nan());
}

#[test]
fn infinities_and_odd_types_are_refused() {
    let inf = file(&[("0.weight", Dtype::F16, vec![1, 1], vec![0x00, 0x7c])], &[]);
    assert!(stated(&inf, Activation::Relu).unwrap_err().to_string().contains("tensor '0.weight': entry 0 is inf"));
    let int = file(&[("0.weight", Dtype::I32, vec![1, 1], vec![0; 4])], &[]);
    assert!(stated(&int, Activation::Relu).unwrap_err().to_string().contains("expected F32"));
    assert!(matches!(plain(b"short"), Err(SafetensorsError::Container(_))));
}

/// A policy may name any file: what is in the header is not quoted, and what is wrong is said in our words.
#[test]
fn headers_of_others_are_not_quoted() {
    for header in [
        r#"{"w":{"dtype":"hunter2","shape":[1,1],"data_offsets":[0,4]}}"#,
        r#"{"w":{"dtype":"F32","shape":"hunter2","data_offsets":[0,4]}}"#,
        r#"{"__metadata__":{"surefoot.layers":5}}"#,
        r#"{"hunter2":"hunter2"}"#,
        "hunter2",
    ] {
        let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat();
        let message = plain(&bytes).unwrap_err().to_string();
        assert!(message.contains("its header is n") && message.contains("line 1, column"), "{message}");
        assert!(!message.contains("hunter2") && !message.contains("invalid type"), "{message}");
    }
}
