//! Networks that users have: found in a folder, checked against the interface, and copied as they are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;
use surefoot_files::{Inputs, Kind, Origin};
use surefoot_network::{ReadOptions, read_with};

use super::{Attached, Interface, file_object};
use crate::{NetworkFile, ParameterError};

/// What networks are called.
const NETWORKS: [&str; 3] = ["nnet", "onnx", "safetensors"];

/// Reads the only `.jani2nnet`, or else the only network, of a folder; or the file that is named.
pub(super) fn read(given: &str, interface: &Interface) -> Result<Attached, ParameterError> {
    let failed = |reason: String| ParameterError::new(format!("networks={given}: {reason}"));
    let path = only_file(Path::new(given)).map_err(&failed)?;
    let (path, interface, origin) = if has_extension(&path, &["jani2nnet"]) {
        let (path, interface) = described(&path, interface).map_err(&failed)?;
        (path, interface, Origin::Reached)
    } else {
        (path, interface.clone(), Origin::Named)
    };
    let read = read_with(&mut Inputs::default(), &path, origin, &ReadOptions::default());
    let (network, bytes) = read.map_err(|error| failed(error.with_help()))?;
    let (inputs, labels) = (interface.inputs.len(), interface.labels.len());
    if (network.input_len(), network.output_len()) != (inputs, labels) {
        return Err(failed(format!(
            "{} has {} inputs and {} outputs, but there are {inputs} inputs ({}) and {labels} labels",
            path.display(),
            network.input_len(),
            network.output_len(),
            interface.inputs.join(", "),
        )));
    }
    let name = path.file_name().map_or_else(|| "policy.nnet".to_owned(), |name| name.to_string_lossy().into_owned());
    let policy = file_object(&interface, "A network given when the instance was generated.", &name);
    Ok(Attached { policy, networks: vec![NetworkFile { name, bytes, made: false }] })
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|e| extensions.contains(&e))
}

/// The file that is meant: a folder must leave no choice.
fn only_file(path: &Path) -> Result<PathBuf, String> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let entries = std::fs::read_dir(path).map_err(|error| format!("cannot read the folder: {error}"))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort();
    for extensions in [&["jani2nnet"][..], &NETWORKS[..]] {
        let mut found = files.iter().filter(|file| has_extension(file, extensions));
        match (found.next(), found.next()) {
            (Some(only), None) => return Ok(only.clone()),
            (Some(one), Some(other)) => {
                return Err(format!("it has {} and {}; name the file that is meant", one.display(), other.display()));
            }
            (None, _) => {}
        }
    }
    Err("it has no .jani2nnet, .nnet, .onnx or .safetensors".to_owned())
}

/// The network of a `.jani2nnet`, and the interface in its order.
fn described(path: &Path, interface: &Interface) -> Result<(PathBuf, Interface), String> {
    let shown = path.display();
    let read = Inputs::default().read(path, Kind::Policy, Origin::Named);
    let bytes = read.map_err(|error| format!("cannot read {shown}: {error}"))?;
    let object: Value = serde_json::from_slice(&bytes)
        .map_err(|error| format!("{shown} is no JSON: line {}, column {}", error.line(), error.column()))?;
    let file = object["file"].as_str().ok_or_else(|| format!("{shown} names no \"file\""))?;
    let names = |key: &str, known: &[String]| -> Result<Vec<String>, String> {
        let list = object[key].as_array().ok_or_else(|| format!("{shown} has no list \"{key}\""))?;
        let name = |entry: &Value| entry.as_str().or_else(|| entry["name"].as_str()).unwrap_or_default().to_owned();
        let names: Vec<String> = list.iter().map(name).collect();
        match names.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(format!("{shown} has the {key} '{name}', but here they are {}", known.join(", "))),
            None => Ok(names),
        }
    };
    let interface = Interface {
        inputs: names("input", &interface.inputs)?,
        labels: names("output", &interface.labels)?,
        filter: object["filter"].as_bool().unwrap_or(interface.filter),
    };
    Ok((path.parent().unwrap_or(Path::new("")).join(file), interface))
}
