//! What the parser says about the mistakes people make.

use crate::diagnostic::Diagnostic;
use crate::json::Kind;
use crate::json::object::shown;
use crate::json::parse::Parser;
use crate::source::line_column;

impl Parser<'_> {
    /// A word or number that is no value.
    pub(super) fn error_word(&self, start: usize, end: usize) -> Diagnostic {
        let word = &self.document.text[start..end];
        let found = shown(word);
        let (message, help) = match word.trim_start_matches(['-', '+']) {
            "NaN" | "nan" | "Infinity" | "inf" | "Inf" | "infinity" => {
                (format!("JSON has no number {found}"), Some("numbers are finite decimals".to_owned()))
            }
            "True" | "TRUE" => (format!("expected a value, found {found}"), Some("write true".to_owned())),
            "False" | "FALSE" => (format!("expected a value, found {found}"), Some("write false".to_owned())),
            "None" | "nil" | "NULL" | "undefined" => {
                (format!("expected a value, found {found}"), Some("write null".to_owned()))
            }
            rest if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest.is_empty() => {
                (format!("{found} is not a JSON number"), Some("numbers are written like -12, 0.5 or 1e-3".to_owned()))
            }
            rest if rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '\'')) => (
                format!("expected a value, found {found}"),
                Some(format!("names and operators are strings: \"{}\"", found.trim_matches('\''))),
            ),
            _ => (format!("expected a value, found {found}"), None),
        };
        let error = Diagnostic::error(self.span(start, end), message);
        if let Some(help) = help { error.with_help(help) } else { error }
    }

    /// After a value, when neither a comma nor the end of the array or object follows.
    pub(super) fn error_between(&self) -> Diagnostic {
        let object = self.innermost() == Some(Kind::Object);
        let (start, end) = self.token();
        let (place, closing) = if object { ("object", '}') } else { ("array", ']') };
        let found = shown(&self.document.text[start..end]);
        let error = Diagnostic::error(
            self.span(start, end),
            format!("expected \",\" or \"{closing}\" after a value of an {place}, found {found}"),
        );
        match self.peek() {
            Some(b'"' | b'{' | b'[') => error.with_help("is a comma missing before this place?"),
            Some(b'}' | b']') => {
                let open = self.open.last().expect("an array or object is open");
                let (line, column) = line_column(self.document.text, self.document.entries[*open as usize].start);
                error.with_help(format!("the {place} was opened at line {line}, column {column}"))
            }
            _ => error,
        }
    }

    pub(super) fn error_at_end(&self) -> Diagnostic {
        let text = self.document.text;
        let end = text.trim_end().len();
        let from = text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        let span = self.span(from, end);
        let Some(open) = self.open.last() else {
            return Diagnostic::error(span, "the text is empty").with_help("expected a JSON value");
        };
        let entry = self.document.entries[*open as usize];
        let (line, column) = line_column(text, entry.start);
        let kind = entry.kind.described().trim_start_matches("an ");
        Diagnostic::error(span, format!("the text ends inside the {kind} opened at line {line}, column {column}"))
            .with_help("is a closing bracket missing, or was the file cut off?")
    }
}
