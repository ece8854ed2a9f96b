//! JSON text as a tree with places.
//!
//! A [`Document`] is one vector of entries in the order of the text: an array or object is followed by everything
//! inside it, so that a subtree is a contiguous range and skipping it is one step. Nothing here recurses, whatever
//! the nesting depth, and memory is proportional to the text. Numbers keep their text until they are asked for.
//!
//! Strict JSON (RFC 8259), except that a byte-order mark is taken off when the file is loaded. A member given
//! twice is an error: two guards on one edge must not silently become one.

mod mistakes;
mod object;
mod parse;

use surefoot_num::Rational;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

pub use object::{ObjectReader, Shape};
pub use object::{listed, shown};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JSON types")]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The kind with its article, for messages.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a truth value",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// Marks a string without escapes: its value is its text.
const PLAIN: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: Kind,
    start: u32,
    end: u32,
    /// Arrays and objects: the entry after the last one inside. Strings: index into `decoded`, or [`PLAIN`].
    link: u32,
}

/// A parsed text.
#[derive(Debug)]
pub struct Document<'t> {
    file: FileId,
    text: &'t str,
    entries: Vec<Entry>,
    /// The values of strings that contain escapes.
    decoded: Vec<String>,
}

impl<'t> Document<'t> {
    /// Parses a text that is the content of `file`.
    ///
    /// # Errors
    /// The first place where the text is not JSON, or a member that is given twice.
    pub fn parse(file: FileId, text: &'t str) -> Result<Self, Diagnostic> {
        parse::parse(file, text)
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }

    fn next(&self, index: u32) -> u32 {
        let entry = self.entries[index as usize];
        match entry.kind {
            Kind::Array | Kind::Object => entry.link,
            _ => index + 1,
        }
    }

    fn string(&self, index: u32) -> &str {
        let entry = self.entries[index as usize];
        match entry.link {
            PLAIN => &self.text[entry.start as usize + 1..entry.end as usize - 1],
            decoded => &self.decoded[decoded as usize],
        }
    }
}

/// A value in a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    index: u32,
}

impl<'d> Node<'d> {
    fn entry(self) -> Entry {
        self.document.entries[self.index as usize]
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// Where it stands.
    #[must_use]
    pub fn span(self) -> Span {
        let entry = self.entry();
        Span { file: self.document.file, start: entry.start, end: entry.end }
    }

    /// Its text as written.
    #[must_use]
    pub fn text(self) -> &'d str {
        let entry = self.entry();
        &self.document.text[entry.start as usize..entry.end as usize]
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The value of a string.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        (self.kind() == Kind::String).then(|| self.document.string(self.index))
    }

    /// The value of a truth value.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.text() == "true")
    }

    /// The text of a number.
    #[must_use]
    pub fn as_number(self) -> Option<&'d str> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    /// The elements of an array; of any other value, none.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let Entry { kind, link, .. } = self.entry();
        let end = if kind == Kind::Array { link } else { 0 };
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            (index < end).then(|| {
                let item = Node { document: self.document, index };
                index = self.document.next(index);
                item
            })
        })
    }

    /// The members of an object as name, place of the name, and value; of any other value, none.
    pub fn members(self) -> impl Iterator<Item = (&'d str, Span, Self)> {
        let Entry { kind, link, .. } = self.entry();
        let end = if kind == Kind::Object { link } else { 0 };
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            (index < end).then(|| {
                let key = Node { document: self.document, index };
                let value = Node { document: self.document, index: index + 1 };
                index = self.document.next(index + 1);
                (self.document.string(key.index), key.span(), value)
            })
        })
    }

    /// The member of that name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        self.members().find(|(key, _, _)| *key == name).map(|(_, _, value)| value)
    }

    /// The error of finding this where `wanted` was needed.
    #[must_use]
    pub fn mismatch(self, wanted: &str) -> Diagnostic {
        Diagnostic::error(self.span(), format!("expected {wanted}, found {}", self.kind().described()))
    }

    /// The value of a string, which must be one.
    ///
    /// # Errors
    /// If it is not; `wanted` says what was needed (`the name of an automaton`).
    pub fn expect_str(self, wanted: &str) -> Result<&'d str, Diagnostic> {
        self.as_str().ok_or_else(|| self.mismatch(wanted))
    }

    /// The value of a truth value, which must be one.
    ///
    /// # Errors
    /// If it is not.
    pub fn expect_bool(self, wanted: &str) -> Result<bool, Diagnostic> {
        self.as_bool().ok_or_else(|| self.mismatch(wanted))
    }

    /// The exact value of a number, which must be one.
    ///
    /// # Errors
    /// If it is not, or its exponent is beyond all use.
    pub fn expect_number(self, wanted: &str) -> Result<Rational, Diagnostic> {
        let text = self.as_number().ok_or_else(|| self.mismatch(wanted))?;
        text.parse().map_err(|e: surefoot_num::ParseRationalError| Diagnostic::error(self.span(), e.to_string()))
    }

    /// The value of an integer, which must be one.
    ///
    /// # Errors
    /// If it is not, or does not fit 64 bits.
    pub fn expect_i64(self, wanted: &str) -> Result<i64, Diagnostic> {
        let number = self.expect_number(wanted)?;
        number
            .to_i64()
            .ok_or_else(|| Diagnostic::error(self.span(), format!("expected {wanted}, found {}", self.text())))
    }

    /// The elements of an array, which must be one.
    ///
    /// # Errors
    /// If it is not.
    pub fn expect_array(self, wanted: &str) -> Result<impl Iterator<Item = Self> + use<'d>, Diagnostic> {
        if self.kind() == Kind::Array { Ok(self.items()) } else { Err(self.mismatch(wanted)) }
    }
}

#[cfg(test)]
mod tests;
