//! Programs: variables with finite bounds, rows `form >= 0` or `form = 0`, indicators `(d = v) => row`, and a form to maximise.
//!
//! Data are exact. Rows are atoms over variables, numbered from 0 as symbols; strict atoms and `!=` are for whoever makes the
//! program to express otherwise.
//!
//! Invariant: both bounds of every variable are there, and those of binary variables are 0 and 1. So every form has a finite range.

use surefoot_linear::{Atom, Interval, Linear, Relation, Symbol};
use surefoot_num::Rational;

/// A variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub Symbol);

impl VarId {
    /// The form that is just the variable.
    #[must_use]
    pub fn form(self) -> Linear {
        Linear::symbol(self.0)
    }

    /// Its position among the variables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// What values a variable has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All numbers between its bounds.
    Continuous,
    /// The integers between its bounds.
    Integer,
    /// 0 and 1.
    Binary,
}

/// A variable's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Which.
    pub kind: Kind,
    /// The smallest.
    pub lower: Rational,
    /// The largest.
    pub upper: Rational,
}

/// `(variable = value) => row`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indicator {
    /// A binary variable.
    pub variable: VarId,
    /// Its value for which the row holds.
    pub value: bool,
    /// The row.
    pub row: Atom,
}

/// How much of a program there is: what is added later can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    variables: usize,
    rows: usize,
    indicators: usize,
}

impl Mark {
    /// The same without indicators.
    pub(crate) fn without_indicators(self) -> Self {
        Self { indicators: 0, ..self }
    }
}

/// A mixed-integer linear program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    variables: Vec<Variable>,
    rows: Vec<Atom>,
    indicators: Vec<Indicator>,
    /// What is to be as large as possible.
    pub objective: Linear,
}

impl Program {
    /// Adds a variable; integers get integer bounds.
    pub fn variable(&mut self, kind: Kind, lower: Rational, upper: Rational) -> VarId {
        let (lower, upper) = if kind == Kind::Continuous { (lower, upper) } else { (lower.ceil(), upper.floor()) };
        let id = VarId(Symbol::at(self.variables.len()));
        self.variables.push(Variable { kind, lower, upper });
        id
    }

    /// Adds a binary variable.
    pub fn binary(&mut self) -> VarId {
        self.variable(Kind::Binary, Rational::ZERO, Rational::ONE)
    }

    /// Adds a row, `>= 0` or `= 0`.
    pub fn row(&mut self, row: Atom) {
        debug_assert!(matches!(row.relation, Relation::AtLeastZero | Relation::Zero), "rows are closed");
        self.rows.push(row);
    }

    /// Adds a row that holds where a binary variable has a value.
    pub fn indicator(&mut self, variable: VarId, value: bool, row: Atom) {
        debug_assert!(matches!(row.relation, Relation::AtLeastZero | Relation::Zero), "rows are closed");
        debug_assert!(self.variables[variable.index()].kind == Kind::Binary, "indicators are about binary variables");
        self.indicators.push(Indicator { variable, value, row });
    }

    /// The variables.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Atom] {
        &self.rows
    }

    /// The indicators.
    #[must_use]
    pub fn indicators(&self) -> &[Indicator] {
        &self.indicators
    }

    /// Values that a form may have, by the bounds of its variables.
    #[must_use]
    pub fn range(&self, form: &Linear) -> Interval {
        form.range(|symbol| {
            let variable = &self.variables[symbol.index()];
            Interval::new(variable.lower.clone(), variable.upper.clone())
        })
    }

    /// Whether some row reads a variable.
    #[must_use]
    pub fn reads(&self, variable: VarId) -> bool {
        let reads = |row: &Atom| row.form.terms().iter().any(|(symbol, _)| *symbol == variable.0);
        self.rows.iter().any(reads) || self.indicators.iter().any(|indicator| reads(&indicator.row))
    }

    /// What there is by now.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { variables: self.variables.len(), rows: self.rows.len(), indicators: self.indicators.len() }
    }

    /// Takes back what was added after a mark.
    pub fn truncate(&mut self, mark: Mark) {
        self.variables.truncate(mark.variables);
        self.rows.truncate(mark.rows);
        self.indicators.truncate(mark.indicators);
    }

    /// Whether values satisfy everything, exactly.
    #[must_use]
    pub fn is_satisfied(&self, values: &[Rational]) -> bool {
        let value = |symbol: Symbol| values[symbol.index()].clone();
        let within = |(variable, value): (&Variable, &Rational)| {
            &variable.lower <= value
                && value <= &variable.upper
                && (variable.kind == Kind::Continuous || value.is_integer())
        };
        let holds = |indicator: &Indicator| {
            (values[indicator.variable.index()] == Rational::ONE) != indicator.value || indicator.row.eval(value)
        };
        values.len() == self.variables.len()
            && self.variables.iter().zip(values).all(within)
            && self.rows.iter().all(|row| row.eval(value))
            && self.indicators.iter().all(holds)
    }
}
