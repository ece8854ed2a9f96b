//! Text in drawings: what is in a name stays text, and its width is known before anybody draws it.
//!
//! Invariants: what comes out of [`escaped`] has no markup, nothing that XML forbids, and nothing that turns the direction of what follows; [`width`] is not less than what common
//! sans-serif fonts need.

/// A text inside of XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name as it is shown: control characters are blanks, and marks of direction are spelt out.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        match character {
            '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.push_str(&format!("[U+{:04X}]", u32::from(character)));
            }
            '\u{fffe}' | '\u{ffff}' => shown.push('\u{fffd}'),
            '\u{2028}' | '\u{2029}' => shown.push(' '),
            c if c.is_control() => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}

/// How wide a text is at most, by widths of DejaVu Sans, which is wider than most.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

fn em(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.35,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | 'I' | 'J' => 0.43,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 1.01,
        'A'..='Z' | '+' | '=' | '<' | '>' | '#' | '~' | '×' | '≤' | '≥' => 0.84,
        ' '..='\u{2ff}' => 0.66,
        _ => 1.05,
    }
}

/// A text that is not wider than a room: its end is cut off where need be.
pub(crate) fn cut(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), size * em('…'));
    for character in text.chars() {
        used += size * em(character);
        if used > room {
            break;
        }
        kept.push(character);
    }
    format!("{}…", kept.trim_end())
}

/// A text in lines that are not wider than a room; what does not fit into so many of them is cut off.
pub(crate) fn wrapped(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let longer = if lines[last].is_empty() { word.to_owned() } else { format!("{} {word}", lines[last]) };
        if lines.len() == most || lines[last].is_empty() || width(&longer, size) <= room {
            lines[last] = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.into_iter().map(|line| cut(&line, room, size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_stay_text() {
        let hostile = "a<b>&\"c\"'\u{1b}[31m\u{202e}d\u{ffff}";
        assert_eq!(escaped(&shown(hostile)), "a&lt;b&gt;&amp;&quot;c&quot;&#39; [31m[U+202E]d\u{fffd}");
    }

    #[test]
    fn long_texts_are_cut_and_wrapped() {
        assert_eq!(cut("short", 100.0, 12.0), "short");
        let long = cut("a name that is much too long for its place", 100.0, 12.0);
        assert!(long.ends_with('…') && width(&long, 12.0) <= 100.0, "{long}");
        let lines = wrapped("words that go on and on until nobody reads them any more, and further", 120.0, 12.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 12.0) <= 120.0) && lines[1].ends_with('…'), "{lines:?}");
        assert_eq!(wrapped("", 10.0, 12.0, 2), [""]);
    }
}
