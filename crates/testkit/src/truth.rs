//! The truth about a small model, by brute force with the reference interpreter: what every engine is compared with.
//!
//! A *run* begins in a start state, and each next state is a successor of the one before by an operator that the policy
//! permits. A policy is *unsafe* if some run comes to an unsafe state, and the model is *in error* where a condition,
//! guard, update or probability of a reachable state has no value. Here that is all there is: [`Truth::step`] looks at one
//! state, [`Truth::levels`] visits what is reachable, nearest first, and [`Truth::verdict`] sums it up. Nothing is
//! compiled, packed, abstracted or skipped, and nothing is shared with the engines but the interpreter.

use std::collections::HashSet;

use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::{EvalError, Interpreter, Model, ModelError, State, TermId};

/// A model under a policy, and what is asked about it. Without conditions nothing is unsafe and nothing ends a run.
#[derive(Debug, Clone)]
pub struct Truth<'m> {
    /// What a state means.
    pub interpreter: Interpreter<'m>,
    /// Who chooses; without one, nobody.
    pub policy: Option<&'m Policy>,
    /// Which states are unsafe.
    pub reach: Option<TermId>,
    /// Whether what comes after an unsafe state does not matter.
    pub stop_at_reach: bool,
    /// Which states are goals.
    pub goal: Option<TermId>,
    /// Whether runs end in them.
    pub goal_terminal: bool,
}

/// What can happen in a state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// The state is unsafe.
    pub reached: bool,
    /// Where the operators lead that are not in error, in their order.
    pub successors: Vec<State>,
    /// What has no value in the state, in the order in which it is met.
    pub errors: Vec<ModelError>,
    /// It is not known which operators there are: the goal condition, a guard or the policy has no value.
    pub unclear: bool,
}

/// States that are equally far from the start states, in the order found.
#[derive(Debug, Clone)]
pub struct Level {
    /// Each with what can happen in it.
    pub states: Vec<(State, Step)>,
    /// How many states are known, those of the next level included.
    pub known: usize,
}

/// What brute force says about all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Steps of a shortest run to an unsafe state.
    pub shortest: Option<usize>,
    /// Something has no value in a reachable state.
    pub error: bool,
    /// Some successors of a reachable state are not known.
    pub unclear: bool,
}

impl Verdict {
    /// Nothing is wrong.
    pub const CLEAN: Self = Self { shortest: None, error: false, unclear: false };
}

impl<'m> Truth<'m> {
    /// A model under a policy; nothing is asked.
    #[must_use]
    pub fn new(model: &'m Model, policy: Option<&'m Policy>) -> Self {
        let interpreter = policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy));
        Self { interpreter, policy, reach: None, stop_at_reach: false, goal: None, goal_terminal: false }
    }

    /// Whether a condition holds in a state; `None` where it has no value.
    #[must_use]
    pub fn holds(&self, condition: TermId, state: &State) -> Option<bool> {
        self.interpreter.holds(condition, state).ok()
    }

    /// The start states among some states. Where a condition has no value it does not hold.
    #[must_use]
    pub fn starts(&self, start: &StartSet, among: &[State]) -> Vec<State> {
        let is_start = |state: &&State| {
            start.conditions.iter().any(|condition| self.holds(*condition, state) == Some(true))
                || start.states.contains(state)
        };
        among.iter().filter(is_start).cloned().collect()
    }

    /// What can happen in a state.
    #[must_use]
    pub fn step(&self, state: &State) -> Step {
        let mut step = Step::default();
        let no_value = |error: EvalError| ModelError::evaluation(error, state.clone());
        match self.reach.map(|reach| self.interpreter.holds(reach, state)).transpose() {
            Ok(reached) => step.reached = reached.unwrap_or(false),
            Err(error) => step.errors.push(no_value(error)),
        }
        if step.reached && self.stop_at_reach {
            return step;
        }
        match self.goal.map(|goal| self.interpreter.holds(goal, state)).transpose() {
            Ok(goal) if goal == Some(true) && self.goal_terminal => return step,
            Ok(_) => {}
            Err(error) => return step.without_successors(no_value(error)),
        }
        let operators = match self.interpreter.permitted_operators(state, self.policy) {
            Ok(operators) => operators,
            Err(error) => return step.without_successors(error),
        };
        for operator in operators {
            match self.interpreter.choice(state, operator) {
                Ok(choice) => step.successors.extend(choice.outcomes.into_iter().flat_map(|o| o.successors)),
                Err(error) => step.errors.push(error),
            }
        }
        step
    }

    /// All states that runs from some states come to, each once, by their distance; one level after the other, as asked for.
    pub fn levels(&self, starts: Vec<State>) -> impl Iterator<Item = Level> {
        let mut known: HashSet<State> = HashSet::new();
        let mut next: Vec<State> = starts.into_iter().filter(|state| known.insert(state.clone())).collect();
        std::iter::from_fn(move || {
            if next.is_empty() {
                return None;
            }
            let here = std::mem::take(&mut next);
            let steps: Vec<Step> = here.iter().map(|state| self.step(state)).collect();
            let states: Vec<(State, Step)> = here.into_iter().zip(steps).collect();
            let successors = states.iter().flat_map(|(_, step)| &step.successors);
            next = successors.filter(|state| known.insert((*state).clone())).cloned().collect();
            Some(Level { states, known: known.len() })
        })
    }

    /// All states that runs from some states come to.
    #[must_use]
    pub fn reachable(&self, starts: Vec<State>) -> Vec<(State, Step)> {
        self.levels(starts).flat_map(|level| level.states).collect()
    }

    /// What all runs from some states say.
    #[must_use]
    pub fn verdict(&self, starts: Vec<State>) -> Verdict {
        let mut verdict = Verdict::default();
        for (depth, level) in self.levels(starts).enumerate() {
            for (_, step) in &level.states {
                if step.reached {
                    verdict.shortest = verdict.shortest.or(Some(depth));
                }
                verdict.error |= !step.errors.is_empty();
                verdict.unclear |= step.unclear;
            }
        }
        verdict
    }

    /// Whether each of these states follows the one before.
    #[must_use]
    pub fn are_steps(&self, states: &[State]) -> bool {
        states.windows(2).all(|pair| self.step(&pair[0]).successors.contains(&pair[1]))
    }
}

impl Step {
    fn without_successors(mut self, error: ModelError) -> Self {
        self.errors.push(error);
        self.unclear = true;
        self
    }
}
