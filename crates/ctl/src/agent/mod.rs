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
use surefoot_num::IBig;

/// A network in the forms that are needed, shared between threads.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The network.
    pub network: Arc<Network>,
    /// For exact outputs at a point.
    pub exact: Arc<ExactNetwork>,
    /// For bounds.
    pub float: Arc<bounds::FloatLayers>,
    /// For affine maps.
    pub integer: Arc<affine::IntegerLayers>,
}

impl Prepared {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Arc<Network>) -> Self {
        Self {
            network: Arc::clone(network),
            exact: Arc::new(ExactNetwork::new(network)),
            float: Arc::new(bounds::FloatLayers::new(network)),
            integer: Arc::new(affine::IntegerLayers::new(network)),
        }
    }

    /// The network as an affine map: see [`affine::IntegerLayers::propagate`].
    ///
    /// # Errors
    /// Those of `active`.
    pub fn propagate<E>(
        &self,
        inputs: Vec<affine::Affine>,
        active: impl FnMut(&[IBig]) -> Result<bool, E>,
    ) -> Result<Vec<affine::Affine>, E> {
        self.integer.propagate(&self.network, inputs, active)
    }
}
