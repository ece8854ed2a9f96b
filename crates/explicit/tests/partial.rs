//! Explorations that stop early, by limits or on purpose: whatever was not looked at, the bounds hold.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::collections::HashMap;

use common::{interpreter_of, task};
use surefoot_explicit::graph::{self, Graph, GraphError};
use surefoot_explicit::partial::{Partial, PartialError};
use surefoot_explicit::{Ending, Resolution, Task};
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::{Limits, Stop};
use surefoot_mdp::{Bounds, Direction, Mdp, Options, StateSet, Until, solve, solve_bounded, solve_exact};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::Safety;
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy, safety};
use surefoot_verdict::Silent;

/// A random model with a question: two of its conditions as the operands of an until.
struct Setting {
    lowered: Lowered,
    policy: Option<Policy>,
    property: Safety,
    left: Option<TermId>,
    direction: Direction,
    goal_terminal: bool,
}

impl Setting {
    fn of(case: &Case) -> Self {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let (property, other) = (safety(&mut lowered, 0), safety(&mut lowered, 1));
        let policy = if random.percent(60) { random_policy(&mut random, &lowered.model, &[]) } else { None };
        let left = other.reach.filter(|_| random.percent(50)).map(|reach| lowered.model.terms.not(reach));
        let direction = if random.percent(50) { Direction::Max } else { Direction::Min };
        Self { lowered, policy, property, left, direction, goal_terminal: random.percent(30) }
    }

    fn task(&self) -> Task<'_> {
        Task {
            goal: self.property.goal,
            goal_terminal: self.goal_terminal,
            stop_at_reach: false,
            ..task(&self.lowered.model, self.policy.as_ref(), &self.property.start, self.property.reach)
        }
    }
}

fn until(left: Option<&StateSet>, right: &StateSet) -> Until {
    left.map_or_else(|| Until::eventually(right.clone()), |left| Until::constrained(left.clone(), right.clone()))
}

/// Bounds with the frontier lost from below, and won from above; within some steps, or for ever.
fn enclose(
    mdp: &Mdp,
    frontier: &StateSet,
    (left, right): (Option<&StateSet>, &StateSet),
    direction: Direction,
    steps: Option<u64>,
) -> Bounds {
    let mut won = right.clone();
    frontier.iter().for_each(|state| {
        won.insert(state);
    });
    let bounds = |right: &StateSet| match steps {
        Some(steps) => solve_bounded(
            mdp,
            direction,
            &until(left, right).through_vanishing(mdp),
            steps,
            &surefoot_mdp::Limits::default(),
        )
        .map(|solution| solution.bounds),
        None => solve(mdp, direction, &until(left, right).through_vanishing(mdp), &Options::default())
            .map(|solution| solution.bounds),
    };
    let (lower, upper) = (bounds(right), bounds(&won));
    let fail = |error| panic!("{error}");
    let mut bounds = Bounds { lower: lower.unwrap_or_else(fail).lower, upper: upper.unwrap_or_else(fail).upper };
    bounds.lower.truncate(mdp.vanishing().start as usize);
    bounds.upper.truncate(mdp.vanishing().start as usize);
    bounds
}

/// The exact value of every state of the full graph, and within three steps.
struct Truth {
    states: HashMap<State, usize>,
    values: Vec<Rational>,
    soon: Vec<Rational>,
    statistics: surefoot_explicit::Statistics,
}

impl Truth {
    fn of(setting: &Setting) -> Option<Self> {
        let reach = setting.property.reach?;
        let mut graph = match graph::build(&setting.task(), Resolution::Combined, &Silent) {
            Ok(graph) => graph,
            Err(GraphError::Incomplete(exploration)) => {
                assert!(matches!(exploration.ending, Ending::ModelError(_) | Ending::StartError(_)), "{exploration:?}");
                return None;
            }
            Err(other) => panic!("{other:?}"),
        };
        // The other condition may have no value in some state.
        let right = graph.satisfying(reach).ok()?;
        let left = setting.left.map(|left| graph.satisfying(left)).transpose().ok()?;
        let until = until(left.as_ref(), &right);
        let limits = &surefoot_mdp::Limits::default();
        let values = solve_exact(&graph.mdp, setting.direction, &until, limits).ok()?.values;
        let soon = surefoot_mdp::solve_bounded_exact(&graph.mdp, setting.direction, &until, 3, limits).ok()??;
        let states = (0..graph.mdp.num_states()).map(|s| (graph.state(s as u32), s)).collect();
        Some(Self { states, values, soon, statistics: graph.statistics })
    }

    fn check(&self, bounds: &Bounds, steps: Option<u64>, state: impl Fn(u32) -> State, what: &str) {
        for number in 0..bounds.lower.len() {
            let state = state(number as u32);
            let Some(&known) = self.states.get(&state) else { panic!("{what}: {state:?} is new") };
            let value = if steps.is_some() { &self.soon[known] } else { &self.values[known] };
            let [lower, upper] = [bounds.lower[number], bounds.upper[number]].map(Rational::from_f64);
            let inside = lower.is_some_and(|l| l <= *value) && upper.is_some_and(|u| *value <= u);
            assert!(
                inside,
                "{what}, {steps:?} steps: {value} and {} to {}",
                bounds.lower[number], bounds.upper[number]
            );
        }
    }
}

fn sets(graph: &mut Graph<'_>, setting: &Setting) -> (Option<StateSet>, StateSet) {
    let mut satisfying = |term| graph.satisfying(term).unwrap();
    (setting.left.map(&mut satisfying), setting.property.reach.map(satisfying).unwrap())
}

/// A part that grows by a few states at a time.
fn check_growing(setting: &Setting, truth: &Truth, random: &mut Random) -> bool {
    let task = setting.task();
    let mut part = Partial::new(&task, None).unwrap();
    let mut partly = false;
    loop {
        let (mdp, frontier) = part.process().unwrap();
        assert_eq!(frontier.count() == 0, part.is_complete());
        partly |= frontier.count() > 0 && part.counts().1 > 0;
        let mut satisfying = |term| part.satisfying(term).unwrap();
        let left = setting.left.map(&mut satisfying);
        let right = setting.property.reach.map(satisfying).unwrap_or_else(|| StateSet::empty(part.counts().0));
        for steps in [None, Some(3)] {
            let bounds = enclose(&mdp, &frontier, (left.as_ref(), &right), setting.direction, steps);
            truth.check(&bounds, steps, |s| part.state(s), "a part");
        }
        if part.is_complete() {
            assert_eq!(part.counts().0, truth.states.len(), "a part that is complete is all");
            return partly;
        }
        match part.grow(1 + random.below(4 + part.counts().0 / 6), &Limits::default()) {
            Ok(()) => {}
            Err(PartialError::Model(error)) => panic!("the full exploration met no error, a part did: {error:?}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// A part that is asked about some start states only, one set after the other: bounds hold all the time; in the end all that the last ones lead to
/// was expanded, and with all starts back in focus everything is. Whether something was left out.
fn check_focus(setting: &Setting, truth: &Truth, random: &mut Random) -> bool {
    let mut part = Partial::new(&setting.task(), None).unwrap();
    let mut left_out = false;
    for _ in 0..3 {
        part.grow(random.below(1 + truth.states.len() / 4), &Limits::default()).unwrap();
        let chosen: Vec<u32> = (0..part.starts).filter(|_| random.percent(50)).collect();
        part.focus(chosen.iter().map(|start| (*start, 1.0 / f64::from(start + 1))));
        while !part.is_exhausted() {
            let before = part.counts().1;
            part.grow(1 + random.below(20), &Limits::default()).unwrap();
            assert!(part.counts().1 > before, "there was something to expand");
        }
        let (mdp, frontier) = part.process().unwrap();
        let (mut seen, mut work) = (StateSet::empty(part.counts().0), chosen);
        while let Some(state) = work.pop() {
            assert!(!frontier.contains(state), "what a start in focus leads to was expanded");
            if seen.insert(state) {
                work.extend_from_slice(part.successors(state));
            }
        }
        left_out |= frontier.count() > 0;
        let mut satisfying = |term| part.satisfying(term).unwrap();
        let left = setting.left.map(&mut satisfying);
        let right = setting.property.reach.map(satisfying).unwrap_or_else(|| StateSet::empty(part.counts().0));
        let options = Options { unknown: Some(frontier.extended(mdp.num_states())), ..Options::default() };
        let until = until(left.as_ref(), &right).through_vanishing(&mdp);
        let mut bounds = solve(&mdp, setting.direction, &until, &options).unwrap().bounds;
        bounds.lower.truncate(mdp.vanishing().start as usize);
        bounds.upper.truncate(mdp.vanishing().start as usize);
        assert!(bounds.width(seen.iter()) <= 1e-6, "nothing is unknown to the starts in focus");
        truth.check(&bounds, None, |s| part.state(s), "a part with starts in focus");
    }
    part.focus((0..part.starts).map(|start| (start, 1.0)));
    part.grow(usize::MAX / 2, &Limits::default()).unwrap();
    assert!(part.is_complete() && part.counts().0 == truth.states.len());
    left_out
}

/// Non-deterministic assignments resolved after the outcome, by vanishing states, against all combinations: the same values, the same
/// figures. How many states vanish.
fn check_vanishing(setting: &Setting, truth: &Truth) -> usize {
    let Ok(mut graph) = graph::build(&setting.task(), Resolution::Vanishing, &Silent) else {
        panic!("the model was fine before")
    };
    let (left, right) = sets(&mut graph, setting);
    let until = until(left.as_ref(), &right).through_vanishing(&graph.mdp);
    let limits = &surefoot_mdp::Limits::default();
    let values = solve_exact(&graph.mdp, setting.direction, &until, limits).unwrap().values;
    let soon = surefoot_mdp::solve_bounded_exact(&graph.mdp, setting.direction, &until, 3, limits).unwrap().unwrap();
    let lasting = graph.mdp.vanishing().start;
    assert_eq!(lasting as usize, truth.states.len());
    for number in 0..lasting {
        let known = truth.states[&graph.state(number)];
        assert_eq!((&values[number as usize], &soon[number as usize]), (&truth.values[known], &truth.soon[known]));
    }
    let statistics = surefoot_explicit::Statistics { bytes: truth.statistics.bytes, ..graph.statistics };
    assert_eq!(statistics, truth.statistics);
    graph.mdp.vanishing().len()
}

/// Explorations cut short by memory: rows are complete or absent, and bounds hold.
fn check_cut(setting: &Setting, truth: &Truth) -> bool {
    let task = setting.task();
    let interpreter = interpreter_of(task.model, task.policy);
    let Ok(full) = graph::build(&task, Resolution::Vanishing, &Silent) else { panic!("the model was fine before") };
    let mut partly = false;
    let (states, choices, branches) = (full.mdp.num_states(), full.mdp.num_choices(), full.mdp.num_branches());
    let needed = full.bytes() + surefoot_mdp::solving_bytes(states, choices, branches);
    for eighth in 0..8 {
        let limits = Limits { memory: Some(needed * eighth / 8), ..Limits::default() };
        let Ok(mut graph) = graph::build(&Task { limits, ..task }, Resolution::Vanishing, &Silent) else {
            panic!("a limit is no error")
        };
        partly |= graph.limit.is_some() && graph.expanded > 0;
        let frontier = graph.frontier();
        if graph.limit.is_none() {
            assert_eq!(frontier.count(), 0);
        } else {
            assert_eq!(graph.limit, Some(Stop::Memory));
        }
        for state in 0..graph.expanded {
            let known = graph.state(state);
            let goal = task.goal.is_some_and(|goal| interpreter.holds(goal, &known) == Ok(true));
            let choices = || interpreter.permitted_choices(&known, task.policy).unwrap();
            let terminal = goal && task.goal_terminal;
            let moves = if terminal { false } else { !choices().is_empty() };
            assert_eq!(!graph.mdp.choices(state).is_empty(), moves, "the moves of {known:?}");
        }
        let (left, right) = sets(&mut graph, setting);
        for steps in [None, Some(3)] {
            let bounds = enclose(&graph.mdp, &frontier, (left.as_ref(), &right), setting.direction, steps);
            truth.check(&bounds, steps, |s| graph.state(s), "an exploration cut short");
        }
    }
    partly
}

#[test]
fn parts_of_random_models_bound_their_probabilities() {
    let partly = std::sync::atomic::AtomicUsize::new(0);
    let vanishing = std::sync::atomic::AtomicUsize::new(0);
    let focused = std::sync::atomic::AtomicUsize::new(0);
    for_seeds(seeds(7 << 20, 120), &Size { states: 200, ..Size::default() }, |case| {
        let setting = Setting::of(case);
        let Some(truth) = Truth::of(&setting) else { return };
        let growing = check_growing(&setting, &truth, &mut case.random());
        let cut = check_cut(&setting, &truth);
        let left_out = check_focus(&setting, &truth, &mut case.random());
        focused.fetch_add(usize::from(left_out), std::sync::atomic::Ordering::Relaxed);
        vanishing.fetch_add(check_vanishing(&setting, &truth), std::sync::atomic::Ordering::Relaxed);
        partly.fetch_add(usize::from(growing) + usize::from(cut), std::sync::atomic::Ordering::Relaxed);
    });
    assert!(partly.into_inner() > 30, "few parts were neither empty nor everything");
    assert!(focused.into_inner() > 15, "few starts that were given up leave something out");
    assert!(vanishing.into_inner() > 100, "few choices have several outcomes with several successors");
}
