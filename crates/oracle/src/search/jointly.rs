//! All scores of a region at once: the [sum](super::sum) of them that is hardest to satisfy, bounded as one form.

use super::compiled::Compiled;
use super::engine::Search;
use super::goal::{Examined, Witnesses};
use super::region::Region;
use super::sum::{Multiple, Sum};
use crate::bounds::neurons::concretise;
use crate::proof::{Refutation, Step};

/// The sum that was bounded last; holds scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Jointly {
    pub(crate) sum: Sum,
    pub(crate) multiples: Vec<Multiple>,
    /// Multipliers of the ranges that the region assumes.
    pub(crate) ranges: Vec<f64>,
    /// The largest sizes of the variables.
    pub(crate) magnitude: Vec<f64>,
}

impl Jointly {
    /// Begins with the sum of the multiples, of which nothing was carried down yet.
    pub(crate) fn begin(&mut self, compiled: &Compiled<'_>) {
        self.sum.of(compiled, &self.multiples, |application| &compiled.settings[application].start_magnitude);
        self.magnitude.clear();
        self.magnitude.extend(compiled.magnitudes());
    }

    /// Its largest value on the region's box.
    fn maximum(&self, compiled: &Compiled<'_>, region: &Region) -> f64 {
        let n = compiled.integral.len();
        let (lower, upper) = region.data[..2 * n].split_at(n);
        concretise(&self.sum.linear, lower, upper, self.sum.constant, self.sum.settled_slack(&self.magnitude))
    }
}

impl<G: Witnesses> Search<'_, G> {
    /// Bounds the sum of parts with the multipliers of the region's linear program; its largest value.
    pub(crate) fn bound_jointly(&mut self, region: &Region, required: &[u32]) -> Option<f64> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let work = &mut *self.work;
        let jointly = &mut work.jointly;
        jointly.multiples.clear();
        work.program.multiples(compiled, &work.scores, required, &mut jointly.multiples);
        if jointly.multiples.len() < 2 {
            return None;
        }
        jointly.begin(compiled);
        jointly.ranges.clear();
        jointly.ranges.extend_from_slice(work.program.assumed_multipliers(region.assumed.len()));
        for (assumed, multiplier) in region.assumed.iter().zip(&jointly.ranges) {
            jointly.sum.add_row(*multiplier, &assumed.coefficients[..n], assumed.constant, assumed.slack);
        }
        Some(self.carry_sum(region, true))
    }

    /// Carries the forms of the sum down, which keeps their multipliers on the way or does not; its largest value.
    pub(crate) fn carry_sum(&mut self, region: &Region, keep: bool) -> f64 {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let work = &mut *self.work;
        let jointly = &mut work.jointly;
        for (application, setting) in compiled.settings.iter().enumerate() {
            if jointly.sum.forms[application].is_empty() {
                continue;
            }
            let bounder = &mut work.bounders[application];
            let start = setting.folded.start();
            bounder.backward.start(setting, start, 1);
            bounder.backward.form(0).copy_from_slice(&jointly.sum.forms[application]);
            bounder.sums.reset(1);
            bounder.backward.run(bounder.kernel, setting, start, &region.data, keep, &mut bounder.sums);
            let row = &bounder.sums;
            jointly.sum.carried(&row.coefficients.row(0)[..n], row.constants[0], row.slacks[0]);
        }
        jointly.maximum(compiled, region)
    }

    /// Tells that the sum that was bounded last refutes a region.
    pub(crate) fn refute_jointly(&mut self, id: u64) -> Examined {
        if let Some(sink) = &mut self.sink {
            let Jointly { multiples, ranges, .. } = &self.work.jointly;
            sink.step(Step::Refuted { region: id, why: Refutation::Sum { parts: multiples, ranges } });
        }
        Examined::Refuted
    }
}
