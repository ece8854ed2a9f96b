//! JANI expressions and declarations, as JSON.
//!
//! Small functions that read like the model they build: `all([eq("x", 1), lt("y", "z")])`. Operands are anything that
//! turns into a JSON value: names of variables, numbers, other expressions. What they build is read and written by the
//! JANI crate before anyone sees it, so a mistake here is found when an instance is generated.

use serde_json::{Value, json};

fn binary(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident = $op:literal;)*) => {
        $($(#[$doc])* #[must_use] pub fn $name(left: impl Into<Value>, right: impl Into<Value>) -> Value {
            binary($op, left, right)
        })*
    };
}

operators! {
    /// `left = right`.
    eq = "=";
    /// `left != right`.
    ne = "≠";
    /// `left < right`.
    lt = "<";
    /// `left <= right`.
    le = "≤";
    /// `left > right`.
    gt = ">";
    /// `left >= right`.
    ge = "≥";
    /// `left and right`.
    and = "∧";
    /// `left or right`.
    or = "∨";
    /// `left implies right`.
    implies = "⇒";
    /// `left + right`.
    add = "+";
    /// `left - right`.
    sub = "-";
    /// `left * right`.
    mul = "*";
    /// `left / right`, a real number.
    div = "/";
    /// The smaller one.
    min = "min";
    /// The larger one.
    max = "max";
}

/// Negation.
#[must_use]
pub fn not(operand: impl Into<Value>) -> Value {
    json!({"op": "¬", "exp": operand.into()})
}

/// `if condition then yes else no`.
#[must_use]
pub fn ite(condition: impl Into<Value>, yes: impl Into<Value>, no: impl Into<Value>) -> Value {
    json!({"op": "ite", "if": condition.into(), "then": yes.into(), "else": no.into()})
}

/// All of them; true when there are none.
#[must_use]
pub fn all(conditions: impl IntoIterator<Item = Value>) -> Value {
    conditions.into_iter().reduce(and).unwrap_or(Value::Bool(true))
}

/// At least one of them; false when there are none.
#[must_use]
pub fn any(conditions: impl IntoIterator<Item = Value>) -> Value {
    conditions.into_iter().reduce(or).unwrap_or(Value::Bool(false))
}

/// The sum; 0 when there is nothing.
#[must_use]
pub fn sum(terms: impl IntoIterator<Item = Value>) -> Value {
    terms.into_iter().reduce(add).unwrap_or_else(|| json!(0))
}

/// A count as an integer of JANI.
///
/// # Panics
/// If it does not fit: no instance has that many of anything.
#[must_use]
pub fn int(count: usize) -> i64 {
    i64::try_from(count).expect("a count of an instance")
}

/// A bounded integer variable.
#[must_use]
pub fn integer(name: &str, lower: i64, upper: i64, initial: i64) -> Value {
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper});
    json!({"name": name, "type": ty, "initial-value": initial})
}

/// A Boolean variable.
#[must_use]
pub fn boolean(name: &str, initial: bool) -> Value {
    json!({"name": name, "type": "bool", "initial-value": initial})
}

/// An assignment.
#[must_use]
pub fn set(variable: &str, value: impl Into<Value>) -> Value {
    json!({"ref": variable, "value": value.into()})
}

/// One outcome of an edge within the only location `l`.
#[must_use]
pub fn outcome(probability: impl Into<Value>, assignments: &[Value]) -> Value {
    json!({"location": "l", "probability": {"exp": probability.into()}, "assignments": assignments})
}

/// A certain outcome.
#[must_use]
pub fn certain(assignments: &[Value]) -> Value {
    json!({"location": "l", "assignments": assignments})
}

/// An edge from the only location `l` to itself; without an action it is silent.
#[must_use]
pub fn edge(action: Option<&str>, guard: impl Into<Value>, outcomes: &[Value]) -> Value {
    let guard = json!({"exp": guard.into()});
    match action {
        Some(action) => json!({"location": "l", "action": action, "guard": guard, "destinations": outcomes}),
        None => json!({"location": "l", "guard": guard, "destinations": outcomes}),
    }
}

/// A property that asks whether `reach` can be reached from `start` under a policy.
#[must_use]
pub fn safety(
    name: &str,
    comment: &str,
    start: impl Into<Value>,
    reach: impl Into<Value>,
    policy: Option<&str>,
) -> Value {
    let mut expression = json!({"op": "PA", "start": start.into(), "reach": reach.into()});
    if let Some(file) = policy {
        expression["file"] = json!(file);
    }
    json!({"name": name, "comment": comment, "expression": expression})
}

/// What a model with one automaton consists of.
#[derive(Debug, Clone, Default)]
pub struct OneAutomaton {
    /// The model's name.
    pub name: String,
    /// Whether outcomes have probabilities.
    pub probabilistic: bool,
    /// Action labels, in the order of the policy's outputs where they are such.
    pub actions: Vec<String>,
    /// Constants.
    pub constants: Vec<Value>,
    /// Variables.
    pub variables: Vec<Value>,
    /// What initial states satisfy besides initial values; none when everything has an initial value.
    pub restrict_initial: Option<Value>,
    /// Edges.
    pub edges: Vec<Value>,
}

impl OneAutomaton {
    /// The model as JSON.
    #[must_use]
    pub fn model(self) -> Value {
        let actions: Vec<Value> = self.actions.iter().map(|a| json!({"name": a})).collect();
        let syncs: Vec<Value> = self.actions.iter().map(|a| json!({"synchronise": [a], "result": a})).collect();
        let automaton = json!({
            "name": "world",
            "locations": [{"name": "l"}],
            "initial-locations": ["l"],
            "edges": self.edges,
        });
        let mut model = json!({
            "jani-version": 1,
            "name": self.name,
            "type": if self.probabilistic { "mdp" } else { "lts" },
            "features": ["derived-operators"],
            "actions": actions,
            "constants": self.constants,
            "variables": self.variables,
        });
        if let Some(condition) = self.restrict_initial {
            model["restrict-initial"] = json!({"exp": condition});
        }
        model["automata"] = json!([automaton]);
        model["system"] = json!({"elements": [{"automaton": "world"}], "syncs": syncs});
        model
    }
}
