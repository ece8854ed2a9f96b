//! Boolean combinations of linear constraints, in negation normal form.

use surefoot_num::Rational;

use crate::form::{Linear, Symbol};

/// How a form compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `form >= 0`.
    AtLeastZero,
    /// `form > 0`.
    Positive,
    /// `form = 0`.
    Zero,
    /// `form != 0`.
    NonZero,
}

impl Relation {
    /// Whether a value stands in the relation to zero.
    #[must_use]
    pub fn holds(self, value: &Rational) -> bool {
        match self {
            Self::AtLeastZero => value.signum() >= 0,
            Self::Positive => value.signum() > 0,
            Self::Zero => value.is_zero(),
            Self::NonZero => !value.is_zero(),
        }
    }
}

/// A linear form compared with zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// The form.
    pub form: Linear,
    /// Its relation to zero.
    pub relation: Relation,
}

impl Atom {
    /// `form >= 0`.
    #[must_use]
    pub fn at_least_zero(form: Linear) -> Self {
        Self { form, relation: Relation::AtLeastZero }
    }

    /// `form > 0`.
    #[must_use]
    pub fn positive(form: Linear) -> Self {
        Self { form, relation: Relation::Positive }
    }

    /// `form = 0`.
    #[must_use]
    pub fn zero(form: Linear) -> Self {
        Self { form, relation: Relation::Zero }
    }

    /// The atom that holds where this one does not.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self.relation {
            Relation::AtLeastZero => Self::positive(-&self.form),
            Relation::Positive => Self::at_least_zero(-&self.form),
            Relation::Zero => Self { form: self.form.clone(), relation: Relation::NonZero },
            Relation::NonZero => Self::zero(self.form.clone()),
        }
    }

    /// Its truth at a point.
    #[must_use]
    pub fn eval(&self, value: impl Fn(Symbol) -> Rational) -> bool {
        self.relation.holds(&self.form.eval(value))
    }
}

/// A Boolean combination of atoms without negation: the atoms absorb it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// One atom.
    Atom(Atom),
    /// All of them; true when there are none.
    All(Vec<Formula>),
    /// At least one of them; false when there are none.
    Any(Vec<Formula>),
}

impl Formula {
    /// The formula that always holds.
    #[must_use]
    pub fn truth() -> Self {
        Self::All(Vec::new())
    }

    /// The formula that never holds.
    #[must_use]
    pub fn falsity() -> Self {
        Self::Any(Vec::new())
    }

    /// A truth value.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value { Self::truth() } else { Self::falsity() }
    }

    /// One atom; decided when its form is constant.
    #[must_use]
    pub fn atom(atom: Atom) -> Self {
        if atom.form.is_constant() {
            return Self::constant(atom.relation.holds(atom.form.constant()));
        }
        Self::Atom(atom)
    }

    /// Whether it is the constant truth.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    /// Whether it is the constant falsity.
    #[must_use]
    pub fn is_falsity(&self) -> bool {
        matches!(self, Self::Any(parts) if parts.is_empty())
    }

    /// The conjunction, nested conjunctions taken apart, constants absorbed.
    #[must_use]
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                part if part.is_falsity() => return Self::falsity(),
                part => flat.push(part),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::All(flat) }
    }

    /// The disjunction, nested disjunctions taken apart, constants absorbed.
    #[must_use]
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                part if part.is_truth() => return Self::truth(),
                part => flat.push(part),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Any(flat) }
    }

    /// The formula that holds where this one does not.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Atom(atom) => Self::Atom(atom.negated()),
            Self::All(parts) => Self::Any(parts.iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// Its truth at a point.
    #[must_use]
    pub fn eval(&self, value: &impl Fn(Symbol) -> Rational) -> bool {
        match self {
            Self::Atom(atom) => atom.eval(value),
            Self::All(parts) => parts.iter().all(|part| part.eval(value)),
            Self::Any(parts) => parts.iter().any(|part| part.eval(value)),
        }
    }

    /// The formula with symbols replaced by forms, all at once; `None` keeps a symbol. Atoms that become constant are
    /// decided.
    #[must_use]
    pub fn substitute(&self, replace: &impl Fn(Symbol) -> Option<Linear>) -> Self {
        match self {
            Self::Atom(atom) => Self::atom(Atom { form: atom.form.substitute(replace), relation: atom.relation }),
            Self::All(parts) => Self::all(parts.iter().map(|part| part.substitute(replace))),
            Self::Any(parts) => Self::any(parts.iter().map(|part| part.substitute(replace))),
        }
    }

    /// How many atoms it has, repeated ones counted again.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Atom(_) => 1,
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
        }
    }

    /// How deep conjunctions and disjunctions are nested.
    #[must_use]
    pub fn depth(&self) -> usize {
        match self {
            Self::Atom(_) => 0,
            Self::All(parts) | Self::Any(parts) => 1 + parts.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// Calls `visit` on every atom, in order.
    pub fn for_each_atom<'f>(&'f self, visit: &mut impl FnMut(&'f Atom)) {
        match self {
            Self::Atom(atom) => visit(atom),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.for_each_atom(visit);
                }
            }
        }
    }
}

impl From<Atom> for Formula {
    fn from(atom: Atom) -> Self {
        Self::atom(atom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(symbol: Symbol, constant: i64, relation: Relation) -> Formula {
        Formula::Atom(Atom { form: Linear::new(vec![(symbol, Rational::ONE)], Rational::from(constant)), relation })
    }

    #[test]
    fn negation_is_the_complement_everywhere() {
        let relations = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero];
        let atoms: Vec<Formula> = relations.into_iter().map(|r| atom(Symbol(0), -1, r)).collect();
        let mixed =
            Formula::any([Formula::all([atoms[0].clone(), atom(Symbol(1), 0, Relation::NonZero)]), atoms[2].clone()]);
        for formula in atoms.iter().chain([&mixed]) {
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
                let value = |s: Symbol| Rational::from(if s == Symbol(0) { x } else { y });
                assert_ne!(formula.eval(&value), formula.negated().eval(&value), "{formula:?} at {x}, {y}");
            }
        }
    }

    #[test]
    fn constants_are_absorbed() {
        let a = atom(Symbol(0), 0, Relation::Positive);
        assert_eq!(Formula::all([Formula::truth(), a.clone()]), a);
        assert!(Formula::all([a.clone(), Formula::falsity()]).is_falsity());
        assert_eq!(Formula::any([Formula::falsity(), a.clone()]), a);
        assert!(Formula::any([a.clone(), Formula::truth()]).is_truth());
        let decided = a.substitute(&|_| Some(Linear::constant_form(Rational::from(3))));
        assert!(decided.is_truth());
    }
}
