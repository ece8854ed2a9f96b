//! Heads: operators that do not change which output is largest, and the choice itself.
//!
//! *Definition.* A row of entries is *ranked* like a row of elements when one strictly increasing function, which may depend
//! on the state, takes each element to its entry. `Softmax` and `LogSoftmax` over the row, `Exp` and `Log` of each entry, adding one
//! number to all (`x - logsumexp(x)`), and scaling by one positive number keep that. So over the reals the same entries are
//! maximal, ties included, and the scores in front may stand for them. `ArgMax`, and `TopK` for one, answer the question
//! that we ask ourselves; they take the first maximal entry, as we do.
//!
//! Soundness: entries compare only within their row, which has a number; what mixes rows gives a value of which nothing
//! is known, and any other operator on such a value is refused.

use std::collections::BTreeMap;
use std::rc::Rc;

use surefoot_num::Rational;

use super::error::{Fault, problem};
use super::interpret::describe;
use super::signal::{Builder, Element};
use super::tensor::{self, Plan, Tensor, broadcast, broadcast_shape, element_count, transpose};
use super::value::{Call, Choice, Common, Ranked, Value};

fn origin(call: &Call<'_>) -> Rc<str> {
    format!("{} (node '{}')", call.node.op_type, describe(call.node)).into()
}

impl Builder {
    fn row(&mut self) -> usize {
        self.rows += 1;
        self.rows
    }

    /// Notes what is taken off.
    fn take_off(&mut self, what: &str) {
        self.told(format!("{what} was taken off: it does not change which output is maximal"));
    }
}

/// New rows for old: each key stands for one.
struct Rows<K>(BTreeMap<K, usize>);

impl<K: Ord> Rows<K> {
    fn of(&mut self, key: K, builder: &mut Builder) -> usize {
        *self.0.entry(key).or_insert_with(|| builder.row())
    }
}

/// The entries as ranked ones; a plain signal is one row.
fn ranked(value: &Value, after: &Rc<str>) -> Result<Tensor<Ranked>, Fault> {
    match value {
        Value::Ranked(tensor) => Ok(tensor.clone()),
        other => {
            let tensor = other.elements()?;
            let entry = |element| Ranked { element, row: 0, positive: false, after: after.clone() };
            Ok(Tensor { shape: tensor.shape, data: tensor.data.into_iter().map(entry).collect() })
        }
    }
}

/// The entries by the rows of some axes: how they are arranged with these axes last, and how long a row is.
fn rows(shape: &[usize], axes: &[usize]) -> (Plan, usize) {
    let order: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).chain(axes.iter().copied()).collect();
    (transpose(shape, &order), axes.iter().map(|&axis| shape[axis]).product())
}

/// That the entries of a row compare.
fn comparable(row: &[Ranked]) -> Result<(), Fault> {
    if row.windows(2).all(|pair| pair[0].row == pair[1].row) {
        return Ok(());
    }
    problem(format!("compares entries of different rows of {}", row[0].after))
}

/// `Softmax` and `LogSoftmax`.
pub(super) fn softmax(call: &Call<'_>, builder: &mut Builder, opset: i64) -> Result<Value, Fault> {
    let after = origin(call);
    let entries = ranked(call.input(0)?, &after)?;
    let axis = tensor::axis(call.int("axis", if opset >= 13 { -1 } else { 1 })?, entries.shape.len())?;
    // Before operator set 13 it ran over all dimensions from the axis on.
    let axes: Vec<usize> = if opset >= 13 { vec![axis] } else { (axis..entries.shape.len()).collect() };
    let (plan, len) = rows(&entries.shape, &axes);
    let mut data = entries.data.clone();
    for places in plan.source.chunks_exact(len.max(1)) {
        comparable(&places.iter().map(|&place| entries.data[place].clone()).collect::<Vec<_>>())?;
        let row = builder.row();
        for &place in places {
            let element = entries.data[place].element.clone();
            data[place] = Ranked { element, row, positive: call.node.op_type == "Softmax", after: after.clone() };
        }
    }
    builder.take_off(&after);
    Ok(Value::Ranked(Tensor { shape: entries.shape, data }))
}

/// `Exp`, and `Log` of what is positive.
pub(super) fn exponential(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let after = origin(call);
    let entries = ranked(call.input(0)?, &after)?;
    let exp = call.node.op_type == "Exp";
    if !exp && !entries.data.iter().all(|entry| entry.positive) {
        return Err(Fault::Unsupported("the logarithm is understood only of what Softmax or Exp give".to_owned()));
    }
    let mut fresh = Rows(BTreeMap::new());
    let entry = |old: &Ranked| Ranked {
        element: old.element.clone(),
        row: fresh.of(old.row, builder),
        positive: exp,
        after: after.clone(),
    };
    let data = entries.data.iter().map(entry).collect();
    builder.take_off(&after);
    Ok(Value::Ranked(Tensor { shape: entries.shape, data }))
}

/// The axes that a reduction runs over: an attribute or an input, all of them by default.
pub(super) fn reduced_axes(call: &Call<'_>, rank: usize) -> Result<Vec<usize>, Fault> {
    let axes = call.ints_or_input("axes", 1)?.unwrap_or_default();
    if axes.is_empty() && call.int("noop_with_empty_axes", 0)? == 0 {
        return Ok((0..rank).collect());
    }
    let mut axes: Vec<usize> = axes.iter().map(|&axis| tensor::axis(axis, rank)).collect::<Result<_, _>>()?;
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}

/// The shape of a reduction's result.
pub(super) fn reduced_shape(shape: &[usize], axes: &[usize], keep: bool) -> Vec<usize> {
    let dim = |(axis, dim): (usize, &usize)| match (axes.contains(&axis), keep) {
        (false, _) => Some(*dim),
        (true, true) => Some(1),
        (true, false) => None,
    };
    shape.iter().enumerate().filter_map(dim).collect()
}

/// A reduction of which only that is known that it gives one number per row: `ReduceLogSumExp`, and others of ranked entries.
pub(super) fn reduced(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let after = origin(call);
    let value = call.input(0)?;
    let positive = match value {
        Value::Ranked(tensor) => {
            matches!(&*call.node.op_type, "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin")
                && tensor.data.iter().all(|entry| entry.positive)
        }
        other => {
            other.elements()?;
            false
        }
    };
    let axes = reduced_axes(call, value.shape().len())?;
    let shape = reduced_shape(value.shape(), &axes, call.int("keepdims", 1)? != 0);
    let count = element_count(&shape).ok_or(Fault::TooLarge)?;
    let data = (0..count).map(|_| Common { row: builder.row(), positive, after: after.clone() }).collect();
    Ok(Value::Common(Tensor { shape, data }))
}

/// Arithmetic on values of which only the order is known; none if neither operand is one.
pub(super) fn arithmetic(call: &Call<'_>, builder: &mut Builder) -> Result<Option<Value>, Fault> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    let op = call.node.op_type.as_str();
    let opaque = |value: &Value| matches!(value, Value::Ranked(_) | Value::Common(_) | Value::Choice(_));
    // What is added or multiplied may stand on either side.
    let (entries, by) = match (opaque(a), opaque(b)) {
        (false, false) => return Ok(None),
        (false, true) if matches!(op, "Add" | "Mul") => (b, a),
        _ => (a, b),
    };
    let (entries, by) = if matches!(entries, Value::Common(_)) { (by, entries) } else { (entries, by) };
    if matches!(op, "Sub" | "Div") && !std::ptr::eq(entries, a) {
        return a.signal().and_then(|_| b.signal()).map(|_| None);
    }
    let after = origin(call);
    let entries = ranked(entries, &after)?;
    let shape = broadcast_shape(&entries.shape, by.shape())?;
    builder.charge(element_count(&shape).ok_or(Fault::TooLarge)?.saturating_mul(4))?;
    let (from_a, from_b) = (broadcast(&entries.shape, &shape), broadcast(by.shape(), &shape));
    let mut fresh = Rows(BTreeMap::new());
    let mut data = Vec::with_capacity(from_a.source.len());
    for (&i, &j) in from_a.source.iter().zip(&from_b.source) {
        let old = &entries.data[i];
        let scaling = matches!(op, "Mul" | "Div");
        let (key, positive) = match by {
            Value::Common(common) => {
                let common = &common.data[j];
                if scaling && !common.positive {
                    return by.signal().map(|_| None);
                }
                ((old.row, common.row, Rational::ZERO), common.positive)
            }
            other => match &other.elements()?.data[j] {
                Element::Const(value) if !scaling || value.signum() > 0 => {
                    ((old.row, 0, value.clone()), value.signum() > 0 && op != "Sub")
                }
                _ => return Value::Ranked(entries.clone()).signal().map(|_| None),
            },
        };
        let row = fresh.of(key, builder);
        let positive = old.positive && positive && op != "Sub";
        data.push(Ranked { element: old.element.clone(), row, positive, after: after.clone() });
    }
    let with = match by {
        Value::Common(common) => format!(" with {}", common.data[0].after),
        _ => String::new(),
    };
    builder.take_off(&format!("{after}{with}"));
    Ok(Some(Value::Ranked(Tensor { shape, data })))
}

/// One choice per row along the axis.
fn choices(call: &Call<'_>, builder: &mut Builder, axis: i64, keep: bool) -> Result<Tensor<Rc<Choice>>, Fault> {
    let after = origin(call);
    let entries = ranked(call.input(0)?, &after)?;
    let axis = tensor::axis(axis, entries.shape.len())?;
    let (plan, len) = rows(&entries.shape, &[axis]);
    if len < 2 {
        return problem(format!(
            "axis {axis} of shape {:?} has only one entry, so there is nothing to choose; does it run over the actions?",
            entries.shape
        ));
    }
    let mut data = Vec::new();
    for places in plan.source.chunks_exact(len) {
        let row: Vec<Ranked> = places.iter().map(|&place| entries.data[place].clone()).collect();
        comparable(&row)?;
        let scores = row.into_iter().map(|entry| entry.element).collect();
        data.push(Rc::new(Choice { scores, after: after.clone() }));
    }
    builder.take_off(&after);
    Ok(Tensor { shape: reduced_shape(&entries.shape, &[axis], keep), data })
}

pub(super) fn argmax(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    if call.int("select_last_index", 0)? != 0 {
        return Err(Fault::Unsupported(
            "select_last_index=1 takes the last maximal output, here the first one is taken; export without it"
                .to_owned(),
        ));
    }
    Ok(Value::Choice(choices(call, builder, call.int("axis", 0)?, call.int("keepdims", 1)? != 0)?))
}

/// `TopK` for one: its second output is the place, and of equal entries the first comes first.
pub(super) fn top(call: &Call<'_>, builder: &mut Builder) -> Result<Vec<Value>, Fault> {
    let wanted = match call.optional(1) {
        Some(value) => value.ints("the number of entries")?.data.clone(),
        None => vec![call.int("k", 0)?],
    };
    if wanted != [1] || call.int("largest", 1)? == 0 {
        return Err(Fault::Unsupported("only the largest entry (k=1) is a choice of an action".to_owned()));
    }
    let places = choices(call, builder, call.int("axis", -1)?, true)?;
    let after = origin(call);
    // Each row has a largest entry of its own.
    let value = |_: &Rc<Choice>| Common { row: builder.row(), positive: false, after: after.clone() };
    let values = Tensor { shape: places.shape.clone(), data: places.data.iter().map(value).collect() };
    Ok(vec![Value::Common(values), Value::Choice(places)])
}
