//! Exact replay: is this sequence of states a run of the model under the policy that ends in the target?
//!
//! Everything goes through the reference interpreter and none of it through an engine. A run counts when its first
//! state is a start state, every step is an outcome of an operator that the policy permits, no step leaves a terminal
//! goal state, and its last state satisfies the target.

use surefoot_certificate::{Decision, EdgeTaken, ReadWitness, Score, Step, Witness};
use surefoot_model::model::Operator;
use surefoot_model::policy::Outputs;
use surefoot_model::{Choice, EvalError, LabelId, ModelError, State};
use surefoot_num::Rational;

use crate::float32::{self, FloatDecision};
use crate::problem::Problem;
use crate::states::{NoState, StateNames};

/// One step of a run that was replayed.
#[derive(Debug, Clone)]
pub struct ReplayedStep {
    /// The operator.
    pub operator: Operator,
    /// Its label.
    pub label: Option<LabelId>,
    /// The destination taken per participant.
    pub outcome: Vec<u32>,
    /// The probability of the outcome.
    pub probability: Rational,
    /// What the policy said, where it had a say.
    pub decision: Option<StepDecision>,
}

/// What the policy said in a step.
#[derive(Debug, Clone)]
pub struct StepDecision {
    /// The network that was asked.
    pub network: usize,
    /// The exact outputs.
    pub outputs: Vec<Rational>,
    /// The labels chosen.
    pub chosen: Vec<LabelId>,
    /// Whether each output was in the running: all, or the applicable ones.
    pub candidates: Vec<bool>,
    /// The same in single precision.
    pub float: FloatDecision,
}

impl StepDecision {
    /// The best of the other outputs that were in the running; of equals the first.
    #[must_use]
    pub fn runner_up(&self, taken: usize) -> Option<usize> {
        let others = (0..self.outputs.len()).filter(|i| self.candidates[*i] && *i != taken);
        others.max_by(|a, b| self.outputs[*a].cmp(&self.outputs[*b]).then(b.cmp(a)))
    }
}

/// A run that is real.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// Its states, the start state first.
    pub states: Vec<State>,
    /// Its steps, one less.
    pub steps: Vec<ReplayedStep>,
    /// The same, to be written down.
    pub witness: Witness,
}

/// Why a run is not real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReal {
    /// The start state is none.
    Start(String),
    /// A step cannot be taken, counted from 1.
    Step(usize, String),
    /// The last state is not in the target.
    End(String),
}

impl std::fmt::Display for NotReal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(reason) => write!(f, "the start state: {reason}"),
            Self::Step(step, reason) => write!(f, "step {step}: {reason}"),
            Self::End(reason) => write!(f, "the last state: {reason}"),
        }
    }
}

/// Why a witness was not found to be real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessError {
    /// It is not.
    NotReal(NotReal),
    /// It is about another model: what does not fit, and in which state (0 = the start).
    OtherModel(usize, String),
}

/// Replays a sequence of states.
///
/// # Errors
/// [`NotReal`], with the first thing that is wrong.
pub fn replay(problem: &Problem, states: &[State]) -> Result<Replayed, NotReal> {
    Replay::new(problem).run(states, None)
}

/// Replays a witness: its states, and everything it says about each step except the words for people.
///
/// # Errors
/// [`WitnessError`], with the first thing that is wrong.
pub fn replay_witness(problem: &Problem, read: &ReadWitness) -> Result<Replayed, WitnessError> {
    let replay = Replay::new(problem);
    let records = std::iter::once(&read.witness.start).chain(read.witness.steps.iter().map(|s| &s.state));
    let mut states = Vec::with_capacity(read.witness.steps.len() + 1);
    for (i, record) in records.enumerate() {
        states.push(replay.names.state(problem.model(), record).map_err(|error| match error {
            NoState::OtherModel(reason) => WitnessError::OtherModel(i, reason),
            NoState::NoSuchValue(reason) if i == 0 => WitnessError::NotReal(NotReal::Start(reason)),
            NoState::NoSuchValue(reason) => WitnessError::NotReal(NotReal::Step(i, reason)),
        })?);
    }
    replay.run(&states, Some(&read.witness.steps)).map_err(WitnessError::NotReal)
}

/// Whether a state is a start state of a problem.
pub(crate) fn start(problem: &Problem, state: &State) -> Result<(), String> {
    Replay::new(problem).check_start(state)
}

/// Replays one step.
pub(crate) fn step(problem: &Problem, from: &State, to: &State) -> Result<ReplayedStep, String> {
    Replay::new(problem).step(from, to, None)
}

/// Replayed steps as a run to be written down.
pub(crate) fn written(problem: &Problem, states: &[State], steps: &[ReplayedStep]) -> Witness {
    Replay::new(problem).witness(states, steps)
}

struct Replay<'p> {
    problem: &'p Problem,
    names: StateNames,
}

impl<'p> Replay<'p> {
    fn new(problem: &'p Problem) -> Self {
        Self { problem, names: StateNames::new(problem.model()) }
    }

    fn run(&self, states: &[State], claims: Option<&[Step]>) -> Result<Replayed, NotReal> {
        let Some((start, last)) = states.first().zip(states.last()) else {
            return Err(NotReal::Start("there is none".to_owned()));
        };
        self.check_start(start).map_err(NotReal::Start)?;
        let mut steps = Vec::with_capacity(states.len() - 1);
        for (i, pair) in states.windows(2).enumerate() {
            let claim = claims.and_then(|claims| claims.get(i));
            steps.push(self.step(&pair[0], &pair[1], claim).map_err(|reason| NotReal::Step(i + 1, reason))?);
        }
        self.check_end(last).map_err(NotReal::End)?;
        let witness = self.witness(states, &steps);
        Ok(Replayed { states: states.to_vec(), steps, witness })
    }

    fn check_start(&self, state: &State) -> Result<(), String> {
        let (model, query) = (self.problem.model(), &self.problem.query);
        for (i, (slot, value)) in model.slots.iter().zip(&state.0).enumerate() {
            if !slot.domain.contains(value) {
                return Err(format!("{value} is no value of '{}' ({})", self.names.slot(i), slot.domain.describe()));
            }
        }
        for condition in &query.start.conditions {
            if self.holds(*condition, state)? {
                return Ok(());
            }
        }
        if query.lists(state) { Ok(()) } else { Err("it is not in the start set".to_owned()) }
    }

    fn check_end(&self, state: &State) -> Result<(), String> {
        match self.problem.query.target {
            Some(target) if self.holds(target, state)? => Ok(()),
            Some(_) if self.problem.query.claim.is_some_and(crate::question::Claim::is_avoidance) => {
                Err("it is not unsafe: the property's condition does not hold there".to_owned())
            }
            Some(_) => Err("the property's condition does not hold there".to_owned()),
            None => Err("the property does not say which states to look for".to_owned()),
        }
    }

    fn holds(&self, term: surefoot_model::TermId, state: &State) -> Result<bool, String> {
        self.problem.interpreter().holds(term, state).map_err(|error| self.failure(error, state))
    }

    fn failure(&self, error: EvalError, state: &State) -> String {
        ModelError::evaluation(error, state.clone()).describe(self.problem.model())
    }

    fn step(&self, from: &State, to: &State, claim: Option<&Step>) -> Result<ReplayedStep, String> {
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
        let interpreter = self.problem.interpreter();
        let error = |error: ModelError| error.describe(model);
        let enabled = interpreter.enabled_operators(from).map_err(error)?;
        let permitted = interpreter.permitted_operators(from, self.problem.policy()).map_err(error)?;
        let mut trouble = None;
        let mut mismatch = None;
        for operator in &permitted {
            // An error of another operator does not make this step unreal; it matters when nothing else leads there.
            let choice = match interpreter.choice(from, operator.clone()) {
                Ok(choice) => choice,
                Err(error) => {
                    trouble.get_or_insert_with(|| error.describe(model));
                    continue;
                }
            };
            for outcome in choice.outcomes.iter().filter(|o| o.successors.contains(to)) {
                let decision = self.decision(from, &enabled, choice.label)?;
                let step = ReplayedStep {
                    operator: operator.clone(),
                    label: choice.label,
                    outcome: outcome.destinations.clone(),
                    probability: outcome.probability.clone(),
                    decision,
                };
                match claim.and_then(|claim| self.contradiction(&step, claim)) {
                    None => return Ok(step),
                    // The first claim that is wrong of the candidate that gets furthest is the one to tell.
                    Some(found) if mismatch.as_ref().is_none_or(|(rank, _)| found.0 > *rank) => mismatch = Some(found),
                    Some(_) => {}
                }
            }
        }
        Err(match (mismatch, trouble) {
            (Some((_, reason)), _) => reason,
            (None, Some(error)) => format!("no move leads to the state after it, and the model is in error: {error}"),
            (None, None) => self.why_not(from, to, &enabled, &permitted),
        })
    }

    /// Why no permitted operator leads from one state to the other.
    fn why_not(&self, from: &State, to: &State, enabled: &[Operator], permitted: &[Operator]) -> String {
        let (model, interpreter) = (self.problem.model(), self.problem.interpreter());
        let leads = |choice: &Choice| choice.outcomes.iter().any(|o| o.successors.contains(to));
        let forbidden = enabled
            .iter()
            .filter(|o| !permitted.contains(o))
            .filter_map(|o| interpreter.choice(from, o.clone()).ok())
            .find(leads);
        if let Some(choice) = forbidden {
            let chosen = self.decision(from, enabled, choice.label).ok().flatten();
            let chosen = chosen.map_or_else(Vec::new, |d| d.chosen);
            let chosen: Vec<String> = chosen.iter().map(|l| format!("'{}'", model.labels[l.0 as usize])).collect();
            let chosen = if chosen.is_empty() { "nothing".to_owned() } else { chosen.join(", ") };
            let operator = model.describe_operator(&choice.operator);
            return format!("the policy chooses {chosen}, so {operator} is not taken");
        }
        match (enabled.is_empty(), permitted.is_empty()) {
            (true, _) => "no move is possible in the state before it".to_owned(),
            (false, true) => "the policy's choice is not applicable in the state before it: the run stops".to_owned(),
            _ => "no possible move leads from the state before it to the state after it".to_owned(),
        }
    }

    /// What the policy says about a label in a state; nothing about moves of the environment.
    fn decision(
        &self,
        state: &State,
        enabled: &[Operator],
        label: Option<LabelId>,
    ) -> Result<Option<StepDecision>, String> {
        let Some(policy) = self.problem.policy() else { return Ok(None) };
        let interpreter = self.problem.interpreter();
        let candidates = match &policy.outputs {
            Outputs::Labels(labels) => {
                if !label.is_some_and(|l| labels.contains(&l)) {
                    return Ok(None);
                }
                let applicable = self.applicable(enabled);
                labels.iter().map(|l| !policy.filter || applicable.contains(l)).collect()
            }
            // Values of variables that the step need not read: without a network there are none to tell of.
            Outputs::Transients(variables) => match policy.network_at(&interpreter, state) {
                Ok(_) => vec![true; variables.len()],
                Err(_) => return Ok(None),
            },
        };
        let applicable = self.applicable(enabled);
        let failed = |error| self.failure(error, state);
        let permitted = policy.permitted(&interpreter, state, &applicable).map_err(failed)?;
        let float = float32::decide(policy, &interpreter, state, &applicable).map_err(failed)?;
        let surefoot_model::policy::Permitted { outputs, network, labels: chosen } = permitted;
        Ok(Some(StepDecision { network, outputs, chosen, candidates, float }))
    }

    fn applicable(&self, enabled: &[Operator]) -> Vec<LabelId> {
        enabled.iter().filter_map(|o| self.problem.model().vectors[o.vector as usize].label).collect()
    }

    /// The first thing a witness says about a step that is not so, and how far down the list that was.
    fn contradiction(&self, step: &ReplayedStep, claim: &Step) -> Option<(usize, String)> {
        let model = self.problem.model();
        let is = self.written(step, &claim.state);
        let shown = |label: &Option<String>| label.as_ref().map_or("silent".to_owned(), |l| format!("'{l}'"));
        if let (Some(claimed), Some(label)) = (&claim.label, &is.label)
            && claimed != label
        {
            return Some((0, format!("the witness says the action is {}, but it is {}", shown(claimed), shown(label))));
        }
        if claim.edges.is_some() && claim.edges != is.edges {
            let operator = model.describe_operator(&step.operator);
            return Some((1, format!("the edges that the witness names are not those that are taken: {operator}")));
        }
        if claim.outcome.is_some() && claim.outcome != is.outcome {
            let message = format!(
                "the outcome that the witness names ({:?}) does not lead to the state after it, but {:?} does",
                claim.outcome.as_deref().unwrap_or_default(),
                step.outcome
            );
            return Some((2, message));
        }
        if let Some(claimed) = claim.probability.as_ref().filter(|p| **p != step.probability) {
            let message = format!("the witness says the probability is {claimed}, but it is {}", step.probability);
            return Some((3, message));
        }
        let Some(claimed) = &claim.policy else { return None };
        let Some(said) = &is.policy else {
            return Some((4, "the witness has a decision of the policy, but the policy has no say in it".to_owned()));
        };
        for score in &claimed.scores {
            match said.scores.iter().find(|s| s.label == score.label) {
                Some(known) if known.exact == score.exact => {}
                Some(known) => {
                    let message = format!(
                        "the witness says the policy's score of '{}' is {}, but it is {}",
                        score.label, score.exact, known.exact
                    );
                    return Some((5, message));
                }
                None => return Some((5, format!("the policy has no score of '{}'", score.label))),
            }
        }
        if claimed.chosen != said.chosen {
            let list = |labels: &[String]| labels.join(", ");
            let message = format!(
                "the witness says the policy chooses {}, but it chooses {}",
                list(&claimed.chosen),
                list(&said.chosen)
            );
            return Some((6, message));
        }
        if let (Some(claimed), Some(is)) = (&claimed.runner_up, &said.runner_up)
            && claimed != is
        {
            let message = format!(
                "the witness says the choice is {} ahead of '{}', but it is {} ahead of '{}'",
                claimed.exact, claimed.label, is.exact, is.label
            );
            return Some((7, message));
        }
        None
    }

    fn written(&self, step: &ReplayedStep, state: &surefoot_certificate::StateRecord) -> Step {
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

    fn witness(&self, states: &[State], steps: &[ReplayedStep]) -> Witness {
        let record = |state| self.names.record(self.problem.model(), state);
        let steps = steps.iter().zip(&states[1..]).map(|(step, state)| self.written(step, &record(state))).collect();
        let property = self.problem.property.as_ref().map(|p| p.name.clone());
        Witness { property, start: record(&states[0]), steps }
    }
}
