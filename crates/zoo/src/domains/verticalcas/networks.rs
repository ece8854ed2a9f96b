//! The policy of VerticalCAS: nine networks, selected by the previous advisory.
//!
//! A network sees `(h, v, tau)`, each as `(x - mean) / range`. The files `vcas_1.nnet` to `vcas_9.nnet` carry means and
//! ranges themselves, and reading applies them; `.onnx` files do not, so there the policy's inputs do it. Either way
//! the numbers are exact.

use serde_json::{Value, json};

use super::ADVISORIES;
use crate::domains::given;
use crate::text::{div, eq, mul, sub};
use crate::{NetworkFile, ParameterError};

/// Mean and range of every input.
const NORMALISATION: [(&str, i64, i64); 3] = [("h", 0, 16000), ("v", 0, 5000), ("tau", 20, 40)];

/// The policy file and its networks, from the files of a folder.
pub(super) fn policy(folder: &str, physical: bool) -> Result<(Value, Vec<NetworkFile>), ParameterError> {
    let mut entries = Vec::new();
    let mut files = Vec::new();
    for advisory in 0..ADVISORIES.len() {
        let names = ["nnet", "onnx"].map(|extension| format!("vcas_{}.{extension}", advisory + 1));
        let given = given::network(folder, &names, NORMALISATION.len(), ADVISORIES.len())?;
        let normalises = given.network.input_normalisation().is_some_and(|n| !n.is_identity());
        let inputs: Vec<Value> = NORMALISATION.iter().map(|input| feature(*input, physical, normalises)).collect();
        let mut entry = json!({"file": given.file.name, "when": eq("adv", advisory), "inputs": inputs});
        if given.file.name.ends_with(".nnet") {
            // The decimals are those of single-precision weights.
            entry["weights"] = json!("f32");
        }
        entries.push(entry);
        files.push(given.file);
    }
    let labels: Vec<&str> = ADVISORIES.iter().map(|a| a.name).collect();
    Ok((json!({"networks": entries, "outputs": {"labels": labels}}), files))
}

/// What a network reads; the rate in the unit that it means.
fn feature((name, mean, range): (&str, i64, i64), physical: bool, normalises: bool) -> Value {
    let value = if physical && name == "v" { mul(60, name) } else { json!(name) };
    match (normalises, mean) {
        (true, _) => value,
        (false, 0) => div(value, range),
        (false, _) => div(sub(value, mean), range),
    }
}
