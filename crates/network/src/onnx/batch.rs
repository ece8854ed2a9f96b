//! `BatchNormalization` in inference: `scale (x - mean) / sqrt(variance + epsilon) + bias` per channel.
//!
//! The factor `scale / sqrt(variance + epsilon)` is a rational number only by chance. Where it is none, the normalisation is folded
//! into the row that it follows, as PyTorch's own tools do, and each new weight and bias is the double that is nearest to the real
//! number: its relative error is at most `2^-53`. That is told to the user. After an activation, where there is no row, the factor and
//! the offset are rounded so.
//!
//! Soundness: what is folded is `a f + b` with rational `a`, `b` and the irrational `f > 0`. Both ends of an enclosure of `f` must
//! round to the same double, which is then the nearest to all between; otherwise the enclosure is narrowed.

use surefoot_num::Rational;

use super::error::{Fault, problem};
use super::interpret::describe;
use super::signal::{Base, Builder, Element};
use super::tensor::Tensor;
use super::value::{Call, Value};

/// Bits of the first enclosure of a root, and of the last one.
const BITS: [usize; 2] = [128, 4096];

/// The inverse of a square root: the number under the root, and an enclosure.
#[derive(Debug)]
struct InverseRoot {
    squared: Rational,
    bits: usize,
    ends: (Rational, Rational),
}

impl InverseRoot {
    fn new(squared: Rational) -> Option<Self> {
        let ends = squared.inverse_root_ends(BITS[0])?;
        Some(Self { squared, bits: BITS[0], ends })
    }

    /// The nearest double of `a f + b`, where `f` is this number.
    fn nearest(&mut self, a: &Rational, b: &Rational) -> Option<f64> {
        if a.is_zero() {
            return Some(b.to_f64()).filter(|value| value.is_finite());
        }
        loop {
            let [low, high] = [&self.ends.0, &self.ends.1].map(|f| (&(a * f) + b).to_f64());
            if low.to_bits() == high.to_bits() {
                return Some(low).filter(|value| value.is_finite());
            }
            self.bits *= 2;
            if self.bits > BITS[1] {
                return None;
            }
            self.ends = self.squared.inverse_root_ends(self.bits)?;
        }
    }
}

/// The parameters of one channel.
struct Channel {
    scale: Rational,
    bias: Rational,
    mean: Rational,
    root: Root,
}

/// `1 / sqrt(variance + epsilon)`.
enum Root {
    Exact(Rational),
    Irrational(InverseRoot),
}

fn unusable() -> Fault {
    Fault::Problem("its variance plus epsilon is not positive, or a folded weight is no double".to_owned())
}

impl Channel {
    fn new(scale: Rational, bias: Rational, mean: Rational, squared: Rational) -> Result<Self, Fault> {
        let exact = Rational::from_f64(squared.to_f64().sqrt()).filter(|root| root * root == squared);
        let exact = exact.and_then(|root| Rational::ONE.checked_div(&root));
        let root = match exact {
            Some(inverse) => Root::Exact(inverse),
            None if squared.signum() > 0 => Root::Irrational(InverseRoot::new(squared).ok_or_else(unusable)?),
            None => return Err(unusable()),
        };
        Ok(Self { scale, bias, mean, root })
    }

    /// What becomes of an entry of the channel.
    fn apply(&mut self, element: &Element, builder: &mut Builder) -> Result<Element, Fault> {
        let root = match &mut self.root {
            Root::Exact(inverse) => {
                let centred = builder.shift(element, &-&self.mean)?;
                let scaled = builder.multiply(&centred, &(&self.scale * inverse))?;
                return builder.shift(&scaled, &self.bias);
            }
            Root::Irrational(root) => root,
        };
        // (x - mean) scale f + bias, for x = factor base + offset.
        let zero = Rational::ZERO;
        let mut nearest = |a: &Rational, b: &Rational| root.nearest(a, b).ok_or_else(unusable);
        let moved = |offset: &Rational| &(offset - &self.mean) * &self.scale;
        let exact = |value: f64| Rational::from_f64(value).expect("weights are finite");
        Ok(match element {
            Element::Const(value) => Element::Const(exact(nearest(&moved(value), &self.bias)?)),
            _ if self.scale.is_zero() => Element::Const(self.bias.clone()),
            Element::Term { scale: factor, offset, base: Base::Var(var) } => {
                let scale = exact(nearest(&(factor * &self.scale), &zero)?);
                let offset = exact(nearest(&moved(offset), &self.bias)?);
                let term = Element::Term { scale: scale.clone(), offset: offset.clone(), base: Base::Var(*var) };
                if scale.is_zero() { Element::Const(offset) } else { term }
            }
            Element::Term { scale: factor, offset, base: Base::Row(row, bias) } => {
                builder.charge(row.len().saturating_mul(8))?;
                let factor_here = factor * &self.scale;
                let row = row.mapped(|c| nearest(&(&exact(c) * &factor_here), &zero))?;
                let constant = &(&exact(bias.unwrap_or(0.0)) * factor) + offset;
                let bias = nearest(&moved(&constant), &self.bias)?;
                Element::row(row, Some(bias))
            }
        })
    }
}

/// `BatchNormalization`.
pub(super) fn normalisation(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    if call.int("training_mode", 0)? != 0 {
        return problem("is in training mode; export in inference mode (model.eval())");
    }
    let value = call.input(0)?.signal()?;
    let parameters: Vec<Tensor<f64>> = (1..5)
        .map(|index| match call.input(index)?.floats() {
            Some(tensor) if value.shape.get(1) == Some(&tensor.data.len()) => Ok(tensor),
            _ => problem("its parameters must be constants, one per channel"),
        })
        .collect::<Result<_, Fault>>()?;
    let epsilon = call.float("epsilon")?.unwrap_or_else(|| Rational::from_f64(f64::from(1e-5f32)).expect("finite"));
    let mut channels = Vec::with_capacity(value.shape[1]);
    for at in 0..value.shape[1] {
        let parameter =
            |index: usize| Rational::from_f64(parameters[index].data[at]).expect("stored numbers are finite");
        builder.charge(64)?;
        channels.push(Channel::new(parameter(0), parameter(1), parameter(2), &parameter(3) + &epsilon)?);
    }
    let inner: usize = value.shape[2..].iter().product();
    builder.charge(value.data.len())?;
    let mut data = Vec::with_capacity(value.data.len());
    for (at, element) in value.data.iter().enumerate() {
        data.push(channels[at / inner % value.shape[1]].apply(element, builder)?);
    }
    if channels.iter().any(|channel| matches!(channel.root, Root::Irrational(_))) {
        builder.told(format!(
            "BatchNormalization (node '{}') divides by square roots that are no rational numbers; with it each weight is the \
             nearest double, of a relative error below 1.2e-16",
            describe(call.node)
        ));
    }
    Ok(Value::Signal(Tensor { shape: value.shape, data }))
}
