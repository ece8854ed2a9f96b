//! VNN-LIB properties to questions: which file is which network, and which of its inputs and outputs are meant.
//!
//! Every declared output is an application of its own: a network with two outputs is two networks with the same inputs.
//! Variables are the inputs of all networks in the order of the file, and so are the outputs of the applications; so the
//! symbols of the property are those of the question.

use std::path::Path;
use std::sync::Arc;

use surefoot_files::{Kind, Origin, unpack, unpacked_name};
use surefoot_linear::{Linear, Symbol};
use surefoot_network::onnx::{Interface, Port, interface};
use surefoot_network::{Network, ReadOptions};
use surefoot_oracle::{Application, Question, Variable};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::{Kinship, NetworkDeclaration, Property};

use super::check::counted;
use super::networks::{NetworkOrigin, NetworkSource, Used, chosen};
use super::query::identity;

/// A property with its networks.
pub(super) struct Wired {
    pub(super) question: Question,
    pub(super) networks: Vec<Used>,
    pub(super) notes: Vec<Diagnostic>,
}

/// Reads the networks of a property; `path` is the property's file. What is asked is about the same functions with as few layers as they
/// need.
pub(super) fn wire(
    sources: &mut SourceMap,
    property: &Property,
    path: &Path,
    given: &[NetworkSource],
    options: &ReadOptions,
) -> Result<Wired, Diagnostic> {
    let mut wired = read(sources, property, path, given, options)?;
    let mut known: Vec<(Arc<Network>, Arc<Network>)> = Vec::new();
    for application in &mut wired.question.applications {
        // Two applications of one network stay that.
        let fused = known.iter().find(|(network, _)| Arc::ptr_eq(network, &application.network));
        let fused = fused.map_or_else(|| Arc::new(application.network.fused()), |(_, fused)| Arc::clone(fused));
        known.push((std::mem::replace(&mut application.network, Arc::clone(&fused)), fused));
    }
    Ok(wired)
}

fn read(
    sources: &mut SourceMap,
    property: &Property,
    path: &Path,
    given: &[NetworkSource],
    options: &ReadOptions,
) -> Result<Wired, Diagnostic> {
    let bounds = property.inputs.iter();
    let variables = bounds.map(|(lower, upper)| Variable::real(lower.clone(), upper.clone())).collect();
    let question = Question { variables, applications: Vec::new(), formula: property.formula.clone() };
    let mut wired = Wired { question, networks: Vec::new(), notes: Vec::new() };
    let declared = property.names.networks();
    if declared.is_empty() {
        let [only] = given else {
            let error = Diagnostic::error_anywhere(format!("{} is about one network", path.display()));
            return Err(error.with_help(format!("give it as {} FILE, once", option("network"))));
        };
        let network = only.network.load(sources, options)?;
        let (inputs, outputs) = (property.inputs.len(), property.outputs);
        fits(property, path, &only.network.shown(), (inputs, outputs), (network.input_len(), network.output_len()))?;
        wired.question.applications.push(identity(&network));
        wired.networks.push(Used { shown: only.network.shown(), network });
        return Ok(wired);
    }
    let chosen = chosen(declared, path, given)?;
    // Of each declared network, its functions, one for each output.
    let mut functions: Vec<Vec<Arc<Network>>> = Vec::new();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let mut first = 0;
    for (declaration, source) in declared.iter().zip(chosen) {
        let (own, order) = match (declaration.kinship, source) {
            (Some(Kinship::EqualTo(other)), _) => (functions[other].clone(), orders[other].clone()),
            (_, Some(source)) => {
                let reading = Reading { property, path, declaration, origin: &source.network, first };
                let read = reading.read(sources, options, &mut wired.notes)?;
                let network = |network: &Arc<Network>| Used { shown: source.network.shown(), network: network.clone() };
                wired.networks.extend(read.0.iter().map(network));
                read
            }
            // A file for each was asked for above.
            (_, None) => (Vec::new(), Vec::new()),
        };
        if let Some(Kinship::IsomorphicTo(other)) = declaration.kinship {
            alike(declaration, &own, &declared[other], &functions[other])?;
        }
        let inputs: Arc<[Linear]> = order.iter().map(|element| Linear::symbol(Symbol::at(first + element))).collect();
        let application = |network: &Arc<Network>| Application { network: network.clone(), inputs: inputs.clone() };
        wired.question.applications.extend(own.iter().map(application));
        first += declaration.input_len();
        functions.push(own);
        orders.push(order);
    }
    Ok(wired)
}

/// That networks which are said to be isomorphic have the same layers. How many neurons a layer has is not compared: neurons of which a file has
/// several are merged when it is read, in one network and not in the other.
fn alike(
    declaration: &NetworkDeclaration,
    own: &[Arc<Network>],
    other: &NetworkDeclaration,
    theirs: &[Arc<Network>],
) -> Result<(), Diagnostic> {
    let layers =
        |network: &Network| -> Vec<_> { network.layers().iter().map(surefoot_network::Layer::activation).collect() };
    let sizes = |network: &Network| (network.input_len(), network.output_len());
    let is_alike =
        |(own, theirs): (&Arc<Network>, &Arc<Network>)| layers(own) == layers(theirs) && sizes(own) == sizes(theirs);
    if own.len() == theirs.len() && own.iter().zip(theirs).all(is_alike) {
        return Ok(());
    }
    let message = format!("{} is said to be isomorphic to {}, and its layers are others", declaration.name, other.name);
    let help = "leave isomorphic-to out, or give the file that is meant";
    Err(Diagnostic::error(declaration.span, message).with_help(help))
}

/// That a network has as many inputs and outputs as are declared.
fn fits(
    property: &Property,
    path: &Path,
    file: &str,
    wanted: (usize, usize),
    found: (usize, usize),
) -> Result<(), Diagnostic> {
    if wanted == found {
        return Ok(());
    }
    let sizes = |sizes: (usize, usize)| format!("{} and {}", counted(sizes.0, "input"), counted(sizes.1, "output"));
    let (path, wanted, found) = (path.display(), sizes(wanted), sizes(found));
    let message = format!("{path} is about a network with {wanted}, but {file} has {found}");
    let help =
        format!("declare all inputs and outputs of the network, or name another one: {} FILE", option("network"));
    Err(Diagnostic::error(property.declared_at(0), message).with_help(help))
}

/// One declared network being read.
struct Reading<'a> {
    property: &'a Property,
    path: &'a Path,
    declaration: &'a NetworkDeclaration,
    origin: &'a NetworkOrigin,
    /// Its first input.
    first: usize,
}

impl Reading<'_> {
    /// The functions, one for each declared output; and for each input of theirs the element that it is.
    fn read(
        &self,
        sources: &mut SourceMap,
        options: &ReadOptions,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<Arc<Network>>, Vec<usize>), Diagnostic> {
        let graph = self.interface(sources)?;
        let (names, order) = match &graph {
            Some(graph) => {
                let order = self.order(graph)?;
                let outputs = self.ports(&graph.outputs, "output")?;
                notes.extend(self.misshapen(graph, &outputs));
                // A single output needs no name.
                let name = |port: &&Port| (graph.outputs.len() > 1).then(|| port.name.clone());
                (outputs.iter().map(name).collect(), order)
            }
            None => {
                let (inputs, outputs) = (&self.declaration.inputs, &self.declaration.outputs);
                if inputs.len() > 1 || outputs.len() > 1 || inputs[0].onnx.is_some() {
                    let (name, file) = (&self.declaration.name, self.origin.shown());
                    let message = format!("{name} has several or named inputs and outputs, and {file} has no names");
                    let help = "declare one input and one output, or give an ONNX file";
                    return Err(Diagnostic::error(self.declaration.span, message).with_help(help));
                }
                (vec![None], (0..self.declaration.input_len()).collect::<Vec<_>>())
            }
        };
        let mut functions: Vec<Arc<Network>> = Vec::new();
        for (output, name) in names.into_iter().enumerate() {
            let options = ReadOptions { onnx_output: name.or_else(|| options.onnx_output.clone()), ..options.clone() };
            let network = self.origin.load(sources, &options)?;
            let wanted = (self.declaration.input_len(), self.declaration.outputs[output].len().unwrap_or(0));
            let found = (network.input_len(), network.output_len());
            fits(self.property, self.path, &self.origin.shown(), wanted, found).map_err(|mut error| {
                error.span = Some(self.property.declared_at(self.first));
                error
            })?;
            functions.push(network);
        }
        Ok((functions, order))
    }

    /// What an ONNX file says of its inputs and outputs.
    fn interface(&self, sources: &mut SourceMap) -> Result<Option<Interface>, Diagnostic> {
        let NetworkOrigin::File(path) = self.origin else { return Ok(None) };
        let packed = unpacked_name(path);
        let extension = packed.as_deref().unwrap_or(path).extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
            return Ok(None);
        }
        let bytes = sources.inputs.read(path, Kind::Network, Origin::Named).ok();
        let bytes =
            bytes.and_then(|bytes| if packed.is_some() { unpack(&bytes, Kind::Network).ok() } else { Some(bytes) });
        // What cannot be read is told by whoever reads all of it.
        Ok(bytes.and_then(|bytes| interface(&bytes).ok()))
    }

    /// The ports that declared tensors are, in the order of the declaration.
    fn ports<'p>(&self, ports: &'p [Port], what: &str) -> Result<Vec<&'p Port>, Diagnostic> {
        let NetworkDeclaration { name, inputs, outputs, span, .. } = self.declaration;
        let tensors = if what == "input" { inputs } else { outputs };
        let (file, names) = (self.origin.shown(), ports.iter().map(|port| port.name.as_str()).collect::<Vec<_>>());
        let all_inputs = |found: usize| what != "input" || found == ports.len();
        if tensors[0].onnx.is_none() {
            if tensors.len() == ports.len() {
                return Ok(ports.iter().collect());
            }
            let (declared, there) = (counted(tensors.len(), what), counted(ports.len(), what));
            let message = format!("{name} is declared with {declared}, but {file} has {there}: {}", names.join(", "));
            let help = "declare all of them, in the order of the file; or give the names of the nodes that are meant";
            return Err(Diagnostic::error(*span, message).with_help(help));
        }
        let mut found = Vec::new();
        for tensor in tensors {
            let node = tensor.onnx.as_deref().unwrap_or_default();
            let Some(port) = ports.iter().find(|port| port.name == node) else {
                let message = format!("{file} has no {what} {node}, which {} is said to be", tensor.name);
                return Err(Diagnostic::error(*span, message).with_help(format!("it has {}", names.join(", "))));
            };
            if found.contains(&port) {
                return Err(Diagnostic::error(
                    *span,
                    format!("two tensors of {name} are said to be the {what} {node}"),
                ));
            }
            found.push(port);
        }
        if !all_inputs(found.len()) {
            let message = format!("{file} has inputs that are not declared for {name}: it has {}", names.join(", "));
            return Err(Diagnostic::error(*span, message).with_help("declare all of them"));
        }
        Ok(found)
    }

    /// For each input of the network, which is that of the graph, the element of the declaration.
    fn order(&self, graph: &Interface) -> Result<Vec<usize>, Diagnostic> {
        let ports = self.ports(&graph.inputs, "input")?;
        let lens: Vec<usize> = self.declaration.inputs.iter().map(|tensor| tensor.len().unwrap_or(0)).collect();
        let mut order = Vec::with_capacity(self.declaration.input_len());
        for port in &graph.inputs {
            let Some(tensor) = ports.iter().position(|other| std::ptr::eq(*other, port)) else { continue };
            let sizes = port.shape.iter().flatten().map(|size| size.unwrap_or(1));
            let size: usize = sizes.fold(1usize, usize::saturating_mul);
            if graph.inputs.len() > 1 && size != lens[tensor] {
                let (name, shape) = (&self.declaration.inputs[tensor].name, port.shown_shape());
                let message = format!(
                    "{name} has {}, but the input {} has the shape {shape}",
                    counted(lens[tensor], "element"),
                    port.name
                );
                return Err(Diagnostic::error(self.declaration.span, message).with_help("declare it with this shape"));
            }
            let before: usize = lens[..tensor].iter().sum();
            order.extend(before..before + lens[tensor]);
        }
        Ok(order)
    }

    /// Declared shapes that are not those of the file, though there are as many elements.
    fn misshapen(&self, graph: &Interface, outputs: &[&Port]) -> Vec<Diagnostic> {
        let inputs = self.ports(&graph.inputs, "input").unwrap_or_default();
        let (declared, found) = (&self.declaration, inputs.iter().chain(outputs));
        let pairs = declared.inputs.iter().chain(&declared.outputs).zip(found);
        let misshapen = pairs.filter(|(tensor, port)| !port.fits(&tensor.shape));
        let note = misshapen.map(|(tensor, port)| {
            let (name, shape) = (&tensor.name, tensor.shown_shape());
            let message =
                format!("{name} has the shape {shape}, and {} in the network file {}", port.name, port.shown_shape());
            let help = "elements are taken row by row; other tools may refuse the query";
            Diagnostic::warning(self.declaration.span, message).with_help(help)
        });
        note.collect()
    }
}
