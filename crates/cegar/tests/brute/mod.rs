//! Random models with policies, and brute force over all their states.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeSet;

use surefoot_abstraction::System;
use surefoot_fixtures::Random;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Interpreter, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, all_states, load_text, random_policy};
use surefoot_text::diagnostic::Diagnostic;

/// Models with more states are left out.
const MOST_STATES: usize = 4_000;

fn safety(lowered: &mut Lowered, property: usize) -> Safety {
    match lowered.question(property) {
        Ok(Question::Safety(safety)) => safety,
        other => panic!("not a safety property: {other:?}"),
    }
}

/// A random model with a policy and a safety property.
pub(crate) struct Instance {
    lowered: Lowered,
    policy: Option<Policy>,
    property: Safety,
    states: Vec<State>,
    goal_terminal: bool,
}

impl Instance {
    /// One for a random model; none if it has too many states.
    pub(crate) fn new(case: &Case, random: &mut Random) -> Option<Self> {
        let mut lowered = load_text(&case.jani);
        let mut properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(85) { random_policy(random, &lowered.model, &conditions) } else { None };
        let states = all_states(&lowered.model, MOST_STATES)?;
        let property = properties.swap_remove(random.below(PROPERTIES));
        let goal_terminal = random.percent(40);
        Some(Self { lowered, policy, property, states, goal_terminal })
    }

    /// What brute force needs.
    pub(crate) fn truth(&self) -> Truth<'_> {
        let (model, policy, property) = (&self.lowered.model, self.policy.as_ref(), &self.property);
        let interpreter = policy.map_or(Interpreter::new(model), |p| Interpreter::with_policy(model, p));
        let holds = |state: &&State| {
            let here = |condition: &TermId| interpreter.holds(*condition, state).unwrap_or(false);
            property.start.conditions.iter().any(here) || property.start.states.contains(state)
        };
        let start: Vec<State> = self.states.iter().filter(holds).cloned().collect();
        Truth { interpreter, policy, property, goal_terminal: self.goal_terminal, start, states: &self.states }
    }

    /// What engines work with.
    pub(crate) fn system(&self) -> Result<System<'_>, Diagnostic> {
        System::new(&self.lowered.model, self.policy.as_ref(), &self.property, self.goal_terminal)
    }
}

/// What brute force works with.
pub(crate) struct Truth<'m> {
    pub(crate) interpreter: Interpreter<'m>,
    pub(crate) policy: Option<&'m Policy>,
    pub(crate) property: &'m Safety,
    pub(crate) goal_terminal: bool,
    pub(crate) start: Vec<State>,
    /// All states of the domains.
    pub(crate) states: &'m [State],
}

/// What brute force says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Verdict {
    /// Steps of a shortest run to an unsafe state.
    pub(crate) shortest: Option<usize>,
    /// Some update or condition of a reachable state is an error.
    pub(crate) error: bool,
    /// Some guard or the policy has no value in a reachable state, so that its successors are not known.
    pub(crate) unclear: bool,
}

impl Truth<'_> {
    pub(crate) fn holds(&self, term: Option<TermId>, state: &State) -> Option<bool> {
        term.map_or(Some(false), |term| self.interpreter.holds(term, state).ok())
    }

    /// Successors of a state, and whether some operator is an error there; `None` where that has no answer.
    fn successors(&self, state: &State) -> Option<(Vec<State>, bool)> {
        if self.goal_terminal && self.holds(self.property.goal, state)? {
            return Some((Vec::new(), false));
        }
        let operators = self.interpreter.permitted_operators(state, self.policy).ok()?;
        let (mut successors, mut error) = (Vec::new(), false);
        for operator in operators {
            match self.interpreter.choice(state, operator) {
                Ok(choice) => successors.extend(choice.outcomes.into_iter().flat_map(|o| o.successors)),
                Err(_) => error = true,
            }
        }
        Some((successors, error))
    }

    /// Visits all reachable states, nearest first.
    pub(crate) fn verdict(&self) -> Verdict {
        let mut verdict = Verdict::default();
        let mut seen: BTreeSet<Vec<Rational>> = BTreeSet::new();
        let mut level = self.start.clone();
        let mut depth = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            for state in level {
                if !seen.insert(state.0.to_vec()) {
                    continue;
                }
                match self.holds(self.property.reach, &state) {
                    // What comes after an unsafe state does not matter.
                    Some(true) => {
                        verdict.shortest = verdict.shortest.or(Some(depth));
                        continue;
                    }
                    Some(false) => {}
                    None => verdict.error = true,
                }
                match self.successors(&state) {
                    Some((successors, error)) => {
                        verdict.error |= error;
                        next.extend(successors);
                    }
                    None => verdict.unclear = true,
                }
            }
            (level, depth) = (next, depth + 1);
        }
        verdict
    }

    /// Whether states are a run from a start state.
    pub(crate) fn is_run(&self, states: &[State]) -> bool {
        let steps =
            states.windows(2).all(|pair| self.successors(&pair[0]).is_some_and(|(next, _)| next.contains(&pair[1])));
        self.start.contains(&states[0]) && steps
    }
}
