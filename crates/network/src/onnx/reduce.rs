//! Reductions along axes, and what slides a window over a grid: `ReduceSum`, `ReduceMean`, `ReduceMax`, `ReduceMin`, `Conv` and pooling.
//!
//! A convolution is a linear map of each window, so it becomes rows over the window's entries; padding is zero. A mean is
//! a sum times the rational `1/n`, which stays exact at the end of the network and before what takes it.

use surefoot_num::Rational;

use super::compute::{maximum, minimum};
use super::error::{Fault, problem};
use super::matrix::Matrix;
use super::rank;
use super::signal::{Builder, Element};
use super::tensor::{Tensor, element_count, transpose};
use super::value::{Call, Value};

/// Work for each entry of a maximum: a row, a neuron, a sum. Larger than what is allowed per number of a file, so that a maximum
/// of very many entries is refused before its units are made.
const STEPS_PER_ENTRY: usize = 128;

/// The largest (or smallest) of elements, as a balanced tree.
fn extremum(
    builder: &mut Builder,
    elements: &[Element],
    pairwise: fn(&mut Builder, &Element, &Element) -> Result<Element, Fault>,
) -> Result<Element, Fault> {
    // A unit for each pair, and each of them takes about as many steps as that.
    builder.charge(elements.len().saturating_mul(STEPS_PER_ENTRY))?;
    let mut level = elements.to_vec();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => pairwise(builder, a, b),
                _ => Ok(pair[0].clone()),
            })
            .collect::<Result<_, _>>()?;
    }
    level.pop().ok_or_else(|| Fault::Problem("there is nothing to take the largest of".to_owned()))
}

fn mean(builder: &mut Builder, elements: &[Element]) -> Result<Element, Fault> {
    let sum = builder.sum(elements)?;
    let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    builder.multiply(&sum, &Rational::new(1, count).ok_or(Fault::TooLarge)?)
}

/// What becomes of the entries of one row.
fn combine(op: &str, builder: &mut Builder, row: &[Element]) -> Result<Element, Fault> {
    builder.charge(row.len())?;
    match op {
        "ReduceSum" => builder.sum(row),
        "ReduceMean" | "AveragePool" | "GlobalAveragePool" => mean(builder, row),
        "ReduceMin" => extremum(builder, row, minimum),
        _ => extremum(builder, row, maximum),
    }
}

/// `ReduceSum`, `ReduceMean`, `ReduceMax`, `ReduceMin`.
pub(super) fn reduction(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    if matches!(value, Value::Ranked(_)) {
        return rank::reduced(call, builder);
    }
    let axes = rank::reduced_axes(call, value.shape().len())?;
    if axes.is_empty() {
        return Ok(value.clone());
    }
    let whole = value.is_whole();
    if whole && call.node.op_type == "ReduceMean" {
        return Err(Fault::Unsupported("the mean of integers drops the rest; cast them to float first".to_owned()));
    }
    if call.node.op_type == "ReduceSum" {
        builder.refuse_narrow(&[value])?;
    }
    let tensor = value.elements()?;
    let kept: Vec<usize> = (0..tensor.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let len: usize = axes.iter().map(|&axis| tensor.shape[axis]).product();
    let arranged = tensor.rearranged(&transpose(&tensor.shape, &order));
    let rows = arranged.data.chunks_exact(len.max(1));
    let data = rows.map(|row| combine(&call.node.op_type, builder, row)).collect::<Result<_, _>>()?;
    let shape = rank::reduced_shape(&tensor.shape, &axes, call.int("keepdims", 1)? != 0);
    let result = Tensor { shape, data };
    Ok(if whole { Value::Whole(result) } else { Value::Signal(result) })
}

/// How a window moves over the grid.
struct Window {
    kernel: Vec<usize>,
    strides: Vec<usize>,
    dilations: Vec<usize>,
    before: Vec<usize>,
    grid: Vec<usize>,
    outputs: Vec<usize>,
}

impl Window {
    fn new(call: &Call<'_>, grid: &[usize], kernel: Vec<usize>) -> Result<Self, Fault> {
        let rank = grid.len();
        let sizes = |name: &str, default: usize, len: usize| match call.ints(name)? {
            None => Ok(vec![default; len]),
            Some(list) if list.len() == len => {
                let size = |&n: &i64| usize::try_from(n).ok().filter(|n| *n >= default.min(1));
                list.iter().map(size).collect::<Option<Vec<_>>>().ok_or_else(|| bad(name))
            }
            Some(_) => Err(bad(name)),
        };
        let (strides, dilations, pads) =
            (sizes("strides", 1, rank)?, sizes("dilations", 1, rank)?, sizes("pads", 0, 2 * rank)?);
        if let Some(mode) =
            call.attribute("auto_pad").map(|a| a.s.as_slice()).filter(|m| !matches!(*m, b"" | b"NOTSET" | b"VALID"))
        {
            let mode = String::from_utf8_lossy(mode).into_owned();
            return Err(Fault::Unsupported(format!("auto_pad={mode} is not supported; export with explicit pads")));
        }
        if call.int("ceil_mode", 0)? != 0 {
            return Err(Fault::Unsupported("ceil_mode=1 is not supported; export with ceil_mode=0".to_owned()));
        }
        let mut outputs = Vec::new();
        for axis in 0..rank {
            let span = dilations[axis].checked_mul(kernel[axis].saturating_sub(1)).and_then(|s| s.checked_add(1));
            let padded = grid[axis].checked_add(pads[axis]).and_then(|n| n.checked_add(pads[axis + rank]));
            let room = span.zip(padded).and_then(|(span, padded)| padded.checked_sub(span));
            let Some(room) = room.filter(|_| kernel[axis] > 0) else {
                return problem(format!("a window of sizes {kernel:?} does not fit a grid of sizes {grid:?}"));
            };
            outputs.push(room / strides[axis] + 1);
        }
        Ok(Self { kernel, strides, dilations, before: pads[..rank].to_vec(), grid: grid.to_vec(), outputs })
    }

    /// The places in the grid that the window at an output reads; none where it reads padding.
    fn places(&self, output: usize) -> Vec<Option<usize>> {
        let rank = self.grid.len();
        let mut at = vec![0; rank];
        let mut rest = output;
        for axis in (0..rank).rev() {
            at[axis] = rest % self.outputs[axis];
            rest /= self.outputs[axis];
        }
        let mut places = vec![Some(0usize)];
        for (axis, at) in at.into_iter().enumerate() {
            let line: Vec<Option<usize>> = (0..self.kernel[axis])
                .map(|k| (at * self.strides[axis] + k * self.dilations[axis]).checked_sub(self.before[axis]))
                .map(|place| place.filter(|place| *place < self.grid[axis]))
                .collect();
            let extend = |base: &Option<usize>| {
                let base = *base;
                line.iter().map(move |place| Some(base? * self.grid[axis] + (*place)?)).collect::<Vec<_>>()
            };
            places = places.iter().flat_map(extend).collect();
        }
        places
    }
}

fn bad(name: &str) -> Fault {
    Fault::Problem(format!("attribute '{name}' does not fit the dimensions"))
}

/// Batch, channels and the grid of a signal.
fn grid(value: &Value) -> Result<(Tensor<Element>, usize, usize), Fault> {
    let tensor = value.signal()?;
    match tensor.shape[..] {
        [batch, channels, _, ..] => Ok((tensor, batch, channels)),
        _ => problem(format!("shape {:?}; expected batch, channels and a grid", tensor.shape)),
    }
}

/// `Conv` as the linear map it is.
pub(super) fn convolution(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (tensor, batch, channels) = grid(call.input(0)?)?;
    let Some(weights) = call.input(1)?.floats() else { return problem("its weights must be constant") };
    let groups =
        usize::try_from(call.int("group", 1)?).ok().filter(|groups| *groups > 0).ok_or_else(|| bad("group"))?;
    let [filters, depth, kernel @ ..] = &weights.shape[..] else { return problem("its weights have no kernel") };
    if kernel.len() + 2 != tensor.shape.len() || depth * groups != channels || filters % groups != 0 {
        return problem(format!("weights of shape {:?} do not fit values of shape {:?}", weights.shape, tensor.shape));
    }
    let bias = match call.optional(2) {
        None => None,
        Some(value) => match value.floats().filter(|bias| bias.data.len() == *filters) {
            Some(bias) => Some(bias.data),
            None => return problem("its biases must be constant, one per filter"),
        },
    };
    let window = Window::new(call, &tensor.shape[2..], kernel.to_vec())?;
    let (area, size): (usize, usize) = (window.grid.iter().product(), kernel.iter().product());
    let positions = element_count(&window.outputs).ok_or(Fault::TooLarge)?;
    builder.charge(positions.saturating_mul(weights.data.len()).saturating_mul(batch))?;
    let per_group = filters / groups;
    let mut data = vec![Element::Const(Rational::ZERO); batch * filters * positions];
    for (b, position) in (0..batch).flat_map(|b| (0..positions).map(move |p| (b, p))) {
        let places = window.places(position);
        for group in 0..groups {
            let entry = |channel: usize, place: &Option<usize>| match place {
                Some(place) => tensor.data[(b * channels + group * depth + channel) * area + place].clone(),
                None => Element::Const(Rational::ZERO),
            };
            let patch: Vec<Element> = (0..*depth)
                .flat_map(|channel| places.iter().map(move |place| (channel, place)))
                .map(|(c, p)| entry(c, p))
                .collect();
            let rows = &weights.data[group * per_group * depth * size..(group + 1) * per_group * depth * size];
            let matrix = Matrix::Dense(Tensor { shape: vec![per_group, depth * size], data: rows.to_vec() });
            for (filter, mut result) in builder.apply(&matrix, &patch)?.into_iter().enumerate() {
                let filter = group * per_group + filter;
                if let Some(bias) = &bias {
                    let bias = Rational::from_f64(bias[filter]).expect("stored numbers are finite");
                    result = builder.shift(&result, &bias)?;
                }
                data[(b * filters + filter) * positions + position] = result;
            }
        }
    }
    Ok(Value::Signal(Tensor { shape: [&[batch, *filters], &window.outputs[..]].concat(), data }))
}

/// `MaxPool`, `AveragePool`, `GlobalMaxPool` and `GlobalAveragePool`.
pub(super) fn pooling(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (tensor, batch, channels) = grid(call.input(0)?)?;
    let op = call.node.op_type.as_str();
    let kernel: Vec<usize> = if op.starts_with("Global") {
        tensor.shape[2..].to_vec()
    } else {
        let kernel = call.ints("kernel_shape")?.unwrap_or_default();
        let sizes: Option<Vec<usize>> = kernel.iter().map(|&n| usize::try_from(n).ok()).collect();
        sizes.filter(|sizes| sizes.len() + 2 == tensor.shape.len()).ok_or_else(|| bad("kernel_shape"))?
    };
    let window = Window::new(call, &tensor.shape[2..], kernel)?;
    let area: usize = window.grid.iter().product();
    let positions = element_count(&window.outputs).ok_or(Fault::TooLarge)?;
    let counts_padding = op == "AveragePool" && call.int("count_include_pad", 0)? != 0;
    builder.charge(positions.saturating_mul(window.kernel.iter().product()).saturating_mul(batch * channels))?;
    let mut data = Vec::with_capacity(batch * channels * positions);
    for channel in 0..batch * channels {
        for position in 0..positions {
            let mut row = Vec::new();
            for place in window.places(position) {
                match place {
                    Some(place) => row.push(tensor.data[channel * area + place].clone()),
                    None if counts_padding => row.push(Element::Const(Rational::ZERO)),
                    None => {}
                }
            }
            data.push(combine(op, builder, &row)?);
        }
    }
    Ok(Value::Signal(Tensor { shape: [&[batch, channels], &window.outputs[..]].concat(), data }))
}
