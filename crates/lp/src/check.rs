//! The definition of a settled program: is this a point of it, do these multipliers refute it?
//!
//! Farkas' lemma with strict rows (Motzkin's transposition theorem): if a sum of the rows with multipliers that keep
//! their direction is nowhere positive on the box, and one of them was strict, or if it is negative everywhere, then no
//! point of the box satisfies all rows. A linear form is largest over a box at the corner that its signs choose, so the
//! check is one sum.
//!
//! Soundness: shares nothing with the solvers; whoever trusts a refutation needs to trust only this file.

use surefoot_linear::{Relation, Symbol};
use surefoot_num::Rational;

use crate::program::Program;

impl Program {
    /// Whether the multipliers prove that there is no point, as [`crate::Feasibility::Infeasible`] describes. An empty
    /// box needs no proof. Never panics: what does not fit the program proves nothing.
    #[must_use]
    pub fn refutes(&self, multipliers: &[Rational]) -> bool {
        if self.bounds.iter().any(|(lower, upper)| lower > upper) {
            return true;
        }
        if multipliers.len() != self.rows.len() {
            return false;
        }
        let mut strict = false;
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            let valid = match row.relation {
                Relation::AtLeastZero | Relation::Positive => multiplier.signum() >= 0,
                Relation::Zero => true,
                Relation::NonZero => multiplier.is_zero(),
            };
            if !valid {
                return false;
            }
            strict |= row.relation == Relation::Positive && multiplier.signum() > 0;
        }
        let sum = self.combine(multipliers);
        let mut largest = sum.constant().clone();
        for (symbol, a) in sum.terms() {
            let Some((lower, upper)) = self.bounds.get(symbol.index()) else { return false };
            largest = &largest + &(a * if a.signum() > 0 { upper } else { lower });
        }
        largest.signum() < i64::from(strict)
    }

    /// Whether a point lies in the box and satisfies all rows. A point of another dimension does not.
    #[must_use]
    pub fn contains(&self, point: &[Rational]) -> bool {
        let inside = |((lower, upper), value): (&(Rational, Rational), &Rational)| lower <= value && value <= upper;
        let known = |symbol: Symbol| symbol.index() < point.len();
        point.len() == self.bounds.len()
            && self.bounds.iter().zip(point).all(inside)
            && self.rows.iter().all(|row| {
                row.form.terms().iter().all(|(symbol, _)| known(*symbol)) && row.eval(|s| point[s.index()].clone())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_linear::{Atom, Linear};

    fn r(value: i64) -> Rational {
        Rational::from(value)
    }

    /// `a x + b y + c`.
    fn form(a: i64, b: i64, c: i64) -> Linear {
        Linear::new(vec![(Symbol(0), r(a)), (Symbol(1), r(b))], r(c))
    }

    fn square(rows: Vec<Atom>) -> Program {
        Program { bounds: vec![(r(0), r(1)), (r(0), r(1))], rows }
    }

    #[test]
    fn a_sum_that_is_negative_refutes_and_one_that_touches_zero_needs_a_strict_row() {
        let apart = square(vec![Atom::at_least_zero(form(1, 1, -3))]);
        assert!(apart.refutes(&[r(1)]) && apart.refutes(&[r(7)]));
        assert!(!apart.refutes(&[r(0)]) && !apart.refutes(&[r(-1)]) && !apart.refutes(&[]));
        // x + y - 2 is zero at the corner.
        assert!(!square(vec![Atom::at_least_zero(form(1, 1, -2))]).refutes(&[r(1)]));
        assert!(square(vec![Atom::positive(form(1, 1, -2))]).refutes(&[r(1)]));
        // The strict row must take part.
        let bystander = square(vec![Atom::at_least_zero(form(1, 1, -2)), Atom::positive(form(1, 0, 0))]);
        assert!(!bystander.refutes(&[r(1), r(0)]));
    }

    #[test]
    fn only_equalities_may_be_turned_around() {
        let program = |relation| square(vec![Atom { form: form(1, 1, 1), relation }]);
        assert!(program(Relation::Zero).refutes(&[r(-1)]));
        assert!(!program(Relation::Zero).refutes(&[r(1)]));
        assert!(!program(Relation::AtLeastZero).refutes(&[r(-1)]));
        assert!(!program(Relation::Positive).refutes(&[r(-1)]));
        assert!(!program(Relation::NonZero).refutes(&[r(-1)]));
    }

    #[test]
    fn an_empty_box_is_refuted_by_nothing_at_all() {
        let program = Program { bounds: vec![(r(1), r(0))], rows: vec![] };
        assert!(program.refutes(&[]) && !program.contains(&[r(0)]) && !program.contains(&[r(1)]));
        let point = Program::default();
        assert!(!point.refutes(&[]) && point.contains(&[]));
    }

    #[test]
    fn unknown_symbols_prove_nothing_and_hold_nowhere() {
        let program = square(vec![Atom::at_least_zero(Linear::symbol(Symbol(2)))]);
        assert!(!program.refutes(&[r(1)]) && !program.contains(&[r(0), r(0)]));
        assert!(!square(vec![]).contains(&[r(0)]));
        assert!(square(vec![]).contains(&[r(0), r(1)]) && !square(vec![]).contains(&[r(0), r(2)]));
    }
}
