//! Smooth activations, and normalisation of a vector.

use surefoot_num::Rational;
use surefoot_num::function::Function;

use super::error::{Fault, problem};
use super::signal::{Builder, Element, exact_f64};
use super::tensor::{self, Tensor};
use super::value::{Call, Value};
use crate::layer::Activation;

/// A number of the specification, in single precision as files store it.
fn single(value: f32) -> Rational {
    Rational::from_f64(f64::from(value)).expect("finite")
}

fn elu(alpha: &Rational) -> Result<Function, Fault> {
    match exact_f64(alpha).filter(|alpha| *alpha >= 0.0) {
        Some(alpha) => Ok(Function::Elu { alpha }),
        None => problem("its alpha is negative"),
    }
}

/// `Tanh`, `Sigmoid`, `Softplus`, `Elu`, `Selu`, `Celu`, `Gelu`, `Swish`.
pub(super) fn activation(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let one = || Rational::ONE;
    // `outer f(inner x)`.
    let (inner, function, outer) = match call.node.op_type.as_str() {
        "Tanh" => (one(), Function::Tanh, one()),
        "Sigmoid" => (one(), Function::Sigmoid, one()),
        "Softplus" => (one(), Function::Softplus, one()),
        "Elu" => (one(), elu(&call.float("alpha")?.unwrap_or_else(one))?, one()),
        "Selu" => {
            let alpha = call.float("alpha")?.unwrap_or_else(|| single(1.673_263_2));
            (one(), elu(&alpha)?, call.float("gamma")?.unwrap_or_else(|| single(1.050_701)))
        }
        "Celu" => {
            let alpha = call.float("alpha")?.unwrap_or_else(one);
            match Rational::ONE.checked_div(&alpha).filter(|_| alpha.signum() > 0) {
                Some(inverse) => (inverse, Function::Elu { alpha: 1.0 }, alpha),
                None => return problem("its alpha is not positive"),
            }
        }
        "Swish" => {
            let alpha = call.float("alpha")?.unwrap_or_else(one);
            match Rational::ONE.checked_div(&alpha) {
                Some(inverse) => (alpha, Function::Silu, inverse),
                None => return problem("its alpha is zero"),
            }
        }
        _ => match call.attribute("approximate").map(|attribute| attribute.s.as_slice()) {
            None | Some(b"none" | b"") => (one(), Function::Gelu, one()),
            Some(b"tanh") => (one(), Function::GeluTanh, one()),
            Some(_) => return problem("its approximation is neither none nor tanh"),
        },
    };
    let tensor = value.signal()?;
    builder.charge(tensor.data.len())?;
    let inner: Vec<Element> = tensor.data.iter().map(|x| builder.multiply(x, &inner)).collect::<Result<_, _>>()?;
    let results = builder.activate(&inner, Activation::Smooth(function))?;
    let data = results.iter().map(|y| builder.multiply(y, &outer)).collect::<Result<_, _>>()?;
    Ok(Value::Signal(Tensor { shape: tensor.shape, data }))
}

/// A smooth function of each entry.
pub(super) fn apply(value: &Value, function: Function, builder: &mut Builder) -> Result<Value, Fault> {
    let Tensor { shape, data } = value.signal()?;
    builder.charge(data.len())?;
    let data = builder.activate(&data, Activation::Smooth(function))?;
    Ok(Value::Signal(Tensor { shape, data }))
}

/// The entries of all dimensions from `axis` on, normalised together.
pub(super) fn normalised(
    value: &Tensor<Element>,
    axis: usize,
    epsilon: f64,
    builder: &mut Builder,
) -> Result<Value, Fault> {
    if value.shape[..axis].iter().any(|&dim| dim > 1) {
        return Err(Fault::Unsupported(format!(
            "normalises each row of shape {:?} by itself; only the normalisation of a whole layer is supported",
            value.shape
        )));
    }
    builder.charge(value.data.len())?;
    let data = builder.activate(&value.data, Activation::LayerNorm { epsilon })?;
    Ok(Value::Signal(Tensor { shape: value.shape.clone(), data }))
}

/// `LayerNormalization`: the vector normalised, then scaled and shifted per entry.
pub(super) fn layer_normalisation(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?.signal()?;
    let axis = tensor::axis(call.int("axis", -1)?, value.shape.len())?;
    let epsilon = call.float("epsilon")?.unwrap_or_else(|| single(1e-5));
    let Some(epsilon) = exact_f64(&epsilon).filter(|epsilon| *epsilon > 0.0) else {
        return problem("its epsilon is not positive");
    };
    let normal = normalised(&value, axis, epsilon, builder)?.signal()?.data;
    let parameter = |index: usize, default: &Rational| match call.optional(index) {
        None => Ok(vec![default.clone(); normal.len()]),
        Some(parameter) => {
            let constant = |element: &Element| match element {
                Element::Const(value) => Some(value.clone()),
                Element::Term { .. } => None,
            };
            let values: Option<Vec<Rational>> = parameter.signal()?.data.iter().map(constant).collect();
            match values.filter(|values| values.len() == normal.len()) {
                Some(values) => Ok(values),
                None => problem("its scale and bias must be constants, one per entry"),
            }
        }
    };
    let (scale, bias) = (parameter(1, &Rational::ONE)?, parameter(2, &Rational::ZERO)?);
    let mut data = Vec::with_capacity(normal.len());
    for ((entry, scale), bias) in normal.iter().zip(&scale).zip(&bias) {
        let scaled = builder.multiply(entry, scale)?;
        data.push(builder.shift(&scaled, bias)?);
    }
    Ok(Value::Signal(Tensor { shape: value.shape, data }))
}
