//! Policy files: PlaJA's `.jani2nnet` and our own `.policy.json`, described in `docs/policies.md`.
//!
//! Both say which network is asked, which value each of its inputs is, and what its outputs mean. Everything is
//! checked against the model and the network when the file is read, so that a policy that was read can be used:
//! names are known, inputs are linear over the state, numbers of inputs and outputs are right.
//!
//! Networks may lie anywhere (`../networks/x.onnx` is ordinary); what is in one that cannot be read is not quoted.

mod inputs;
mod names;
mod native;
mod options;
mod outputs;
mod piecewise;
mod plaja;
mod semantics;
mod truth;
mod units;
mod variables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_files::{Kind, Origin};
use surefoot_linear::Linear;
use surefoot_network::foreign::by_name;
use surefoot_network::{Network, NetworkError, ReadOptions, read_with};
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::json::{Document, Node};
use surefoot_text::source::{FileId, SourceMap, Span};
use surefoot_text::{load, load_reached, suggest, unveil_beside};

use super::{Outputs, Policy};
use crate::lower::Lowered;
use crate::model::LabelId;

/// How many names a message lists before it says "and others".
const MAX_LISTED: usize = 12;

/// Reads a policy file of either kind against a model; gives the policy, and warnings and notices.
///
/// A *notice* is an inference: what the files leave open and was decided here. A verdict rests on it, so results list it
/// among their assumptions ([`inferences`]). A warning is about something that is probably a mistake.
///
/// A name that ends in `.jani2nnet` makes it PlaJA's format, otherwise the members of the file do.
///
/// # Errors
/// If the file or a network in it cannot be read, or does not fit the model: one error per entry.
pub fn read_policy(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    path: &Path,
) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_policy_named_in(None, lowered, sources, path)
}

/// The same for a policy that another file names, if one does.
///
/// # Errors
/// As for [`read_policy`].
pub fn read_policy_named_in(
    namer: Option<FileId>,
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    path: &Path,
) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if let "nnet" | "onnx" | "safetensors" = &*extension {
        let message = format!("{} is a network; a policy file is needed", path.display());
        let help = "write a .policy.json that names the network and says what its inputs and outputs mean";
        return Err(one(Diagnostic::error_anywhere(message).with_help(help)));
    }
    if let Some(foreign) = by_name(path) {
        let message = format!("{} is {}; a policy file (.policy.json) is needed", path.display(), foreign.what);
        return Err(one(Diagnostic::error_anywhere(message).with_help(foreign.help)));
    }
    let file = match namer {
        None => load(sources, path, Kind::Policy),
        Some(_) => load_reached(sources, path, Kind::Policy),
    };
    read(lowered, sources, file.map_err(one)?, namer, &[])
}

/// A network that a caller has in memory, and what policies call it.
pub type GivenNetwork = (String, Arc<Network>);

/// Reads a policy from a source that is there already; where it names a network that is given, that one is meant and no file.
///
/// # Errors
/// As for [`read_policy`].
pub fn read_policy_source(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    file: FileId,
    given: &[GivenNetwork],
) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    read(lowered, sources, file, None, given)
}

fn read(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    file: FileId,
    namer: Option<FileId>,
    given: &[GivenNetwork],
) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    let text = Arc::clone(&sources.file(file).text);
    let document = Document::parse(file, &text).map_err(|error| vec![error])?;
    if let Some(namer) = namer {
        unveil_beside(sources, namer, file);
    }
    let root = document.root();
    let path = sources.path(file);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let is_plaja = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jani2nnet")) || plaja::looks_like(root);
    let mut reading = Reading {
        lowered,
        sources,
        folder,
        given,
        errors: Vec::new(),
        notes: Vec::new(),
        networks: Vec::new(),
        inferences: Vec::new(),
    };
    let policy = if is_plaja { reading.plaja_policy(root) } else { reading.native_policy(root) };
    reading.tell_inferences();
    match policy {
        Ok(Some(policy)) if reading.errors.is_empty() => Ok((policy, reading.notes)),
        Ok(_) => Err(reading.errors),
        Err(error) => {
            reading.errors.push(error);
            Err(reading.errors)
        }
    }
}

/// The state of reading one policy file.
struct Reading<'a> {
    lowered: &'a mut Lowered,
    sources: &'a mut SourceMap,
    /// What network paths are relative to.
    folder: PathBuf,
    /// Networks in memory.
    given: &'a [GivenNetwork],
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
    /// Networks read so far: several entries may name one file.
    networks: Vec<(PathBuf, ReadOptions, Arc<Network>)>,
    /// What was inferred about networks, and about which of them: the place and file of the first, and how many.
    inferences: Vec<(String, Span, String, usize)>,
}

/// What was inferred when a policy was read, as assumptions of a verdict.
pub fn inferences(notes: &[Diagnostic]) -> impl Iterator<Item = String> {
    notes.iter().filter(|note| note.severity == Severity::Notice).map(|note| note.message.clone())
}

/// A network and how it was named.
struct NetworkRef {
    network: Arc<Network>,
    /// The path from where we are, for messages.
    file: String,
}

impl Reading<'_> {
    /// Notes an error and goes on without the value.
    fn note<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// The network that a string names.
    fn network(&mut self, node: Node<'_>, options: &ReadOptions) -> Result<NetworkRef, Diagnostic> {
        let name = node.expect_str("the path of a network file")?;
        if let Some((name, network)) = self.given.iter().find(|(given, _)| given == name) {
            self.infer(network, node.span(), name);
            return Ok(NetworkRef { network: Arc::clone(network), file: name.clone() });
        }
        let path = self.folder.join(name);
        let file = path.display().to_string();
        let known = self.networks.iter().find(|(known, with, _)| *known == path && with == options);
        if let Some((_, _, network)) = known {
            return Ok(NetworkRef { network: Arc::clone(network), file });
        }
        let read = read_with(&mut self.sources.inputs, &path, Origin::Reached, options);
        let (network, _) = read.map_err(|error| self.unreadable(&error, node.span()))?;
        self.infer(&network, node.span(), &file);
        let network = Arc::new(network);
        self.networks.push((path, options.clone(), Arc::clone(&network)));
        Ok(NetworkRef { network, file })
    }

    /// Keeps what was inferred about a network.
    fn infer(&mut self, network: &Network, span: Span, file: &str) {
        for notice in network.notices() {
            match self.inferences.iter_mut().find(|(known, ..)| known == notice) {
                Some((_, _, _, others)) => *others += 1,
                None => self.inferences.push((notice.clone(), span, file.to_owned(), 0)),
            }
        }
    }

    /// One notice for each inference: a policy may have dozens of networks of the same origin.
    fn tell_inferences(&mut self) {
        for (text, span, file, others) in std::mem::take(&mut self.inferences) {
            let whose = match others {
                0 => file,
                1 => format!("{file} and another network"),
                n => format!("{file} and {n} other networks"),
            };
            self.notes.push(Diagnostic::notice(span, format!("{whose}: {text}")));
        }
    }

    /// A network error at the place that names the network; the message says where in the network file.
    fn unreadable(&self, error: &NetworkError, span: Span) -> Diagnostic {
        let message = match error {
            NetworkError::Io { path, source } => {
                format!("cannot read the network {}: {source}", path.display())
            }
            other => format!("cannot use the network {other}"),
        };
        let error_here = Diagnostic::error(span, message);
        if let NetworkError::Io { source, .. } = error {
            let policy = self.sources.path(span.file).display();
            let relative = || format!("the path is relative to the folder of {policy}");
            return error_here.with_help(source.help().map_or_else(relative, str::to_owned));
        }
        match error.help(Some(
            "say which one it was trained with in the entry of \"networks\" of a .policy.json: {\"file\": ..., \"activation\": \
             \"tanh\"} (or \"relu\", ...)",
        )) {
            Some(help) => error_here.with_help(help),
            None => error_here,
        }
    }

    /// The labels that a list names, in order and distinct; names that no operator has get a warning, which says what the filter makes of them.
    fn labels(&mut self, list: Node<'_>, filter: bool) -> Result<Outputs, Diagnostic> {
        let mut labels: Vec<LabelId> = Vec::new();
        for item in list.expect_array("the outputs as an array of action names")? {
            let found = self.label(item);
            let Some(label) = self.note(found) else { continue };
            let name = &self.lowered.model.labels[label.0 as usize];
            if labels.contains(&label) {
                let message = format!("the action '{name}' is listed twice; each output needs an action of its own");
                self.errors.push(
                    Diagnostic::error(item.span(), message).with_help("remove it, or name the action that is meant"),
                );
            } else if !self.lowered.model.vectors.iter().any(|v| v.label == Some(label)) {
                self.notes.push(if filter {
                    let message = format!(
                        "the action '{name}' never happens in the model, so the filter never lets it be chosen"
                    );
                    Diagnostic::warning(item.span(), message)
                } else {
                    let message =
                        format!("the action '{name}' never happens in the model, so choosing it stops the run");
                    Diagnostic::warning(item.span(), message).with_help("with \"filter\": true it is never chosen")
                });
            }
            labels.push(label);
        }
        if labels.is_empty() && self.errors.is_empty() {
            return Err(Diagnostic::error(list.span(), "a policy needs at least one output")
                .with_help("list the actions, one per output of the network"));
        }
        Ok(Outputs::Labels(labels))
    }

    fn label(&self, node: Node<'_>) -> Result<LabelId, Diagnostic> {
        let name = node.expect_str("the name of an action")?;
        let model = &self.lowered.model;
        model.label(name).ok_or_else(|| {
            let error = Diagnostic::error(node.span(), format!("the model has no action '{name}'"));
            let known: Vec<&str> = model.labels.iter().map(|l| &**l).collect();
            help_with_names(error, name, "actions", &known)
        })
    }

    /// Refuses inputs that are not what the network asks for: integers, or a range of them.
    fn check_domains(&mut self, network: &NetworkRef, forms: &[Linear], span: Span) {
        let space = self.lowered.model.space();
        for (index, form) in forms.iter().enumerate().take(network.network.input_len()) {
            if let Some(problem) = network.network.input_domain(index).excludes(form, &space) {
                let message = format!("input {index} of the network {} {problem}", network.file);
                let help = "use integer variables with whole factors, with these bounds";
                self.errors.push(Diagnostic::error(span, message).with_help(help));
            }
        }
    }

    /// Refuses a network whose inputs or outputs are not as many as the file lists.
    fn check_sizes(&mut self, network: &NetworkRef, inputs: (usize, Span), outputs: Option<(usize, Span)>) {
        let sizes =
            [("input", network.network.input_len(), Some(inputs)), ("output", network.network.output_len(), outputs)];
        for (what, has, listed) in sizes {
            if let Some((listed, span)) = listed.filter(|(listed, _)| *listed != has) {
                let plural = if has == 1 { "" } else { "s" };
                let are = if listed == 1 { "is" } else { "are" };
                let message =
                    format!("the network {} has {has} {what}{plural}, but {listed} {are} listed", network.file);
                self.errors.push(
                    Diagnostic::error(span, message)
                        .with_help("list one entry per input and output of the network, in its order"),
                );
            }
        }
    }
}

/// The advice for an unknown name: the one that was meant, or all there are.
fn help_with_names(error: Diagnostic, name: &str, what: &str, known: &[&str]) -> Diagnostic {
    if let Some(near) = suggest(name, known.iter().copied()) {
        return error.with_help(format!("did you mean '{near}'?"));
    }
    match known.len() {
        0 => error.with_help(format!("it has no {what} at all")),
        n if n <= MAX_LISTED => error.with_help(format!("its {what} are {}", known.join(", "))),
        _ => error.with_help(format!("its {what} are {} and others", known[..MAX_LISTED].join(", "))),
    }
}
