//! What names stand for: variables of the state vector, constants, automata and their locations.

use std::collections::BTreeMap;

use surefoot_linear::{Linear, Symbol};
use surefoot_model::{Domain, Model};
use surefoot_num::Rational;
use surefoot_text::suggest;

/// What a name stands for in arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) form: Linear,
    /// Whether it is a truth value, and so a formula as it stands.
    pub(super) is_bool: bool,
}

/// The names of a model.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    names: BTreeMap<String, Meaning>,
    /// Names of several variables.
    ambiguous: Vec<String>,
    /// Names that are known, but of nothing that formulas can speak of; and why.
    refused: BTreeMap<String, String>,
    /// Automata: the slot of the location, and the names of locations.
    automata: BTreeMap<String, (Symbol, Vec<String>)>,
}

impl Vocabulary {
    /// The variables and locations of a model. A local variable is called `automaton.variable`, and by its own name where nothing
    /// else is.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut vocabulary = Self::default();
        let instances = model.instances.len();
        for (i, instance) in model.instances.iter().enumerate() {
            let locations = instance.locations.iter().map(|l| l.name.to_string()).collect();
            vocabulary.automata.insert(instance.name.to_string(), (Symbol::at(i), locations));
        }
        let meaning =
            |i: usize| Meaning { form: Linear::symbol(Symbol::at(i)), is_bool: model.slots[i].domain == Domain::Bool };
        for i in instances..model.slots.len() {
            vocabulary.define(&model.slots[i].name, meaning(i));
        }
        let mut short: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for i in instances..model.slots.len() {
            let owner = model.slots[i].instance.map(|owner| &*model.instances[owner].name);
            let name = owner.and_then(|owner| model.slots[i].name.strip_prefix(owner)?.strip_prefix('.'));
            short.entry(name.unwrap_or_default()).or_default().push(i);
        }
        for (name, slots) in short {
            if let [slot] = slots[..]
                && !name.is_empty()
                && !vocabulary.names.contains_key(name)
            {
                vocabulary.define(name, meaning(slot));
            }
        }
        for transient in &model.transients {
            let reason = "it is transient: its value is not part of the state".to_owned();
            vocabulary.refused.insert(transient.name.to_string(), reason);
        }
        vocabulary
    }

    /// Adds a constant; variables of the same name hide it.
    pub fn constant(&mut self, name: &str, value: Rational, is_bool: bool) {
        if !self.names.contains_key(name) && !self.refused.contains_key(name) {
            self.names.insert(name.to_owned(), Meaning { form: Linear::constant_form(value), is_bool });
        }
    }

    fn define(&mut self, name: &str, meaning: Meaning) {
        if self.names.insert(name.to_owned(), meaning).is_some() {
            self.ambiguous.push(name.to_owned());
        }
    }

    /// What a name stands for; or what is wrong with it, and advice.
    pub(super) fn meaning(&self, name: &str) -> Result<Meaning, (String, Option<String>)> {
        if self.ambiguous.iter().any(|ambiguous| ambiguous == name) {
            return Err((format!("'{name}' is the name of several variables"), None));
        }
        if let Some(meaning) = self.names.get(name) {
            return Ok(meaning.clone());
        }
        if let Some(reason) = self.refused.get(name) {
            return Err((format!("formulas cannot speak of '{name}': {reason}"), None));
        }
        if self.automata.contains_key(name) {
            let help = format!("say where it is: {name} at LOCATION");
            return Err((format!("'{name}' is an automaton, not a variable"), Some(help)));
        }
        let names: Vec<&str> = self.names.keys().map(String::as_str).collect();
        let help = match suggest(name, names.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None if names.len() <= 12 => format!("there are {}", names.join(", ")),
            None => format!("there are {} and {} more", names[..12].join(", "), names.len() - 12),
        };
        Err((format!("there is no variable '{name}'"), Some(help)))
    }

    /// Whether a name is that of an automaton.
    pub(super) fn is_automaton(&self, name: &str) -> bool {
        self.automata.contains_key(name)
    }

    /// The slot of an automaton's location and the number of a location.
    pub(super) fn location(&self, automaton: &str, location: &str) -> Result<(Symbol, usize), (String, String)> {
        let Some((slot, locations)) = self.automata.get(automaton) else {
            let names = self.automata.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err((format!("there is no automaton '{automaton}'"), format!("there are {names}")));
        };
        match locations.iter().position(|l| l == location) {
            Some(number) => Ok((*slot, number)),
            None => Err((
                format!("the automaton '{automaton}' has no location '{location}'"),
                format!("there are {}", locations.join(", ")),
            )),
        }
    }
}
