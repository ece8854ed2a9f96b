//! `declare-network` of version 2.0: the interface of one network.
//!
//! What it is like (`equal-to`, `isomorphic-to`) comes first, then inputs, hidden nodes, outputs, in this order. Names of
//! tensors are unique in the file. A network that is like another has the same tensors but for their names, and that other
//! one is declared before and like none.

use surefoot_text::diagnostic::Diagnostic;

use crate::names::{Kinship, NetworkDeclaration};
use crate::tensor::{Tensor, split};
use crate::tree::{Kind, Node};

const WANTED: &str = "(declare-network f (declare-input X real [1,5]) (declare-output Y real [1,5]))";
/// The types of ONNX.
const ONNX_TYPES: [&str; 22] = [
    "bfloat16",
    "bool",
    "complex128",
    "complex64",
    "float16",
    "float32",
    "float4e2m1",
    "float64",
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "int16",
    "int32",
    "int4",
    "int64",
    "int8",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
];

/// Reads a declaration; `before` are the networks of the file so far.
pub(crate) fn declared(command: Node<'_>, before: &[NetworkDeclaration]) -> Result<NetworkDeclaration, Diagnostic> {
    let arguments = command.arguments();
    let (name, parts) = arguments.split_first().ok_or_else(|| command.mismatch(WANTED))?;
    let name_node = *name;
    let name = identifier(name_node, "the name of the network")?;
    if before.iter().any(|network| network.name == name) {
        let error = name_node.error(format!("two networks are called {name}"));
        return Err(error.with_help("give each network a name of its own: the command line goes by it"));
    }
    let mut network = NetworkDeclaration {
        name: name.to_owned(),
        kinship: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        span: command.span(),
    };
    let mut kin = None;
    let mut stage = 0;
    for part in parts {
        let (word, head) = part.head().ok_or_else(|| part.mismatch("(declare-input X real [1,5])"))?;
        let rank = match word {
            "equal-to" | "isomorphic-to" => 0,
            "declare-input" => 1,
            "declare-hidden" => 2,
            "declare-output" => 3,
            _ => return Err(head.mismatch("declare-input or declare-output")),
        };
        if rank < stage {
            let error = head.error(format!("{word} comes too late"));
            return Err(error.with_help("the order is equal-to or isomorphic-to, inputs, hidden nodes, outputs"));
        }
        stage = rank;
        match word {
            "declare-input" => network.inputs.push(tensor(*part)?),
            "declare-output" => network.outputs.push(tensor(*part)?),
            "declare-hidden" => return Err(hidden(*part, head)?),
            _ => {
                let (known, node) = like(*part, before)?;
                let equal = matches!(network.kinship, Some(Kinship::EqualTo(_)));
                if word == "equal-to" {
                    network.kinship = Some(Kinship::EqualTo(known));
                } else if !equal {
                    network.kinship = Some(Kinship::IsomorphicTo(known));
                }
                kin = Some((known, node));
            }
        }
    }
    if network.inputs.is_empty() || network.outputs.is_empty() {
        let error = command.error("a network needs an input and an output");
        return Err(error.with_help(format!("write {WANTED}")));
    }
    unique(command, &network, before)?;
    match kin {
        Some((known, node)) => congruent(node, &network, &before[known]).map(|()| network),
        None => Ok(network),
    }
}

/// The earlier network that this one is like, by its place.
fn like<'t>(part: Node<'t>, before: &[NetworkDeclaration]) -> Result<(usize, Node<'t>), Diagnostic> {
    let [name] = part.arguments()[..] else { return Err(part.mismatch("(equal-to f), with the name of a network")) };
    let word = identifier(name, "the name of a network")?;
    let Some(known) = before.iter().position(|network| network.name == word) else {
        let error = name.error(format!("there is no network {word} before this one"));
        return Err(error.with_help("declare the network that it is like first"));
    };
    if before[known].kinship.is_some() {
        let error = name.error(format!("{word} is like another network itself"));
        return Err(error.with_help("name the network that it is like"));
    }
    Ok((known, name))
}

/// That two networks have the same tensors but for the names.
fn congruent(node: Node<'_>, network: &NetworkDeclaration, other: &NetworkDeclaration) -> Result<(), Diagnostic> {
    let shapes = |tensors: &[Tensor]| tensors.iter().map(Tensor::shown_shape).collect::<Vec<_>>();
    for (what, own, theirs) in
        [("inputs", &network.inputs, &other.inputs), ("outputs", &network.outputs, &other.outputs)]
    {
        let (own, theirs) = (shapes(own), shapes(theirs));
        if own != theirs {
            let (name, own, theirs) = (&other.name, own.join(" "), theirs.join(" "));
            let error = node.error(format!("{} and {name} are not alike: their {what} differ", network.name));
            return Err(error.with_help(format!("the {what} have the shapes {own}, those of {name} {theirs}")));
        }
    }
    Ok(())
}

fn unique(command: Node<'_>, network: &NetworkDeclaration, before: &[NetworkDeclaration]) -> Result<(), Diagnostic> {
    let mut seen: std::collections::BTreeSet<&str> =
        before.iter().flat_map(NetworkDeclaration::tensors).map(|tensor| tensor.name.as_str()).collect();
    if let Some(twice) = network.tensors().find(|tensor| !seen.insert(&tensor.name)) {
        let error = command.error(format!("{} is declared twice", twice.name));
        return Err(error.with_help("inputs and outputs of all networks have different names"));
    }
    let named = network.tensors().filter(|tensor| tensor.onnx.is_some()).count();
    if named > 0 && network.tensors().count() > named {
        let error = command.error("some inputs and outputs of this network have names of nodes, and some have none");
        return Err(error.with_help("name the nodes of all of them, or of none"));
    }
    Ok(())
}

/// A name: a letter, and then letters, digits and underscores.
fn identifier<'t>(node: Node<'t>, what: &str) -> Result<&'t str, Diagnostic> {
    let word = node.word().ok_or_else(|| node.mismatch(what))?;
    let fits = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(word, "and" | "or");
    if fits { Ok(word) } else { Err(node.mismatch(what).with_help("names are letters, digits and _, a letter first")) }
}

/// `(declare-input X real [1,5])`, with the name of a node or without.
fn tensor(part: Node<'_>) -> Result<Tensor, Diagnostic> {
    let arguments = part.arguments();
    let (name, typed, node) = match arguments[..] {
        [name, typed] => (name, typed, None),
        [name, typed, node] => (name, typed, Some(node)),
        _ => return Err(part.mismatch("a name, a type and a shape, such as X real [1,5]")),
    };
    let name = identifier(name, "a name")?;
    let word = typed.word().ok_or_else(|| typed.mismatch("a type and a shape, such as real [1,5]"))?;
    let (element, shape) = split(typed, word)?;
    if !element.eq_ignore_ascii_case("real") {
        return Err(other_type(typed, element));
    }
    let shape = shape.ok_or_else(|| typed.error("expected a shape after the type, such as [1,5]"))?;
    let onnx = node.map(node_name).transpose()?;
    let tensor = Tensor { name: name.to_owned(), shape, onnx, typed: element == "real" };
    match tensor.len() {
        Some(0) => Err(typed.error("a tensor needs elements: a dimension is 0").with_help("sizes are integers from 1")),
        Some(_) => Ok(tensor),
        None => Err(typed.error("a tensor of this shape is too large").refusal()),
    }
}

fn other_type(typed: Node<'_>, element: &str) -> Diagnostic {
    if element.starts_with("float") || element == "bfloat16" {
        let message = format!("{element} arithmetic is not supported: networks are functions over the reals here");
        let help = format!("write real instead of {element} if that is what you want to know");
        return typed.error(message).refusal().with_help(help);
    }
    let error = if ONNX_TYPES.contains(&element) {
        typed.error(format!("variables of type {element} are not supported")).refusal()
    } else {
        typed.error(format!("there is no element type {element}"))
    };
    error.with_help("write real: the network as a function over the reals")
}

/// The name of a node of the ONNX file.
fn node_name(node: Node<'_>) -> Result<String, Diagnostic> {
    if node.word() == Some("initialized") {
        let error = node.error("inputs that have a value in the network file are not supported").refusal();
        return Err(error.with_help("leave initialized out, and give the input bounds"));
    }
    let text = node.quoted().filter(|_| node.kind() == Kind::Text);
    text.map(str::to_owned).ok_or_else(|| node.mismatch("the name of a node in double quotes"))
}

/// A hidden node: the error that it is. An error about its own form comes first.
fn hidden(part: Node<'_>, head: Node<'_>) -> Result<Diagnostic, Diagnostic> {
    let Some(name) = part.arguments().get(2).copied() else {
        return Err(part.mismatch("a name, a type, a shape and the name of the node in double quotes"));
    };
    let shown = node_name(name)?;
    tensor(part)?;
    let error =
        head.error(format!("declare-hidden is not supported: the node {shown} is inside the network")).refusal();
    Ok(error.with_help("export the network with that node as an output, and declare it as one"))
}
