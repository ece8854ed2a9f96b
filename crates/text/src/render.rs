//! Diagnostics as text for people.
//!
//! ```text
//! error: an edge has no member "gaurd"
//!  --> car.jani:12:9
//!    |
//! 12 |         "gaurd": {"exp": true},
//!    |         ^^^^^^^
//!    = at automata[0].edges[3].gaurd
//!    = in automaton "car", edge 3 (location "l0", action "go")
//! help: did you mean "guard"?
//! ```
//!
//! Edges and other entries are counted from 0, as in the path. Files that are not JSON have no path.

use surefoot_files::{escape, is_unprintable};

use crate::diagnostic::{Diagnostic, Severity};
use crate::place::{describe_path, describe_surroundings, path};
use crate::source::{SourceMap, Span, offset};

/// At most so many characters of the line are shown before and after the place: whole models stand on one line.
const BEFORE: usize = 60;
const AFTER: usize = 60;
const TAB: &str = "    ";

/// The text of a diagnostic, several lines without a final line break.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let diagnostic = &*sources.veiled(diagnostic);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    };
    let mut lines = vec![format!("{severity}: {}", diagnostic.message)];
    if let Some(span) = diagnostic.span {
        excerpt(span, sources, &mut lines);
    }
    if let Some(help) = &diagnostic.help {
        lines.push(format!("help: {help}"));
    }
    lines.join("\n")
}

fn excerpt(span: Span, sources: &SourceMap, lines: &mut Vec<String>) {
    let source = sources.file(span.file);
    let text: &str = &source.text;
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary(span.end as usize).max(start);
    let (line, column) = sources.line_column(span.file, offset(start));
    lines.push(format!(" --> {}:{line}:{column}", escape(&source.path.display().to_string())));
    if !text.is_empty() && !sources.is_veiled(span.file) {
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let (shown, carets) = line_with_carets(text, start, end);
        lines.push(format!("{margin} |"));
        lines.push(format!("{number} | {shown}").trim_end().to_owned());
        lines.push(format!("{margin} | {carets}"));
        if !is_json(text) {
            return;
        }
        let steps = path(text, start);
        let described = describe_path(&steps);
        if !described.is_empty() {
            lines.push(format!("{margin} = at {}", escape(&described)));
        }
        if let Some(surroundings) = describe_surroundings(span.file, text, &steps) {
            lines.push(format!("{margin} = {}", escape(&surroundings)));
        }
    }
}

/// Whether a text is meant to be JSON: places in other files have no path.
fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{FEFF}').trim_start().starts_with(['{', '['])
}

/// The line around a place, cut to a width that can be read, and the carets for below it.
fn line_with_carets(text: &str, start: usize, end: usize) -> (String, String) {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
    let before = &text[line_start..start];
    let from = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let after = &text[start..line_end];
    let to = after.char_indices().nth(AFTER).map_or(after.len(), |(at, _)| at);
    let marked = &after[..(end - start).min(to)];

    let mut shown = String::new();
    if !before[..from].trim_start().is_empty() {
        shown.push_str("... ");
    }
    shown.push_str(&plain(&before[from..]));
    let padding = shown.chars().count();
    shown.push_str(&plain(&after[..to]));
    if to < after.len() {
        shown.push_str(" ...");
    }
    let carets = "^".repeat(plain(marked).trim_end().chars().count().max(1));
    (shown, format!("{}{carets}", " ".repeat(padding)))
}

/// Each character as it can be shown: no tab stops, nothing a terminal would obey.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push_str(TAB),
            c if is_unprintable(c) => shown.push('\u{FFFD}'),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_in_json_have_a_path() {
        let shown = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("file", text);
            let start = text.find("HERE").map_or(0, offset);
            render(&Diagnostic::error(Span { file, start, end: start + 4 }, "wrong"), &sources)
        };
        for text in ["[0, HERE]", "\u{FEFF}[0, HERE]", " \n\t[0, HERE]", "\u{FEFF}\n[0, HERE]"] {
            assert!(shown(text).contains("= at [1]"), "{}", shown(text));
        }
        for text in
            ["(declare-input X real [1, HERE])", "; [\n(f [0, HERE", "x = {a: [HERE", "\u{FEFF}([0, HERE", "7 [HERE"]
        {
            assert!(!shown(text).contains("= at"), "{}", shown(text));
            assert!(shown(text).contains("^^^^"));
        }
    }
}
