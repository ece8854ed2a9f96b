//! The inputs of a graph: their shapes, their types, and one variable for each number.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::error::OnnxError;
use super::interpret::graph_error;
use super::proto::{GraphProto, TensorProto, ValueInfo, data_type};
use super::signal::{Element, VarId};
use super::tensor::Tensor;
use super::value::Value;
use crate::domain::InputDomain;

/// More inputs than this are no observation of a policy.
const MAX_INPUTS: usize = 1 << 20;

/// The shape of a graph input, an open batch dimension taken as 1, and what its type asks of its entries.
fn input_shape(input: &ValueInfo) -> Result<(Vec<usize>, InputDomain), OnnxError> {
    let name = &input.name;
    let Some(tensor) = input.value_type.as_ref().and_then(|t| t.tensor.as_ref()) else {
        return graph_error(format!("input '{name}' is no tensor"));
    };
    let domain = match (tensor.elem_type, data_type::integer_range(tensor.elem_type)) {
        (data_type::FLOAT | data_type::DOUBLE, _) => InputDomain::default(),
        (_, Some((lower, upper))) => InputDomain { integral: true, lower, upper },
        (other, None) => {
            let found = data_type::name(other);
            return graph_error(format!("input '{name}' has element type {found}; expected float, double or integers"));
        }
    };
    let Some(shape) = &tensor.shape else {
        return graph_error(format!("input '{name}' has no shape; export with fixed sizes (the batch may stay open)"));
    };
    let last = shape.dim.len().wrapping_sub(1);
    let usable = |value: i64| usize::try_from(value).ok().filter(|value| (1..=MAX_INPUTS).contains(value));
    let dim = |(at, dim): (usize, &super::proto::Dimension)| match (dim.value.and_then(usable), dim.value) {
        (Some(value), _) => Ok(value),
        // -1 and 0 are also seen for an open batch. An observation that is one integer has no other dimension.
        (None, None | Some(-1 | 0)) if at == 0 && (at != last || domain.integral) => Ok(1),
        _ => graph_error(format!("input '{name}': dimension {at} has no usable fixed size")),
    };
    Ok((shape.dim.iter().enumerate().map(dim).collect::<Result<_, _>>()?, domain))
}

/// The graph's inputs.
pub(super) struct Entries {
    pub(super) values: BTreeMap<String, Rc<Value>>,
    /// What is asked of each number, in order.
    pub(super) domains: Vec<InputDomain>,
    /// How many observations there are at once, where it is more than one, and how many numbers each has.
    pub(super) batch: Option<(usize, usize)>,
}

pub(super) fn inputs(
    graph: &GraphProto,
    stored: &BTreeMap<&str, &TensorProto>,
    notices: &mut Vec<String>,
) -> Result<Entries, OnnxError> {
    let mut entries = Entries { values: BTreeMap::new(), domains: Vec::new(), batch: None };
    let mut parts = Vec::new();
    for input in graph.input.iter().filter(|input| !stored.contains_key(input.name.as_str())) {
        let (shape, domain) = input_shape(input)?;
        let total = entries.domains.len();
        let count = shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim)).filter(|&n| n <= MAX_INPUTS);
        let Some(end) = count.map(|count| total + count).filter(|&end| end <= MAX_INPUTS) else {
            return graph_error(format!("input '{}' has too many entries", input.name));
        };
        entries.batch = match shape[..] {
            [rows, ..] if rows > 1 && total == 0 && (shape.len() > 1 || domain.integral) => Some((rows, end / rows)),
            _ => None,
        };
        let data = (total..end).map(|index| Element::var(VarId(index))).collect();
        let tensor = Tensor { shape, data };
        let value = if domain.integral { Value::Whole(tensor) } else { Value::Signal(tensor) };
        if entries.values.insert(input.name.clone(), Rc::new(value)).is_some() {
            return graph_error(format!("there are two inputs '{}'", input.name));
        }
        parts.push(format!("{} ({})", input.name, end - total));
        entries.domains.resize(end, domain);
    }
    if entries.domains.is_empty() {
        return graph_error("the graph has no inputs");
    }
    if parts.len() > 1 {
        notices.push(format!("several inputs, joined in this order: {}", parts.join(", ")));
    }
    Ok(entries)
}
