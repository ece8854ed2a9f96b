//! CTL on models with finitely many states, state by state.
//!
//! The reachable states are explored with their transitions, and every part of the formula labels the states in which it holds
//! ([`surefoot_temporal::graph`]). Where the formula fails in a start state, a run is looked for that shows it: a finite one, or one that goes round for
//! ever. It is stepped through in the reference interpreter, and what it shows is found out there anew, without a label. Where no single run can show it,
//! a tree of runs does (`proof`).

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::{Resolution, Statistics};
use surefoot_limits::Stop;
use surefoot_model::{State, TermId};
use surefoot_temporal::Ctl;
use surefoot_temporal::graph::{Graph as Transitions, Shown};
use surefoot_verdict::{Reason, Reporter};

use super::{CtlFormula, CtlOutcome, CtlVerdict, CtlWitness, WitnessNode, WitnessStep, cover, proof};
use crate::bounds::graph_failure;
use crate::engine::{Budget, several_starts, task};
use crate::problem::{Failure, Problem};
use crate::question::Over;
use crate::replay::formula::shows;

/// What an exploration by itself may hold where another procedure can decide, too. Counted, not timed: the same procedure answers always.
const FIRST_BYTES: usize = 32 << 20;

/// How much may be explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// A part: another procedure can decide, too.
    First,
    /// All that the limits allow.
    All,
}

/// Whether all variables have finitely many values.
pub(crate) fn is_finite(problem: &Problem) -> bool {
    problem.model().slots.iter().all(|slot| slot.domain.int_bounds().is_some())
}

/// Decides a formula state by state; `None` where a share was not enough.
///
/// # Errors
/// [`Failure::Input`] where the model is in error, has real variables or no start states; [`Failure::Internal`] when a run is not confirmed.
pub(crate) fn decide(
    problem: &Problem,
    asked: &CtlFormula,
    over: Over,
    share: Share,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Option<CtlOutcome>, Failure> {
    let formula = &asked.terms;
    let mut task = task(problem, budget);
    task.limits = budget.exploration_limits();
    if share == Share::First && task.limits.memory.is_none_or(|most| most > FIRST_BYTES) {
        task.limits.memory = Some(FIRST_BYTES);
    }
    let own = task.limits.memory;
    // What is looked for is in the formula.
    (task.reach, task.dropped) = (None, None);
    let mut graph =
        graph::build(&task, Resolution::Vanishing, reporter).map_err(|error| graph_failure(problem, error))?;
    if let Some(stop) = graph.limit {
        if share == Share::First && stop == Stop::Memory && own == Some(FIRST_BYTES) {
            return Ok(None);
        }
        let reason = Reason::from(stop).of(budget.time, budget.memory);
        return Ok(Some(outcome(CtlVerdict::Unknown(reason), &graph, 0)));
    }
    if over == Over::Single && graph.starts != 1 {
        return Err(several_starts(problem, "values", &graph.starts.to_string()).into());
    }
    let transitions = graph.transitions();
    // Where nothing is said of time, staying somewhere does not matter.
    let stuck = if formula.horizon() == Some(0) { 0 } else { transitions.stuck() as u64 };
    let holds = label(problem, &mut graph, &transitions, formula)?;
    let found = (0..graph.starts).find(|start| holds[*start as usize] == (over == Over::Some));
    let verdict = match (found, over) {
        (None, Over::All | Over::Single) | (Some(_), Over::Some) => CtlVerdict::Holds(()),
        (None, Over::Some) => refuted(problem, &mut graph, &transitions, asked, 0)?,
        (Some(start), _) => refuted(problem, &mut graph, &transitions, asked, start)?,
    };
    Ok(Some(outcome(verdict, &graph, stuck)))
}

fn outcome(verdict: CtlVerdict, graph: &Graph<'_>, stuck: u64) -> CtlOutcome {
    let statistics = surefoot_ctl::check::Statistics {
        expanded: u64::from(graph.expanded),
        stuttering: stuck,
        ..surefoot_ctl::check::Statistics::default()
    };
    let explored: Option<Statistics> = Some(graph.statistics);
    CtlOutcome { verdict, statistics, cover: cover::Cover::default(), horizon: None, explored }
}

fn label(
    problem: &Problem,
    graph: &mut Graph<'_>,
    transitions: &Transitions,
    formula: &Ctl<TermId>,
) -> Result<Vec<bool>, Failure> {
    transitions.label(formula, &mut |term| satisfying(problem, graph, *term, true))
}

pub(super) fn satisfying(
    problem: &Problem,
    graph: &mut Graph<'_>,
    term: TermId,
    sign: bool,
) -> Result<Vec<bool>, Failure> {
    let set = graph.satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)))?;
    let len = graph.statistics.states;
    let states = 0..u32::try_from(len).expect("recorded states have numbers of 32 bits");
    Ok(states.map(|state| set.contains(state) == sign).collect())
}

/// That a formula fails in a start state, by a run if one shows it.
fn refuted(
    problem: &Problem,
    graph: &mut Graph<'_>,
    transitions: &Transitions,
    formula: &CtlFormula,
    start: u32,
) -> Result<CtlVerdict, Failure> {
    let negation = formula.terms.signed(false, &mut |term, sign| (*term, sign));
    let shown = transitions.show(&negation, start, &mut |(term, sign)| satisfying(problem, graph, *term, *sign))?;
    if let Some(shown) = shown {
        let rejected = |reason: String| Failure::Internal(format!("the run is one that the replay rejects ({reason})"));
        let witness = witness(problem, graph, transitions, &shown).map_err(rejected)?;
        let mut states: Vec<State> = witness.nodes.iter().map(|node| node.state.clone()).collect();
        // Back where it was.
        states.extend(shown.back.map(|back| states[back].clone()));
        if shows(problem, &negation, &states) {
            return Ok(CtlVerdict::Violated(Box::new(witness)));
        }
    }
    // Several paths matter.
    let tree = proof::shown(problem, graph, transitions, formula, &negation, start)?;
    Ok(CtlVerdict::Violated(Box::new(tree)))
}

/// A run, replayed step by step.
fn witness(
    problem: &Problem,
    graph: &Graph<'_>,
    transitions: &Transitions,
    shown: &Shown,
) -> Result<CtlWitness, String> {
    let states: Vec<State> = shown.states.iter().map(|state| graph.state(*state)).collect();
    let last = states.len() - 1;
    let mut nodes = Vec::with_capacity(states.len());
    for (position, state) in states.iter().enumerate() {
        let next = if position < last { Some(position + 1) } else { shown.back };
        let mut steps = Vec::new();
        if let Some(target) = next {
            let stays = transitions.is_stuck(shown.states[position]);
            let step = if stays { None } else { Some(crate::replay::step(problem, state, &states[target])?) };
            steps.push(WitnessStep { step, target });
        }
        nodes.push(WitnessNode::of_run(state.clone(), steps));
    }
    CtlWitness::of_nodes(problem, nodes, None)
}
