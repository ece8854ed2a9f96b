//! A place inside a JSON text as a person would name it: the path to it, and the automaton and edge around it.
//!
//! Only worked out when a message is shown. The path comes from a scan that tolerates broken JSON, since broken JSON
//! is what many messages are about; it keeps its own stack and looks at nothing behind the place.

use crate::json::{Document, Node, shown};
use crate::source::FileId;

/// Longer paths are shown without their middle.
const SHOWN_STEPS: usize = 16;

/// One step from a value into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'t> {
    /// Into a member, by its name as written; `None` before any name.
    Member(Option<&'t str>),
    /// Into an element.
    Item(usize),
}

/// The steps from the outermost value to the token at `offset`.
pub(crate) fn path(text: &str, offset: usize) -> Vec<Step<'_>> {
    let bytes = text.as_bytes();
    let mut steps = Vec::new();
    let mut at = 0;
    // Whether a string here would be the name of a member.
    let mut before_name = false;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'"' => {
                while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let end = at.min(bytes.len());
                at = (at + 1).min(bytes.len());
                if before_name && let Some(Step::Member(name)) = steps.last_mut() {
                    *name = text.get(start + 1..end);
                }
            }
            bracket @ (b'{' | b'[') if start < offset => {
                before_name = bracket == b'{';
                steps.push(if before_name { Step::Member(None) } else { Step::Item(0) });
            }
            b'}' | b']' if start < offset => {
                steps.pop();
                before_name = false;
            }
            b',' if start < offset => match steps.last_mut() {
                Some(Step::Item(index)) => *index += 1,
                Some(Step::Member(name)) => {
                    *name = None;
                    before_name = true;
                }
                None => {}
            },
            b':' if start < offset => before_name = false,
            _ => {}
        }
        if at > offset {
            break;
        }
    }
    steps
}

/// `automata[0].edges[3].guard.exp`, or nothing for the outermost value.
pub(crate) fn describe_path(steps: &[Step<'_>]) -> String {
    let mut described = String::new();
    for (index, step) in steps.iter().enumerate() {
        if steps.len() > SHOWN_STEPS && (SHOWN_STEPS / 2..steps.len() - SHOWN_STEPS / 2).contains(&index) {
            if index == SHOWN_STEPS / 2 {
                described.push_str(&format!(" ... ({} more) ... ", steps.len() - SHOWN_STEPS));
            }
            continue;
        }
        match step {
            Step::Item(item) => described.push_str(&format!("[{item}]")),
            Step::Member(Some(name)) => {
                if !described.is_empty() && !described.ends_with(' ') {
                    described.push('.');
                }
                described.push_str(&shown(name));
            }
            Step::Member(None) => {}
        }
    }
    described
}

/// `in automaton "car", edge 3 (location "l0", action "go")`, when the place is inside an automaton or a property and the
/// text is whole enough to tell its name.
pub(crate) fn describe_surroundings(file: FileId, text: &str, steps: &[Step<'_>]) -> Option<String> {
    let [Step::Member(Some(list)), Step::Item(index), inner @ ..] = steps else { return None };
    let what = match *list {
        "automata" => "automaton",
        "properties" => "property",
        _ => return None,
    };
    let document = Document::parse(file, text).ok()?;
    let outer = document.root().get(list)?.items().nth(*index)?;
    let name = |node: Option<Node<'_>>| node.and_then(Node::as_str).map(shown);
    let mut described = format!("in {what} \"{}\"", name(outer.get("name"))?);
    let item = |list: &str, index: usize| outer.get(list)?.items().nth(index);
    match inner {
        [Step::Member(Some("edges")), Step::Item(index), ..] => {
            let edge = item("edges", *index)?;
            let location = name(edge.get("location")).map(|name| format!("location \"{name}\""));
            let action = match edge.get("action") {
                None => Some("silent".to_owned()),
                action => name(action).map(|name| format!("action \"{name}\"")),
            };
            let details: Vec<String> = location.into_iter().chain(action).collect();
            described.push_str(&format!(", edge {index}"));
            if !details.is_empty() {
                described.push_str(&format!(" ({})", details.join(", ")));
            }
        }
        [Step::Member(Some(list @ ("locations" | "variables" | "functions"))), Step::Item(index), ..] => {
            if let Some(name) = name(item(list, *index)?.get("name")) {
                described.push_str(&format!(", {} \"{name}\"", list.trim_end_matches('s')));
            }
        }
        _ => {}
    }
    Some(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_whole_and_broken_texts() {
        let text = r#"{"a": [1, {"b\"]": [], "c": "x,y"}], "d": {"e": }}"#;
        for (needle, expected) in [
            ("{", ""),
            ("\"a", "a"),
            ("[1", "a"),
            ("1", "a[0]"),
            ("{\"b", "a[1]"),
            ("\"c", "a[1].c"),
            ("\"x,", "a[1].c"),
            ("\"d", "d"),
            ("}}", "d.e"),
        ] {
            let offset = text.find(needle).unwrap();
            assert_eq!(describe_path(&path(text, offset)), expected, "{needle}");
        }
        assert_eq!(describe_path(&path("[1, \"a", 4)), "[1]");
        assert_eq!(describe_path(&path("", 0)), "");
        assert_eq!(describe_path(&path("]]}", 9)), "");
    }

    #[test]
    fn long_paths_lose_their_middle() {
        let text = "[".repeat(1_000_000);
        let described = describe_path(&path(&text, text.len()));
        assert_eq!(described, format!("{0} ... (999984 more) ... {0}", "[0]".repeat(8)));
    }
}
