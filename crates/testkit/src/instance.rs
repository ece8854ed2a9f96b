//! A random model with a random policy and one of its safety properties, small enough for brute force.

use surefoot_fixtures::Random;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Model, State, TermId};

use crate::data::load_text;
use crate::generate::PROPERTIES;
use crate::policy::{curved, random_policy};
use crate::shrink::Case;
use crate::states::all_states;
use crate::truth::Truth;

/// Models with more states are left out.
const MOST_STATES: usize = 4_000;

/// A safety property of a model.
///
/// # Panics
/// If the property is another one.
#[must_use]
pub fn safety(lowered: &mut Lowered, property: usize) -> Safety {
    match lowered.question(property) {
        Ok(Question::Safety(safety)) => safety,
        other => panic!("not a safety property: {other:?}"),
    }
}

/// A random model with a policy and a safety property.
#[derive(Debug)]
pub struct Instance {
    lowered: Lowered,
    /// Who chooses.
    pub policy: Option<Policy>,
    /// What is asked.
    pub property: Safety,
    /// Whether runs end in goal states.
    pub goal_terminal: bool,
    /// All states of the domains.
    pub states: Vec<State>,
}

impl Instance {
    /// One for a random model; none if it has too many states.
    #[must_use]
    pub fn new(case: &Case, random: &mut Random) -> Option<Self> {
        let mut lowered = load_text(&case.jani);
        let mut properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let policy = if random.percent(85) { random_policy(random, &lowered.model, &conditions) } else { None };
        let states = all_states(&lowered.model, MOST_STATES)?;
        let property = properties.swap_remove(random.below(PROPERTIES));
        let goal_terminal = random.percent(40);
        Some(Self { lowered, policy, property, goal_terminal, states })
    }

    /// The same with a policy that is not piecewise linear over the reals, mostly; none without a policy.
    #[must_use]
    pub fn curved(mut self, random: &mut Random) -> Option<Self> {
        self.policy = Some(curved(random, self.policy?));
        Some(self)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.lowered.model
    }

    /// What brute force works with: runs end in unsafe states.
    #[must_use]
    pub fn truth(&self) -> Truth<'_> {
        // Where runs do not end in goals, nobody asks for them.
        let goal = self.property.goal.filter(|_| self.goal_terminal);
        let (reach, goal_terminal) = (self.property.reach, self.goal_terminal);
        Truth { reach, stop_at_reach: true, goal, goal_terminal, ..Truth::new(self.model(), self.policy.as_ref()) }
    }

    /// The start states.
    #[must_use]
    pub fn starts(&self) -> Vec<State> {
        self.truth().starts(&self.property.start, &self.states)
    }
}
