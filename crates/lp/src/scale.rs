//! Programs in integers: a variable `x` of `[l, u]` becomes `z = q (x - l)` in `[0, w]`, a row is multiplied by the
//! positive number that makes its coefficients and its constant integers without a common divisor.
//!
//! Invariant: `z`'s range and the scaled rows describe exactly the given box and rows; [`ScaledRow::factor`] turns a
//! multiplier of a scaled row into one of the given row.

use surefoot_linear::Linear;
use surefoot_num::{IBig, Rational, UBig, common_denominator};

/// A variable of the box.
#[derive(Debug, Clone)]
pub(super) struct ScaledVariable {
    lower: Rational,
    unit: UBig,
    /// The largest `z`; negative when there is no value.
    pub(super) width: IBig,
}

impl ScaledVariable {
    pub(super) fn new(lower: &Rational, upper: &Rational) -> Self {
        let width = upper - lower;
        Self { lower: lower.clone(), unit: width.denominator(), width: width.numerator() }
    }

    /// The `x` of a `z`.
    pub(super) fn restore(&self, scaled: &Rational) -> Rational {
        &self.lower + &over(scaled, &self.unit)
    }
}

/// The row `sum terms + constant`, which is `factor` times the given one.
#[derive(Debug, Clone)]
pub(super) struct ScaledRow {
    /// Variables and their coefficients, ascending, none zero. Variables with one value only are left out.
    pub(super) terms: Vec<(usize, IBig)>,
    pub(super) constant: IBig,
    /// Positive.
    pub(super) factor: Rational,
}

impl ScaledRow {
    /// # Panics
    /// When the form mentions a symbol that is no variable.
    pub(super) fn new(form: &Linear, variables: &[ScaledVariable]) -> Self {
        let mut constant = form.constant().clone();
        let mut terms = Vec::with_capacity(form.terms().len());
        for (symbol, a) in form.terms() {
            let index = symbol.index();
            let variable = &variables[index];
            constant = &constant + &(a * &variable.lower);
            if !variable.width.is_zero() {
                terms.push((index, over(a, &variable.unit)));
            }
        }
        let numbers = || terms.iter().map(|(_, a)| a).chain([&constant]);
        let multiple = common_denominator(numbers());
        let integer = |a: &Rational| a.numerator_over(&multiple);
        let divisor = numbers().fold(UBig::ZERO, |divisor, a| common_divisor(integer(a), divisor));
        let divisor = if divisor.is_zero() { UBig::ONE } else { divisor };
        let whole = |a: &Rational| integer(a) / IBig::from(divisor.clone());
        Self {
            constant: whole(&constant),
            terms: terms.iter().map(|(index, a)| (*index, whole(a))).collect(),
            factor: over(&Rational::from(IBig::from(multiple.clone())), &divisor),
        }
    }
}

/// `value / divisor` for a divisor that is not zero.
pub(super) fn over(value: &Rational, divisor: &UBig) -> Rational {
    if divisor.is_one() {
        return value.clone();
    }
    value.checked_div(&Rational::from(IBig::from(divisor.clone()))).expect("the divisor is not zero")
}

/// The greatest common divisor of `a` and `b`, where that of anything and zero is the other one.
fn common_divisor(a: IBig, b: UBig) -> UBig {
    if b.is_one() || a.is_zero() {
        return b;
    }
    if b.is_zero() {
        return a.into_parts().1;
    }
    let reduced = Rational::from_big_parts(a, b.clone()).expect("not zero");
    b / reduced.denominator()
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_linear::Symbol;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn scaling_keeps_the_row() {
        let variables = [("1/2", "7/3"), ("-1", "-1"), ("0", "4"), ("-2/5", "0.1")];
        let variables = variables.map(|(lower, upper)| ScaledVariable::new(&r(lower), &r(upper)));
        assert_eq!(variables[0].width, IBig::from(11));
        let form = Linear::new(
            vec![(Symbol(0), r("4/3")), (Symbol(1), r("6")), (Symbol(2), r("-2/9")), (Symbol(3), r("8"))],
            r("10/7"),
        );
        let row = ScaledRow::new(&form, &variables);
        assert!(row.factor.signum() > 0 && row.terms.iter().all(|(index, _)| *index != 1));
        for z in [[0, 0, 0, 0], [11, 0, 2, 1], [3, 0, 1, 0]] {
            let x: Vec<Rational> = z.iter().zip(&variables).map(|(z, v)| v.restore(&Rational::from(*z))).collect();
            let sum = row.terms.iter().map(|(k, a)| a * IBig::from(z[*k])).sum::<IBig>() + &row.constant;
            assert_eq!(Rational::from(sum), &form.eval(|s| x[s.index()].clone()) * &row.factor);
        }
    }

    #[test]
    fn rows_have_no_common_divisor() {
        let variables = [ScaledVariable::new(&r("0"), &r("5")), ScaledVariable::new(&r("0"), &r("5"))];
        let row = ScaledRow::new(&Linear::new(vec![(Symbol(0), r("6")), (Symbol(1), r("-9/2"))], r("3")), &variables);
        assert_eq!(row.terms, vec![(0, IBig::from(4)), (1, IBig::from(-3))]);
        assert_eq!((row.constant, row.factor), (IBig::from(2), r("2/3")));
        let zero = ScaledRow::new(&Linear::default(), &variables);
        assert!(zero.terms.is_empty() && zero.constant.is_zero() && zero.factor == r("1"));
    }
}
