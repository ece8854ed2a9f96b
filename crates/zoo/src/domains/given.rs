//! Networks that users give: read, checked against what the domain needs, and copied as they are.

use std::path::{Path, PathBuf};

use surefoot_files::{Inputs, Origin};
use surefoot_network::{Network, ReadOptions, read_with};

use crate::{NetworkFile, ParameterError};

/// A network that a user gave.
pub(super) struct Given {
    /// Its text, to be copied.
    pub(super) file: NetworkFile,
    /// What it computes.
    pub(super) network: Network,
}

/// Reads the first file of these names that the folder has.
///
/// # Errors
/// When the folder has none of them, or the file is no network with so many inputs and outputs.
pub(super) fn network(folder: &str, names: &[String], inputs: usize, outputs: usize) -> Result<Given, ParameterError> {
    let folder = Path::new(folder);
    let (name, path) = find(folder, names)?;
    let failed = |reason: String| ParameterError::new(format!("networks={}: {reason}", folder.display()));
    let read = read_with(&mut Inputs::default(), &path, Origin::Named, &ReadOptions::default());
    let (network, bytes) = read.map_err(|error| failed(error.with_help()))?;
    if (network.input_len(), network.output_len()) != (inputs, outputs) {
        return Err(failed(format!(
            "{name} has {} inputs and {} outputs, but {inputs} inputs and {outputs} outputs are needed here",
            network.input_len(),
            network.output_len()
        )));
    }
    Ok(Given { file: NetworkFile { name, bytes, made: false }, network })
}

fn find(folder: &Path, names: &[String]) -> Result<(String, PathBuf), ParameterError> {
    let found = names.iter().map(|name| (name.clone(), folder.join(name))).find(|(_, path)| path.is_file());
    found.ok_or_else(|| {
        let shown = folder.display();
        let reason = if folder.is_dir() {
            format!("it has no file {}", names.join(" or "))
        } else {
            "no such folder".to_owned()
        };
        ParameterError::new(format!("networks={shown}: {reason}"))
    })
}
