//! What the policy does on a whole piece.
//!
//! * [`affine`]: networks as affine maps where the sign of every neuron is known, exactly;
//! * [`bounds`]: the same in floats with outward rounding, for the common case that one label is far ahead;
//! * [`choice`]: the labels that are permitted on a piece, or where to cut; [`walk`](mod@walk): where that is.

pub mod affine;
pub mod bounds;
pub mod choice;
pub mod walk;

use std::sync::Arc;

use surefoot_network::Network;
use surefoot_network::eval::ExactNetwork;

/// A network in the forms that are needed, shared between threads.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The network.
    pub network: Arc<Network>,
    /// For exact outputs at a point.
    pub exact: Arc<ExactNetwork>,
    /// For bounds.
    pub float: Arc<bounds::FloatLayers>,
}

impl Prepared {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Arc<Network>) -> Self {
        Self {
            network: Arc::clone(network),
            exact: Arc::new(ExactNetwork::new(network)),
            float: Arc::new(bounds::FloatLayers::new(network)),
        }
    }
}
