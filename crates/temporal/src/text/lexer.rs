//! Words, numbers and signs, with their places.

use surefoot_num::Rational;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span};

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word: a keyword or a name.
    Word(String),
    /// A name in quotes.
    Quoted(String),
    /// A number.
    Number(Rational),
    /// A sign.
    Sign(&'static str),
    /// Nothing more.
    End,
}

/// A token and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// The token in words, for messages.
    pub(super) fn describe(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("'{word}'"),
            Kind::Quoted(name) => format!("\"{name}\""),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Sign(sign) => format!("'{sign}'"),
            Kind::End => "the end".to_owned(),
        }
    }
}

/// Signs as they may be written, longer ones first, and what they are taken for.
const SIGNS: [(&str, &str); 35] = [
    ("=>", "=>"),
    ("->", "=>"),
    ("⇒", "=>"),
    ("→", "=>"),
    ("<=", "<="),
    (">=", ">="),
    ("!=", "!="),
    ("==", "="),
    ("&&", "&"),
    ("||", "|"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("∧", "&"),
    ("∨", "|"),
    ("¬", "!"),
    ("−", "-"),
    ("·", "*"),
    ("<", "<"),
    (">", ">"),
    ("=", "="),
    ("!", "!"),
    ("&", "&"),
    ("|", "|"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("^", "^"),
    ("%", "%"),
    (",", ","),
];

/// Takes a text apart.
pub(super) fn tokens(file: FileId, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, end) = if c.is_ascii_digit() {
            number(file, text, at)?
        } else if c == '"' {
            quoted(file, text, at)?
        } else if is_name(c) {
            let length = text[at..].find(|c: char| !is_name(c)).unwrap_or(text.len() - at);
            (Kind::Word(text[at..at + length].to_owned()), at + length)
        } else if let Some((written, sign)) = SIGNS.iter().find(|(written, _)| text[at..].starts_with(written)) {
            (Kind::Sign(sign), at + written.len())
        } else {
            let error =
                Diagnostic::error(Span::between(file, at, at + c.len_utf8()), format!("'{c}' means nothing here"));
            return Err(error.with_help("conditions are written as in x + 1 <= y & !(z = 3)"));
        };
        tokens.push(Token { kind, start: at, end });
        at = end;
    }
    tokens.push(Token { kind: Kind::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '#' | '$')
}

/// Digits, a fraction, an exponent; what follows must not be a letter.
fn number(file: FileId, text: &str, at: usize) -> Result<(Kind, usize), Diagnostic> {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(at);
    if text[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    if let Some(c) = text[end..].chars().next().filter(|c| is_name(*c)) {
        let message = format!("a number is followed by '{c}'");
        let error = Diagnostic::error(Span::between(file, at, end + c.len_utf8()), message);
        return Err(error.with_help("products are written with *"));
    }
    let number = text[at..end].parse::<Rational>();
    let place = Span::between(file, at, end);
    number.map(|number| (Kind::Number(number), end)).map_err(|error| Diagnostic::error(place, error.to_string()))
}

fn quoted(file: FileId, text: &str, at: usize) -> Result<(Kind, usize), Diagnostic> {
    match text[at + 1..].find('"') {
        Some(length) => Ok((Kind::Quoted(text[at + 1..at + 1 + length].to_owned()), at + length + 2)),
        None => {
            let error = Diagnostic::error(Span::between(file, at, text.len()), "this quotation mark has no other");
            Err(error.with_help("names with blanks or of keywords stand in double quotes"))
        }
    }
}
