//! Formulas from text.
//!
//! ```text
//! formula   = or [ "=>" formula ]
//! or        = and { "|" and }
//! and       = unary { "&" unary }
//! unary     = "!" unary
//!           | ("AX" | "EX") [ "^" number ] unary
//!           | ("AF" | "EF" | "AG" | "EG") [ "[" "<=" number "]" ] unary
//!           | ("A" | "E") "[" formula ("U" | "R") [ "<=" number ] formula "]"
//!           | constraint | "(" formula ")"
//! constraint = sum ("<" | "<=" | ">" | ">=" | "=" | "!=") sum | variable | "true" | "false"
//!           | automaton "at" location
//! sum       = linear arithmetic with + - * / over numbers, constants of the model and variables
//! ```
//!
//! `&&`, `||`, `==`, `->` and the signs of logic are understood too. A name in double quotes is never a keyword. Numbers are
//! exact: `0.1` is a tenth. Without a bound an operator is unbounded.
//!
//! * `lexer`: words and signs with their places; `parser`: the grammar; `sum`: linear arithmetic;
//! * `vocabulary`: what names stand for.

mod lexer;
mod parser;
mod sum;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use parser::parse;
pub use vocabulary::Vocabulary;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// First byte of the place.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What to do about it.
    pub help: Option<String>,
}

impl TextError {
    fn new(start: usize, end: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), start, end, help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
