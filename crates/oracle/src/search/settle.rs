//! The last means for a region: linear programs, exact ones where everything is linear, and a split.

use surefoot_lp::Feasibility;
use surefoot_num::Rational;

use super::branch::Stake;
use super::compiled::Part;
use super::engine::Search;
use super::goal::{Examined, Witnesses};
use super::leaf::{exact_program, fractional};
use super::phases::Phased;
use super::points::exactly;
use super::program::Verdict;
use super::region::{MANY, Region, bits};
use crate::proof::{Refutation, Split};

impl<G: Witnesses> Search<'_, G> {
    /// Tells that a region is refuted.
    pub(crate) fn refute(&mut self, id: u64, why: Refutation<'_>) -> Examined {
        self.refuted(id, why);
        Examined::Refuted
    }

    /// Solves the region's linear program, decides it where everything is linear, or says how to split it; left open where that cannot
    /// be done either, which is the caller's to take note of.
    pub(crate) fn settle(&mut self, region: &mut Region, id: u64, slow: bool) -> Examined {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let (mut required, mut open) = (std::mem::take(&mut self.work.required), std::mem::take(&mut self.work.open));
        region.required(compiled, &mut required, &mut open);
        let unstable = self.unstable(region);
        let worst = self.worst(region, &required);
        self.work.stake = None;
        let mut examined = None;
        let steps = node_steps(id);
        let rows = required.len() + region.assumed.len();
        let curved = self.is_curved(region);
        let linear = unstable == 0 && open.is_empty() && !curved;
        let constrained = required.iter().any(|part| matches!(compiled.parts[*part as usize], Part::Row(_)));
        let scores = required.iter().filter(|part| matches!(compiled.parts[**part as usize], Part::Score(_))).count();
        let mut stake = worst.map(|(position, _)| Stake::Score(position));
        // Small questions are over sooner without.
        let several = scores > 1 && !linear && self.work.rounds.joins(id);
        if linear
            || slow
            || (rows >= self.options.program_rows && (constrained || several || !region.assumed.is_empty()))
        {
            self.statistics.programs += 1;
            let start: Vec<f64> = (0..n).map(|v| 0.5 * region.data[v] + 0.5 * region.data[n + v]).collect();
            match self.work.program.solve(compiled, region, &self.work.scores, &required, &start) {
                Verdict::Refuted => {
                    self.announce_combination(region, id, &required);
                    if several {
                        self.work.rounds.joined(true);
                    }
                    examined = Some(Examined::Refuted);
                }
                Verdict::Open => {
                    let max = if several { self.bound_jointly(region, &required) } else { None };
                    if several {
                        self.work.rounds.joined(max.is_some_and(|max| max < 0.0));
                    }
                    if max.is_some_and(|max| max < 0.0) {
                        examined = Some(self.refute_jointly(id));
                    } else if max.is_some() {
                        stake = Some(Stake::Sum);
                    }
                    if examined.is_none() {
                        let point = std::mem::take(&mut self.work.program.point);
                        examined = self.climb(region, id, Some(&point), steps).map(Examined::Witness);
                        self.work.program.point = point;
                    }
                }
            }
        } else if id != 0
            && let Some(worst) = worst
        {
            let corner = self.corner(region, worst.0, n);
            examined = self.climb(region, id, Some(&corner), steps).map(Examined::Witness);
        }
        if examined.is_none() && linear && (bits(&region.data, n) > MANY || !compiled.integral.iter().all(|i| *i)) {
            examined = Some(self.exact_leaf(region, id, &required));
        }
        if examined.is_none() {
            if open.is_empty() && !curved && unstable > 0 {
                examined = self.settled_by_phases(region, id, &required);
            } else if self.work.rounds.budget().is_some() {
                let work = self.bounding_work(region);
                self.work.rounds.passed_over(work);
            }
        }
        let examined = examined.unwrap_or_else(|| {
            // Without scores all regions are equally promising.
            let priority = worst.map_or(0.0, |(_, max)| max);
            self.work.stake = stake;
            match self.choose_split(region, stake, unstable, &open, curved) {
                Some(split) => Examined::Branch(priority, split),
                None => Examined::LeftOpen,
            }
        });
        self.work.required = required;
        self.work.open = open;
        examined
    }

    /// Searches the phases of a region, in a round of such searches.
    fn settled_by_phases(&mut self, region: &Region, id: u64, required: &[u32]) -> Option<Examined> {
        let budget = self.work.rounds.budget()?;
        let (phased, work) = self.by_phases(region, id, required, budget);
        self.work.rounds.searched(work, !matches!(phased, Phased::GaveUp));
        match phased {
            Phased::Refuted => Some(self.refute(id, Refutation::Conflicts)),
            Phased::Witness(point) => Some(Examined::Witness(point)),
            Phased::GaveUp => None,
        }
    }

    /// Tells whoever listens which rows refute a region together.
    fn announce_combination(&mut self, region: &Region, id: u64, required: &[u32]) {
        let Some(sink) = &mut self.sink else { return };
        let (rows, multipliers) = self.work.program.refutation();
        let sources = self.work.program.sources(self.task.compiled, region, &self.work.scores, required);
        let why = Refutation::Combination { rows: &rows, sources: &sources, multipliers };
        sink.step(crate::proof::Step::Refuted { region: id, why });
    }

    /// Decides a region in which everything is linear.
    fn exact_leaf(&mut self, region: &Region, id: u64, required: &[u32]) -> Examined {
        self.statistics.programs += 1;
        let (question, compiled, limits) = (self.task.question, self.task.compiled, self.task.limits);
        let stop = || limits.stop_now().is_some();
        let live = |application: usize| self.is_live(region, application);
        let solve = |every: bool| {
            let (program, sources) = exact_program(question, compiled, region, required, &live, every, &stop)?;
            let feasibility = program.solve_until(&stop)?;
            Some((program, sources, feasibility))
        };
        let mut solved = solve(false);
        // Phases that wanted points have may not be those of all points of the box.
        if region.aim.is_some()
            && let Some((.., Feasibility::Feasible(point))) = &solved
            && exactly(compiled, &question.formula, point) == Some(false)
        {
            solved = solve(true);
        }
        let Some((program, sources, feasibility)) = solved else {
            // The region stays open; the search stops before it is examined again.
            return Examined::Branch(f64::INFINITY, Split::Abandoned);
        };
        if let Some((variable, value)) = fractional(compiled, &feasibility) {
            return Examined::Branch(0.0, Split::Variable { variable, at: value.floor().to_f64() });
        }
        match feasibility {
            Feasibility::Infeasible(multipliers) => {
                self.refute(id, Refutation::Exact { rows: &program.rows, sources: &sources, multipliers: &multipliers })
            }
            Feasibility::Feasible(point) => {
                let holds = exactly(compiled, &question.formula, &point);
                let float: Vec<f64> = point.iter().map(Rational::to_f64).collect();
                if holds.is_none() {
                    // Nothing that is required depends on scores that cannot be told apart; but the formula does.
                    self.leave_point(&float);
                    return Examined::LeftOpen;
                }
                assert!(
                    holds == Some(true),
                    "a point of a region without unstable neurons that satisfies its rows is a witness"
                );
                self.take(id, &float, point, false).map_or(Examined::Recorded, Examined::Witness)
            }
        }
    }
}

/// Steps of local search in a region other than the root. Mostly one look: in small trees more would be wasted. But where
/// the search goes on and on there may be a thin set of witnesses, which steps find sooner than splits.
fn node_steps(id: u64) -> usize {
    match id {
        _ if id.is_multiple_of(64) => 8,
        _ if id.is_multiple_of(4) => 1,
        _ => 0,
    }
}
