//! Which variable to split: the one whose uncertainty costs the relaxation most.
//!
//! An unstable neuron with bounds `l < 0 < u` contributes a gap of at most `-l u / (u - l)` to the relaxation, times its
//! multiplier in the score at stake; a neuron with other lines that of the distance between them. The neuron's width `u - l` comes from the variables' widths through its row, so
//! the gap is shared out in proportion to `|a_v| (upper_v - lower_v) / (u - l)`.

use super::compiled::Compiled;
use super::region::Region;
use super::workspace::Workspace;
use crate::bounds::{Bounder, Setting};

/// How much of a score's own slope counts beside the gaps.
const SLOPE_SHARE: f64 = 0.05;

/// What a region is split for the sake of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stake {
    /// The score at this position.
    Score(usize),
    /// The sum that was bounded last.
    Sum,
}

impl Workspace {
    /// Which form of an application's last backward pass is at stake, if one is.
    pub(crate) fn form_at_stake(&self, compiled: &Compiled<'_>, application: usize, stake: Stake) -> Option<usize> {
        match stake {
            Stake::Score(position) => self.scores.form(compiled, application, position),
            Stake::Sum => (!self.jointly.sum.forms[application].is_empty()).then_some(0),
        }
    }

    /// The row of what is at stake.
    fn row_at_stake(&self, stake: Stake) -> &[f64] {
        match stake {
            Stake::Score(position) => self.scores.rows.coefficients.row(position),
            Stake::Sum => &self.jointly.sum.linear,
        }
    }
}

/// The influence of every variable on what is at stake.
pub(crate) fn influences(compiled: &Compiled<'_>, work: &Workspace, region: &Region, stake: Stake, out: &mut Vec<f64>) {
    let n = compiled.integral.len();
    out.clear();
    out.extend(work.row_at_stake(stake)[..n].iter().map(|a| SLOPE_SHARE * a.abs()));
    let bounders = &work.bounders;
    for (application, setting) in compiled.settings.iter().enumerate() {
        let Some(form) = work.form_at_stake(compiled, application, stake) else { continue };
        add_gaps(setting, &bounders[application], form, region, out);
    }
    for (v, o) in out.iter_mut().enumerate() {
        *o *= region.data[n + v] - region.data[v];
    }
}

/// Adds what each variable, per unit of its width, contributes to the gaps of a form that was carried back and kept.
pub(crate) fn add_gaps(setting: &Setting, bounder: &Bounder, form: usize, region: &Region, out: &mut [f64]) {
    for layer in 0..setting.folded.depth() {
        let matrices = setting.folded.layer(layer);
        if !matrices.is_bounded() {
            continue;
        }
        let multipliers = bounder.backward.kept(layer).row(form);
        let (low, high) = setting.range(layer);
        // What a neuron's sum costs per unit of its slope.
        let weight = |i: usize| {
            let (l, u) = (region.data[low.start + i], region.data[high.start + i]);
            let width = u - l;
            let gap = match matrices.is_relu() {
                true if l < 0.0 && u > 0.0 => -l * u / width,
                true => 0.0,
                false => bounder.backward.gap(layer, i),
            };
            if gap > 0.0 && width > 0.0 { multipliers[i].abs() * gap / width } else { 0.0 }
        };
        if layer == 0 {
            for i in 0..matrices.len() {
                match (weight(i), matrices.weights.row(i)) {
                    (0.0, _) => {}
                    (weight, Some(row)) => add_sizes(out, weight, row),
                    (weight, None) => matrices.weights.terms(i).for_each(|(v, a)| out[v] += weight * a.abs()),
                }
            }
        } else {
            let unstable = &bounder.unstable[layer];
            for (k, &i) in unstable.neurons.iter().enumerate() {
                add_sizes(out, weight(i as usize), unstable.rows.coefficients.row(2 * k));
            }
        }
    }
}

fn add_sizes(out: &mut [f64], weight: f64, row: &[f64]) {
    if weight > 0.0 {
        out.iter_mut().zip(row).for_each(|(o, a)| *o += weight * a.abs());
    }
}
