//! What version 2.0 allows in assertions and version 1.0 does not restrict: its grammar, and the kinds of numbers.
//!
//! Conditions are `and` and `or` of comparisons `< <= > >= == !=` of two terms; terms are `+ - *`, elements and numbers
//! `-?d+(.d+)?`. In a comparison numbers are either all integers or all written with a point, and beside elements of type
//! `real` they are written with a point. (The official type checker lets anything stand beside elements whose type it does
//! not know, of which `Real` is one.)
//!
//! Nothing here recurses, whatever the nesting depth.

use surefoot_text::diagnostic::Diagnostic;

use crate::declare::Declared;
use crate::tensor::split;
use crate::tree::{Kind, Node};

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// Accepts a condition as one of version 2.0.
pub(crate) fn condition(node: Node<'_>, declared: &Declared) -> Result<(), Diagnostic> {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let (word, head) = node.head().ok_or_else(|| node.mismatch("a condition such as (<= X[0] 1.0)"))?;
        let arguments = node.arguments();
        match word {
            "and" | "or" if arguments.is_empty() => {
                return Err(head.error(format!("{word} needs at least 1 condition, found 0")));
            }
            "and" | "or" => open.extend(arguments.into_iter().rev()),
            _ if COMPARISONS.contains(&word) => comparison(head, &arguments, declared)?,
            _ => return Err(other(head, word)),
        }
    }
    Ok(())
}

fn comparison(head: Node<'_>, arguments: &[Node<'_>], declared: &Declared) -> Result<(), Diagnostic> {
    if arguments.len() != 2 {
        let error = head.error(format!("{} compares 2 terms in version 2.0, found {}", head.shown(), arguments.len()));
        return Err(error.with_help("write (and (<= 0.0 X[0]) (<= X[0] 1.0)) for an interval"));
    }
    let mut open: Vec<Node<'_>> = arguments.iter().rev().copied().collect();
    let (mut whole, mut pointed, mut typed) = (None, false, false);
    while let Some(node) = open.pop() {
        if let Some(word) = node.word() {
            if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let (name, indices) = split(node, word)?;
                if indices.is_some_and(|indices| indices.is_empty()) {
                    return Err(node.error("an index is missing between the brackets"));
                }
                typed |= declared.tensor(name).is_some_and(|tensor| tensor.typed);
            } else if is_number(word) {
                if word.contains('.') { pointed = true } else { whole = whole.or(Some(node)) }
            } else {
                let error = node.error(format!("{} is neither an element nor a number of version 2.0", node.shown()));
                return Err(error.with_help("numbers are written like -12 and 0.5"));
            }
            continue;
        }
        let (word, head) = node.head().ok_or_else(|| node.mismatch("a number, or a sum or product"))?;
        if !matches!(word, "+" | "-" | "*") {
            return Err(other(head, word));
        }
        let arguments = node.arguments();
        if arguments.is_empty() {
            return Err(head.error(format!("{word} needs at least 1 argument, found 0")));
        }
        open.extend(arguments.into_iter().rev());
    }
    let Some(whole) = whole.filter(|_| pointed || typed) else { return Ok(()) };
    let error = whole.error(format!("{} is an integer, and stands beside real numbers", whole.shown()));
    Err(error.with_help(format!("write {}.0", whole.shown())))
}

fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let word = word.strip_prefix('-').unwrap_or(word);
    match word.split_once('.') {
        Some((whole, rest)) => digits(whole) && digits(rest),
        None => digits(word),
    }
}

fn other(head: Node<'_>, word: &str) -> Diagnostic {
    let help = match word {
        "=" => "write ==",
        "distinct" | "<>" | "/=" => "write !=",
        "=<" | "≤" => "write <=",
        "≥" => "write >=",
        "not" | "=>" => "carry the negation down to the comparisons: (not (<= a b)) is (> a b)",
        "/" => "write the quotient of numbers as a number with a point",
        _ => "operators are and, or, <, <=, >, >=, ==, !=, +, - and *",
    };
    let shown = head.shown();
    let error = match head.kind() {
        Kind::Word => head.error(format!("version 2.0 has no operator {shown} here")),
        _ => head.mismatch("an operator"),
    };
    error.with_help(help)
}
