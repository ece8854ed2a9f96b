//! Solving a process in topological order, with graph analysis only where there are cycles.
//!
//! Components are solved successors first. A component of one state is one [step](crate::step), which tells values zero and one by itself; a larger one is
//! analysed and solved as a [part](crate::part) of its own. So acyclic processes, however large, are looked at twice: once for the order, once for the
//! values; and nothing is copied but the components with cycles.
//!
//! Exploration often numbers states so that every branch leads to a later state or back to its own. Then the numbers backwards are the order, and there is
//! no search for it. States next to each other that lead beyond all of them are then independent, and are solved by several threads: a value
//! depends on nothing but those it leads to, so the number of threads changes no bit of it.
//!
//! Memory is compared with the limit before it is taken. What does not fit is left as it is, and so is all that comes after it.
//!
//! Soundness: by induction along the order, every state that was looked at has the bounds that [`step`](crate::step) asks for, exact where
//! its value is zero or one. States that a limit kept us from have the bounds given, or `[0, 1]`; nothing is concluded from those.
//!
//! Unknown states are borders from the start, with bounds `[0, 1]`. What leads to them is never taken for zero or one, so it has two values: with
//! them lost and with them won. Steps bound the one from below and the other from above at once; a larger component is solved twice.

use std::time::Instant;

use rayon::prelude::*;

use crate::bounds::Bounds;
use crate::limits::{Ending, Statistics, component_bytes, forward_bytes, ordering_bytes};
use crate::mdp::Mdp;
use crate::part::{ELSEWHERE, Known, Part};
use crate::prepare::reachable;
use crate::query::{Direction, Until};
use crate::quotient::{Arithmetic, Quotient};
use crate::run::{Plan, Run};
use crate::scheduler::Scheduler;
use crate::set::StateSet;
use crate::solve::{Options, Solution, SolveError, ending};
use crate::step::{Stepped, Steps};
use crate::strong::Tarjan;

/// States between two looks at the limits.
const LOOK: u32 = 1 << 14;
/// States that one thread takes at a time, and the fewest that are worth waking another one.
const GRAIN: usize = 1 << 10;
const PARALLEL: u32 = 1 << 12;

/// A computation in topological order.
#[derive(Debug)]
pub(crate) struct Topological<'a> {
    mdp: &'a Mdp,
    direction: Direction,
    options: &'a Options,
    /// The states to solve.
    open: Open<'a>,
    /// Bounds per state.
    bounds: Vec<[f64; 2]>,
    scheduler: Scheduler,
    statistics: Statistics,
    /// Why it is not precise, if it is not.
    ending: Ending,
}

/// The states in which a run is undecided, and whose moves are known.
#[derive(Debug, Clone, Copy)]
struct Open<'a> {
    until: &'a Until,
    unknown: Option<&'a StateSet>,
}

impl Open<'_> {
    #[inline]
    fn contains(self, state: u32) -> bool {
        self.until.is_open(state) && self.unknown.is_none_or(|unknown| !unknown.contains(state))
    }
}

/// What larger components share.
struct Workshop {
    /// One entry per state, for [`Part::new`].
    place: Vec<u32>,
    arithmetic: Arithmetic,
}

impl<'a> Topological<'a> {
    pub(crate) fn new(mdp: &'a Mdp, direction: Direction, until: &'a Until, options: &'a Options) -> Self {
        let known = |state: u32| {
            let value: [f64; 2] = if until.is_right(state) {
                [1.0, 1.0]
            } else if until.is_open(state) {
                [0.0, 1.0]
            } else {
                [0.0, 0.0]
            };
            options.warm_start.as_ref().map_or(value, |warm| {
                let (lower, upper) = (warm.lower[state as usize], warm.upper[state as usize]);
                [value[0].max(lower), value[1].min(upper)]
            })
        };
        Self {
            mdp,
            direction,
            options,
            open: Open { until, unknown: options.unknown.as_ref() },
            bounds: mdp.states().map(known).collect(),
            scheduler: Scheduler::first(mdp),
            statistics: Statistics::default(),
            ending: if options.unknown.is_some() { Ending::Unknown } else { Ending::Rounding },
        }
    }

    /// Solves as much as the limits allow.
    pub(crate) fn solve(&mut self) {
        let begin = Instant::now();
        let states = self.mdp.num_states();
        if is_forward(self.mdp, self.open) {
            self.statistics.preparation = begin.elapsed();
            if !self.exceeded(forward_bytes(states)) {
                self.forward();
            }
        } else if !self.exceeded(ordering_bytes(states)) {
            self.components();
        }
        self.statistics.arithmetic = begin.elapsed().saturating_sub(self.statistics.preparation);
    }

    /// Whether to stop now; then that is the ending.
    fn stopped(&mut self) -> bool {
        self.exceeded(0)
    }

    /// Whether to stop instead of taking so many bytes; then that is the ending.
    fn exceeded(&mut self, bytes: usize) -> bool {
        let stop = self.options.limits.run.exceeded(bytes);
        self.ending = stop.map_or(self.ending, Ending::Stopped);
        stop.is_some()
    }

    fn know(&mut self, state: u32, [lower, upper]: [f64; 2]) {
        let known = &mut self.bounds[state as usize];
        *known = [known[0].max(lower), known[1].min(upper)];
    }

    /// Solves all states, the last one first; no branch leads to an earlier one.
    fn forward(&mut self) {
        let steps = Steps::new(self.mdp, self.direction);
        let threads = self.options.threads;
        let pool = (threads > 1 && self.bounds.len() > PARALLEL as usize)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok())
            .flatten();
        let mut end = crate::mdp::number(self.bounds.len());
        let mut looked = end;
        while end > 0 {
            if looked - end >= LOOK || looked == end {
                looked = end;
                if self.stopped() {
                    return;
                }
            }
            let begin = match pool {
                Some(_) => self.independent(end),
                None => end.saturating_sub(LOOK),
            };
            match &pool {
                Some(pool) if end - begin >= PARALLEL => self.together(&steps, pool, begin, end),
                _ => self.one_by_one(&steps, begin, end),
            }
            end = begin;
        }
    }

    fn one_by_one(&mut self, steps: &Steps<'_>, begin: u32, end: u32) {
        for state in (begin..end).rev() {
            if self.open.contains(state) {
                let stepped = steps.step(state, &self.bounds, 0);
                self.take(state, stepped);
            }
        }
    }

    /// The first of the states before `end` that lead nowhere but beyond `end`, or back to themselves; at most [`LOOK`] of them.
    fn independent(&self, end: u32) -> u32 {
        let beyond = |state: u32| {
            let mut targets = self.mdp.choices(state).flat_map(|choice| self.mdp.branches(choice));
            !self.open.contains(state) || targets.all(|branch| branch.target == state || branch.target >= end)
        };
        (end.saturating_sub(LOOK)..end).rev().take_while(|&state| beyond(state)).last().unwrap_or(end - 1)
    }

    /// Solves independent states by several threads.
    fn together(&mut self, steps: &Steps<'_>, pool: &rayon::ThreadPool, begin: u32, end: u32) {
        let (open, values) = (self.open, &self.bounds[end as usize..]);
        let solve = |state: u32| open.contains(state).then(|| steps.step(state, values, end));
        let found: Vec<Option<Stepped>> =
            pool.install(|| (begin..end).into_par_iter().with_min_len(GRAIN).map(solve).collect());
        for (state, stepped) in (begin..end).zip(found) {
            if let Some(stepped) = stepped {
                self.take(state, stepped);
            }
        }
    }

    #[inline]
    fn take(&mut self, state: u32, stepped: Stepped) {
        self.know(state, stepped.bounds);
        if let Some(choice) = stepped.choice {
            self.scheduler.set(state, choice);
        }
        if stepped.bounds[0] < 1.0 && stepped.bounds[1] > 0.0 {
            self.statistics.maybe_states += 1;
            self.statistics.classes += 1;
            self.statistics.components += 1;
            self.statistics.largest_component = self.statistics.largest_component.max(1);
        }
    }

    /// Solves the components that are reachable from the states asked for.
    fn components(&mut self) {
        let begin = Instant::now();
        let limits = &self.options.limits;
        let (include, stop) = (|state| self.open.contains(state), || limits.expired());
        let found = match &self.options.initial {
            None => Tarjan::from_the_end(self.mdp, include, &stop),
            Some(initial) => {
                let reached = reachable(self.mdp, initial, include);
                Tarjan::from_the_end(self.mdp, |state| reached.contains(state), &stop)
            }
        };
        self.statistics.preparation = begin.elapsed();
        let Some(found) = found else {
            self.ending = Ending::Stopped(limits.stopped());
            return;
        };
        let deepest = found.larger.iter().map(|(_, depth)| *depth).max().unwrap_or(1);
        // Some room is left for the rounding in components of one class.
        let share = 0.9 * self.options.precision / f64::from(deepest);
        let mut larger = found.larger.iter();
        let mut workshop = None;
        let steps = Steps::new(self.mdp, self.direction);
        for (index, component) in found.iter().enumerate() {
            if index % LOOK as usize == 0 && self.stopped() {
                return;
            }
            if let [state] = *component {
                let stepped = steps.step(state, &self.bounds, 0);
                self.take(state, stepped);
                continue;
            }
            let (_, depth) = larger.next().expect("every larger component has a depth");
            let plan = Plan { ahead: share * f64::from(depth - 1), share };
            let workshop = workshop.get_or_insert_with(|| Workshop {
                place: vec![ELSEWHERE; self.bounds.len()],
                arithmetic: Arithmetic::new(self.mdp.probabilities()),
            });
            self.component(component, plan, workshop);
            if matches!(self.ending, Ending::Stopped(stop) if stop.is_final()) {
                return;
            }
        }
    }

    /// Solves one component of several states.
    fn component(&mut self, members: &[u32], plan: Plan, workshop: &mut Workshop) {
        if Part::leads_nowhere(self.mdp, members, &self.bounds, &mut workshop.place) {
            members.iter().for_each(|&member| self.know(member, [0.0; 2]));
            return;
        }
        let choices = members.iter().map(|&member| self.mdp.choices(member));
        let (choices, branches) = choices.fold((0, 0), |(choices, branches), of| {
            let offsets = [of.start, of.end].map(|choice| self.mdp.choice_branches[choice as usize]);
            (choices + of.len(), branches + (offsets[1] - offsets[0]) as usize)
        });
        if self.exceeded(component_bytes(self.bounds.len(), members.len(), choices, branches)) {
            return;
        }
        let part = Part::new(self.mdp, members, &self.bounds, &mut workshop.place);
        let stop = || self.options.limits.expired();
        match part.analyse(self.direction, &mut workshop.arithmetic, &stop) {
            None => self.ending = Ending::Stopped(self.options.limits.stopped()),
            Some(Known::One) => members.iter().for_each(|&member| self.know(member, [1.0; 2])),
            Some(Known::Open(quotient)) => {
                self.iterate(&part, &quotient, members, plan);
                workshop.arithmetic.restore(*quotient);
            }
            Some(Known::Mixed(prepared)) => {
                let choices = self.iterate(&part, &prepared.quotient, members, plan);
                let graph = part.graph();
                let scheduler = prepared.scheduler(graph, self.direction, &part.until(), &choices);
                for (&member, local) in members.iter().zip(graph.states()) {
                    let choice = scheduler.choice(local).expect("who is in a cycle has a choice");
                    let nth = choice - graph.choices(local).start;
                    self.scheduler.set(member, self.mdp.choices(member).start + nth);
                }
                workshop.arithmetic.restore(prepared.quotient);
            }
        }
    }

    /// Arithmetic on the quotient of a part; the choices it ends with.
    fn iterate(&mut self, part: &Part, quotient: &Quotient, members: &[u32], plan: Plan) -> Vec<u32> {
        let wide = |border: &[f64; 2]| border[1] - border[0] > plan.ahead + plan.share;
        if self.options.unknown.is_none() || !part.borders.iter().any(wide) {
            let (bounds, choices) = self.run(quotient, &part.borders, members, plan, |known| known);
            self.learn(quotient, members, |class| bounds[class]);
            return choices;
        }
        // Soundness: the values are monotone in those of the borders. Bounds from elsewhere are of values in between, so each run takes one side.
        let side = |side: usize| part.borders.iter().map(|border| [border[side]; 2]).collect::<Vec<_>>();
        let statistics = self.statistics;
        let (below, pessimist) = self.run(quotient, &side(0), members, plan, |known| [0.0, known[1]]);
        self.statistics = Statistics { sweeps: self.statistics.sweeps, ..statistics };
        let (above, optimist) = self.run(quotient, &side(1), members, plan, |known| [known[0], 1.0]);
        self.learn(quotient, members, |class| [below[class][0], above[class][1]]);
        match self.direction {
            Direction::Max => pessimist,
            Direction::Min => optimist,
        }
    }

    fn learn(&mut self, quotient: &Quotient, members: &[u32], bounds: impl Fn(usize) -> [f64; 2]) {
        for (&member, &class) in members.iter().zip(&quotient.class_of) {
            self.know(member, bounds(class as usize));
        }
    }

    /// The bounds of the classes between such borders, and the choices; `take` is what to take of what is known.
    fn run(
        &mut self,
        quotient: &Quotient,
        borders: &[[f64; 2]],
        members: &[u32],
        plan: Plan,
        take: impl Fn([f64; 2]) -> [f64; 2],
    ) -> (Vec<[f64; 2]>, Vec<u32>) {
        let mut run = Run::with_borders(quotient, self.direction, self.options, borders, plan);
        let open = |local: u32| quotient.class_of[local as usize] < quotient.classes();
        let mut maybe_states = 0;
        for (&member, local) in members.iter().zip(0..).filter(|(_, local)| open(*local)) {
            run.know(local, take(self.bounds[member as usize]));
            maybe_states += 1;
        }
        run.components();
        if let Ending::Stopped(_) = run.ending {
            self.ending = run.ending;
        }
        let (all, new) = (&mut self.statistics, &run.statistics);
        all.maybe_states += maybe_states;
        all.classes += new.classes;
        all.components += new.components;
        all.largest_component = all.largest_component.max(new.largest_component);
        all.sweeps += new.sweeps;
        all.accelerated += new.accelerated;
        all.exact_components += new.exact_components;
        (run.values.bounds, run.values.choices)
    }

    /// The bounds found.
    pub(crate) fn finish(self) -> Result<Solution, SolveError> {
        let crossed = |state: &u32| {
            let [lower, upper] = self.bounds[*state as usize];
            lower > upper
        };
        if let Some(state) = self.mdp.states().find(crossed) {
            // Bounds we computed from sound ones enclose the value, so the given ones did not.
            return Err(SolveError::UnsoundWarmStart { state });
        }
        let lower = self.bounds.iter().map(|bounds| bounds[0]).collect();
        let upper = self.bounds.iter().map(|bounds| bounds[1]).collect();
        drop(self.bounds);
        let bounds = Bounds { lower, upper };
        let ending = ending(self.mdp, &bounds, self.options, self.ending);
        Ok(Solution { bounds, scheduler: self.scheduler, ending, statistics: self.statistics })
    }
}

/// Whether every branch of an open state leads to a later state or back to its own.
fn is_forward(mdp: &Mdp, open: Open<'_>) -> bool {
    let later = |state: u32| {
        let mut branches = mdp.choices(state).flat_map(|choice| mdp.branches(choice));
        branches.all(|branch| branch.target >= state)
    };
    mdp.states().all(|state| !open.contains(state) || later(state))
}
