//! Paths of a chain as formulas over the start state.
//!
//! Along a path every slot is an affine form over the slots of the start state and the values that free assignments choose
//! ([`surefoot_abstraction::compose`]). What a step asks for (that it is enabled, and ends in its abstract state) is then a formula over these alone. Steps that
//! paths share are composed once, with the same symbols for their choices: so a question about several paths is about runs that agree as long as the
//! paths do.

use rustc_hash::FxHashMap;
use surefoot_abstraction::chooser::chosen;
use surefoot_abstraction::compose::Choices;
use surefoot_abstraction::{Cell, Chooser, domain_variable};
use surefoot_linear::{Formula, Linear, Space, Symbol, SymbolRange};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Question, Variable};

use super::paths::StepId;
use super::walk::{Point, Scene};

/// A step that is composed.
#[derive(Debug)]
struct Composed {
    /// The value of every slot after it.
    values: Vec<Linear>,
    /// What it asks for.
    formula: Formula,
    /// The first symbol of its choices, and how many there are.
    choices: (usize, usize),
}

/// The steps of a tree of paths, composed as far as they were needed.
#[derive(Debug)]
pub struct Composition {
    /// The box of the start state's slots, then the domains of choices.
    variables: Vec<Variable>,
    space: Space,
    /// That the start state is one, in the abstract start state.
    start: Formula,
    steps: FxHashMap<StepId, Composed>,
    slots: usize,
}

impl Composition {
    /// Of paths that begin in the abstract start state of a chain.
    #[must_use]
    pub fn new(scene: Scene<'_, '_>) -> Self {
        let Scene { system, predicates, chain, .. } = scene;
        let state = &chain.spots[0].state;
        let cell = system.cell(predicates, state);
        let (space, slots) = (cell.space(), cell.variables.len());
        let at = |formula: &Formula| space.normal(&system.lowering().at_all_locations(formula, &state.locations));
        let conditions = system.start_conditions().iter().map(at);
        let listed = system.start_states().iter().filter(|listed| cell.contains(listed));
        let equal = |listed: &State| {
            let values = listed.0.iter().enumerate().skip(state.locations.len());
            Formula::all(values.map(|(slot, value)| space.equals(&Linear::symbol(Symbol::at(slot)), value)))
        };
        let begins = Formula::any(conditions.chain(listed.map(equal)));
        let start = Formula::all([cell.formula(), begins]);
        let Cell { variables, .. } = cell;
        Self { variables, space, start, steps: FxHashMap::default(), slots }
    }

    /// Composes a step and all before it.
    fn compose(&mut self, scene: Scene<'_, '_>, end: StepId) {
        for id in scene.paths.way(end) {
            if !self.steps.contains_key(&id) {
                let composed = self.composed(scene, id);
                self.steps.insert(id, composed);
            }
        }
    }

    fn composed(&mut self, scene: Scene<'_, '_>, id: StepId) -> Composed {
        let step = &scene.paths.steps[id];
        let spot = &scene.chain.spots[step.spot];
        let mut parts = Vec::new();
        let (values, choices) = match step.before {
            None => {
                let locations = &spot.state.locations;
                let start = |slot: usize| match locations.get(slot) {
                    Some(location) => Linear::constant_form(Rational::from(i64::from(*location))),
                    None => Linear::symbol(Symbol::at(slot)),
                };
                ((0..self.slots).map(start).collect(), (0, 0))
            }
            Some(before) => {
                let rule = scene.chain.spots[scene.paths.steps[before].spot].rule(step.outcome);
                let first = self.variables.len();
                for (_, domain) in &rule.choices {
                    self.variables.push(domain_variable(domain));
                    self.space.push(SymbolRange::from(domain));
                }
                let (choices, earlier) = (Choices::of(rule, first), &self.steps[&before].values);
                let values = choices.after(earlier, rule);
                parts.push(self.space.substitute(&rule.formula, &|symbol| choices.form(earlier, symbol)));
                (values, (first, rule.choices.len()))
            }
        };
        let here = |symbol: Symbol| values.get(symbol.index()).cloned();
        if id > 0 {
            parts.push(self.space.substitute(spot.inside(scene.system, scene.predicates), &here));
        }
        if spot.ends {
            parts.push(self.space.substitute(scene.system.reach(), &here));
        }
        Composed { formula: Formula::all(parts), values, choices }
    }

    /// Where a path is realised, whatever the policy says, over the start state and choices.
    pub fn path(&mut self, scene: Scene<'_, '_>, end: StepId) -> Formula {
        self.compose(scene, end);
        let steps = scene.paths.way(end);
        Formula::all(steps.iter().map(|id| self.steps[id].formula.clone()))
    }

    /// Whether the start state alone decides a formula.
    #[must_use]
    pub fn decides(&self, formula: &Formula) -> bool {
        let mut decides = true;
        formula.for_each_atom(&mut |atom| decides &= atom.form.terms().iter().all(|(s, _)| s.index() < self.slots));
        decides
    }

    /// Is there a start state with a property?
    #[must_use]
    pub fn question(&self, property: impl IntoIterator<Item = Formula>) -> Question {
        let formula = Formula::all([self.start.clone()].into_iter().chain(property));
        Question { variables: self.variables.clone(), applications: Vec::new(), formula }
    }

    /// Is there a start state that realises all of some paths under the policy?
    pub fn under_policy(&mut self, scene: Scene<'_, '_>, ends: &[StepId]) -> Question {
        let paths: Vec<Formula> = ends.iter().map(|end| self.path(scene, *end)).collect();
        let mut question = self.question(paths);
        let mut sources: Vec<StepId> = Vec::new();
        for end in ends {
            let way = scene.paths.way(*end);
            sources.extend(&way[..way.len() - 1]);
        }
        sources.sort_unstable();
        sources.dedup();
        let mut parts = Vec::new();
        for source in sources {
            let joint = scene.chain.spots[scene.paths.steps[source].spot].joint();
            let choosers: Option<&[Chooser]> = joint.and_then(|joint| joint.rules[0].choosers.as_deref());
            if let Some(choosers) = choosers {
                let values = &self.steps[&source].values;
                parts.push(chosen(&mut question, choosers, &|symbol: Symbol| values.get(symbol.index()).cloned()));
            }
        }
        let own = std::mem::replace(&mut question.formula, Formula::truth());
        question.formula = Formula::all([own].into_iter().chain(parts));
        question
    }

    /// The bytes that it takes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        // Forms of one or two terms, and a few atoms.
        self.steps.len() * (self.slots * 100 + 1_000)
    }

    /// The values of all variables at a point, the smallest where it has none.
    #[must_use]
    pub fn values(&self, point: &Point) -> Vec<Rational> {
        let mut values: Vec<Rational> = point.start.0.to_vec();
        values.extend(self.variables[values.len()..].iter().map(|variable| variable.lower.clone()));
        for (id, chosen) in sorted(&point.choices) {
            if let Some(Composed { choices: (first, count), .. }) = self.steps.get(id) {
                values[*first..first + count].clone_from_slice(chosen);
            }
        }
        values
    }

    /// The point behind values of the variables.
    #[must_use]
    pub fn point(&self, values: &[Rational]) -> Point {
        let choosing = sorted(&self.steps).into_iter().filter(|(_, step)| step.choices.1 > 0);
        let of = |step: &Composed| values[step.choices.0..step.choices.0 + step.choices.1].to_vec();
        let choices = choosing.map(|(id, step)| (*id, of(step))).collect();
        Point { start: State(values[..self.slots].into()), choices }
    }
}

/// The entries in the order of their keys.
fn sorted<T>(entries: &FxHashMap<StepId, T>) -> Vec<(&StepId, &T)> {
    let mut all: Vec<(&StepId, &T)> = entries.iter().collect();
    all.sort_unstable_by_key(|(id, _)| **id);
    all
}
