//! The regions of a search for several formulas at once, and what is done with one of them; [`super::nowhere`] says why.

use super::blame::{Measured, cut, measure};
use super::engine::Task;
use super::reduce::Free;
use super::region::{Propagation, Region, ScoreRows, Truth};
use crate::bounds::neurons::{Empty, concretise};
use crate::bounds::{Bounder, Kernel, Setting, Trace, UpperRows};
use crate::nowhere::Holds;

/// A region and the formulas that may hold in it.
#[derive(Debug, Default, Clone)]
pub(super) struct Open {
    pub(super) region: Region,
    pub(super) formulas: Vec<u32>,
}

/// What comes of a region.
pub(super) enum Visited {
    /// No formula holds in it, or is of interest.
    Done,
    /// It cannot be split.
    Stuck,
    /// Much was cut off.
    Narrowed,
    /// It is to be split there.
    Split(usize, f64),
}

/// The score that is bounded for a formula.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pick {
    pub(super) formula: u32,
    part: u32,
    score: u32,
    /// Whether the formula is false wherever the score fails.
    required: bool,
}

/// One search.
pub(super) struct Joint<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) free: Free,
    /// The network over the free variables.
    pub(super) setting: Setting,
    /// What is known of each formula; nothing of those that are searched for.
    pub(super) found: Vec<Option<Holds>>,
    /// How often a region was split for the sake of each formula.
    pub(super) charged: Vec<u64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// A point of all variables.
    pub(super) point: Vec<f64>,
    pub(super) trace: Trace,
    pub(super) picks: Vec<Pick>,
    /// The largest value of each pick's row.
    pub(super) maxima: Vec<f64>,
    pub(super) influence: Vec<f64>,
    pub(super) nothing: ScoreRows,
}

impl<'a> Joint<'a> {
    pub(super) fn new(task: &'a Task<'a>, free: Free, whole: &Setting, asked: &[bool], nothing: ScoreRows) -> Self {
        Self {
            task,
            setting: free.setting(whole),
            free,
            found: asked.iter().map(|asked| (!asked).then_some(Holds::Unknown)).collect(),
            charged: vec![0; asked.len()],
            lower: Vec::new(),
            upper: Vec::new(),
            point: Vec::new(),
            trace: Trace::default(),
            picks: Vec::new(),
            maxima: Vec::new(),
            influence: Vec::new(),
            nothing,
        }
    }

    pub(super) fn give_up(&mut self, formulas: &[u32], why: &Holds) {
        for formula in formulas {
            self.found[*formula as usize].get_or_insert_with(|| why.clone());
        }
    }

    /// Drops the formulas that are false in a region; whether none is left.
    pub(super) fn drop_false(&self, open: &mut Open) -> bool {
        let compiled = self.task.compiled;
        let Open { region, formulas } = open;
        formulas.retain(|formula| {
            let (part, _) = compiled.tracked[*formula as usize];
            Propagation::new(compiled, region, &self.nothing).assess(part, false) != Truth::False
        });
        formulas.is_empty()
    }

    /// Drops the formulas of which nothing can be bounded and whose rows contradict each other; whether none is left.
    pub(super) fn drop_contradictory(&mut self, open: &mut Open) -> bool {
        let compiled = self.task.compiled;
        if compiled.rows.is_empty() {
            return false;
        }
        let Open { region, formulas } = open;
        formulas.retain(|formula| {
            let mut alone = Region { data: region.data.clone(), truth: region.truth.clone(), ..Region::default() };
            alone.extra.push(compiled.tracked[*formula as usize].0);
            self.picks.iter().any(|pick| pick.formula == *formula)
                || Propagation::new(compiled, &mut alone, &self.nothing).run().is_ok()
        });
        formulas.is_empty()
    }

    /// Takes the box of the free variables.
    pub(super) fn set_box(&mut self, region: &Region) {
        let n = self.task.compiled.integral.len();
        self.lower.clear();
        self.lower.extend(self.free.variables.iter().map(|v| region.data[*v]));
        self.upper.clear();
        self.upper.extend(self.free.variables.iter().map(|v| region.data[n + v]));
    }

    /// Moves to the middle of a region.
    pub(super) fn set_middle(&mut self, region: &Region) {
        let integral = &self.task.compiled.integral;
        let (lower, upper) = region.data[..2 * integral.len()].split_at(integral.len());
        let middle = lower.iter().zip(upper).zip(integral).map(|((l, u), integral)| {
            let middle = 0.5 * l + 0.5 * u;
            if *integral { middle.floor() } else { middle }
        });
        self.point.clear();
        self.point.extend(middle);
    }

    /// Evaluates the formulas of a region in the corners where their rows are largest.
    pub(super) fn try_corners(&mut self, kernel: Kernel, open: &mut Open, rows: &UpperRows) {
        let n = self.task.compiled.integral.len();
        for form in 0..self.picks.len() {
            if open.formulas.contains(&self.picks[form].formula) {
                for (a, &v) in rows.coefficients.row(form).iter().zip(&self.free.variables) {
                    self.point[v] = if *a > 0.0 { open.region.data[n + v] } else { open.region.data[v] };
                }
                self.evaluate(kernel, open, false);
            }
        }
    }

    /// Evaluates the formulas of a region in the point: those that hold there hold somewhere; of the others it is picked what to
    /// bound.
    pub(super) fn evaluate(&mut self, kernel: Kernel, open: &mut Open, pick: bool) {
        let compiled = self.task.compiled;
        self.trace.points.reshape(1, self.free.variables.len());
        let row = self.trace.points.row_mut(0);
        row.fill(0.0);
        row.iter_mut().zip(&self.free.variables).for_each(|(x, v)| *x = self.point[*v]);
        self.setting.eval(kernel, &mut self.trace);
        let last = self.setting.folded.depth() - 1;
        if self.setting.folded.layer(last).relu {
            self.trace.layers[last].row_mut(0).iter_mut().for_each(|z| *z = z.max(0.0));
        }
        let outputs = self.trace.layers[last].row(0);
        if pick {
            self.picks.clear();
        }
        open.formulas.retain(|&formula| {
            let (part, _) = compiled.tracked[formula as usize];
            let Measured { value, blame } = measure(compiled, part, &self.point, outputs, &open.region.truth);
            if value >= 0.0 {
                self.found[formula as usize] = Some(Holds::Somewhere(self.point.clone()));
                return false;
            }
            if pick && let Some((part, score, required)) = blame {
                self.picks.push(Pick { formula, part, score, required });
            }
            true
        });
    }

    /// Bounds what was picked and takes note of what is false; the form that is furthest from it. An error when the region is empty.
    pub(super) fn bound(&mut self, bounder: &mut Bounder, region: &mut Region) -> Result<Option<usize>, Empty> {
        let (lower, upper) = (&self.lower, &self.upper);
        bounder.tighten(&self.setting, lower, upper, &mut region.data)?;
        let start = self.setting.folded.start();
        let scores = &self.task.compiled.scores;
        bounder.backward.start(&self.setting, start, self.picks.len());
        bounder.sums.reset(self.picks.len());
        for (form, pick) in self.picks.iter().enumerate() {
            let score = &scores[pick.score as usize];
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
            if max < 0.0 || (scores[pick.score as usize].strict && max <= 0.0) {
                region.truth[pick.part as usize] = Truth::False;
            } else if hardest.is_none_or(|(most, _)| max > most) {
                hardest = Some((max, form));
            }
        }
        Ok(hardest.map(|(_, form)| form))
    }

    /// Cuts off what no formula's row permits: the box becomes the hull of what each of them leaves. The share of it that is left.
    ///
    /// Soundness: a formula holds only where its row, which bounds a score that it requires, is not negative.
    pub(super) fn contract(&mut self, rows: &UpperRows, open: &mut Open) -> f64 {
        let compiled = self.task.compiled;
        let row_of = |formula: &u32| self.picks.iter().position(|pick| pick.formula == *formula && pick.required);
        let mut share = 1.0;
        for (k, &v) in self.free.variables.iter().enumerate() {
            let (lower, upper) = (self.lower[k], self.upper[k]);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for form in open.formulas.iter().map(row_of) {
                let (a, max) = form.map_or((0.0, 0.0), |form| (rows.coefficients.row(form)[k], self.maxima[form]));
                let (l, u) = cut(a, max, lower, upper, compiled.integral[v]);
                (low, high) = (low.min(l), high.max(u));
            }
            let unit = if compiled.integral[v] { 1.0 } else { 0.0 };
            if low <= high && high - low < upper - lower {
                share *= (high - low + unit) / (upper - lower + unit);
                let n = compiled.integral.len();
                (open.region.data[v], open.region.data[n + v]) = (low, high);
            }
        }
        share
    }

    /// Where to split the region whose box is set.
    pub(super) fn split(&self) -> Visited {
        let mut best: Option<(f64, usize, f64)> = None;
        for (k, &v) in self.free.variables.iter().enumerate() {
            let (l, u) = (self.lower[k], self.upper[k]);
            let middle = 0.5 * l + 0.5 * u;
            let integral = self.task.compiled.integral[v];
            let at = if integral { middle.floor().min(u - 1.0) } else { middle };
            let splits = if integral { l < u } else { l < at && at < u };
            let influence = self.influence[k] * (u - l);
            if splits && best.is_none_or(|(most, ..)| influence > most) {
                best = Some((influence, v, at));
            }
        }
        best.map_or(Visited::Stuck, |(_, v, at)| Visited::Split(v, at))
    }

    /// The halves of a region.
    pub(super) fn halves(&self, open: Open, variable: usize, at: f64) -> [Open; 2] {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let (mut below, mut above) = (open.clone(), open);
        below.region.data[n + variable] = at;
        above.region.data[variable] = if compiled.integral[variable] { at + 1.0 } else { at };
        [above, below]
    }
}
