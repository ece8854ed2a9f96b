//! Texts and names with holes: `{x} of 10`, `block_{i}`.

use serde_json::Value;

/// A part of a text with holes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Hole(Value),
}

/// Takes `text {hole} text` apart. `{{` and `}}` are braces; braces inside of a hole belong to names in it.
pub(super) fn pieces(text: &str, mut hole: impl FnMut(&str) -> Result<Value, String>) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            plain.push(next);
            rest = &rest[2..];
        } else if next == '{' {
            let end = closing(rest).ok_or("a '{' is not closed; a brace itself is written {{")?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Hole(hole(&rest[1..end])?));
            rest = &rest[end + 1..];
        } else if next == '}' {
            return Err("a '}' closes nothing; a brace itself is written }}".to_owned());
        } else {
            plain.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// Where the brace that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// How far a name that may have holes goes: `block_{i}`, `on[{i}]`.
pub(super) fn extent(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return 0;
    }
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let opens = next == '[' && text[at + 1..].starts_with('{');
        let closes = next == ']' && text[..at].ends_with('}') && text[..at].contains("[{");
        if next == '{' {
            let Some(end) = closing(&text[at..]) else { return at };
            at += end + 1;
        } else if is_word(next) || opens || closes {
            at += next.len_utf8();
        } else {
            break;
        }
    }
    at
}

/// Whether a name is one that the pieces can make with integers in the holes.
pub(super) fn fits(name: &str, pieces: &[Piece]) -> bool {
    match pieces {
        [] => name.is_empty(),
        [Piece::Text(text), rest @ ..] => name.strip_prefix(text.as_str()).is_some_and(|name| fits(name, rest)),
        [Piece::Hole(_), rest @ ..] => {
            let unsigned = name.strip_prefix('-').unwrap_or(name);
            let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count().min(12);
            (1..=digits).any(|taken| fits(&unsigned[taken..], rest))
        }
    }
}

pub(super) fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

pub(super) fn is_word(character: char) -> bool {
    is_letter(character) || character == '.'
}
