//! Propagation tightens the box of a region by what must hold.
//!
//! Rows contract the box as in bound propagation for integer programs; a disjunction with one open part must hold through
//! that part.

use super::compiled::{Compiled, Part, Row};
use super::region::{Region, Truth};
use super::score_rows::ScoreRows;
use crate::bounds::neurons::{Empty, concretise};

/// How often all parts are gone through before propagation is called slow.
const ROUNDS: usize = 8;

/// A bound on a real variable counts as news when it cuts off this share of the interval.
const NEWS: f64 = 0.02;

/// What propagation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing more to gain.
    Settled,
    /// It still gained when it stopped.
    Slow,
}

pub(crate) struct Propagation<'a> {
    pub(crate) compiled: &'a Compiled<'a>,
    pub(crate) region: &'a mut Region,
    pub(crate) scores: &'a ScoreRows,
    changed: bool,
}

impl<'a> Propagation<'a> {
    pub(crate) fn new(compiled: &'a Compiled<'a>, region: &'a mut Region, scores: &'a ScoreRows) -> Self {
        Self { compiled, region, scores, changed: false }
    }

    /// Tightens the box until nothing changes or it gets slow.
    ///
    /// # Errors
    /// [`Empty`] when no point of the region can satisfy all.
    pub(crate) fn run(&mut self) -> Result<Progress, Empty> {
        for _ in 0..ROUNDS {
            self.changed = false;
            if self.assess(self.compiled.root, true) == Truth::False {
                return Err(Empty);
            }
            for index in 0..self.region.extra.len() {
                if self.assess(self.region.extra[index], true) == Truth::False {
                    return Err(Empty);
                }
            }
            for index in 0..self.region.assumed.len() {
                let assumed = self.region.assumed[index].clone();
                if self.dense(&assumed.coefficients, assumed.constant, assumed.slack, false, true) == Truth::False {
                    return Err(Empty);
                }
            }
            if !self.changed {
                return Ok(Progress::Settled);
            }
        }
        Ok(Progress::Slow)
    }

    /// Decides a part on the box if possible; contracts the box if it must hold.
    pub(crate) fn assess(&mut self, part: u32, required: bool) -> Truth {
        let known = self.region.truth[part as usize];
        if known != Truth::Unknown {
            return known;
        }
        let compiled = self.compiled;
        let truth = match &compiled.parts[part as usize] {
            Part::Row(row) => self.row(&compiled.rows[*row as usize], required),
            Part::Score(score) => self.score(*score as usize, required),
            Part::All(children) => {
                let mut all = Truth::True;
                for &child in children {
                    match self.assess(child, required) {
                        Truth::False => {
                            all = Truth::False;
                            break;
                        }
                        Truth::Unknown => all = Truth::Unknown,
                        Truth::True => {}
                    }
                }
                all
            }
            Part::Any(children) => self.any(children, required),
        };
        self.region.truth[part as usize] = truth;
        truth
    }

    fn any(&mut self, children: &[u32], required: bool) -> Truth {
        let mut open = None;
        let mut count = 0;
        for &child in children {
            match self.assess(child, false) {
                Truth::True => return Truth::True,
                Truth::Unknown => {
                    count += 1;
                    open = Some(child);
                }
                Truth::False => {}
            }
        }
        match open {
            None => Truth::False,
            Some(child) if count == 1 && required => self.assess(child, true),
            Some(_) => Truth::Unknown,
        }
    }

    fn row(&mut self, row: &Row, required: bool) -> Truth {
        let n = self.compiled.integral.len();
        let (lower, upper) = self.region.data.split_at(n);
        let (mut max, mut min) = (row.constant + row.slack, row.constant - row.slack);
        for &(v, a) in &row.terms {
            let (l, u) = (a * lower[v as usize], a * upper[v as usize]);
            let (small, large) = if a > 0.0 { (l, u) } else { (u, l) };
            min += small;
            max += large;
        }
        // Soundness: the slack covers the rounding of both sums over any box inside the root box.
        if max < 0.0 || (row.strict && max <= 0.0) {
            return Truth::False;
        }
        if min > 0.0 || (!row.strict && min >= 0.0) {
            return Truth::True;
        }
        if required {
            for &(v, a) in &row.terms {
                if self.cut(v as usize, a, max).is_err() {
                    return Truth::False;
                }
            }
        }
        Truth::Unknown
    }

    fn score(&mut self, score: usize, required: bool) -> Truth {
        let scores = self.scores;
        let position = scores.position[score];
        if position == u32::MAX {
            return Truth::Unknown;
        }
        let (position, strict) = (position as usize, self.compiled.scores[score].strict);
        let rows = &scores.rows;
        self.dense(rows.coefficients.row(position), rows.constants[position], rows.slacks[position], strict, required)
    }

    /// A dense row that bounds a form from above: it may show that the form is negative, never that it is not.
    fn dense(&mut self, row: &[f64], constant: f64, slack: f64, strict: bool, required: bool) -> Truth {
        let n = self.compiled.integral.len();
        let (lower, upper) = self.region.data[..2 * n].split_at(n);
        let row = &row[..n];
        let max = concretise(row, lower, upper, constant, slack);
        if max < 0.0 || (strict && max <= 0.0) {
            return Truth::False;
        }
        if required && max.is_finite() {
            for (v, &a) in row.iter().enumerate() {
                if a != 0.0 && self.cut(v, a, max).is_err() {
                    return Truth::False;
                }
            }
        }
        Truth::Unknown
    }

    /// Tightens a variable by `a x + (max - max a x) >= 0`, where `max` bounds the whole row from above and is not negative.
    fn cut(&mut self, v: usize, a: f64, max: f64) -> Result<(), Empty> {
        let n = self.compiled.integral.len();
        let (lower, upper) = (self.region.data[v], self.region.data[n + v]);
        if lower == upper {
            return Ok(());
        }
        // Soundness: the distance is rounded up, the bound then outward.
        let distance = (max / a.abs()).next_up();
        let integral = self.compiled.integral[v];
        if a > 0.0 {
            let bound = (upper - distance).next_down();
            let bound = if integral { bound.ceil() } else { bound };
            if bound > lower {
                self.changed |= integral || bound - lower > NEWS * (upper - lower);
                self.region.data[v] = bound;
            }
        } else {
            let bound = (lower + distance).next_up();
            let bound = if integral { bound.floor() } else { bound };
            if bound < upper {
                self.changed |= integral || upper - bound > NEWS * (upper - lower);
                self.region.data[n + v] = bound;
            }
        }
        if self.region.data[v] > self.region.data[n + v] { Err(Empty) } else { Ok(()) }
    }
}
