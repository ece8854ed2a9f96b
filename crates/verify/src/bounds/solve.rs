//! Bounds of an explored process: floats first, closer where a comparison needs it, and fractions in the end.

use surefoot_explicit::graph::Graph;
use surefoot_limits::Stop;
use surefoot_mdp::{
    Bounds, Ending, ExactError, Limits, Options, Scheduler, StateSet, Until, solve, solve_bounded, solve_bounded_exact,
    solve_exact,
};
use surefoot_num::Rational;
use surefoot_verdict::Reason;

use super::weights::start_weights;
use super::{BoundsOptions, BoundsOutcome, Chosen};
use crate::answer::{Decision, Number, Values};
use crate::engine::{Budget, Engine};
use crate::explicit::Explicit;
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use crate::slice::lift_start;

/// Work allowed for fractions when the bounds leave a question open, in small rational operations.
pub(super) const EXACT_WORK: u64 = 4_000_000;
/// Below this, outward rounding alone is of the size of the precision.
const FINEST: f64 = 1e-13;

/// The most entries of a scheduler that are reported.
const MAX_SCHEDULER: usize = 1_000;

/// A question about an explored process.
pub(super) struct Solver<'p> {
    pub(super) problem: &'p Problem,
    pub(super) quantity: Quantity,
    pub(super) options: &'p BoundsOptions,
    pub(super) budget: &'p Budget,
    pub(super) graph: Graph<'p>,
    pub(super) left: Option<StateSet>,
    pub(super) right: StateSet,
    pub(super) sweeps: u64,
    pub(super) limits: surefoot_limits::Limits,
}

impl Solver<'_> {
    /// Answers it.
    pub(super) fn run(mut self) -> Result<BoundsOutcome, Failure> {
        let mut precision = self.options.precision;
        let mut values = self.floats(precision)?;
        if self.options.exact && self.graph.limit.is_none() {
            values = self.exact(values, None)?;
        }
        let mut decision = values.decide(&self.quantity, self.options.precision);
        // The bounds leave the comparison open: closer ones, then fractions.
        while is_open(&decision)
            && self.quantity.threshold.is_some()
            && self.graph.limit.is_none()
            && values.shortfall.is_none()
            && precision > FINEST
            && !self.options.exact
        {
            precision = (precision * 1e-3).max(FINEST);
            values = self.floats(precision)?;
            decision = values.decide(&self.quantity, self.options.precision);
        }
        // Fractions, too, where floats cannot get any closer.
        let late = self.limits().expired();
        if is_open(&decision) && self.graph.limit.is_none() && !self.options.exact && !late {
            values = self.exact(values, Some(EXACT_WORK))?;
            decision = values.decide(&self.quantity, self.options.precision);
        }
        self.outcome(&values, decision)
    }

    fn limits(&self) -> Limits {
        Limits { run: self.limits.clone(), ..Limits::default() }
    }

    fn until(&self, right: &StateSet) -> Until {
        let until = match &self.left {
            Some(left) => Until::constrained(left.clone(), right.clone()),
            None => Until::eventually(right.clone()),
        };
        until.through_vanishing(&self.graph.mdp)
    }

    /// Bounds in floats; from below with the frontier as lost, from above with it as won.
    fn floats(&mut self, precision: f64) -> Result<Values, Failure> {
        let until = self.until(&self.right);
        let unknown = self.graph.limit.map(|_| self.graph.frontier().extended(self.graph.mdp.num_states()));
        let (bounds, scheduler, mut shortfall) = self.solve(&until, unknown, precision)?;
        if let Some(reason) = self.graph.limit {
            shortfall = Some(self.budget.limit(reason).into());
        }
        let bounds = if self.quantity.complement { bounds.complement() } else { bounds };
        let starts = 0..self.graph.starts as usize;
        Ok(Values {
            lower: starts.clone().map(|s| Number::Float(bounds.lower[s])).collect(),
            upper: starts.map(|s| Number::Float(bounds.upper[s])).collect(),
            scheduler,
            starts_missing: self.graph.starts_missing,
            shortfall,
        })
    }

    fn solve(
        &mut self,
        until: &Until,
        unknown: Option<StateSet>,
        precision: f64,
    ) -> Result<(Bounds, Option<Scheduler>, Option<Reason>), Failure> {
        let refused = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
        let budget = self.budget;
        let late = || Reason::from(budget.limit(budget.limits().stop().unwrap_or(Stop::Time)));
        if let Some(steps) = self.quantity.steps {
            let (mdp, direction) = (&self.graph.mdp, self.quantity.direction);
            let mut solution = solve_bounded(mdp, direction, until, steps, &self.limits()).map_err(refused)?;
            if let Some(unknown) = unknown {
                let won = until.or_reaching(&unknown);
                let above = solve_bounded(mdp, direction, &won, steps, &self.limits()).map_err(refused)?;
                solution.bounds.upper = above.bounds.upper;
            }
            return Ok((solution.bounds, None, (!solution.complete).then(late)));
        }
        let options = Options {
            precision,
            initial: Some((0..self.graph.starts).collect()),
            unknown,
            limits: self.limits(),
            threads: self.budget.threads,
            ..Options::default()
        };
        let solution = solve(&self.graph.mdp, self.quantity.direction, until, &options).map_err(refused)?;
        let shortfall = match solution.ending {
            Ending::Precise | Ending::Unknown => None,
            Ending::Stopped(stop @ Stop::Most(..)) => Some(Reason::Solver { precision, limit: Some(stop) }),
            // The switch may have been set before, and told: then the limits of solving are others.
            Ending::Stopped(stop) => Some(self.budget.limit(self.budget.limits().stop().unwrap_or(stop)).into()),
            Ending::Rounding => Some(Reason::Solver { precision, limit: None }),
        };
        self.sweeps += solution.statistics.sweeps;
        Ok((solution.bounds, Some(solution.scheduler), shortfall))
    }

    /// The values as fractions, or the bounds there are, with the reason, when that takes too long.
    fn exact(&mut self, mut bounds: Values, work: Option<u64>) -> Result<Values, Failure> {
        let limits = Limits { exact_work: work, ..self.limits() };
        let until = self.until(&self.right);
        let direction = self.quantity.direction;
        let late = ExactError::Stopped { stop: Stop::Time, solved: 0, components: 0 };
        let solved = match self.quantity.steps {
            Some(steps) => solve_bounded_exact(&self.graph.mdp, direction, &until, steps, &limits)
                .map_err(ExactError::Refused)
                .and_then(|values| Ok((values.ok_or(late)?, None))),
            None => solve_exact(&self.graph.mdp, direction, &until, &limits)
                .map(|solution| (solution.values, Some(solution.scheduler))),
        };
        match solved {
            Ok((values, scheduler)) => {
                let value = |s: usize| {
                    let value = &values[s];
                    Number::Exact(if self.quantity.complement { &Rational::ONE - value } else { value.clone() })
                };
                let all: Vec<Number> = (0..self.graph.starts as usize).map(value).collect();
                Ok(Values { lower: all.clone(), upper: all, scheduler, starts_missing: false, shortfall: None })
            }
            Err(ExactError::Stopped { stop, .. }) if stop.is_final() => {
                let stop = self.budget.limits().stop().unwrap_or(stop);
                bounds.shortfall = Some(self.budget.limit(stop).into());
                Ok(bounds)
            }
            Err(ExactError::Stopped { .. }) => {
                bounds.shortfall = Some(Reason::Fractions);
                Ok(bounds)
            }
            Err(ExactError::Refused(error)) => Err(Failure::Internal(error.to_string())),
        }
    }

    fn outcome(self, values: &Values, decision: Decision) -> Result<BoundsOutcome, Failure> {
        let (start, lower, upper) = values.answer(&self.quantity);
        let weights = self.options.weights;
        let weights = weights.map(|weights| start_weights(self.problem, &self.graph, weights)).transpose()?;
        let (mut scheduler, mut choice_states) = (Vec::new(), 0);
        if let Some(chosen) = values.scheduler.as_ref().filter(|_| !self.graph.mdp.is_chain()) {
            let reachable = reachable_under(&self.graph, chosen, start);
            let lasting = self.graph.mdp.vanishing().start;
            for state in reachable.iter().filter(|s| *s < lasting && self.graph.mdp.choices(*s).len() > 1) {
                choice_states += 1;
                if scheduler.len() < MAX_SCHEDULER
                    && let Some(choice) = chosen.choice(state)
                {
                    let label = self.graph.label(choice);
                    let action = label.map_or("(silent)", |l| &*self.problem.model().labels[l.0 as usize]).to_owned();
                    let choice = choice - self.graph.mdp.choices(state).start;
                    scheduler.push(Chosen { state: self.graph.state(state), action, choice });
                }
            }
        }
        Ok(BoundsOutcome {
            engine: Explicit.name(),
            lower,
            upper,
            decision,
            start: Some(lift_start(self.problem, self.graph.state(start))?),
            starts: self.graph.starts,
            scheduler,
            choice_states,
            statistics: self.graph.statistics,
            sweeps: self.sweeps,
            abstracted: None,
            open: None,
            assumptions: Vec::new(),
            // What was left out makes several start states one.
            over_starts: if self.problem.slice.is_none() { values.over_starts(weights.as_deref()) } else { None },
        })
    }
}

/// Whether a comparison, or the precision, is open.
pub(crate) fn is_open(decision: &Decision) -> bool {
    decision.as_ref().is_some_and(|verdict| !verdict.is_decided())
}

/// The states reached from one under a scheduler.
fn reachable_under(graph: &Graph<'_>, scheduler: &Scheduler, start: u32) -> StateSet {
    let mut seen = StateSet::empty(graph.mdp.num_states());
    let mut work = vec![start];
    seen.insert(start);
    while let Some(state) = work.pop() {
        let Some(choice) = scheduler.choice(state) else { continue };
        for branch in graph.mdp.branches(choice) {
            if seen.insert(branch.target) {
                work.push(branch.target);
            }
        }
    }
    seen
}
