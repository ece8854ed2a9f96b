//! Declarations: which inputs and outputs there are, and what they are called.
//!
//! Version 1.0 names them one by one, `X_0` and `Y_0`; version 2.0 declares networks with tensors.

use std::collections::{BTreeMap, HashMap};

use surefoot_linear::Symbol;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;
use surefoot_text::suggest;

use crate::names::{Names, NetworkDeclaration};
use crate::network;
use crate::tensor::{Tensor, split};
use crate::tree::{Kind, Node};

const BOTH: &str = "a file declares networks (version 2.0) or constants (version 1.0), not both";

/// What has been declared so far.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    inputs: BTreeMap<u32, Span>,
    outputs: BTreeMap<u32, Span>,
    networks: Vec<NetworkDeclaration>,
}

/// All inputs and outputs.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) names: Names,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Where each input is declared.
    pub(crate) places: Vec<Span>,
    /// Of each tensor, the first symbol.
    tensors: HashMap<String, (usize, Tensor)>,
}

/// `X_3` as the letter and the number.
fn flat(word: &str) -> Option<(char, u32)> {
    let (letter, digits) = word.split_once('_')?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match letter {
        "X" | "Y" if plain && (digits == "0" || !digits.starts_with('0')) => {
            Some((letter.chars().next()?, digits.parse().ok()?))
        }
        _ => None,
    }
}

impl Declarations {
    /// Whether nothing was declared.
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty() && self.networks.is_empty()
    }

    /// `(declare-const X_0 Real)`, `(declare-fun X_0 () Real)`.
    pub(crate) fn constant(&mut self, command: Node<'_>) -> Result<(), Diagnostic> {
        let mut arguments = command.arguments();
        // declare-fun has a list of parameters, which is empty.
        if arguments.len() == 3 && arguments[1].kind() == Kind::List && arguments[1].parts().next().is_none() {
            arguments.remove(1);
        }
        let [name, sort] = arguments[..] else { return Err(command.mismatch("(declare-const X_0 Real)")) };
        let word = name.word().ok_or_else(|| name.mismatch("a name"))?;
        match sort.word() {
            Some("Real") => {}
            Some("Int" | "Bool") => {
                let error = sort.error(format!("variables of type {} are not supported", sort.shown())).refusal();
                return Err(error.with_help("inputs and outputs of networks are of type Real"));
            }
            _ => return Err(sort.mismatch("the type Real")),
        }
        let Some((letter, number)) = flat(word) else {
            let error = name.error(format!("{} names neither an input nor an output", name.shown()));
            return Err(error.with_help("inputs are called X_0, X_1, ..., outputs Y_0, Y_1, ..."));
        };
        if !self.networks.is_empty() {
            return Err(name.error(BOTH));
        }
        let known = if letter == 'X' { &mut self.inputs } else { &mut self.outputs };
        if known.insert(number, name.span()).is_some() {
            let error = name.error(format!("{word} is declared twice"));
            return Err(error
                .with_help("remove one of the declarations, or count on: every input and output has its own number"));
        }
        Ok(())
    }

    /// `(declare-network f (declare-input X real [1,5]) (declare-output Y real [1,5]))`.
    pub(crate) fn network(&mut self, command: Node<'_>) -> Result<(), Diagnostic> {
        if !self.inputs.is_empty() || !self.outputs.is_empty() {
            return Err(command.error(BOTH));
        }
        let declared = network::declared(command, &self.networks)?;
        self.networks.push(declared);
        Ok(())
    }

    /// All of them, complete; `whole` is the file.
    pub(crate) fn finish(self, whole: Span) -> Result<Declared, Diagnostic> {
        if !self.networks.is_empty() {
            return Ok(Declared::of_networks(self.networks));
        }
        for (letter, known) in [("X", &self.inputs), ("Y", &self.outputs)] {
            let Some((missing, (number, span))) = known.iter().enumerate().find(|(i, (n, _))| *i != **n as usize)
            else {
                continue;
            };
            let message = format!("{letter}_{number} is declared, but {letter}_{missing} is not");
            let help = format!("declare them all: (declare-const {letter}_{missing} Real)");
            return Err(Diagnostic::error(*span, message).with_help(help));
        }
        if self.inputs.is_empty() || self.outputs.is_empty() {
            let what = if self.inputs.is_empty() { ("input", 'X') } else { ("output", 'Y') };
            let error = Diagnostic::error(whole, format!("the file declares no {}", what.0));
            return Err(error.with_help(format!("declare all inputs and outputs: (declare-const {}_0 Real)", what.1)));
        }
        let (inputs, outputs, tensors) = (self.inputs.len(), self.outputs.len(), HashMap::new());
        Ok(Declared { names: Names::Flat, inputs, outputs, places: self.inputs.into_values().collect(), tensors })
    }
}

impl Declared {
    fn of_networks(networks: Vec<NetworkDeclaration>) -> Self {
        let inputs = networks.iter().map(NetworkDeclaration::input_len).sum();
        let mut places = Vec::with_capacity(inputs);
        let mut tensors = HashMap::new();
        let (mut next_input, mut next_output) = (0, inputs);
        for network in &networks {
            places.resize(places.len() + network.input_len(), network.span);
            for (list, next) in [(&network.inputs, &mut next_input), (&network.outputs, &mut next_output)] {
                for tensor in list {
                    tensors.insert(tensor.name.clone(), (*next, tensor.clone()));
                    *next += tensor.len().unwrap_or(0);
                }
            }
        }
        let outputs = next_output - inputs;
        Self { names: Names::Networks(networks), inputs, outputs, places, tensors }
    }

    /// A tensor by its name.
    pub(crate) fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.get(name).map(|(_, tensor)| tensor)
    }

    /// The symbol that a word names.
    pub(crate) fn symbol(&self, node: Node<'_>, word: &str) -> Result<Symbol, Diagnostic> {
        let position = match &self.names {
            Names::Flat => {
                let found = flat(word).and_then(|(letter, number)| {
                    let (before, size) = if letter == 'X' { (0, self.inputs) } else { (self.inputs, self.outputs) };
                    ((number as usize) < size).then_some(before + number as usize)
                });
                found.ok_or_else(|| self.undeclared(node, word))?
            }
            Names::Networks(_) => {
                let (name, indices) = split(node, word)?;
                let Some((first, tensor)) = self.tensors.get(name) else { return Err(self.undeclared(node, name)) };
                first + tensor.number(node, indices.as_deref())?
            }
        };
        let symbol = u32::try_from(position).map(Symbol);
        symbol.map_err(|_| node.error("there are too many inputs and outputs").refusal())
    }

    fn undeclared(&self, node: Node<'_>, name: &str) -> Diagnostic {
        let error = node.error(format!("{} is not declared", node.shown()));
        match &self.names {
            Names::Flat => {
                let (inputs, outputs) = (self.inputs - 1, self.outputs - 1);
                error.with_help(format!("the file declares X_0 to X_{inputs} and Y_0 to Y_{outputs}"))
            }
            Names::Networks(networks) => {
                let known = || networks.iter().flat_map(NetworkDeclaration::tensors).map(|tensor| tensor.name.as_str());
                error.with_help(match suggest(name, known()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("the file declares {}", known().collect::<Vec<_>>().join(", ")),
                })
            }
        }
    }

    /// An input's name and the place of its declaration.
    pub(crate) fn input(&self, number: usize) -> (String, Span) {
        (self.names.input(number), self.places[number])
    }
}
