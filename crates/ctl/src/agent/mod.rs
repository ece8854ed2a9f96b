//! What the policy does on a whole piece.
//!
//! * [`choice`]: the labels that are permitted on a piece, or where to cut; [`walk`](mod@walk): where that is.
//!
//! Networks as affine maps and their bounds over a box are [`surefoot_network`]'s; bounds are for the common case that one label
//! is far ahead.

pub mod choice;
pub mod walk;

use std::sync::Arc;

use surefoot_network::bounds::BoundingNetwork;
use surefoot_network::{ExactNetwork, Network};

/// A network in the forms that are needed, shared between threads.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The network.
    pub network: Arc<Network>,
    /// For exact outputs, at a point and as affine maps.
    pub exact: Arc<ExactNetwork>,
    /// For bounds.
    pub bounds: Arc<BoundingNetwork>,
}

impl Prepared {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Arc<Network>) -> Self {
        Self {
            network: Arc::clone(network),
            exact: Arc::new(ExactNetwork::new(network).expect("other networks are refused when lowered")),
            bounds: Arc::new(BoundingNetwork::new(network).expect("other networks are refused when lowered")),
        }
    }
}
