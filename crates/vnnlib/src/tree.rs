//! Text as a tree of parentheses with places.
//!
//! One vector of entries in the order of the text: a list is followed by everything inside it, so that skipping it is
//! one step. Nothing recurses, whatever the nesting depth.

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span, offset};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `( ... )`.
    List,
    /// A name, number or operator, with its index in brackets where one follows: `X[0, 1]`.
    Word,
    /// `"..."`, or `|...|`.
    Text,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: Kind,
    start: u32,
    end: u32,
    /// The entry after this one and everything inside it.
    next: u32,
}

/// A text taken apart.
#[derive(Debug)]
pub(crate) struct Tree<'t> {
    file: FileId,
    text: &'t str,
    entries: Vec<Entry>,
}

/// A part of a [`Tree`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'t> {
    tree: &'t Tree<'t>,
    index: u32,
}

impl<'t> Tree<'t> {
    /// Takes a text apart.
    pub(crate) fn parse(file: FileId, text: &'t str) -> Result<Self, Diagnostic> {
        let mut tree = Tree { file, text, entries: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b';' => at = text[at..].find('\n').map_or(text.len(), |line| at + line),
                b'(' => {
                    open.push(tree.entries.len());
                    at += 1;
                    tree.push(Kind::List, start, at);
                }
                b')' => {
                    at += 1;
                    let Some(list) = open.pop() else {
                        let error = Diagnostic::error(tree.span(start, at), "this parenthesis closes nothing");
                        return Err(error.with_help("remove it, or open one before it"));
                    };
                    let next = offset(tree.entries.len());
                    tree.entries[list].next = next;
                    tree.entries[list].end = offset(at);
                }
                quote @ (b'"' | b'|') => {
                    let closing = text[at + 1..].find(char::from(quote)).ok_or_else(|| {
                        let what = format!("this {} is never closed", char::from(quote));
                        Diagnostic::error(tree.span(start, start + 1), what)
                    })?;
                    at += closing + 2;
                    tree.push(Kind::Text, start, at);
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    at = tree.word(start)?;
                    tree.push(Kind::Word, start, at);
                }
            }
        }
        if let Some(first) = open.first() {
            // What is missing is missing from the outermost one: everything after it was taken for its content.
            let start = tree.entries[*first].start as usize;
            let error = Diagnostic::error(tree.span(start, start + 1), "this parenthesis is never closed");
            return Err(error.with_help("add a ) where its content ends"));
        }
        Ok(tree)
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let next = offset(self.entries.len() + 1);
        self.entries.push(Entry { kind, start: offset(start), end: offset(end), next });
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::between(self.file, start, end)
    }

    /// The end of a word, with the brackets that belong to it.
    fn word(&self, start: usize) -> Result<usize, Diagnostic> {
        let rest = &self.text[start..];
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|' | '[');
        let end = rest.find(ends).unwrap_or(rest.len());
        let blanks = rest[end..].len() - rest[end..].trim_ascii_start().len();
        if !rest[end + blanks..].starts_with('[') {
            return Ok(start + end);
        }
        let bracket = start + end + blanks;
        let unclosed = || {
            let error = Diagnostic::error(self.span(bracket, bracket + 1), "this bracket is never closed");
            error.with_help("an index is written like X[0,1]")
        };
        let inside = self.text[bracket + 1..].find([']', '[', '(', ')', ';']).ok_or_else(unclosed)?;
        let close = bracket + 1 + inside;
        if self.text.as_bytes()[close] == b']' { Ok(close + 1) } else { Err(unclosed()) }
    }

    /// Everything that is not inside a list.
    pub(crate) fn top(&self) -> impl Iterator<Item = Node<'_>> {
        self.between(0, offset(self.entries.len()))
    }

    fn between(&self, first: u32, end: u32) -> impl Iterator<Item = Node<'_>> + use<'_> {
        let mut index = first;
        std::iter::from_fn(move || {
            (index < end).then(|| {
                let node = Node { tree: self, index };
                index = self.entries[index as usize].next;
                node
            })
        })
    }
}

impl<'t> Node<'t> {
    fn entry(self) -> Entry {
        self.tree.entries[self.index as usize]
    }

    pub(crate) fn kind(self) -> Kind {
        self.entry().kind
    }

    pub(crate) fn span(self) -> Span {
        let Entry { start, end, .. } = self.entry();
        self.tree.span(start as usize, end as usize)
    }

    /// A word as written.
    pub(crate) fn word(self) -> Option<&'t str> {
        (self.kind() == Kind::Word).then(|| self.text())
    }

    fn text(self) -> &'t str {
        let Entry { start, end, .. } = self.entry();
        &self.tree.text[start as usize..end as usize]
    }

    /// What stands between double quotes.
    pub(crate) fn quoted(self) -> Option<&'t str> {
        self.text().strip_prefix('"')?.strip_suffix('"')
    }

    /// The parts of a list; of anything else, none.
    pub(crate) fn parts(self) -> impl Iterator<Item = Node<'t>> {
        let entry = self.entry();
        let end = if entry.kind == Kind::List { entry.next } else { 0 };
        self.tree.between(self.index + 1, end)
    }

    /// The word that a list begins with, and the node of it.
    pub(crate) fn head(self) -> Option<(&'t str, Node<'t>)> {
        let first = self.parts().next()?;
        first.word().map(|word| (word, first))
    }

    /// The parts of a list after its first one.
    pub(crate) fn arguments(self) -> Vec<Node<'t>> {
        self.parts().skip(1).collect()
    }

    /// The node in a few words, for messages.
    pub(crate) fn shown(self) -> String {
        const LONGEST: usize = 40;
        let plain = |c: char| if c.is_whitespace() { ' ' } else { c };
        let mut shown: String = self.text().chars().take(LONGEST).map(plain).collect();
        if self.text().chars().nth(LONGEST).is_some() {
            shown.push_str(" ...");
        }
        shown.retain(|c| !c.is_control());
        shown
    }

    /// An error here.
    pub(crate) fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span(), message)
    }

    /// The error of finding this where something else was needed.
    pub(crate) fn mismatch(self, wanted: &str) -> Diagnostic {
        self.error(format!("expected {wanted}, found {}", self.shown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<String>, String> {
        let tree = Tree::parse(FileId(0), text).map_err(|error| error.message)?;
        Ok(tree.top().flat_map(|node| std::iter::once(node).chain(node.parts())).map(Node::shown).collect())
    }

    #[test]
    fn lists_words_texts_and_comments() {
        let parts = parse("; (a\n(b X[0, 1] y [2] \"a ) b\"(c))(|( |)").unwrap();
        let expected =
            ["(b X[0, 1] y [2] \"a ) b\"(c))", "b", "X[0, 1]", "y [2]", "\"a ) b\"", "(c)", "(|( |)", "|( |"];
        assert_eq!(parts, expected);
    }

    #[test]
    fn what_is_not_closed() {
        for (text, expected) in [
            ("(a (b)", "this parenthesis is never closed"),
            ("(a))", "this parenthesis closes nothing"),
            ("(a \"b)", "this \" is never closed"),
            ("(a X[0)", "this bracket is never closed"),
            ("(a X[0", "this bracket is never closed"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
    }
}
