//! The policy of VerticalCAS: nine networks, selected by the previous advisory.
//!
//! A network sees `(h, v, tau)`, each as `(x - mean) / range`. The files `vcas_1.nnet` to `vcas_9.nnet` carry means and
//! ranges themselves, and reading applies them; `.onnx` files do not, so there the policy's inputs do it. Either way
//! the numbers are exact.
//!
//! The range of `v` is what [`Units`] are about. The same weights are about with two headers: 200, the original
//! one, and 5000, the paper's. Whichever a file has, the policy's input makes up for the difference, so that a reading means the
//! same for both. Any other range is that of somebody's own networks, and is believed.

use serde_json::{Value, json};
use surefoot_network::Normalisation;
use surefoot_num::Rational;

use super::{ADVISORIES, Units};
use crate::domains::given;
use crate::text::{div, eq, mul, sub};
use crate::{NetworkFile, ParameterError};

/// The inputs; mean and range of those that mean the same in every reading.
const INPUTS: [(&str, Option<(i64, i64)>); 3] = [("h", Some((0, 16000))), ("v", None), ("tau", Some((20, 40)))];

/// Where `v` stands among the inputs.
const RATE: usize = 1;

/// The ranges of `v` that are known to be about.
const KNOWN_RANGES: [i64; 2] = [200, 5000];

/// The policy file and its networks, from the files of a folder.
pub(super) fn policy(folder: &str, units: Units) -> Result<(Value, Vec<NetworkFile>), ParameterError> {
    let mut entries = Vec::new();
    let mut files = Vec::new();
    for advisory in 0..ADVISORIES.len() {
        let names = ["nnet", "onnx"].map(|extension| format!("vcas_{}.{extension}", advisory + 1));
        let given = given::network(folder, &names, INPUTS.len(), ADVISORIES.len())?;
        let header = given.network.input_normalisation();
        let inputs = INPUTS.map(|(name, scaling)| match scaling {
            None => times(name, rate_factor(header, units)),
            Some(_) if header.is_some() => json!(name),
            Some((0, range)) => div(name, range),
            Some((mean, range)) => div(sub(name, mean), range),
        });
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

/// What `v` in feet per second is multiplied with in front of the network.
fn rate_factor(header: Option<&Normalisation>, units: Units) -> (i64, i64) {
    // The network is to see v times this.
    let (times, over) = match units {
        Units::Paper | Units::Competition => (1, 5000),
        Units::Physical => (1, 200),
        Units::Minute => (60, 5000),
    };
    let Some(header) = header else { return (times, over) };
    let (scale, centred) = (&header.scale()[RATE], header.offset()[RATE].is_zero());
    let known = KNOWN_RANGES.iter().find(|range| centred && scale * &Rational::from(**range) == Rational::ONE);
    known.map_or((times, 1), |range| (times * range, over))
}

/// A variable times a fraction, in lowest terms.
fn times(name: &str, (numerator, denominator): (i64, i64)) -> Value {
    let mut divisor = (numerator, denominator);
    while divisor.1 != 0 {
        divisor = (divisor.1, divisor.0 % divisor.1);
    }
    let product = match numerator / divisor.0 {
        1 => json!(name),
        factor => mul(factor, name),
    };
    match denominator / divisor.0 {
        1 => product,
        over => div(product, over),
    }
}
