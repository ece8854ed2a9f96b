//! Which output of the graph is the policy, and what its entries are.
//!
//! Soundness: a graph may have a value head and others beside the policy, and a number per action looks like any other
//! vector. So without a name an output is taken only where it alone can be meant: it is the only one that says which score is
//! largest, or the only one with a name that policies' outputs have, or the only one with several entries. What was taken is
//! told, and anything else is an error that asks for the name.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::error::{Fault, OnnxError};
use super::proto::{GraphProto, NodeProto, ValueInfo};
use super::signal::{Builder, Element, Output, VarId};
use super::value::{Choice, Ranked, Value};
use crate::layer::Activation;

/// Names that exports give to the scores or the action of a policy.
const NAMES: [&str; 20] = [
    "action",
    "actions",
    "action_logits",
    "action_probs",
    "action_scores",
    "advantages",
    "logits",
    "logit",
    "pi",
    "policy",
    "policy_logits",
    "prob",
    "probs",
    "probabilities",
    "q",
    "q_value",
    "q_values",
    "qvalues",
    "q_vals",
    "scores",
];

/// Whether an output is the place of the largest score.
fn is_choice(output: &str, producers: &BTreeMap<&str, &NodeProto>) -> bool {
    let mut open = vec![output];
    let mut seen = BTreeSet::new();
    let mut found = false;
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(node) = producers.get(name) else { return false };
        match node.op_type.as_str() {
            "ArgMax" => found = true,
            "TopK" if node.output.get(1).is_some_and(|places| places == name) => found = true,
            "Cast" | "Identity" | "Flatten" | "Reshape" | "Squeeze" | "Unsqueeze" => {
                open.extend(node.input.first().map(String::as_str));
            }
            "Concat" => open.extend(node.input.iter().map(String::as_str)),
            _ => return false,
        }
    }
    found
}

/// The number of entries that the file states for an output, open dimensions counted as 1.
fn entries(output: &ValueInfo) -> Option<i64> {
    let shape = output.value_type.as_ref()?.tensor.as_ref()?.shape.as_ref()?;
    shape.dim.iter().map(|dim| dim.value.unwrap_or(1)).try_fold(1i64, i64::checked_mul)
}

/// The output to read, with notices about the others.
pub(super) fn choose<'a>(
    graph: &'a GraphProto,
    wanted: Option<&str>,
    producers: &BTreeMap<&str, &NodeProto>,
    notices: &mut Vec<String>,
) -> Result<&'a str, OnnxError> {
    let error = |text: String| Err(OnnxError::Graph(text));
    let names: Vec<&str> = graph.output.iter().map(|output| output.name.as_str()).collect();
    let listed = names.join(", ");
    let only = |test: &dyn Fn(&&ValueInfo) -> bool| {
        let mut matching = graph.output.iter().filter(|output| test(output));
        matching.next().filter(|_| matching.next().is_none()).map(|output| output.name.as_str())
    };
    let by_name = |output: &&ValueInfo| NAMES.contains(&output.name.to_ascii_lowercase().as_str());
    let several = |output: &&ValueInfo| entries(output) != Some(1);
    let (chosen, why) = match (&names[..], wanted) {
        ([], _) => return error("the graph has no outputs".to_owned()),
        (_, Some(wanted)) => match names.iter().copied().find(|name| *name == wanted) {
            Some(chosen) => (chosen, "as stated"),
            None => return error(format!("there is no output '{wanted}'; the graph has {listed}")),
        },
        ([only], None) => (*only, ""),
        (_, None) => {
            let choice = only(&|output| is_choice(&output.name, producers));
            let found = choice
                .map(|name| (name, "it is the place of the largest score"))
                .or_else(|| only(&by_name).map(|name| (name, "by its name")))
                .or_else(|| only(&several).map(|name| (name, "the only one with several entries")));
            match found {
                Some(found) => found,
                None => {
                    return error(format!(
                        "the graph has several outputs ({listed}) and nothing says which one is the policy; name it as \
                         \"output\" of the network in the policy file, or export only that one"
                    ));
                }
            }
        }
    };
    let dropped: Vec<&str> = names.iter().copied().filter(|name| *name != chosen).collect();
    if !dropped.is_empty() {
        notices.push(format!("output '{chosen}' is taken ({why}), other outputs are ignored: {}", dropped.join(", ")));
    }
    Ok(chosen)
}

/// What the network computes.
pub(super) struct Answer {
    pub(super) outputs: Vec<Output>,
    /// The number of scores of each choice, where there are several.
    pub(super) choices: Vec<usize>,
    /// Whether only the order of the outputs is told.
    pub(super) order_only: bool,
    /// Whether these are the outputs for the first of several observations.
    pub(super) first_row: bool,
    /// What to tell about it.
    pub(super) notices: Vec<String>,
}

fn unfit<T>(output: &str, problem: &str) -> Result<T, OnnxError> {
    Err(OnnxError::Graph(format!("output '{output}' {problem}")))
}

/// The entries of the chosen output; `batch` is the first dimension of all inputs, and the number of inputs of one row.
pub(super) fn answer(
    output: &str,
    value: &Value,
    batch: Option<(usize, usize)>,
    builder: &mut Builder,
) -> Result<Answer, OnnxError> {
    let shape = value.shape().to_vec();
    let at = |fault: Fault| fault.of_output(output);
    // An export for a fixed number of observations computes that many rows of the same; one is enough.
    let stacked = |count: usize| shape.first() == Some(&count);
    let rows = match (batch, value) {
        (Some((count, _)), Value::Choice(_)) if stacked(count) => Some(count),
        (Some((count, _)), _) if stacked(count) && shape.iter().filter(|&&dim| dim > 1).count() > 1 => Some(count),
        _ => None,
    };
    let first = |count: usize, len: usize| if rows.is_some() { len / count.max(1) } else { len };
    let count = rows.unwrap_or(1);
    if rows.is_none() && !matches!(value, Value::Choice(_)) && shape.iter().filter(|&&dim| dim > 1).count() > 1 {
        return unfit(output, &format!("has shape {shape:?}; expected one vector of outputs"));
    }
    let mut choices = Vec::new();
    let mut order_only = true;
    let elements: Vec<Element> = match value {
        Value::Choice(tensor) => {
            let own: &[Rc<Choice>] = &tensor.data[..first(count, tensor.data.len())];
            choices = own.iter().map(|choice| choice.scores.len()).collect();
            own.iter().flat_map(|choice| choice.scores.iter().cloned()).collect()
        }
        Value::Ranked(tensor) => {
            let own: &[Ranked] = &tensor.data[..first(count, tensor.data.len())];
            if own.iter().any(|entry| entry.row != own[0].row) {
                return unfit(
                    output,
                    &format!("has entries that cannot be compared with each other, after {}", own[0].after),
                );
            }
            own.iter().map(|entry| entry.element.clone()).collect()
        }
        other => {
            order_only = false;
            let tensor = other.elements().map_err(at)?;
            tensor.data[..first(count, tensor.data.len())].to_vec()
        }
    };
    let outputs: Vec<Output> = elements.iter().map(|e| builder.output(e)).collect::<Result<_, _>>().map_err(at)?;
    let mut notices = Vec::new();
    if let (Some(count), Some((_, inputs))) = (rows, batch) {
        if !reads_only(builder, &outputs, inputs) {
            return unfit(
                output,
                &format!(
                    "has shape {shape:?}, and its first row depends on other rows of the input; export for one observation"
                ),
            );
        }
        notices.push(format!("the file computes {count} observations at once; the first of them is taken"));
    }
    if choices.len() > 1 {
        let sizes: Vec<String> = choices.iter().map(ToString::to_string).collect();
        notices.push(format!("output '{output}' is {} choices, of {} scores", choices.len(), sizes.join(", ")));
    }
    let choices = if choices.len() > 1 { choices } else { vec![outputs.len()] };
    Ok(Answer { outputs, choices, order_only, first_row: rows.is_some(), notices })
}

/// Whether outputs depend on the first inputs only.
fn reads_only(builder: &Builder, outputs: &[Output], inputs: usize) -> bool {
    let mut open: Vec<VarId> = outputs.iter().flat_map(|output| output.row.terms()).map(|(var, _)| var).collect();
    let mut seen = BTreeSet::new();
    while let Some(var) = open.pop() {
        match var.0.checked_sub(builder.inputs.len()) {
            None if var.0 >= inputs => return false,
            Some(neuron) if seen.insert(neuron) => {
                let neurons = &builder.neurons;
                open.extend(neurons[neuron].row.terms().map(|(var, _)| var));
                // Soundness: a neuron of a normalised vector depends on all others of it.
                if let (Some(first), Activation::LayerNorm { .. }) =
                    (neurons[neuron].vector, neurons[neuron].activation)
                {
                    let others = (first..).zip(&neurons[first..]).take_while(|(_, other)| other.vector == Some(first));
                    open.extend(others.map(|(other, _)| VarId(builder.inputs.len() + other)));
                }
            }
            _ => {}
        }
    }
    true
}
