//! The linear program of a region: all rows that must hold at once.
//!
//! Propagation looks at one row at a time; a combination of rows may refute a region that no single row does. The
//! program is solved in floats; its multipliers count only after [`refuted_by`] has verified them in outward-rounded
//! arithmetic, its point only as a place to look for witnesses.

use super::compiled::{Compiled, Part};
use super::region::Region;
use super::score_rows::ScoreRows;
use super::sum::Multiple;
use crate::bounds::Matrix;
use crate::proof::{RowFact, Source};
use surefoot_lp::{FloatRows, FloatSimplex, refuted_by};

/// Solver and rows; holds scratch space.
#[derive(Debug, Default)]
pub(crate) struct NodeProgram {
    simplex: FloatSimplex,
    coefficients: Vec<f64>,
    constants: Vec<f64>,
    errors: Vec<f64>,
    scales: Vec<f64>,
    stride: usize,
    /// The point that satisfies the rows best.
    pub(crate) point: Vec<f64>,
    /// The multipliers of the last program.
    multipliers: Vec<f64>,
}

/// What the program says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// No point satisfies all rows: verified.
    Refuted,
    /// That is not known; the best point found is a place to look for witnesses.
    Open,
}

impl NodeProgram {
    /// Solves the program of the atoms that must hold and the phases assumed.
    pub(crate) fn solve(
        &mut self,
        compiled: &Compiled<'_>,
        region: &Region,
        scores: &ScoreRows,
        atoms: &[u32],
        start: &[f64],
    ) -> Verdict {
        let n = compiled.integral.len();
        self.stride = n;
        self.coefficients.clear();
        self.constants.clear();
        self.errors.clear();
        for &part in atoms {
            match &compiled.parts[part as usize] {
                Part::Row(row) => {
                    let row = &compiled.rows[*row as usize];
                    let begin = self.coefficients.len();
                    self.coefficients.resize(begin + n, 0.0);
                    for &(v, a) in &row.terms {
                        self.coefficients[begin + v as usize] = a;
                    }
                    self.constants.push(row.constant);
                    self.errors.push(row.slack);
                }
                Part::Score(score) => {
                    let position = scores.position[*score as usize];
                    if position != u32::MAX {
                        let (position, rows) = (position as usize, &scores.rows);
                        self.push(&rows.coefficients, position, n, rows.constants[position], rows.slacks[position]);
                    }
                }
                Part::All(_) | Part::Any(_) => unreachable!("only atoms are required"),
            }
        }
        for assumed in &region.assumed {
            self.coefficients.extend_from_slice(&assumed.coefficients[..n]);
            self.constants.push(assumed.constant);
            self.errors.push(assumed.slack);
        }
        let (lower, upper) = region.data[..2 * n].split_at(n);
        self.scales.clear();
        for row in self.coefficients.chunks_exact(n.max(1)).take(self.constants.len()) {
            let spread: f64 = row.iter().zip(lower).zip(upper).map(|((a, l), u)| a.abs() * (u - l)).sum();
            self.scales.push(if spread > 0.0 { spread } else { 1.0 });
        }
        let rows = FloatRows {
            lower,
            upper,
            coefficients: &self.coefficients,
            stride: self.stride,
            constants: &self.constants,
        };
        let limit = 4 * (n + self.constants.len()) + 20;
        let hint = self.simplex.solve(&rows, &self.scales, start, limit);
        self.point.clear();
        self.point.extend_from_slice(hint.point);
        self.multipliers.clear();
        self.multipliers.extend_from_slice(hint.multipliers);
        if hint.t.is_some_and(|t| t < 0.0) && refuted_by(&rows, &self.errors, hint.multipliers) {
            return Verdict::Refuted;
        }
        Verdict::Open
    }

    fn push(&mut self, matrix: &Matrix, row: usize, n: usize, constant: f64, error: f64) {
        self.coefficients.extend_from_slice(&matrix.row(row)[..n]);
        self.constants.push(constant);
        self.errors.push(error);
    }

    /// The rows of the last program, and the multipliers that refuted them.
    pub(crate) fn refutation(&self) -> (Vec<RowFact<'_>>, &[f64]) {
        let fact = |i: usize| RowFact {
            coefficients: &self.coefficients[i * self.stride..][..self.stride],
            constant: self.constants[i],
            slack: self.errors[i],
        };
        ((0..self.constants.len()).map(fact).collect(), &self.multipliers)
    }

    /// The multipliers of the last program's atoms, those that are not zero.
    pub(crate) fn multiples(
        &self,
        compiled: &Compiled<'_>,
        scores: &ScoreRows,
        atoms: &[u32],
        out: &mut Vec<Multiple>,
    ) {
        let parts = atoms.iter().filter(|part| has_row(compiled, scores, **part));
        out.extend(parts.zip(&self.multipliers).map(|(part, m)| (*part, *m)).filter(|(_, m)| *m > 0.0));
    }

    /// Those of the phases assumed, which are so many.
    pub(crate) fn assumed_multipliers(&self, assumed: usize) -> &[f64] {
        &self.multipliers[self.multipliers.len() - assumed..]
    }

    /// What the rows of the last program bound, which was that of these atoms and phases.
    pub(crate) fn sources(
        &self,
        compiled: &Compiled<'_>,
        region: &Region,
        scores: &ScoreRows,
        atoms: &[u32],
    ) -> Vec<Source> {
        let parts = atoms.iter().filter(|part| has_row(compiled, scores, **part)).map(|part| Source::Part(*part));
        let sources: Vec<Source> = parts.chain(region.assumed.iter().map(|assumed| assumed.source())).collect();
        debug_assert_eq!(sources.len(), self.constants.len(), "one for each row");
        sources
    }
}

/// Whether an atom is among the rows.
fn has_row(compiled: &Compiled<'_>, scores: &ScoreRows, part: u32) -> bool {
    match &compiled.parts[part as usize] {
        Part::Score(score) => scores.position[*score as usize] != u32::MAX,
        _ => true,
    }
}
