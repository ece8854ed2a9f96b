//! What is written reads back as the same network and the same policy.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use surefoot_model::policy::Outputs;
use surefoot_model::policy::read::read_policy_source;
use surefoot_model::{LabelId, SlotId};
use surefoot_network::{ExactNetwork, NnetWeights, ReadOptions, nnet, onnx};
use surefoot_num::{Random, Rational};
use surefoot_testkit::load_text;
use surefoot_text::source::SourceMap;
use surefoot_train::dense::{Dense, Pass, Shape};
use surefoot_train::{Interface, InterfaceError};

/// Every kind of place that a value can have: two occurrences of an automaton with locals, arrays, truth values, far from zero.
fn places() -> surefoot_model::lower::Lowered {
    let int =
        |lower: i64, upper: i64| json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper});
    let row = json!({"kind": "array", "base": int(0, 3)});
    load_text(
        &json!({
            "jani-version": 1, "name": "places", "type": "lts", "features": ["arrays"], "actions": [{"name": "go"}, {"name": "stay"}],
            "variables": [
                {"name": "far", "type": int(1000, 1010), "initial-value": 1000},
                {"name": "ready", "type": "bool", "initial-value": false},
                {"name": "grid", "type": {"kind": "array", "base": row}, "initial-value": {"op": "av", "elements": [
                    {"op": "av", "elements": [0, 1]}, {"op": "av", "elements": [2, 3]}]}},
            ],
            "automata": [{
                "name": "car",
                "variables": [{"name": "speed", "type": int(-5, 5), "initial-value": 0},
                    {"name": "load", "type": row, "initial-value": {"op": "av", "elements": [0, 0, 0]}}],
                "locations": [{"name": "here"}, {"name": "there"}], "initial-locations": ["here"],
                "edges": [{"location": "here", "action": "go", "destinations": [{"location": "there"}]}],
            }],
            "system": {"elements": [{"automaton": "car"}, {"automaton": "car"}],
                "syncs": [{"synchronise": ["go", null], "result": "go"}, {"synchronise": [null, "go"], "result": "stay"}]},
        })
        .to_string(),
    )
}

#[test]
fn every_place_has_a_name_that_reads_back() {
    let mut lowered = places();
    let slots: Vec<SlotId> = (0..lowered.model.slots.len()).map(SlotId::at).collect();
    assert_eq!(slots.len(), 2 + 1 + 1 + 4 + 2 * 4);
    let labels = vec![LabelId(1), LabelId(0)];
    let interface = Interface::new(&lowered.model, slots.clone(), labels.clone(), true).unwrap();
    let trained = Dense::random(Shape::new(vec![slots.len(), 5, 2]), &mut Random::new(3));
    let network = Arc::new(interface.network(&trained));
    let text = interface.file(&lowered, "by hand", "policy.onnx").unwrap().to_string();
    let mut sources = SourceMap::default();
    let file = sources.add(Path::new("p.policy.json"), text.as_str());
    let given = [("policy.onnx".to_owned(), Arc::clone(&network))];
    let (read, _) = read_policy_source(&mut lowered, &mut sources, file, &given)
        .unwrap_or_else(|errors| panic!("{}\n{text}", surefoot_testkit::data::show(&errors, &sources)));
    let expected = interface.policy(network, "policy.onnx");
    assert_eq!((read.filter, read.ties), (true, expected.ties));
    assert_eq!(read.outputs, Outputs::Labels(labels));
    assert_eq!(read.networks[0].inputs, expected.networks[0].inputs);
    assert!(read.networks[0].network.same_parameters(&expected.networks[0].network));
}

#[test]
fn networks_read_back_bit_for_bit_and_compute_what_was_trained() {
    let lowered = places();
    let slots: Vec<SlotId> = (0..lowered.model.slots.len()).map(SlotId::at).collect();
    let interface = Interface::new(&lowered.model, slots.clone(), vec![LabelId(0), LabelId(1)], false).unwrap();
    let mut random = Random::new(9);
    for hidden in [&[][..], &[7], &[16, 16]] {
        let sizes = [&[slots.len()], hidden, &[2]].concat();
        let trained = Dense::random(Shape::new(sizes), &mut random);
        let network = interface.network(&trained);
        let by_onnx = onnx::from_bytes(&onnx::write(&network).unwrap(), &ReadOptions::default(), None).unwrap();
        assert!(by_onnx.same_parameters(&network));
        let text = nnet::write(&network).unwrap();
        for weights in [NnetWeights::F64, NnetWeights::F32] {
            assert!(nnet::from_bytes(text.as_bytes(), weights).unwrap().same_parameters(&network), "{weights:?}");
        }
        // The scaling is part of it: on values as they are it computes what was trained on scaled ones, as nearly as floats do.
        let exact = ExactNetwork::new(&network).unwrap();
        for _ in 0..20 {
            let values: Vec<i64> = lowered
                .model
                .slots
                .iter()
                .map(|slot| {
                    let (lower, upper) = slot.domain.int_bounds().unwrap();
                    lower + i64::try_from(random.below(usize::try_from(upper - lower + 1).unwrap())).unwrap()
                })
                .collect();
            let mut scaled = vec![0.0; slots.len()];
            interface.observe(&values, &mut scaled);
            assert!(scaled.iter().all(|x| x.abs() <= 1.0), "{scaled:?}");
            let values: Vec<Rational> = values.into_iter().map(Rational::from).collect();
            let outputs = exact.eval(&values);
            for (found, expected) in outputs.iter().zip(trained.forward(&scaled, &mut Pass::default())) {
                assert!((found.to_f64() - f64::from(*expected)).abs() < 1e-5, "{} is not {expected}", found.to_f64());
            }
        }
    }
}

#[test]
fn what_cannot_be_named_is_refused() {
    let text = json!({
        "jani-version": 1, "name": "m", "type": "lts", "features": ["arrays"], "actions": [{"name": "go"}],
        "automata": [{
            "name": "a", "variables": [{"name": "grid",
                "type": {"kind": "array", "base": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1}}},
                "initial-value": {"op": "av", "elements": [{"op": "av", "elements": [0, 1]}]}}],
            "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [{"location": "l", "action": "go", "destinations": [{"location": "l"}]}],
        }],
        "system": {"elements": [{"automaton": "a"}], "syncs": [{"synchronise": ["go"], "result": "go"}]},
    });
    let lowered = load_text(&text.to_string());
    let interface = Interface::new(&lowered.model, vec![SlotId(1)], vec![LabelId(0)], false).unwrap();
    let refused = interface.file(&lowered, "", "n.onnx").unwrap_err();
    assert!(matches!(&refused, InterfaceError::NoName(name) if name.contains("grid")), "{refused}");
}
