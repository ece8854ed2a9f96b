//! The abstraction by predicates that a person tries.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use surefoot_abstraction::predicate::Dropped;
use surefoot_abstraction::{Early, Sketch};
use surefoot_text::counted;
use surefoot_verdict::Silent;
use surefoot_verify::{AbstractOptions, Abstracted, Budget, Problem, Verdict, abstraction};

use super::{Reply, Viewer, condition, failed};
use crate::graph::{Graph, arrange, of_sketch};
use crate::names::Names;
use crate::pack::Columns;
use crate::serve::viewer::{Long, Tried};

/// Predicates, at most.
const MOST_PREDICATES: usize = 2_000;
/// Abstract states, at most.
const MOST_STATES: usize = 20_000;

/// By which predicates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    texts: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Told {
    graph: Numbered,
    /// The predicates that states are told apart by.
    added: Vec<String>,
    /// Those that are not among them, and why.
    dropped: Vec<Value>,
    summary: String,
    /// Whether the property is proved: `null` where it asks nothing that an abstraction could prove.
    proved: Option<bool>,
    figures: Vec<Value>,
}

/// A graph with the number that later questions call it by.
#[derive(Debug, Serialize)]
struct Numbered {
    number: u64,
    #[serde(flatten)]
    graph: Graph,
}

pub(super) fn predicates(viewer: &Viewer<'_>, question: &Question) -> Result<Reply, Reply> {
    if question.texts.len() > MOST_PREDICATES {
        return Err(Reply::wrong(format!("at most {MOST_PREDICATES} predicates can be tried at a time")));
    }
    let mut problem = asked(viewer.problem);
    let mut terms = Vec::with_capacity(question.texts.len());
    for (which, text) in question.texts.iter().enumerate() {
        terms.push(condition(&mut problem, text, Some(which))?);
    }
    let budget = viewer.spend(Long::Predicates);
    let options = AbstractOptions { states: Some(MOST_STATES), expand_unsafe: true, ..AbstractOptions::default() };
    let found =
        abstraction(&problem, &terms, &options, &budget, &Silent).map_err(|failure| failed(failure, &budget))?;
    let sketch = Sketch::of(&found.abstraction, &found.predicates);
    let names = Names::new(&problem);
    let (sketched, mut about) = of_sketch::sketched(&problem, &names, &sketch, &[]);
    about.title = "The abstraction by the predicates that were tried".to_owned();
    if let Some(Early::Limit(stop)) = found.abstraction.stopped {
        about.stopped = Some(budget.describe(stop));
    }
    let mut drawn: Vec<_> = sketched.edges.iter().map(|edge| (edge.source, edge.target, edge.action)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    let mut columns = Columns::new();
    let (graph, numbers) = arrange(sketched, about, &mut columns);
    let mut states = sketch.states.clone();
    numbers.iter().zip(sketch.states).for_each(|(number, state)| states[*number as usize] = state);
    let summary = summary(&found, &budget);
    let proved = found.conclusion.as_ref().map(|verdict| matches!(verdict, Verdict::Holds(_)));
    let (figures, dropped) = (figures(&found, drawn.len()), dropped(&found));
    let added = found.words.predicates().map(str::to_owned).collect();
    let number = viewer.keep(|number| Tried {
        number,
        problem: problem.clone(),
        predicates: found.predicates,
        numbers: states.iter().cloned().zip(0u32..).collect(),
        states,
    });
    let told = Told { graph: Numbered { number, graph }, added, dropped, summary, proved, figures };
    columns.deflated(&told).map(Reply::Columns).map_err(Reply::wrong)
}

/// The problem as abstractions can be made of it: where a probability is asked for, its states are what is looked for, and nothing is claimed.
fn asked(problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    if let Some(quantity) = problem.query.quantity.take() {
        problem.query.target = Some(quantity.right);
        problem.query.claim = None;
    }
    problem.query.expected = None;
    problem
}

/// What the abstraction says, in a sentence or two.
fn summary(found: &Abstracted, budget: &Budget) -> String {
    let figures = &found.figures;
    let states = counted(figures.reachable_states as u64, "abstract state");
    let can = match figures.unsafe_states {
        0 => "none of them holds an unsafe state".to_owned(),
        1 => "one of them may hold unsafe states".to_owned(),
        many => format!("{many} of them may hold unsafe states"),
    };
    match (&found.conclusion, &found.open) {
        (Some(Verdict::Holds(_)), _) => {
            format!("{states}, and {can}: no run reaches an unsafe state. The property holds.")
        }
        (Some(Verdict::Unknown(_)), Some(open)) => {
            format!(
                "{states}, and {can}. It is open whether the model is in error: {} ({}).",
                open.error.what, open.error.because
            )
        }
        (Some(_), None) if found.abstraction.stopped.is_none() => {
            format!(
                "{states}, and {can}. Nothing follows from that: the abstraction may have runs that the model does not have."
            )
        }
        (Some(_), _) => match found.abstraction.stopped {
            Some(Early::Limit(stop)) => {
                format!("{states} were found, and then the search ended: {}.", budget.describe(stop))
            }
            _ => format!("{states}, and {can}."),
        },
        (None, _) => format!("{states}. The property does not say which states are unsafe."),
    }
}

/// Figures; transitions are those of the graph, each once for each action.
fn figures(found: &Abstracted, transitions: usize) -> Vec<Value> {
    let figures = &found.figures;
    let all = [
        ("predicates", figures.predicates as u64),
        ("abstract states", figures.reachable_states as u64),
        ("start states", figures.start_states as u64),
        ("unsafe states", figures.unsafe_states as u64),
        ("transitions", transitions as u64),
        ("questions", figures.oracle_queries),
        ("nodes", figures.oracle_nodes),
    ];
    all.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
}

/// Why predicates were left out.
fn dropped(found: &Abstracted) -> Vec<Value> {
    let why = |why: &Dropped| match why {
        Dropped::Constant(value) => format!("it is always {value}"),
        Dropped::Duplicate(known) => {
            let known = found.words.predicates().nth(*known).unwrap_or_default();
            format!("it says as much as {known}")
        }
    };
    found.dropped.iter().map(|(index, reason)| json!({"index": index, "why": why(reason)})).collect()
}
