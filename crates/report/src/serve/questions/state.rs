//! A state of the model, and what can happen there: the reference interpreter tells.

use serde::{Deserialize, Serialize};
use serde_json::json;
use surefoot_model::interpret::Choice as Move;
use surefoot_model::model::Operator;
use surefoot_model::{ModelError, State};

use super::{Reply, Viewer, state_of};
use crate::chooser::Chooser;
use crate::data::StateValues;
use crate::states::cell;

/// Outcomes that are listed, at most.
const MOST_OUTCOMES: usize = 5_000;

/// Which state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    state: StateValues,
    /// The values of rounded numbers as text.
    exact: Option<Vec<Option<String>>>,
    /// The graph in which it is to be found: 0 that of the page, else one that was asked for.
    #[serde(default)]
    graph: u64,
}

/// What can happen.
#[derive(Debug, Serialize)]
struct Told {
    action: Option<u32>,
    operator: String,
    permitted: bool,
    outcomes: Vec<Outcome>,
}

/// What the environment may make of it.
#[derive(Debug, Serialize)]
struct Outcome {
    probability: String,
    p: f64,
    state: StateValues,
    exact: Option<Vec<Option<String>>>,
    /// Of how many states that are possible with this probability it is one: the environment chooses among them.
    one_of: usize,
}

pub(super) fn state(viewer: &Viewer<'_>, question: &Question) -> Result<Reply, Reply> {
    let Viewer { problem, names, .. } = viewer;
    let state = state_of(names, &question.state, question.exact.as_deref())?;
    let interpreter = problem.interpreter();
    let describe = |error: &ModelError| problem.model_error(error).message;
    let mut problems: Vec<String> = Vec::new();
    let mut holds = |term| {
        let truth = interpreter.holds(term, &state);
        let told = truth.map_err(|error| ModelError::evaluation(error, state.clone()));
        told.unwrap_or_else(|error| {
            problems.push(describe(&error));
            false
        })
    };
    let query = &problem.query;
    let goal = query.goal.is_some_and(&mut holds);
    let is_unsafe = query.target.is_some_and(&mut holds);
    let start = query.lists(&state) || query.start.conditions.iter().any(|condition| holds(*condition));
    let choice = match Chooser::new(problem).map(|chooser| chooser.choice(problem, &state)) {
        Some(Ok(choice)) => choice,
        Some(Err(error)) => {
            problems.push(error);
            None
        }
        None => None,
    };
    let ends = goal && query.goal_terminal;
    let (moves, more) = if ends { (Vec::new(), false) } else { moves(viewer, &state, &mut problems) };
    if more {
        problems.push(format!("more can happen than is listed: there are more than {MOST_OUTCOMES} outcomes"));
    }
    problems.dedup();
    Ok(Reply::Object(json!({
        "problem": (!problems.is_empty()).then(|| problems.join("; ")),
        "start": start,
        "unsafe": is_unsafe,
        "goal": goal,
        "ends": ends,
        "mark": viewer.known.mark(&state),
        "choice": choice,
        "node": node(viewer, &state, question.graph),
        "moves": moves,
    })))
}

/// Where the state is in a graph.
pub(super) fn node(viewer: &Viewer<'_>, state: &State, graph: u64) -> Option<u32> {
    if graph == 0 {
        return viewer.node(state);
    }
    let tried = viewer.tried(graph)?;
    let cell = cell(&tried.predicates, viewer.problem.model().instances.len(), state);
    tried.numbers.get(&cell).copied()
}

/// All that can happen, what the policy permits first; whether there is more.
fn moves(viewer: &Viewer<'_>, state: &State, problems: &mut Vec<String>) -> (Vec<Told>, bool) {
    let Viewer { problem, names, .. } = viewer;
    let interpreter = problem.interpreter();
    let told = |error: &ModelError| problem.model_error(error).message;
    let operators = match interpreter.enabled_operators(state) {
        Ok(operators) => operators,
        Err(error) => {
            problems.push(told(&error));
            return (Vec::new(), false);
        }
    };
    let permitted: Vec<Operator> = match interpreter.permitted_operators(state, problem.policy()) {
        Ok(permitted) => permitted,
        Err(error) => {
            problems.push(told(&error));
            Vec::new()
        }
    };
    let (mut moves, mut left) = (Vec::new(), MOST_OUTCOMES);
    for operator in operators {
        let choice: Move = match interpreter.choice(state, operator) {
            Ok(choice) => choice,
            Err(error) => {
                problems.push(told(&error));
                continue;
            }
        };
        let count: usize = choice.outcomes.iter().map(|outcome| outcome.successors.len()).sum();
        if count > left {
            return (moves, true);
        }
        left -= count;
        let outcomes = choice.outcomes.iter().flat_map(|outcome| {
            outcome.successors.iter().map(|successor| Outcome {
                probability: outcome.probability.to_string(),
                p: outcome.probability.to_f64(),
                state: names.values(successor),
                exact: names.rounded(successor),
                one_of: outcome.successors.len(),
            })
        });
        moves.push(Told {
            action: choice.label.map(|label| label.0),
            operator: problem.model().describe_operator(&choice.operator),
            permitted: permitted.contains(&choice.operator),
            outcomes: outcomes.collect(),
        });
    }
    moves.sort_by_key(|told| !told.permitted);
    (moves, false)
}
