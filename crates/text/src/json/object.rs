//! Objects with known members: what must be there, what may be there, and nothing else.

use crate::diagnostic::Diagnostic;
use crate::json::{Kind, Node};
use crate::suggest::suggest;

/// Which members an object has.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    what: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

impl Shape {
    /// The shape of `what` (with article: `an edge`) with its required and optional members.
    #[must_use]
    pub const fn new(what: &'static str, required: &'static [&'static str], optional: &'static [&'static str]) -> Self {
        Self { what, required, optional }
    }
}

/// Whether a member says nothing to a tool: `comment`, `metadata`, and whatever is private to others (`x-...`).
fn is_remark(name: &str) -> bool {
    matches!(name, "comment" | "metadata") || name.starts_with("x-")
}

/// An object that was found to have its [`Shape`].
#[derive(Debug, Clone, Copy)]
pub struct ObjectReader<'d> {
    node: Node<'d>,
}

impl<'d> ObjectReader<'d> {
    /// Checks an object against its shape. Members `comment`, `metadata` and `x-...` are always allowed; any other
    /// unknown member is an error, because ignoring it would change what the file says.
    ///
    /// # Errors
    /// If it is no object, has an unknown member, or lacks a required one.
    pub fn new(node: Node<'d>, shape: &Shape) -> Result<Self, Diagnostic> {
        if node.kind() != Kind::Object {
            return Err(node.mismatch(&format!("{} as an object", shape.what)));
        }
        let mut found = 0;
        for (name, span, _) in node.members() {
            if shape.required.contains(&name) {
                found += 1;
            } else if !shape.optional.contains(&name) && !is_remark(name) {
                let known = || shape.required.iter().chain(shape.optional).copied();
                // A member that is there already was not meant a second time.
                let missing = suggest(name, known().filter(|known| node.get(known).is_none()));
                let error = Diagnostic::error(span, format!("{} has no member \"{}\"", shape.what, shown(name)));
                return Err(match missing {
                    Some(meant) => error.with_help(format!("did you mean \"{meant}\"?")),
                    None => error.with_help(format!("its members are {}", listed(known()))),
                });
            }
        }
        // Names are unique in an object, so the count tells whether all are there.
        if found < shape.required.len() {
            let missing = shape.required.iter().filter(|name| node.get(name).is_none()).copied();
            return Err(Diagnostic::error(node.span(), format!("{} needs {}", shape.what, listed(missing))));
        }
        Ok(Self { node })
    }

    /// The object.
    #[must_use]
    pub fn node(&self) -> Node<'d> {
        self.node
    }

    /// A required member.
    ///
    /// # Panics
    /// If the shape does not require it.
    #[must_use]
    pub fn required(&self, name: &str) -> Node<'d> {
        self.node.get(name).expect("the shape of the object requires the member")
    }

    /// An optional member.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<Node<'d>> {
        self.node.get(name)
    }
}

/// A name short enough for a message.
pub fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(60).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if name.chars().nth(60).is_some() {
        shown.push_str("...");
    }
    shown
}

/// `"a", "b" and "c"`.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
