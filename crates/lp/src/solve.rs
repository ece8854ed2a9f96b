//! A program's answer: a float hint that passes the exact check, or else the exact simplex.
//!
//! Most programs have room, either inside or to the next feasible one, and then a rounded point or rounded multipliers
//! are as good as exact ones: they settle the program if [`Program::contains`] or [`Program::refutes`] say so, at the
//! price of one exact evaluation. What is left are programs whose answer hangs on single points, equalities mostly.
//!
//! Soundness: hints pass the same exact checks that define an answer; a wrong hint costs time only.

use surefoot_linear::Relation;
use surefoot_num::Rational;

use crate::exact::ExactSimplex;
use crate::float::FloatSimplex;
use crate::program::{Feasibility, Program};
use crate::rows::FloatRows;

/// A point with this little slack may still be exact, where rows and corners are simple numbers.
const NEARLY: f64 = -1e-9;

impl Program {
    /// A point, or multipliers that prove that there is none. Exact, deterministic, and always terminates.
    ///
    /// # Panics
    /// When a row mentions an unknown symbol or is a `!=`.
    #[must_use]
    pub fn solve(&self) -> Feasibility {
        self.solve_until(&|| false).expect("nothing stops it")
    }

    /// The same, unless `stop` says so before it is done.
    ///
    /// # Panics
    /// When a row mentions an unknown symbol or is a `!=`.
    #[must_use]
    pub fn solve_until(&self, stop: &dyn Fn() -> bool) -> Option<Feasibility> {
        if let Some(answer) = self.hinted() {
            return Some(answer);
        }
        let mut simplex = ExactSimplex::new(&self.bounds);
        for row in &self.rows {
            if stop() {
                return None;
            }
            simplex.assert_row(row);
        }
        simplex.check_until(stop)
    }

    /// The answer that a float hint gives, if it passes the exact check.
    fn hinted(&self) -> Option<Feasibility> {
        let floats = Floats::new(self)?;
        let rows = FloatRows {
            lower: &floats.lower,
            upper: &floats.upper,
            coefficients: &floats.coefficients,
            stride: floats.lower.len(),
            constants: &floats.constants,
        };
        let mut simplex = FloatSimplex::default();
        let limit = 10 * (rows.rows() + rows.variables());
        let hint = simplex.solve(&rows, &floats.scales, &floats.lower, limit);
        if !hint.finished {
            return None;
        }
        if hint.t.is_some_and(|t| t >= NEARLY) {
            // Bounds were rounded too.
            let clamp = |(x, (lower, upper)): (&f64, &(Rational, Rational))| {
                Some(Rational::from_f64(*x)?.max(lower.clone()).min(upper.clone()))
            };
            let point: Vec<Rational> = hint.point.iter().zip(&self.bounds).map(clamp).collect::<Option<_>>()?;
            if self.contains(&point) {
                return Some(Feasibility::Feasible(point));
            }
        }
        let mut multipliers = vec![Rational::ZERO; self.rows.len()];
        for ((row, sign), multiplier) in floats.origins.iter().zip(hint.multipliers) {
            let signed = Rational::from_f64(sign * multiplier)?;
            multipliers[*row] = &multipliers[*row] + &signed;
        }
        (hint.t.is_some_and(|t| t < 0.0) && self.refutes(&multipliers)).then_some(Feasibility::Infeasible(multipliers))
    }
}

/// A program rounded to floats, an equality as two rows.
struct Floats {
    lower: Vec<f64>,
    upper: Vec<f64>,
    coefficients: Vec<f64>,
    constants: Vec<f64>,
    /// The most that a row can change within the box.
    scales: Vec<f64>,
    /// The row of the program, and 1 or -1.
    origins: Vec<(usize, f64)>,
}

impl Floats {
    /// Nothing for what the exact simplex will refuse.
    fn new(program: &Program) -> Option<Self> {
        let lower: Vec<f64> = program.bounds.iter().map(|(lower, _)| lower.to_f64()).collect();
        let upper: Vec<f64> = program.bounds.iter().map(|(_, upper)| upper.to_f64()).collect();
        let mut floats =
            Self { lower, upper, coefficients: vec![], constants: vec![], scales: vec![], origins: vec![] };
        for (index, row) in program.rows.iter().enumerate() {
            let signs: &[f64] = match row.relation {
                Relation::AtLeastZero | Relation::Positive => &[1.0],
                Relation::Zero => &[1.0, -1.0],
                Relation::NonZero => return None,
            };
            for sign in signs {
                let start = floats.coefficients.len();
                floats.coefficients.resize(start + floats.lower.len(), 0.0);
                let mut scale = 0.0;
                for (symbol, a) in row.form.terms() {
                    let (j, a) = (symbol.index(), a.to_f64());
                    *floats.coefficients[start..].get_mut(j)? = sign * a;
                    scale += a.abs() * (floats.upper[j] - floats.lower[j]);
                }
                let constant = row.form.constant().to_f64();
                floats.constants.push(sign * constant);
                // A row that cannot change is compared with itself.
                let fallback = if constant == 0.0 { 1.0 } else { constant.abs() };
                floats.scales.push(if scale > 0.0 { scale } else { fallback });
                floats.origins.push((index, *sign));
            }
        }
        Some(floats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::network_program;
    use surefoot_linear::{Atom, Linear, Symbol};
    use surefoot_num::Random;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// Hints are worth their while: programs with room hardly ever need the exact simplex.
    #[test]
    fn hints_settle_programs_with_room() {
        let random = &mut Random::new(17);
        let mut settled = 0;
        for round in 0..100 {
            let program = network_program(random, 8, 12, 1 + 6 * (round % 2), round % 4 < 2);
            if let Some(answer) = program.hinted() {
                settled += 1;
                assert_eq!(matches!(answer, Feasibility::Feasible(_)), round % 4 < 2);
            }
        }
        assert!(settled >= 95, "{settled} of 100");
    }

    /// What floats cannot see is left to the exact simplex: a third, the last bits, numbers out of range.
    #[test]
    fn hints_do_not_decide_what_floats_cannot_see() {
        let line = |a: &str, c: &str| Linear::new(vec![(Symbol(0), r(a))], r(c));
        let program = |rows: Vec<Atom>| Program { bounds: vec![(r("-1"), r("1"))], rows };
        let third = program(vec![Atom::zero(line("3", "-1"))]);
        assert_eq!((third.hinted(), third.solve()), (None, Feasibility::Feasible(vec![r("1/3")])));
        let bits = program(vec![Atom::at_least_zero(line("3", "-1e-40")), Atom::at_least_zero(line("-49", "0"))]);
        assert_eq!(bits.hinted(), None);
        assert!(matches!(bits.solve(), Feasibility::Infeasible(multipliers) if bits.refutes(&multipliers)));
        let huge = program(vec![Atom::positive(line("1e400", "-1e399"))]);
        assert_eq!(huge.hinted(), None);
        assert!(matches!(huge.solve(), Feasibility::Feasible(point) if huge.contains(&point)));
    }
}
