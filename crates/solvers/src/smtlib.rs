//! Questions as scripts in SMT-LIB 2, in exact rationals.
//!
//! Variables are `x0`, `x1`, ... of sort `Int` or `Real`; neurons that may change phase are `p0`, `h0`, ... before and after their ReLU, an
//! `ite`. Atoms over integers alone are written over integers, all others over reals. Every script is complete in itself: what a solver
//! answers does not depend on the questions before.

use std::fmt::Write as _;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question};

use crate::unrolled::Unrolled;

/// The script of a question, up to `(check-sat)`.
pub(crate) fn script(question: &Question, unrolled: &Unrolled) -> String {
    let mut script = Script { question, unrolled, text: String::new() };
    for (index, variable) in question.variables.iter().enumerate() {
        let (sort, lower, upper) = match variable.kind {
            Kind::Integer => ("Int", integer(&variable.lower.ceil()), integer(&variable.upper.floor())),
            Kind::Real => ("Real", real(&variable.lower), real(&variable.upper)),
        };
        script.line(format_args!("(declare-const x{index} {sort})(assert (<= {lower} x{index} {upper}))"));
    }
    for (index, neuron) in unrolled.neurons.iter().enumerate() {
        let before = script.sum(&neuron.before);
        if neuron.is_active {
            script.line(format_args!("(define-fun h{index} () Real {before})"));
        } else {
            script.line(format_args!("(declare-const p{index} Real)(assert (= p{index} {before}))"));
            script.line(format_args!("(define-fun h{index} () Real (ite (>= p{index} 0.0) p{index} 0.0))"));
        }
    }
    let formula = script.formula(&unrolled.formula);
    script.line(format_args!("(assert {formula})"));
    script.line(format_args!("(check-sat)"));
    script.text
}

/// The values of all variables, for after `sat`.
pub(crate) fn values(question: &Question) -> String {
    let mut text = String::from("(get-value (");
    for index in 0..question.variables.len() {
        let _ = write!(text, "x{index} ");
    }
    text + "))"
}

struct Script<'q> {
    question: &'q Question,
    unrolled: &'q Unrolled,
    text: String,
}

impl Script<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }

    fn is_integer(&self, symbol: Symbol) -> bool {
        self.question.variables.get(symbol.index()).is_some_and(|variable| variable.kind == Kind::Integer)
    }

    /// A symbol of sort `Real`.
    fn symbol(&self, symbol: Symbol) -> String {
        match symbol.index().checked_sub(self.unrolled.variables) {
            Some(neuron) => format!("h{neuron}"),
            None if self.is_integer(symbol) => format!("(to_real x{})", symbol.index()),
            None => format!("x{}", symbol.index()),
        }
    }

    /// A form of sort `Real`.
    fn sum(&self, form: &Linear) -> String {
        joined("0.0", form, real, |symbol| self.symbol(symbol))
    }

    fn atom(&self, atom: &Atom) -> String {
        let integral = atom.form.terms().iter().all(|(symbol, _)| self.is_integer(*symbol));
        let (sum, zero) = if integral {
            // Multiplied by the denominators, which are positive.
            let (form, _) = atom.form.over_integers();
            (joined("0", &form, integer, |symbol| format!("x{}", symbol.index())), "0")
        } else {
            (self.sum(&atom.form), "0.0")
        };
        match atom.relation {
            Relation::AtLeastZero => format!("(>= {sum} {zero})"),
            Relation::Positive => format!("(> {sum} {zero})"),
            Relation::Zero => format!("(= {sum} {zero})"),
            Relation::NonZero => format!("(not (= {sum} {zero}))"),
        }
    }

    /// Nested no deeper than questions may be.
    fn formula(&self, formula: &Formula) -> String {
        let (title, empty, parts) = match formula {
            Formula::Atom(atom) => return self.atom(atom),
            Formula::All(parts) => ("and", "true", parts),
            Formula::Any(parts) => ("or", "false", parts),
        };
        match parts.as_slice() {
            [] => empty.to_owned(),
            [part] => self.formula(part),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| self.formula(part)).collect();
                format!("({title} {})", parts.join(" "))
            }
        }
    }
}

fn joined(zero: &str, form: &Linear, number: impl Fn(&Rational) -> String, name: impl Fn(Symbol) -> String) -> String {
    let term = |(symbol, factor): &(Symbol, Rational)| {
        if *factor == Rational::ONE { name(*symbol) } else { format!("(* {} {})", number(factor), name(*symbol)) }
    };
    let mut parts: Vec<String> = form.terms().iter().map(term).collect();
    if !form.constant().is_zero() {
        parts.push(number(form.constant()));
    }
    match parts.len() {
        0 => zero.to_owned(),
        1 => parts.swap_remove(0),
        _ => format!("(+ {})", parts.join(" ")),
    }
}

/// A whole number of sort `Int`.
fn integer(value: &Rational) -> String {
    signed(value, |magnitude| magnitude.numerator().to_string())
}

/// A number of sort `Real`.
fn real(value: &Rational) -> String {
    signed(value, |magnitude| {
        let (numerator, denominator) = (magnitude.numerator(), magnitude.denominator());
        if magnitude.is_integer() { format!("{numerator}.0") } else { format!("(/ {numerator}.0 {denominator}.0)") }
    })
}

fn signed(value: &Rational, magnitude: impl Fn(&Rational) -> String) -> String {
    let text = magnitude(&value.abs());
    if value.signum() < 0 { format!("(- {text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_oracle::Variable;

    #[test]
    fn numbers_are_exact() {
        let third = Rational::new(-1, 3).unwrap();
        assert_eq!((real(&third), real(&Rational::from(2))), ("(- (/ 1.0 3.0))".to_owned(), "2.0".to_owned()));
        assert_eq!(integer(&Rational::from(-7)), "(- 7)");
    }

    #[test]
    fn a_question_without_networks() {
        let form = |factor: &str| Linear::new(vec![(Symbol(0), factor.parse().unwrap())], Rational::ONE);
        let both = Linear::new(vec![(Symbol(0), Rational::ONE), (Symbol(1), Rational::from(-2))], Rational::ZERO);
        let formula = Formula::any([
            Formula::atom(Atom::positive(form("1/2"))),
            Formula::atom(Atom { form: both, relation: Relation::NonZero }),
        ]);
        let variables = vec![Variable::integer(-1, 3), Variable::real(Rational::ZERO, Rational::new(1, 2).unwrap())];
        let question = Question { variables, applications: Vec::new(), formula };
        let unrolled = Unrolled::of(&question).unwrap();
        let wanted = "(declare-const x0 Int)(assert (<= (- 1) x0 3))\n\
                      (declare-const x1 Real)(assert (<= 0.0 x1 (/ 1.0 2.0)))\n\
                      (assert (or (> (+ x0 2) 0) (not (= (+ (to_real x0) (* (- 2.0) x1)) 0.0))))\n\
                      (check-sat)\n";
        assert_eq!(script(&question, &unrolled), wanted);
        assert_eq!(values(&question), "(get-value (x0 x1 ))");
    }
}
