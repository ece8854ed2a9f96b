//! Better slopes for the score that is hardest to satisfy.
//!
//! Where a neuron meets a negative multiplier any lower slope in `[0, 1]` is sound, and the best one depends on where
//! the relaxation is largest: at a corner `x` of the box, slope 1 is best where the neuron is active at `x`, slope 0 where it is
//! not. So the corner is evaluated, slopes are moved there, the row is computed again, and kept if its maximum is
//! smaller: a subgradient step of slope optimisation (Xu et al., *Fast and Complete: Enabling Complete Neural Network Verification with Rapid and
//! Massively Parallel Incomplete Verifiers*, ICLR 2021), cheap because it concerns one form only.

use super::compile::Compiled;
use super::engine::BranchAndBound;
use super::region::Region;
use crate::bounds::neurons::concretise;

impl BranchAndBound {
    /// Tries to lower the maximum of the score's row at `position`; true when the row improved.
    pub(crate) fn sharpen(&mut self, compiled: &Compiled<'_>, region: &Region, position: usize, steps: usize) -> bool {
        let n = compiled.integral.len();
        let score = &compiled.scores[self.scores.scores[position] as usize];
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let maximum = |rows: &crate::bounds::UpperRows, row: usize| {
            let coefficients = &rows.coefficients.row(row)[..n];
            concretise(coefficients, lower, upper, rows.constants[row], rows.slacks[row])
        };
        let mut best = maximum(&self.scores.rows, position);
        let mut improved = false;
        for step in 0..steps {
            let row = self.scores.rows.coefficients.row(position);
            self.corner.clear();
            self.corner.extend((0..n).map(|v| if row[v] > 0.0 { upper[v] } else { lower[v] }));
            self.corners.reset(compiled, 1);
            self.corners.set(0, &self.corner);
            self.corners.eval(self.kernel, compiled);
            self.sharp.coefficients.reshape(1, n);
            self.sharp.reset(1);
            score.write_linear(self.sharp.coefficients.row_mut(0));
            self.sharp.constants[0] = score.form_constant;
            self.sharp.slacks[0] = score.slack;
            for (application, setting) in compiled.settings.iter().enumerate() {
                if !score.involves(application) {
                    continue;
                }
                let bounder = &mut self.bounders[application];
                let top = setting.folded.depth() - 1;
                for layer in (0..=top).filter(|l| setting.folded.layer(*l).relu) {
                    let share = 1.0 / (step + 1) as f64;
                    bounder.backward.tilt(layer, self.corners.traces[application].layers[layer].row(0), share);
                }
                let start = setting.folded.start();
                bounder.backward.start(setting, start, 1);
                bounder.backward.form(0).copy_from_slice(score.form(application));
                bounder.sums.reset(1);
                bounder.backward.run(bounder.kernel, setting, start, &region.data, false, &mut bounder.sums);
                self.sharp.add(0, &bounder.sums, 0);
            }
            let max = maximum(&self.sharp, 0);
            if max < best {
                best = max;
                improved = true;
                self.scores.rows.replace(position, &self.sharp, 0);
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
