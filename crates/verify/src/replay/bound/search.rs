//! The likely part of what is reachable, growing until it shows a bound or refutes it.

use surefoot_explicit::Task;
use surefoot_explicit::partial::Partial;
use surefoot_mdp::{
    Direction, Limits, Mdp, Options, Scheduler, StateSet, Until, solve, solve_bounded, solve_bounded_exact, solve_exact,
};
use surefoot_model::TermId;
use surefoot_num::Rational;
use surefoot_verdict::Reason;

use super::listed::Listed;
use crate::bounds::partial_failure;
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;

/// States expanded before the first attempt.
const FIRST: usize = 1024;
/// How closely the part is solved: floats give little more.
const PRECISION: f64 = 1e-12;
/// Work allowed for fractions where floats leave it open, in small rational operations.
const EXACT_WORK: u64 = 4_000_000;

/// What a search says.
pub(super) enum Found {
    /// The bound is one.
    Shown,
    /// It is none.
    Refuted,
    /// An entry of the scheduler is none of its state's choices.
    NoChoice(usize),
    /// It is not known.
    Open(Reason),
}

/// The part that was explored from a start state, and what it says of the until there.
pub(super) struct Search<'p> {
    problem: &'p Problem,
    quantity: &'p Quantity,
    budget: &'p Budget,
    listed: Option<Listed>,
    part: Partial<'p>,
    /// The best enclosure so far.
    pub(super) value: (Rational, Rational),
    /// Whether it is what the listed scheduler attains.
    pub(super) scheduled: bool,
}

impl<'p> Search<'p> {
    pub(super) fn new(
        problem: &'p Problem,
        quantity: &'p Quantity,
        task: &Task<'p>,
        listed: Option<Listed>,
        budget: &'p Budget,
    ) -> Result<Self, Failure> {
        let part = Partial::new(task, Some(quantity.decided)).map_err(|error| partial_failure(problem, error))?;
        let value = (Rational::ZERO, Rational::ONE);
        Ok(Self { problem, quantity, budget, listed, part, value, scheduled: false })
    }

    /// States that were expanded.
    pub(super) fn expanded(&self) -> u64 {
        self.part.counts().1 as u64
    }

    /// Grows the part until the until is known to be at least (at most) the target, or not to be.
    pub(super) fn run(&mut self, from_below: bool, target: &Rational) -> Result<Found, Failure> {
        let limits = self.budget.limits();
        let mut size = FIRST;
        loop {
            self.part.grow(size, &limits).map_err(|error| partial_failure(self.problem, error))?;
            if let Err(entry) = self.enclose(from_below, target)? {
                return Ok(Found::NoChoice(entry));
            }
            let (low, high) = &self.value;
            if !undecided(from_below, low, high, target) {
                let shown = if from_below { low >= target } else { high <= target };
                return Ok(if shown { Found::Shown } else { Found::Refuted });
            }
            if let Some(stop) = limits.exceeded(self.part.bytes()) {
                return Ok(Found::Open(self.budget.limit(stop).into()));
            }
            if self.part.is_complete() {
                return Ok(Found::Open(Reason::Fractions));
            }
            size = self.part.counts().1;
        }
    }

    fn states(&mut self, term: TermId) -> Result<StateSet, Failure> {
        self.part.satisfying(term).map_err(|error| self.problem.model_error(&error).into())
    }

    /// Encloses the until on the part; the error is an entry of the scheduler that is none of its state's choices.
    fn enclose(&mut self, from_below: bool, target: &Rational) -> Result<Result<(), usize>, Failure> {
        let right = self.states(self.quantity.right)?;
        let left = self.quantity.left.map(|left| self.states(left)).transpose()?;
        let (mdp, frontier) = self.part.process().map_err(|error| partial_failure(self.problem, error))?;
        let mut won = right.clone();
        for state in frontier.iter() {
            won.insert(state);
        }
        let until = |right: &StateSet| {
            let until = match &left {
                Some(left) => Until::constrained(left.clone(), right.clone()),
                None => Until::eventually(right.clone()),
            };
            until.through_vanishing(&mdp)
        };
        let (lost, won) = (until(&right), until(&won));
        // The end comes from the best scheduler: what the listed one attains shows it too. Non-deterministic assignments are not listed.
        let best = (self.quantity.direction == Direction::Max) == from_below;
        let (mut low, _, scheduler) = self.floats(&mdp, &lost)?;
        let mut process = mdp;
        if self.scheduled && !process.vanishing().is_empty() {
            // From now on any scheduler will do, and what one of them attains is no longer the value.
            (self.listed, self.scheduled, self.value) = (None, false, (Rational::ZERO, Rational::ONE));
        }
        let listed = self.listed.as_ref().filter(|_| best && process.vanishing().is_empty());
        if let (Some(listed), Some(scheduler)) = (listed, scheduler) {
            match listed.chain(&self.part, &process, scheduler) {
                Ok(chain) => process = chain,
                Err(entry) => return Ok(Err(entry)),
            }
            low = self.floats(&process, &lost)?.0;
            self.scheduled = true;
        }
        let (_, mut high, _) = self.floats(&process, &won)?;
        if self.part.is_complete()
            && undecided(from_below, &low, &high, target)
            && let Some(value) = self.fraction(&process, &lost)
        {
            (low, high) = (value.clone(), value);
        }
        // Soundness: every round's bounds are, so the best of them are.
        let (known_low, known_high) = std::mem::take(&mut self.value);
        self.value = (known_low.max(low), known_high.min(high));
        Ok(Ok(()))
    }

    fn limits(&self) -> Limits {
        Limits { run: self.budget.solving_limits(self.part.bytes()), exact_work: Some(EXACT_WORK), ..Limits::default() }
    }

    /// The until from the start state, rounded outward, and who attains it.
    fn floats(&self, mdp: &Mdp, until: &Until) -> Result<(Rational, Rational, Option<Scheduler>), Failure> {
        let internal = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
        let (direction, limits) = (self.quantity.direction, self.limits());
        let (bounds, scheduler) = match self.quantity.steps {
            Some(steps) => (solve_bounded(mdp, direction, until, steps, &limits).map_err(internal)?.bounds, None),
            None => {
                let options = Options { precision: PRECISION, initial: Some(vec![0]), limits, ..Options::default() };
                let solution = solve(mdp, direction, until, &options).map_err(internal)?;
                (solution.bounds, Some(solution.scheduler))
            }
        };
        let exact = |float: f64| Rational::from_f64(float).ok_or_else(|| Failure::Internal("no number".to_owned()));
        Ok((exact(bounds.lower[0])?, exact(bounds.upper[0])?, scheduler))
    }

    /// The same as a fraction, unless that takes too long.
    fn fraction(&self, mdp: &Mdp, until: &Until) -> Option<Rational> {
        let (direction, limits) = (self.quantity.direction, self.limits());
        let values = match self.quantity.steps {
            Some(steps) => solve_bounded_exact(mdp, direction, until, steps, &limits).ok()??,
            None => solve_exact(mdp, direction, until, &limits).ok()?.values,
        };
        values.into_iter().next()
    }
}

/// Whether an enclosure leaves open that the value is at least (at most) a target.
fn undecided(from_below: bool, low: &Rational, high: &Rational, target: &Rational) -> bool {
    if from_below { low < target && target <= high } else { low <= target && target < high }
}
