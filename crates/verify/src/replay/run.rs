//! The run itself: start, steps, end.

use surefoot_certificate::Step;
use surefoot_model::model::Operator;
use surefoot_model::policy::Outputs;
use surefoot_model::{Choice, EvalError, LabelId, ModelError, SlotId, State, TermId};
use surefoot_num::Rational;

use super::{NotReal, Replayed, ReplayedStep, StepDecision};
use crate::float32;
use crate::problem::Problem;
use crate::states::StateNames;

pub(super) struct Replay<'p> {
    pub(super) problem: &'p Problem,
    pub(super) names: StateNames,
}

impl<'p> Replay<'p> {
    pub(super) fn new(problem: &'p Problem) -> Self {
        Self { problem, names: StateNames::new(problem.model()) }
    }

    /// Replays a run that need not end anywhere.
    pub(super) fn run(&self, states: &[State], claims: Option<&[Step]>) -> Result<Replayed, NotReal> {
        let Some(start) = states.first() else {
            return Err(NotReal::Start("there is none".to_owned()));
        };
        self.check_start(start).map_err(NotReal::Start)?;
        let mut steps = Vec::with_capacity(states.len() - 1);
        for (i, pair) in states.windows(2).enumerate() {
            let claim = claims.and_then(|claims| claims.get(i));
            steps.push(self.step(&pair[0], &pair[1], claim).map_err(|reason| NotReal::Step(i + 1, reason))?);
        }
        let witness = self.witness(states, &steps);
        Ok(Replayed { states: states.to_vec(), steps, witness })
    }

    /// How many of the first states are left before the run stays for ever in one without successors. Steps of which anything is said are moves.
    pub(super) fn moving(&self, states: &[State], steps: &[Step]) -> usize {
        let says_nothing = |step: &Step| {
            let unnamed = step.label.as_ref().is_none_or(Option::is_none) && step.policy.is_none();
            unnamed && step.edges.is_none() && step.outcome.is_none() && step.probability.is_none()
        };
        let Some(last) = states.last() else { return 0 };
        let stays = states.iter().zip(steps).rev().take_while(|(state, step)| *state == last && says_nothing(step));
        let stays = stays.count();
        // Soundness: only where nothing at all can happen is it no step to stay.
        if stays > 0 && self.successors(last).is_ok_and(|next| next.is_empty()) {
            states.len() - stays
        } else {
            states.len()
        }
    }

    pub(super) fn check_start(&self, state: &State) -> Result<(), String> {
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

    /// That a state is one that the property looks for.
    pub(super) fn check_end(&self, state: &State) -> Result<(), String> {
        match self.problem.query.target {
            Some(target) if self.holds(target, state)? => Ok(()),
            Some(_) if self.problem.query.claim.is_some_and(crate::question::Claim::is_avoidance) => {
                Err("it is not unsafe: the property's condition does not hold there".to_owned())
            }
            Some(_) => Err("the property's condition does not hold there".to_owned()),
            None => Err("the property does not say which states to look for".to_owned()),
        }
    }

    fn holds(&self, term: TermId, state: &State) -> Result<bool, String> {
        self.problem.interpreter().holds(term, state).map_err(|error| self.failure(error, state))
    }

    fn failure(&self, error: EvalError, state: &State) -> String {
        ModelError::evaluation(error, state.clone()).describe(self.problem.model())
    }

    pub(super) fn step(&self, from: &State, to: &State, claim: Option<&Step>) -> Result<ReplayedStep, String> {
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

    /// All states that can follow one, each once; none after a terminal goal state.
    pub(super) fn successors(&self, state: &State) -> Result<Vec<State>, String> {
        let query = &self.problem.query;
        if let Some(goal) = query.goal.filter(|_| query.goal_terminal)
            && self.holds(goal, state)?
        {
            return Ok(Vec::new());
        }
        let choices = self.problem.interpreter().permitted_choices(state, self.problem.policy());
        let choices = choices.map_err(|error| error.describe(self.problem.model()))?;
        let outcomes = choices.into_iter().flat_map(|choice| choice.outcomes);
        let mut found: Vec<State> = outcomes.flat_map(|outcome| outcome.successors).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The possible step whose end is nearest to a state: by how many variables differ, then by how much. Of equals the first.
    fn nearest(&self, from: &State, to: &State, permitted: &[Operator]) -> Option<String> {
        let (model, interpreter) = (self.problem.model(), self.problem.interpreter());
        let differs = |end: &State| (0..end.0.len()).filter(|i| end.0[*i] != to.0[*i]).collect::<Vec<usize>>();
        let distance = |end: &State| {
            let apart = end.0.iter().zip(&to.0).map(|(a, b)| (a - b).abs());
            (differs(end).len(), apart.fold(Rational::ZERO, |sum, part| &sum + &part))
        };
        let choices = permitted.iter().filter_map(|operator| interpreter.choice(from, operator.clone()).ok());
        let ends = choices.flat_map(|choice| {
            let label = choice.label;
            choice.outcomes.into_iter().flat_map(|outcome| outcome.successors).map(move |end| (label, end))
        });
        let (label, end) = ends.min_by_key(|(_, end)| distance(end))?;
        let action = label.map_or("a silent move".to_owned(), |l| format!("'{}'", model.labels[l.0 as usize]));
        let value = |slot: usize, state: &State| model.describe_value(SlotId::at(slot), &state.0[slot]);
        let different = differs(&end).into_iter().map(|slot| {
            format!("{} is {} after it, not {}", self.names.slot(slot), value(slot, &end), value(slot, to))
        });
        Some(format!("the nearest is {action}: {}", different.collect::<Vec<_>>().join(", ")))
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
            let nearest = self.nearest(from, to, permitted).map_or(String::new(), |nearest| format!("; {nearest}"));
            return format!("the policy chooses {chosen}, so {operator} is not taken{nearest}");
        }
        match (enabled.is_empty(), permitted.is_empty()) {
            (true, _) => "no move is possible in the state before it".to_owned(),
            (false, true) => "the policy's choice is not applicable in the state before it: the run stops".to_owned(),
            _ => {
                let none = "no possible move leads from the state before it to the state after it";
                self.nearest(from, to, permitted).map_or(none.to_owned(), |nearest| format!("{none}; {nearest}"))
            }
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
}
