//! A region of the search: a box, what is known of neurons on it, and which parts of the formula are decided.
//!
//! Propagation tightens the box by what must hold. Rows contract the box as in bound propagation for integer programs;
//! a disjunction with one open part must hold through that part. Everything computed for a box stays true on smaller
//! ones, so children start from a copy of their parent.

use std::sync::Arc;

use super::assume::Assumption;
use super::compile::{Compiled, Part, Row};
use crate::bounds::UpperRows;
use crate::bounds::neurons::{Empty, concretise};
use crate::proof::RowFact;

/// What is known of a part of the formula on a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Truth {
    #[default]
    Unknown,
    /// Holds nowhere in the region, or is given up in this branch.
    False,
    /// Holds everywhere in the region.
    True,
}

/// A region: `data` is lower bounds, upper bounds, then bounds of neurons as [`crate::bounds::Setting`] lays them out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) data: Vec<f64>,
    pub(crate) truth: Vec<Truth>,
    /// Phases of neurons that this branch assumes.
    pub(crate) assumed: Vec<Arc<Assumption>>,
    /// Parts that must hold here besides the formula: tracked formulas, or their negations.
    pub(crate) extra: Vec<u32>,
    /// The phases this region is to be split by.
    pub(crate) phases: Option<[Arc<Assumption>; 2]>,
}

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

impl Region {
    /// Makes the disjunction around a part hold through this part, or through another one.
    pub(crate) fn choose(&mut self, compiled: &Compiled<'_>, part: u32, this: bool) {
        if !this {
            self.truth[part as usize] = Truth::False;
            return;
        }
        let around = compiled.parts.iter().find_map(|p| match p {
            Part::Any(children) if children.contains(&part) => Some(children),
            _ => None,
        });
        for &other in around.expect("the part of a disjunction") {
            if other != part {
                self.truth[other as usize] = Truth::False;
            }
        }
    }

    /// The parts that must hold in this region and are not decided: rows and scores into `atoms`, disjunctions with
    /// several open parts into `open`.
    pub(crate) fn required(&self, compiled: &Compiled<'_>, atoms: &mut Vec<u32>, open: &mut Vec<u32>) {
        atoms.clear();
        open.clear();
        let mut work = self.extra.clone();
        work.push(compiled.root);
        while let Some(part) = work.pop() {
            if self.truth[part as usize] != Truth::Unknown {
                continue;
            }
            match &compiled.parts[part as usize] {
                Part::Row(_) | Part::Score(_) => atoms.push(part),
                Part::All(children) => work.extend(children.iter().rev()),
                Part::Any(children) => {
                    let unknown = |child: &&u32| self.truth[**child as usize] == Truth::Unknown;
                    match children.iter().filter(unknown).count() {
                        1 => work.extend(children.iter().filter(unknown)),
                        _ => open.push(part),
                    }
                }
            }
        }
    }

    /// Whether a phase of one of an application's neurons is assumed.
    pub(crate) fn assumes(&self, application: usize) -> bool {
        self.assumed.iter().any(|assumption| assumption.application == application)
    }

    /// How many neurons of an application can be both active and inactive.
    pub(crate) fn unstable(&self, compiled: &Compiled<'_>, application: usize) -> usize {
        let setting = &compiled.settings[application];
        let layers = (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).relu);
        layers
            .map(|layer| {
                let (low, high) = setting.range(layer);
                let bounds = self.data[low].iter().zip(&self.data[high]);
                bounds.filter(|(l, u)| **l < 0.0 && **u > 0.0).count()
            })
            .sum()
    }
}
