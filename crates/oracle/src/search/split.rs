//! How a region is split: by a variable, by the phase or the range of a neuron, or by a part of a disjunction.

use super::assume::{Assumption, Cut};
use super::branch::{Stake, influences};
use super::compiled::Part;
use super::engine::Search;
use super::goal::Goal;
use super::region::{MANY, Region, Truth, bits};
use crate::proof::Split;

/// A real variable narrower than this share of its bounds is no longer split while neurons are unstable.
const NARROW: f64 = 1e-5;

/// The same for networks that have no phases to split instead: about thirty halvings.
const NARROW_CURVED: f64 = 1e-9;

/// Where cuts pay, the search is over long before this many regions: they stop here, so that elsewhere they cost little.
const LAST_CUT: u64 = 5_000;

/// Many variables bear more phases: one for so many of them.
const VARIABLES_PER_PHASE: usize = 3;

impl<G: Goal> Search<'_, G> {
    /// How to split a region that is neither refuted nor decided; `None` where it is `curved` and too narrow.
    pub(crate) fn choose_split(
        &mut self,
        region: &mut Region,
        stake: Option<Stake>,
        unstable: usize,
        open: &[u32],
        curved: bool,
    ) -> Option<Split> {
        let compiled = self.task.compiled;
        let work = &mut *self.work;
        let n = compiled.integral.len();
        match stake {
            Some(stake) => {
                let mut influence = std::mem::take(&mut work.influence);
                influences(compiled, work, region, stake, &mut influence);
                work.influence = influence;
            }
            None => {
                work.influence.clear();
                work.influence.extend((0..n).map(|v| region.data[n + v] - region.data[v]));
            }
        }
        let least = if curved { NARROW_CURVED } else { NARROW };
        let mut best: Option<(usize, f64)> = None;
        for v in 0..n {
            let (lower, upper) = (region.data[v], region.data[n + v]);
            let middle = 0.5 * lower + 0.5 * upper;
            let at = if compiled.integral[v] { middle.floor().min(upper - 1.0) } else { middle };
            let narrow = !compiled.integral[v] && upper - lower < least * (compiled.upper[v] - compiled.lower[v]);
            let splits = if compiled.integral[v] { lower < upper } else { lower < at && at < upper && !narrow };
            if splits && best.is_none_or(|(b, _)| work.influence[v] > work.influence[b]) {
                best = Some((v, at));
            }
        }
        // Few points are soon gone through; otherwise few phases are fewer than the halvings of the box.
        let size = if best.is_none_or(|(v, _)| !compiled.integral[v]) { f64::INFINITY } else { bits(&region.data, n) };
        let free = (0..n).filter(|v| region.data[*v] < region.data[n + v]).count();
        let few = unstable <= self.options.phases.max(free / VARIABLES_PER_PHASE);
        if unstable > 0 && (best.is_none() || (size > MANY && few)) {
            return Some(self.phase_split(region, stake));
        }
        if curved
            && size > self.options.cut_bits
            && self.statistics.nodes - self.start < LAST_CUT
            && region.assumed.len() < self.options.cuts
            && let Some(stake) = stake
            && let Some(cut) = self.best_cut(region, stake, best.map_or(0.0, |(v, _)| self.work.influence[v]))
        {
            return Some(self.split_neuron(region, cut));
        }
        Some(match best {
            None if curved && open.is_empty() => return None,
            Some((variable, at)) if unstable > 0 || curved || open.is_empty() => Split::Variable { variable, at },
            Some((variable, at))
                if compiled.integral[variable] && region.data[n + variable] - region.data[variable] < 64.0 =>
            {
                Split::Variable { variable, at }
            }
            _ => {
                let children = match &compiled.parts[open[0] as usize] {
                    Part::Any(children) => children,
                    _ => unreachable!("only disjunctions are open"),
                };
                let part = children.iter().find(|c| region.truth[**c as usize] == Truth::Unknown);
                Split::Part { part: *part.expect("an open disjunction has open parts") }
            }
        })
    }

    /// Splits the unstable neuron that costs the worst score's relaxation most.
    fn phase_split(&mut self, region: &mut Region, stake: Option<Stake>) -> Split {
        let compiled = self.task.compiled;
        let (work, bounders) = (&*self.work, &self.work.bounders);
        let mut best: Option<(f64, usize, usize, usize)> = None;
        for (application, setting) in compiled.settings.iter().enumerate() {
            let form = stake.and_then(|stake| work.form_at_stake(compiled, application, stake));
            if !self.is_live(region, application) {
                continue;
            }
            for layer in (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).is_relu()) {
                let (low, high) = setting.range(layer);
                for i in 0..setting.folded.layer(layer).len() {
                    let (l, u) = (region.data[low.start + i], region.data[high.start + i]);
                    if l < 0.0 && u > 0.0 {
                        let multiplier =
                            form.map_or(0.0, |f| bounders[application].backward.kept(layer).row(f)[i].abs());
                        let gap = multiplier * (-l * u) / (u - l);
                        if best.is_none_or(|(most, ..)| gap > most) {
                            best = Some((gap, application, layer, i));
                        }
                    }
                }
            }
        }
        let (_, application, layer, neuron) = best.expect("there are unstable neurons");
        self.split_neuron(region, Cut { application, layer, neuron, at: 0.0 })
    }

    /// Splits the range of a neuron.
    fn split_neuron(&mut self, region: &mut Region, cut: Cut) -> Split {
        let (compiled, bounders) = (self.task.compiled, &self.work.bounders);
        region.ranges = Some([true, false].map(|above| Assumption::new(compiled, bounders, cut, above)));
        let Cut { application, layer, neuron, at } = cut;
        Split::Neuron { application, layer, neuron, at }
    }
}
