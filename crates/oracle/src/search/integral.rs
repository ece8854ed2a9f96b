//! Integer normal form of an atom: whole coefficients without common factor, no strictness.

use surefoot_num::{IBig, Rational, UBig};
use surefoot_symbolic::{Atom, Linear, Relation, Symbol};

/// `form >= 0` or `form > 0` over integers only, as `form' >= 0` with whole, coprime coefficients and the constant rounded
/// down; any other atom as it is. Both hold for the same integers.
pub(crate) fn integral_atom(atom: Atom, integral: impl Fn(Symbol) -> bool) -> Atom {
    if atom.form.is_constant() || !atom.form.terms().iter().all(|(symbol, _)| integral(*symbol)) {
        return atom;
    }
    let already = |a: &Rational| *a == Rational::ONE || *a == -&Rational::ONE;
    let factor =
        if atom.form.terms().iter().all(|(_, a)| already(a)) { Rational::ONE } else { coprime_factor(&atom.form) };
    let scaled = if factor == Rational::ONE { atom.form } else { &atom.form * &factor };
    let constant = match atom.relation {
        Relation::AtLeastZero => scaled.constant().floor(),
        // sum > -c over integers: sum >= floor(-c) + 1, so sum - floor(-c) - 1 >= 0, and -floor(-c) = ceil(c).
        Relation::Positive => &scaled.constant().ceil() - &Rational::ONE,
        Relation::Zero | Relation::NonZero => unreachable!("only inequalities are compiled"),
    };
    Atom::at_least_zero(Linear::new(scaled.terms().to_vec(), constant))
}

/// What makes the coefficients whole and coprime.
fn coprime_factor(form: &Linear) -> Rational {
    let mut denominator = UBig::ONE;
    for (_, a) in form.terms() {
        let d = a.denominator();
        let common = gcd(denominator.clone(), d.clone());
        denominator = denominator * d / common;
    }
    let scale = Rational::from(IBig::from(denominator));
    let mut divisor = UBig::ZERO;
    for (_, a) in form.terms() {
        let (_, whole) = (a * &scale).numerator().into_parts();
        divisor = gcd(divisor, whole);
    }
    scale.checked_div(&Rational::from(IBig::from(divisor))).expect("a form that is not constant has a coefficient")
}

fn gcd(mut a: UBig, mut b: UBig) -> UBig {
    while b != UBig::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_integers_satisfy_both(a in -6i64..7, b in -6i64..7, d in 1i64..5, c in -20i64..20, strict: bool) {
            let rational = |n: i64, d: i64| Rational::new(n, d).unwrap();
            let form = Linear::new(vec![(0, rational(a, d)), (1, rational(b, 3))], rational(c, 4));
            prop_assume!(!form.is_constant());
            let relation = if strict { Relation::Positive } else { Relation::AtLeastZero };
            let atom = Atom { form, relation };
            let normal = integral_atom(atom.clone(), |_| true);
            prop_assert_eq!(normal.relation, Relation::AtLeastZero);
            prop_assert!(normal.form.terms().iter().all(|(_, a)| a.is_integer()));
            for x in -5i64..6 {
                for y in -5i64..6 {
                    let value = |s: Symbol| Rational::from(if s == 0 { x } else { y });
                    prop_assert_eq!(atom.eval(value), normal.eval(value));
                }
            }
        }
    }
}
