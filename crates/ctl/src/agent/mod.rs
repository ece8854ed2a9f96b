//! What the policy does on a whole piece.
//!
//! * [`choice`]: the labels that are permitted on a piece, or where to cut; [`walk`](mod@walk): where that is; `curved`: the same for
//!   networks that are not piecewise linear over the reals.
//!
//! Networks as affine maps and their bounds over a box are [`surefoot_network`]'s; bounds are for the common case that one label
//! is far ahead.

pub mod choice;
mod curved;
pub mod walk;

use std::sync::Arc;

use surefoot_network::bounds::BoundingNetwork;
use surefoot_network::{ExactNetwork, Network};

/// A network in the forms that are needed, shared between threads.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The network.
    pub network: Arc<Network>,
    /// For exact outputs, at a point and as affine maps; with bounds.
    pub exact: Option<Exact>,
}

/// A network that is piecewise linear over the reals.
#[derive(Debug, Clone)]
pub struct Exact {
    /// For outputs, at a point and as affine maps.
    pub outputs: Arc<ExactNetwork>,
    /// For bounds.
    pub bounds: Arc<BoundingNetwork>,
}

impl Prepared {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Arc<Network>) -> Self {
        let exact = ExactNetwork::new(network).zip(BoundingNetwork::new(network));
        let exact = exact.map(|(outputs, bounds)| Exact { outputs: Arc::new(outputs), bounds: Arc::new(bounds) });
        Self { network: Arc::clone(network), exact }
    }

    /// The network as affine maps.
    ///
    /// # Panics
    /// When it is not piecewise linear over the reals: those who compute values are refused before, and those who choose are not asked
    /// for maps.
    #[must_use]
    pub fn affine(&self) -> &ExactNetwork {
        &self.exact.as_ref().expect("only networks that are piecewise linear over the reals are affine maps").outputs
    }
}
