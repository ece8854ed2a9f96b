//! Verdicts on properties.

use surefoot_cegar::Figures as RefinementFigures;

use super::{exploration, open_errors};
use crate::beyond::Answers;
use crate::bmc::BmcDetails;
use crate::cegar::CegarDetails;
use crate::engine::{Details, Evidence, Outcome, Verdict};
use crate::problem::Problem;
use crate::result::body::{Decided, GoalRecord, Invariant};
use crate::result::statistics::{Paths, Refinement, Runs, Statistics};
use crate::result::{Body, ResultObject, Subject};

impl ResultObject {
    /// A property that was decided, or not.
    #[must_use]
    pub fn verified(self, problem: &Problem, outcome: &Outcome) -> Self {
        let mut body = Decided::about(Subject::of(problem));
        let statistics = match &outcome.details {
            Details::Explicit(figures) => exploration(problem, figures),
            Details::Cegar(details) => {
                body.preset = Some(details.preset.clone());
                body.falsified_after = details.falsified;
                body.predicates = Some(predicates(details));
                body.diary = Some(details.diary.entries.clone());
                refinement(&details.figures, details.words.predicates().len())
            }
            Details::Bmc(details) => paths(details),
            Details::Runs(figures) => Statistics::Runs(Runs { runs: figures.runs, steps: figures.steps }),
        };
        let proof = match &outcome.verdict {
            Verdict::Holds(evidence) => Some(evidence),
            _ => outcome.open.as_ref().map(|open| &open.proof),
        };
        if let (Some(Evidence::Invariant { states, .. }), Details::Cegar(details)) = (proof, &outcome.details) {
            let untouched = details.untouched.clone();
            body.invariant = Some(Invariant { states: *states, predicates: predicates(details), untouched });
        }
        body.open_errors = open_errors(outcome.open.as_ref());
        let object = self.by(outcome.engine).assuming(outcome.assumptions.iter().cloned());
        let run = outcome.run();
        Self {
            statistics,
            witness: run.map(|run| crate::result::Evidence::Run(Box::new(run.witness.clone()))),
            body: Some(Body::Decided(Box::new(body))),
            ..object.judged(Some(&outcome.verdict))
        }
    }
}

impl ResultObject {
    /// With what was asked beyond the verdict.
    #[must_use]
    pub fn beyond(mut self, answers: &Answers) -> Self {
        if let Some(Body::Decided(body)) = &mut self.body {
            body.goal = answers.goal.map(|goal| GoalRecord {
                start_states: goal.starts,
                can: goal.can,
                almost_surely: goal.almost_surely,
                must: goal.must,
            });
            body.run_probability = answers.run_probability.as_ref().map(ToString::to_string);
            body.per_start.clone_from(&answers.per_start);
        }
        self
    }
}

fn predicates(details: &CegarDetails) -> Vec<String> {
    details.words.predicates().map(str::to_owned).collect()
}

fn refinement(figures: &RefinementFigures, predicates: usize) -> Statistics {
    Statistics::Refinement(Refinement {
        start_states: figures.start_states,
        reachable_states: figures.reachable_states,
        expanded_states: figures.expanded_states,
        transitions: figures.transitions,
        predicates,
        iterations: figures.iterations,
        policy_refinements: figures.policy_refinements,
        policy_predicates: figures.policy_predicates,
        oracle_queries: figures.questions,
        oracle_nodes: figures.nodes,
        expanded_in_all: figures.all_expanded,
    })
}

fn paths(details: &BmcDetails) -> Statistics {
    Statistics::Paths(Paths {
        paths: details.figures.paths,
        merged_paths: details.figures.merged,
        refuted_depth: details.refuted,
        oracle_queries: details.figures.questions,
        oracle_nodes: details.figures.nodes,
    })
}
