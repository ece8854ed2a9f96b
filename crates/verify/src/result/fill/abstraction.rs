//! Abstractions.

use surefoot_abstraction::deadlock::{Deadlock, Deadlocks};

use super::open_errors;
use crate::abstraction::path::AbstractPath;
use crate::abstraction::{Abstracted, Concrete};
use crate::problem::Problem;
use crate::result::abstract_path::{AbstractDeadlock, Reached, UnknownWord};
use crate::result::body::{About, Abstracted as Found};
use crate::result::statistics::{Abstraction, DistributionFigures, Statistics};
use crate::result::{Body, ResultObject, Subject, rounded};
use crate::states::StateNames;

impl ResultObject {
    /// An abstraction by a method; the path that leads to something unsafe, and the file that it was written to.
    #[must_use]
    pub fn abstracted(
        self,
        problem: &Problem,
        result: &Abstracted,
        method: &str,
        path: Option<&AbstractPath<'_>>,
        graph: Option<String>,
    ) -> Self {
        let figures = &result.figures;
        let statistics = Abstraction {
            start_states: figures.start_states,
            reachable_states: figures.reachable_states,
            expanded_states: figures.expanded_states,
            unsafe_states: figures.unsafe_states,
            terminal_states: figures.terminal_states,
            transitions: figures.transitions,
            predicates: figures.predicates,
            oracle_queries: figures.oracle_queries,
            oracle_nodes: figures.oracle_nodes,
            memory_bytes: figures.memory_bytes,
            deadlocks: result.deadlocks.as_ref().map(|deadlocks| deadlocks.found.len()),
            distributions: result.distributions.map(|figures| DistributionFigures {
                reachable_states: figures.reachable_states,
                unsafe_states: figures.unsafe_states,
                transitions: figures.transitions,
                oracle_queries: figures.oracle_queries,
                oracle_nodes: figures.oracle_nodes,
                build_seconds: rounded(figures.seconds),
                plain_build_seconds: rounded(figures.plain_seconds),
            }),
        };
        let found = Found {
            open_errors: open_errors(result.open.as_ref()),
            predicates: result.words.predicates().map(str::to_owned).collect(),
            graph,
            abstract_path: path.map(|path| path.record(problem.model(), &result.words, &result.abstraction)),
            deadlocks: result.deadlocks.as_ref().map(|deadlocks| list(problem, result, deadlocks)),
        };
        let about = About { subject: Subject::of(problem), found: Some(found) };
        let object = self.by(format!("abstraction ({method})")).assuming(result.assumptions());
        Self {
            statistics: Statistics::Abstraction(statistics),
            body: Some(Body::Abstracted(Box::new(about))),
            ..object.judged(result.conclusion.as_ref())
        }
    }
}

fn list(problem: &Problem, result: &Abstracted, deadlocks: &Deadlocks) -> Vec<AbstractDeadlock> {
    let model = problem.model();
    let names = StateNames::new(model);
    let entry = |(deadlock, concrete): (&Deadlock, &Concrete)| {
        let (reached, run, reason) = match concrete {
            Concrete::Reached(run) => {
                let run = run.iter().map(|state| names.record(model, state)).collect();
                (Reached::Known(true), Some(run), None)
            }
            Concrete::Unreached => (Reached::Known(false), None, None),
            Concrete::Unknown(reason) => (Reached::Unknown(UnknownWord::Unknown), None, Some(reason.to_string())),
        };
        let literals = result.words.literals(result.abstraction.states.get(deadlock.state));
        AbstractDeadlock {
            state: deadlock.state.0,
            predicates: literals.map(str::to_owned).collect(),
            label: model.labels[deadlock.label.0 as usize].to_string(),
            terminal: result.abstraction.transitions[deadlock.state.index()].is_empty(),
            witness: names.record(model, &deadlock.witness),
            reached,
            run,
            reason,
        }
    };
    deadlocks.found.iter().zip(&result.concrete).map(entry).collect()
}
