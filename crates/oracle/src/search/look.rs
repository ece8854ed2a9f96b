//! Looking at one region: refute it, find a witness in it, or say how to split it.
//!
//! In turn: propagate; try all points if they are few; bound the scores; propagate with the relaxation's rows; solve the linear
//! program of all rows; climb towards a witness. As soon as one of them settles the region the rest is left.

use surefoot_num::Rational;

use super::compile::{Compiled, Part};
use super::engine::{BranchAndBound, DEEP, Task};
use super::leaf::{exact_program, fractional};
use super::program::Verdict;
use super::region::{Progress, Propagation, Region};
use crate::bounds::neurons::concretise;
use crate::proof::{ProofSink, Refutation, Split, Step};
use surefoot_lp::Feasibility;

/// What came of looking at a region.
pub(crate) enum Looked {
    /// It holds no witness.
    Refuted,
    /// It holds this one.
    Found(Vec<Rational>),
    /// It is to be split; the number says how promising it is.
    Open(f64, Split),
    /// It holds a witness that was recorded; what else it holds is not known.
    Recorded,
}

/// Steps of local search before the root is bounded, per so many neurons: bounding a small network costs as much as a
/// step or two, and most unsatisfiable questions end there; bounding a large one costs as much as many steps.
const NEURONS_PER_STEP: usize = 32;

/// How often a region is bounded while that shrinks its box.
const ROUNDS: usize = 3;

/// A contraction of the box by this many bits is worth bounding the scores again.
pub(crate) const WORTHWHILE: f64 = 0.7;

/// A region of more integer points than two to the power of this is worth an exact linear program.
pub(crate) const MANY: f64 = 24.0;

pub(crate) type Sink<'s, 'd> = Option<&'s mut (dyn ProofSink + 'd)>;

pub(crate) fn refuted(sink: &mut Sink<'_, '_>, region: u64, why: Refutation<'_>) -> Looked {
    if let Some(sink) = sink {
        sink.step(Step::Refuted { region, why });
    }
    Looked::Refuted
}

fn found(sink: &mut Sink<'_, '_>, region: u64, point: Vec<Rational>) -> Looked {
    if let Some(sink) = sink {
        sink.step(Step::Found { region, point: &point });
    }
    Looked::Found(point)
}

impl BranchAndBound {
    /// Looks at a region; region 0 is the root and gets a longer local search.
    pub(crate) fn look(&mut self, task: &Task<'_>, region: &mut Region, id: u64, sink: &mut Sink<'_, '_>) -> Looked {
        let compiled = task.compiled;
        self.statistics.nodes += 1;
        self.scores.clear(compiled);
        let mut slow = false;
        for round in 0..ROUNDS {
            match self.propagate(compiled, region, id, sink) {
                None => return refuted(sink, id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            match self.point_by_point(task, region) {
                Some(None) => return refuted(sink, id, Refutation::Points),
                Some(Some(point)) => return found(sink, id, point),
                None => {}
            }
            if id == 0
                && round == 0
                && let Some(point) = self.climb_from_anywhere(task, region, self.quick_steps(compiled))
            {
                return found(sink, id, point);
            }
            if compiled.scores.is_empty() {
                break;
            }
            let before = bits(&region.data, compiled.integral.len());
            if let Err(application) = self.bound_scores(compiled, region, id, sink) {
                return refuted(sink, id, Refutation::Neurons { application });
            }
            match self.propagate(compiled, region, id, sink) {
                None => return refuted(sink, id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            if before - bits(&region.data, compiled.integral.len()) < WORTHWHILE {
                break;
            }
        }
        match self.point_by_point(task, region) {
            Some(None) => return refuted(sink, id, Refutation::Points),
            Some(Some(point)) => return found(sink, id, point),
            None => {}
        }
        if self.options.slope_steps > 0
            && compiled.settings.iter().any(|s| s.folded.depth() >= DEEP)
            && let Some((position, _)) = self.worst(compiled, region, &[])
            && self.sharpen(compiled, region, position, self.options.slope_steps)
        {
            self.announce(compiled, id, sink);
            if self.propagate(compiled, region, id, sink).is_none() {
                return refuted(sink, id, Refutation::Propagation);
            }
            match self.point_by_point(task, region) {
                Some(None) => return refuted(sink, id, Refutation::Points),
                Some(Some(point)) => return found(sink, id, point),
                None => {}
            }
        }
        if id == 0
            && let Some(point) = self.climb_from_anywhere(task, region, self.options.root_steps)
        {
            return found(sink, id, point);
        }
        self.settle(task, region, id, slow, sink)
    }

    /// Steps of local search before the root is bounded.
    pub(crate) fn quick_steps(&self, compiled: &Compiled<'_>) -> usize {
        let neurons: usize = compiled.settings.iter().map(|s| s.folded.prepared.network.relu_count()).sum();
        (neurons / NEURONS_PER_STEP).saturating_sub(1).min(self.options.root_steps)
    }

    /// Propagates, and says so if the box shrank; `None` when the region is empty.
    pub(crate) fn propagate(
        &mut self,
        compiled: &Compiled<'_>,
        region: &mut Region,
        id: u64,
        sink: &mut Sink<'_, '_>,
    ) -> Option<Progress> {
        let n = compiled.integral.len();
        let before = sink.as_ref().map(|_| region.data[..2 * n].to_vec());
        let progress = Propagation::new(compiled, region, &self.scores).run().ok()?;
        if let (Some(sink), Some(before)) = (sink, before)
            && before != region.data[..2 * n]
        {
            let (lower, upper) = region.data[..2 * n].split_at(n);
            sink.step(Step::Contracted { region: id, lower, upper });
        }
        Some(progress)
    }

    /// Bounds the scores that are not decided, as rows over the variables; the application whose neurons contradict
    /// each other on error.
    pub(crate) fn bound_scores(
        &mut self,
        compiled: &Compiled<'_>,
        region: &mut Region,
        id: u64,
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), usize> {
        let n = compiled.integral.len();
        let scores = &mut self.scores;
        scores.select(compiled, region);
        for (application, setting) in compiled.settings.iter().enumerate() {
            let involved = |score: &&u32| compiled.scores[**score as usize].involves(application);
            let forms = scores.scores.iter().filter(involved).count();
            if forms == 0 && !region.assumes(application) {
                continue;
            }
            let bounder = &mut self.bounders[application];
            let (variables, _) = region.data.split_at_mut(2 * n);
            self.lower.clear();
            self.lower.extend_from_slice(&variables[..n]);
            self.upper.clear();
            self.upper.extend_from_slice(&variables[n..]);
            bounder.tighten(setting, &self.lower, &self.upper, &mut region.data).map_err(|_| application)?;
            if forms == 0 {
                continue;
            }
            let start = setting.folded.start();
            bounder.backward.start(setting, start, forms);
            bounder.sums.reset(forms);
            for (form, &score) in scores.scores.iter().filter(involved).enumerate() {
                bounder.backward.form(form).copy_from_slice(compiled.scores[score as usize].form(application));
            }
            bounder.backward.run(bounder.kernel, setting, start, &region.data, true, &mut bounder.sums);
            let mut form = 0;
            for (k, &score) in scores.scores.iter().enumerate() {
                if compiled.scores[score as usize].involves(application) {
                    scores.rows.add(k, &bounder.sums, form);
                    form += 1;
                }
            }
            if let Some(sink) = sink {
                for layer in 0..setting.folded.depth() {
                    let (low, high) = setting.range(layer);
                    let (lower, upper) = (&region.data[low], &region.data[high]);
                    sink.step(Step::Neurons { region: id, application, layer, lower, upper });
                }
            }
        }
        self.announce(compiled, id, sink);
        Ok(())
    }

    /// Tells the sink the rows of all scores.
    fn announce(&self, compiled: &Compiled<'_>, id: u64, sink: &mut Sink<'_, '_>) {
        let Some(sink) = sink else { return };
        for (part, atom) in compiled.parts.iter().zip(&compiled.atoms) {
            if let (Part::Score(score), Some(atom)) = (part, atom)
                && let Some(row) = self.scores.fact(*score as usize)
            {
                sink.step(Step::Relaxed { region: id, atom, row });
            }
        }
    }

    /// The last means: linear programs, exact ones where everything is linear, and a split.
    pub(crate) fn settle(
        &mut self,
        task: &Task<'_>,
        region: &mut Region,
        id: u64,
        slow: bool,
        sink: &mut Sink<'_, '_>,
    ) -> Looked {
        let compiled = task.compiled;
        let n = compiled.integral.len();
        let (mut required, mut open) = (std::mem::take(&mut self.required), std::mem::take(&mut self.open));
        region.required(compiled, &mut required, &mut open);
        let unstable = self.unstable(compiled, region);
        let worst = self.worst(compiled, region, &required);
        let mut looked = None;
        let steps = node_steps(id);
        let rows = required.len() + region.assumed.len();
        let linear = unstable == 0 && open.is_empty();
        let constrained = required.iter().any(|part| matches!(compiled.parts[*part as usize], Part::Row(_)));
        if linear || slow || (rows >= self.options.program_rows && (constrained || !region.assumed.is_empty())) {
            self.statistics.programs += 1;
            let start: Vec<f64> = (0..n).map(|v| 0.5 * region.data[v] + 0.5 * region.data[n + v]).collect();
            match self.program.solve(compiled, region, &self.scores, &required, &start) {
                Verdict::Refuted => {
                    let (rows, multipliers) = self.program.refutation();
                    looked = Some(refuted(sink, id, Refutation::Combination { rows: &rows, multipliers }));
                }
                Verdict::Slack(_) => {
                    let point = std::mem::take(&mut self.program.point);
                    looked = self.climb(task, region, Some(&point), steps).map(|point| found(sink, id, point));
                    self.program.point = point;
                }
            }
        } else if id != 0
            && let Some(worst) = worst
        {
            let corner = self.corner(region, worst.0, n);
            looked = self.climb(task, region, Some(&corner), steps).map(|point| found(sink, id, point));
        }
        if looked.is_none() && linear && (bits(&region.data, n) > MANY || !compiled.integral.iter().all(|i| *i)) {
            looked = Some(self.exact_leaf(task, region, id, &required, sink));
        }
        let looked = looked.unwrap_or_else(|| {
            let priority = worst.map_or(0.0, |(_, max)| max);
            Looked::Open(
                priority,
                self.choose_split(compiled, region, worst.map(|(position, _)| position), unstable, &open),
            )
        });
        self.required = required;
        self.open = open;
        looked
    }

    /// Decides a region in which everything is linear.
    fn exact_leaf(
        &mut self,
        task: &Task<'_>,
        region: &Region,
        id: u64,
        required: &[u32],
        sink: &mut Sink<'_, '_>,
    ) -> Looked {
        self.statistics.programs += 1;
        let limits = task.limits;
        let stop = || limits.stop_now().is_some();
        let live = |application: usize| self.is_live(task.compiled, region, application);
        let program = exact_program(task.question, task.compiled, region, required, &live, &stop);
        let Some((program, feasibility)) = program.and_then(|p| p.solve_until(&stop).map(|f| (p, f))) else {
            // The region stays open; the search stops before it is looked at again.
            return Looked::Open(f64::INFINITY, Split::Abandoned);
        };
        if let Some((variable, value)) = fractional(task.compiled, &feasibility) {
            return Looked::Open(0.0, Split::Variable { variable, at: value.floor().to_f64() });
        }
        match feasibility {
            Feasibility::Infeasible(multipliers) => {
                refuted(sink, id, Refutation::Exact { rows: &program.rows, multipliers: &multipliers })
            }
            Feasibility::Feasible(point) => {
                assert!(
                    super::points::exactly(task.compiled, &task.question.formula, &point),
                    "a point of a region without unstable neurons that satisfies its rows is a witness"
                );
                if self.collected.is_some() {
                    let float: Vec<f64> = point.iter().map(Rational::to_f64).collect();
                    self.collect(task, &float, &point, false);
                    return Looked::Recorded;
                }
                found(sink, id, point)
            }
        }
    }

    /// Whether the region's exact rows depend on an application: an undecided score involves it, or a phase of one of
    /// its neurons is assumed.
    ///
    /// Soundness: an assumed phase is a row over the exact form of a neuron, which is right only where all neurons before
    /// it have a phase. So an application with assumed phases is bounded and split like one with undecided scores.
    pub(crate) fn is_live(&self, compiled: &Compiled<'_>, region: &Region, application: usize) -> bool {
        let involved = |score: &u32| compiled.scores[*score as usize].involves(application);
        region.assumes(application) || self.scores.scores.iter().any(involved)
    }

    /// How many unstable neurons the region's exact rows depend on.
    fn unstable(&self, compiled: &Compiled<'_>, region: &Region) -> usize {
        let live = (0..compiled.settings.len()).filter(|a| self.is_live(compiled, region, *a));
        live.map(|application| region.unstable(compiled, application)).sum()
    }

    /// The score with the smallest upper bound among those that must hold (else among all), and that bound.
    fn worst(&self, compiled: &Compiled<'_>, region: &Region, required: &[u32]) -> Option<(usize, f64)> {
        let n = compiled.integral.len();
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let rows = &self.scores.rows;
        let mut worst: Option<(usize, f64)> = None;
        let score = |part: &u32| match compiled.parts[*part as usize] {
            Part::Score(score) => Some(self.scores.position[score as usize] as usize),
            _ => None,
        };
        let mut positions: Vec<usize> =
            required.iter().filter_map(score).filter(|p| *p < self.scores.scores.len()).collect();
        if positions.is_empty() {
            positions.extend(0..self.scores.scores.len());
        }
        for position in positions {
            let row = &rows.coefficients.row(position)[..n];
            let max = concretise(row, lower, upper, rows.constants[position], rows.slacks[position]);
            if worst.is_none_or(|(_, least)| max < least) {
                worst = Some((position, max));
            }
        }
        worst
    }

    /// The corner of the box where a score's relaxation is largest.
    fn corner(&self, region: &Region, position: usize, n: usize) -> Vec<f64> {
        let row = self.scores.rows.coefficients.row(position);
        (0..n).map(|v| if row[v] > 0.0 { region.data[n + v] } else { region.data[v] }).collect()
    }
}

/// Steps of local search in a region other than the root. Mostly one look: in small trees more would be wasted. But where
/// the search goes on and on there may be a thin set of witnesses, which steps find sooner than splits.
fn node_steps(id: u64) -> usize {
    match id {
        _ if id.is_multiple_of(64) => 8,
        _ if id.is_multiple_of(4) => 1,
        _ => 0,
    }
}

/// The binary logarithm of the number of integer points, reals counted as if they were integers.
pub(crate) fn bits(data: &[f64], n: usize) -> f64 {
    (0..n).map(|v| (data[n + v] - data[v] + 1.0).log2()).sum()
}
