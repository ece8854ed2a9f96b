//! Files as Stable-Baselines3 and sb3-contrib export them, of random small policies, against torch's choices for every observation.
//!
//! `tests/python/test_policies.py` does the same with more policies and ways of exporting, where torch is there.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::path::Path;

use serde_json::Value;
use surefoot_network::{ReadOptions, read_file};
use surefoot_num::Rational;

fn integers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

#[test]
fn exported_policies_choose_as_torch_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports");
    let expected: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let files = expected.as_object().unwrap();
    assert_eq!(files.len(), 8);
    for (name, entry) in files {
        let network = read_file(folder.join(name), &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let choices: Vec<i64> = network.choices().iter().map(|&size| i64::try_from(size).unwrap()).collect();
        assert_eq!(choices, integers(&entry["choices"]), "{name}");
        let sizes = if choices.is_empty() { vec![network.output_len()] } else { network.choices().to_vec() };
        let rows = entry["rows"].as_array().unwrap();
        assert!(rows.len() >= 16, "{name}");
        for row in rows {
            let point: Vec<Rational> = integers(&row[0]).into_iter().map(Rational::from).collect();
            let scores = network.scores_at(&point);
            let mut first = 0;
            let mut found = Vec::new();
            for size in &sizes {
                let best = scores.first_largest(&(first..first + size).collect::<Vec<_>>()).unwrap().unwrap();
                found.push(i64::try_from(best - first).unwrap());
                first += size;
            }
            assert_eq!(found, integers(&row[1]), "{name} at {point:?}");
        }
        // A value head, a batch and what was taken off are never passed over in silence.
        assert_eq!(network.notices().is_empty(), name.ends_with(".safetensors"), "{name}: {:?}", network.notices());
    }
}
