//! What a region is split for the sake of, and what that says about its halves.
//!
//! The score that is hardest to satisfy, or the [sum](super::sum) of scores, is what a region is split for: its *aim*. The row of the aim
//! is not negative at any wanted point, and remains so in the halves. So neurons are bounded [where it is not negative](crate::bounds::half_space) instead of
//! on all of a half's box, which settles many of them: where scores are nearly refuted, wanted points are in a small corner.
//!
//! Before all neurons of a half are bounded, and all scores, its aim is carried down alone, once the first layer was bounded, with what else is
//! known from the whole: that takes a fraction of the time, may refute the half already, and is a better row to bound neurons with.
//!
//! **Soundness.** Neurons are bounded at wanted points, then, and no longer at all points of the box; so are forms that depend on them. Nothing else is
//! ever concluded from bounds than where wanted points are not. Only where all phases are known and an exact program has a solution that is
//! no witness, rows for the phases are due ([`super::leaf`]).

use std::sync::Arc;

use surefoot_num::round::add_up;

use super::branch::Stake;
use super::compiled::Part;
use super::critical::cut;
use super::engine::Search;
use super::goal::{Examined, Witnesses};
use super::region::Region;
use super::sum::Multiple;
use crate::bounds::half_space::HalfSpace;
use crate::proof::{Refutation, RowFact, Step};

/// Parts with multipliers, and where their sum is not negative.
#[derive(Debug)]
pub(crate) struct Aim {
    parts: Vec<Multiple>,
    pub(crate) half_space: HalfSpace,
}

impl<G: Witnesses> Search<'_, G> {
    /// Keeps what a region is to be split for the sake of, for its halves.
    pub(crate) fn keep_aim(&mut self, region: &mut Region, id: u64) {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        match self.work.stake {
            None => {}
            Some(Stake::Sum) => {
                let parts = self.work.jointly.multiples.clone();
                self.keep_sum(region, id, parts);
            }
            Some(Stake::Score(position)) => {
                let work = &*self.work;
                let is_at_stake = |part: &&u32| match compiled.parts[**part as usize] {
                    Part::Score(score) => work.scores.position[score as usize] as usize == position,
                    _ => false,
                };
                // Soundness: a score that need not hold says nothing about wanted points.
                let Some(part) = work.required.iter().find(is_at_stake).copied() else { return };
                let rows = &work.scores.rows;
                let coefficients = rows.coefficients.row(position)[..n].to_vec();
                let (constant, slack) = (rows.constants[position], rows.slacks[position]);
                let ranges = vec![0.0; region.assumed.len()];
                self.keep(region, id, vec![(part, 1.0)], &ranges, (&coefficients, constant, slack));
            }
        }
    }

    /// Keeps the sum that was bounded last.
    fn keep_sum(&mut self, region: &mut Region, id: u64, parts: Vec<Multiple>) {
        let (sum, ranges) = (&self.work.jointly.sum, self.work.jointly.ranges.clone());
        let (linear, constant) = (sum.linear.clone(), sum.constant);
        let slack = sum.settled_slack(&self.work.jointly.magnitude);
        self.keep(region, id, parts, &ranges, (&linear, constant, slack));
    }

    fn keep(
        &mut self,
        region: &mut Region,
        id: u64,
        parts: Vec<Multiple>,
        ranges: &[f64],
        (coefficients, constant, slack): (&[f64], f64, f64),
    ) {
        let compiled = self.task.compiled;
        let row = RowFact { coefficients, constant, slack };
        self.announce(Step::Kept { region: id, parts: &parts, ranges, row });
        let magnitude: Vec<f64> = compiled.magnitudes().collect();
        let half_space = HalfSpace::new(coefficients, add_up(constant, slack), &magnitude, compiled.factor);
        region.aim = Some(Arc::new(Aim { parts, half_space }));
    }

    /// Bounds what the whole of a half was split for, and cuts the box by it; what that settles, if anything.
    pub(crate) fn take_aim(&mut self, region: &mut Region, id: u64) -> Option<Examined> {
        let aim = region.aim.clone()?;
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let work = &mut *self.work;
        work.jointly.multiples.clone_from(&aim.parts);
        work.jointly.begin(compiled);
        work.jointly.ranges.clear();
        work.jointly.ranges.resize(region.assumed.len(), 0.0);
        for (application, setting) in compiled.settings.iter().enumerate() {
            if work.jointly.sum.forms[application].is_empty() {
                continue;
            }
            for (own, end) in [(&mut work.lower, 0), (&mut work.upper, n)] {
                own.clear();
                own.extend_from_slice(&region.data[end..][..n]);
            }
            let (bounder, bounds) = (&mut work.bounders[application], (&work.lower[..], &work.upper[..]));
            if bounder.tighten(setting, bounds, &mut region.data, Some(&aim.half_space), 1).is_err() {
                return Some(self.refute(id, Refutation::Neurons { application }));
            }
        }
        let max = self.carry_sum(region, false);
        if max < 0.0 {
            return Some(self.refute_jointly(id));
        }
        let before = self.sink.as_ref().map(|_| region.data[..2 * n].to_vec());
        for (v, a) in self.work.jointly.sum.linear.iter().enumerate() {
            let (low, high) = cut(*a, max, region.data[v], region.data[n + v], compiled.integral[v]);
            (region.data[v], region.data[n + v]) = (low, high);
        }
        self.announce_box(region, id, before.as_deref());
        self.keep_sum(region, id, aim.parts.clone());
        None
    }
}
