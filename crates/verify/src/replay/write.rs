//! Replayed runs as witnesses to be written down.

use surefoot_certificate::{Decision, EdgeTaken, Score, Step, Witness};
use surefoot_model::policy::Outputs;
use surefoot_model::{LabelId, State};

use super::ReplayedStep;
use super::run::Replay;

impl Replay<'_> {
    pub(super) fn written(&self, step: &ReplayedStep, state: &surefoot_certificate::StateRecord) -> Step {
        let model = self.problem.model();
        let vector = &model.vectors[step.operator.vector as usize];
        let name = |label: LabelId| model.labels[label.0 as usize].to_string();
        let edges = vector.participants.iter().zip(&step.operator.edges).map(|(participant, edge)| EdgeTaken {
            automaton: self.names.instance(participant.instance).to_owned(),
            edge: model.instances[participant.instance].edges[*edge as usize].number,
        });
        let policy = step.decision.as_ref().zip(self.problem.policy()).map(|(decision, policy)| {
            let names: Vec<String> = match &policy.outputs {
                Outputs::Labels(labels) => labels.iter().map(|l| name(*l)).collect(),
                Outputs::Transients(variables) => {
                    variables.iter().map(|t| model.transients[t.0 as usize].name.to_string()).collect()
                }
            };
            let taken = match &policy.outputs {
                Outputs::Labels(labels) => labels.iter().position(|label| Some(*label) == step.label),
                Outputs::Transients(_) => None,
            };
            let runner_up = taken.and_then(|taken| {
                let next = decision.runner_up(taken)?;
                let exact = &decision.outputs[taken] - &decision.outputs[next];
                Some(Score { label: names[next].clone(), exact })
            });
            Decision {
                runner_up,
                network: policy.networks[decision.network].file.clone(),
                chosen: decision.chosen.iter().map(|l| name(*l)).collect(),
                scores: names
                    .into_iter()
                    .zip(&decision.outputs)
                    .map(|(label, exact)| Score { label, exact: exact.clone() })
                    .collect(),
            }
        });
        Step {
            operator: Some(model.describe_operator(&step.operator)),
            label: Some(step.label.map(name)),
            edges: Some(edges.collect()),
            outcome: Some(step.outcome.clone()),
            probability: Some(step.probability.clone()),
            policy,
            state: state.clone(),
        }
    }

    pub(super) fn witness(&self, states: &[State], steps: &[ReplayedStep]) -> Witness {
        let record = |state| self.names.record(self.problem.model(), state);
        let steps = steps.iter().zip(&states[1..]).map(|(step, state)| self.written(step, &record(state))).collect();
        let property = self.problem.property.as_ref().map(|p| p.name.clone());
        Witness { property, start: record(&states[0]), steps }
    }
}
