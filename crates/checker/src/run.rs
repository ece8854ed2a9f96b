//! Certificates of runs: a run of the model under the policy leads from a start state to the target.
//!
//! The run is a [`Witness`] in one line. It is stepped through in the reference interpreter alone, and everything that it tells is compared: each step names its operator by label and edges,
//! its outcome and probability, the outputs of the policy as exact fractions, what is chosen and by how much, and the state after it. Only the names of networks are for people: their
//! folders are not compared.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use surefoot_certificate::{CertificateLines, Decision, EdgeTaken, Score, StateRecord, Step, Witness, trouble};
use surefoot_model::model::Operator;
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{EvalError, LabelId, ModelError, State, TermId};
use surefoot_problem::{NoState, Problem, StateNames};

use crate::refused::Refused;

/// Checks the lines after the index; says how many states the run has, and how long the text is.
///
/// # Errors
/// The first thing that is not so, or what cannot be read.
pub fn check(problem: &Problem, mut lines: CertificateLines) -> Result<(u64, u64), Refused> {
    let line = lines.next("the run")?;
    let read = serde_json::from_str::<Value>(line).and_then(|told| Ok((Witness::deserialize(&told)?, told)));
    let (witness, told) =
        read.map_err(|error| lines.wrong(format!("the run was expected, but it is none: {}", trouble(&error))))?;
    // Readers of witnesses look over what they do not know. Here all that is told is compared, so nothing else may be told.
    // (Both sides go through one reader: floats need not come back as they were written.)
    let written = serde_json::to_string(&witness).and_then(|text| serde_json::from_str::<Value>(&text));
    if written.ok() != Some(told) {
        return Err(lines.wrong("the run tells something that is not known, or not as it is written").into());
    }
    lines.next("the last line")?;
    let raw_bytes = lines.raw_bytes();
    lines.finish(&[])?;
    let run = Run { problem, names: StateNames::new(problem.model()) };
    run.check(&witness)?;
    Ok((witness.steps.len() as u64 + 1, raw_bytes))
}

struct Run<'p> {
    problem: &'p Problem,
    names: StateNames,
}

impl Run<'_> {
    fn check(&self, witness: &Witness) -> Result<(), Refused> {
        let own = self.problem.property.as_ref().map(|property| &property.name);
        if witness.property.as_ref() != own {
            let why = format!("it is {:?}, but the run is about {:?}", own, witness.property);
            return Err(Refused::rejected("the run: its property", why));
        }
        let mut state = self.start(&witness.start).map_err(|why| Refused::rejected("the run: its start state", why))?;
        for (i, step) in witness.steps.iter().enumerate() {
            let next =
                self.step(&state, step).map_err(|why| Refused::rejected(format!("the run: step {}", i + 1), why));
            state = next?;
        }
        self.end(&state).map_err(|why| Refused::rejected("the run: its last state", why))
    }

    /// The state of a record: every slot named, every value in its domain.
    fn state(&self, record: &StateRecord) -> Result<State, String> {
        let state = self.names.state(self.problem.model(), record).map_err(|error| match error {
            NoState::OtherModel(why) | NoState::NoSuchValue(why) => why,
        })?;
        // Names that are told twice, and in another order, are not what a writer writes.
        let own = self.names.record(self.problem.model(), &state);
        if own == *record {
            Ok(state)
        } else {
            Err("it does not name every location and variable once, in order".to_owned())
        }
    }

    fn start(&self, record: &StateRecord) -> Result<State, String> {
        let state = self.state(record)?;
        let query = &self.problem.query;
        for condition in &query.start.conditions {
            if self.holds(*condition, &state)? {
                return Ok(state);
            }
        }
        if query.lists(&state) { Ok(state) } else { Err("it is not in the start set".to_owned()) }
    }

    fn end(&self, state: &State) -> Result<(), String> {
        match self.problem.query.target {
            Some(target) if self.holds(target, state)? => Ok(()),
            _ => Err("the target does not hold there".to_owned()),
        }
    }

    fn holds(&self, term: TermId, state: &State) -> Result<bool, String> {
        self.problem.interpreter().holds(term, state).map_err(|error| self.failure(error, state))
    }

    fn failure(&self, error: EvalError, state: &State) -> String {
        ModelError::evaluation(error, state.clone()).describe(self.problem.model())
    }

    /// The state after a step, if the step can be taken and is as it is told.
    fn step(&self, from: &State, told: &Step) -> Result<State, String> {
        let (model, query) = (self.problem.model(), &self.problem.query);
        if query.initial_only {
            return Err("the property is about start states only".to_owned());
        }
        if query.goal_terminal
            && let Some(goal) = query.goal
            && self.holds(goal, from)?
        {
            return Err("the run has ended before it, in a terminal goal state".to_owned());
        }
        let to = self.state(&told.state)?;
        let (Some(label), Some(edges), Some(outcome)) = (&told.label, &told.edges, &told.outcome) else {
            return Err("its label, its edges or its outcome is not told".to_owned());
        };
        let interpreter = self.problem.interpreter();
        let in_words = |error: ModelError| error.describe(model);
        let enabled = interpreter.enabled_operators(from).map_err(in_words)?;
        let is_told = |operator: &&Operator| self.label_of(operator) == *label && self.edges_of(operator) == *edges;
        let Some(operator) = enabled.iter().find(is_told) else {
            return Err("the operator that it names is not enabled in the state before it".to_owned());
        };
        // Operators of the same label and edges are of vectors that say the same: one speaks for all.
        let permitted = interpreter.permitted_operators(from, self.problem.policy()).map_err(in_words)?;
        if !permitted.contains(operator) {
            return Err("the policy does not choose the label of its operator".to_owned());
        }
        if told.operator.as_ref() != Some(&model.describe_operator(operator)) {
            return Err("its operator in words is another one".to_owned());
        }
        let choice = interpreter.choice(from, operator.clone()).map_err(in_words)?;
        let Some(taken) = choice.outcomes.iter().find(|taken| taken.destinations == *outcome) else {
            return Err(format!("its operator has no outcome {outcome:?} there"));
        };
        if told.probability.as_ref() != Some(&taken.probability) {
            return Err(format!("the probability of its outcome is {}", taken.probability));
        }
        if !taken.successors.contains(&to) {
            return Err("its outcome does not lead to the state after it".to_owned());
        }
        let label = model.vectors[operator.vector as usize].label;
        let said = match self.problem.policy() {
            Some(policy) => self.decision(policy, from, &enabled, label)?,
            None => None,
        };
        compare(told.policy.as_ref(), said.as_ref())?;
        Ok(to)
    }

    fn name(&self, label: LabelId) -> String {
        self.problem.model().labels[label.0 as usize].to_string()
    }

    fn label_of(&self, operator: &Operator) -> Option<String> {
        self.problem.model().vectors[operator.vector as usize].label.map(|label| self.name(label))
    }

    fn edges_of(&self, operator: &Operator) -> Vec<EdgeTaken> {
        let model = self.problem.model();
        let participants = &model.vectors[operator.vector as usize].participants;
        let edge = |(participant, edge): (&surefoot_model::model::Participant, &u32)| EdgeTaken {
            automaton: self.names.instance(participant.instance).to_owned(),
            edge: model.instances[participant.instance].edges[*edge as usize].number,
        };
        participants.iter().zip(&operator.edges).map(edge).collect()
    }

    /// What the policy says where it has a say: about labels that are its outputs, or about values that it computes.
    fn decision(
        &self,
        policy: &Policy,
        state: &State,
        enabled: &[Operator],
        label: Option<LabelId>,
    ) -> Result<Option<Decision>, String> {
        let (model, interpreter) = (self.problem.model(), self.problem.interpreter());
        let taken = label.and_then(|label| policy.output_of_label(label));
        let names: Vec<String> = match &policy.outputs {
            Outputs::Labels(_) if taken.is_none() => return Ok(None),
            Outputs::Labels(labels) => labels.iter().map(|label| self.name(*label)).collect(),
            // Without a network there are no values, and the step reads none.
            Outputs::Transients(_) if policy.network_at(&interpreter, state).is_err() => return Ok(None),
            Outputs::Transients(variables) => {
                variables.iter().map(|variable| model.transients[variable.0 as usize].name.to_string()).collect()
            }
        };
        let applicable: Vec<LabelId> =
            enabled.iter().filter_map(|operator| model.vectors[operator.vector as usize].label).collect();
        let permitted =
            policy.permitted(&interpreter, state, &applicable).map_err(|error| self.failure(error, state))?;
        let in_running = |i: &usize| match &policy.outputs {
            Outputs::Labels(labels) => !policy.filter || applicable.contains(&labels[*i]),
            Outputs::Transients(_) => true,
        };
        let outputs = &permitted.outputs;
        let runner_up = taken.and_then(|taken| {
            let others = (0..outputs.len()).filter(|i| *i != taken).filter(in_running);
            // Of equals the first.
            let next = others.max_by(|a, b| outputs[*a].cmp(&outputs[*b]).then(b.cmp(a)))?;
            Some(Score { label: names[next].clone(), exact: &outputs[taken] - &outputs[next] })
        });
        let scores = names.iter().zip(outputs);
        Ok(Some(Decision {
            network: policy.networks[permitted.network].file.clone(),
            chosen: permitted.labels.iter().map(|label| self.name(*label)).collect(),
            scores: scores.map(|(label, exact)| Score { label: label.clone(), exact: exact.clone() }).collect(),
            runner_up,
        }))
    }
}

/// That what is told of the policy is what it says.
fn compare(told: Option<&Decision>, said: Option<&Decision>) -> Result<(), String> {
    let (told, said) = match (told, said) {
        (None, None) => return Ok(()),
        (Some(told), Some(said)) => (told, said),
        (None, Some(_)) => return Err("what the policy says is not told".to_owned()),
        (Some(_), None) => return Err("the policy has no say in it".to_owned()),
    };
    if told.scores.len() != said.scores.len() {
        return Err("it does not tell each output of the policy once".to_owned());
    }
    for (told, said) in told.scores.iter().zip(&said.scores) {
        if told.label != said.label {
            return Err(format!("the output of '{}' was expected, but that of '{}' is told", said.label, told.label));
        }
        if told.exact != said.exact {
            return Err(format!("the policy's output of '{}' is {}, not {}", said.label, said.exact, told.exact));
        }
    }
    if told.chosen != said.chosen {
        return Err(format!("the policy chooses {:?}, not {:?}", said.chosen, told.chosen));
    }
    if told.runner_up != said.runner_up {
        return Err("another output comes next, or by another margin".to_owned());
    }
    let file = |network: &str| Path::new(network).file_name().map(ToOwned::to_owned);
    if file(&told.network) != file(&said.network) {
        return Err(format!("the network that decides is {}, not {}", said.network, told.network));
    }
    Ok(())
}
