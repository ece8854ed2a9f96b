//! Formulas as text, in the syntax that [`crate::text`] reads.

use surefoot_linear::{Formula, Symbol};
use surefoot_model::Model;

use super::{Ctl, Quantifier};

impl Ctl {
    /// The formula as text.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        let wrapped = |f: &Self| match f {
            Self::And(parts) | Self::Or(parts) if parts.len() > 1 => format!("({})", f.describe(model)),
            Self::State(condition) if matches!(&condition.holds, Formula::All(p) | Formula::Any(p) if p.len() > 1) => {
                format!("({})", f.describe(model))
            }
            _ => f.describe(model),
        };
        let bound = |bound: &Option<u64>| bound.map_or(String::new(), |bound| format!("[<={bound}]"));
        let unary = |q: Quantifier, letter: char, bounds: &Option<u64>, f: &Self| {
            format!("{}{letter}{} {}", q.letter(), bound(bounds), parenthesised(f, model))
        };
        let binary = |q: Quantifier, letter: char, bounds: &Option<u64>, f: &Self, g: &Self| {
            let bound = bounds.map_or(String::new(), |bound| format!("<={bound}"));
            format!("{}[{} {letter}{bound} {}]", q.letter(), wrapped(f), wrapped(g))
        };
        match self {
            Self::State(condition) => condition.holds.describe(&|symbol| name(model, symbol)),
            Self::Not(f) => format!("!{}", parenthesised(f, model)),
            Self::And(parts) if parts.is_empty() => "true".to_owned(),
            Self::Or(parts) if parts.is_empty() => "false".to_owned(),
            Self::And(parts) => parts.iter().map(wrapped).collect::<Vec<_>>().join(" & "),
            Self::Or(parts) => parts.iter().map(wrapped).collect::<Vec<_>>().join(" | "),
            Self::Next(q, 1, f) => unary(*q, 'X', &None, f),
            Self::Next(q, steps, f) => format!("{}X^{steps} {}", q.letter(), parenthesised(f, model)),
            Self::Finally(q, bounds, f) => unary(*q, 'F', bounds, f),
            Self::Globally(q, bounds, f) => unary(*q, 'G', bounds, f),
            Self::Until(q, bounds, f, g) => binary(*q, 'U', bounds, f, g),
            Self::Release(q, bounds, f, g) => binary(*q, 'R', bounds, f, g),
        }
    }
}

/// What stands after an operator with one operand: only what begins with such an operator needs no parentheses.
fn parenthesised(f: &Ctl, model: &Model) -> String {
    match f {
        Ctl::Not(_) | Ctl::Next(..) | Ctl::Finally(..) | Ctl::Globally(..) | Ctl::Until(..) | Ctl::Release(..) => {
            f.describe(model)
        }
        _ => format!("({})", f.describe(model)),
    }
}

/// What a symbol of a condition is called.
fn name(model: &Model, symbol: Symbol) -> String {
    let slot = model.slots.get(symbol.index());
    slot.map_or_else(|| format!("output {}", symbol.0), |slot| slot.name.to_string())
}
