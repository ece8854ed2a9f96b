//! Operators that compute: arithmetic with constants, and the piecewise-linear functions. Matrices are in `matrix.rs`.

use surefoot_num::Rational;

use super::error::{Fault, problem};
use super::rank;
use super::signal::{Builder, Element};
use super::tensor::{Tensor, broadcast, broadcast_shape, element_count};
use super::value::{Call, Value};

/// Element by element, after broadcasting.
pub(super) fn elementwise(
    a: &Value,
    b: &Value,
    builder: &mut Builder,
    mut op: impl FnMut(&mut Builder, &Element, &Element) -> Result<Element, Fault>,
) -> Result<Tensor<Element>, Fault> {
    let shape = broadcast_shape(a.shape(), b.shape())?;
    let count = element_count(&shape).ok_or(Fault::TooLarge)?;
    builder.charge(count.saturating_mul(4))?;
    let (a, b) = (a.elements()?, b.elements()?);
    let (from_a, from_b) = (broadcast(&a.shape, &shape), broadcast(&b.shape, &shape));
    let pairs = from_a.source.iter().zip(&from_b.source);
    let data = pairs.map(|(&i, &j)| op(builder, &a.data[i], &b.data[j])).collect::<Result<_, _>>()?;
    Ok(Tensor { shape, data })
}

/// The result of arithmetic: integers of integers, else numbers; the two do not mix.
pub(super) fn typed(inputs: &[&Value], result: Tensor<Element>) -> Result<Value, Fault> {
    match (inputs.iter().all(|v| v.is_whole()), inputs.iter().any(|v| v.is_whole())) {
        (true, _) => Ok(Value::Whole(result)),
        (false, true) => problem("integers where floating-point numbers are expected"),
        (false, false) => Ok(Value::Signal(result)),
    }
}

/// `Add`, `Sub`, `Mul` and `Div` on integers, as shape computations use them.
fn integer_arithmetic(op: &str, a: &Tensor<i64>, b: &Tensor<i64>, builder: &mut Builder) -> Result<Value, Fault> {
    let shape = broadcast_shape(&a.shape, &b.shape)?;
    builder.charge(element_count(&shape).ok_or(Fault::TooLarge)?.saturating_mul(4))?;
    let (from_a, from_b) = (broadcast(&a.shape, &shape), broadcast(&b.shape, &shape));
    let compute = |(&i, &j): (&usize, &usize)| {
        let (x, y) = (a.data[i], b.data[j]);
        let result = match op {
            "Add" => x.checked_add(y),
            "Sub" => x.checked_sub(y),
            "Mul" => x.checked_mul(y),
            _ => x.checked_div(y),
        };
        result.ok_or_else(|| Fault::Problem(format!("{x} and {y} give no 64-bit integer")))
    };
    let data = from_a.source.iter().zip(&from_b.source).map(compute).collect::<Result<_, _>>()?;
    Ok(Value::Int(Tensor { shape, data }))
}

/// `Add`, `Sub`, `Mul`, `Div`.
pub(super) fn arithmetic(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let op = call.node.op_type.as_str();
    let (a, b) = (call.input(0)?, call.input(1)?);
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return integer_arithmetic(op, a, b, builder);
    }
    if let Some(ranked) = rank::arithmetic(call, builder)? {
        return Ok(ranked);
    }
    builder.refuse_narrow(&[a, b])?;
    if op == "Div" && a.is_whole() {
        return Err(Fault::Unsupported(
            "divides integers, which drops the rest; divide in the model instead".to_owned(),
        ));
    }
    let result = elementwise(a, b, builder, |builder, x, y| {
        match (op, x, y) {
        ("Add", ..) => builder.add(x, 1, y),
        ("Sub", ..) => builder.add(x, -1, y),
        ("Mul", Element::Const(factor), other) | ("Mul", other, Element::Const(factor)) => {
            builder.multiply(other, factor)
        }
        ("Mul", ..) => match builder.swish(x, y)? {
            Some(swish) => Ok(swish),
            None => Err(Fault::Unsupported(
                "multiplies two values that both depend on the input; only products with constants and x * sigmoid(x) are \
                 read. If this is GELU written out, export with opset_version=20 or later; Mish and HardSwish are not \
                 supported: train with another activation"
                    .to_owned(),
            )),
        },
        (_, _, Element::Const(divisor)) => match Rational::ONE.checked_div(divisor) {
            Some(factor) => builder.multiply(x, &factor),
            None => problem("divides by zero"),
        },
        _ => Err(Fault::Unsupported(
            "divides by a value that depends on the input; only division by constants is piecewise linear".to_owned(),
        )),
    }
    })?;
    typed(&[a, b], result)
}

/// A function of each entry.
pub(super) fn map(
    value: &Value,
    builder: &mut Builder,
    mut op: impl FnMut(&mut Builder, &Element) -> Result<Element, Fault>,
) -> Result<Value, Fault> {
    builder.charge(value.len())?;
    let tensor = value.elements()?;
    let data = tensor.data.iter().map(|element| op(builder, element)).collect::<Result<_, _>>()?;
    typed(&[value], Tensor { shape: tensor.shape, data })
}

pub(super) fn relu(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    map(call.input(0)?, builder, |builder, x| builder.relu(x))
}

pub(super) fn neg(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    builder.refuse_narrow(&[call.input(0)?])?;
    map(call.input(0)?, builder, |builder, x| builder.multiply(x, &Rational::from(-1)))
}

/// `max(x, 0) - slope * max(-x, 0)`.
fn leaky(builder: &mut Builder, x: &Element, slope: &Rational) -> Result<Element, Fault> {
    let negated = builder.multiply(x, &Rational::from(-1))?;
    let (positive, negative) = (builder.relu(x)?, builder.relu(&negated)?);
    let scaled = builder.multiply(&negative, slope)?;
    builder.add(&positive, -1, &scaled)
}

pub(super) fn leaky_relu(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    // The default of the specification, 0.01 in single precision.
    let default = || Rational::from_f64(f64::from(0.01f32)).expect("finite");
    let slope = call.float("alpha")?.unwrap_or_else(default);
    map(call.input(0)?, builder, |builder, x| leaky(builder, x, &slope))
}

/// `PRelu`: a slope per channel.
pub(super) fn prelu(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (value, slope) = (call.input(0)?, call.input(1)?);
    let result = elementwise(value, slope, builder, |builder, x, slope| match slope {
        Element::Const(slope) => leaky(builder, x, slope),
        Element::Term { .. } => problem("its slopes must be constant"),
    })?;
    typed(&[value, slope], result)
}

/// `HardSigmoid`: `alpha x + beta`, from 0 to 1.
pub(super) fn hard_sigmoid(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let default = |value: f32| Rational::from_f64(f64::from(value)).expect("finite");
    let alpha = call.float("alpha")?.unwrap_or_else(|| default(0.2));
    let beta = call.float("beta")?.unwrap_or_else(|| default(0.5));
    map(call.input(0)?, builder, |builder, x| {
        let scaled = builder.multiply(x, &alpha)?;
        let shifted = builder.shift(&scaled, &beta)?;
        let low = maximum(builder, &shifted, &Element::Const(Rational::ZERO))?;
        minimum(builder, &low, &Element::Const(Rational::ONE))
    })
}

pub(super) fn abs(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    builder.refuse_narrow(&[call.input(0)?])?;
    map(call.input(0)?, builder, |builder, x| leaky(builder, x, &Rational::from(-1)))
}

/// `max(a, b) = b + max(a - b, 0)`.
pub(crate) fn maximum(builder: &mut Builder, a: &Element, b: &Element) -> Result<Element, Fault> {
    // The constant, if any, is the one added back: that needs no further neuron.
    let (a, b) = if matches!(a, Element::Const(_)) { (b, a) } else { (a, b) };
    let difference = builder.add(a, -1, b)?;
    let excess = builder.relu(&difference)?;
    builder.add(&excess, 1, b)
}

/// `min(a, b) = -max(-a, -b)`.
pub(crate) fn minimum(builder: &mut Builder, a: &Element, b: &Element) -> Result<Element, Fault> {
    let minus = Rational::from(-1);
    let (a, b) = (builder.multiply(a, &minus)?, builder.multiply(b, &minus)?);
    let largest = maximum(builder, &a, &b)?;
    builder.multiply(&largest, &minus)
}

/// `Max` and `Min` of any number of inputs.
pub(super) fn extremum(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let pairwise = if call.node.op_type == "Max" { maximum } else { minimum };
    let mut result = call.input(0)?.clone();
    for index in 1..call.inputs.len() {
        let next = call.input(index)?;
        let both = elementwise(&result, next, builder, pairwise)?;
        result = typed(&[&result, next], both)?;
    }
    Ok(result)
}

/// `Clip`: `min(max(x, low), high)`, each bound optional.
pub(super) fn clip(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let constant = |value: Rational| Value::Signal(Tensor { shape: Vec::new(), data: vec![Element::Const(value)] });
    let bound = |index: usize, name: &str| -> Result<Option<Value>, Fault> {
        match call.optional(index) {
            Some(value) => Ok(Some(value.clone())),
            None => Ok(call.float(name)?.map(constant)),
        }
    };
    let (low, high) = (bound(1, "min")?, bound(2, "max")?);
    let mut result = call.input(0)?.clone();
    if let Some(low) = low {
        let both = elementwise(&result, &low, builder, maximum)?;
        result = typed(&[&result, &low], both)?;
    }
    if let Some(high) = high {
        let both = elementwise(&result, &high, builder, minimum)?;
        result = typed(&[&result, &high], both)?;
    }
    Ok(result)
}
