//! Predicates as JANI expressions, so that they can be given to another run.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use surefoot_linear::{Atom, Comparator, Formula, Style, Symbol};
use surefoot_model::lower::{Lowered, Value};
use surefoot_model::model::Domain;
use surefoot_model::term::Term;
use surefoot_num::Rational;

/// What properties call the variables of a model.
#[derive(Debug, Clone)]
pub struct Expressions {
    /// Names and array cells; none for a local variable whose name is hidden or that several instances have.
    references: BTreeMap<Symbol, Reference>,
}

#[derive(Debug, Clone)]
struct Reference {
    json: Json,
    boolean: bool,
}

impl Expressions {
    /// The variables of a model.
    #[must_use]
    pub fn new(lowered: &Lowered) -> Self {
        let mut found = Self { references: BTreeMap::new() };
        for name in lowered.names.candidates() {
            if let Some(value) = lowered.names.in_property(name) {
                found.add(lowered, &json!(name), value);
            }
        }
        found
    }

    fn add(&mut self, lowered: &Lowered, json: &Json, value: &Value) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.add(lowered, &json!({"op": "aa", "exp": json, "index": index}), item);
                }
            }
            Value::Scalar(term) => {
                if let Term::Slot(slot) = lowered.model.terms.get(*term) {
                    let boolean = lowered.model.slots[slot.index()].domain == Domain::Bool;
                    self.references.insert(Symbol(slot.0), Reference { json: json.clone(), boolean });
                }
            }
        }
    }

    /// A formula as an expression; `None` where it is about something that properties have no name for.
    #[must_use]
    pub fn write(&self, formula: &Formula) -> Option<Json> {
        formula.write(&JaniStyle(&self.references)).ok()
    }
}

/// Something that the format cannot express: a symbol without a name, a number too large.
struct Nameless;

/// JANI's syntax.
struct JaniStyle<'e>(&'e BTreeMap<Symbol, Reference>);

impl Style for JaniStyle<'_> {
    type Written = Json;
    type Error = Nameless;

    fn special(&self, atom: &Atom) -> Result<Option<Json>, Nameless> {
        let Some((symbol, value)) = atom.as_truth_value() else { return Ok(None) };
        let reference = self.0.get(&symbol).ok_or(Nameless)?;
        let json = &reference.json;
        Ok(reference.boolean.then(|| if value { json.clone() } else { json!({"op": "¬", "exp": json}) }))
    }

    fn number(&self, value: &Rational) -> Result<Json, Nameless> {
        if let Some(integer) = value.to_i64() {
            return Ok(json!(integer));
        }
        let numerator = Rational::from(value.numerator()).to_i64().ok_or(Nameless)?;
        let denominator = Rational::from(surefoot_num::IBig::from(value.denominator())).to_i64().ok_or(Nameless)?;
        Ok(json!({"op": "/", "left": numerator, "right": denominator}))
    }

    fn term(&self, factor: &Rational, symbol: Symbol) -> Result<Json, Nameless> {
        let reference = self.0.get(&symbol).ok_or(Nameless)?;
        let variable = match reference.boolean {
            true => json!({"op": "ite", "if": reference.json, "then": 1, "else": 0}),
            false => reference.json.clone(),
        };
        match *factor == Rational::ONE {
            true => Ok(variable),
            false => Ok(json!({"op": "*", "left": self.number(factor)?, "right": variable})),
        }
    }

    fn add(&self, before: Option<Json>, negative: bool, term: Json) -> Json {
        match (before, negative) {
            (None, false) => term,
            (None, true) => json!({"op": "-", "left": 0, "right": term}),
            (Some(sum), false) => json!({"op": "+", "left": sum, "right": term}),
            (Some(sum), true) => json!({"op": "-", "left": sum, "right": term}),
        }
    }

    fn compare(&self, left: Json, comparator: Comparator, right: Json) -> Json {
        let op = match comparator {
            Comparator::AtLeast => "≥",
            Comparator::AtMost => "≤",
            Comparator::Above => ">",
            Comparator::Below => "<",
            Comparator::Equal => "=",
            Comparator::Unequal => "≠",
        };
        json!({"op": op, "left": left, "right": right})
    }

    fn join(&self, all: bool, parts: Vec<Json>) -> Json {
        let op = if all { "∧" } else { "∨" };
        let joined = parts.into_iter().reduce(|left, right| json!({"op": op, "left": left, "right": right}));
        joined.unwrap_or_else(|| json!(all))
    }

    fn enclose(&self, part: Json) -> Json {
        part
    }
}

/// An array of expressions as text, one to a line.
#[must_use]
pub fn file(expressions: &[Json]) -> String {
    let lines: Vec<String> = expressions.iter().map(|expression| format!("  {expression}")).collect();
    if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
}
