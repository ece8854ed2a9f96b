//! Predicates as JANI expressions, so that they can be given to another run.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
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
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::All(parts) => self.joined(parts, "∧", true),
            Formula::Any(parts) => self.joined(parts, "∨", false),
        }
    }

    fn joined(&self, parts: &[Formula], op: &str, empty: bool) -> Option<Json> {
        let mut parts = parts.iter().map(|part| self.write(part));
        let Some(first) = parts.next() else { return Some(json!(empty)) };
        parts.try_fold(first?, |left, right| Some(json!({"op": op, "left": left, "right": right?})))
    }

    fn atom(&self, atom: &Atom) -> Option<Json> {
        if let [(symbol, _)] = atom.form.terms()
            && let reference = self.references.get(symbol)?
            && reference.boolean
        {
            match [0, 1].map(|value| atom.eval(|_| Rational::from(value))) {
                [false, true] => return Some(reference.json.clone()),
                [true, false] => return Some(json!({"op": "¬", "exp": reference.json})),
                _ => {}
            }
        }
        // The first coefficient is positive, the constant on the right.
        let flip = atom.form.terms().first().is_some_and(|(_, a)| a.signum() < 0);
        let form = if flip { -&atom.form } else { atom.form.clone() };
        let op = match (atom.relation, flip) {
            (Relation::AtLeastZero, false) => "≥",
            (Relation::AtLeastZero, true) => "≤",
            (Relation::Positive, false) => ">",
            (Relation::Positive, true) => "<",
            (Relation::Zero, _) => "=",
            (Relation::NonZero, _) => "≠",
        };
        Some(json!({"op": op, "left": self.sum(&form)?, "right": number(&-form.constant())?}))
    }

    fn sum(&self, form: &Linear) -> Option<Json> {
        let mut sum: Option<Json> = None;
        for (symbol, a) in form.terms() {
            let reference = self.references.get(symbol)?;
            let variable = match reference.boolean {
                true => json!({"op": "ite", "if": reference.json, "then": 1, "else": 0}),
                false => reference.json.clone(),
            };
            let size = a.abs();
            let term = match size == Rational::ONE {
                true => variable,
                false => json!({"op": "*", "left": number(&size)?, "right": variable}),
            };
            sum = Some(match (sum, a.signum() < 0) {
                (None, false) => term,
                (None, true) => json!({"op": "-", "left": 0, "right": term}),
                (Some(sum), false) => json!({"op": "+", "left": sum, "right": term}),
                (Some(sum), true) => json!({"op": "-", "left": sum, "right": term}),
            });
        }
        Some(sum.unwrap_or_else(|| json!(0)))
    }
}

fn number(value: &Rational) -> Option<Json> {
    if let Some(integer) = value.to_i64() {
        return Some(json!(integer));
    }
    let numerator = Rational::from(value.numerator()).to_i64()?;
    let denominator = Rational::from(surefoot_num::IBig::from(value.denominator())).to_i64()?;
    Some(json!({"op": "/", "left": numerator, "right": denominator}))
}

/// An array of expressions as text, one to a line.
#[must_use]
pub fn file(expressions: &[Json]) -> String {
    let lines: Vec<String> = expressions.iter().map(|expression| format!("  {expression}")).collect();
    if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
}
