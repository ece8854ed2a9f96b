//! Which formulas hold nowhere: what is known of them, and what is done with one region; [`super::nowhere`] says why.

use super::compiled::Compiled;
use super::critical::{CriticalScore, Criticality, criticality, cut};
use super::reduce::Free;
use super::region::{Region, Truth};
use crate::bounds::neurons::{Empty, concretise};
use crate::bounds::{Bounder, Kernel, Setting, Trace, UpperRows, activation};
use crate::nowhere::Holds;
use crate::proof::Split;

/// The score that is bounded for a formula.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pick {
    pub(super) formula: u32,
    pub(super) critical: CriticalScore,
}

/// It is asked which of several formulas hold nowhere.
pub(super) struct Joint {
    pub(super) free: Free,
    /// The network over the free variables.
    pub(super) setting: Setting,
    /// What is known of each formula; nothing of those that are searched for.
    pub(super) found: Vec<Option<Holds>>,
    /// How often a region may be split for the sake of each formula.
    pub(super) most: u64,
    /// How often one was.
    pub(super) charged: Vec<u64>,
    /// Formulas that nobody was told yet are set aside.
    pub(super) set_aside: Vec<u32>,
    /// The box of the free variables.
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// A point of all variables.
    pub(super) point: Vec<f64>,
    trace: Trace,
    pub(super) picks: Vec<Pick>,
    /// The largest value of each pick's row.
    maxima: Vec<f64>,
    pub(super) influence: Vec<f64>,
}

impl Joint {
    pub(super) fn new(free: Free, whole: &Setting, asked: &[bool], most: u64) -> Self {
        Self {
            setting: free.setting(whole),
            free,
            found: asked.iter().map(|asked| (!asked).then_some(Holds::Unknown)).collect(),
            most,
            charged: vec![0; asked.len()],
            set_aside: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            point: Vec::new(),
            trace: Trace::default(),
            picks: Vec::new(),
            maxima: Vec::new(),
            influence: Vec::new(),
        }
    }

    /// What was found; a formula of which nothing was holds nowhere.
    pub(super) fn into_found(self) -> Vec<Holds> {
        // Soundness: what is still searched for was dropped everywhere.
        self.found.into_iter().map(|found| found.unwrap_or(Holds::Nowhere)).collect()
    }

    pub(super) fn give_up(&mut self, formulas: &[u32], why: &Holds) {
        for formula in formulas {
            let found = &mut self.found[*formula as usize];
            if found.is_none() {
                *found = Some(why.clone());
                self.set_aside.push(*formula);
            }
        }
    }

    /// Takes the box of the free variables.
    pub(super) fn set_box(&mut self, compiled: &Compiled<'_>, region: &Region) {
        let n = compiled.integral.len();
        self.lower.clear();
        self.lower.extend(self.free.variables.iter().map(|v| region.data[*v]));
        self.upper.clear();
        self.upper.extend(self.free.variables.iter().map(|v| region.data[n + v]));
    }

    /// Moves to the middle of a region.
    pub(super) fn set_middle(&mut self, compiled: &Compiled<'_>, region: &Region) {
        let integral = &compiled.integral;
        let (lower, upper) = region.data[..2 * integral.len()].split_at(integral.len());
        let middle = lower.iter().zip(upper).zip(integral).map(|((l, u), integral)| {
            let middle = 0.5 * l + 0.5 * u;
            if *integral { middle.floor() } else { middle }
        });
        self.point.clear();
        self.point.extend(middle);
    }

    /// Evaluates the formulas of a region in the corners where their rows are largest.
    pub(super) fn try_corners(
        &mut self,
        kernel: Kernel,
        compiled: &Compiled<'_>,
        region: &mut Region,
        rows: &UpperRows,
    ) {
        let n = compiled.integral.len();
        for form in 0..self.picks.len() {
            if region.alternatives.contains(&self.picks[form].formula) {
                for (a, &v) in rows.coefficients.row(form).iter().zip(&self.free.variables) {
                    self.point[v] = if *a > 0.0 { region.data[n + v] } else { region.data[v] };
                }
                self.evaluate(kernel, compiled, region, false);
            }
        }
    }

    /// Evaluates the formulas of a region in the point: those that hold there hold somewhere; of the others it is picked what to
    /// bound.
    pub(super) fn evaluate(&mut self, kernel: Kernel, compiled: &Compiled<'_>, region: &mut Region, pick: bool) {
        self.trace.points.reshape(1, self.free.variables.len());
        let row = self.trace.points.row_mut(0);
        row.fill(0.0);
        row.iter_mut().zip(&self.free.variables).for_each(|(x, v)| *x = self.point[*v]);
        self.setting.eval(kernel, &mut self.trace);
        let last = self.setting.folded.depth() - 1;
        let layer = self.setting.folded.layer(last);
        activation::apply(layer.activation, &mut self.trace.layers[last].row_mut(0)[..layer.len()]);
        let outputs = self.trace.layers[last].row(0);
        if pick {
            self.picks.clear();
        }
        let Region { alternatives, truth, .. } = region;
        alternatives.retain(|&formula| {
            let (part, _) = compiled.tracked[formula as usize];
            let Criticality { robustness, score } = criticality(compiled, part, &self.point, outputs, truth);
            if robustness >= 0.0 {
                self.found[formula as usize] = Some(Holds::Somewhere(self.point.clone()));
                self.set_aside.push(formula);
                return false;
            }
            if pick && let Some(critical) = score {
                self.picks.push(Pick { formula, critical });
            }
            true
        });
    }

    /// Bounds what was picked and takes note of what is false; the form that is furthest from it. An error when the region is empty.
    pub(super) fn bound(
        &mut self,
        compiled: &Compiled<'_>,
        bounder: &mut Bounder,
        region: &mut Region,
    ) -> Result<Option<usize>, Empty> {
        let (lower, upper) = (&self.lower, &self.upper);
        bounder.tighten(&self.setting, (lower, upper), &mut region.data, None, usize::MAX)?;
        let start = self.setting.folded.start();
        let scores = &compiled.scores;
        bounder.backward.start(&self.setting, start, self.picks.len());
        bounder.sums.reset(self.picks.len());
        for (form, pick) in self.picks.iter().enumerate() {
            let score = &scores[pick.critical.score as usize];
            bounder.backward.form(form).copy_from_slice(score.form(0));
            (bounder.sums.constants[form], bounder.sums.slacks[form]) = (score.form_constant, score.slack);
        }
        let Bounder { backward, sums, kernel, .. } = bounder;
        backward.run(*kernel, &self.setting, start, &region.data, true, sums);
        let mut hardest: Option<(f64, usize)> = None;
        self.maxima.clear();
        for (form, pick) in self.picks.iter().enumerate() {
            let row = &sums.coefficients.row(form)[..lower.len()];
            let max = concretise(row, lower, upper, sums.constants[form], sums.slacks[form]);
            self.maxima.push(max);
            if max < 0.0 || (scores[pick.critical.score as usize].strict && max <= 0.0) {
                region.truth[pick.critical.part as usize] = Truth::False;
            } else if hardest.is_none_or(|(most, _)| max > most) {
                hardest = Some((max, form));
            }
        }
        Ok(hardest.map(|(_, form)| form))
    }

    /// Cuts off what no formula's row permits: the box becomes the hull of what each of them leaves. The share of it that is left.
    ///
    /// Soundness: a formula holds only where its row, which bounds a score that it requires, is not negative.
    pub(super) fn contract(&self, compiled: &Compiled<'_>, rows: &UpperRows, region: &mut Region) -> f64 {
        let row_of =
            |formula: &u32| self.picks.iter().position(|pick| pick.formula == *formula && pick.critical.required);
        let mut share = 1.0;
        for (k, &v) in self.free.variables.iter().enumerate() {
            let (lower, upper) = (self.lower[k], self.upper[k]);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for form in region.alternatives.iter().map(row_of) {
                let (a, max) = form.map_or((0.0, 0.0), |form| (rows.coefficients.row(form)[k], self.maxima[form]));
                let (l, u) = cut(a, max, lower, upper, compiled.integral[v]);
                (low, high) = (low.min(l), high.max(u));
            }
            let unit = if compiled.integral[v] { 1.0 } else { 0.0 };
            if low <= high && high - low < upper - lower {
                share *= (high - low + unit) / (upper - lower + unit);
                let n = compiled.integral.len();
                (region.data[v], region.data[n + v]) = (low, high);
            }
        }
        share
    }

    /// Where to split the region whose box is set, if it can be.
    pub(super) fn split(&self, compiled: &Compiled<'_>) -> Option<Split> {
        let mut best: Option<(f64, usize, f64)> = None;
        for (k, &v) in self.free.variables.iter().enumerate() {
            let (l, u) = (self.lower[k], self.upper[k]);
            let middle = 0.5 * l + 0.5 * u;
            let integral = compiled.integral[v];
            let at = if integral { middle.floor().min(u - 1.0) } else { middle };
            let splits = if integral { l < u } else { l < at && at < u };
            let influence = self.influence[k] * (u - l);
            if splits && best.is_none_or(|(most, ..)| influence > most) {
                best = Some((influence, v, at));
            }
        }
        best.map(|(_, variable, at)| Split::Variable { variable, at })
    }
}
