//! The normal form of an atom: equal constraints become equal values.
//!
//! Coefficients are divided by their greatest common divisor, so they are coprime integers. `= 0` and `!= 0` get a
//! positive first coefficient. Over integers, the sum `S` of the terms is an integer, and so
//!
//! * `S + c >= 0` is `S + floor(c) >= 0`, and `S + c > 0` is `S + ceil(c) - 1 >= 0`: no strict atom is left;
//! * `S + c = 0` is false, and `S + c != 0` true, where `c` is no integer: the divisor does not divide.

use surefoot_num::Rational;

use crate::form::Linear;
use crate::formula::{Atom, Formula, Relation};

/// The greatest common divisor of rationals: the largest number of which all are integer multiples. Zero for none.
#[must_use]
pub fn common_divisor<'a>(numbers: impl IntoIterator<Item = &'a Rational>) -> Rational {
    numbers.into_iter().fold(Rational::ZERO, |divisor, number| {
        let (mut a, mut b) = (divisor, number.abs());
        while let Some(quotient) = a.checked_div(&b) {
            (a, b) = (b.clone(), &a - &(&b * &quotient.floor()));
        }
        a
    })
}

/// The normal form of `form relation 0`; `integral` says whether all its symbols stand for integers.
#[must_use]
pub fn normal_atom(form: &Linear, relation: Relation, integral: bool) -> Formula {
    let Some(scale) = Rational::ONE.checked_div(&common_divisor(form.terms().iter().map(|(_, a)| a))) else {
        return Formula::constant(relation.holds(form.constant()));
    };
    let form = form * &scale;
    let with_constant = |constant: Rational| &form + &Linear::constant_form(&constant - form.constant());
    let equation = || match form.terms().first() {
        Some((_, a)) if a.signum() < 0 => -&form,
        _ => form.clone(),
    };
    let atom = match relation {
        Relation::Zero | Relation::NonZero if integral && !form.constant().is_integer() => {
            return Formula::constant(relation == Relation::NonZero);
        }
        Relation::Zero | Relation::NonZero => Atom { form: equation(), relation },
        Relation::AtLeastZero if integral => Atom::at_least_zero(with_constant(form.constant().floor())),
        Relation::Positive if integral => Atom::at_least_zero(with_constant(&form.constant().ceil() - &Rational::ONE)),
        Relation::AtLeastZero | Relation::Positive => Atom { form, relation },
    };
    Formula::Atom(atom)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::form::Symbol;

    fn rational(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    fn form(x: Rational, y: Rational, constant: Rational) -> Linear {
        Linear::new(vec![(Symbol(0), x), (Symbol(1), y)], constant)
    }

    #[test]
    fn the_divisor_of_fractions() {
        assert_eq!(common_divisor(&[rational(1, 2), rational(-1, 3)]), rational(1, 6));
        assert_eq!(common_divisor(&[rational(4, 1), rational(-6, 1)]), rational(2, 1));
        assert_eq!(common_divisor(&[]), Rational::ZERO);
    }

    #[test]
    fn equal_constraints_are_equal_values() {
        let two = rational(2, 1);
        // 2x - 4y + 1 > 0, x - 2y + 3/4 >= 0 and x - 2y >= 0 are one constraint over integers.
        let a = normal_atom(&form(two.clone(), rational(-4, 1), Rational::ONE), Relation::Positive, true);
        let b = normal_atom(&form(Rational::ONE, rational(-2, 1), rational(3, 4)), Relation::AtLeastZero, true);
        let c = Formula::Atom(Atom::at_least_zero(form(Rational::ONE, rational(-2, 1), Rational::ZERO)));
        assert_eq!((&a, &b), (&c, &c));
        // Signs of equations do not matter; 2x + 4y = 3 has no integer solution.
        let equation = |sign: i64, c: i64| {
            let sign = Rational::from(sign);
            &form(rational(2, 1), rational(4, 1), Rational::from(c)) * &sign
        };
        assert_eq!(
            normal_atom(&equation(1, 6), Relation::Zero, true),
            normal_atom(&equation(-3, 6), Relation::Zero, true)
        );
        assert!(normal_atom(&equation(1, -3), Relation::Zero, true).is_falsity());
        assert!(normal_atom(&equation(1, -3), Relation::NonZero, true).is_truth());
    }

    proptest! {
        /// The normal form has the same truth as the atom on all integer points of a box; over reals, on a grid.
        #[test]
        fn the_truth_is_the_same(
            a in -6i64..=6, b in -6i64..=6, c in -12i64..=12,
            (da, db, dc) in (1i64..=4, 1i64..=4, 1i64..=4), relation in 0usize..4, integral: bool,
        ) {
            let relations = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero];
            let relation = relations[relation];
            let form = form(rational(a, da), rational(b, db), rational(c, dc));
            let normal = normal_atom(&form, relation, integral);
            let step = if integral { 1 } else { 3 };
            for (x, y) in (-9..=9).flat_map(|x| (-9..=9).map(move |y| (x, y))) {
                let value = |s: Symbol| rational(if s.0 == 0 { x } else { y }, step);
                prop_assert_eq!(relation.holds(&form.eval(value)), normal.eval(&value), "at {}, {}", x, y);
            }
            // It is its own normal form.
            if let Formula::Atom(atom) = &normal {
                prop_assert_eq!(normal_atom(&atom.form, atom.relation, integral), normal.clone());
                prop_assert!(!integral || atom.relation != Relation::Positive);
                let coprime = common_divisor(atom.form.terms().iter().map(|(_, a)| a));
                prop_assert_eq!(coprime, Rational::ONE);
            }
        }
    }
}
