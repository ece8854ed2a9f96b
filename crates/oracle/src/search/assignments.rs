//! All assignments are asked for, in one search tree.
//!
//! The tree is that of a single question, with three differences. A witness is recorded with its assignment, and the search
//! goes on. A region whose assignment is settled and known is dropped. Regions are split by tracked formulas first: a
//! formula that is neither true nor false throughout is made true in one half and false in the other. Networks are
//! bounded only in regions where no witness is known: a region that holds one cannot be refuted.

use surefoot_linear::Formula;
use surefoot_num::Rational;

use super::collected::{Collected, TrackedTruth};
use super::compiled::Part;
use super::engine::Search;
use super::examine::WORTHWHILE;
use super::goal::{Examined, Goal, Status, Witnesses};
use super::node::Node;
use super::points::exactly;
use super::propagation::{Progress, Propagation};
use super::reduce::Reduced;
use super::region::{Region, Truth, bits};
use crate::assignment::Assignment;
use crate::proof::{Refutation, Split};

impl Goal for Collected {
    fn enter(search: &mut Search<'_, Self>, node: &mut Node) -> Status {
        let examined = search.examine_for_all(&mut node.region, node.id);
        Self::examined(node, examined)
    }
}

impl Witnesses for Collected {
    fn take(
        search: &mut Search<'_, Self>,
        point: &[f64],
        exact: Vec<Rational>,
        by_floats: bool,
    ) -> Option<Vec<Rational>> {
        let compiled = search.task.compiled;
        let certifier = &search.work.certifier;
        let value = |(formula, (part, _)): (&Formula, &(u32, u32))| {
            if by_floats {
                certifier.holds(compiled, *part, formula, point)
            } else {
                exactly(compiled, formula, &exact)
            }
        };
        let values: Option<Vec<bool>> = search.task.tracked.iter().zip(&compiled.tracked).map(value).collect();
        let Some(values) = values else {
            search.leave_point(point);
            return None;
        };
        let reduced = search.task.reduced;
        let full = || reduced.map_or_else(|| exact.clone(), |reduced| reduced.full(&exact));
        search.task.goal.add(Assignment::new(values.into_iter()), point, full);
        None
    }

    fn taken(&self) -> usize {
        self.len()
    }

    fn reduce(&mut self, reduced: &Reduced) {
        self.reduce(reduced);
    }
}

impl Search<'_, Collected> {
    /// The truth of the tracked formulas on a region.
    fn tracked_truth(&mut self, region: &mut Region) -> TrackedTruth {
        let compiled = self.task.compiled;
        let mut values = Vec::with_capacity(compiled.tracked.len());
        for &(yes, no) in &compiled.tracked {
            let forced = |part: u32| region.extra.contains(&part);
            let truth = if forced(yes) {
                Truth::True
            } else if forced(no) {
                Truth::False
            } else {
                let mut propagation = Propagation::new(compiled, region, &self.work.scores);
                if propagation.assess(yes, false) == Truth::False {
                    Truth::False
                } else if propagation.assess(no, false) == Truth::False {
                    Truth::True
                } else {
                    Truth::Unknown
                }
            };
            values.push(truth);
        }
        TrackedTruth::new(values)
    }

    /// Examines a region: drops it, or says how to split it; witnesses are recorded on the way.
    fn examine_for_all(&mut self, region: &mut Region, id: u64) -> Examined {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        self.statistics.nodes += 1;
        self.work.scores.clear(compiled);
        // Most regions have no witness at all, and bounds tell sooner than a climb. So they come first.
        // What the root's climb did not find is rarely there: below it, few regions are worth one.
        let (mut climbed, mut slow, mut narrowed) = (!id.is_multiple_of(8), false, true);
        let mut bounded = compiled.scores.is_empty();
        for _ in 0..4 {
            match self.propagate(region, id) {
                None => return self.refute(id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            if self.point_by_point(region, id).is_some() {
                return self.refute(id, Refutation::Points);
            }
            let truth = self.tracked_truth(region);
            if let Some(examined) = self.known(region, &truth, id) {
                return examined;
            }
            if bounded && !climbed {
                climbed = true;
                let steps = if id == 0 { self.options.root_steps } else { 2 };
                let _ = self.climb_from_anywhere(region, id, steps);
                if let Some(examined) = self.known(region, &truth, id) {
                    return examined;
                }
            }
            if compiled.scores.is_empty() || !narrowed {
                break;
            }
            let before = bits(&region.data, n);
            if let Err(application) = self.bound_scores(region, id) {
                return self.refute(id, Refutation::Neurons { application });
            }
            match self.propagate(region, id) {
                None => return self.refute(id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            bounded = true;
            narrowed = before - bits(&region.data, n) >= WORTHWHILE;
            if climbed && !narrowed {
                break;
            }
        }
        if self.point_by_point(region, id).is_some() {
            return self.refute(id, Refutation::Points);
        }
        let examined = self.settle(region, id, slow);
        if matches!(examined, Examined::Refuted) {
            return examined;
        }
        let truth = self.tracked_truth(region);
        if let Some(examined) = self.known(region, &truth, id) {
            return examined;
        }
        match (examined, self.tracked_split(region, &truth)) {
            (Examined::Branch(priority, _), Some(split)) => Examined::Branch(priority, split),
            (Examined::Recorded | Examined::LeftOpen, Some(split)) => Examined::Branch(f64::INFINITY, split),
            // With every tracked formula settled a recorded witness makes the assignment known, unless scores could not be told apart.
            (Examined::Recorded | Examined::LeftOpen, None) => {
                self.leave_region(region);
                Examined::LeftOpen
            }
            (examined, _) => examined,
        }
    }

    /// What needs no bounds: a region whose assignments are all known is dropped, one that holds a witness is split.
    fn known(&mut self, region: &Region, truth: &TrackedTruth, id: u64) -> Option<Examined> {
        if self.task.goal.all_known(truth) {
            return Some(self.refute(id, Refutation::Known));
        }
        let n = self.task.compiled.integral.len();
        if truth.open > 0 && self.task.goal.holds_witness(region, n, truth) {
            let split = self.tracked_split(region, truth).expect("a formula is open");
            return Some(Examined::Branch(f64::INFINITY, split));
        }
        None
    }

    /// Splits by the tracked formula that is most evenly undecided.
    fn tracked_split(&self, region: &Region, truth: &TrackedTruth) -> Option<Split> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let balance = |index: &usize| {
            let Part::Row(row) = &compiled.parts[compiled.tracked[*index].0 as usize] else { return 0.1 };
            let row = &compiled.rows[*row as usize];
            let (mut min, mut max) = (row.constant, row.constant);
            for &(v, a) in &row.terms {
                let (l, u) = (a * lower[v as usize], a * upper[v as usize]);
                min += l.min(u);
                max += l.max(u);
            }
            max.min(-min) / (max - min)
        };
        let open = (0..truth.values.len()).filter(|index| truth.values[*index] == Truth::Unknown);
        let best = open.fold(None, |best: Option<(f64, usize)>, index| {
            let this = balance(&index);
            if best.is_none_or(|(most, _)| this > most) { Some((this, index)) } else { best }
        });
        best.map(|(_, formula)| Split::Tracked { formula })
    }
}
