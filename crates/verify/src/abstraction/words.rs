//! Formulas and abstract states in words.

use surefoot_abstraction::{AbstractState, PredicateSet};
use surefoot_linear::{Atom, Formula, Names, Space, Symbol};
use surefoot_model::{Domain, Model, SlotId};
use surefoot_num::Rational;

/// What the truth and the falsity of each predicate say, in words.
#[derive(Debug, Clone, Default)]
pub struct Words {
    literals: Vec<[String; 2]>,
}

impl Words {
    /// The words for predicates.
    #[must_use]
    pub fn new(model: &Model, space: &Space, predicates: &PredicateSet) -> Self {
        let words = |formula: &Formula| [describe(model, formula), describe(model, &space.negated(formula))];
        Self { literals: predicates.formulas().iter().map(words).collect() }
    }

    /// The predicates.
    pub fn predicates(&self) -> impl ExactSizeIterator<Item = &str> {
        self.literals.iter().map(|[holds, _]| holds.as_str())
    }

    /// What an abstract state says, predicate by predicate.
    pub fn literals<'w>(&'w self, state: &'w AbstractState) -> impl Iterator<Item = &'w str> {
        self.literals.iter().zip(state.values.iter()).map(|(words, value)| words[usize::from(!value)].as_str())
    }

    /// An abstract state on one line: locations where there are several, and literals.
    #[must_use]
    pub fn line(&self, model: &Model, state: &AbstractState) -> String {
        let locations =
            locations(model, state).filter(|(instance, _, _)| model.instances[*instance].locations.len() > 1);
        let locations = locations.map(|(_, name, location)| format!("{name} at {location}"));
        locations.chain(self.literals(state).map(str::to_owned)).collect::<Vec<_>>().join(", ")
    }
}

/// The locations of an abstract state: instances, their names, and names of locations.
pub(crate) fn locations<'m>(
    model: &'m Model,
    state: &'m AbstractState,
) -> impl Iterator<Item = (usize, &'m str, String)> {
    state.locations.iter().enumerate().map(|(instance, location)| {
        let value = Rational::from(i64::from(*location));
        (instance, &*model.slots[instance].name, model.describe_value(SlotId::at(instance), &value))
    })
}

/// What a model calls its variables, with words for Booleans and locations.
struct ModelNames<'m>(&'m Model);

impl Names for ModelNames<'_> {
    fn name(&self, symbol: Symbol) -> String {
        let slot = self.0.slots.get(symbol.index());
        slot.map_or_else(|| format!("choice {}", symbol.0), |slot| slot.name.to_string())
    }

    fn words(&self, atom: &Atom) -> Option<String> {
        truth_value(self.0, atom).or_else(|| at_location(self.0, atom))
    }
}

/// A formula in words, as in `x + 2*y >= 3 | !b`.
#[must_use]
pub fn describe(model: &Model, formula: &Formula) -> String {
    formula.describe(&ModelNames(model))
}

/// `b` or `!b`, where the atom fixes a Boolean variable.
fn truth_value(model: &Model, atom: &Atom) -> Option<String> {
    let (symbol, value) = atom.as_truth_value()?;
    let slot = model.slots.get(symbol.index()).filter(|_| symbol.index() >= model.instances.len())?;
    (slot.domain == Domain::Bool).then(|| if value { slot.name.to_string() } else { format!("!{}", slot.name) })
}

/// `car at goal`, where the atom is about one location of an automaton.
fn at_location(model: &Model, atom: &Atom) -> Option<String> {
    let [(symbol, _)] = atom.form.terms() else { return None };
    let instance = model.instances.get(symbol.index())?;
    let holds =
        |location: usize| atom.eval(|_| Rational::from(i64::try_from(location).expect("locations are numbered")));
    let all = instance.locations.iter().enumerate();
    let names: Vec<&str> = all.filter(|(location, _)| holds(*location)).map(|(_, l)| &*l.name).collect();
    Some(format!(
        "{} at {}",
        instance.name,
        if names.is_empty() { "no location".to_owned() } else { names.join(" or ") }
    ))
}
