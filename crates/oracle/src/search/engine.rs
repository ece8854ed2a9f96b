//! The search: best first, one region at a time.

use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use surefoot_num::Rational;

use super::branch::influences;
use super::cache::Cache;
use super::compile::{Compiled, Compiler, Part};
use super::local::LocalSearch;
use super::points::{Certifier, exact_point};
use super::region::{Propagation, Region, ScoreRows, Truth};
use crate::answer::{Answer, Limit, Limits, Oracle, Statistics};
use crate::bounds::neurons::concretise;
use crate::bounds::{Bounder, Setting};
use crate::question::{Kind, Question};

/// How to search.
#[derive(Debug, Clone)]
pub struct Options {
    /// Varies tie-breaking.
    pub seed: u64,
    /// Steps of local search before the first node.
    pub root_steps: usize,
    /// Regions with at most this many integer points are gone through point by point.
    pub enumerate: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, root_steps: 12, enumerate: 12.0 }
    }
}

/// Branch and bound over boxes; the default oracle.
#[derive(Debug)]
pub struct BranchAndBound {
    options: Options,
    cache: Cache,
    statistics: Statistics,
    bounders: Vec<Bounder>,
    scores: ScoreRows,
    local: LocalSearch,
    certifier: Certifier,
    free: Vec<Region>,
    influence: Vec<f64>,
}

/// An open region.
#[derive(Debug)]
struct Node {
    /// The largest value that the worst score can still reach.
    priority: f64,
    id: u64,
    region: Region,
    branch: Branch,
}

/// How a region is to be split.
#[derive(Debug, Clone, Copy)]
enum Branch {
    Variable(usize, f64),
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Node {}
impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Node {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.priority.total_cmp(&other.priority).then(other.id.cmp(&self.id))
    }
}

/// What came of looking at a region.
enum Looked {
    Refuted,
    Found(Vec<f64>),
    Open(f64, Branch),
}

impl BranchAndBound {
    /// An oracle with the given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            cache: Cache::default(),
            statistics: Statistics::default(),
            bounders: Vec::new(),
            scores: ScoreRows::default(),
            local: LocalSearch::default(),
            certifier: Certifier::default(),
            free: Vec::new(),
            influence: Vec::new(),
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn compile(&mut self, question: &Question) -> Option<Compiled> {
        let n = question.variables.len();
        let (mut lower, mut upper) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for variable in &question.variables {
            let (l, u) = match variable.kind {
                Kind::Integer => (variable.lower.ceil().to_f64(), variable.upper.floor().to_f64()),
                Kind::Real => (rounded_down(&variable.lower), rounded_up(&variable.upper)),
            };
            if variable.lower > variable.upper || l > u {
                return None;
            }
            lower.push(l);
            upper.push(u);
        }
        let magnitude: Vec<f64> = lower.iter().zip(&upper).map(|(l, u): (&f64, &f64)| l.abs().max(u.abs())).collect();
        let mut data_len = 2 * n;
        let settings: Vec<Setting> = question
            .applications
            .iter()
            .map(|application| Setting::new(self.cache.folded(application, n), &magnitude, &mut data_len))
            .collect();
        Some(Compiler::new(question, lower, upper, settings, data_len).finish(&[]))
    }

    fn root(&mut self, compiled: &Compiled) -> Region {
        let mut region = self.free.pop().unwrap_or_default();
        region.data.clear();
        region.data.extend_from_slice(&compiled.lower);
        region.data.extend_from_slice(&compiled.upper);
        region.data.resize(compiled.data_len, 0.0);
        for setting in &compiled.settings {
            for layer in 0..setting.folded.depth() {
                if setting.folded.layer(layer).relu {
                    let neurons = setting.folded.layer(layer).len();
                    let (low, high) = setting.range(layer);
                    region.data[low.start..low.start + neurons].fill(f64::NEG_INFINITY);
                    region.data[high.start..high.start + neurons].fill(f64::INFINITY);
                }
            }
        }
        region.truth.clear();
        region.truth.resize(compiled.parts.len(), Truth::Unknown);
        region
    }

    /// Bounds the scores that are not decided, as rows over the variables.
    fn bound_scores(&mut self, compiled: &Compiled, region: &mut Region) -> bool {
        let n = compiled.integral.len();
        let scores = &mut self.scores;
        scores.scores.clear();
        scores.position.clear();
        scores.position.resize(compiled.scores.len(), u32::MAX);
        for (part, truth) in compiled.parts.iter().zip(&region.truth) {
            if let (Part::Score(score), Truth::Unknown) = (part, truth) {
                scores.position[*score as usize] = scores.scores.len() as u32;
                scores.scores.push(*score);
            }
        }
        let count = scores.scores.len();
        scores.rows.coefficients.reshape(count, n);
        scores.rows.constants.clear();
        scores.rows.slacks.clear();
        for (k, &score) in scores.scores.iter().enumerate() {
            let score = &compiled.scores[score as usize];
            let row = scores.rows.coefficients.row_mut(k);
            row.fill(0.0);
            row[..n].copy_from_slice(&score.linear);
            scores.rows.constants.push(score.constant);
            scores.rows.slacks.push(score.slack);
        }
        while self.bounders.len() < compiled.settings.len() {
            self.bounders.push(Bounder::new());
        }
        for (application, setting) in compiled.settings.iter().enumerate() {
            let involved = |score: &&u32| !compiled.scores[**score as usize].outputs[application].is_empty();
            let forms = scores.scores.iter().filter(involved).count();
            if forms == 0 {
                continue;
            }
            let bounder = &mut self.bounders[application];
            let (variables, _) = region.data.split_at(2 * n);
            let (lower, upper) = (variables[..n].to_vec(), variables[n..].to_vec());
            if bounder.tighten(setting, &lower, &upper, &mut region.data).is_err() {
                return false;
            }
            let top = setting.folded.depth() - 1;
            bounder.backward.start(setting, top, forms);
            bounder.sums.constants.clear();
            bounder.sums.slacks.clear();
            for (form, &score) in scores.scores.iter().filter(involved).enumerate() {
                bounder.backward.form(form).copy_from_slice(&compiled.scores[score as usize].outputs[application]);
                bounder.sums.constants.push(0.0);
                bounder.sums.slacks.push(0.0);
            }
            bounder.backward.run(bounder.kernel, setting, top, &region.data, true, &mut bounder.sums);
            let mut form = 0;
            for (k, &score) in scores.scores.iter().enumerate() {
                if !compiled.scores[score as usize].outputs[application].is_empty() {
                    let row = scores.rows.coefficients.row_mut(k);
                    row.iter_mut().zip(bounder.sums.coefficients.row(form)).for_each(|(a, b)| *a += b);
                    scores.rows.constants[k] += bounder.sums.constants[form];
                    scores.rows.slacks[k] += bounder.sums.slacks[form];
                    form += 1;
                }
            }
        }
        true
    }

    /// Looks at a region: refutes it, finds a witness, or says how to split it.
    fn look(&mut self, question: &Question, compiled: &Compiled, region: &mut Region, at_root: bool) -> Looked {
        let n = compiled.integral.len();
        self.statistics.nodes += 1;
        self.scores.position.clear();
        self.scores.position.resize(compiled.scores.len(), u32::MAX);
        for round in 0..3 {
            if Propagation::new(compiled, region, &self.scores).run(&[]).is_err() {
                return Looked::Refuted;
            }
            if at_root
                && round == 0
                && let Some(point) = self.climb(question, compiled, region, None, self.options.root_steps)
            {
                return Looked::Found(point);
            }
            let before: f64 = volume(&region.data, n);
            if let Some(looked) = self.point_by_point(question, compiled, region) {
                return looked;
            }
            if compiled.scores.is_empty() {
                break;
            }
            if !self.bound_scores(compiled, region) {
                return Looked::Refuted;
            }
            if Propagation::new(compiled, region, &self.scores).run(&[]).is_err() {
                return Looked::Refuted;
            }
            let after = volume(&region.data, n);
            if before - after < 0.7 {
                break;
            }
        }
        if let Some(looked) = self.point_by_point(question, compiled, region) {
            return looked;
        }
        self.split(question, compiled, region, at_root)
    }

    fn split(&mut self, question: &Question, compiled: &Compiled, region: &mut Region, at_root: bool) -> Looked {
        let n = compiled.integral.len();
        let mut priority = f64::INFINITY;
        let mut worst = None;
        for position in 0..self.scores.scores.len() {
            let rows = &self.scores.rows;
            let (lower, upper) = region.data[..2 * n].split_at(n);
            let row = &rows.coefficients.row(position)[..n];
            let max = concretise(row, lower, upper, rows.constants[position], rows.slacks[position], compiled.factor);
            if max < priority {
                priority = max;
                worst = Some(position);
            }
        }
        match worst {
            Some(position) => {
                influences(compiled, &self.bounders, region, &self.scores, position, &mut self.influence);
                if !at_root {
                    // The corner where the worst score's relaxation is largest.
                    let row = &self.scores.rows.coefficients.row(position)[..n];
                    let corner: Vec<f64> =
                        (0..n).map(|v| if row[v] > 0.0 { region.data[n + v] } else { region.data[v] }).collect();
                    if let Some(point) = self.climb(question, compiled, region, Some(&corner), 1) {
                        return Looked::Found(point);
                    }
                }
            }
            None => {
                self.influence.clear();
                self.influence.extend((0..n).map(|v| region.data[n + v] - region.data[v]));
                if let Some(point) = self.climb(question, compiled, region, None, 2) {
                    return Looked::Found(point);
                }
            }
        }
        let mut best: Option<usize> = None;
        for v in 0..n {
            if region.data[v] < region.data[n + v] && best.is_none_or(|b| self.influence[v] > self.influence[b]) {
                best = Some(v);
            }
        }
        let v = best.expect("a region that is a single point was decided");
        let middle = 0.5 * region.data[v] + 0.5 * region.data[n + v];
        Looked::Open(priority, Branch::Variable(v, if compiled.integral[v] { middle.floor() } else { middle }))
    }

    /// Decides a region with few points by trying all.
    fn point_by_point(&mut self, question: &Question, compiled: &Compiled, region: &Region) -> Option<Looked> {
        let n = compiled.integral.len();
        let mut count = 1.0;
        for v in 0..n {
            let width = region.data[n + v] - region.data[v];
            if width > 0.0 {
                if !compiled.integral[v] {
                    return None;
                }
                count *= width + 1.0;
                if count > self.options.enumerate {
                    return None;
                }
            }
        }
        let mut point = region.data[..n].to_vec();
        loop {
            if let Some(found) = self.accept(question, compiled, &point) {
                return Some(Looked::Found(found));
            }
            let mut v = 0;
            loop {
                if v == n {
                    return Some(Looked::Refuted);
                }
                if point[v] < region.data[n + v] {
                    point[v] += 1.0;
                    break;
                }
                point[v] = region.data[v];
                v += 1;
            }
        }
    }

    fn accept(&mut self, question: &Question, compiled: &Compiled, point: &[f64]) -> Option<Vec<f64>> {
        self.statistics.points += 1;
        self.certifier.eval(compiled, point);
        self.certifier.holds(compiled, compiled.root, &question.formula, point).then(|| point.to_vec())
    }

    fn climb(
        &mut self,
        question: &Question,
        compiled: &Compiled,
        region: &Region,
        start: Option<&[f64]>,
        steps: usize,
    ) -> Option<Vec<f64>> {
        let mut found = None;
        let certifier = &mut self.certifier;
        let kernel = self.bounders.first().map_or_else(crate::bounds::Kernel::new, |b| b.kernel);
        let evaluated = self.local.climb(kernel, compiled, region, start, steps, &mut |point| {
            certifier.eval(compiled, point);
            if certifier.holds(compiled, compiled.root, &question.formula, point) {
                found = Some(point.to_vec());
            }
            found.is_some()
        });
        self.statistics.points += evaluated;
        found
    }

    fn search(&mut self, question: &Question, compiled: &Compiled, limits: &Limits) -> Answer {
        let sat = |point: Vec<f64>| Answer::Sat(exact_point(&point));
        let mut heap = BinaryHeap::new();
        let mut region = self.root(compiled);
        let mut id = 0;
        self.local.reset(compiled);
        match self.look(question, compiled, &mut region, true) {
            Looked::Refuted => return Answer::Unsat,
            Looked::Found(point) => return sat(point),
            Looked::Open(priority, branch) => heap.push(Node { priority, id, region, branch }),
        }
        let start = self.statistics.nodes;
        while let Some(node) = heap.pop() {
            if let Some(limit) = self.limit(limits, start, heap.len() * (compiled.data_len * 8 + 64)) {
                return Answer::Unknown(limit);
            }
            let Branch::Variable(v, at) = node.branch;
            let n = compiled.integral.len();
            for side in 0..2 {
                let mut region = self.free.pop().unwrap_or_default();
                region.data.clone_from(&node.region.data);
                region.truth.clone_from(&node.region.truth);
                if side == 0 {
                    region.data[n + v] = at;
                } else {
                    region.data[v] = if compiled.integral[v] { at + 1.0 } else { at };
                }
                match self.look(question, compiled, &mut region, false) {
                    Looked::Refuted => self.free.push(region),
                    Looked::Found(point) => return sat(point),
                    Looked::Open(priority, branch) => {
                        id += 1;
                        heap.push(Node { priority, id, region, branch });
                    }
                }
            }
            self.free.push(node.region);
        }
        Answer::Unsat
    }

    fn limit(&self, limits: &Limits, start: u64, memory: usize) -> Option<Limit> {
        let nodes = self.statistics.nodes - start;
        if limits.nodes.is_some_and(|most| nodes >= most) {
            return limits.nodes.map(Limit::Nodes);
        }
        if limits.memory.is_some_and(|most| memory > most) {
            return limits.memory.map(Limit::Memory);
        }
        if nodes.is_multiple_of(64) && limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Limit::Time);
        }
        if limits.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupted);
        }
        None
    }
}

impl Oracle for BranchAndBound {
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        self.statistics.questions += 1;
        match self.compile(question) {
            None => Answer::Unsat,
            Some(compiled) => self.search(question, &compiled, limits),
        }
    }
}

/// The binary logarithm of the number of integer points.
fn volume(data: &[f64], n: usize) -> f64 {
    (0..n).map(|v| (data[n + v] - data[v] + 1.0).log2()).sum()
}

/// A float that is at most the value.
fn rounded_down(value: &Rational) -> f64 {
    let float = value.to_f64();
    match Rational::from_f64(float) {
        Some(exact) if exact <= *value => float,
        _ => float.next_down(),
    }
}

/// A float that is at least the value.
fn rounded_up(value: &Rational) -> f64 {
    -rounded_down(&-value)
}
