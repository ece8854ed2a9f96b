//! Exact feasibility: the general simplex of Dutertre and de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)* (CAV
//! 2006), over the integers of [`crate::scale`] and the fraction-free [`crate::tableau`].
//!
//! Every row gets a slack variable that equals its form; rows are then bounds of slacks. A strict row is the bound
//! `constant + delta` for an infinitesimal `delta`, so values are pairs that compare lexicographically. A basic variable
//! outside its bounds is exchanged for a non-basic one that can move it back; if none can, its tableau row is a sum of
//! bounds that no point satisfies, which gives the multipliers.
//!
//! Invariant: every non-basic variable sits at one of its bounds (all are bounded on at least one side). So the basis and
//! one bit per variable are the whole assignment, and all numbers are integers over the tableau's denominator.
//!
//! Termination: after a number of greedy exchanges variables are chosen by Bland's rule, smallest index first, under
//! which no basis comes back (theorem 1 of the paper).

use std::cmp::Ordering;

use surefoot_linear::Relation;
use surefoot_num::{IBig, Rational};

use crate::program::{Feasibility, Row};
use crate::scale::{ScaledRow, ScaledVariable, over};
use crate::tableau::{Place, Tableau};

/// A number `a + b delta`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(IBig, IBig);

impl Pair {
    fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0, &self.1 - &other.1)
    }

    fn times(&self, factor: &IBig) -> Self {
        Self(&self.0 * factor, &self.1 * factor)
    }
}

/// What a variable is confined to: an interval over the pairs that stand for strict bounds, in scaled integers.
#[derive(Debug, Clone)]
struct Range {
    lower: Pair,
    upper: Option<Pair>,
}

/// A basic variable outside its range.
struct Violation {
    row: usize,
    /// Which bound, `Less` for the lower one.
    side: Ordering,
    by: Pair,
}

/// Rows over a box, asserted one by one and taken back in the opposite order; the work done for earlier checks helps
/// later ones.
#[derive(Debug, Clone)]
pub struct ExactSimplex {
    variables: Vec<ScaledVariable>,
    tableau: Tableau,
    /// Of the variables, then of the rows' slacks.
    ranges: Vec<Range>,
    /// Where a variable sits when it is not basic.
    at_upper: Vec<bool>,
    /// By which the rows were scaled.
    factors: Vec<Rational>,
    empty: bool,
}

impl ExactSimplex {
    /// A box without rows.
    #[must_use]
    pub fn new(bounds: &[(Rational, Rational)]) -> Self {
        let variables: Vec<_> = bounds.iter().map(|(lower, upper)| ScaledVariable::new(lower, upper)).collect();
        let range = |variable: &ScaledVariable| Range {
            lower: Pair(IBig::ZERO, IBig::ZERO),
            upper: Some(Pair(variable.width.clone(), IBig::ZERO)),
        };
        Self {
            tableau: Tableau::new(variables.len()),
            ranges: variables.iter().map(range).collect(),
            at_upper: vec![false; variables.len()],
            factors: Vec::new(),
            empty: variables.iter().any(|variable| variable.width < IBig::ZERO),
            variables,
        }
    }

    /// How many rows are asserted.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.factors.len()
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it mentions an unknown symbol or is a `!=`.
    pub fn assert_row(&mut self, row: &Row) {
        let scaled = ScaledRow::new(&row.form, &self.variables);
        let bound = -scaled.constant;
        let range = match row.relation {
            Relation::AtLeastZero => Range { lower: Pair(bound, IBig::ZERO), upper: None },
            Relation::Positive => Range { lower: Pair(bound, IBig::ONE), upper: None },
            Relation::Zero => {
                let bound = Pair(bound, IBig::ZERO);
                Range { lower: bound.clone(), upper: Some(bound) }
            }
            Relation::NonZero => panic!("a row is convex, a `!=` is not"),
        };
        self.tableau.push(&scaled.terms);
        self.ranges.push(range);
        self.at_upper.push(false);
        self.factors.push(scaled.factor);
    }

    /// Takes rows back until only the first `rows` are left.
    pub fn backtrack(&mut self, rows: usize) {
        while self.rows() > rows {
            let slack = self.ranges.len() - 1;
            if let Place::Column(column) = self.tableau.place(slack) {
                self.make_basic(column);
            }
            self.tableau.pop();
            self.ranges.pop();
            self.at_upper.pop();
            self.factors.pop();
        }
    }

    /// Exchanges a slack with a basic variable, preferably not a slack: fewer slacks outside the basis, smaller numbers.
    fn make_basic(&mut self, column: usize) {
        let rows = (0..self.tableau.basic().len()).filter(|row| !self.tableau.row(*row)[column].is_zero());
        let row = rows.min_by_key(|row| self.tableau.basic()[*row]).expect("a slack depends on some variable");
        let leaving = self.tableau.basic()[row];
        // It goes to the bound that is nearer; the others may leave their ranges, which the next check mends.
        let Pair(value, _) = self.value(row);
        let Range { lower, upper } = &self.ranges[leaving];
        self.at_upper[leaving] = upper
            .as_ref()
            .is_some_and(|upper| value * IBig::from(2) > (&lower.0 + &upper.0) * self.tableau.denominator());
        self.tableau.pivot(row, column);
    }

    /// A point of the box that satisfies all asserted rows, or multipliers for them.
    #[must_use]
    pub fn check(&mut self) -> Feasibility {
        self.check_greedily(self.ranges.len(), &|| false).expect("nothing stops it")
    }

    /// The same, unless `stop` says so before it is done; it is asked before every exchange.
    #[must_use]
    pub fn check_until(&mut self, stop: &dyn Fn() -> bool) -> Option<Feasibility> {
        self.check_greedily(self.ranges.len(), stop)
    }

    /// The same with so many greedy exchanges before Bland's rule.
    pub(super) fn check_greedily(&mut self, mut greedy: usize, stop: &dyn Fn() -> bool) -> Option<Feasibility> {
        if self.empty {
            return Some(Feasibility::Infeasible(Vec::new()));
        }
        loop {
            if stop() {
                return None;
            }
            let values: Vec<Pair> = (0..self.tableau.basic().len()).map(|row| self.value(row)).collect();
            let Some(violation) = self.violation(&values, greedy > 0) else { return Some(self.point(&values)) };
            let Some(column) = self.entering(&violation, greedy > 0) else { return Some(self.refutation(&violation)) };
            self.at_upper[self.tableau.basic()[violation.row]] = violation.side.is_gt();
            self.tableau.pivot(violation.row, column);
            greedy = greedy.saturating_sub(1);
        }
    }

    /// Where a non-basic variable sits.
    fn bound(&self, variable: usize) -> &Pair {
        let Range { lower, upper } = &self.ranges[variable];
        upper.as_ref().filter(|_| self.at_upper[variable]).unwrap_or(lower)
    }

    /// A basic variable's value, times the denominator.
    fn value(&self, row: usize) -> Pair {
        let mut sum = Pair(IBig::ZERO, IBig::ZERO);
        for (entry, variable) in self.tableau.row(row).iter().zip(self.tableau.free()) {
            let Pair(value, delta) = self.bound(*variable);
            if !value.is_zero() && !entry.is_zero() {
                sum.0 += entry * value;
            }
            if !delta.is_zero() {
                sum.1 += entry * delta;
            }
        }
        sum
    }

    /// A basic variable outside its range: that with the smallest index, or if greedy the one that is farthest off.
    fn violation(&self, values: &[Pair], greedy: bool) -> Option<Violation> {
        let denominator = self.tableau.denominator();
        let violations = values.iter().enumerate().filter_map(|(row, value)| {
            let Range { lower, upper } = &self.ranges[self.tableau.basic()[row]];
            let lower = lower.times(denominator);
            if *value < lower {
                return Some(Violation { row, side: Ordering::Less, by: lower.minus(value) });
            }
            let upper = upper.as_ref()?.times(denominator);
            (*value > upper).then(|| Violation { row, side: Ordering::Greater, by: value.minus(&upper) })
        });
        let index = |violation: &Violation| self.tableau.basic()[violation.row];
        if greedy {
            return violations.max_by(|a, b| a.by.cmp(&b.by).then(index(b).cmp(&index(a))));
        }
        violations.min_by_key(index)
    }

    /// A column whose variable can move the violating one back.
    fn entering(&self, violation: &Violation, greedy: bool) -> Option<usize> {
        let row = self.tableau.row(violation.row);
        let helps = |column: &usize| {
            let variable = self.tableau.free()[*column];
            let Range { lower, upper } = &self.ranges[variable];
            // Up, if the row's variable is too small and grows with it, or is too large and shrinks with it.
            match (row[*column].cmp(&IBig::ZERO), violation.side) {
                (Ordering::Equal, _) => false,
                (sign, side) if sign != side => upper.as_ref().is_none_or(|upper| self.bound(variable) < upper),
                _ => self.bound(variable) > lower,
            }
        };
        let columns = (0..row.len()).filter(helps);
        let index = |column: &usize| self.tableau.free()[*column];
        if greedy {
            let size = |column: &usize| row[*column].clone().into_parts().1;
            return columns.max_by(|a, b| size(a).cmp(&size(b)).then(index(b).cmp(&index(a))));
        }
        columns.min_by_key(index)
    }

    /// The multipliers when nothing can move the violating variable back: `d basic - sum T non-basic` is identically
    /// zero, but every variable's bound in the direction of its coefficient makes it positive (with the sign of
    /// the violation). Bounds of the box are not asked for: they are what the remaining sum is maximised over.
    fn refutation(&self, violation: &Violation) -> Feasibility {
        let upwards = violation.side.is_lt();
        let row = self.tableau.row(violation.row);
        let basic = self.tableau.basic()[violation.row];
        let multiplier = |(index, factor): (usize, &Rational)| {
            let slack = self.variables.len() + index;
            let number = match self.tableau.place(slack) {
                Place::Column(column) if upwards => -&row[column],
                Place::Column(column) => row[column].clone(),
                Place::Row(_) if slack != basic => return Rational::ZERO,
                Place::Row(_) if upwards => self.tableau.denominator().clone(),
                Place::Row(_) => -self.tableau.denominator(),
            };
            &Rational::from(number) * factor
        };
        Feasibility::Infeasible(self.factors.iter().enumerate().map(multiplier).collect())
    }

    /// The point of an assignment in which all variables are in their ranges.
    fn point(&self, values: &[Pair]) -> Feasibility {
        let denominator = self.tableau.denominator();
        let magnitude = denominator.clone().into_parts().1;
        // lower <= value as pairs; as numbers it holds for delta up to (value - lower) / (lower's delta - value's).
        let mut delta = Rational::ONE;
        let mut keep = |small: &Pair, large: &Pair| {
            let Pair(room, slope) = large.minus(small);
            if slope < IBig::ZERO {
                let most = Rational::from_big_parts(room, (-slope).into_parts().1).expect("the slope is not zero");
                delta = delta.clone().min(most);
            }
        };
        for (value, variable) in values.iter().zip(self.tableau.basic()) {
            let Range { lower, upper } = &self.ranges[*variable];
            keep(&lower.times(denominator), value);
            if let Some(upper) = upper {
                keep(value, &upper.times(denominator));
            }
        }
        let coordinate = |(index, variable): (usize, &ScaledVariable)| {
            let number = |Pair(a, b): &Pair| &Rational::from(a.clone()) + &(&Rational::from(b.clone()) * &delta);
            variable.restore(&match self.tableau.place(index) {
                Place::Column(_) => number(self.bound(index)),
                Place::Row(row) => over(&number(&values[row]), &magnitude),
            })
        };
        Feasibility::Feasible(self.variables.iter().enumerate().map(coordinate).collect())
    }
}
