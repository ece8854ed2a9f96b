//! Local search for witnesses: from a point of the region uphill along the gradient of whatever fails worst.
//!
//! Points are repaired before they are evaluated: variables are fixed one by one to the nearest value that propagation
//! still allows, so linear constraints hold at nearly every point tried.

#![expect(
    clippy::cast_possible_truncation,
    reason = "questions have far fewer than 2^32 variables, rows and parts, and these are inner loops"
)]

use super::compiled::{Compiled, Part};
use super::points::{Points, Robustness};
use super::propagation::Propagation;
use super::region::Region;
use super::score_rows::ScoreRows;
use crate::bounds::{Kernel, Matrix, activation};

/// How many points are evaluated at once.
const BATCH: usize = 4;

/// Points of questions with more variables times rows are not repaired.
const MOST_REPAIRS: usize = 100_000;

/// Scratch space of the local search.
#[derive(Debug, Default)]
pub(crate) struct LocalSearch {
    pub(crate) points: Points,
    region: Region,
    nothing: ScoreRows,
    gradient: Vec<f64>,
    order: Vec<u32>,
    multipliers: Matrix,
    next: Matrix,
    current: Vec<f64>,
    candidate: Vec<f64>,
}

impl LocalSearch {
    /// Prepares for a question.
    pub(crate) fn reset(&mut self, compiled: &Compiled<'_>) {
        self.nothing.position.clear();
        self.nothing.position.resize(compiled.scores.len(), u32::MAX);
    }

    /// Climbs from the middle of a region for at most `steps` steps; calls `accept` on points that seem to be witnesses
    /// and stops when it says so. Returns the number of points evaluated.
    pub(crate) fn climb(
        &mut self,
        kernel: Kernel,
        compiled: &Compiled<'_>,
        from: &Region,
        start: Option<&[f64]>,
        steps: usize,
        accept: &mut impl FnMut(&[f64]) -> bool,
    ) -> u64 {
        let n = compiled.integral.len();
        self.candidate.clear();
        match start {
            Some(point) => self.candidate.extend_from_slice(point),
            None => self.candidate.extend((0..n).map(|v| 0.5 * from.data[v] + 0.5 * from.data[n + v])),
        }
        self.order.clear();
        self.order.extend(0..n as u32);
        if !self.repair(compiled, from) {
            return 0;
        }
        self.points.reset(compiled, 1);
        self.points.set(0, &self.candidate);
        let mut best = self.evaluate(kernel, compiled, 0);
        self.current.clone_from(&self.candidate);
        let mut evaluated = 1;
        let mut index = 0;
        for step in 0..=steps {
            if best.value >= 0.0 && accept(&self.current) {
                return evaluated;
            }
            if step == steps {
                return evaluated;
            }
            self.set_gradient(kernel, compiled, best.part, index);
            let count = self.propose(compiled, from);
            if count == 0 {
                return evaluated;
            }
            let before = best.value;
            self.points.eval(kernel, compiled);
            evaluated += count as u64;
            let mut improved = None;
            for candidate in 0..count {
                let robustness = self.points.robustness(compiled, compiled.root, candidate);
                if robustness.value > best.value {
                    best = robustness;
                    improved = Some(candidate);
                }
            }
            let Some(candidate) = improved else { return evaluated };
            index = candidate;
            self.current.clear();
            self.current.extend_from_slice(self.points.point(candidate));
            // Creeping is not worth it: nodes of the search do better.
            if best.value < 0.0 && best.value - before < 0.02 * before.abs() {
                return evaluated;
            }
        }
        evaluated
    }

    fn evaluate(&mut self, kernel: Kernel, compiled: &Compiled<'_>, index: usize) -> Robustness {
        self.points.eval(kernel, compiled);
        self.points.robustness(compiled, compiled.root, index)
    }

    /// Puts candidates for the next step into `points`; returns how many.
    fn propose(&mut self, compiled: &Compiled<'_>, from: &Region) -> usize {
        let n = compiled.integral.len();
        let gain = |gradient: &[f64], v: usize, current: &[f64]| {
            let target = if gradient[v] > 0.0 { from.data[n + v] } else { from.data[v] };
            gradient[v] * (target - current[v])
        };
        self.order.clear();
        self.order.extend((0..n as u32).filter(|&v| gain(&self.gradient, v as usize, &self.current) > 0.0));
        let movers = self.order.len();
        if movers == 0 {
            return 0;
        }
        let (gradient, current) = (&self.gradient, &self.current);
        self.order.sort_by(|&a, &b| {
            let (a, b) = (gain(gradient, a as usize, current), gain(gradient, b as usize, current));
            b.total_cmp(&a)
        });
        // Those that want to move are fixed first; the rest may give way.
        for v in 0..n as u32 {
            if gain(&self.gradient, v as usize, &self.current) <= 0.0 || self.gradient[v as usize].is_nan() {
                self.order.push(v);
            }
        }
        self.order.truncate(n);
        self.points.reset(compiled, BATCH);
        let mut count = 0;
        for (share, step) in [(movers, 1.0), (1, 1.0), (movers.div_ceil(2), 1.0), (movers, 0.5)] {
            self.candidate.clone_from(&self.current);
            for &v in &self.order[..share] {
                let v = v as usize;
                let target = if self.gradient[v] > 0.0 { from.data[n + v] } else { from.data[v] };
                self.candidate[v] += step * (target - self.candidate[v]);
            }
            if self.repair(compiled, from) && self.candidate != self.current {
                self.points.set(count, &self.candidate);
                count += 1;
            }
        }
        self.points.shrink(count);
        count
    }

    /// Moves the candidate to a point of the region that propagation does not refute, fixing variables in `order`.
    fn repair(&mut self, compiled: &Compiled<'_>, from: &Region) -> bool {
        let n = compiled.integral.len();
        // Propagating after every variable takes too long where there are very many.
        let simple = compiled.rows.is_empty() || n.saturating_mul(compiled.rows.len()) > MOST_REPAIRS;
        if !simple {
            self.region.data.clear();
            self.region.data.extend_from_slice(&from.data[..2 * n]);
            self.region.truth.clone_from(&from.truth);
            self.region.extra.clone_from(&from.extra);
        }
        for &v in &self.order {
            let v = v as usize;
            let bounds = if simple { &from.data } else { &self.region.data };
            let (lower, upper) = (bounds[v], bounds[n + v]);
            let mut value = self.candidate[v];
            if compiled.integral[v] {
                value = value.round();
            }
            value = value.max(lower).min(upper);
            self.candidate[v] = value;
            if !simple && lower != upper {
                self.region.data[v] = value;
                self.region.data[n + v] = value;
                if Propagation::new(compiled, &mut self.region, &self.nothing).run().is_err() {
                    return false;
                }
            }
        }
        true
    }

    /// The gradient of an atom at a point that was evaluated last.
    pub(crate) fn gradient(&mut self, kernel: Kernel, compiled: &Compiled<'_>, part: u32, index: usize) -> &[f64] {
        self.set_gradient(kernel, compiled, part, index);
        &self.gradient
    }

    fn set_gradient(&mut self, kernel: Kernel, compiled: &Compiled<'_>, part: u32, index: usize) {
        let n = compiled.integral.len();
        self.gradient.clear();
        self.gradient.resize(n, 0.0);
        match &compiled.parts[part as usize] {
            Part::Row(row) => {
                for &(v, a) in &compiled.rows[*row as usize].terms {
                    self.gradient[v as usize] = a;
                }
            }
            Part::Score(score) => {
                let score = &compiled.scores[*score as usize];
                score.write_linear(&mut self.gradient);
                for (application, setting) in compiled.settings.iter().enumerate() {
                    let coefficients = score.outputs(application);
                    if coefficients.is_empty() {
                        continue;
                    }
                    let folded = &setting.folded;
                    let trace = &self.points.traces[application];
                    self.multipliers.reshape(1, folded.layer(folded.depth() - 1).len());
                    self.multipliers.row_mut(0).copy_from_slice(coefficients);
                    for layer in (0..folded.depth()).rev() {
                        let matrices = folded.layer(layer);
                        if matrices.is_bounded() {
                            let sums = trace.layers[layer].row(index);
                            let row = self.multipliers.row_mut(0).iter_mut().zip(sums).take(matrices.len());
                            row.for_each(|(m, z)| *m *= activation::slope(matrices.activation, *z));
                        }
                        kernel.backward(&matrices.weights, &self.multipliers, &matrices.neurons, &mut self.next);
                        std::mem::swap(&mut self.multipliers, &mut self.next);
                    }
                    self.gradient.iter_mut().zip(self.multipliers.row(0)).for_each(|(g, m)| *g += m);
                }
            }
            Part::All(_) | Part::Any(_) => {}
        }
    }
}
