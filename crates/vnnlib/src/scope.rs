//! Names of `let`: what they stand for, and whether a term that uses them is a condition or a number.
//!
//! Look-up is by hash, and whether a `let` is a condition is worked out once: generators write them by the ten
//! thousand, one inside the other.

use std::collections::HashMap;

use surefoot_linear::Linear;

use crate::connect::{Comparison, Levelled};
use crate::tree::{Kind, Node};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Condition,
    Number,
}

/// What a name stands for.
pub(crate) enum Bound {
    Condition(Levelled),
    Number(Linear),
}

/// The names that are known where the reader is.
#[derive(Default)]
pub(crate) struct Scope<'t> {
    /// Innermost last; never an empty list.
    names: HashMap<&'t str, Vec<Bound>>,
    /// Of every `let` that was looked at, by where it begins. The names around a place never change.
    sorts: HashMap<u32, Sort>,
}

impl<'t> Scope<'t> {
    pub(crate) fn bind(&mut self, name: &'t str, bound: Bound) {
        self.names.entry(name).or_default().push(bound);
    }

    /// Forgets what was bound last to each of these names.
    pub(crate) fn forget(&mut self, names: &[&'t str]) {
        for name in names {
            let Some(known) = self.names.get_mut(name) else { continue };
            known.pop();
            if known.is_empty() {
                self.names.remove(name);
            }
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Bound> {
        self.names.get(name).and_then(|known| known.last())
    }

    /// Whether a term is a condition, by its outermost operator. Of a `let` that is its body's; a body that is a name
    /// is what the innermost `let` binds to it, in the scope around that `let`.
    pub(crate) fn sort(&mut self, mut term: Node<'t>) -> Sort {
        // The bindings of the lets around `term` whose names are not in scope yet. Each step keeps the sort, and goes into
        // a `let` or leaves one for good.
        let mut open: Vec<Node<'t>> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        let sort = loop {
            if let Some(word) = term.word() {
                match leave(&mut open, word) {
                    Some(bound) => term = bound,
                    None => break self.sort_of_word(word),
                }
                continue;
            }
            let word = term.head().map(|(word, _)| word).unwrap_or_default();
            if term.kind() != Kind::List || word != "let" {
                let condition = Comparison::named(word).is_some() || matches!(word, "and" | "or" | "not" | "=>");
                break if condition { Sort::Condition } else { Sort::Number };
            }
            let start = term.span().start;
            if let Some(known) = self.sorts.get(&start) {
                break *known;
            }
            seen.push(start);
            let mut parts = term.parts().skip(1);
            let (Some(bindings), Some(body)) = (parts.next(), parts.next()) else { break Sort::Number };
            open.push(bindings);
            term = body;
        };
        self.sorts.extend(seen.into_iter().map(|start| (start, sort)));
        sort
    }

    fn sort_of_word(&self, word: &str) -> Sort {
        match (self.get(word), word) {
            (Some(Bound::Condition(_)), _) | (None, "true" | "false") => Sort::Condition,
            _ => Sort::Number,
        }
    }
}

/// The term that the innermost of these lets binds to a name; that `let` and those inside it are taken off.
fn leave<'t>(open: &mut Vec<Node<'t>>, name: &str) -> Option<Node<'t>> {
    while let Some(bindings) = open.pop() {
        let named = |binding: &Node<'t>| binding.head().is_some_and(|(word, _)| word == name);
        if let Some(binding) = bindings.parts().find(named) {
            return binding.parts().nth(1);
        }
    }
    None
}
