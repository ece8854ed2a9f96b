//! Which tensors make which layer: as the metadata says, or as names say it when the user says the rest.
//!
//! Soundness: names of tensors tell the order of layers, but nothing about what stands between them. A policy trained with
//! `tanh` has the same names as one trained with ReLU, so without a statement (in the file, or by the user about this file)
//! there is no network to speak about, and guessing would give a verdict about another one.

use std::collections::BTreeMap;

use safetensors::tensor::SafeTensors;
use serde_json::Value;

use super::{LAYERS, SafetensorsError, header};
use crate::layer::Activation;

/// One layer, by the names of its tensors.
#[derive(Debug, Clone)]
pub(super) struct LayerEntry {
    pub(super) weight: String,
    pub(super) bias: Option<String>,
    pub(super) activation: Activation,
}

/// What an entry looks like, for messages.
const EXAMPLE: &str = r#"{"weight": "0.weight", "bias": "0.bias", "activation": "relu"}"#;

/// The list that the metadata entry describes.
pub(super) fn described(text: &str) -> Result<Vec<LayerEntry>, SafetensorsError> {
    let bad = |problem: String| SafetensorsError::Metadata { key: LAYERS.to_owned(), problem };
    if let Some(problem) = header::not_json(text) {
        return Err(bad(problem));
    }
    if let Some(name) = header::twice(text.as_bytes()) {
        return Err(bad(format!("a layer has the member \"{name}\" twice")));
    }
    // It is JSON; numbers beyond every range and too many brackets are left.
    let value: Value = serde_json::from_str(text).map_err(|error| {
        bad(format!("line {}, column {} is no part of a list of layers", error.line(), error.column()))
    })?;
    let Value::Array(items) = value else {
        return Err(bad(format!("expected a list of layers, each like {EXAMPLE}")));
    };
    let layer = |(at, item): (usize, &Value)| {
        let bad = |problem: String| bad(format!("layer {at}: {problem}"));
        let Value::Object(members) = item else { return Err(bad(format!("expected an object like {EXAMPLE}"))) };
        if let Some(name) = members.keys().find(|name| !matches!(&***name, "weight" | "bias" | "activation")) {
            return Err(bad(format!("has no member \"{name}\"; expected {EXAMPLE}")));
        }
        let name = |member: &str| match members.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(name)) => Ok(Some(name.clone())),
            Some(_) => Err(bad(format!("\"{member}\" must be a string"))),
        };
        let needed = |member: &str| name(member)?.ok_or_else(|| bad(format!("\"{member}\" is missing")));
        let activation = needed("activation")?.parse().map_err(bad)?;
        Ok(LayerEntry { weight: needed("weight")?, bias: name("bias")?, activation })
    };
    items.iter().enumerate().map(layer).collect()
}

/// The layers that the names of a PyTorch `Sequential` suggest, with the activation that the user states between them.
pub(super) fn sequential(
    file: &SafeTensors<'_>,
    stated: Option<Activation>,
) -> Result<Vec<LayerEntry>, SafetensorsError> {
    let layers = numbered(file)?;
    let Some(stated) = stated else { return Err(SafetensorsError::NoActivation) };
    let last = layers.keys().next_back().copied();
    let numbers: Vec<u32> = layers.keys().copied().collect();
    let entry = |(number, (weight, bias)): (u32, (Option<String>, Option<String>))| {
        let unknown = || SafetensorsError::UnknownScheme { tensor: bias.clone().unwrap_or_default() };
        let weight = weight.ok_or_else(unknown)?;
        // In a Sequential, consecutive numbers leave no room for an activation; in other modules that count their
        // layers it is applied between them all the same.
        if stated != Activation::Identity
            && let Some(next) = number.checked_add(1).filter(|next| numbers.contains(next))
        {
            return Err(SafetensorsError::NoGap { number, next });
        }
        let activation = if Some(number) == last { Activation::Identity } else { stated };
        Ok(LayerEntry { weight, bias, activation })
    };
    layers.into_iter().map(entry).collect()
}

type Numbered = BTreeMap<u32, (Option<String>, Option<String>)>;

/// Weights and biases by their numbers.
fn numbered(file: &SafeTensors<'_>) -> Result<Numbered, SafetensorsError> {
    let mut names = file.names();
    names.sort_unstable();
    let mut layers = Numbered::new();
    let mut common: Option<&str> = None;
    for name in names {
        let unknown = || SafetensorsError::UnknownScheme { tensor: name.to_owned() };
        let (stem, part) = name.rsplit_once('.').ok_or_else(unknown)?;
        let (prefix, number) = stem.rsplit_once('.').unwrap_or(("", stem));
        let number: u32 = number.parse().map_err(|_| unknown())?;
        if *common.get_or_insert(prefix) != prefix {
            return Err(unknown());
        }
        let layer = layers.entry(number).or_default();
        let slot = match part {
            "weight" => &mut layer.0,
            "bias" => &mut layer.1,
            _ => return Err(unknown()),
        };
        // `00.weight` beside `0.weight`.
        if slot.replace(name.to_owned()).is_some() {
            return Err(unknown());
        }
    }
    if layers.is_empty() {
        return Err(SafetensorsError::Empty);
    }
    Ok(layers)
}
