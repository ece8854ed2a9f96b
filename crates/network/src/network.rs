//! The network type: what every reader produces and every evaluator consumes.
//!
//! For input `x` the network computes `x' = scale_in * x + offset_in` per input, then for each layer
//! `act(W x + b)`, then `scale_out * y + offset_out` per output, all over the reals; or in single precision, where it is said so
//! ([`Arithmetic`]). A network of ReLUs over the reals is *exact*: its outputs are rational numbers, and rational arithmetic computes them.
//!
//! Invariants, established by the constructors: at least one layer, no layer without inputs or outputs, layer sizes
//! chain, all weights and biases finite, normalisations and bounds as long as what they normalise or bound. A
//! normalisation that changes nothing is stored as absent, so equal functions written either way compare equal.

use surefoot_num::Rational;

use crate::domain::InputDomain;
use crate::layer::{Activation, Layer};
use crate::normalisation::Normalisation;
use crate::shape::ShapeError;

/// The numbers that a network is computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arithmetic {
    /// The real numbers.
    #[default]
    Real,
    /// IEEE 754 binary32, in the order of operations that [`eval::float32`](crate::eval::float32) states.
    Float32,
}

/// A feed-forward network.
#[derive(Debug, Clone)]
pub struct Network {
    input_normalisation: Option<Normalisation>,
    layers: Vec<Layer>,
    output_normalisation: Option<Normalisation>,
    input_bounds: Option<Vec<(Rational, Rational)>>,
    arithmetic: Arithmetic,
    input_domains: Vec<InputDomain>,
    choices: Vec<usize>,
    order_only: bool,
    largest_only: bool,
    real_only: bool,
    notices: Vec<String>,
}

impl Network {
    /// A network from its layers, without normalisation.
    ///
    /// # Errors
    /// When there is no layer or the layers do not chain.
    pub fn new(layers: Vec<Layer>) -> Result<Self, ShapeError> {
        if layers.is_empty() {
            return Err(ShapeError::NoLayers);
        }
        for (layer, pair) in layers.windows(2).enumerate() {
            let (expected, found) = (pair[0].output_len(), pair[1].input_len());
            if expected != found {
                return Err(ShapeError::Chain { layer: layer + 1, expected, found });
            }
        }
        let (input_normalisation, output_normalisation, input_bounds) = (None, None, None);
        let (input_domains, choices, notices) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            input_normalisation,
            layers,
            output_normalisation,
            input_bounds,
            arithmetic: Arithmetic::default(),
            input_domains,
            choices,
            order_only: false,
            largest_only: false,
            real_only: false,
            notices,
        })
    }

    /// With this normalisation of the inputs.
    ///
    /// # Errors
    /// When its length is not the number of inputs.
    pub fn with_input_normalisation(mut self, normalisation: Normalisation) -> Result<Self, ShapeError> {
        self.input_normalisation = normalisation.checked("the input normalisation", self.input_len())?;
        Ok(self)
    }

    /// With this normalisation of the outputs.
    ///
    /// # Errors
    /// When its length is not the number of outputs.
    pub fn with_output_normalisation(mut self, normalisation: Normalisation) -> Result<Self, ShapeError> {
        self.output_normalisation = normalisation.checked("the output normalisation", self.output_len())?;
        Ok(self)
    }

    /// With declared input bounds. They are reported only: nothing clips to them.
    ///
    /// # Errors
    /// When there is not one pair per input.
    pub fn with_input_bounds(mut self, bounds: Vec<(Rational, Rational)>) -> Result<Self, ShapeError> {
        if bounds.len() != self.input_len() {
            let (expected, found) = (self.input_len(), bounds.len());
            return Err(ShapeError::Length { what: "the list of input bounds", expected, found });
        }
        self.input_bounds = Some(bounds);
        Ok(self)
    }

    /// Computed with these numbers.
    ///
    /// # Errors
    /// Layers that are not computed so: there is no one order of operations for [`Activation::LayerNorm`] in single precision.
    pub fn with_arithmetic(mut self, arithmetic: Arithmetic) -> Result<Self, ShapeError> {
        let vectors = |layer: &Layer| matches!(layer.activation(), Activation::LayerNorm { .. });
        if arithmetic == Arithmetic::Float32 && self.layers.iter().any(vectors) {
            return Err(ShapeError::NotInSinglePrecision);
        }
        if arithmetic == Arithmetic::Float32 && self.real_only {
            return Err(ShapeError::CarriedOverReals);
        }
        self.arithmetic = arithmetic;
        Ok(self)
    }

    /// With what it asks of its inputs, one entry per input. Whoever feeds the network must see to it.
    ///
    /// # Errors
    /// When there is not one per input.
    pub fn with_input_domains(mut self, domains: Vec<InputDomain>) -> Result<Self, ShapeError> {
        if domains.len() != self.input_len() {
            let (expected, found) = (self.input_len(), domains.len());
            return Err(ShapeError::Length { what: "the list of input domains", expected, found });
        }
        self.input_domains =
            if domains.iter().all(|domain| *domain == InputDomain::default()) { Vec::new() } else { domains };
        Ok(self)
    }

    /// With outputs that are the scores of several choices, one after the other: of that many scores each.
    ///
    /// # Errors
    /// When they are not the outputs.
    pub fn with_choices(mut self, choices: Vec<usize>) -> Result<Self, ShapeError> {
        let found = choices.iter().sum();
        if found != self.output_len() {
            return Err(ShapeError::Length { what: "the list of choices", expected: self.output_len(), found });
        }
        self.choices = if choices.len() > 1 { choices } else { Vec::new() };
        Ok(self)
    }

    /// Marked as telling only which of its outputs are larger: their values are not those of the file.
    #[must_use]
    pub fn with_order_only(mut self) -> Self {
        self.order_only = true;
        self
    }

    /// Marked as the function of its file over the reals only: it has neurons that cancel there, and round otherwise.
    #[must_use]
    pub fn with_real_only(mut self) -> Self {
        self.real_only = true;
        self
    }

    /// The same with other layers, which chain, and have as many inputs and outputs.
    pub(crate) fn with_layers(&self, layers: Vec<Layer>) -> Self {
        debug_assert!(layers.windows(2).all(|pair| pair[0].output_len() == pair[1].input_len()), "layers chain");
        Self { layers, ..self.clone() }
    }

    /// With one more notice for the user.
    #[must_use]
    pub fn with_notice(mut self, notice: impl Into<String>) -> Self {
        self.notices.push(notice.into());
        self
    }

    /// Number of inputs.
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.layers[0].input_len()
    }

    /// Number of outputs.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.layers[self.layers.len() - 1].output_len()
    }

    /// The sizes of all layers but the last.
    #[must_use]
    pub fn hidden_sizes(&self) -> Vec<usize> {
        self.layers[..self.layers.len() - 1].iter().map(Layer::output_len).collect()
    }

    /// The number of ReLU neurons.
    #[must_use]
    pub fn relu_count(&self) -> usize {
        self.layers.iter().filter(|l| l.activation() == Activation::Relu).map(Layer::output_len).sum()
    }

    /// The numbers it is computed with.
    #[must_use]
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Whether every activation is made up of linear pieces.
    #[must_use]
    pub fn is_piecewise_linear(&self) -> bool {
        self.layers.iter().all(|layer| layer.activation().is_piecewise_linear())
    }

    /// Whether rational arithmetic computes it: piecewise linear, over the reals.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_piecewise_linear() && self.arithmetic == Arithmetic::Real
    }

    /// The number of weights and biases, zeros too.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.layers.iter().map(|l| (l.input_len() + 1) * l.output_len()).sum()
    }

    /// The layers, first to last.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The normalisation of the inputs; none means identity.
    #[must_use]
    pub fn input_normalisation(&self) -> Option<&Normalisation> {
        self.input_normalisation.as_ref()
    }

    /// The normalisation of the outputs; none means identity.
    #[must_use]
    pub fn output_normalisation(&self) -> Option<&Normalisation> {
        self.output_normalisation.as_ref()
    }

    /// The input bounds that the file declares (`.nnet` only); never applied.
    #[must_use]
    pub fn input_bounds(&self) -> Option<&[(Rational, Rational)]> {
        self.input_bounds.as_deref()
    }

    /// What is asked of input `index`.
    #[must_use]
    pub fn input_domain(&self, index: usize) -> InputDomain {
        self.input_domains.get(index).copied().unwrap_or_default()
    }

    /// The numbers of scores of several choices, where the outputs are that; empty for one choice.
    #[must_use]
    pub fn choices(&self) -> &[usize] {
        &self.choices
    }

    /// Known only by which of all its outputs is largest: sums of scores of which only the order is known.
    #[must_use]
    pub fn with_largest_only(mut self) -> Self {
        self.largest_only = true;
        self
    }

    /// Whether only which of all outputs is largest is that of the file, and not which of some of them is.
    #[must_use]
    pub fn largest_only(&self) -> bool {
        self.largest_only
    }

    /// Whether it is the function of its file over the reals only.
    #[must_use]
    pub fn real_only(&self) -> bool {
        self.real_only
    }

    /// Whether only the order of the outputs is that of the file, and not their values.
    #[must_use]
    pub fn order_only(&self) -> bool {
        self.order_only
    }

    /// What the user should know about how the file was read.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Whether layers and normalisations are the same; bounds and notices are not compared.
    #[must_use]
    pub fn same_parameters(&self, other: &Self) -> bool {
        self.layers == other.layers
            && self.arithmetic == other.arithmetic
            && self.input_normalisation == other.input_normalisation
            && self.output_normalisation == other.output_normalisation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        let layer = |inputs: usize, outputs: usize| {
            Layer::new(inputs, vec![1.0; inputs * outputs], vec![0.0; outputs], Activation::Relu)
        };
        assert_eq!(Network::new(Vec::new()).unwrap_err(), ShapeError::NoLayers);
        assert!(matches!(layer(0, 2), Err(ShapeError::EmptyLayer { .. })));
        assert!(matches!(layer(2, 0), Err(ShapeError::EmptyLayer { .. })));
        let chain = Network::new(vec![layer(2, 3).unwrap(), layer(2, 1).unwrap()]);
        assert_eq!(chain.unwrap_err(), ShapeError::Chain { layer: 1, expected: 3, found: 2 });
        let count = Layer::new(2, vec![1.0; 3], vec![0.0; 2], Activation::Relu);
        assert!(matches!(count, Err(ShapeError::WeightCount { found: 3, .. })));
        let nan = Layer::new(2, vec![1.0, 1.0, f64::NAN, 1.0], vec![0.0; 2], Activation::Relu);
        assert!(matches!(nan, Err(ShapeError::NotFinite { neuron: 1, input: Some(0), .. })));
    }

    #[test]
    fn an_identity_normalisation_is_absent() {
        let layer = Layer::new(1, vec![1.0], vec![0.0], Activation::Identity).unwrap();
        let identity = Normalisation::new(vec![Rational::ONE], vec![Rational::ZERO]).unwrap();
        let network = Network::new(vec![layer]).unwrap().with_input_normalisation(identity.clone()).unwrap();
        assert!(network.input_normalisation().is_none());
        let two = Normalisation::new(vec![Rational::ONE; 2], vec![Rational::ZERO; 2]).unwrap();
        assert!(network.with_output_normalisation(two).is_err());
    }
}
