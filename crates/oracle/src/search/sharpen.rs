//! Better slopes for the score that is hardest to satisfy.
//!
//! Where a neuron meets a negative multiplier any lower slope in `[0, 1]` is sound, and the best one depends on where
//! the relaxation is largest: at a corner `x` of the box, slope 1 is best where the neuron is active at `x`, slope 0 where it is
//! not. So the corner is evaluated, slopes are moved there, the row is computed again, and kept if its maximum is
//! smaller: a subgradient step of slope optimisation (Xu et al., *Fast and Complete: Enabling Complete Neural Network Verification with Rapid and
//! Massively Parallel Incomplete Verifiers*, ICLR 2021), cheap because it concerns one form only.

use super::engine::Search;
use super::goal::Goal;
use super::points::Points;
use super::region::Region;
use crate::bounds::UpperRows;
use crate::bounds::neurons::concretise;

/// Scratch space of slope optimisation.
#[derive(Debug, Default)]
pub(crate) struct Sharpening {
    corner: Vec<f64>,
    corners: Points,
    row: UpperRows,
}

impl<G: Goal> Search<'_, G> {
    /// Tries to lower the maximum of the score's row at `position`; true when the row improved.
    pub(crate) fn sharpen(&mut self, region: &Region, position: usize, steps: usize) -> bool {
        let compiled = self.task.compiled;
        let work = &mut *self.work;
        let Sharpening { corner, corners, row: sharp } = &mut work.sharpening;
        let n = compiled.integral.len();
        let score = &compiled.scores[work.scores.scores[position] as usize];
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let maximum = |rows: &UpperRows, row: usize| {
            let coefficients = &rows.coefficients.row(row)[..n];
            concretise(coefficients, lower, upper, rows.constants[row], rows.slacks[row])
        };
        let mut best = maximum(&work.scores.rows, position);
        let mut improved = false;
        for step in 0..steps {
            let row = work.scores.rows.coefficients.row(position);
            corner.clear();
            corner.extend((0..n).map(|v| if row[v] > 0.0 { upper[v] } else { lower[v] }));
            corners.reset(compiled, 1);
            corners.set(0, corner);
            corners.eval(work.kernel, compiled);
            sharp.coefficients.reshape(1, n);
            sharp.reset(1);
            score.write_linear(sharp.coefficients.row_mut(0));
            sharp.constants[0] = score.form_constant;
            sharp.slacks[0] = score.slack;
            for (application, setting) in compiled.settings.iter().enumerate() {
                if !score.involves(application) {
                    continue;
                }
                let bounder = &mut work.bounders[application];
                let top = setting.folded.depth() - 1;
                for layer in (0..=top).filter(|l| setting.folded.layer(*l).is_relu()) {
                    #[expect(clippy::cast_precision_loss, reason = "a hint")]
                    let share = 1.0 / (step + 1) as f64;
                    bounder.backward.tilt(layer, corners.traces[application].layers[layer].row(0), share);
                }
                let start = setting.folded.start();
                bounder.backward.start(setting, start, 1);
                bounder.backward.form(0).copy_from_slice(score.form(application));
                bounder.sums.reset(1);
                bounder.backward.run(bounder.kernel, setting, start, &region.data, false, &mut bounder.sums);
                sharp.add(0, &bounder.sums, 0);
            }
            let max = maximum(sharp, 0);
            if max < best {
                best = max;
                improved = true;
                work.scores.rows.replace(position, sharp, 0);
            } else if step > 0 {
                break;
            }
            if best < 0.0 {
                break;
            }
        }
        improved
    }
}
