//! Formulas and conditions from text: the one syntax of all questions that are not JANI.
//!
//! ```text
//! formula    = or [ "=>" formula ]
//! or         = and { "|" and }
//! and        = unary { "&" unary }
//! unary      = "!" unary
//!            | ("AX" | "EX") [ "^" number ] unary
//!            | ("AF" | "EF" | "AG" | "EG") [ "[" "<=" number "]" ] unary
//!            | ("A" | "E") "[" formula ("U" | "R" | "W") [ "<=" number ] formula "]"
//!            | sum [ ("<" | "<=" | ">" | ">=" | "=" | "!=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = factor { ("*" | "/" | "%") factor }
//! factor     = ("-" | "!") factor | primary [ "^" factor ]
//! primary    = number | "true" | "false" | name { "[" formula "]" } | function "(" formula { "," formula } ")"
//!            | automaton "at" location | "(" formula ")"
//! ```
//!
//! A condition is a formula without operators about time. `and`, `or`, `not`, `implies`, `&&`, `||`, `==`, `->` and the signs of
//! logic are understood too. A name in double quotes is never a keyword. Numbers are exact: `0.1` is a tenth. A truth value
//! counts as 0 or 1 where a number stands. Without a bound an operator about time is unbounded.
//!
//! What is read becomes expressions of JANI in the model's own arena, so that names, types and values mean the same as in a file of
//! properties. Places are those of the text.
//!
//! * `lexer`: words and signs with their places; `parser`: the grammar; `tree`: what it builds; `express`: from there to expressions.

mod express;
mod lexer;
mod parser;
mod tree;

#[cfg(test)]
mod tests;

use surefoot_jani::syntax::ExprId;
use surefoot_model::lower::Lowered;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, SourceMap};

use crate::formula::Ctl;

/// Reads the text of a source as a formula.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn formula(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<Ctl<ExprId>, Diagnostic> {
    let tree = parse(sources, file, lowered, true)?;
    express::Express { file, lowered }.formula(&tree)
}

/// Reads the text of a source as a number that depends on the state.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn number(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<ExprId, Diagnostic> {
    let tree = parse(sources, file, lowered, false)?;
    express::Express { file, lowered }.number(&tree)
}

/// Reads the text of a source as a condition on states.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn condition(sources: &SourceMap, file: FileId, lowered: &mut Lowered) -> Result<ExprId, Diagnostic> {
    let tree = parse(sources, file, lowered, false)?;
    express::Express { file, lowered }.condition(&tree)
}

/// Reads a text; where a keyword that the model has for a name may be why it cannot be read, that is said.
fn parse(sources: &SourceMap, file: FileId, lowered: &Lowered, temporal: bool) -> Result<tree::Tree, Diagnostic> {
    let text = &sources.file(file).text;
    parser::parse(file, text, temporal).map_err(|error| {
        let end = error.span.map_or(text.len(), |span| span.end as usize);
        let model = &lowered.model;
        let of_slots = model.slots.iter().map(|slot| slot.name.split('[').next().unwrap_or_default());
        let names: Vec<&str> = of_slots.chain(model.instances.iter().map(|instance| &*instance.name)).collect();
        let name = parser::keywords(file, text, temporal, end).into_iter().rfind(|word| names.contains(&word.as_str()));
        match name {
            Some(name) if error.help.is_none() => error
                .with_help(format!("'{name}' means something here: write \"{name}\", in double quotes, for the name")),
            _ => error,
        }
    })
}
