//! Formulas and abstract states in words.

use surefoot_abstraction::{AbstractState, PredicateSet};
use surefoot_linear::{Atom, Formula, Linear, Relation, Space, Symbol};
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
        (instance, &*model.slots[instance].name, model.describe_value(SlotId(instance as u32), &value))
    })
}

/// A formula in words, as in `x + 2*y >= 3 | !b`.
#[must_use]
pub fn describe(model: &Model, formula: &Formula) -> String {
    let inner = |part: &Formula| match part {
        Formula::All(parts) | Formula::Any(parts) if parts.len() > 1 => format!("({})", describe(model, part)),
        _ => describe(model, part),
    };
    match formula {
        Formula::Atom(atom) => describe_atom(model, atom),
        Formula::All(parts) if parts.is_empty() => "true".to_owned(),
        Formula::Any(parts) if parts.is_empty() => "false".to_owned(),
        Formula::All(parts) => parts.iter().map(inner).collect::<Vec<_>>().join(" & "),
        Formula::Any(parts) => parts.iter().map(inner).collect::<Vec<_>>().join(" | "),
    }
}

fn describe_atom(model: &Model, atom: &Atom) -> String {
    if let Some(text) = truth_value(model, atom).or_else(|| at_location(model, atom)) {
        return text;
    }
    // The first coefficient is shown positive, the constant on the right.
    let flip = atom.form.terms().first().is_some_and(|(_, a)| a.signum() < 0);
    let form = if flip { -&atom.form } else { atom.form.clone() };
    let relation = match (atom.relation, flip) {
        (Relation::AtLeastZero, false) => ">=",
        (Relation::AtLeastZero, true) => "<=",
        (Relation::Positive, false) => ">",
        (Relation::Positive, true) => "<",
        (Relation::Zero, _) => "=",
        (Relation::NonZero, _) => "!=",
    };
    format!("{} {relation} {}", sum(model, &form), -form.constant())
}

/// `b` or `!b`, where the atom fixes a Boolean variable.
fn truth_value(model: &Model, atom: &Atom) -> Option<String> {
    let [(symbol, _)] = atom.form.terms() else { return None };
    let slot = &model.slots.get(symbol.index()).filter(|_| symbol.index() >= model.instances.len())?;
    if slot.domain != Domain::Bool {
        return None;
    }
    let at = |value: i64| atom.eval(|_| Rational::from(value));
    match (at(0), at(1)) {
        (false, true) => Some(slot.name.to_string()),
        (true, false) => Some(format!("!{}", slot.name)),
        _ => None,
    }
}

/// `car at goal`, where the atom is about one location of an automaton.
fn at_location(model: &Model, atom: &Atom) -> Option<String> {
    let [(symbol, _)] = atom.form.terms() else { return None };
    let instance = model.instances.get(symbol.index())?;
    let holds = |location: usize| atom.eval(|_| Rational::from(location as i64));
    let all = instance.locations.iter().enumerate();
    let names: Vec<&str> = all.filter(|(location, _)| holds(*location)).map(|(_, l)| &*l.name).collect();
    Some(format!(
        "{} at {}",
        instance.name,
        if names.is_empty() { "no location".to_owned() } else { names.join(" or ") }
    ))
}

fn sum(model: &Model, form: &Linear) -> String {
    let name = |symbol: Symbol| {
        model.slots.get(symbol.index()).map_or_else(|| format!("choice {}", symbol.0), |slot| slot.name.to_string())
    };
    let mut text = String::new();
    for (symbol, a) in form.terms() {
        let negative = a.signum() < 0;
        text.push_str(match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let size = a.abs();
        if size != Rational::ONE {
            text.push_str(&format!("{size}*"));
        }
        text.push_str(&name(*symbol));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
