//! Files to properties: one command after the other, then what they assert together.

use surefoot_linear::{Formula, Symbol};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span};
use surefoot_text::suggest;

use crate::Property;
use crate::declare::{Declarations, Declared};
use crate::expression::Reader;
use crate::hull::{Contradiction, hull, without_bounds};
use crate::names::Names;
use crate::propagate::propagate;
use crate::standard;
use crate::tree::{Node, Tree};

const COMMANDS: [&str; 6] =
    ["declare-const", "declare-fun", "assert", "declare-network", "vnnlib-version", "check-sat"];

/// Reads a property; `text` is the content of `file`.
///
/// # Errors
/// The first place where the text is not VNN-LIB, or something in it that is not supported.
pub fn read(file: FileId, text: &str) -> Result<Property, Diagnostic> {
    let tree = Tree::parse(file, text)?;
    let whole = Span::between(file, 0, text.len().min(1));
    let Commands { declared, asserted } = commands(&tree, whole)?;
    let mut reader = Reader::new(&declared);
    let parts = asserted.into_iter().map(|condition| reader.condition(condition)).collect::<Result<Vec<_>, _>>()?;
    let (formula, products) = reader.into_products().needed(Formula::all(parts));
    let Boxed { inputs, formula, contradictory } = boxed(&declared, formula)?;
    let Declared { names, outputs, places, .. } = declared;
    Ok(Property { names, inputs, outputs, formula, products, contradictory, places })
}

/// The commands of a file.
pub(crate) struct Commands<'t> {
    pub(crate) declared: Declared,
    pub(crate) asserted: Vec<Node<'t>>,
}

/// Reads all commands; of assertions, only that they are allowed. `whole` is the file.
pub(crate) fn commands<'t>(tree: &'t Tree<'t>, whole: Span) -> Result<Commands<'t>, Diagnostic> {
    let mut declarations = Declarations::default();
    let mut asserted: Vec<Node<'t>> = Vec::new();
    let mut versions = Vec::new();
    for command in tree.top() {
        let wanted = "a command in parentheses, such as (assert (<= X_0 1))";
        let (word, head) = command.head().ok_or_else(|| command.mismatch(wanted))?;
        match word {
            "declare-const" | "declare-fun" => declarations.constant(command)?,
            "declare-network" if versions.is_empty() => {
                let error = command.error("a file that declares networks begins with its version");
                return Err(error.with_help("write (vnnlib-version <2.0>) before everything else"));
            }
            "declare-network" if !asserted.is_empty() => {
                let error = head.error("networks are declared before the first assertion");
                return Err(error.with_help("put this declaration above the assertions"));
            }
            "declare-network" => declarations.network(command)?,
            "assert" => match command.arguments()[..] {
                [condition] => asserted.push(condition),
                _ => return Err(command.mismatch("one condition in assert")),
            },
            "vnnlib-version" => {
                versions.push((version(command)?, command));
                if versions.len() > 1 || !declarations.is_empty() || !asserted.is_empty() {
                    return Err(command.error("the version stands once, before everything else"));
                }
            }
            // What a solver is to do is for the command line to say.
            "set-logic" | "set-info" | "set-option" | "check-sat" | "get-model" | "get-value" | "exit"
                if !versions.iter().any(|(version, _)| *version == 2) => {}
            _ => return Err(unknown(head, word)),
        }
    }
    let declared = declarations.finish(whole)?;
    match (&declared.names, versions.first()) {
        (Names::Networks(_), Some((1, command))) => {
            let error = command.error("networks are declared in version 2.0, and this file is of version 1.0");
            return Err(error.with_help("write (vnnlib-version <2.0>)"));
        }
        (Names::Flat, Some((2, command))) => {
            let error = command.error("a file of version 2.0 declares networks, and this one declares constants");
            return Err(error.with_help("leave the version out, or declare the network with declare-network"));
        }
        (Names::Networks(_), _) => {
            if asserted.is_empty() {
                return Err(Diagnostic::error(whole, "the file asserts nothing").with_help("add (assert ...)"));
            }
            asserted.iter().try_for_each(|node| standard::condition(*node, &declared))?;
        }
        (Names::Flat, _) => {}
    }
    Ok(Commands { declared, asserted })
}

/// The box of the inputs, and the formula without what the box says already.
struct Boxed {
    inputs: Vec<(Rational, Rational)>,
    formula: Formula,
    contradictory: Option<usize>,
}

fn boxed(declared: &Declared, formula: Formula) -> Result<Boxed, Diagnostic> {
    let count = declared.inputs;
    let mut bounds = match hull(&formula, count) {
        Ok(mut bounds) => {
            propagate(&formula, count, &mut bounds);
            bounds
        }
        // Any box will do.
        Err(Contradiction(input)) => {
            let (inputs, contradictory) = (vec![Default::default(); declared.inputs], input.map(|input| input.index()));
            return Ok(Boxed { inputs, formula: Formula::falsity(), contradictory });
        }
    };
    let interval = |symbol: Symbol| {
        let interval = bounds.remove(&symbol).unwrap_or_default();
        let missing = match (interval.lower, interval.upper) {
            (Some(lower), Some(upper)) => return Ok((lower, upper)),
            (Some(_), None) => "no upper bound",
            (None, Some(_)) => "no lower bound",
            (None, None) => "no bounds",
        };
        let (name, place) = declared.input(symbol.index());
        let help = format!(
            "every input needs a smallest and a largest value, in every part of an or: \
             (assert (and (>= {name} -1) (<= {name} 1)))"
        );
        Err(Diagnostic::error(place, format!("the input {name} has {missing}")).with_help(help))
    };
    let inputs = (0..count).map(Symbol::at).map(interval).collect::<Result<_, _>>()?;
    Ok(Boxed { inputs, formula: without_bounds(formula, count), contradictory: None })
}

/// The major version.
fn version(command: Node<'_>) -> Result<u8, Diagnostic> {
    let [version] = command.arguments()[..] else { return Err(command.mismatch("(vnnlib-version <2.0>)")) };
    let word = version.word().unwrap_or_default();
    let numbers = word.strip_prefix('<').and_then(|word| word.strip_suffix('>')).and_then(|word| word.split_once('.'));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match numbers {
        Some(("1", minor)) if digits(minor) => Ok(1),
        Some(("2", minor)) if digits(minor) => Ok(2),
        Some((major, minor)) if digits(major) && digits(minor) => {
            let error = version.error(format!("VNN-LIB {} is not supported", version.shown())).refusal();
            Err(error.with_help("versions 1.0 and 2.0 are"))
        }
        _ => Err(version.mismatch("a version such as <2.0>")),
    }
}

fn unknown(head: Node<'_>, word: &str) -> Diagnostic {
    if matches!(word, "define-fun" | "define-const" | "push" | "pop" | "declare-sort" | "define-sort") {
        return head.error(format!("the command {word} is not supported")).refusal();
    }
    let error = head.error(format!("there is no command {}", head.shown()));
    match suggest(word, COMMANDS.into_iter()) {
        Some(near) => error.with_help(format!("did you mean {near}?")),
        None => error.with_help("commands are declare-const, declare-network, assert and vnnlib-version"),
    }
}
