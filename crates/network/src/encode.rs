//! Functions in front of a network: piecewise linear ones, as exact ReLU units.
//!
//! An [`Encoder`] builds functions of its inputs: sums with rational factors, maxima, comparisons of integers. [`Encoder::before`]
//! then makes one network of them and of the network that reads them. Nothing rounds: the weights of the network stay as they are,
//! in layers of their own, and what cannot be said exactly in 64-bit floats is refused.

use surefoot_num::Rational;

use crate::domain::InputDomain;
use crate::layer::Layer;
use crate::network::{Arithmetic, Network};
use crate::onnx::compute::{maximum, minimum};
use crate::onnx::error::Fault;
use crate::onnx::layering;
use crate::onnx::matrix::Matrix;
use crate::onnx::signal::{Builder, Element, VarId};
use crate::shape::ShapeError;

/// Units that one policy may ask for.
const BUDGET: u64 = 1 << 28;

/// Why functions cannot stand in front of a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EncodeError(String);

impl EncodeError {
    /// That there are too many units.
    #[must_use]
    pub fn too_large() -> Self {
        Fault::TooLarge.into()
    }
}

impl From<Fault> for EncodeError {
    fn from(fault: Fault) -> Self {
        Self(match fault {
            Fault::Problem(text) | Fault::Unsupported(text) => text,
            Fault::NotExact(what) => format!("{what} is not exactly representable in double precision"),
            Fault::TooLarge => "this takes too many neurons".to_owned(),
        })
    }
}

impl From<ShapeError> for EncodeError {
    fn from(error: ShapeError) -> Self {
        Self(error.to_string())
    }
}

/// A function of the encoder's inputs.
#[derive(Debug, Clone)]
pub struct Piece(Element);

/// Functions under construction.
#[derive(Debug)]
pub struct Encoder {
    builder: Builder,
}

impl Encoder {
    /// An encoder of that many inputs.
    #[must_use]
    pub fn new(inputs: usize) -> Self {
        Self { builder: Builder::without_normalisation(inputs, BUDGET) }
    }

    /// An input as it is.
    #[must_use]
    pub fn input(&self, index: usize) -> Piece {
        assert!(index < self.builder.inputs.len(), "the encoder has that input");
        Piece(Element::var(VarId(index)))
    }

    /// A constant.
    #[must_use]
    pub fn constant(value: Rational) -> Piece {
        Piece(Element::Const(value))
    }

    /// A sum with factors.
    ///
    /// # Errors
    /// When it has no exact form.
    pub fn sum(&mut self, parts: &[(Piece, Rational)]) -> Result<Piece, EncodeError> {
        let mut constant = Rational::ZERO;
        let mut terms = Vec::new();
        for (Piece(element), factor) in parts {
            match self.builder.multiply(element, factor)? {
                Element::Const(value) => constant = &constant + &value,
                term => terms.push(term),
            }
        }
        let sum = match &terms[..] {
            [] => return Ok(Self::constant(constant)),
            [only] => only.clone(),
            several => self.builder.sum(several)?,
        };
        Ok(Piece(self.builder.shift(&sum, &constant)?))
    }

    /// The larger of two.
    ///
    /// # Errors
    /// When it has no exact form.
    pub fn maximum(&mut self, a: &Piece, b: &Piece) -> Result<Piece, EncodeError> {
        Ok(Piece(maximum(&mut self.builder, &a.0, &b.0)?))
    }

    /// The smaller of two.
    ///
    /// # Errors
    /// When it has no exact form.
    pub fn minimum(&mut self, a: &Piece, b: &Piece) -> Result<Piece, EncodeError> {
        Ok(Piece(minimum(&mut self.builder, &a.0, &b.0)?))
    }

    /// 1 where an integer is zero, else 0.
    ///
    /// # Errors
    /// When it need not be an integer, even with integer inputs.
    pub fn is_zero(&mut self, piece: &Piece) -> Result<Piece, EncodeError> {
        match &piece.0 {
            Element::Const(value) => Ok(Self::constant(truth(value.is_zero()))),
            element => Ok(Piece(self.builder.is_zero(element)?)),
        }
    }

    /// 1 where an integer is at least 1, else 0.
    ///
    /// # Errors
    /// When it need not be an integer, even with integer inputs.
    pub fn is_positive(&mut self, piece: &Piece) -> Result<Piece, EncodeError> {
        match &piece.0 {
            Element::Const(value) => Ok(Self::constant(truth(value.signum() > 0))),
            element => Ok(Piece(self.builder.is_positive(element)?)),
        }
    }

    /// The network of these functions followed by `network`, which reads them in this order.
    ///
    /// # Errors
    /// When a function and the network's normalisation have no exact common form, or their numbers differ.
    pub fn before(mut self, pieces: &[Piece], network: &Network) -> Result<Network, EncodeError> {
        if pieces.len() != network.input_len() {
            let (expected, found) = (network.input_len(), pieces.len());
            return Err(ShapeError::Length { what: "the list of inputs", expected, found }.into());
        }
        let builder = &mut self.builder;
        let values: Vec<Element> = pieces.iter().map(|piece| piece.0.clone()).collect();
        for (index, value) in values.iter().enumerate() {
            let InputDomain { integral, lower, upper } = network.input_domain(index);
            if integral {
                builder.integer(value)?;
            }
            if lower.is_some() || upper.is_some() {
                builder.within(value, lower, upper)?;
            }
        }
        let values = outputs(builder, values, network)?;
        let choices = match network.choices() {
            [] => vec![network.output_len()],
            choices => choices.to_vec(),
        };
        finish(builder, &values, network)?.with_choices(choices).map_err(EncodeError::from)
    }
}

/// The network whose outputs stand for all combinations of several choices, the last one changing fastest: each is the sum of its
/// parts' scores. Its first largest output is the combination of the first largest scores of each choice.
///
/// # Errors
/// When the sizes are not those of the network's outputs, or the sums have no exact form.
pub fn combinations(network: &Network, sizes: &[usize]) -> Result<Network, EncodeError> {
    if network.arithmetic() == Arithmetic::Float32 {
        return Err(EncodeError("in single precision the sums of scores round, and may choose otherwise".to_owned()));
    }
    let mut builder = Builder::without_normalisation(network.input_len(), BUDGET);
    builder.inputs = vec![None; network.input_len()];
    for (index, domain) in builder.domains.iter_mut().enumerate() {
        *domain = network.input_domain(index);
    }
    let inputs = (0..network.input_len()).map(|index| Element::var(VarId(index))).collect();
    let scores = outputs(&mut builder, inputs, network)?;
    if sizes.iter().sum::<usize>() != scores.len() {
        let (expected, found) = (scores.len(), sizes.iter().sum());
        return Err(ShapeError::Length { what: "the list of choices", expected, found }.into());
    }
    let mut sums: Vec<Vec<Element>> = vec![Vec::new()];
    let mut first = 0;
    for size in sizes {
        let own = &scores[first..first + size];
        let extended = |parts: &Vec<Element>| {
            let parts = parts.clone();
            own.iter().map(move |score| [&parts[..], std::slice::from_ref(score)].concat()).collect::<Vec<_>>()
        };
        sums = sums.iter().flat_map(extended).collect();
        first += size;
    }
    let values: Vec<Element> = sums.iter().map(|parts| builder.sum(parts)).collect::<Result<_, _>>()?;
    let sums = finish(&mut builder, &values, network)?.with_order_only();
    // Soundness: the largest sum is that of the largest scores, whatever keeps their order; other sums may compare otherwise.
    Ok(if network.order_only() { sums.with_largest_only() } else { sums })
}

/// The outputs of a network that reads these values.
fn outputs(builder: &mut Builder, mut values: Vec<Element>, network: &Network) -> Result<Vec<Element>, EncodeError> {
    if let Some(normalisation) = network.input_normalisation() {
        normalise(builder, &mut values, normalisation.scale(), normalisation.offset())?;
    }
    for layer in network.layers() {
        values = through(builder, &values, layer)?;
    }
    if let Some(normalisation) = network.output_normalisation() {
        normalise(builder, &mut values, normalisation.scale(), normalisation.offset())?;
    }
    Ok(values)
}

/// The network of these values, with what is known about the one that they come from.
fn finish(builder: &mut Builder, values: &[Element], network: &Network) -> Result<Network, EncodeError> {
    let outputs = values.iter().map(|value| builder.output(value)).collect::<Result<Vec<_>, _>>()?;
    let kept = builder.inputs.len();
    let whole = layering::network(builder, &outputs, kept)??;
    let whole = if network.real_only() { whole.with_real_only() } else { whole };
    let whole = whole.with_arithmetic(network.arithmetic())?;
    let whole = network.notices().iter().fold(whole, Network::with_notice);
    Ok(if network.order_only() { whole.with_order_only() } else { whole })
}

fn truth(value: bool) -> Rational {
    if value { Rational::ONE } else { Rational::ZERO }
}

fn normalise(
    builder: &mut Builder,
    values: &mut [Element],
    scale: &[Rational],
    offset: &[Rational],
) -> Result<(), EncodeError> {
    for ((value, scale), offset) in values.iter_mut().zip(scale).zip(offset) {
        let scaled = builder.multiply(value, scale)?;
        *value = builder.shift(&scaled, offset)?;
    }
    Ok(())
}

/// The outputs of a layer.
fn through(builder: &mut Builder, values: &[Element], layer: &Layer) -> Result<Vec<Element>, EncodeError> {
    let mut results = Vec::with_capacity(layer.output_len());
    for (row, bias) in builder.apply(&Matrix::of_layer(layer), values)?.into_iter().zip(layer.bias()) {
        let bias = Rational::from_f64(*bias).expect("biases are finite");
        results.push(builder.shift(&row, &bias)?);
    }
    Ok(builder.activate(&results, layer.activation())?)
}
