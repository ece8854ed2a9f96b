//! What the tests share: a random model with a policy as a question about a probability, and its exact answer by brute force.

use std::collections::HashMap;

use surefoot_abstraction::{Oracles, System};
use surefoot_explicit::Task;
use surefoot_mdp::{Direction, Limits, MdpBuilder, StateSet, Until, solve_exact};
use surefoot_model::{Interpreter, ModelError, State, TermId};
use surefoot_num::Rational;
use surefoot_oracle::FullOracle;
use surefoot_probabilistic::{Algorithm, Asked, Bounded, Failure, Options, bound};
use surefoot_testkit::Instance;

/// Everyone who bounds: all of the tests are about each of them.
pub const ALGORITHMS: [Algorithm; 2] = [Algorithm::Paper, Algorithm::Boxes];

/// A fraction.
pub fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator, denominator).expect("it is not zero")
}

/// The question of an instance: its reach condition; `None` where it has none.
pub fn asked(instance: &Instance, threshold: Option<Rational>) -> Option<Asked<'_>> {
    let reach = instance.property.reach?;
    let task = Task {
        model: instance.model(),
        policy: instance.policy.as_ref(),
        start: &instance.property.start,
        reach: Some(reach),
        goal: instance.property.goal,
        goal_terminal: instance.goal_terminal,
        absorb: Some(reach),
        dropped: None,
        stop_at_reach: false,
        threads: 1,
        limits: surefoot_limits::Limits::default(),
    };
    Some(Asked { task, direction: Direction::Max, right: reach, left: None, decided: reach, threshold })
}

/// Asks.
pub fn ask<O: FullOracle>(
    instance: &Instance,
    threshold: Option<Rational>,
    options: &Options,
    oracles: &Oracles<O>,
) -> Option<Result<Bounded, Failure>> {
    ask_in(instance, Direction::Max, threshold, options, oracles)
}

/// Asks for either direction.
pub fn ask_in<O: FullOracle>(
    instance: &Instance,
    direction: Direction,
    threshold: Option<Rational>,
    options: &Options,
    oracles: &Oracles<O>,
) -> Option<Result<Bounded, Failure>> {
    let asked = Asked { direction, ..asked(instance, threshold)? };
    let (model, policy) = (instance.model(), instance.policy.as_ref());
    let mut system = System::new(model, policy, &instance.property, instance.goal_terminal).ok()?;
    Some(bound(&mut system, &asked, options, oracles, &mut ()))
}

/// The largest probability of a start state, and of the best one; an error of the model, where one is reached.
#[derive(Debug)]
pub struct Truth {
    /// By state, start states first.
    pub states: Vec<State>,
    /// Their values.
    pub values: Vec<Rational>,
    /// How many are start states.
    pub starts: usize,
}

impl Truth {
    /// The best start state's.
    pub fn value(&self) -> Rational {
        self.values[..self.starts].iter().max().cloned().expect("there is a start state")
    }

    /// Of a start state.
    pub fn of(&self, start: &State) -> Option<&Rational> {
        self.states[..self.starts].iter().position(|state| state == start).map(|index| &self.values[index])
    }
}

/// What is so, state by state with the reference interpreter, in fractions. `None` where there are no start states.
pub fn truth(instance: &Instance) -> Option<Result<Truth, Box<ModelError>>> {
    truth_of(instance, Direction::Max)
}

/// The same for either direction.
pub fn truth_of(instance: &Instance, direction: Direction) -> Option<Result<Truth, Box<ModelError>>> {
    let (model, policy, reach) = (instance.model(), instance.policy.as_ref(), instance.property.reach?);
    let interpreter = policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy));
    let goal = instance.property.goal.filter(|_| instance.goal_terminal);
    let mut states = instance.starts();
    if states.is_empty() {
        return None;
    }
    let starts = states.len();
    let mut numbers: HashMap<State, u32> = HashMap::new();
    for state in &states {
        numbers.insert(state.clone(), u32::try_from(numbers.len()).expect("few"));
    }
    assert_eq!(numbers.len(), starts, "start states are distinct");
    let mut builder = MdpBuilder::new();
    let (mut right, mut next) = (Vec::new(), 0);
    while next < states.len() {
        let state = states[next].clone();
        builder.begin_state().expect("it fits");
        let holds = |condition: Option<TermId>| {
            let holds = condition.map(|condition| interpreter.holds(condition, &state)).transpose();
            holds.map_err(|error| Box::new(ModelError::evaluation(error, state.clone())))
        };
        let is_right = match holds(Some(reach)) {
            Ok(holds) => holds == Some(true),
            Err(error) => return Some(Err(error)),
        };
        let ends = match holds(goal) {
            Ok(goal) => is_right || goal == Some(true),
            Err(error) if !is_right => return Some(Err(error)),
            Err(_) => true,
        };
        right.push(is_right);
        next += 1;
        if ends {
            continue;
        }
        let operators = match interpreter.permitted_operators(&state, policy) {
            Ok(operators) => operators,
            Err(error) => return Some(Err(Box::new(error))),
        };
        for operator in operators {
            let choice = match interpreter.choice(&state, operator) {
                Ok(choice) => choice,
                Err(error) => return Some(Err(Box::new(error))),
            };
            builder.begin_choice().expect("it fits");
            for outcome in choice.outcomes {
                let probability = builder.probability(&outcome.probability).expect("a probability");
                let mut targets = Vec::new();
                for successor in outcome.successors {
                    let fresh = u32::try_from(states.len()).expect("few");
                    let number = *numbers.entry(successor.clone()).or_insert(fresh);
                    if number == fresh {
                        states.push(successor);
                    }
                    targets.push(number);
                }
                builder.branch_to_any(&targets, probability).expect("it fits");
            }
        }
    }
    let mdp = builder.finish().expect("a process");
    let until =
        Until::eventually(StateSet::from_fn(right.len(), |state| right[state as usize])).through_vanishing(&mdp);
    let solution = solve_exact(&mdp, direction, &until, &Limits::default()).expect("small enough");
    Some(Ok(Truth { states, values: solution.values, starts }))
}
