//! Formulas as text, in the syntax that [`crate::text`] reads.

use crate::formula::{Ctl, Quantifier};

impl<C> Ctl<C> {
    /// The formula as text; `leaf` writes a condition, and says whether it is one of several parts.
    #[must_use]
    pub fn show(&self, leaf: &dyn Fn(&C) -> (String, bool)) -> String {
        let wrapped = |f: &Self| match f {
            Self::And(parts) | Self::Or(parts) if parts.len() > 1 => format!("({})", f.show(leaf)),
            Self::State(condition) if leaf(condition).1 => format!("({})", f.show(leaf)),
            _ => f.show(leaf),
        };
        let bound = |bound: &Option<u64>| bound.map_or(String::new(), |bound| format!("[<={bound}]"));
        let unary = |q: Quantifier, letter: char, bounds: &Option<u64>, f: &Self| {
            format!("{}{letter}{} {}", q.letter(), bound(bounds), f.parenthesised(leaf))
        };
        let binary = |q: Quantifier, letter: char, bounds: &Option<u64>, f: &Self, g: &Self| {
            let bound = bounds.map_or(String::new(), |bound| format!("<={bound}"));
            format!("{}[{} {letter}{bound} {}]", q.letter(), wrapped(f), wrapped(g))
        };
        match self {
            Self::State(condition) => leaf(condition).0,
            Self::Not(f) => format!("!{}", f.parenthesised(leaf)),
            Self::And(parts) if parts.is_empty() => "true".to_owned(),
            Self::Or(parts) if parts.is_empty() => "false".to_owned(),
            Self::And(parts) => parts.iter().map(wrapped).collect::<Vec<_>>().join(" & "),
            Self::Or(parts) => parts.iter().map(wrapped).collect::<Vec<_>>().join(" | "),
            Self::Next(q, 1, f) => unary(*q, 'X', &None, f),
            Self::Next(q, steps, f) => format!("{}X^{steps} {}", q.letter(), f.parenthesised(leaf)),
            Self::Finally(q, bounds, f) => unary(*q, 'F', bounds, f),
            Self::Globally(q, bounds, f) => unary(*q, 'G', bounds, f),
            Self::Until(q, bounds, f, g) => binary(*q, 'U', bounds, f, g),
            Self::Release(q, bounds, f, g) => binary(*q, 'R', bounds, f, g),
        }
    }

    /// What stands after an operator with one operand: only what begins with such an operator needs no parentheses.
    fn parenthesised(&self, leaf: &dyn Fn(&C) -> (String, bool)) -> String {
        match self {
            Self::Not(_)
            | Self::Next(..)
            | Self::Finally(..)
            | Self::Globally(..)
            | Self::Until(..)
            | Self::Release(..) => self.show(leaf),
            _ => format!("({})", self.show(leaf)),
        }
    }
}
