//! What can happen in a state of a graph: of an abstract one the oracle tells, of a concrete one the interpreter.

use serde::{Deserialize, Serialize};
use serde_json::json;
use surefoot_abstraction::AbstractState;
use surefoot_model::{SlotId, State};
use surefoot_verify::abstraction::unfold::unfold as unfolded;
use surefoot_verify::abstraction::words::Words;

use super::{Reply, Viewer, failed};
use crate::data::StateValues;
use crate::serve::viewer::{Long, Tried};

/// Which state of which graph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    node: u32,
    /// 0 is the graph of the page; else one that was asked for.
    #[serde(default)]
    graph: u64,
}

/// A way out of it.
#[derive(Debug, Serialize)]
struct Told {
    action: Option<u32>,
    node: Option<u32>,
    words: Vec<String>,
    #[serde(rename = "unsafe")]
    is_unsafe: bool,
    /// A state from which it is possible.
    from: StateValues,
    /// The values of rounded numbers in it as text.
    from_exact: Option<Vec<Option<String>>>,
}

pub(super) fn unfold(viewer: &Viewer<'_>, question: &Question) -> Result<Reply, Reply> {
    let Question { node, graph } = *question;
    if graph == 0 {
        return concrete(viewer, node);
    }
    let tried = viewer
        .tried(graph)
        .ok_or_else(|| Reply::wrong("this abstraction is not kept any more: try its predicates again"))?;
    let state = tried.states.get(node as usize).ok_or_else(missing)?;
    abstracted(viewer, &tried, state)
}

fn missing() -> Reply {
    Reply::wrong("the graph has no such state")
}

fn abstracted(viewer: &Viewer<'_>, tried: &Tried, state: &AbstractState) -> Result<Reply, Reply> {
    let Tried { problem, predicates, numbers, .. } = tried;
    let budget = viewer.spend(Long::Unfolding);
    let found = unfolded(problem, predicates, state, &budget).map_err(|failure| failed(failure, &budget))?;
    let model = problem.model();
    let words = Words::new(model, &model.space(), predicates);
    let before: Vec<&str> = words.literals(state).collect();
    let ways = found.ways.iter().map(|way| {
        let now = words.literals(&way.target).zip(&before).filter(|(now, was)| now != *was);
        let moved = (0..).zip(way.target.locations.iter().zip(&state.locations)).filter(|(_, (now, was))| now != was);
        let places = moved.map(|(instance, (now, _))| {
            let location = model.describe_value(SlotId::at(instance), &i64::from(*now).into());
            format!("{} at {location}", model.slots[instance].name)
        });
        let mut changed: Vec<String> = places.chain(now.map(|(now, _)| now.to_owned())).collect();
        if changed.is_empty() {
            changed.push("no predicate changes".to_owned());
        }
        Told {
            action: way.label.map(|label| label.0),
            node: numbers.get(&way.target).copied(),
            words: changed,
            is_unsafe: way.is_unsafe,
            from: viewer.names.values(&way.witness),
            from_exact: viewer.names.rounded(&way.witness),
        }
    });
    let moves: Vec<Told> = ways.collect();
    let mut said = vec![match moves.len() as u64 {
        0 => "Nothing leads out of it.".to_owned(),
        1 => "One way leads out of it; it was found with a state of the model from which it is possible.".to_owned(),
        ways => {
            format!("{ways} ways lead out of it; each was found with a state of the model from which it is possible.")
        }
    }];
    if found.is_unsafe {
        said.push("It may hold unsafe states.".to_owned());
    }
    if let Some(stop) = found.stopped {
        said.push(format!("There may be more: {}.", budget.describe(stop)));
    }
    Ok(told(viewer, &said, &moves, found.example.as_ref()))
}

/// What is said, what can happen, and a state of the model in the one that was asked about.
fn told(viewer: &Viewer<'_>, words: &[String], moves: &[Told], example: Option<&State>) -> Reply {
    let exact = example.and_then(|state| viewer.names.rounded(state));
    let example = example.map(|state| viewer.names.values(state));
    Reply::Object(json!({"words": words, "moves": moves, "example": example, "exact": exact}))
}

/// What the policy permits in a visited state.
fn concrete(viewer: &Viewer<'_>, node: u32) -> Result<Reply, Reply> {
    let Viewer { problem, names, visited, looked, .. } = viewer;
    let (Some(looked), Some(number)) = (looked, visited.get(node as usize)) else { return Err(missing()) };
    let state = looked.graph.state(*number);
    let interpreter = problem.interpreter();
    let wrong = |error| Reply::wrong(problem.model_error(&error).message);
    let ends = problem.query.goal_terminal
        && problem.query.goal.is_some_and(|goal| interpreter.holds(goal, &state).unwrap_or(false));
    let choices =
        if ends { Vec::new() } else { interpreter.permitted_choices(&state, problem.policy()).map_err(wrong)? };
    let mut moves = Vec::new();
    for choice in &choices {
        for outcome in &choice.outcomes {
            for successor in &outcome.successors {
                let chance = (outcome.probability != surefoot_num::Rational::ONE)
                    .then(|| format!("with probability {}", outcome.probability));
                let changed =
                    names.slots.iter().zip(&names.variables).filter(|(slot, _)| state.0[**slot] != successor.0[**slot]);
                let values = changed.map(|(slot, variable)| {
                    let value = problem.model().describe_value(SlotId::at(*slot), &successor.0[*slot]);
                    format!("{} = {value}", variable.name)
                });
                let target = problem.query.target;
                moves.push(Told {
                    action: choice.label.map(|label| label.0),
                    node: viewer.node(successor),
                    words: chance.into_iter().chain(values).collect(),
                    is_unsafe: target.is_some_and(|target| interpreter.holds(target, successor).unwrap_or(false)),
                    from: names.values(&state),
                    from_exact: names.rounded(&state),
                });
            }
        }
    }
    let said = if ends { vec!["It is a goal state: runs end there.".to_owned()] } else { Vec::new() };
    Ok(told(viewer, &said, &moves, Some(&state)))
}
