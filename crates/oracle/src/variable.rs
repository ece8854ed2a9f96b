//! Bounded variables, and their bounds as floats.

use surefoot_num::Rational;

/// Values a variable ranges over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Integers.
    Integer,
    /// Reals; witnesses are rational.
    Real,
}

/// A bounded variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Variable {
    /// What it ranges over.
    pub kind: Kind,
    /// Smallest value.
    pub lower: Rational,
    /// Largest value; a variable with `upper < lower` makes the question unsatisfiable.
    pub upper: Rational,
}

impl Variable {
    /// An integer variable.
    #[must_use]
    pub fn integer(lower: i64, upper: i64) -> Self {
        Self { kind: Kind::Integer, lower: Rational::from(lower), upper: Rational::from(upper) }
    }

    /// A real variable.
    #[must_use]
    pub fn real(lower: Rational, upper: Rational) -> Self {
        Self { kind: Kind::Real, lower, upper }
    }

    /// The bounds as floats, rounded outward; and rounded inward. `None` when there are no values.
    pub(crate) fn ends(&self) -> Option<(f64, f64, (f64, f64))> {
        let Self { kind, lower, upper } = self;
        if lower > upper {
            return None;
        }
        let (l, u) = match kind {
            Kind::Integer => (lower.ceil().to_f64(), upper.floor().to_f64()),
            Kind::Real => (rounded_down(lower), rounded_up(upper)),
        };
        let inner = match kind {
            Kind::Integer => (l, u),
            Kind::Real => (rounded_up(lower), rounded_down(upper)),
        };
        (l <= u).then_some((l, u, inner))
    }

    /// The value that a float within the bounds, rounded outward, stands for: beyond a real variable's bound it is that bound.
    pub(crate) fn value(&self, float: f64) -> Option<Rational> {
        let (lower, upper, _) = self.ends()?;
        if !(lower <= float && float <= upper) {
            return None;
        }
        let value = Rational::from_f64(float).expect("bounds are finite");
        match self.kind {
            Kind::Integer => value.is_integer().then_some(value),
            Kind::Real => Some(value.max(self.lower.clone()).min(self.upper.clone())),
        }
    }
}

/// A float that is at most the value.
fn rounded_down(value: &Rational) -> f64 {
    let float = value.to_f64();
    match Rational::from_f64(float) {
        Some(exact) if exact <= *value => float,
        _ => float.next_down(),
    }
}

/// A float that is at least the value.
fn rounded_up(value: &Rational) -> f64 {
    -rounded_down(&-value)
}
