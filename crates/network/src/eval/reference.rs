//! The definition of what a network computes, in rational arithmetic.

use surefoot_num::Rational;

use super::exact::ExactNetwork;
use crate::layer::Activation;
use crate::network::Network;

/// The exact rational behind a parameter.
fn parameter(value: f64) -> Rational {
    Rational::from_f64(value).expect("layers hold finite numbers only")
}

impl Network {
    /// The exact outputs, computed as the definition reads. Slow: for tests and as a specification.
    ///
    /// # Panics
    /// When `inputs` has the wrong length, or the network is not exact.
    #[must_use]
    pub fn eval_reference(&self, inputs: &[Rational]) -> Vec<Rational> {
        assert_eq!(inputs.len(), self.input_len(), "one value per network input");
        assert!(self.is_exact(), "rational arithmetic computes exact networks only");
        let mut values = match self.input_normalisation() {
            Some(normalisation) => normalisation.apply(inputs),
            None => inputs.to_vec(),
        };
        for layer in self.layers() {
            let neuron = |(output, bias): (usize, &f64)| {
                let products = layer.terms(output).map(|(input, w)| &parameter(w) * &values[input]);
                let sum = &products.sum::<Rational>() + &parameter(*bias);
                match layer.activation() {
                    Activation::Relu => sum.max(Rational::ZERO),
                    Activation::Identity => sum,
                    Activation::Smooth(_) | Activation::LayerNorm { .. } => unreachable!("the network is exact"),
                }
            };
            values = layer.bias().iter().enumerate().map(neuron).collect();
        }
        match self.output_normalisation() {
            Some(normalisation) => normalisation.apply(&values),
            None => values,
        }
    }

    /// The exact outputs. Builds an [`ExactNetwork`]; keep one of those to evaluate often.
    ///
    /// # Panics
    /// When `inputs` has the wrong length, or the network is not exact.
    #[must_use]
    pub fn eval_exact(&self, inputs: &[Rational]) -> Vec<Rational> {
        ExactNetwork::new(self).expect("rational arithmetic computes exact networks only").eval(inputs)
    }
}
