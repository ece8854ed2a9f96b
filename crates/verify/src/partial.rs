//! Bounds from the likely part of a model.
//!
//! The part grows by doubling; after each growth the probability is bounded from below with the frontier lost and from above with it
//! won, until the interval is narrow enough, the comparison is decided, everything was explored, or a limit is
//! reached. Start states share one exploration: the most probable paths from any of them come first. Where the largest value is asked for, a
//! start state whose upper bound is below another one's lower bound is given up; dually for the smallest.

use surefoot_explicit::partial;
use surefoot_explicit::{Explored, Statistics};
use surefoot_mdp::{Limits, Mdp, Options, StateSet, Until, solve, solve_bounded, solving_bytes};
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;
use surefoot_verdict::{Reporter, Unsupported};

use crate::answer::{Number, Values};
use crate::bounds::{self, BoundsOptions, BoundsOutcome, asked, check_starts, is_open, partial_failure, task};
use crate::engine::{Asked, Budget, Engine, Purpose, Role, no_claims};
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use crate::slice::lift_start;

/// States expanded before the first attempt.
const FIRST: usize = 256;

/// The likely part of the reachable states first; all of them where that does not do.
#[derive(Debug)]
pub(crate) struct Partial;

impl Engine for Partial {
    fn name(&self) -> &'static str {
        "partial"
    }

    fn role(&self) -> Role {
        Role::Composed
    }

    fn decides(&self) -> bool {
        false
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        match purpose {
            Purpose::Decide => Err(no_claims(self.name())),
            Purpose::Bound { exact } => {
                bounds::supports(asked)?;
                if exact {
                    let (exact, engine) = (option("exact"), option("engine"));
                    let error = format!("{exact} needs all states: the engine 'partial' does not visit them");
                    let error = Diagnostic::error_anywhere(error).with_help(format!("use {engine} explicit"));
                    return Err(Unsupported::new(Refusal::Fractions, error));
                }
                Ok(())
            }
        }
    }

    fn bound(
        &self,
        problem: &Problem,
        options: &BoundsOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<BoundsOutcome, Failure> {
        self.supports(&Asked::of(problem), Purpose::Bound { exact: options.exact })?;
        Ok(BoundsOutcome { engine: self.name(), ..bound(problem, options, budget, reporter)? })
    }
}

/// Bounds the probability that a problem asks for, best states first.
fn bound(
    problem: &Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    let quantity = asked(problem, options)?;
    let task = task(problem, &quantity, budget);
    let fail = |error| partial_failure(problem, error);
    let mut part = partial::Partial::new(&task, Some(quantity.decided)).map_err(fail)?;
    check_starts(problem, &quantity, part.starts)?;
    let mut size = FIRST.max(part.starts as usize);
    let mut best: Option<Values> = None;
    let mut focus = part.starts as usize;
    loop {
        part.grow(size, &task.limits).map_err(fail)?;
        let (found, expanded) = part.counts();
        reporter.tell(&Explored { states: found as u64, expanded: expanded as u64, depth: 0 });
        let reached = |part: &mut partial::Partial<'_>, term| {
            part.satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)))
        };
        let right = reached(&mut part, quantity.right)?;
        let left = quantity.left.map(|left| reached(&mut part, left)).transpose()?;
        let (mdp, frontier) = part.process().map_err(fail)?;
        let limit = task.limits.exceeded(part.bytes());
        // What the part counts includes solving it.
        let solving = solving_bytes(mdp.num_states(), mdp.num_choices(), mdp.num_branches());
        let run = budget.solving_limits(part.bytes().saturating_sub(solving));
        let limits = Limits { run, ..Limits::default() };
        let values = enclose(&quantity, &mdp, &frontier, left.as_ref(), &right, part.starts, options, budget, &limits);
        let mut values = values?;
        // Soundness: every round's bounds are, so the best of them are.
        values.improve(best.take());
        values.starts_missing = part.starts_missing;
        values.shortfall = limit.map(|stop| budget.limit(stop).into());
        let decision = values.decide(&quantity, options.precision);
        let open = is_open(&decision);
        let contenders = values.contenders(&quantity);
        if contenders.len() < focus {
            focus = contenders.len();
            part.focus(contenders.into_iter().map(|start| (start, 1.0)));
        }
        if open && limit.is_none() && part.is_exhausted() {
            // Nothing is left to explore: closer bounds and fractions are the explicit engine's business.
            return bounds::bounds(problem, options, budget, reporter);
        }
        if !open || limit.is_some() {
            let (start, lower, upper) = values.answer(&quantity);
            let (choices, transitions) = part.transitions();
            let statistics = Statistics {
                start_states: u64::from(part.starts),
                states: found as u64,
                expanded: expanded as u64,
                choices: choices as u64,
                transitions: transitions as u64,
                bytes: part.bytes() as u64,
                ..Statistics::default()
            };
            return Ok(BoundsOutcome {
                engine: Partial.name(),
                lower,
                upper,
                decision,
                start: Some(lift_start(problem, part.state(start))?),
                starts: part.starts,
                scheduler: Vec::new(),
                choice_states: 0,
                statistics,
                sweeps: 0,
                abstracted: None,
                open: None,
                assumptions: Vec::new(),
                over_starts: None,
            });
        }
        best = Some(values);
        size = expanded;
    }
}

/// Bounds of the start states: the frontier lost, then won.
#[expect(clippy::too_many_arguments, reason = "all of it describes one question")]
fn enclose(
    quantity: &Quantity,
    mdp: &Mdp,
    frontier: &StateSet,
    left: Option<&StateSet>,
    right: &StateSet,
    starts: u32,
    options: &BoundsOptions,
    budget: &Budget,
    limits: &Limits,
) -> Result<Values, Failure> {
    let until = match left {
        Some(left) => Until::constrained(left.clone(), right.clone()),
        None => Until::eventually(right.clone()),
    };
    let until = until.through_vanishing(mdp);
    let unknown = frontier.extended(mdp.num_states());
    let refused = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
    let both = match quantity.steps {
        Some(steps) => {
            let within = |until: &Until| solve_bounded(mdp, quantity.direction, until, steps, limits).map_err(refused);
            let mut both = within(&until)?.bounds;
            if frontier.count() > 0 {
                both.upper = within(&until.or_reaching(&unknown))?.bounds.upper;
            }
            both
        }
        None => {
            // Half of the width for each side leaves the other half to the frontier.
            let options = Options {
                precision: options.precision / 2.0,
                initial: Some((0..starts).collect()),
                unknown: Some(unknown),
                limits: limits.clone(),
                threads: budget.threads,
                ..Options::default()
            };
            solve(mdp, quantity.direction, &until, &options).map_err(refused)?.bounds
        }
    };
    let both = if quantity.complement { both.complement() } else { both };
    let starts = 0..starts as usize;
    Ok(Values {
        lower: starts.clone().map(|s| Number::Float(both.lower[s])).collect(),
        upper: starts.map(|s| Number::Float(both.upper[s])).collect(),
        scheduler: None,
        starts_missing: false,
        shortfall: None,
    })
}
