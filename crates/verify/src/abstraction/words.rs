//! Formulas and abstract states in words.

use surefoot_abstraction::{AbstractState, PredicateSet};
use surefoot_linear::{Atom, Formula, Names, Space, Symbol};
use surefoot_model::{Domain, Model, SlotId, TermId};
use surefoot_num::Rational;
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::Diagnostic;

use crate::problem::Problem;

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

    /// What the truth and the falsity of each predicate say.
    pub fn both(&self) -> impl ExactSizeIterator<Item = &[String; 2]> {
        self.literals.iter()
    }

    /// What a truth value of a predicate says.
    #[must_use]
    pub fn literal(&self, predicate: usize, holds: bool) -> &str {
        &self.literals[predicate][usize::from(!holds)]
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

/// Conditions of a problem as text that can be read as conditions again.
///
/// # Errors
/// Conditions that cannot be lowered.
pub fn conditions(problem: &Problem, conditions: &[TermId]) -> Result<Vec<String>, Diagnostic> {
    let mut lowering = Lowering::new(problem.model(), problem.policy())?;
    let words = |condition: &TermId| {
        let condition = lowering.condition(*condition, None, "a predicate")?;
        Ok(condition.holds.describe(&Readable(problem.model())))
    };
    conditions.iter().map(words).collect()
}

/// Names as conditions have them: in double quotes where they would be read as something else.
struct Readable<'m>(&'m Model);

impl Readable<'_> {
    fn quoted(name: &str) -> String {
        let (base, cell) = name.split_at(name.find('[').unwrap_or(name.len()));
        let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let plain = base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && base.chars().all(sign);
        let keyword = ["true", "false", "at", "and", "or", "not", "implies"].contains(&base);
        if plain && !keyword { name.to_owned() } else { format!("\"{base}\"{cell}") }
    }
}

/// Words for people as a text that can be read as a condition: names that would be read as something else get quotes. A name is the longest that the text goes on with.
#[must_use]
pub fn readable(model: &Model, words: &str) -> String {
    let mut names: Vec<&str> = model.slots.iter().map(|slot| &*slot.name).filter(|name| !name.is_empty()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(next) = rest.chars().next() {
        let begins = !text.ends_with(joins);
        let fits = |name: &&&str| {
            let after = rest.strip_prefix(**name);
            after.is_some_and(|after| !(name.ends_with(joins) && after.starts_with(joins)))
        };
        match names.iter().find(fits).filter(|_| begins) {
            Some(name) => {
                text.push_str(&Readable::quoted(name));
                rest = &rest[name.len()..];
            }
            None => {
                text.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    text
}

impl Names for Readable<'_> {
    fn name(&self, symbol: Symbol) -> String {
        self.0.slots.get(symbol.index()).map_or_else(String::new, |slot| Self::quoted(&slot.name))
    }

    fn words(&self, atom: &Atom) -> Option<String> {
        if let Some((symbol, value)) = truth_of(self.0, atom) {
            return Some(format!("{}{}", if value { "" } else { "!" }, self.name(symbol)));
        }
        let (instance, names) = locations_of(self.0, atom)?;
        let instance = Self::quoted(instance);
        let at: Vec<String> = names.iter().map(|name| format!("{instance} at {}", Self::quoted(name))).collect();
        Some(match at.as_slice() {
            [] => "false".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" | ")),
        })
    }
}

/// A formula in words, as in `x + 2*y >= 3 | !b`.
#[must_use]
pub fn describe(model: &Model, formula: &Formula) -> String {
    formula.describe(&ModelNames(model))
}

/// `b` or `!b`, where the atom fixes a Boolean variable.
fn truth_value(model: &Model, atom: &Atom) -> Option<String> {
    let (symbol, value) = truth_of(model, atom)?;
    let name = &model.slots[symbol.index()].name;
    Some(if value { name.to_string() } else { format!("!{name}") })
}

/// The Boolean variable that the atom fixes, and to what.
fn truth_of(model: &Model, atom: &Atom) -> Option<(Symbol, bool)> {
    let (symbol, value) = atom.as_truth_value()?;
    let slot = model.slots.get(symbol.index()).filter(|_| symbol.index() >= model.instances.len())?;
    (slot.domain == Domain::Bool).then_some((symbol, value))
}

/// `car at goal`, where the atom is about one location of an automaton.
fn at_location(model: &Model, atom: &Atom) -> Option<String> {
    let (instance, names) = locations_of(model, atom)?;
    Some(format!("{instance} at {}", if names.is_empty() { "no location".to_owned() } else { names.join(" or ") }))
}

/// The automaton that the atom is about, and the locations for which it holds.
fn locations_of<'m>(model: &'m Model, atom: &Atom) -> Option<(&'m str, Vec<&'m str>)> {
    let [(symbol, _)] = atom.form.terms() else { return None };
    let instance = model.instances.get(symbol.index())?;
    let holds =
        |location: usize| atom.eval(|_| Rational::from(i64::try_from(location).expect("locations are numbered")));
    let all = instance.locations.iter().enumerate();
    Some((&instance.name, all.filter(|(location, _)| holds(*location)).map(|(_, l)| &*l.name).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_be_read_as_something_else_are_quoted() {
        let cases = [
            ("x", "x"),
            ("car.speed", "car.speed"),
            ("a[2][0]", "a[2][0]"),
            ("hand-empty", "\"hand-empty\""),
            ("at", "\"at\""),
            ("1st", "\"1st\""),
        ];
        for (name, text) in cases {
            assert_eq!(Readable::quoted(name), text);
        }
        assert_eq!(Readable::quoted("on-table[3]"), "\"on-table\"[3]");
    }

    #[test]
    fn words_for_people_become_readable() {
        let variable = |name: &str| serde_json::json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 0});
        let model = serde_json::json!({
            "jani-version": 1, "name": "names", "type": "lts",
            "variables": [variable("hand-empty"), variable("hand"), variable("x")],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []}],
            "system": {"elements": [{"automaton": "a"}]},
        });
        let lowered = surefoot_testkit::load_text(&model.to_string());
        let read = |words: &str| readable(&lowered.model, words);
        assert_eq!(read("hand-empty >= 1 | 2*x + hand-empty <= 3"), "\"hand-empty\" >= 1 | 2*x + \"hand-empty\" <= 3");
        assert_eq!(read("hand >= 1 & x <= 2"), "hand >= 1 & x <= 2");
        assert_eq!(read("max >= 1"), "max >= 1");
    }
}
