//! Runs, and what the policy said in them.

use surefoot_certificate::{Decision, Step as Told, Witness};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_verify::float32::differences;
use surefoot_verify::result::Evidence;
use surefoot_verify::{Claim, Problem, ResultObject};

use crate::data::{Branch, Choice, Node, Run, Score, Step, Tree};
use crate::material::Material;
use crate::names::Names;
use crate::proof::found_formula;
use crate::verdict::formula;

/// The run of a page; marks are filled in by those who know them.
pub(crate) fn run(material: &Material<'_>, names: &Names<'_>) -> Option<Run> {
    let Some(Evidence::Run(witness)) = &material.result.witness else { return None };
    let mut run = written(witness, names);
    run.shows = shows(material.problem, material.result);
    // A formula without a bound on steps fails in a run that comes back to a state, or ends.
    let for_ever = found_formula(material.result).is_some_and(|formula| formula.horizon.is_none());
    run.goes_on = run.goes_on.filter(|_| for_ever);
    if let Some(replayed) = material.run {
        let candidates = replayed.steps.iter().map(|step| step.decision.as_ref().map(|decision| &decision.candidates));
        for (told, candidates) in run.steps.iter_mut().zip(candidates) {
            if let (Some(choice), Some(candidates)) = (&mut told.choice, candidates) {
                choice.scores.iter_mut().zip(candidates).for_each(|(score, candidate)| score.out = !candidate);
            }
        }
        for (step, difference) in differences(material.problem, replayed) {
            if let Some(told) = step.checked_sub(1).and_then(|step| run.steps.get_mut(step)) {
                told.float32 = Some(difference);
            }
        }
    }
    Some(run)
}

/// Whether the run ends in a state that the property looks for, and was replayed to there.
pub(crate) fn ends_in_target(material: &Material<'_>) -> bool {
    material.run.is_some() && formula(material.result).is_none() && material.problem.query.claim.is_some()
}

/// What a run shows, in a sentence.
fn shows(problem: &Problem, result: &ResultObject) -> String {
    match (formula(result), problem.query.claim) {
        (Some(formula), _) => format!("The formula {formula} fails in its first state."),
        (None, Some(claim)) if claim.is_avoidance() => "Its last state is unsafe.".to_owned(),
        (None, Some(Claim::Reach | Claim::ReachFromSingle(_))) => "Its last state is as asked for.".to_owned(),
        _ => "A run of the model under the policy.".to_owned(),
    }
}

/// Texts of what is rounded, where anything is.
fn exact(states: &[Option<State>], names: &Names<'_>) -> Option<Vec<Vec<Option<String>>>> {
    let texts = |state: &Option<State>| {
        state.as_ref().map_or_else(|| vec![None; names.slots.len()], |state| names.exact(state))
    };
    let states: Vec<Vec<Option<String>>> = states.iter().map(texts).collect();
    states.iter().flatten().any(Option::is_some).then_some(states)
}

/// A run as it is written.
pub(crate) fn written(witness: &Witness, names: &Names<'_>) -> Run {
    let records = std::iter::once(&witness.start).chain(witness.steps.iter().map(|step| &step.state));
    let records: Vec<_> = records.collect();
    // The last state again, earlier: the run can go round from there.
    let goes_on = records.split_last().and_then(|(last, before)| before.iter().rposition(|record| record == last));
    let exactly: Vec<_> = records.iter().map(|record| names.state_of(record)).collect();
    Run {
        shows: String::new(),
        exact: exact(&exactly, names),
        marks: vec![0; records.len()],
        steps: witness.steps.iter().map(|told| step(told, names)).collect(),
        states: records.into_iter().map(|record| names.record(record)).collect(),
        goes_on,
        exactly,
    }
}

fn step(told: &Told, names: &Names<'_>) -> Step {
    let label = told.label.as_ref().and_then(Option::as_deref);
    Step {
        action: label.and_then(|label| names.action(label)),
        operator: told.operator.clone(),
        outcome: outcome(told),
        probability: told.probability.as_ref().map(ToString::to_string),
        p: told.probability.as_ref().map(Rational::to_f64),
        choice: told.policy.as_ref().map(|decision| choice(decision, label, names)),
        float32: None,
    }
}

/// Which outcome the environment took, where something was left to chance; outcomes of several edges in their order.
fn outcome(told: &Told) -> Option<String> {
    let certain = told.probability.as_ref().is_none_or(|probability| *probability == Rational::ONE);
    let taken = told.outcome.as_ref().filter(|taken| !certain && !taken.is_empty())?;
    Some(format!("outcome {}", taken.iter().map(|taken| (taken + 1).to_string()).collect::<Vec<_>>().join(", ")))
}

fn choice(decision: &Decision, taken: Option<&str>, names: &Names<'_>) -> Choice {
    let action = |label: &str| names.action(label);
    let score = |score: &surefoot_certificate::Score| {
        Some(Score {
            action: action(&score.label)?,
            exact: score.exact.to_string(),
            value: score.exact.to_f64(),
            out: false,
        })
    };
    let chosen: Vec<u32> = decision.chosen.iter().filter_map(|label| action(label)).collect();
    // Where the environment moves without an action of the policy, the margin is that of the choice.
    let margin = decision.runner_up.as_ref().filter(|_| taken.is_some());
    Choice {
        network: decision.network.clone(),
        chosen,
        scores: decision.scores.iter().filter_map(score).collect(),
        runner_up: margin.and_then(|runner_up| action(&runner_up.label)),
        margin: margin.map(|runner_up| runner_up.exact.to_f64()),
        exact: margin.map(|runner_up| runner_up.exact.to_string()),
    }
}

/// The tree of runs that shows why a formula fails.
pub(crate) fn tree(result: &ResultObject, names: &Names<'_>) -> Option<Tree> {
    let Some(Evidence::Tree(tree)) = &result.witness else { return None };
    let nodes = tree.nodes.iter().map(|node| Node {
        state: names.record(&node.state),
        steps: node
            .steps
            .iter()
            .map(|step| Branch {
                action: step.label.as_deref().and_then(|label| names.action(label)),
                operator: step.operator.clone(),
                target: step.target,
            })
            .collect(),
        all: node.all_successors,
        for_ever: node.for_ever,
        shows: node.shows.clone(),
        rests: node.rests.clone(),
    });
    Some(Tree { nodes: nodes.collect() })
}
