//! Rows over the variables that bound the scores of a region from above.

#![expect(
    clippy::cast_possible_truncation,
    reason = "questions have far fewer than 2^32 variables, rows and parts, and these are inner loops"
)]

use super::compiled::{Compiled, Part};
use super::region::{Region, Truth};
use crate::bounds::UpperRows;
use crate::proof::RowFact;

/// Upper bounds of the scores on a box, as rows over the variables.
#[derive(Debug, Default)]
pub(crate) struct ScoreRows {
    /// Rows by position in `scores`.
    pub(crate) rows: UpperRows,
    /// Which scores have rows.
    pub(crate) scores: Vec<u32>,
    /// Position of a score's row, `u32::MAX` where there is none.
    pub(crate) position: Vec<u32>,
}

impl ScoreRows {
    /// Forgets all rows.
    pub(crate) fn clear(&mut self, compiled: &Compiled<'_>) {
        self.scores.clear();
        self.position.clear();
        self.position.resize(compiled.scores.len(), u32::MAX);
    }

    /// Starts rows for the scores that are undecided in a region: their linear parts.
    pub(crate) fn select(&mut self, compiled: &Compiled<'_>, region: &Region) {
        let n = compiled.integral.len();
        self.clear(compiled);
        for (part, truth) in compiled.parts.iter().zip(&region.truth) {
            if let (Part::Score(score), Truth::Unknown) = (part, truth) {
                self.position[*score as usize] = self.scores.len() as u32;
                self.scores.push(*score);
            }
        }
        self.rows.coefficients.reshape(self.scores.len(), n);
        self.rows.reset(0);
        for (k, &score) in self.scores.iter().enumerate() {
            let score = &compiled.scores[score as usize];
            let row = self.rows.coefficients.row_mut(k);
            score.write_linear(row);
            self.rows.constants.push(score.form_constant);
            self.rows.slacks.push(score.slack);
        }
    }

    /// Which form of an application's last backward pass belongs to the score at a position, if the score involves it.
    pub(crate) fn form(&self, compiled: &Compiled<'_>, application: usize, position: usize) -> Option<usize> {
        let involved = |score: &u32| compiled.scores[*score as usize].involves(application);
        let earlier = || self.scores[..position].iter().filter(|score| involved(score)).count();
        involved(&self.scores[position]).then(earlier)
    }

    /// A score's row, if it has one.
    pub(crate) fn fact(&self, score: usize) -> Option<RowFact<'_>> {
        let position = self.position[score] as usize;
        (position < self.scores.len()).then(|| RowFact {
            coefficients: self.rows.coefficients.row(position),
            constant: self.rows.constants[position],
            slack: self.rows.slacks[position],
        })
    }
}
