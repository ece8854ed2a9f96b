//! What the reference interpreter says about concrete states, remembered: paths come to the same states again and again.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use surefoot_model::interpret::Choice;
use surefoot_model::policy::Policy;
use surefoot_model::{Interpreter, ModelError, State};

use crate::ask::Asked;

/// At most so many states are remembered.
const MOST: usize = 1 << 17;

/// What the policy permits in a state; or the error that is met there.
pub type Permitted = Rc<Result<Vec<Choice>, ModelError>>;

/// The reference interpreter under a policy, with a memory.
#[derive(Debug)]
pub struct Concrete<'a> {
    /// The interpreter.
    pub interpreter: Interpreter<'a>,
    policy: Option<&'a Policy>,
    known: RefCell<FxHashMap<State, Permitted>>,
}

impl<'a> Concrete<'a> {
    /// For the model and the policy that are asked about.
    #[must_use]
    pub fn new(asked: &Asked<'a>) -> Self {
        let (model, policy) = (asked.task.model, asked.task.policy);
        let interpreter = policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy));
        Self { interpreter, policy, known: RefCell::default() }
    }

    /// The operators that the policy permits in a state, with their outcomes.
    pub fn permitted(&self, state: &State) -> Permitted {
        let mut known = self.known.borrow_mut();
        if let Some(known) = known.get(state) {
            return known.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let permitted = Rc::new(self.interpreter.permitted_choices(state, self.policy));
        known.insert(state.clone(), permitted.clone());
        permitted
    }
}
