//! All assignments in one search tree.
//!
//! The tree is that of a single question, with three differences. A witness is recorded with its assignment, and the search
//! goes on. A region whose assignment is settled and known is dropped. Regions are split by tracked formulas first: a
//! formula that is neither true nor false throughout is made true in one half and false in the other. Networks are
//! bounded only in regions where no witness is known: a region that holds one cannot be refuted.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_linear::Formula;
use surefoot_num::Rational;

use super::compile::{Compiled, Part};
use super::engine::{BranchAndBound, Task};
use super::look::{Looked, Sink, refuted};
use super::points::exactly;
use super::reduce::Reduced;
use super::region::{Propagation, Region, Truth};
use crate::answer::Limits;
use crate::assignment::{AllAssignments, Assignment, Assignments};
use crate::proof::{Refutation, Split};
use crate::question::Question;
use crate::template::{Narrowing, Template};

/// What is known of the assignments so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    excluded: FxHashSet<Assignment>,
    found: BTreeMap<Assignment, Vec<Rational>>,
    /// The witnesses as floats (as near as they come), with their assignments.
    witnesses: Vec<(Vec<f64>, Assignment)>,
}

/// The truth of the tracked formulas on a region.
struct Status {
    values: Vec<Truth>,
    open: usize,
}

impl Collected {
    /// Nothing yet; the excluded ones are not asked for.
    pub(crate) fn excluding(excluded: &FxHashSet<Assignment>) -> Self {
        Self { excluded: excluded.clone(), ..Self::default() }
    }

    /// The assignments found, with witnesses.
    pub(crate) fn into_found(self) -> BTreeMap<Assignment, Vec<Rational>> {
        self.found
    }

    /// Goes on without the variables that are fixed.
    pub(crate) fn reduce(&mut self, reduced: &Reduced) {
        for (point, _) in &mut self.witnesses {
            *point = reduced.part(point);
        }
    }

    fn is_known(&self, assignment: &Assignment) -> bool {
        self.found.contains_key(assignment) || self.excluded.contains(assignment)
    }

    /// Whether every assignment that fits is known.
    fn all_known(&self, status: &Status) -> bool {
        let known = self.found.len() + self.excluded.len();
        if status.open >= 20 || 1usize << status.open > known {
            return false;
        }
        let open: Vec<usize> =
            (0..status.values.len()).filter(|index| status.values[*index] == Truth::Unknown).collect();
        (0..1u32 << open.len()).all(|code| {
            let value = |index: usize| match status.values[index] {
                Truth::Unknown => {
                    let bit = open.iter().position(|o| *o == index).expect("listed above");
                    code >> bit & 1 == 1
                }
                truth => truth == Truth::True,
            };
            self.is_known(&Assignment::new((0..status.values.len()).map(value)))
        })
    }

    /// Whether a known witness lies in a region.
    fn holds_witness(&self, region: &Region, n: usize, status: &Status) -> bool {
        self.witnesses.iter().any(|(point, assignment)| {
            point.iter().enumerate().all(|(v, x)| region.data[v] <= *x && *x <= region.data[n + v])
                && status.values.iter().zip(assignment.iter()).all(|(truth, value)| match truth {
                    Truth::Unknown => true,
                    truth => (*truth == Truth::True) == value,
                })
        })
    }
}

impl BranchAndBound {
    /// Takes note of a witness.
    pub(crate) fn collect(&mut self, task: &Task<'_>, point: &[f64], exact: &[Rational], by_floats: bool) {
        let compiled = task.compiled;
        let Some(collected) = &mut self.collected else { return };
        let value = |(formula, (part, _)): (&Formula, &(u32, u32))| {
            if by_floats {
                self.certifier.holds(compiled, *part, formula, point)
            } else {
                exactly(compiled, formula, exact)
            }
        };
        let values: Vec<bool> = task.tracked.iter().zip(&compiled.tracked).map(value).collect();
        let assignment = Assignment::new(values.into_iter());
        if !collected.is_known(&assignment) {
            let full = task.reduced.map_or_else(|| exact.to_vec(), |reduced| reduced.full(exact));
            collected.found.insert(assignment.clone(), full);
        } else if collected.witnesses.len() > 4096 {
            return;
        }
        collected.witnesses.push((point.to_vec(), assignment));
    }

    /// How many assignments were found, if these are asked for.
    pub(crate) fn assignments_found(&self) -> usize {
        self.collected.as_ref().map_or(0, |collected| collected.found.len())
    }

    fn status(&mut self, compiled: &Compiled<'_>, region: &mut Region) -> Status {
        let mut values = Vec::with_capacity(compiled.tracked.len());
        for &(yes, no) in &compiled.tracked {
            let forced = |part: u32| region.extra.contains(&part);
            let truth = if forced(yes) {
                Truth::True
            } else if forced(no) {
                Truth::False
            } else {
                let mut propagation = Propagation::new(compiled, region, &self.scores);
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
        let open = values.iter().filter(|truth| **truth == Truth::Unknown).count();
        Status { values, open }
    }

    /// Looks at a region: drops it, or says how to split it; witnesses are recorded on the way.
    pub(crate) fn look_for_all(
        &mut self,
        task: &Task<'_>,
        region: &mut Region,
        id: u64,
        sink: &mut Sink<'_, '_>,
    ) -> Looked {
        let compiled = task.compiled;
        let n = compiled.integral.len();
        self.statistics.nodes += 1;
        self.scores.clear(compiled);
        // Most regions have no witness at all, and bounds tell sooner than a climb. So they come first.
        // What the root's climb did not find is rarely there: below it, few regions are worth one.
        let (mut climbed, mut slow, mut narrowed) = (!id.is_multiple_of(8), false, true);
        let mut bounded = compiled.scores.is_empty();
        for _ in 0..4 {
            match self.propagate(compiled, region, id, sink) {
                None => return refuted(sink, id, Refutation::Propagation),
                Some(progress) => slow |= progress == super::region::Progress::Slow,
            }
            if self.point_by_point(task, region).is_some() {
                return refuted(sink, id, Refutation::Points);
            }
            let status = self.status(compiled, region);
            if let Some(looked) = self.known(compiled, region, &status, n, id, sink) {
                return looked;
            }
            if bounded && !climbed {
                climbed = true;
                let steps = if id == 0 { self.options.root_steps } else { 2 };
                let _ = self.climb_from_anywhere(task, region, steps);
                if let Some(looked) = self.known(compiled, region, &status, n, id, sink) {
                    return looked;
                }
            }
            if compiled.scores.is_empty() || !narrowed {
                break;
            }
            let before = super::look::bits(&region.data, n);
            if let Err(application) = self.bound_scores(compiled, region, id, sink) {
                return refuted(sink, id, Refutation::Neurons { application });
            }
            match self.propagate(compiled, region, id, sink) {
                None => return refuted(sink, id, Refutation::Propagation),
                Some(progress) => slow |= progress == super::region::Progress::Slow,
            }
            bounded = true;
            narrowed = before - super::look::bits(&region.data, n) >= super::look::WORTHWHILE;
            if climbed && !narrowed {
                break;
            }
        }
        if self.point_by_point(task, region).is_some() {
            return refuted(sink, id, Refutation::Points);
        }
        let looked = self.settle(task, region, id, slow, sink);
        if matches!(looked, Looked::Refuted) {
            return looked;
        }
        let status = self.status(compiled, region);
        if let Some(looked) = self.known(compiled, region, &status, n, id, sink) {
            return looked;
        }
        match (looked, self.tracked_split(compiled, region, &status)) {
            (Looked::Open(priority, _), Some(split)) => Looked::Open(priority, split),
            (Looked::Recorded, Some(split)) => Looked::Open(f64::INFINITY, split),
            // With every tracked formula settled a recorded witness makes the assignment known, so this is open.
            (looked, _) => looked,
        }
    }

    /// What needs no bounds: a region whose assignments are all known is dropped, one that holds a witness is split.
    fn known(
        &mut self,
        compiled: &Compiled<'_>,
        region: &Region,
        status: &Status,
        n: usize,
        id: u64,
        sink: &mut Sink<'_, '_>,
    ) -> Option<Looked> {
        let collected = self.collected.as_ref().expect("assignments are being collected");
        if collected.all_known(status) {
            return Some(refuted(sink, id, Refutation::Known));
        }
        if status.open > 0 && collected.holds_witness(region, n, status) {
            let split = self.tracked_split(compiled, region, status).expect("a formula is open");
            return Some(Looked::Open(f64::INFINITY, split));
        }
        None
    }

    /// Splits by the tracked formula that is most evenly undecided.
    fn tracked_split(&self, compiled: &Compiled<'_>, region: &Region, status: &Status) -> Option<Split> {
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
        let open = (0..status.values.len()).filter(|index| status.values[*index] == Truth::Unknown);
        let best = open.fold(None, |best: Option<(f64, usize)>, index| {
            let this = balance(&index);
            if best.is_none_or(|(most, _)| this > most) { Some((this, index)) } else { best }
        });
        best.map(|(_, formula)| Split::Tracked { formula })
    }
}

impl AllAssignments for BranchAndBound {
    fn assignments(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.collected = Some(Collected::excluding(excluded));
        let stopped = self.run(question, tracked, limits, None);
        let collected = self.collected.take().expect("set above");
        Assignments { found: collected.into_found(), stopped: super::engine::stopped_by(&stopped) }
    }

    fn assignments_within(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.collect_within(template, within, excluded, limits)
    }

    fn assignment_at(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        point: &[f64],
    ) -> Option<(Assignment, Vec<Rational>)> {
        let found = self.narrowed(template, within, &Limits::default(), |oracle, task| {
            let Compiled { lower, upper, integral, .. } = task.compiled;
            assert_eq!(point.len(), lower.len(), "one value per variable");
            let fits = |v: usize| lower[v] <= point[v] && point[v] <= upper[v];
            if !(0..point.len()).all(|v| fits(v) && (!integral[v] || point[v].fract() == 0.0)) {
                return None;
            }
            oracle.collected = Some(Collected::default());
            oracle.accept(task, point);
            let collected = oracle.collected.take().expect("set above");
            collected.into_found().pop_first()
        });
        found.flatten()
    }
}
