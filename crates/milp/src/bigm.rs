//! Indicators as rows, for solvers that have none.
//!
//! `(d = 1) => form >= 0` is `form >= l (1 - d)` where `l` is the least value of the form (or 0, if that is less), and an equation
//! is two inequalities.
//!
//! Soundness: the least value is computed exactly from the bounds of the variables, which all have two; so for `d = 0` the row
//! says nothing that the bounds do not say. No constant is guessed.

use surefoot_linear::{Atom, Linear, Relation};
use surefoot_num::Rational;

use crate::program::{Indicator, Program};

impl Program {
    /// The same program without indicators.
    #[must_use]
    pub fn with_big_m(&self) -> Self {
        let mut program = self.clone();
        program.truncate(self.mark().without_indicators());
        for indicator in self.indicators() {
            for row in self.switched(indicator) {
                program.row(row);
            }
        }
        program
    }

    fn switched(&self, indicator: &Indicator) -> Vec<Atom> {
        let form = &indicator.row.form;
        let sides = match indicator.row.relation {
            Relation::Zero => vec![form.clone(), -form],
            _ => vec![form.clone()],
        };
        let switch = |form: Linear| {
            let least = self.range(&form).lower.expect("all variables have two bounds").min(Rational::ZERO);
            // `off` is 1 where the row need not hold.
            let d = indicator.variable.form();
            let off = if indicator.value { &Linear::constant_form(Rational::ONE) - &d } else { d };
            Atom::at_least_zero(form.plus_scaled(&off, &-&least))
        };
        sides.into_iter().map(switch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Kind;

    /// All points of a small grid satisfy the one program where they satisfy the other.
    #[test]
    fn rows_say_what_indicators_say() {
        let number = |n: i64| Rational::from(n);
        for (value, relation) in [
            (true, Relation::AtLeastZero),
            (false, Relation::AtLeastZero),
            (true, Relation::Zero),
            (false, Relation::Zero),
        ] {
            for constant in -6..=6 {
                let mut program = Program::default();
                let x = program.variable(Kind::Integer, number(-2), number(3));
                let y = program.variable(Kind::Continuous, number(0), number(2));
                let d = program.binary();
                let form = Linear::new(vec![(x.0, number(2)), (y.0, number(-1))], number(constant));
                program.indicator(d, value, Atom { form, relation });
                let rows = program.with_big_m();
                assert!(rows.indicators().is_empty() && !rows.rows().is_empty());
                for point in (-2..=3).flat_map(|x| (0..=4).flat_map(move |y| (0..=1).map(move |d| (x, y, d)))) {
                    let half = Rational::new(point.1, 2).expect("not zero");
                    let values = [number(point.0), half, number(point.2)];
                    assert_eq!(program.is_satisfied(&values), rows.is_satisfied(&values), "{point:?}");
                }
            }
        }
    }
}
