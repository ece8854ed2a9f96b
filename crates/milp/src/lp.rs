//! Programs as text: the LP format of CPLEX, which most solvers read.
//!
//! Variables are `x0`, `x1`, ... by number. Coefficients are the nearest floats: the text is for solvers in floats, and what they say
//! is confirmed elsewhere. Indicators are written as such (`d = 1 -> row`); for solvers that do not know them see
//! [`Program::with_big_m`].
//!
//! This is no style of [`surefoot_linear`]'s formulas: a row has all its coefficients in floats, signs and ones included, on lines of
//! limited length, and is never turned round.

use std::fmt::Write as _;

use surefoot_linear::{Atom, Linear, Relation};
use surefoot_num::Rational;

use crate::program::{Kind, Program};

/// Terms per line; readers of the format limit the length of lines.
const PER_LINE: usize = 8;

impl Program {
    /// The program in LP format.
    #[must_use]
    pub fn to_lp(&self) -> String {
        let mut text = String::from("Maximize\n obj:");
        if self.objective.is_constant() {
            // Some readers want an objective with a term.
            text.push_str(if self.variables().is_empty() { " " } else { " 0 x0" });
        } else {
            terms(&mut text, &self.objective);
        }
        text.push_str("\nSubject To\n");
        for (i, row) in self.rows().iter().enumerate() {
            let _ = write!(text, " c{i}:");
            constraint(&mut text, row);
        }
        for (i, indicator) in self.indicators().iter().enumerate() {
            let value = u8::from(indicator.value);
            let _ = write!(text, " i{i}: x{} = {value} ->", indicator.variable.0.0);
            constraint(&mut text, &indicator.row);
        }
        text.push_str("Bounds\n");
        for (i, variable) in self.variables().iter().enumerate() {
            let _ = writeln!(text, " {} <= x{i} <= {}", number(&variable.lower), number(&variable.upper));
        }
        for (kind, section) in [(Kind::Integer, "General"), (Kind::Binary, "Binary")] {
            let of_kind = self.variables().iter().enumerate().filter(|(_, variable)| variable.kind == kind);
            let names: Vec<String> = of_kind.map(|(i, _)| format!(" x{i}")).collect();
            if !names.is_empty() {
                let _ = writeln!(text, "{section}");
                for line in names.chunks(PER_LINE) {
                    let _ = writeln!(text, "{}", line.concat());
                }
            }
        }
        text.push_str("End\n");
        text
    }
}

fn terms(text: &mut String, form: &Linear) {
    for (i, (symbol, a)) in form.terms().iter().enumerate() {
        if i > 0 && i % PER_LINE == 0 {
            text.push_str("\n ");
        }
        let sign = if a.signum() < 0 { '-' } else { '+' };
        let _ = write!(text, " {sign} {} x{}", number(&a.abs()), symbol.0);
    }
}

fn constraint(text: &mut String, row: &Atom) {
    terms(text, &row.form);
    if row.form.is_constant() {
        text.push_str(" 0 x0");
    }
    let relation = if row.relation == Relation::Zero { "=" } else { ">=" };
    let _ = writeln!(text, " {relation} {}", number(&-row.form.constant()));
}

fn number(value: &Rational) -> String {
    let value = value.to_f64();
    if value == 0.0 { "0".to_owned() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_written_in_full() {
        let number = |n: i64| Rational::from(n);
        let mut program = Program::default();
        let x = program.variable(Kind::Continuous, number(-1), Rational::new(5, 2).expect("not zero"));
        let n = program.variable(Kind::Integer, number(0), number(7));
        let d = program.binary();
        program.row(Atom::zero(Linear::new(vec![(x.0, number(1)), (n.0, number(-3))], number(2))));
        program.indicator(d, false, Atom::at_least_zero(Linear::new(vec![(n.0, number(1))], number(-4))));
        program.objective = x.form();
        let expected = "Maximize\n obj: + 1e0 x0\nSubject To\n c0: + 1e0 x0 - 3e0 x1 = -2e0\n \
                        i0: x2 = 0 -> + 1e0 x1 >= 4e0\nBounds\n -1e0 <= x0 <= 2.5e0\n 0 <= x1 <= 7e0\n \
                        0 <= x2 <= 1e0\nGeneral\n x1\nBinary\n x2\nEnd\n";
        assert_eq!(program.to_lp(), expected);
    }
}
