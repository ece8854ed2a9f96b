//! Random expressions over what is in scope, of a wanted type.

use serde_json::{Value, json};

use surefoot_fixtures::Random;

/// A variable or constant that expressions may read.
#[derive(Debug, Clone)]
pub(super) enum Readable {
    Int(String),
    Bool(String),
    /// Name and length.
    IntArray(String, usize),
    BoolArray(String, usize),
    /// An int function of an int and a bool.
    IntFunction(String),
    /// A bool function of two ints.
    BoolFunction(String),
}

impl Readable {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Int(name) | Self::Bool(name) => Some(name),
            _ => None,
        }
    }
}

/// What expressions may read, and how daring they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) readable: Vec<Readable>,
    /// Expressions may have no value: division by zero, indices out of range.
    pub(super) wild: bool,
}

pub(super) fn binary(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

pub(super) fn unary(op: &str, exp: impl Into<Value>) -> Value {
    json!({"op": op, "exp": exp.into()})
}

pub(super) fn ite(condition: &Value, then: &Value, otherwise: &Value) -> Value {
    json!({"op": "ite", "if": condition, "then": then, "else": otherwise})
}

/// A value forced into a range.
pub(super) fn clamp(value: Value, low: i64, high: i64) -> Value {
    binary("min", binary("max", value, low), high)
}

impl Scope {
    /// An expression of type int.
    pub(super) fn int(&self, random: &mut Random, depth: usize) -> Value {
        if depth == 0 || random.percent(25) {
            return self.int_leaf(random);
        }
        let d = depth - 1;
        match random.below(15) {
            0..=2 => binary(random.word(&["+", "-"]), self.int(random, d), self.int(random, d)),
            3 => binary("*", self.int_leaf(random), random.between(-2, 3)),
            4 => binary("*", self.int(random, d), self.int_leaf(random)),
            5 => binary("%", self.int(random, d), self.divisor(random)),
            6 | 7 => binary(random.word(&["min", "max"]), self.int(random, d), self.int(random, d)),
            8 => unary(random.word(&["abs", "sgn"]), self.int(random, d)),
            9 => {
                let quotient = binary("/", self.int(random, d), self.divisor(random));
                unary(random.word(&["floor", "floor", "ceil", "trc"]), quotient)
            }
            10 | 11 => ite(&self.bool(random, d), &self.int(random, d), &self.int(random, d)),
            12 if random.percent(20) => binary("pow", self.int_leaf(random), random.between(0, 2)),
            12 | 13 => self.cell(random, d, false).unwrap_or_else(|| self.int_leaf(random)),
            _ => self.call(random, d, false).unwrap_or_else(|| self.int_leaf(random)),
        }
    }

    /// An expression of type bool.
    pub(super) fn bool(&self, random: &mut Random, depth: usize) -> Value {
        if depth == 0 || random.percent(15) {
            return self.bool_leaf(random);
        }
        let d = depth - 1;
        match random.below(15) {
            0..=2 => binary("∧", self.bool(random, d), self.bool(random, d)),
            3 | 4 => binary("∨", self.bool(random, d), self.bool(random, d)),
            5 | 6 => unary("¬", self.bool(random, d)),
            7 => binary("⇒", self.bool(random, d), self.bool(random, d)),
            8 => ite(&self.bool(random, d), &self.bool(random, d), &self.bool(random, d)),
            9 => binary(random.word(&["=", "≠"]), self.bool(random, d), self.bool(random, d)),
            10 => self.cell(random, d, true).unwrap_or_else(|| self.bool_leaf(random)),
            11 => self.call(random, d, true).unwrap_or_else(|| self.bool_leaf(random)),
            _ => self.comparison(random, d),
        }
    }

    fn comparison(&self, random: &mut Random, depth: usize) -> Value {
        let op = random.word(&["=", "≠", "<", "≤", ">", "≥"]);
        let left = self.int(random, depth);
        match random.below(6) {
            0 => binary(op, left, *random.pick(&[0.5, 1.5, -0.25])),
            1 => binary(op, binary("/", left, random.between(2, 4)), "R"),
            2 => binary(op, binary("*", left, 0.5), self.int(random, depth)),
            _ => binary(op, left, self.int(random, depth)),
        }
    }

    fn int_leaf(&self, random: &mut Random) -> Value {
        let named: Vec<&String> =
            self.readable.iter().filter_map(|r| if let Readable::Int(name) = r { Some(name) } else { None }).collect();
        if named.is_empty() || random.percent(25) {
            return json!(random.between(-2, 4));
        }
        json!(random.pick(&named))
    }

    /// The names of int variables.
    pub(super) fn int_variables(&self) -> Vec<&str> {
        let variable = |r: &'_ Readable| matches!(r, Readable::Int(name) if name != "K");
        self.readable.iter().filter(|r| variable(r)).filter_map(Readable::name).collect()
    }

    fn bool_leaf(&self, random: &mut Random) -> Value {
        let named: Vec<&String> =
            self.readable.iter().filter_map(|r| if let Readable::Bool(name) = r { Some(name) } else { None }).collect();
        match random.below(10) {
            0 => json!(random.percent(70)),
            1..=4 if !named.is_empty() => json!(random.pick(&named)),
            _ => binary(
                random.word(&["=", "≠", "<", "≤", ">", "≥"]),
                self.int_leaf(random),
                if random.percent(60) { json!(random.between(-1, 3)) } else { self.int_leaf(random) },
            ),
        }
    }

    /// Not zero, unless everything is allowed.
    fn divisor(&self, random: &mut Random) -> Value {
        if self.wild && random.percent(20) {
            return self.int_leaf(random);
        }
        json!(*random.pick(&[2, 3, 2, -2]))
    }

    /// An index of an array: inside it, unless everything is allowed.
    pub(super) fn index(&self, random: &mut Random, length: usize, depth: usize) -> Value {
        match random.below(10) {
            0..=2 => json!(random.below(length)),
            // A constant outside the array would be refused when the model is read.
            3 if self.wild => match self.int_variables()[..] {
                [] => json!(0),
                ref names => binary("+", *random.pick(names), random.between(-1, 1)),
            },
            4 | 5 => clamp(self.int(random, depth.min(1)), 0, i64::try_from(length).expect("a short array") - 1),
            _ => binary("%", self.int(random, depth.min(1)), length),
        }
    }

    fn cell(&self, random: &mut Random, depth: usize, of_bool: bool) -> Option<Value> {
        let arrays: Vec<(&String, usize)> = self
            .readable
            .iter()
            .filter_map(|r| match r {
                Readable::IntArray(name, length) if !of_bool => Some((name, *length)),
                Readable::BoolArray(name, length) if of_bool => Some((name, *length)),
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return None;
        }
        let (name, length) = *random.pick(&arrays);
        Some(json!({"op": "aa", "exp": name, "index": self.index(random, length, depth)}))
    }

    fn call(&self, random: &mut Random, depth: usize, of_bool: bool) -> Option<Value> {
        let functions: Vec<&Readable> = self
            .readable
            .iter()
            .filter(|r| {
                if of_bool { matches!(r, Readable::BoolFunction(_)) } else { matches!(r, Readable::IntFunction(_)) }
            })
            .collect();
        if functions.is_empty() {
            return None;
        }
        let (name, second) = match random.pick(&functions) {
            Readable::BoolFunction(name) => (name, self.int(random, depth.min(1))),
            Readable::IntFunction(name) => (name, self.bool(random, depth.min(1))),
            _ => unreachable!("only functions were kept"),
        };
        Some(json!({"op": "call", "function": name, "args": [self.int(random, depth.min(1)), second]}))
    }
}
