//! Formulas over linear constraints.
//!
//! [`Ctl`] is a formula of [`surefoot_temporal`] whose leaves are conditions over the slots of the state vector.
//!
//! * [`unfold`]: operators written out step by step, as a graph of few kinds of nodes: what procedures work on.

pub mod unfold;

use surefoot_linear::{Atom, Formula, Symbol};
use surefoot_model::Model;
use surefoot_symbolic::Condition;

pub use surefoot_temporal::Quantifier;

/// A formula over linear constraints.
pub type Ctl = surefoot_temporal::Ctl<Condition>;

/// What formulas over linear constraints can be made of, and turned into.
pub trait Constraints: Sized {
    /// A linear constraint.
    #[must_use]
    fn atom(atom: Atom) -> Self;
    /// A Boolean combination of linear constraints.
    #[must_use]
    fn formula(holds: Formula) -> Self;
    /// A truth value.
    #[must_use]
    fn constant(value: bool) -> Self;
    /// An equivalent formula without negations.
    #[must_use]
    fn negation_normal(&self) -> Self;
    /// A formula without negations that holds where this one does not.
    #[must_use]
    fn negation_normal_of_negation(&self) -> Self;
    /// The formula as text.
    #[must_use]
    fn describe(&self, model: &Model) -> String;
}

impl Constraints for Ctl {
    fn atom(atom: Atom) -> Self {
        Self::formula(Formula::atom(atom))
    }

    fn formula(holds: Formula) -> Self {
        Self::State(Condition { holds, defined: Formula::truth() })
    }

    fn constant(value: bool) -> Self {
        Self::formula(Formula::constant(value))
    }

    fn negation_normal(&self) -> Self {
        self.signed(true, &mut signed)
    }

    fn negation_normal_of_negation(&self) -> Self {
        self.signed(false, &mut signed)
    }

    fn describe(&self, model: &Model) -> String {
        self.show(&|condition| {
            let compound = matches!(&condition.holds, Formula::All(p) | Formula::Any(p) if p.len() > 1);
            (condition.holds.describe(&|symbol| name(model, symbol)), compound)
        })
    }
}

/// A condition or its negation.
fn signed(condition: &Condition, positive: bool) -> Condition {
    // Whether it has a value is asked first, whatever the sign.
    let holds = if positive { condition.holds.clone() } else { condition.holds.negated() };
    Condition { holds, defined: condition.defined.clone() }
}

/// What a symbol of a condition is called.
fn name(model: &Model, symbol: Symbol) -> String {
    let slot = model.slots.get(symbol.index());
    slot.map_or_else(|| format!("output {}", symbol.0), |slot| slot.name.to_string())
}
