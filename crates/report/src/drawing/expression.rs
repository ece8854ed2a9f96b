//! Expressions over the values of a state: read here, so that the page has only a tree to walk through and no grammar of its own.
//!
//! ```text
//! choice     = "if" choice "then" choice "else" choice | or
//! or, and    = as usual: or, |, ∨; and, &, ∧; not
//! comparison = sum [(= != < <= > >=) sum]
//! sum        = product {(+ -) product};  product = factor {(* / %) factor}
//! factor     = number | true | false | name | FUNCTION(choice, ...) | ( choice ) | - factor | ! factor
//! ```
//!
//! A name is the longest known one that the text goes on with, since names of models hold dots, dashes and brackets. A name with holes, `block_{i}` or
//! `'on [{i + 1}]'`, is put together when a state is drawn. In the tree a number stands for itself, and `["v", n]` is variable `n`, `["i", n]` the index of the
//! n-th repetition around, `["l", n]` the n-th named expression, `["n", piece, ...]` the variable of a name with holes; all else is an operator and its operands.

use serde_json::{Value, json};
use surefoot_text::suggest;

use super::pieces::{Piece, extent, fits, is_letter, is_word, pieces};

/// The longest expression, in characters, and the deepest.
const LONGEST: usize = 20_000;
const DEEPEST: usize = 60;
/// The most holes of a name.
const MOST_HOLES: usize = 4;

/// Functions and how many operands they take, at least and at most.
const FUNCTIONS: [(&str, usize, usize); 13] = [
    ("min", 1, 16),
    ("max", 1, 16),
    ("abs", 1, 1),
    ("floor", 1, 1),
    ("ceil", 1, 1),
    ("round", 1, 1),
    ("sqrt", 1, 1),
    ("sin", 1, 1),
    ("cos", 1, 1),
    ("angle", 2, 2),
    ("lower", 1, 1),
    ("upper", 1, 1),
    ("sum", 4, 4),
];

/// A variable of the model as drawings know it: its name, and the names of its values where they have some (locations).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The names of its values, or none.
    pub values: Vec<String>,
}

/// The names that an expression may use.
#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    pub(super) variables: &'a [Named],
    /// Named expressions so far.
    pub(super) lets: Vec<String>,
    /// Indices of the repetitions around, from the outside.
    pub(super) indices: Vec<String>,
}

impl Scope<'_> {
    /// Why a name cannot be given to an index or a named expression.
    pub(super) fn refuses(&self, name: &str) -> Option<String> {
        let word = name.chars().all(is_word) && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let reserved = ["if", "then", "else", "and", "or", "not", "true", "false"];
        if !word || name.contains('.') || name.chars().count() > 80 {
            return Some(format!("'{name}' is no name: expected a letter, and letters, digits and _ after it"));
        }
        if reserved.contains(&name) || FUNCTIONS.iter().any(|(function, ..)| *function == name) {
            return Some(format!("'{name}' is a word of the language"));
        }
        let taken =
            self.variables.iter().any(|v| v.name == name) || self.lets.iter().chain(&self.indices).any(|n| n == name);
        taken.then(|| format!("'{name}' has a meaning already: give it another name"))
    }

    fn known(&self) -> impl Iterator<Item = (&str, Value)> {
        let indices = self.indices.iter().enumerate().map(|(n, name)| (name.as_str(), json!(["i", n])));
        let lets = self.lets.iter().enumerate().map(|(n, name)| (name.as_str(), json!(["l", n])));
        let variables =
            self.variables.iter().enumerate().map(|(n, variable)| (variable.name.as_str(), json!(["v", n])));
        indices.chain(lets).chain(variables)
    }
}

/// Reads an expression; the error says what was expected, and where in the text.
pub(super) fn read(text: &str, scope: &Scope<'_>) -> Result<Value, String> {
    read_within(text, scope, 0)
}

fn read_within(text: &str, scope: &Scope<'_>, depth: usize) -> Result<Value, String> {
    if text.chars().count() > LONGEST {
        return Err(format!("an expression of more than {LONGEST} characters"));
    }
    let mut reader = Reader { text, at: 0, depth, scope: scope.clone() };
    let read = reader.choice()?;
    reader.skip();
    if reader.at < text.len() { Err(reader.expected("an operator or the end")) } else { Ok(read) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    scope: Scope<'a>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: &str) -> String {
        let column = self.text[..self.at].chars().count() + 1;
        let found: String = self.rest().chars().take(20).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("'{found}'") };
        format!("character {column} of \"{}\": expected {what}, found {found}", self.text)
    }

    fn take(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        self.skip();
        let sign = signs.iter().find(|sign| self.rest().starts_with(**sign))?;
        // A word ends where it ends: `order` is not `or` and something.
        if sign.ends_with(is_word) && self.rest()[sign.len()..].starts_with(is_word) {
            return None;
        }
        self.at += sign.len();
        Some(sign)
    }

    fn demand(&mut self, sign: &'static str) -> Result<(), String> {
        self.take(&[sign]).map(|_| ()).ok_or_else(|| self.expected(&format!("'{sign}'")))
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(format!("an expression with more than {DEEPEST} levels")) } else { Ok(()) }
    }

    fn choice(&mut self) -> Result<Value, String> {
        self.deeper()?;
        let read = if self.is_name() { None } else { self.take(&["if"]) };
        let read = match read {
            Some(_) => {
                let condition = self.choice()?;
                self.demand("then")?;
                let yes = self.choice()?;
                self.demand("else")?;
                json!(["?", condition, yes, self.choice()?])
            }
            None => self.or()?,
        };
        self.depth -= 1;
        Ok(read)
    }

    fn or(&mut self) -> Result<Value, String> {
        let mut terms = vec![json!("or"), self.and()?];
        while self.take(&["or", "||", "|", "∨"]).is_some() {
            terms.push(self.and()?);
        }
        Ok(alone_or_all(terms))
    }

    fn and(&mut self) -> Result<Value, String> {
        let mut terms = vec![json!("and"), self.negation()?];
        while self.take(&["and", "&&", "&", "∧"]).is_some() {
            terms.push(self.negation()?);
        }
        Ok(alone_or_all(terms))
    }

    fn negation(&mut self) -> Result<Value, String> {
        if !self.is_name() && self.take(&["not"]).is_some() {
            self.deeper()?;
            let inner = self.negation()?;
            self.depth -= 1;
            return Ok(json!(["not", inner]));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Value, String> {
        let left = self.sum()?;
        let Some(sign) = self.take(&["<=", ">=", "!=", "==", "≤", "≥", "≠", "<", ">", "="]) else {
            return Ok(left);
        };
        let sign = match sign {
            "≤" => "<=",
            "≥" => ">=",
            "≠" => "!=",
            "==" => "=",
            other => other,
        };
        let right = match self.value_name(&left) {
            Some(value) => value,
            None => self.sum()?,
        };
        Ok(json!([sign, left, right]))
    }

    /// The name of a value of the variable on the left, as its number: `valve = open`.
    fn value_name(&mut self, left: &Value) -> Option<Value> {
        let variable = left.get(0).filter(|kind| *kind == "v").and(left[1].as_u64())?;
        self.skip();
        let values = &self.scope.variables.get(usize::try_from(variable).ok()?)?.values;
        let fitting = values.iter().enumerate().filter(|(_, name)| begins_with(self.rest(), name));
        let (index, length) = fitting.map(|(n, name)| (n, name.len())).max_by_key(|(_, length)| *length)?;
        self.at += length;
        Some(json!(index))
    }

    fn sum(&mut self) -> Result<Value, String> {
        let (mut left, before) = (self.product()?, self.depth);
        while let Some(sign) = self.take(&["+", "-", "−"]) {
            self.deeper()?; // each term makes the tree one level deeper
            left = json!([if sign == "+" { "+" } else { "-" }, left, self.product()?]);
        }
        self.depth = before;
        Ok(left)
    }

    fn product(&mut self) -> Result<Value, String> {
        let (mut left, before) = (self.factor()?, self.depth);
        while let Some(sign) = self.take(&["*", "·", "/", "%"]) {
            self.deeper()?;
            left = json!([if sign == "·" { "*" } else { sign }, left, self.factor()?]);
        }
        self.depth = before;
        Ok(left)
    }

    fn factor(&mut self) -> Result<Value, String> {
        self.deeper()?;
        let read = self.plain_factor()?;
        self.depth -= 1;
        Ok(read)
    }

    fn plain_factor(&mut self) -> Result<Value, String> {
        if let Some(name) = self.holed()? {
            return Ok(name);
        }
        if let Some((value, length)) = self.longest_name() {
            self.at += length;
            return Ok(value);
        }
        if self.take(&["("]).is_some() {
            let inner = self.choice()?;
            self.demand(")")?;
            return Ok(inner);
        }
        if self.take(&["-", "−"]).is_some() {
            return Ok(json!(["-", 0, self.factor()?]));
        }
        if self.take(&["!", "¬"]).is_some() {
            return Ok(json!(["not", self.factor()?]));
        }
        if let Some(word) = self.take(&["true", "false"]) {
            return Ok(json!(u8::from(word == "true")));
        }
        let number: String = self.rest().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            let value: f64 = number.parse().map_err(|_| self.expected("a number"))?;
            self.at += number.len();
            return if value.is_finite() { Ok(json!(value)) } else { Err(self.expected("a smaller number")) };
        }
        let functions: Vec<&'static str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
        let before = self.at;
        match self.take(&functions) {
            Some(function) => self.call(function),
            None => {
                self.at = before;
                Err(self.unknown())
            }
        }
    }

    fn call(&mut self, function: &'static str) -> Result<Value, String> {
        self.demand("(")?;
        if function == "sum" {
            return self.sum_over();
        }
        let mut operands = vec![json!(function), self.choice()?];
        while self.take(&[","]).is_some() {
            operands.push(self.choice()?);
        }
        self.demand(")")?;
        let (_, least, most) = FUNCTIONS.iter().find(|(name, ..)| *name == function).expect("it was found there");
        if !(*least..=*most).contains(&(operands.len() - 1)) {
            let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(format!("{function} takes {count} operands, found {}", operands.len() - 1));
        }
        let is_variable = matches!(operands[1].get(0).and_then(Value::as_str), Some("v" | "n"));
        if matches!(function, "lower" | "upper") && !is_variable {
            return Err(format!("{function}(...) is a bound of a variable: expected the name of one in the brackets"));
        }
        Ok(Value::Array(operands))
    }

    /// `sum(i, from, to, term)`: the index is known in the term only.
    fn sum_over(&mut self) -> Result<Value, String> {
        self.skip();
        let index: String = self.rest().chars().take_while(|c| is_word(*c)).collect();
        if let Some(reason) = self.scope.refuses(&index) {
            return Err(format!("sum(INDEX, FROM, TO, TERM): {reason}"));
        }
        self.at += index.len();
        self.demand(",")?;
        let from = self.choice()?;
        self.demand(",")?;
        let to = self.choice()?;
        self.demand(",")?;
        let slot = self.scope.indices.len();
        self.scope.indices.push(index);
        let term = self.choice();
        self.scope.indices.pop();
        let term = term?;
        self.demand(")")?;
        Ok(json!(["sum", slot, from, to, term]))
    }

    fn is_name(&mut self) -> bool {
        self.longest_name().is_some()
    }

    fn longest_name(&mut self) -> Option<(Value, usize)> {
        self.skip();
        let fitting = self.scope.known().filter(|(name, _)| begins_with(self.rest(), name));
        // The first of equally long ones: what is nearer.
        let longest = fitting.reduce(|best, next| if next.0.len() > best.0.len() { next } else { best })?;
        Some((longest.1, longest.0.len()))
    }

    /// A name with holes, or in quotes.
    fn holed(&mut self) -> Result<Option<Value>, String> {
        self.skip();
        let quoted = self.rest().starts_with('\'');
        let (name, length) = if quoted {
            let inner = &self.rest()[1..];
            let end = inner.find('\'').ok_or_else(|| self.expected("a closing '"))?;
            (inner[..end].to_owned(), end + 2)
        } else {
            let length = extent(self.rest());
            (self.rest()[..length].to_owned(), length)
        };
        if !quoted && !name.contains('{') {
            return Ok(None);
        }
        let pieces = pieces(&name, |hole| read_within(hole, &self.scope, self.depth))
            .map_err(|reason| format!("the name '{name}': {reason}"))?;
        if let [Piece::Text(whole)] = &pieces[..] {
            let known = self.scope.variables.iter().position(|variable| variable.name == *whole);
            let found = known.map(|n| json!(["v", n])).ok_or_else(|| no_variable(whole, self.scope.variables))?;
            self.at += length;
            return Ok(Some(found));
        }
        if pieces.iter().filter(|piece| matches!(piece, Piece::Hole(_))).count() > MOST_HOLES {
            return Err(format!("the name '{name}' has more than {MOST_HOLES} holes"));
        }
        if !self.scope.variables.iter().any(|variable| fits(&variable.name, &pieces)) {
            return Err(no_variable(&name, self.scope.variables));
        }
        self.at += length;
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => json!(text),
            // A constant hole is told apart from text by its type.
            Piece::Hole(hole) => hole,
        });
        Ok(Some(Value::Array(std::iter::once(json!("n")).chain(pieces).collect())))
    }

    fn unknown(&self) -> String {
        let word: String = self.rest().chars().take_while(|c| is_word(*c)).collect();
        if word.is_empty() {
            return self.expected("a number, a name or a bracket");
        }
        let near = suggest(&word, self.scope.known().map(|(name, _)| name).collect::<Vec<_>>().into_iter());
        match near {
            Some(near) => format!("there is no variable '{word}' (did you mean '{near}'?)"),
            None => no_variable(&word, self.scope.variables),
        }
    }
}

/// An operator of any number of operands, or its only one.
fn alone_or_all(mut terms: Vec<Value>) -> Value {
    if terms.len() == 2 { terms.remove(1) } else { Value::Array(terms) }
}

fn no_variable(name: &str, variables: &[Named]) -> String {
    let plain: String = pieces(name, |_| Ok(Value::Null)).map_or_else(
        |_| name.to_owned(),
        |pieces| pieces.iter().map(|piece| if let Piece::Text(text) = piece { text.as_str() } else { "0" }).collect(),
    );
    let kind = if plain == name { "there is no variable" } else { "no variable has a name like" };
    match suggest(&plain, variables.iter().map(|variable| variable.name.as_str())) {
        Some(near) => format!("{kind} '{name}' (did you mean '{near}'?)"),
        None => {
            let mut some: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).take(8).collect();
            if variables.len() > some.len() {
                some.push("...");
            }
            format!("{kind} '{name}'; variables are: {}", some.join(", "))
        }
    }
}

/// Whether a text goes on with a name that ends there: `speed2` does not with `speed`.
fn begins_with(text: &str, name: &str) -> bool {
    !name.is_empty()
        && text.strip_prefix(name).is_some_and(|rest| !(name.ends_with(is_letter) && rest.starts_with(is_letter)))
}
