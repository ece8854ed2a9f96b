//! Formulas as rows.
//!
//! Under a *gate* (a binary variable) a formula holds where the gate is 1. A conjunction is all its parts under the gate; a
//! disjunction of `n` parts has `n` gates of its own, at least one of which is 1 where the outer one is. What is gated touches
//! nothing but the gate where that is 0.
//!
//! Strict atoms cannot be rows. `form > 0` becomes `form >= t` with one variable `t >= 0` for all of them, which is made as large as
//! possible: a solution with `t > 0` satisfies them all, and if there is none even for `t = 0` the closures have no solution, so
//! neither have the atoms. Only `t = 0` tells nothing. (The paper's atoms are strict so that negated ones are not; atoms of either
//! kind, guards that do not hold and ties that go to the first survive negation here.)

use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_milp::{Kind, Program, VarId};
use surefoot_num::Rational;

/// The largest value of `t`: as soon as strict atoms hold by so much, more does not matter.
fn enough() -> Rational {
    Rational::new(1, 1024).expect("not zero")
}

/// A power of two that is not far from a positive number; one for zero, and for numbers of moderate size.
pub(super) fn power_of_two(value: &Rational) -> Rational {
    let size = value.to_f64();
    if size == 0.0 || (1.0 / 64.0..=1024.0).contains(&size) {
        return Rational::ONE;
    }
    // Any positive number is right; a good one makes the solver's life easier.
    #[expect(clippy::cast_possible_truncation, reason = "between -500 and 500")]
    let exponent = size.log2().floor().clamp(-500.0, 500.0) as i32;
    Rational::from(2).checked_pow(exponent).expect("two is not zero")
}

/// A form times a positive number, so that its largest coefficient is of moderate size: solvers have absolute tolerances.
fn scaled(form: &Linear) -> Linear {
    let largest = form.terms().iter().map(|(_, a)| a.abs()).max().unwrap_or_default();
    let scale = power_of_two(&largest);
    if scale == Rational::ONE { form.clone() } else { form * &Rational::ONE.checked_div(&scale).expect("not zero") }
}

/// A program that formulas are added to.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) program: Program,
    slack: VarId,
}

impl Rows {
    pub(super) fn new() -> Self {
        let mut program = Program::default();
        let slack = program.variable(Kind::Continuous, Rational::ZERO, enough());
        Self { program, slack }
    }

    /// The program, with what it is to maximise.
    pub(super) fn finished(&self) -> Program {
        let mut program = self.program.clone();
        if program.reads(self.slack) {
            program.objective = self.slack.form();
        }
        program
    }

    /// Adds a row, scaled, under a gate if there is one.
    pub(super) fn row(&mut self, row: &Atom, gate: Option<VarId>) {
        let row = Atom { form: scaled(&row.form), relation: row.relation };
        match gate {
            None => self.program.row(row),
            Some(gate) => self.program.indicator(gate, true, row),
        }
    }

    /// Adds a formula over the program's variables, under a gate if there is one.
    pub(super) fn require(&mut self, formula: &Formula, gate: Option<VarId>) {
        match formula {
            Formula::All(parts) => {
                for part in parts {
                    self.require(part, gate);
                }
            }
            Formula::Any(parts) if parts.iter().any(Formula::is_truth) => {}
            Formula::Any(parts) => {
                let gates = self.some(parts.len(), gate);
                for (part, gate) in parts.iter().zip(gates) {
                    self.require(part, gate);
                }
            }
            Formula::Atom(atom) => match atom.relation {
                Relation::AtLeastZero | Relation::Zero => self.row(atom, gate),
                Relation::Positive => {
                    let form = scaled(&atom.form);
                    self.row(&Atom::at_least_zero(&form - &self.slack.form()), gate);
                }
                Relation::NonZero => {
                    let sides = [Atom::positive(atom.form.clone()), Atom::positive(-&atom.form)];
                    self.require(&Formula::Any(sides.map(Formula::Atom).to_vec()), gate);
                }
            },
        }
    }

    /// Gates for alternatives of which at least one is taken where the outer gate is 1. A single alternative is the outer gate.
    pub(super) fn some(&mut self, count: usize, gate: Option<VarId>) -> Vec<Option<VarId>> {
        if count == 1 {
            return vec![gate];
        }
        let gates: Vec<VarId> = (0..count).map(|_| self.program.binary()).collect();
        let sum = Linear::new(gates.iter().map(|gate| (gate.0, Rational::ONE)).collect(), Rational::ZERO);
        let least = gate.map_or_else(|| Linear::constant_form(Rational::ONE), VarId::form);
        // None at all: the slack is never negative, so this says what falsity says and has a variable in it.
        let none = &-&self.slack.form() - &least;
        self.program.row(Atom::at_least_zero(if count == 0 { none } else { &sum - &least }));
        gates.into_iter().map(Some).collect()
    }
}
