//! Declarations: which inputs and outputs there are, and what they are called.
//!
//! Version 1.0 names them one by one, `X_0` and `Y_0`; version 2.0 declares a network with tensors.

use std::collections::BTreeMap;

use surefoot_linear::Symbol;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;
use surefoot_text::suggest;

use crate::Names;
use crate::tensor::{Tensor, split};
use crate::tree::{Kind, Node};

/// What has been declared so far.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    inputs: BTreeMap<u32, Span>,
    outputs: BTreeMap<u32, Span>,
    network: Option<Network>,
}

#[derive(Debug)]
struct Network {
    name: String,
    input: Tensor,
    output: Tensor,
    span: Span,
}

/// All inputs and outputs.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) names: Names,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Where each input is declared, or the one place where all of them are; never empty.
    pub(crate) places: Vec<Span>,
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
        if self.network.is_some() {
            return Err(name.error("a file declares a network (version 2.0) or constants (version 1.0), not both"));
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
        let wanted = "(declare-network f (declare-input X real [1,5]) (declare-output Y real [1,5]))";
        let arguments = command.arguments();
        let (name, parts) = arguments.split_first().ok_or_else(|| command.mismatch(wanted))?;
        let name = name.word().ok_or_else(|| name.mismatch("the name of the network"))?.to_owned();
        if self.network.is_some() {
            return Err(command.error("queries about several networks are not supported").refusal());
        }
        if !self.inputs.is_empty() || !self.outputs.is_empty() {
            return Err(command.error("a file declares a network (version 2.0) or constants (version 1.0), not both"));
        }
        let (mut input, mut output) = (None, None);
        for part in parts {
            let (word, head) = part.head().ok_or_else(|| part.mismatch("(declare-input X real [1,5])"))?;
            let (slot, what) = match word {
                "declare-input" => (&mut input, "inputs"),
                "declare-output" => (&mut output, "outputs"),
                "declare-hidden" | "equal-to" | "isomorphic-to" => {
                    return Err(head.error(format!("{word} is not supported")).refusal());
                }
                _ => return Err(head.mismatch("declare-input or declare-output")),
            };
            if slot.replace(tensor(*part)?).is_some() {
                return Err(part.error(format!("networks with several {what} are not supported")).refusal());
            }
        }
        let (Some(input), Some(output)) = (input, output) else {
            return Err(command.error("a network needs an input and an output").with_help(format!("write {wanted}")));
        };
        if input.name == output.name {
            return Err(command.error(format!("the input and the output are both called {}", input.name)));
        }
        self.network = Some(Network { name, input, output, span: command.span() });
        Ok(())
    }

    /// All of them, complete; `whole` is the file.
    pub(crate) fn finish(self, whole: Span) -> Result<Declared, Diagnostic> {
        if let Some(Network { name, input, output, span }) = self.network {
            // Their sizes were checked when they were read.
            let (inputs, outputs) = (input.len().unwrap_or(0), output.len().unwrap_or(0));
            let names = Names::Tensors { network: name, input, output };
            return Ok(Declared { names, inputs, outputs, places: vec![span] });
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
        let (inputs, outputs) = (self.inputs.len(), self.outputs.len());
        Ok(Declared { names: Names::Flat, inputs, outputs, places: self.inputs.into_values().collect() })
    }
}

/// `(declare-input X real [1,5])`, with the name of a node or without.
fn tensor(part: Node<'_>) -> Result<Tensor, Diagnostic> {
    let arguments = part.arguments();
    let ([name, typed] | [name, typed, _]) = arguments[..] else {
        return Err(part.mismatch("a name, a type and a shape, such as X real [1,5]"));
    };
    let name = name.word().filter(|word| !word.contains('[')).ok_or_else(|| name.mismatch("a name"))?;
    let word = typed.word().ok_or_else(|| typed.mismatch("a type and a shape, such as real [1,5]"))?;
    let (element, shape) = split(typed, word)?;
    if !element.eq_ignore_ascii_case("real") {
        let message = format!("{element} arithmetic is not supported: networks are functions over the reals here");
        let help = format!("write real instead of {element} if that is what you want to know");
        return Err(typed.error(message).refusal().with_help(help));
    }
    let shape = shape.ok_or_else(|| typed.error("expected a shape after the type, such as [1,5]"))?;
    let tensor = Tensor { name: name.to_owned(), shape };
    match tensor.len() {
        Some(0) => Err(typed.error("a tensor without elements")),
        Some(_) => Ok(tensor),
        None => Err(typed.error("a tensor of this size is too large").refusal()),
    }
}

impl Declared {
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
            Names::Tensors { input, output, .. } => {
                let (name, indices) = split(node, word)?;
                if name == input.name {
                    input.number(node, indices.as_deref())?
                } else if name == output.name {
                    self.inputs + output.number(node, indices.as_deref())?
                } else {
                    return Err(self.undeclared(node, name));
                }
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
            Names::Tensors { input, output, .. } => {
                let known = [input.name.as_str(), output.name.as_str()];
                let near = suggest(name, known.into_iter());
                error.with_help(match near {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("the network has the input {} and the output {}", known[0], known[1]),
                })
            }
        }
    }

    /// An input's name and the place of its declaration.
    pub(crate) fn input(&self, number: usize) -> (String, Span) {
        (self.names.input(number), self.places[number.min(self.places.len() - 1)])
    }
}
