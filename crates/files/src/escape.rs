//! Text of others, fit to be shown.
//!
//! A name may hold anything: sequences that clear a screen, marks that turn the direction of text, line breaks that make one line
//! look like two. Shown as they are they could forge a verdict. Here they become visible: `\u{1b}`.

use std::borrow::Cow;

/// Whether a character does something instead of being seen.
#[must_use]
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Marks that turn the direction of text.
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators.
            | '\u{2028}' | '\u{2029}'
            // What has no width, and so hides: two names that look the same.
            | '\u{00AD}' | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        )
}

/// A name or a message of one line: all that is unprintable is escaped.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_where(text, is_unprintable)
}

/// Lines of ours, with text of others in them: line breaks and tabs stay.
#[must_use]
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_where(text, |c| is_unprintable(c) && c != '\n' && c != '\t')
}

/// JSON as it can be shown: what is unprintable stands in strings only, where `\u202e` means the same.
#[must_use]
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let bad = |c: char| is_unprintable(c) && c != '\n';
    if !json.chars().any(bad) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if bad(character) {
            let units = character.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn escape_where(text: &str, bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if bad(character) { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same() {
        let escaped = escape_json("{\n \"\u{202e}\u{9b}\": \"\u{e0041}é\"}");
        assert_eq!(escaped, "{\n \"\\u202e\\u009b\": \"\\udb40\\udc41é\"}");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(escape("a\u{1b}[2J\r\nholds\u{9b}1m\u{7f}"), "a\\u{1b}[2J\\r\\nholds\\u{9b}1m\\u{7f}");
        assert_eq!(escape("\u{202e}sdloh\u{2066}\u{2028}"), "\\u{202e}sdloh\\u{2066}\\u{2028}");
        assert_eq!(escape_lines("a\n\tb\rc\u{1b}"), "a\n\tb\\rc\\u{1b}");
        for plain in ["x' ∧ y", "Größe", "模型", "a\u{301}", "\u{1F600}", "\\n"] {
            assert!(matches!(escape(plain), Cow::Borrowed(same) if same == plain));
        }
    }
}
