//! All states one by one, for those who want to look at them: where there are not too many.
//!
//! It decides nothing. Whether there is anything to look at depends on the number of states alone, so pictures are the same on every machine; a limit of time or memory that
//! is met on the way is the only exception.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::start::for_each_start;
use surefoot_explicit::{Resolution, Task};
use surefoot_limits::{Cancel, Stop};
use surefoot_mdp::{Bounds, Predecessors, Scheduler, Solution, StateSet, Until, distances, solve};
use surefoot_model::{State, TermId};
use surefoot_verdict::{Amount, Event, Reporter};

use crate::bounds::{self, BoundsOptions};
use crate::engine::{Budget, task};
use crate::problem::Problem;

/// All reachable states, and what is known of them.
#[derive(Debug)]
pub struct Looked<'p> {
    /// The states and what leads to what.
    pub graph: Graph<'p>,
    /// Those that the property looks for.
    pub target: Option<StateSet>,
    /// Per state, after how many steps such a state can come; none where it cannot. Nothing where the property asks about start states only.
    pub distance: Option<Vec<Option<u32>>>,
    /// Those of the goal.
    pub goal: Option<StateSet>,
    /// The probability that is asked for.
    pub values: Option<Values>,
}

/// Bounds on the probability that is asked for, state by state.
#[derive(Debug)]
pub struct Values {
    /// From below.
    pub lower: Vec<f64>,
    /// From above.
    pub upper: Vec<f64>,
    /// What attains it.
    scheduler: Scheduler,
    /// States that are left: where what is to be reached can be, and is not yet.
    left: StateSet,
}

/// Stops an exploration that becomes too large.
struct Enough {
    most: u64,
    cancel: Cancel,
    seen: AtomicU64,
}

impl Reporter for Enough {
    fn tell(&self, event: &dyn Event) {
        let states = event.figures().into_iter().find(|figure| figure.name == "states");
        if let Some(Amount::Count(states)) = states.map(|figure| figure.amount) {
            self.seen.store(states, Ordering::Relaxed);
            if states > self.most {
                self.cancel.stop(Stop::Interrupted);
            }
        }
    }
}

/// Visits all states; nothing where there are more than `most`, where they cannot be visited, or where a limit is met. `probable`: with bounds on the probability.
#[must_use]
pub fn look<'p>(problem: &'p Problem, budget: &Budget, most: usize, probable: bool) -> Option<Looked<'p>> {
    let quantity = if probable { bounds::asked(problem, &BoundsOptions::default()).ok() } else { None };
    let mut task: Task<'p> = task(problem, budget);
    let limits = task.limits.clone();
    let (cancel, most_states) = (limits.cancel.child(), most as u64);
    task.limits.cancel = cancel.clone();
    let enough = Enough { most: most_states, cancel, seen: AtomicU64::new(0) };
    let mut graph = graph::build(&task, Resolution::Vanishing, &enough).ok()?;
    if graph.limit.is_some() || limits.stop().is_some() || graph.statistics.states > most_states {
        return None;
    }
    let starts = graph.starts;
    let mut satisfying = |term: TermId| graph.satisfying(term).ok();
    let target = match &quantity {
        Some(quantity) => satisfying(quantity.right),
        None => problem.query.target.and_then(&mut satisfying),
    };
    let about_starts = problem.query.initial_only;
    // What is only asked about start states says nothing of others.
    let target = target.map(|target| match about_starts {
        true => StateSet::from_fn(target.universe(), |state| state < starts && target.contains(state)),
        false => target,
    });
    let goal = problem.query.goal.and_then(&mut satisfying);
    let left = quantity.as_ref().and_then(|quantity| quantity.left).map(&mut satisfying);
    let whole = |set: &StateSet| set.extended(graph.mdp.num_states());
    let distance = (!about_starts).then(|| match &target {
        Some(target) => distances(&graph.mdp, &Predecessors::new(&graph.mdp), &whole(target)),
        None => vec![None; graph.mdp.num_states()],
    });
    let unbounded = quantity.filter(|quantity| quantity.steps.is_none());
    let values = unbounded.zip(target.as_ref()).and_then(|(quantity, target)| {
        let until = match &left {
            Some(left) => Until::constrained(left.clone()?, target.clone()),
            None => Until::eventually(target.clone()),
        };
        let until = until.through_vanishing(&graph.mdp);
        let options = surefoot_mdp::Options::default();
        let Solution { bounds, scheduler, .. } = solve(&graph.mdp, quantity.direction, &until, &options).ok()?;
        let possible = |state: u32| bounds.upper[state as usize] > 0.0;
        let left = StateSet::from_fn(graph.mdp.num_states(), |state| until.is_open(state) && possible(state));
        let Bounds { lower, upper } = if quantity.complement { bounds.complement() } else { bounds };
        Some(Values { lower, upper, scheduler, left })
    });
    Some(Looked { graph, target, distance, goal, values })
}

/// Branches of processes that are walked through to find out how often states are visited.
const MOST_WALKED: usize = 50_000_000;
/// How much of a run may still be on its way in the end.
const LEFT_OVER: f64 = 1e-9;

impl Looked<'_> {
    /// Per state, how often it is visited from a start state, as floats have it, under a scheduler that attains the value; what is decided is not left. Nothing where runs take too
    /// long to be followed to their ends.
    #[must_use]
    pub fn visits(&self, start: u32) -> Option<Vec<f64>> {
        let (mdp, values) = (&self.graph.mdp, self.values.as_ref()?);
        let mut visits = vec![0.0; mdp.num_states()];
        let mut mass = vec![0.0; mdp.num_states()];
        mass[start as usize] = 1.0;
        let sweeps = (MOST_WALKED / mdp.num_branches().max(mdp.num_states()).max(1)).min(10_000);
        for _ in 0..sweeps {
            let mut next = vec![0.0; mdp.num_states()];
            let mut moved = 0.0;
            for state in mdp.states() {
                let here: f64 = mass[state as usize];
                visits[state as usize] += here;
                let choice = values.scheduler.choice(state).filter(|_| here > 0.0 && values.left.contains(state));
                for branch in choice.into_iter().flat_map(|choice| mdp.branches(choice)) {
                    let share = here * mdp.exact(*branch).to_f64();
                    next[branch.target as usize] += share;
                    moved += share;
                }
            }
            mass = next;
            if moved < LEFT_OVER {
                return Some(visits);
            }
        }
        None
    }
}

/// A start state, where there is one.
#[must_use]
pub fn first_start(problem: &Problem) -> Option<State> {
    let mut found = None;
    // Whether it is an error that there is none is for those to say who need one.
    let _ = for_each_start(problem.model(), &problem.query.start, |state| {
        found = Some(state.clone());
        ControlFlow::Break(())
    });
    found
}
