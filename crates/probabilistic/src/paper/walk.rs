//! Concrete walks: what a start state (with values for free assignments) makes of the paths of a chain.
//!
//! A path is *realised* by a start state if the concrete run along its updates stays in its abstract states and ends in an unsafe one; *under the policy* if the
//! policy permits the operator in every state before the end. A walk computes every step of the tree of paths at most once, with exact numbers.
//!
//! Paths that one walk realises are realised together: the walk has one concrete state per prefix, and the operator is that of the chain, so the
//! adversary that takes them is a function of the prefix alone. So their probabilities add up.

use rustc_hash::FxHashMap;
use surefoot_abstraction::{PredicateSet, System, domain_variable};
use surefoot_linear::Symbol;
use surefoot_model::State;
use surefoot_num::Rational;

use super::chain::Chain;
use super::concrete::Concrete;
use super::paths::{Paths, StepId};

/// What paths are looked at in.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a, 'm> {
    /// What is abstracted.
    pub system: &'a System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// The chain of the adversary.
    pub chain: &'a Chain,
    /// Its paths.
    pub paths: &'a Paths,
    /// What happens in concrete states under the policy.
    pub concrete: &'a Concrete<'a>,
}

/// A start state, and values that free assignments choose in some steps.
#[derive(Debug, Clone)]
pub struct Point {
    /// The start state.
    pub start: State,
    /// Per step whose update chooses, the values; smallest ones where it is not listed.
    pub choices: FxHashMap<StepId, Vec<Rational>>,
}

/// What a point makes of the steps of a tree.
#[derive(Debug)]
pub struct Walk {
    /// The point.
    pub point: Point,
    /// Per step that was looked at, the state after it; `None` where the walk leaves the path.
    states: FxHashMap<StepId, Option<State>>,
    /// Per step that was looked at, whether the policy permits what the chain does next.
    permitted: FxHashMap<StepId, bool>,
}

impl Walk {
    /// Of which nothing is known.
    #[must_use]
    pub fn new(point: Point) -> Self {
        Self { point, states: FxHashMap::default(), permitted: FxHashMap::default() }
    }

    /// The bytes that it takes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let state = self.point.start.0.len() * size_of::<Rational>() + size_of::<(StepId, State)>() + 32;
        self.states.len() * state + self.permitted.len() * size_of::<(StepId, bool)>()
    }

    /// The state after a step; `None` where the walk leaves the path before or with it.
    pub fn state(&mut self, scene: Scene<'_, '_>, id: StepId) -> Option<&State> {
        let mut unknown = Vec::new();
        let mut at = Some(id);
        while let Some(step) = at.filter(|step| !self.states.contains_key(step)) {
            unknown.push(step);
            at = scene.paths.steps[step].before;
        }
        for step in unknown.into_iter().rev() {
            let state = self.after(scene, step);
            self.states.insert(step, state);
        }
        self.states.get(&id).and_then(Option::as_ref)
    }

    /// The state after a step whose predecessor is known.
    fn after(&self, scene: Scene<'_, '_>, id: StepId) -> Option<State> {
        let step = &scene.paths.steps[id];
        let state = match step.before {
            None => self.point.start.clone(),
            Some(before) => self.step(scene, self.states.get(&before)?.as_ref()?, before, id)?,
        };
        let spot = &scene.chain.spots[step.spot];
        let inside = scene.system.abstract_of(scene.predicates, &state) == spot.state;
        let value = |slot: Symbol| state.0[slot.index()].clone();
        (inside && (!spot.ends || scene.system.reach().eval(&value))).then_some(state)
    }

    /// Where an outcome leads from a state, if the operator is enabled there.
    fn step(&self, scene: Scene<'_, '_>, state: &State, before: StepId, id: StepId) -> Option<State> {
        let (from, outcome) = (&scene.chain.spots[scene.paths.steps[before].spot], scene.paths.steps[id].outcome);
        let rule = from.rule(outcome);
        let chosen = self.point.choices.get(&id);
        let value = |symbol: Symbol| match state.0.get(symbol.index()) {
            Some(value) => value.clone(),
            None => {
                let position = rule.choices.iter().position(|(choice, _)| *choice == symbol);
                let position = position.expect("a symbol of a rule is a slot or a choice");
                let smallest = || domain_variable(&rule.choices[position].1).lower;
                chosen.map_or_else(smallest, |values| values[position].clone())
            }
        };
        if !rule.formula.eval(&value) {
            return None;
        }
        let mut next = state.0.to_vec();
        for (slot, form) in &rule.update {
            next[slot.index()] = form.eval(value);
        }
        for (slot, location) in rule.after.iter().enumerate() {
            next[slot] = Rational::from(i64::from(*location));
        }
        Some(State(next.into()))
    }

    /// Whether a path is realised, under the policy if it is to be followed.
    pub fn realises(&mut self, scene: Scene<'_, '_>, end: StepId, follow: bool) -> bool {
        if self.state(scene, end).is_none() {
            return false;
        }
        let way = scene.paths.way(end);
        !follow || way[..way.len() - 1].iter().all(|step| self.is_permitted(scene, *step))
    }

    /// Whether the policy permits what the chain does after a step that the walk takes.
    fn is_permitted(&mut self, scene: Scene<'_, '_>, id: StepId) -> bool {
        if let Some(known) = self.permitted.get(&id) {
            return *known;
        }
        let joint = scene.chain.spots[scene.paths.steps[id].spot].joint();
        let state = self.states.get(&id).and_then(Option::as_ref);
        let permitted = match (joint, state) {
            (Some(joint), Some(state)) => {
                let permitted = scene.concrete.permitted(state);
                let choices = permitted.as_ref().as_ref().map_or(&[][..], Vec::as_slice);
                choices.iter().any(|choice| choice.operator == joint.rules[0].operator)
            }
            _ => false,
        };
        self.permitted.insert(id, permitted);
        permitted
    }
}
