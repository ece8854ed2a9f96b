//! Formulas as text, in the syntax that [`crate::text`] reads.

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
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
            Self::State(condition) => formula(model, &condition.holds),
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

/// A Boolean combination of linear constraints as text.
#[must_use]
pub(crate) fn formula(model: &Model, formula_: &Formula) -> String {
    let inner = |part: &Formula| match part {
        Formula::All(parts) | Formula::Any(parts) if parts.len() > 1 => format!("({})", formula(model, part)),
        _ => formula(model, part),
    };
    match formula_ {
        Formula::Atom(a) => atom(model, a),
        Formula::All(parts) if parts.is_empty() => "true".to_owned(),
        Formula::Any(parts) if parts.is_empty() => "false".to_owned(),
        Formula::All(parts) => parts.iter().map(inner).collect::<Vec<_>>().join(" & "),
        Formula::Any(parts) => parts.iter().map(inner).collect::<Vec<_>>().join(" | "),
    }
}

/// A linear constraint as text: the first coefficient positive, the constant on the right.
pub(crate) fn atom(model: &Model, atom: &Atom) -> String {
    atom_with(atom, &|symbol| {
        model.slots.get(symbol.index()).map_or_else(|| format!("output {}", symbol.0), |slot| slot.name.to_string())
    })
}

pub(crate) fn atom_with(atom: &Atom, name: &dyn Fn(Symbol) -> String) -> String {
    let flip = atom.form.terms().first().is_some_and(|(_, a)| a.signum() < 0);
    let form = if flip { -&atom.form } else { atom.form.clone() };
    let relation = match (atom.relation, flip) {
        (Relation::AtLeastZero, false) => ">=",
        (Relation::AtLeastZero, true) => "<=",
        (Relation::Positive, false) => ">",
        (Relation::Positive, true) => "<",
        (Relation::Zero, _) => "=",
        (Relation::NonZero, _) => "!=",
    };
    let constant = -form.constant();
    format!("{} {relation} {constant}", sum(&form, name))
}

fn sum(form: &Linear, name: &dyn Fn(Symbol) -> String) -> String {
    let mut text = String::new();
    for (symbol, a) in form.terms() {
        let negative = a.signum() < 0;
        text.push_str(match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let size = a.abs();
        if size != surefoot_num::Rational::ONE {
            text.push_str(&format!("{size}*"));
        }
        text.push_str(&name(Symbol(symbol.0)));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
