//! Random models with two policies, and what is so by brute force.

#![allow(dead_code, reason = "each test file uses its own part")]

use surefoot_diff::{Opinion, Policies};
use surefoot_fixtures::Random;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::property::Safety;
use surefoot_model::{Interpreter, LabelId, State, TermId};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::policy::curved;
use surefoot_testkit::{Case, all_states, load_text, random_policy, rival, safety};

/// A random model with two policies over the same labels.
pub(crate) struct Duel {
    pub(crate) lowered: Lowered,
    pub(crate) old: Policy,
    pub(crate) new: Policy,
    pub(crate) properties: Vec<Safety>,
    pub(crate) states: Vec<State>,
    pub(crate) random: Random,
}

impl Duel {
    /// One for a random model; none if it has too many states, or no labels.
    pub(crate) fn new(case: &Case) -> Option<Self> {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<Safety> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let conditions: Vec<TermId> = properties[1..].iter().filter_map(|p| p.reach).collect();
        let mut old = random_policy(&mut random, &lowered.model, &conditions)?;
        if random.percent(15) {
            old = curved(&mut random, old);
        }
        let new = rival(&mut random, &old)?;
        let states = all_states(&lowered.model, 4_000)?;
        Some(Self { lowered, old, new, properties, states, random })
    }

    pub(crate) fn policies(&self) -> Policies<'_> {
        Policies::new(&self.lowered.model, (&self.old, "old"), (&self.new, "new")).expect("the same labels")
    }

    pub(crate) fn interpreter(&self) -> Interpreter<'_> {
        Interpreter::new(&self.lowered.model)
    }

    /// What both policies say in a state, by the definition; nothing where they are not asked.
    pub(crate) fn opinions(&self, state: &State) -> Option<[Opinion; 2]> {
        let interpreter = self.interpreter();
        let operators = interpreter.enabled_operators(state).ok()?;
        let label = |vector: u32| self.lowered.model.vectors[vector as usize].label;
        let applicable: Vec<LabelId> = operators.iter().filter_map(|operator| label(operator.vector)).collect();
        if !applicable.iter().any(|label| self.old.output_of_label(*label).is_some()) {
            return None;
        }
        let opinion = |policy: &Policy| {
            let mut labels = policy.permitted(&interpreter, state, &applicable).ok()?.labels;
            labels.sort_unstable();
            Some(labels.into())
        };
        Some([opinion(&self.old), opinion(&self.new)])
    }
}
