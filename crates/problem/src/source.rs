//! What is read: files, or values in memory.
//!
//! A [`Source`] is a text: a model, properties, predicates, queries, a result. A [`PolicySource`] is a policy with its networks.
//! What is in memory goes through the same readers as files do, with the same
//! checks and the same messages: a model built in code is written as JANI first, a network with its inputs and outputs as a policy text.
//!
//! Everything that was read is an input of the result, by its name and hash. What is in memory has a name of its own, by
//! convention in angle brackets (`<model>`), and no file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use surefoot_files::Kind;
use surefoot_jani::{syntax, write_model};
use surefoot_model::policy::read::GivenNetwork;
use surefoot_network::{Arithmetic, Network, Normalisation};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, SourceMap};
use surefoot_text::{give, load};

/// A text: in a file, or in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// In memory.
    Text {
        /// What messages and results call it.
        name: String,
        /// The text.
        text: Arc<str>,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::File(PathBuf::new())
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Source {
    fn from(path: &P) -> Self {
        Self::File(path.as_ref().to_owned())
    }
}

impl Source {
    /// A text in memory.
    #[must_use]
    pub fn text(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self::Text { name: name.into(), text: text.into() }
    }

    /// A model built in code.
    #[must_use]
    pub fn model(model: &syntax::Model) -> Self {
        Self::text("<model>", write_model(model))
    }

    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Text { .. } => None,
        }
    }

    /// What it is called: a path, for its extension and for messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Text { name, .. } => Path::new(name),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// Files that cannot be read or are no text; texts of a name that another one has.
    pub fn load(&self, sources: &mut SourceMap, kind: Kind) -> Result<FileId, Diagnostic> {
        match self {
            Self::File(path) => load(sources, path, kind),
            Self::Text { name, text } => give(sources, name, text, kind),
        }
    }
}

/// A policy: in a file, or in memory.
#[derive(Debug, Clone)]
pub enum PolicySource {
    /// A `.jani2nnet` or `.policy.json`; its networks are files.
    File(PathBuf),
    /// A text, and the networks that it names; others are files.
    Text {
        /// What messages and results call it.
        name: String,
        /// The text, as in a `.policy.json`.
        text: Arc<str>,
        /// The networks, by the names that the text has for them.
        networks: Vec<GivenNetwork>,
    },
}

impl<P: AsRef<Path> + ?Sized> From<&P> for PolicySource {
    fn from(path: &P) -> Self {
        Self::File(path.as_ref().to_owned())
    }
}

/// How the outputs of a network become a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choosing {
    /// Whether only applicable labels count.
    pub filter: bool,
    /// Whether each of several maximal outputs may be chosen; else it is the first.
    pub any_of_ties: bool,
}

impl PolicySource {
    /// One network for all states: the variables that it reads, and the labels that its outputs score, in order.
    #[must_use]
    pub fn network(network: Network, inputs: &[&str], labels: &[&str], choosing: Choosing) -> Self {
        const NAME: &str = "<network>";
        // PlaJA's ties are an option of the request, not of a policy.
        let ties = if choosing.any_of_ties { "any" } else { "first" };
        let policy = json!({
            "network": NAME,
            "inputs": inputs,
            "outputs": {"labels": labels},
            "filter": choosing.filter,
            "ties": ties,
        });
        let networks = vec![(NAME.to_owned(), Arc::new(network))];
        Self::Text { name: "<policy>".to_owned(), text: policy.to_string().into(), networks }
    }

    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Text { .. } => None,
        }
    }
}

/// Notes a network in memory as an input.
///
/// # Errors
/// Another network of the same name.
pub fn note_network(sources: &mut SourceMap, (name, network): &GivenNetwork) -> Result<(), Diagnostic> {
    let noted = sources.inputs.give(name, &parameters(network), Kind::Network);
    noted.map_err(|error| Diagnostic::error_anywhere(format!("cannot use the network {name}: {error}")))
}

/// All that a network is made of, as bytes: to be hashed.
fn parameters(network: &Network) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut text = |part: String| {
        bytes.extend_from_slice(part.as_bytes());
        bytes.push(b'\n');
    };
    let normalisation = |of: Option<&Normalisation>| {
        let numbers = of.into_iter().flat_map(|of| of.scale().iter().chain(of.offset()));
        numbers.map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    text(normalisation(network.input_normalisation()));
    for layer in network.layers() {
        text(format!("{} {} {}", layer.input_len(), layer.output_len(), layer.activation()));
        let bits = |number: &f64| format!("{:016x}", number.to_bits());
        if layer.is_sparse() {
            // A large layer of few weights that are not zero: only these, with their places.
            let terms = |output| layer.terms(output).map(|(input, weight)| format!("{input}:{} ", bits(&weight)));
            (0..layer.output_len()).for_each(|output| text(terms(output).collect()));
            text(layer.bias().iter().map(bits).collect());
        } else {
            text(layer.weights().iter().chain(layer.bias()).map(bits).collect());
        }
    }
    text(normalisation(network.output_normalisation()));
    if network.arithmetic() == Arithmetic::Float32 {
        text("float32".to_owned());
    }
    bytes
}
