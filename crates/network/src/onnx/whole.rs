//! Operators on integers and truth values: comparisons, `Where`, one-hot encodings and tables.

use surefoot_num::Rational;

use super::compute::elementwise;
use super::error::{Fault, problem};
use super::matrix::Matrix;
use super::signal::{Builder, Element};
use super::tensor::{self, Tensor, broadcast, broadcast_shape, element_count, pick};
use super::value::{Call, Value};

fn one() -> Element {
    Element::Const(Rational::ONE)
}

/// Integers that turn out to be constant are those of shapes again.
fn whole(tensor: Tensor<Element>) -> Value {
    let constant = |element: &Element| match element {
        Element::Const(value) => value.to_i64(),
        Element::Term { .. } => None,
    };
    match tensor.data.iter().map(constant).collect::<Option<Vec<i64>>>() {
        Some(data) => Value::Int(Tensor { shape: tensor.shape, data }),
        None => Value::Whole(tensor),
    }
}

/// A truth value of a difference; of constants at once.
fn truth(
    builder: &mut Builder,
    difference: &Element,
    test: impl Fn(&Rational) -> bool,
    unit: impl Fn(&mut Builder, &Element) -> Result<Element, Fault>,
) -> Result<Element, Fault> {
    match difference {
        Element::Const(value) => Ok(Element::Const(if test(value) { Rational::ONE } else { Rational::ZERO })),
        Element::Term { .. } => unit(builder, difference),
    }
}

/// `Equal`, `Less`, `LessOrEqual`, `Greater`, `GreaterOrEqual`.
pub(super) fn comparison(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let op = call.node.op_type.as_str();
    let (a, b) = (call.input(0)?, call.input(1)?);
    let result = elementwise(a, b, builder, |builder, x, y| match op {
        "Equal" => {
            let difference = builder.add(x, -1, y)?;
            truth(builder, &difference, Rational::is_zero, |builder, d| builder.is_zero(d))
        }
        _ => {
            // `x > y` is `x - y >= 1`, and `x <= y` is its negation.
            let swapped = matches!(op, "Less" | "GreaterOrEqual");
            let difference = if swapped { builder.add(y, -1, x)? } else { builder.add(x, -1, y)? };
            let strict = truth(builder, &difference, |d| d.signum() > 0, |builder, d| builder.is_positive(d))?;
            if op.ends_with("OrEqual") { builder.add(&one(), -1, &strict) } else { Ok(strict) }
        }
    })?;
    Ok(whole(result))
}

/// `Not`, `And`, `Or`, `Xor` of truth values.
pub(super) fn logic(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let op = call.node.op_type.as_str();
    let a = call.input(0)?;
    if !a.is_whole() {
        return problem("expects truth values");
    }
    if op == "Not" {
        let tensor = a.elements()?;
        let data = tensor.data.iter().map(|x| builder.add(&one(), -1, x)).collect::<Result<_, _>>()?;
        return Ok(whole(Tensor { shape: tensor.shape, data }));
    }
    let b = call.input(1)?;
    if !b.is_whole() {
        return problem("expects truth values");
    }
    let result = elementwise(a, b, builder, |builder, x, y| {
        let sum = builder.add(x, 1, y)?;
        let shifted = builder.shift(&sum, &Rational::from(-1))?;
        let both = builder.relu(&shifted)?;
        match op {
            "And" => Ok(both),
            "Or" => builder.add(&sum, -1, &both),
            _ => {
                let twice = builder.multiply(&both, &Rational::from(2))?;
                builder.add(&sum, -1, &twice)
            }
        }
    })?;
    Ok(whole(result))
}

/// `Sign` of integers.
pub(super) fn sign(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let tensor = value.elements()?;
    builder.charge(tensor.data.len())?;
    let mut data = Vec::with_capacity(tensor.data.len());
    for element in &tensor.data {
        let negated = builder.multiply(element, &Rational::from(-1))?;
        let above = truth(builder, element, |d| d.signum() > 0, |builder, d| builder.is_positive(d))?;
        let below = truth(builder, &negated, |d| d.signum() > 0, |builder, d| builder.is_positive(d))?;
        data.push(builder.add(&above, -1, &below)?);
    }
    let result = Tensor { shape: tensor.shape, data };
    Ok(if value.is_whole() { whole(result) } else { Value::Signal(result) })
}

/// `Where`: a truth value between two sides that differ by a constant, or have bounds.
pub(super) fn either(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (condition, then, otherwise) = (call.input(0)?, call.input(1)?, call.input(2)?);
    if !condition.is_whole() {
        return problem("its condition is no truth value");
    }
    let integers = then.is_whole() && otherwise.is_whole();
    let shape = broadcast_shape(&broadcast_shape(condition.shape(), then.shape())?, otherwise.shape())?;
    builder.charge(element_count(&shape).ok_or(Fault::TooLarge)?.saturating_mul(6))?;
    let (c, a, b) = (condition.elements()?, then.elements()?, otherwise.elements()?);
    let places = [&c.shape, &a.shape, &b.shape].map(|own| broadcast(own, &shape).source);
    let magnitudes = builder.magnitudes()?;
    let mut data = Vec::with_capacity(places[0].len());
    for ((&at_c, &at_a), &at_b) in places[0].iter().zip(&places[1]).zip(&places[2]) {
        let (c, a, b) = (&c.data[at_c], &a.data[at_a], &b.data[at_b]);
        data.push(match c {
            Element::Const(value) => {
                if value.is_zero() {
                    b.clone()
                } else {
                    a.clone()
                }
            }
            Element::Term { .. } => match builder.add(a, -1, b)? {
                Element::Const(difference) => {
                    let added = builder.multiply(c, &difference)?;
                    builder.add(b, 1, &added)?
                }
                Element::Term { .. } => builder.chosen(c, [a, b], &magnitudes)?.ok_or_else(|| {
                    Fault::Unsupported(
                        "chooses between values that both depend on inputs without bounds; constants can be chosen \
                         between, and functions of inputs that a table or a small integer type bounds. If this masks \
                         actions, export the network without the mask and write \"filter\": true in the policy file"
                            .to_owned(),
                    )
                })?,
            },
        });
    }
    let result = Tensor { shape, data };
    Ok(if integers { whole(result) } else { Value::Signal(result) })
}

/// The truth values `x = 0`, ..., `x = count - 1`.
fn one_hot(builder: &mut Builder, index: &Element, count: usize) -> Result<Vec<Element>, Fault> {
    builder.charge(count.saturating_mul(8))?;
    let place = |builder: &mut Builder, at: usize| {
        let at = Rational::from(i64::try_from(at).unwrap_or(i64::MAX));
        let difference = builder.shift(index, &-&at)?;
        truth(builder, &difference, Rational::is_zero, |builder, d| builder.is_zero(d))
    };
    (0..count).map(|at| place(builder, at)).collect()
}

/// `OneHot`: the depth and the values for off and on are constant. Negative indices count from the end there, so they are excluded.
pub(super) fn encode(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let indices = call.input(0)?.elements()?;
    let depth = match call.input(1)? {
        Value::Int(depth) if depth.data.len() == 1 => usize::try_from(depth.data[0]).ok(),
        _ => None,
    };
    let Some(depth) = depth.filter(|depth| *depth > 0) else {
        return problem("its depth must be a constant positive number");
    };
    let values = call.input(2)?;
    let (whole_values, values) = (values.is_whole(), values.elements()?);
    let [off, on] = &values.data[..] else { return problem("needs two values, for off and on") };
    let (Element::Const(off), Element::Const(on)) = (off, on) else { return problem("its values must be constant") };
    let span = on - off;
    builder.charge(indices.data.len().saturating_mul(depth))?;
    let mut data = Vec::new();
    for index in &indices.data {
        builder.within(index, Some(0), None)?;
        for hot in one_hot(builder, index, depth)? {
            let scaled = builder.multiply(&hot, &span)?;
            data.push(builder.shift(&scaled, off)?);
        }
    }
    // The new axis is the last one here; anywhere else it has to be moved.
    let rank = indices.shape.len() + 1;
    let axis = tensor::axis(call.int("axis", -1)?, rank)?;
    let result = Tensor { shape: [&indices.shape[..], &[depth]].concat(), data };
    let mut order: Vec<usize> = (0..rank - 1).collect();
    order.insert(axis, rank - 1);
    let result = result.rearranged(&tensor::transpose(&result.shape, &order));
    Ok(if whole_values { whole(result) } else { Value::Signal(result) })
}

/// `Gather` where the indices are known, and from a constant table where they depend on the inputs (an embedding).
pub(super) fn gather(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (value, indices) = (call.input(0)?, call.input(1)?);
    let axis = tensor::axis(call.int("axis", 0)?, value.shape().len())?;
    let len = value.shape()[axis];
    let rest = value.len() / len.max(1);
    builder.charge(rest.saturating_mul(indices.len()))?;
    let Value::Whole(indices) = indices else {
        let indices = indices.ints("the indices")?;
        let places: Vec<usize> =
            indices.data.iter().map(|&index| tensor::index(index, len)).collect::<Result<_, _>>()?;
        return Ok(value.rearranged(&pick(value.shape(), axis, &places, &indices.shape)));
    };
    if !value.is_constant() {
        return Err(Fault::Unsupported(
            "looks up a place that depends on the input, in values that depend on it too".to_owned(),
        ));
    }
    let Value::Float(table) = value else {
        return Err(Fault::Unsupported("looks up integers by the input; only tables of numbers are read".to_owned()));
    };
    let outer: usize = value.shape()[..axis].iter().product();
    let inner: usize = value.shape()[axis + 1..].iter().product();
    builder.charge(table.data.len().saturating_mul(indices.data.len()))?;
    // With the axis last, each row of the table is one function of the index.
    let entry = |place: usize, k: usize| table.data[(place / inner * len + k) * inner + place % inner];
    let data = (0..outer * inner).flat_map(|place| (0..len).map(move |k| (place, k))).map(|(p, k)| entry(p, k));
    let matrix = Matrix::Dense(Tensor { shape: vec![outer * inner, len], data: data.collect() });
    let mut columns = Vec::new();
    for index in &indices.data {
        builder.within(index, Some(0), Some(i64::try_from(len).unwrap_or(i64::MAX) - 1))?;
        let hot = one_hot(builder, index, len)?;
        columns.extend(builder.apply(&matrix, &hot)?);
    }
    let shape = [&value.shape()[..axis], &indices.shape[..], &value.shape()[axis + 1..]].concat();
    let count = indices.data.len();
    let data = (0..outer * count * inner)
        .map(|at| {
            let (o, rest) = (at / (count * inner), at % (count * inner));
            let (which, i) = (rest / inner, rest % inner);
            columns[which * outer * inner + o * inner + i].clone()
        })
        .collect();
    Ok(Value::Signal(Tensor { shape, data }))
}
