//! Networks of queries: where they are, and what the command line calls them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_files::Origin;
use surefoot_model::policy::read::GivenNetwork;
use surefoot_network::{Network, NetworkError, ReadOptions, read_with};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::{Kinship, NetworkDeclaration};

use crate::source::note_network;

/// A network, and what the query calls it.
#[derive(Debug, Clone)]
pub struct NetworkSource {
    /// The name, where one is given.
    pub name: Option<String>,
    /// The network.
    pub network: NetworkOrigin,
}

/// Where a network is.
#[derive(Debug, Clone)]
pub enum NetworkOrigin {
    /// In a file.
    File(PathBuf),
    /// In memory, under what messages and results call it.
    Memory(GivenNetwork),
}

/// A network that was read.
#[derive(Debug, Clone)]
pub struct Used {
    /// What it is called.
    pub shown: String,
    /// The network.
    pub network: Arc<Network>,
}

impl NetworkOrigin {
    /// A network in memory.
    #[must_use]
    pub fn memory(network: Network) -> Self {
        Self::Memory(("<network>".to_owned(), Arc::new(network)))
    }

    /// The file, if it is in one.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Memory(_) => None,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Memory((name, _)) => name.clone(),
        }
    }

    pub(super) fn load(&self, sources: &mut SourceMap, options: &ReadOptions) -> Result<Arc<Network>, Diagnostic> {
        match self {
            Self::File(path) => {
                let read = read_with(&mut sources.inputs, path, Origin::Named, options);
                Ok(Arc::new(read.map_err(|error| unusable(&error))?.0))
            }
            Self::Memory(given) => {
                note_network(sources, given)?;
                Ok(Arc::clone(&given.1))
            }
        }
    }
}

impl NetworkSource {
    /// `FILE` or `NAME=FILE`; a file that has `=` in its name is a file.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let word = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match text.split_once('=') {
            Some((name, file)) if word(name) && !Path::new(text).exists() => {
                Self { name: Some(name.to_owned()), network: NetworkOrigin::File(file.into()) }
            }
            _ => Self { name: None, network: NetworkOrigin::File(text.into()) },
        }
    }
}

fn unusable(error: &NetworkError) -> Diagnostic {
    match error {
        NetworkError::Io { path, source } => {
            let error = Diagnostic::error_anywhere(format!("cannot read the network {}: {source}", path.display()));
            match source.help() {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
        other => {
            let error = Diagnostic::error_anywhere(format!("cannot use the network {other}"));
            match other.help(Some(&format!("say so: {} relu", option("activation")))) {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
    }
}

/// The file of each declared network; none of those that are equal to another.
pub(super) fn chosen<'g>(
    declared: &[NetworkDeclaration],
    path: &Path,
    given: &'g [NetworkSource],
) -> Result<Vec<Option<&'g NetworkSource>>, Diagnostic> {
    let wanting: Vec<&NetworkDeclaration> =
        declared.iter().filter(|network| !matches!(network.kinship, Some(Kinship::EqualTo(_)))).collect();
    let (path, say) = (path.display(), option("network"));
    if let ([network], [source]) = (&wanting[..], given)
        && source.name.as_ref().is_none_or(|name| *name == network.name)
    {
        let own = |network: &NetworkDeclaration| !matches!(network.kinship, Some(Kinship::EqualTo(_)));
        return Ok(declared.iter().map(|network| own(network).then_some(source)).collect());
    }
    let names: Vec<&str> = wanting.iter().map(|network| network.name.as_str()).collect();
    for (index, source) in given.iter().enumerate() {
        let shown = source.network.shown();
        let Some(name) = &source.name else {
            let message = format!("{path} is about several networks, and nothing says which one {shown} is");
            return Err(Diagnostic::error_anywhere(message).with_help(format!("say {say} {}={shown}", names[0])));
        };
        if given[..index].iter().any(|other| other.name.as_ref() == Some(name)) {
            return Err(Diagnostic::error_anywhere(format!("there are two files for the network {name}")));
        }
        if let Some(network) = declared.iter().find(|network| network.name == *name)
            && !names.contains(&name.as_str())
        {
            let message = format!("no file is needed for {name}, which is equal to another network");
            return Err(Diagnostic::error(network.span, message).with_help(format!("leave {say} {name}=... out")));
        }
        if !names.contains(&name.as_str()) {
            let message = match &names[..] {
                [only] => format!("{path} is about a network {only}, not {name}"),
                _ => format!("{path} is about the networks {}, not {name}", names.join(", ")),
            };
            return Err(Diagnostic::error_anywhere(message).with_help(format!("say {say} {}={shown}", names[0])));
        }
    }
    let source = |network: &NetworkDeclaration| given.iter().find(|source| source.name.as_ref() == Some(&network.name));
    if let Some(missing) = wanting.iter().find(|network| source(network).is_none()) {
        let error = Diagnostic::error(missing.span, format!("there is no file for the network {}", missing.name));
        return Err(error.with_help(format!("say {say} {}=FILE", missing.name)));
    }
    Ok(declared.iter().map(source).collect())
}
