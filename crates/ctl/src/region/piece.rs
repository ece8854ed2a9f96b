//! A polyhedron of parameters: a box and rows `form >= 0`, `form > 0`, `form = 0`, with a point of it.
//!
//! Invariants: the point is in the box, is integral where parameters are integers, and satisfies all rows; so a piece is never
//! empty. Rows over one parameter narrow the box; they stay rows only where they are strict.

use std::sync::Arc;

use surefoot_limits::Stop;
use surefoot_linear::{Atom, Formula, Interval, Linear, Relation, normal_atom};
use surefoot_lp::{Feasibility, Program};
use surefoot_num::{FloatInterval, Rational};
use surefoot_oracle::Limits;

use super::{Cut, Stopped};

/// A part of the initial region.
#[derive(Debug, Clone)]
pub struct Piece {
    bounds: Vec<(Rational, Rational)>,
    integer: Arc<[bool]>,
    rows: Vec<Atom>,
    point: Vec<Rational>,
    /// The bounds as floats, rounded outwards.
    float_bounds: Vec<FloatInterval>,
}

impl Piece {
    /// A box; `None` if it is empty. Parameters that are integers have integer bounds afterwards.
    #[must_use]
    pub fn new(mut bounds: Vec<(Rational, Rational)>, integer: Arc<[bool]>) -> Option<Self> {
        for ((lower, upper), integer) in bounds.iter_mut().zip(integer.iter()) {
            if *integer {
                (*lower, *upper) = (lower.ceil(), upper.floor());
            }
        }
        if bounds.iter().any(|(lower, upper)| lower > upper) {
            return None;
        }
        let mut piece = Self { bounds, integer, rows: Vec::new(), point: Vec::new(), float_bounds: Vec::new() };
        piece.point = piece.simple_point();
        piece.round_bounds();
        Some(piece)
    }

    /// How many parameters there are.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.bounds.len()
    }

    /// Bounds of the parameters: all of the piece is within them.
    #[must_use]
    pub fn bounds(&self) -> &[(Rational, Rational)] {
        &self.bounds
    }

    /// Which parameters are integers.
    #[must_use]
    pub fn integer(&self) -> &[bool] {
        &self.integer
    }

    /// What holds besides the bounds.
    #[must_use]
    pub fn rows(&self) -> &[Atom] {
        &self.rows
    }

    /// A point of the piece.
    #[must_use]
    pub fn point(&self) -> &[Rational] {
        &self.point
    }

    /// Whether a point is in the piece.
    #[must_use]
    pub fn contains(&self, point: &[Rational]) -> bool {
        let inside = self.bounds.iter().zip(point).all(|((lower, upper), x)| lower <= x && x <= upper);
        inside
            && self.integer.iter().zip(point).all(|(integer, x)| !integer || x.is_integer())
            && self.rows.iter().all(|row| row.eval(|s| point[s.index()].clone()))
    }

    /// An atom in normal form: decided where it is constant or integers decide it.
    pub(super) fn normal(&self, atom: &Atom) -> Formula {
        let integral = atom.form.terms().iter().all(|(s, _)| self.integer[s.index()]);
        normal_atom(&atom.form, atom.relation, integral)
    }

    /// Values that a form may have in the piece, as far as the box tells.
    #[must_use]
    pub fn range(&self, form: &Linear) -> Interval {
        form.range(|symbol| {
            let (lower, upper) = &self.bounds[symbol.index()];
            Interval::new(lower.clone(), upper.clone())
        })
    }

    /// The part where an atom (no `!=`) holds too; `None` if there is none.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn with(&self, atom: &Atom, limits: &Limits) -> Result<Option<Self>, Stopped> {
        let atom = match self.normal(atom) {
            Formula::Atom(atom) => atom,
            constant => return Ok(constant.is_truth().then(|| self.clone())),
        };
        let mut part = self.clone();
        if !part.narrow(&atom) {
            return Ok(None);
        }
        let simple = atom.form.terms().len() == 1 && atom.relation != Relation::Positive;
        if !simple {
            part.rows.push(atom);
        }
        for row in part.rows.clone() {
            if !part.narrow(&row) {
                return Ok(None);
            }
        }
        part.forget_implied();
        part.round_bounds();
        if part.contains(&self.point) {
            return Ok(Some(part));
        }
        let simple = part.simple_point();
        if part.contains(&simple) {
            return Ok(Some(Self { point: simple, ..part }));
        }
        let point = find_point(&part.bounds, &part.integer, &part.rows, limits)?;
        Ok(point.map(|point| Self { point, ..part }))
    }

    /// Bounds of the parameters in floats: all of the piece is within them.
    #[must_use]
    pub fn float_bounds(&self) -> &[FloatInterval] {
        &self.float_bounds
    }

    fn round_bounds(&mut self) {
        let outwards = |(lower, upper): &(Rational, Rational)| FloatInterval::around(lower, upper);
        self.float_bounds = self.bounds.iter().map(outwards).collect();
    }

    /// The sign that a form has all over the piece, if floats show that it is not zero.
    pub(super) fn float_sign(&self, form: &Linear) -> Option<bool> {
        let mut sum = FloatInterval::around(form.constant(), form.constant());
        for (symbol, a) in form.terms() {
            let (bounds, a) = (self.float_bounds[symbol.index()], FloatInterval::around(a, a));
            if !bounds.is_finite() || !a.is_finite() {
                return None;
            }
            sum = sum.plus(a.times(bounds));
        }
        if sum.lower > 0.0 {
            Some(true)
        } else if sum.upper < 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Leaves out rows over one parameter that the bounds imply by now.
    fn forget_implied(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let implied =
            |row: &Atom| row.form.terms().len() == 1 && self.range(&row.form).decides(row.relation) == Some(true);
        self.rows = rows.into_iter().filter(|row| !implied(row)).collect();
    }

    /// A point well inside the bounds with as few digits as possible: all that is computed from it is shorter.
    fn simple_point(&self) -> Vec<Rational> {
        let bounds = self.bounds.iter().zip(self.integer.iter());
        bounds
            .map(|((lower, upper), integer)| if *integer { middle_integer(lower, upper) } else { simple(lower, upper) })
            .collect()
    }

    /// The parts on the sides of a cut, those without points left out.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn apart(&self, cut: &Cut, limits: &Limits) -> Result<Vec<Self>, Stopped> {
        let mut parts = Vec::new();
        for side in cut.sides() {
            parts.extend(self.with(&side, limits)?);
        }
        Ok(parts)
    }

    /// Narrows the box by a row; `false` if nothing is left.
    ///
    /// Soundness: `a x + rest >= 0` bounds `x` by the largest value of the rest over the box; closed bounds are kept for strict
    /// rows, which stay rows.
    fn narrow(&mut self, row: &Atom) -> bool {
        if row.relation == Relation::NonZero {
            return true;
        }
        let directions: &[bool] = if row.relation == Relation::Zero { &[true, false] } else { &[true] };
        for upwards in directions {
            let form = if *upwards { row.form.clone() } else { -&row.form };
            let most = self.range(&form).upper;
            for (symbol, a) in form.terms() {
                let i = symbol.index();
                let own = if a.signum() > 0 { &self.bounds[i].1 } else { &self.bounds[i].0 };
                // The largest value of the rest; what bounds the symbol is where the sum becomes zero.
                let Some(rest) = most.as_ref().map(|most| most - &(a * own)) else { continue };
                let Some(limit) = (-&rest).checked_div(a) else { continue };
                let bound = &mut self.bounds[i];
                if a.signum() > 0 && limit > bound.0 {
                    bound.0 = if self.integer[i] { limit.ceil() } else { limit };
                } else if a.signum() < 0 && limit < bound.1 {
                    bound.1 = if self.integer[i] { limit.floor() } else { limit };
                }
                if bound.0 > bound.1 {
                    return false;
                }
            }
        }
        true
    }
}

/// An integer about half way.
fn middle_integer(lower: &Rational, upper: &Rational) -> Rational {
    (&(lower + upper) * &Rational::new(1, 2).expect("not zero")).floor().max(lower.clone())
}

/// The coarsest dyadic number in the middle half of an interval.
fn simple(lower: &Rational, upper: &Rational) -> Rational {
    let width = upper - lower;
    if width.is_zero() {
        return lower.clone();
    }
    let quarter = &width * &Rational::new(1, 4).expect("not zero");
    let (low, high) = (lower + &quarter, upper - &quarter);
    let (half, two) = (Rational::new(1, 2).expect("not zero"), Rational::from(2));
    // The middle half is half as wide as the interval: a grid as fine as that has a number in it.
    let mut grid = Rational::ONE;
    while grid > width {
        grid = &grid * &half;
    }
    while &grid * &two <= width {
        grid = &grid * &two;
    }
    loop {
        let number = &low.checked_div(&grid).expect("a grid is positive").ceil() * &grid;
        if number <= high {
            return number;
        }
        grid = &grid * &half;
    }
}

/// A point of a polyhedron, integral where asked: exact linear programs, with branching on integers.
///
/// Termination: every branch leaves out a value of an integer parameter, of which the box has finitely many.
pub(super) fn find_point(
    bounds: &[(Rational, Rational)],
    integer: &[bool],
    rows: &[Atom],
    limits: &Limits,
) -> Result<Option<Vec<Rational>>, Stopped> {
    let mut open = vec![bounds.to_vec()];
    while let Some(bounds) = open.pop() {
        let program = Program { bounds, rows: rows.to_vec() };
        let stopped = || limits.stop_now().is_some();
        let point = match program.solve_until(&stopped) {
            None => return Err(Stopped(limits.stop_now().unwrap_or(Stop::Interrupted))),
            Some(Feasibility::Infeasible(_)) => continue,
            Some(Feasibility::Feasible(point)) => point,
        };
        let Some(i) = (0..point.len()).find(|i| integer[*i] && !point[*i].is_integer()) else {
            return Ok(Some(point));
        };
        let (mut below, mut above) = (program.bounds.clone(), program.bounds);
        below[i].1 = point[i].floor();
        above[i].0 = point[i].ceil();
        open.extend([above, below].into_iter().filter(|bounds| bounds[i].0 <= bounds[i].1));
    }
    Ok(None)
}
