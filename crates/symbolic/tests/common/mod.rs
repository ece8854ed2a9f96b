//! The truth that formulas are compared with: states of the domains, and the reference interpreter.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod operators;

use surefoot_fixtures::Random;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::policy::Policy;
use surefoot_model::{Interpreter, Model, State};
use surefoot_num::Rational;
use surefoot_testkit::all_states;

/// All states of the domains, or as many random ones as are wanted where there are more.
pub(crate) fn states(random: &mut Random, model: &Model, most: usize) -> Vec<State> {
    let bounds: Vec<(i64, i64)> = model.slots.iter().map(|slot| slot.domain.int_bounds().unwrap()).collect();
    let sizes = bounds.iter().map(|(low, high)| high.abs_diff(*low).saturating_add(1));
    if sizes.fold(1, u64::saturating_mul) > most as u64 {
        let any = |random: &mut Random| {
            State::from_ints(&bounds.iter().map(|(low, high)| random.between(*low, *high)).collect::<Vec<_>>())
        };
        return (0..most).map(|_| any(random)).collect();
    }
    all_states(model, most).unwrap()
}

pub(crate) fn interpreter_of<'m>(model: &'m Model, policy: Option<&'m Policy>) -> Interpreter<'m> {
    policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy))
}

/// Values of symbols: those of a state, then the outputs of a policy, then values of choices.
pub(crate) struct Point(pub(crate) Vec<Rational>);

impl Point {
    pub(crate) fn new(model: &Model, policy: Option<&Policy>, state: &State) -> Self {
        let mut values = state.0.to_vec();
        if let Some(policy) = policy.filter(|p| matches!(p.outputs, surefoot_model::policy::Outputs::Transients(_))) {
            let width = policy.networks[0].network.output_len();
            // Where no network is asked, formulas must not depend on these.
            let outputs = policy.outputs_at(&Interpreter::new(model), state);
            values.extend(outputs.unwrap_or_else(|_| vec![Rational::ZERO; width]));
        }
        Self(values)
    }

    pub(crate) fn holds(&self, formula: &Formula) -> bool {
        formula.eval(&|symbol: Symbol| self.0[symbol.index()].clone())
    }

    pub(crate) fn value(&self, form: &Linear) -> Rational {
        form.eval(|symbol: Symbol| self.0[symbol.index()].clone())
    }
}
