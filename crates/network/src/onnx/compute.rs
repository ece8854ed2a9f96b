//! Operators that compute: arithmetic with constants, matrices, and the piecewise-linear functions.

use surefoot_num::Rational;

use super::error::{Fault, problem};
use super::proto::data_type;
use super::rank;
use super::signal::{Builder, Element};
use super::tensor::{Tensor, broadcast, broadcast_shape, element_count, transpose};
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
fn typed(inputs: &[&Value], result: Tensor<Element>) -> Result<Value, Fault> {
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
fn map(
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

/// A constant matrix for a product; says so when it is none.
fn matrix(value: &Value) -> Result<Tensor<f64>, Fault> {
    value.floats().ok_or_else(|| {
        Fault::Unsupported("one side of a matrix product must be constant numbers of double precision".to_owned())
    })
}

fn transposed<T: Clone>(tensor: &Tensor<T>) -> Tensor<T> {
    tensor.rearranged(&transpose(&tensor.shape, &[1, 0]))
}

/// The product of a signal (rows by `inner`) with a constant matrix given as outputs by `inner`.
fn product(signal: &Tensor<Element>, weights: &Tensor<f64>, builder: &mut Builder) -> Result<Tensor<Element>, Fault> {
    let (rows, inner, outputs) = (signal.shape[0], signal.shape[1], weights.shape[0]);
    if inner != weights.shape[1] || inner == 0 {
        let weights = [weights.shape[1], weights.shape[0]];
        return problem(format!("a matrix of shape {weights:?} does not fit values of shape {:?}", signal.shape));
    }
    let mut data = Vec::new();
    for row in signal.data.chunks_exact(inner) {
        data.extend(builder.apply(weights, row)?);
    }
    Ok(Tensor { shape: vec![rows, outputs], data })
}

/// `MatMul` with one constant side.
pub(super) fn matmul(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    builder.charge(a.len().saturating_add(b.len()))?;
    let rank = |value: &Value| value.shape().len();
    if b.is_constant() {
        let weights = matrix(b)?;
        if rank(a) == 0 || rank(b) == 0 || rank(b) > 2 {
            return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
        }
        let columns = if rank(b) == 1 { weights.with_shape(vec![1, b.len()]) } else { transposed(&weights) };
        let (lead, inner) = a.shape().split_at(rank(a) - 1);
        let rows = a.signal()?.with_shape(vec![lead.iter().product(), inner[0]]);
        let result = product(&rows, &columns, builder)?;
        let mut shape = lead.to_vec();
        if rank(b) == 2 {
            shape.push(b.shape()[1]);
        }
        return Ok(Value::Signal(result.with_shape(shape)));
    }
    let weights = matrix(a)?;
    if !matches!(rank(a), 1 | 2) || !matches!(rank(b), 1 | 2) {
        return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
    }
    let rows = if rank(a) == 1 { weights.with_shape(vec![1, a.len()]) } else { weights };
    // (A B)^T = B^T A^T: the columns of B are the vectors.
    let signal = b.signal()?;
    let vectors = if rank(b) == 1 { signal.with_shape(vec![1, b.len()]) } else { transposed(&signal) };
    let result = transposed(&product(&vectors, &rows, builder)?);
    let mut shape = Vec::new();
    if rank(a) == 2 {
        shape.push(a.shape()[0]);
    }
    if rank(b) == 2 {
        shape.push(b.shape()[1]);
    }
    Ok(Value::Signal(result.with_shape(shape)))
}

/// `alpha * A' B' + beta * C` with A or B constant.
pub(super) fn gemm(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    if a.shape().len() != 2 || b.shape().len() != 2 {
        return problem(format!("shapes {:?} and {:?}; expected two matrices", a.shape(), b.shape()));
    }
    builder.charge(a.len().saturating_add(b.len()))?;
    let (trans_a, trans_b) = (call.int("transA", 0)? != 0, call.int("transB", 0)? != 0);
    let result = if b.is_constant() {
        let (weights, signal) = (matrix(b)?, a.signal()?);
        let weights = if trans_b { weights } else { transposed(&weights) };
        product(&if trans_a { transposed(&signal) } else { signal }, &weights, builder)?
    } else {
        let (weights, signal) = (matrix(a)?, b.signal()?);
        let weights = if trans_a { transposed(&weights) } else { weights };
        let vectors = if trans_b { signal } else { transposed(&signal) };
        transposed(&product(&vectors, &weights, builder)?)
    };
    let one = || Rational::ONE;
    let (alpha, beta) = (call.float("alpha")?.unwrap_or_else(one), call.float("beta")?.unwrap_or_else(one));
    let mut result = Value::Signal(result);
    if alpha != Rational::ONE {
        result = map(&result, builder, |builder, x| builder.multiply(x, &alpha))?;
    }
    if let Some(c) = call.optional(2) {
        let shape = result.shape().to_vec();
        if broadcast_shape(&shape, c.shape())? != shape {
            return problem(format!("C of shape {:?} does not fit a result of shape {shape:?}", c.shape()));
        }
        let c =
            if beta == Rational::ONE { c.clone() } else { map(c, builder, |builder, x| builder.multiply(x, &beta))? };
        let sum = elementwise(&result, &c, builder, |builder, x, y| builder.add(x, 1, y))?;
        result = typed(&[&result, &c], sum)?;
    }
    Ok(result)
}

/// `Cast` between number types, where it changes no value.
pub(super) fn cast(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let to = i32::try_from(call.int("to", 0)?).unwrap_or(0);
    let integral = data_type::is_integer(to);
    let real = matches!(to, data_type::FLOAT | data_type::DOUBLE);
    match (value, to) {
        (Value::Whole(tensor), _) if real => Ok(Value::Signal(tensor.clone())),
        (Value::Whole(tensor), data_type::BOOL) => {
            // What is not zero is true.
            let mut data = Vec::with_capacity(tensor.data.len());
            for element in &tensor.data {
                let zero = builder.is_zero(element)?;
                data.push(builder.add(&Element::Const(Rational::ONE), -1, &zero)?);
            }
            Ok(Value::Whole(Tensor { shape: tensor.shape.clone(), data }))
        }
        (Value::Whole(tensor) | Value::Signal(tensor), _) if integral => {
            let (lower, upper) = data_type::integer_range(to).unwrap_or_default();
            for element in &tensor.data {
                builder.integer(element)?;
                // Soundness: a number beyond the type would wrap around.
                if lower.is_some() || upper.is_some() {
                    builder.narrow = true;
                    builder.within(element, lower, upper)?;
                }
            }
            Ok(Value::Whole(tensor.clone()))
        }
        // Places are integers, whatever number type they are stored in; the order survives among real numbers only.
        (Value::Choice(_), _) if integral || real => Ok(value.clone()),
        (Value::Ranked(_) | Value::Common(_), _) if real => Ok(value.clone()),
        (Value::Int(tensor), data_type::BOOL) => {
            let data = tensor.data.iter().map(|&x| i64::from(x != 0)).collect();
            Ok(Value::Int(Tensor { shape: tensor.shape.clone(), data }))
        }
        (Value::Signal(_), data_type::FLOAT | data_type::DOUBLE) | (Value::Float(_), data_type::DOUBLE) => {
            Ok(value.clone())
        }
        (Value::Float(tensor), data_type::FLOAT) => {
            // Rounding a stored constant would be a choice of ours.
            #[expect(clippy::cast_possible_truncation, reason = "asks whether anything is lost")]
            match tensor.data.iter().find(|&&x| f64::from(x as f32) != x) {
                Some(x) => Err(Fault::NotExact(format!("{x}, cast to float,"))),
                None => Ok(value.clone()),
            }
        }
        (Value::Int(tensor), data_type::FLOAT | data_type::DOUBLE) => {
            // Integers of up to 24 bits are exact in both types.
            match tensor.data.iter().find(|x| x.unsigned_abs() > 1 << 24) {
                Some(x) => Err(Fault::NotExact(format!("{x}, cast to float,"))),
                None => {
                    #[expect(clippy::cast_precision_loss, reason = "at most 24 bits")]
                    let data = tensor.data.iter().map(|&x| x as f64).collect();
                    Ok(Value::Float(Tensor { shape: tensor.shape.clone(), data }))
                }
            }
        }
        (Value::Int(_), data_type::INT64) => Ok(value.clone()),
        (Value::Int(tensor), data_type::INT32) if tensor.data.iter().all(|&x| i32::try_from(x).is_ok()) => {
            Ok(value.clone())
        }
        (Value::Float(tensor), _) if integral && tensor.data.iter().all(|x| x.fract() == 0.0 && x.abs() < 2e9) => {
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2e9")]
            let data = tensor.data.iter().map(|&x| x as i64).collect();
            Ok(Value::Int(Tensor { shape: tensor.shape.clone(), data }))
        }
        _ => Err(Fault::Unsupported(format!(
            "a cast to {} is not supported; only casts that change no value are",
            data_type::name(to)
        ))),
    }
}
