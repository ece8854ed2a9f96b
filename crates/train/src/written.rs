//! A network that was trained, as one that the other parts of the program read: the same numbers in double precision.

use surefoot_network::{Activation, Layer, Network, ShapeError};

use crate::dense::Dense;

/// The network, with the weights of each input of the first layer multiplied by its factor. That is exact where factors are powers of two of at least 2^-64.
///
/// # Errors
/// When a parameter is no number.
pub fn network(trained: &Dense, factor: impl Fn(usize) -> f64) -> Result<Network, ShapeError> {
    let layers = trained.rows();
    let (count, mut inputs) = (layers.len(), trained.shape().sizes()[0]);
    let layers = layers.into_iter().enumerate().map(|(layer, (weights, bias))| {
        let taken = std::mem::replace(&mut inputs, bias.len());
        let factor = |at: usize| if layer == 0 { factor(at % taken) } else { 1.0 };
        let weights = weights.iter().enumerate().map(|(at, w)| f64::from(*w) * factor(at)).collect();
        let bias = bias.iter().map(|b| f64::from(*b)).collect();
        Layer::new(taken, weights, bias, if layer + 1 == count { Activation::Identity } else { Activation::Relu })
    });
    layers.collect::<Result<Vec<_>, _>>().and_then(Network::new)
}
