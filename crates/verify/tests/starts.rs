//! The verdict of each start state (`--per-start`) on random models, against a search from each of them by the reference interpreter.

mod common;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::truth::{Fault, all_starts, numbered};
use common::{budget, read};
use surefoot_fixtures::seeds;
use surefoot_model::{SlotId, State};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::source::Source;
use surefoot_verify::task::verify::Verifying;
use surefoot_verify::task::{Job, Task};
use surefoot_verify::{EngineChoice, Failure, Problem, Request, Selection};

/// All states that can be reached, start states first, and which follow which.
struct Reached {
    states: Vec<State>,
    starts: usize,
    next: Vec<Vec<usize>>,
    target: Vec<bool>,
    goal: Vec<bool>,
}

impl Reached {
    fn of(problem: &Problem) -> Result<Self, Fault> {
        let interpreter = problem.interpreter();
        let (mut states, mut numbers): (Vec<State>, HashMap<State, usize>) = Default::default();
        let mut number = |state: &State, states: &mut Vec<State>| numbered(state, states, &mut numbers);
        for state in all_starts(problem)? {
            number(&state, &mut states);
        }
        let starts = states.len();
        let mut all = Self { states: Vec::new(), starts, next: Vec::new(), target: Vec::new(), goal: Vec::new() };
        while let Some(state) = states.get(all.next.len()).cloned() {
            let holds = |term| interpreter.holds(term, &state).map_err(|_| Fault::Error);
            all.target.push(problem.query.target.map(holds).transpose()?.unwrap_or(false));
            all.goal.push(problem.query.goal.map(holds).transpose()?.unwrap_or(false));
            let terminal = problem.query.goal_terminal && all.goal[all.goal.len() - 1];
            let choices = if terminal {
                Vec::new()
            } else {
                interpreter.permitted_choices(&state, problem.policy()).map_err(|_| Fault::Error)?
            };
            let successors = choices.iter().flat_map(|choice| &choice.outcomes).flat_map(|o| &o.successors);
            let next = successors.map(|successor| number(successor, &mut states)).collect();
            all.next.push(next);
        }
        all.states = states;
        Ok(all)
    }

    /// The fewest steps from a state to one of a set.
    fn distance(&self, from: usize, set: &[bool]) -> Option<usize> {
        let mut seen = vec![false; self.states.len()];
        let (mut level, mut steps) = (vec![from], 0);
        seen[from] = true;
        while !level.is_empty() {
            if level.iter().any(|state| set[*state]) {
                return Some(steps);
            }
            let mut next: Vec<usize> = level.iter().flat_map(|state| self.next[*state].clone()).collect();
            next.retain(|state| !std::mem::replace(&mut seen[*state], true));
            (level, steps) = (next, steps + 1);
        }
        None
    }

    /// The states from which some run never comes to the goal: it goes on for ever elsewhere, or stops.
    fn avoiding(&self) -> Vec<bool> {
        let mut avoiding: Vec<bool> = self.goal.iter().map(|goal| !goal).collect();
        let keeps = |s: usize, set: &[bool]| self.next[s].is_empty() || self.next[s].iter().any(|t| set[*t]);
        while let Some(s) = (0..avoiding.len()).find(|s| avoiding[*s] && !keeps(*s, &avoiding)) {
            avoiding[s] = false;
        }
        avoiding
    }
}

/// What the lines of the file must be, by the values of the state.
fn expected(problem: &Problem, reached: &Reached) -> BTreeMap<String, String> {
    let model = problem.model();
    let shown = |slot: &usize| model.instances.get(*slot).is_none_or(|instance| instance.locations.len() > 1);
    let avoiding = reached.avoiding();
    let line = |start: usize| {
        let state = &reached.states[start];
        let values = (0..model.slots.len()).filter(shown);
        let values: Vec<String> = values.map(|s| model.describe_value(SlotId::at(s), &state.0[s])).collect();
        let steps = reached.distance(start, &reached.target);
        let verdict = if steps.is_some() { "violated" } else { "holds" };
        let steps = steps.map_or(String::new(), |steps| steps.to_string());
        let goal = match (avoiding[start], reached.distance(start, &reached.goal)) {
            (false, _) => ",must",
            (true, Some(_)) => ",can",
            (true, None) => ",never",
        };
        let goal = if problem.query.goal.is_some() { goal } else { "" };
        (values.join(","), format!("{verdict},{steps}{goal}"))
    };
    (0..reached.starts).map(line).collect()
}

/// Compares the file of one model; how many different lines it has.
fn check(case: &Case, folder: &Path) -> usize {
    let mut random = case.random();
    let path = folder.join(format!("{}.csv", case.seed));
    let request = Request {
        model: Source::text("<model>", case.jani.as_str()),
        property: Some(format!("p{}", random.below(PROPERTIES))),
        ..Request::default()
    };
    let problem = read(&request, Selection::Decide);
    let verifying = Verifying { engine: EngineChoice::EXPLICIT, per_start: Some(path.clone()), ..Verifying::default() };
    let task = Task { job: Job::Verify(request, verifying), budget: budget(1 + random.below(3)), seed: 0 };
    let result = task.run(&mut SourceMap::default(), &Silent);
    let Ok(reached) = Reached::of(&problem) else {
        assert!(matches!(result, Err(Failure::Input(_))), "the model is in error");
        return 0;
    };
    if reached.starts == 0 {
        assert!(matches!(result, Err(Failure::Input(_))), "there is no start state");
        return 0;
    }
    assert!(result.is_ok(), "{:?}", result.err());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
    let columns = if problem.query.goal.is_some() { 4 } else { 3 };
    let mut lines = BTreeMap::new();
    for (number, line) in text.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0], number.to_string());
        lines.insert(fields[columns..].join(","), fields[1..columns].join(","));
    }
    assert_eq!(text.lines().count(), reached.starts + 1);
    assert_eq!(lines, expected(&problem, &reached));
    let mut different: Vec<&String> = lines.values().collect();
    different.sort_unstable();
    different.dedup();
    different.len()
}

#[test]
fn verdicts_of_single_start_states_agree_on_random_models() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let mixed = AtomicUsize::new(0);
    for_seeds(seeds(23 << 20, 300), &Size { states: 500, ..Size::default() }, |case| {
        mixed.fetch_add(usize::from(check(case, folder.path()) > 1), Ordering::Relaxed);
    });
    assert!(mixed.into_inner() > 40, "on few models start states differ");
}
