//! Policies without training, for every domain.
//!
//! A domain says what a policy sees and what it may choose (an [`Interface`]), takes the shared parameters
//! ([`parameters`]) among its own, and asks for what the user wants ([`attach`]):
//!
//! * `policy=none`: no policy, unless `networks=DIR` gives one;
//! * `policy=random`: a network with random weights, `hidden=16,16` and `policy_seed=1` saying which;
//! * `networks=DIR`: a network that the user has, with PlaJA's `.jani2nnet` beside it or in the interface's own order.
//!
//! Scripted policies are a domain's own: [`scripted`] turns layers into a policy. All weights made here are dyadic
//! with few digits, so that they mean the same in `.nnet`, in single and in double precision.
//!
//! ```
//! use surefoot_zoo::policy::{Interface, parameters, attach};
//! use surefoot_zoo::Values;
//!
//! let interface = Interface::new(&["x", "y"], &["left", "right"]);
//! let settings = ["policy=random".to_owned(), "hidden=4".to_owned()];
//! let values = Values::parse("walk", &parameters(&[]), &settings)?;
//! let attached = attach(&values, &interface)?.expect("a policy was asked for");
//! assert_eq!(attached.policy["outputs"]["labels"][1], "right");
//! // instance.with_policy(&attached.policy, attached.networks), and safety(.., attached's file name) in the properties.
//! # Ok::<(), surefoot_zoo::ParameterError>(())
//! ```

mod given;

use serde_json::{Value, json};
use surefoot_network::{Activation, Layer, Network, nnet};
use surefoot_num::Random;

use crate::{NetworkFile, Parameter, ParameterError, Values};

/// The file in which an instance's policy stands, as properties name it.
pub const FILE: &str = "policy.policy.json";

/// The largest network that is made: so many neurons per layer, and so many layers.
const MOST_NEURONS: usize = 1024;
const MOST_LAYERS: usize = 16;

/// What a policy sees and what it may choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Variables that are the network's inputs, in order.
    pub inputs: Vec<String>,
    /// Labels that its outputs score, in order.
    pub labels: Vec<String>,
    /// Whether only labels count that can be taken.
    pub filter: bool,
}

impl Interface {
    /// Inputs and labels by name; all labels count.
    #[must_use]
    pub fn new(inputs: &[impl AsRef<str>], labels: &[impl AsRef<str>]) -> Self {
        Self {
            inputs: inputs.iter().map(|i| i.as_ref().to_owned()).collect(),
            labels: labels.iter().map(|l| l.as_ref().to_owned()).collect(),
            filter: false,
        }
    }

    /// The same where only labels count that can be taken.
    #[must_use]
    pub fn filtered(mut self) -> Self {
        self.filter = true;
        self
    }
}

/// A policy and its networks.
#[derive(Debug, Clone, PartialEq)]
pub struct Attached {
    /// What stands in the policy file.
    pub policy: Value,
    /// The networks.
    pub networks: Vec<NetworkFile>,
}

/// The shared parameters; `scripted` are the domain's own policies.
#[must_use]
pub fn parameters(scripted: &[&'static str]) -> Vec<Parameter> {
    let words = [&["none", "random"], scripted].concat();
    vec![
        Parameter::choice("policy", &words, "the policy"),
        Parameter::text(
            "hidden",
            "N,N,...",
            "16,16",
            "neurons of the hidden layers of a random network; empty for none",
        ),
        Parameter::integer("policy_seed", 0, i64::MAX, "1", "which random network"),
        Parameter::path(
            "networks",
            "a folder with a trained network, and a .jani2nnet if inputs differ; or a file of either",
        ),
    ]
}

/// The policy that the shared parameters ask for; `None` where they ask for none or for a scripted one.
///
/// # Errors
/// When `hidden` is no list of sizes, or the network is unreadable or does not fit.
pub fn attach(values: &Values, interface: &Interface) -> Result<Option<Attached>, ParameterError> {
    let folder = values.text("networks");
    match (values.text("policy"), folder.is_empty()) {
        ("none", true) => Ok(None),
        ("none", false) => given::read(folder, interface).map(Some),
        (word, false) => {
            Err(ParameterError::new(format!("policy={word} and networks={folder} cannot be given together")))
        }
        ("random", true) => {
            let hidden = hidden_sizes(values.text("hidden"))?;
            Ok(Some(random(interface, &hidden, values.integer("policy_seed").unsigned_abs())))
        }
        _ => Ok(None),
    }
}

fn hidden_sizes(text: &str) -> Result<Vec<usize>, ParameterError> {
    let size = |word: &str| word.trim().parse().ok().filter(|n| (1..=MOST_NEURONS).contains(n));
    let sizes: Option<Vec<usize>> =
        if text.is_empty() { Some(Vec::new()) } else { text.split(',').map(size).collect() };
    sizes.filter(|sizes| sizes.len() <= MOST_LAYERS).ok_or_else(|| {
        ParameterError::new(format!(
            "hidden={text} is not possible: expected up to {MOST_LAYERS} sizes from 1 to {MOST_NEURONS} with commas, as in 16,16"
        ))
    })
}

/// A network with random weights.
///
/// Weights and biases are uniform multiples of 1/1024 in the interval of He's initialisation, so scores neither vanish nor
/// explode in deep networks.
///
/// # Panics
/// When the interface has no inputs or no labels, or a size is zero.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "sizes of layers and multiples of 1/1024 are exact")]
pub fn random(interface: &Interface, hidden: &[usize], seed: u64) -> Attached {
    let mut random = Random::new(seed);
    let sizes: Vec<usize> =
        [interface.inputs.len()].into_iter().chain(hidden.iter().copied()).chain([interface.labels.len()]).collect();
    let layers = sizes.windows(2).map(|pair| {
        let [inputs, outputs] = [pair[0], pair[1]];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 6 times 1024")]
        let most = ((6.0 / inputs as f64).sqrt() * 1024.0).round() as usize;
        let mut number = || (random.below(2 * most + 1) as f64 - most as f64) / 1024.0;
        let weights = (0..inputs * outputs).map(|_| number()).collect();
        (weights, (0..outputs).map(|_| number()).collect())
    });
    let layers: Vec<(Vec<f64>, Vec<f64>)> = layers.collect();
    let shown: Vec<String> = hidden.iter().map(usize::to_string).collect();
    scripted(interface, &format!("Random weights, seed {seed}, hidden layers [{}].", shown.join(", ")), layers)
}

/// A policy from the weights (one row per neuron, one after the other) and biases of its layers; all but the last have
/// ReLU.
///
/// # Panics
/// When the layers are no network over the interface: an error of the domain, not of its user.
#[must_use]
pub fn scripted(interface: &Interface, comment: &str, layers: Vec<(Vec<f64>, Vec<f64>)>) -> Attached {
    let (count, mut inputs) = (layers.len(), interface.inputs.len());
    let layers = layers.into_iter().enumerate().map(|(layer, (weights, bias))| {
        let activation = if layer + 1 == count { Activation::Identity } else { Activation::Relu };
        let taken = std::mem::replace(&mut inputs, bias.len());
        Layer::new(taken, weights, bias, activation)
    });
    let network = layers.collect::<Result<Vec<_>, _>>().and_then(Network::new).expect("layers that fit together");
    assert_eq!(network.output_len(), interface.labels.len(), "one output per label");
    let text = nnet::write(&network).expect("ReLU in all layers but the last, no normalisation");
    let file = NetworkFile { name: "policy.nnet".to_owned(), bytes: text.into_bytes(), made: true };
    Attached { policy: file_object(interface, comment, &file.name), networks: vec![file] }
}

/// The policy file of a network over an interface.
fn file_object(interface: &Interface, comment: &str, network: &str) -> Value {
    json!({
        "comment": comment,
        "network": network,
        "inputs": interface.inputs,
        "outputs": {"labels": interface.labels},
        "filter": interface.filter,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_network::NnetWeights;

    fn network(attached: &Attached, weights: NnetWeights) -> Network {
        nnet::from_bytes(&attached.networks[0].bytes, weights).unwrap()
    }

    #[test]
    fn random_networks_read_back_the_same_in_both_precisions() {
        let interface = Interface::new(&["a", "b", "c"], &["l", "r"]);
        for (hidden, seed) in [(vec![], 0), (vec![5], 1), (vec![16, 16], 2), (vec![3, 4, 5], u64::MAX)] {
            let attached = random(&interface, &hidden, seed);
            assert_eq!(attached, random(&interface, &hidden, seed), "the same again");
            let double = network(&attached, NnetWeights::F64);
            assert!(double.same_parameters(&network(&attached, NnetWeights::F32)));
            assert_eq!(double.hidden_sizes(), hidden);
            assert_ne!(attached.networks, random(&interface, &hidden, seed ^ 1).networks);
        }
    }

    #[test]
    fn shared_parameters_say_what_is_possible() {
        let interface = Interface::new(&["a"], &["l", "r"]).filtered();
        let ask = |settings: &[&str]| {
            let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
            attach(&Values::parse("d", &parameters(&["wise"]), &settings)?, &interface)
        };
        assert_eq!(ask(&[]), Ok(None));
        assert_eq!(ask(&["policy=wise"]), Ok(None));
        let attached = ask(&["policy=random", "hidden=2, 3"]).unwrap().unwrap();
        assert_eq!(network(&attached, NnetWeights::F64).hidden_sizes(), [2, 3]);
        assert_eq!(attached.policy["filter"], true);
        let error = |settings: &[&str]| ask(settings).unwrap_err().to_string();
        for hidden in ["hidden=0", "hidden=a", "hidden=4,,4", "hidden=2000"] {
            assert!(error(&["policy=random", hidden]).contains("expected up to 16 sizes from 1 to 1024"));
        }
        assert!(error(&["policy=random", "networks=x"]).contains("together"));
        assert!(error(&["policy=clever"]).contains("none | random | wise"));
    }
}
