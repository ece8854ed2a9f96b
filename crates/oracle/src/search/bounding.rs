//! What bounds say about a region: propagation, the rows of its scores, and which of them is hardest to satisfy.

use super::compiled::Part;
use super::engine::Search;
use super::goal::Goal;
use super::propagation::{Progress, Propagation};
use super::region::Region;
use crate::bounds::neurons::concretise;
use crate::proof::Step;

impl<G: Goal> Search<'_, G> {
    /// Propagates, and says so if the box shrank; `None` when the region is empty.
    pub(crate) fn propagate(&mut self, region: &mut Region, id: u64) -> Option<Progress> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let before = self.sink.as_ref().map(|_| region.data[..2 * n].to_vec());
        let progress = Propagation::new(compiled, region, &self.work.scores).run().ok()?;
        self.announce_box(region, id, before.as_deref());
        Some(progress)
    }

    /// Bounds the scores that are not decided, as rows over the variables; the application whose neurons contradict
    /// each other on error.
    pub(crate) fn bound_scores(&mut self, region: &mut Region, id: u64) -> Result<(), usize> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let work = &mut *self.work;
        let scores = &mut work.scores;
        scores.select(compiled, region);
        for (application, setting) in compiled.settings.iter().enumerate() {
            let involved = |score: &&u32| compiled.scores[**score as usize].involves(application);
            let forms = scores.scores.iter().filter(involved).count();
            if forms == 0 && !region.assumes(application) {
                continue;
            }
            for (own, end) in [(&mut work.lower, 0), (&mut work.upper, n)] {
                own.clear();
                own.extend_from_slice(&region.data[end..][..n]);
            }
            let bounder = &mut work.bounders[application];
            let half_space = region.aim.as_ref().map(|aim| &aim.half_space);
            let bounds = (&work.lower[..], &work.upper[..]);
            bounder.tighten(setting, bounds, &mut region.data, half_space, usize::MAX).map_err(|_| application)?;
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
            if let Some(sink) = &mut self.sink {
                for layer in 0..setting.folded.depth() {
                    let (low, high) = setting.range(layer);
                    let (lower, upper) = (&region.data[low], &region.data[high]);
                    sink.step(Step::Neurons { region: id, application, layer, lower, upper });
                }
            }
        }
        self.work.rounds.bounded(self.bounding_work(region));
        self.announce_rows(id);
        Ok(())
    }

    /// Multiplications that bounding a region takes, about: a form for each side of a neuron that was not settled, and for each score.
    pub(super) fn bounding_work(&self, region: &Region) -> u64 {
        let mut work = 0;
        for (application, setting) in self.task.compiled.settings.iter().enumerate() {
            if !self.is_live(region, application) {
                continue;
            }
            let mut below = 0;
            let bounder = &self.work.bounders[application];
            for layer in 0..=setting.folded.start() {
                let matrices = setting.folded.layer(layer);
                if layer > 0 && matrices.is_bounded() {
                    work += 2 * bounder.unstable[layer].neurons.len() * below;
                }
                below += matrices.weights.work();
            }
            work += self.work.scores.scores.len() * below;
        }
        work as u64
    }

    /// Tells whoever listens the rows of all scores.
    pub(crate) fn announce_rows(&mut self, id: u64) {
        let Some(sink) = &mut self.sink else { return };
        for (part, kind) in (0..).zip(&self.task.compiled.parts) {
            if let Part::Score(score) = kind
                && let Some(row) = self.work.scores.fact(*score as usize)
            {
                sink.step(Step::Relaxed { region: id, part, row });
            }
        }
    }

    /// Whether the region's exact rows depend on an application: an undecided score involves it, or a phase of one of
    /// its neurons is assumed.
    ///
    /// Soundness: an assumed phase is a row over the exact form of a neuron, which is right only where all neurons before
    /// it have a phase. So an application with assumed phases is bounded and split like one with undecided scores.
    pub(crate) fn is_live(&self, region: &Region, application: usize) -> bool {
        let involved = |score: &u32| self.task.compiled.scores[*score as usize].involves(application);
        region.assumes(application) || self.work.scores.scores.iter().any(involved)
    }

    /// Whether a network that is live is not piecewise linear over the reals.
    pub(crate) fn is_curved(&self, region: &Region) -> bool {
        let settings = self.task.compiled.settings.iter().enumerate();
        settings.filter(|(_, s)| s.folded.prepared.exact.is_none()).any(|(a, _)| self.is_live(region, a))
    }

    /// How many unstable neurons the region's exact rows depend on.
    pub(crate) fn unstable(&self, region: &Region) -> usize {
        let compiled = self.task.compiled;
        let live = (0..compiled.settings.len()).filter(|a| self.is_live(region, *a));
        live.map(|application| region.unstable(compiled, application)).sum()
    }

    /// The score with the smallest upper bound among those that must hold (else among all), and that bound.
    pub(crate) fn worst(&self, region: &Region, required: &[u32]) -> Option<(usize, f64)> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let scores = &self.work.scores;
        let rows = &scores.rows;
        let mut worst: Option<(usize, f64)> = None;
        let score = |part: &u32| match compiled.parts[*part as usize] {
            Part::Score(score) => Some(scores.position[score as usize] as usize),
            _ => None,
        };
        let mut positions: Vec<usize> =
            required.iter().filter_map(score).filter(|p| *p < scores.scores.len()).collect();
        if positions.is_empty() {
            positions.extend(0..scores.scores.len());
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
    pub(crate) fn corner(&self, region: &Region, position: usize, n: usize) -> Vec<f64> {
        let row = self.work.scores.rows.coefficients.row(position);
        (0..n).map(|v| if row[v] > 0.0 { region.data[n + v] } else { region.data[v] }).collect()
    }
}
