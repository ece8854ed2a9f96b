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
use crate::tree::{Node, Tree};

const COMMANDS: [&str; 6] =
    ["declare-const", "declare-fun", "assert", "declare-network", "vnnlib-version", "check-sat"];

/// Reads a property; `text` is the content of `file`.
///
/// # Errors
/// The first place where the text is not VNN-LIB, or something in it that is not supported.
pub fn read(file: FileId, text: &str) -> Result<Property, Diagnostic> {
    let tree = Tree::parse(file, text)?;
    let mut declarations = Declarations::default();
    let mut asserted = Vec::new();
    for command in tree.top() {
        let wanted = "a command in parentheses, such as (assert (<= X_0 1))";
        let (word, head) = command.head().ok_or_else(|| command.mismatch(wanted))?;
        match word {
            "declare-const" | "declare-fun" => declarations.constant(command)?,
            "declare-network" => declarations.network(command)?,
            "assert" => match command.arguments()[..] {
                [condition] => asserted.push(condition),
                _ => return Err(command.mismatch("one condition in assert")),
            },
            "vnnlib-version" => version(command)?,
            // What a solver is to do is for the command line to say.
            "set-logic" | "set-info" | "set-option" | "check-sat" | "get-model" | "get-value" | "exit" => {}
            _ => return Err(unknown(head, word)),
        }
    }
    let whole = Span::between(file, 0, text.len().min(1));
    let declared = declarations.finish(whole)?;
    let mut reader = Reader::new(&declared);
    let parts = asserted.into_iter().map(|condition| reader.condition(condition)).collect::<Result<Vec<_>, _>>()?;
    let formula = Formula::all(parts);
    let Boxed { inputs, formula, contradictory } = boxed(&declared, formula)?;
    let Declared { names, outputs, places, .. } = declared;
    Ok(Property { names, inputs, outputs, formula, contradictory, places })
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
        Ok(bounds) => bounds,
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

fn version(command: Node<'_>) -> Result<(), Diagnostic> {
    let arguments = command.arguments();
    match arguments[..] {
        [version] if version.word().is_some_and(|word| word.starts_with("<1.") || word.starts_with("<2.")) => Ok(()),
        [version] if version.word().is_some_and(|word| word.starts_with('<') && word.ends_with('>')) => {
            let error = version.error(format!("VNN-LIB {} is not supported", version.shown())).refusal();
            Err(error.with_help("versions 1.0 and 2.0 are"))
        }
        _ => Err(command.mismatch("(vnnlib-version <2.0>)")),
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
