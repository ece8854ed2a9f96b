//! Policies: networks that choose action labels, or compute values of transient variables.
//!
//! `pi(s)` is the first maximal output among the labels, decided exactly; with the applicability filter, among the
//! labels that have an enabled operator. Several networks may share the work: the first whose condition holds in the
//! state is asked. Labels that are no output, and silent operators, are moves of the environment and always possible.

mod decide;
pub mod read;

use std::sync::Arc;

use surefoot_linear::Linear;
use surefoot_network::Network;

pub use decide::{Permitted, plaja_tolerance};

use crate::model::{LabelId, TransientId};
use crate::term::TermId;

/// What happens when several outputs are maximal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ties {
    /// The first one wins, as `argmax` in NumPy and PyTorch.
    #[default]
    First,
    /// Every maximal label is possible.
    Any,
    /// Every label within 1e-7 of the maximum is possible, as in PlaJA.
    Plaja,
}

/// What the outputs of the networks mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outputs {
    /// Scores of action labels, one per output.
    Labels(Vec<LabelId>),
    /// Values of transient variables, one per output.
    Transients(Vec<TransientId>),
}

/// One network and what it reads.
#[derive(Debug, Clone)]
pub struct PolicyNetwork {
    /// Asked only where this holds; `None` = everywhere.
    pub when: Option<TermId>,
    /// One linear form over the slots per input.
    pub inputs: Vec<Linear>,
    /// The network.
    pub network: Arc<Network>,
    /// The file it came from, for messages.
    pub file: String,
}

/// A policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Networks, asked in order.
    pub networks: Vec<PolicyNetwork>,
    /// What they compute.
    pub outputs: Outputs,
    /// Whether only applicable labels count.
    pub filter: bool,
    /// How ties are broken.
    pub ties: Ties,
}

/// Why a policy has no applicability filter.
pub const NO_FILTER: &str =
    "the filter compares sums of scores, and of this network only the order of each choice's scores is known";
/// What to do about it.
pub const NO_FILTER_HELP: &str =
    "export the network without the operators at its end that choose or normalise, such as ArgMax and Softmax";

impl Policy {
    /// Whether the applicability filter has a meaning for it.
    #[must_use]
    pub fn can_filter(&self) -> bool {
        !self.networks.iter().any(|network| network.network.largest_only())
    }

    /// The position of a label among the outputs; `None` for moves of the environment.
    #[must_use]
    pub fn output_of_label(&self, label: LabelId) -> Option<usize> {
        match &self.outputs {
            Outputs::Labels(labels) => labels.iter().position(|l| *l == label),
            Outputs::Transients(_) => None,
        }
    }

    /// The position of a transient variable among the outputs.
    #[must_use]
    pub fn output_of_transient(&self, transient: TransientId) -> Option<usize> {
        match &self.outputs {
            Outputs::Labels(_) => None,
            Outputs::Transients(transients) => transients.iter().position(|t| *t == transient),
        }
    }
}
