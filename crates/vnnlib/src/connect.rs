//! Comparisons and connectives: linear forms to atoms, formulas to formulas of bounded depth.

use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_text::diagnostic::Diagnostic;

use crate::tree::Node;

/// Formulas of more alternations are refused: they are recursive, and the stack is not endless.
const MOST_LEVELS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    AtMost,
    Less,
    AtLeast,
    Greater,
    Equal,
    Distinct,
}

/// A formula and how many levels of `All` and `Any` it has.
#[derive(Clone)]
pub(crate) struct Levelled {
    pub(crate) formula: Formula,
    pub(crate) levels: usize,
}

impl Comparison {
    pub(crate) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "<=" => Self::AtMost,
            "<" => Self::Less,
            ">=" => Self::AtLeast,
            ">" => Self::Greater,
            "=" | "==" => Self::Equal,
            "distinct" | "!=" => Self::Distinct,
            _ => return None,
        })
    }
}

/// The atoms that must all hold: of neighbours, or of all pairs where all are to differ.
pub(crate) fn compare(comparison: Comparison, forms: &[Linear]) -> Vec<Atom> {
    let atom = |left: &Linear, right: &Linear| match comparison {
        Comparison::AtMost => Atom::at_least_zero(right - left),
        Comparison::Less => Atom::positive(right - left),
        Comparison::AtLeast => Atom::at_least_zero(left - right),
        Comparison::Greater => Atom::positive(left - right),
        Comparison::Equal => Atom::zero(left - right),
        Comparison::Distinct => Atom { form: left - right, relation: Relation::NonZero },
    };
    if comparison == Comparison::Distinct {
        let pairs =
            forms.iter().enumerate().flat_map(|(i, left)| forms[i + 1..].iter().map(move |right| (left, right)));
        return pairs.map(|(left, right)| atom(left, right)).collect();
    }
    forms.windows(2).map(|pair| atom(&pair[0], &pair[1])).collect()
}

pub(crate) fn join(node: Node<'_>, all: bool, mut parts: Vec<Levelled>) -> Result<Levelled, Diagnostic> {
    if parts.len() == 1
        && let Some(part) = parts.pop()
    {
        return Ok(part);
    }
    let level = |part: &Levelled| match part.formula {
        Formula::Atom(_) => 1,
        Formula::All(_) => part.levels + usize::from(!all),
        Formula::Any(_) => part.levels + usize::from(all),
    };
    let levels = parts.iter().map(level).max().unwrap_or(1);
    if levels > MOST_LEVELS {
        let error = node.error(format!("and and or alternate more than {MOST_LEVELS} times here")).refusal();
        return Err(error.with_help("write the condition with less nesting"));
    }
    let formulas = parts.into_iter().map(|part| part.formula);
    let formula = if all { Formula::all(formulas) } else { Formula::any(formulas) };
    Ok(Levelled { formula, levels })
}
