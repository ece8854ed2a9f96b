//! From what is written to expressions of JANI: names are looked up, and truth values count as numbers where these stand.

use std::sync::Arc;

use surefoot_jani::syntax::{BinaryOp, Expr, ExprId, LocationRef, UnaryOp};
use surefoot_model::ScalarType;
use surefoot_model::lower::Lowered;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span, Spanned};
use surefoot_text::suggest;

use super::tree::{Between, Kind, Tree};
use crate::formula::Ctl;

/// Names beyond these are counted, not listed.
const MOST_NAMES: usize = 12;

/// What an expression is, as far as that can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Truth,
    Number,
    /// What a function of the model gives.
    Unknown,
}

/// Functions with one argument, and with two.
const ONE: [(&str, UnaryOp); 6] = [
    ("abs", UnaryOp::Abs),
    ("floor", UnaryOp::Floor),
    ("ceil", UnaryOp::Ceil),
    ("sgn", UnaryOp::Sgn),
    ("trc", UnaryOp::Trc),
    ("not", UnaryOp::Not),
];
const TWO: [(&str, BinaryOp); 5] = [
    ("min", BinaryOp::Min),
    ("max", BinaryOp::Max),
    ("mod", BinaryOp::Mod),
    ("pow", BinaryOp::Pow),
    ("log", BinaryOp::Log),
];

/// Writes expressions into the arena of a model.
pub(super) struct Express<'l> {
    pub(super) file: FileId,
    pub(super) lowered: &'l mut Lowered,
}

impl Express<'_> {
    /// A formula: conditions as large as they can be, operators about time above them.
    pub(super) fn formula(&mut self, tree: &Tree) -> Result<Ctl<ExprId>, Diagnostic> {
        if !tree.temporal {
            return self.condition(tree).map(Ctl::State);
        }
        let mut one = |f: &Tree| self.formula(f).map(Box::new);
        Ok(match &tree.kind {
            Kind::Unary(UnaryOp::Not, f) => Ctl::Not(one(f)?),
            Kind::Implies(f, g) => Ctl::Or(vec![Ctl::Not(one(f)?), *one(g)?]),
            Kind::Chain(first, rest) if matches!(rest[0].0, BinaryOp::And | BinaryOp::Or) => {
                let mut parts = vec![self.formula(first)?];
                for (_, part) in rest {
                    parts.push(self.formula(part)?);
                }
                if rest[0].0 == BinaryOp::And { Ctl::And(parts) } else { Ctl::Or(parts) }
            }
            Kind::Next(q, steps, f) => Ctl::Next(*q, *steps, one(f)?),
            Kind::Finally(q, bound, f) => Ctl::Finally(*q, *bound, one(f)?),
            Kind::Globally(q, bound, f) => Ctl::Globally(*q, *bound, one(f)?),
            Kind::Between(Between::Until, q, bound, f, g) => Ctl::Until(*q, *bound, one(f)?, one(g)?),
            Kind::Between(Between::Release, q, bound, f, g) => Ctl::Release(*q, *bound, one(f)?, one(g)?),
            Kind::Between(Between::WeakUntil, q, bound, f, g) => Ctl::weak_until(*q, *bound, *one(f)?, *one(g)?),
            _ => {
                let message = "an operator about time stands where a value of the state is expected";
                return Err(self.error(tree, message).with_help("such operators can be joined by &, | and => only"));
            }
        })
    }

    /// A condition.
    pub(super) fn condition(&mut self, tree: &Tree) -> Result<ExprId, Diagnostic> {
        if self.sort(tree) == Sort::Number {
            let message = "this is a number, not a condition";
            return Err(self.error(tree, message).with_help("compare it: one of <, <=, >, >=, =, !="));
        }
        self.expression(tree)
    }

    fn span(&self, tree: &Tree) -> Span {
        Span::between(self.file, tree.start, tree.end)
    }

    fn error(&self, tree: &Tree, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span(tree), message)
    }

    fn push(&mut self, node: Expr, tree: &Tree) -> ExprId {
        let span = self.span(tree);
        self.lowered.pool_mut().push(node, span)
    }

    fn sort(&self, tree: &Tree) -> Sort {
        match &tree.kind {
            Kind::Truth(_) | Kind::At(..) | Kind::Compare(..) | Kind::Implies(..) => Sort::Truth,
            Kind::Unary(UnaryOp::Not, _) => Sort::Truth,
            Kind::Next(..) | Kind::Finally(..) | Kind::Globally(..) | Kind::Between(..) => Sort::Truth,
            Kind::Number(_) | Kind::Minus(_) | Kind::Unary(..) => Sort::Number,
            Kind::Chain(_, rest) => match rest[0].0 {
                BinaryOp::And | BinaryOp::Or => Sort::Truth,
                _ => Sort::Number,
            },
            Kind::Name(name) => self.sort_of(name),
            Kind::Cell(array, _) => self.sort(array),
            Kind::Call(name, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("ite", [_, then, _]) => self.sort(then),
                ("not", [_]) => Sort::Truth,
                (name, [_]) if ONE.iter().any(|(known, _)| *known == name) => Sort::Number,
                (name, [_, _]) if TWO.iter().any(|(known, _)| *known == name) => Sort::Number,
                _ => Sort::Unknown,
            },
        }
    }

    fn sort_of(&self, name: &str) -> Sort {
        let scalar = self.lowered.names.in_property(name).and_then(|value| value.scalars().first().copied());
        match scalar.map(|term| self.lowered.model.terms.ty(term)) {
            Some(ScalarType::Bool) => Sort::Truth,
            Some(ScalarType::Int | ScalarType::Real) => Sort::Number,
            None => Sort::Unknown,
        }
    }

    /// A number; a truth value as 0 or 1.
    pub(super) fn number(&mut self, tree: &Tree) -> Result<ExprId, Diagnostic> {
        let value = self.expression(tree)?;
        if self.sort(tree) != Sort::Truth {
            return Ok(value);
        }
        let one = self.push(Expr::Number(Rational::ONE), tree);
        let zero = self.push(Expr::Number(Rational::ZERO), tree);
        Ok(self.push(Expr::IfThenElse(value, one, zero), tree))
    }

    fn expression(&mut self, tree: &Tree) -> Result<ExprId, Diagnostic> {
        let node = match &tree.kind {
            Kind::Truth(value) => Expr::Bool(*value),
            Kind::Number(value) => Expr::Number(value.clone()),
            Kind::Name(name) => {
                self.known(name, tree)?;
                Expr::Identifier(name.as_str().into())
            }
            Kind::Cell(array, indices) => {
                let mut cell = self.expression(array)?;
                for index in indices {
                    let index = self.expression(index)?;
                    cell = self.push(Expr::ArrayAccess(cell, index), tree);
                }
                return Ok(cell);
            }
            Kind::At(automaton, location) => self.location(automaton, location, tree)?,
            Kind::Unary(UnaryOp::Not, operand) => Expr::Unary(UnaryOp::Not, self.condition(operand)?),
            Kind::Unary(op, operand) => Expr::Unary(*op, self.number(operand)?),
            Kind::Minus(operand) => {
                let zero = self.push(Expr::Number(Rational::ZERO), tree);
                Expr::Binary(BinaryOp::Sub, zero, self.number(operand)?)
            }
            Kind::Compare(op, left, right) => {
                let truths = self.sort(left) != Sort::Number && self.sort(right) != Sort::Number;
                let equal = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                let (left, right) = if truths && equal {
                    (self.expression(left)?, self.expression(right)?)
                } else {
                    (self.number(left)?, self.number(right)?)
                };
                Expr::Binary(*op, left, right)
            }
            Kind::Implies(left, right) => {
                let left = self.condition(left)?;
                Expr::Binary(BinaryOp::Implies, left, self.condition(right)?)
            }
            Kind::Chain(first, rest) => {
                let logic = matches!(rest[0].0, BinaryOp::And | BinaryOp::Or);
                let mut all = if logic { self.condition(first)? } else { self.number(first)? };
                for (op, operand) in rest {
                    let operand = if logic { self.condition(operand)? } else { self.number(operand)? };
                    all = self.push(Expr::Binary(*op, all, operand), tree);
                }
                return Ok(all);
            }
            Kind::Call(name, arguments) => self.call(name, arguments, tree)?,
            Kind::Next(..) | Kind::Finally(..) | Kind::Globally(..) | Kind::Between(..) => {
                let message = "an operator about time stands where a value of the state is expected";
                return Err(self.error(tree, message).with_help("such operators can be joined by &, | and => only"));
            }
        };
        Ok(self.push(node, tree))
    }

    fn call(&mut self, name: &str, arguments: &[Tree], tree: &Tree) -> Result<Expr, Diagnostic> {
        if let Some((_, op)) = ONE.iter().find(|(known, _)| *known == name && arguments.len() == 1) {
            let operand = &arguments[0];
            let operand = if *op == UnaryOp::Not { self.condition(operand)? } else { self.number(operand)? };
            return Ok(Expr::Unary(*op, operand));
        }
        if let Some((_, op)) = TWO.iter().find(|(known, _)| *known == name && arguments.len() == 2) {
            let first = self.number(&arguments[0])?;
            return Ok(Expr::Binary(*op, first, self.number(&arguments[1])?));
        }
        if let ("ite", [condition, then, otherwise]) = (name, arguments) {
            let (condition, then) = (self.condition(condition)?, self.expression(then)?);
            return Ok(Expr::IfThenElse(condition, then, self.expression(otherwise)?));
        }
        let functions = self.lowered.syntax().functions.iter().map(|f| f.name.value.to_string());
        let own: Vec<String> = functions.collect();
        if !own.iter().any(|function| function == name) {
            let built_in = ONE.iter().map(|(name, _)| *name).chain(TWO.iter().map(|(name, _)| *name)).chain(["ite"]);
            let known: Vec<&str> = own.iter().map(String::as_str).chain(built_in).collect();
            let help = match suggest(name, known.iter().copied()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("there are {}", known.join(", ")),
            };
            let count = if known.contains(&name) { " of so many arguments" } else { "" };
            return Err(self.error(tree, format!("there is no function '{name}'{count}")).with_help(help));
        }
        let place = Span::between(self.file, tree.start, tree.start + name.len());
        let arguments = arguments.iter().map(|argument| self.expression(argument)).collect::<Result<Vec<_>, _>>()?;
        Ok(Expr::Call(Spanned::new(name.into(), place), arguments))
    }

    /// That a name is one of a variable or a constant.
    fn known(&self, name: &str, tree: &Tree) -> Result<(), Diagnostic> {
        let names = &self.lowered.names;
        if names.in_property(name).is_some() {
            return Ok(());
        }
        let owners: Vec<&str> =
            names.instances.iter().filter(|i| i.locals.contains_key(name)).map(|i| &*i.name).collect();
        if owners.len() > 1 {
            let error = self.error(tree, format!("'{name}' is the name of several variables"));
            let all: Vec<String> = owners.iter().map(|owner| format!("{owner}.{name}")).collect();
            return Err(error.with_help(format!("say which: {}", all.join(", "))));
        }
        if names.instances.iter().any(|instance| *instance.name == *name) {
            let error = self.error(tree, format!("'{name}' is an automaton, not a variable"));
            return Err(error.with_help(format!("say where it is: {name} at LOCATION")));
        }
        let candidates = names.candidates();
        let help = match suggest(name, candidates.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None if candidates.len() <= MOST_NAMES => format!("there are {}", candidates.join(", ")),
            None => {
                let more = candidates.len() - MOST_NAMES;
                format!("there are {} and {more} more", candidates[..MOST_NAMES].join(", "))
            }
        };
        Err(self.error(tree, format!("there is no variable '{name}'")).with_help(help))
    }

    fn location(&self, automaton: &str, location: &str, tree: &Tree) -> Result<Expr, Diagnostic> {
        let names = &self.lowered.names;
        let Some(instance) = names.instances.iter().find(|instance| *instance.name == *automaton) else {
            let all: Vec<&str> = names.instances.iter().map(|instance| &*instance.name).collect();
            let error = self.error(tree, format!("there is no automaton '{automaton}'"));
            return Err(error.with_help(format!("there are {}", all.join(", "))));
        };
        let own = &self.lowered.syntax().automata[instance.automaton];
        if !instance.locations.contains_key(location) {
            let all: Vec<&str> = own.locations.iter().map(|location| &*location.name.value).collect();
            let error = self.error(tree, format!("the automaton '{automaton}' has no location '{location}'"));
            return Err(error.with_help(format!("there are {}", all.join(", "))));
        }
        let span = self.span(tree);
        let name = |text: &str| Spanned::new(Arc::<str>::from(text), span);
        let (index, automaton) = (Some(Spanned::new(instance.occurrence, span)), name(&own.name.value));
        Ok(Expr::StateCondition(vec![LocationRef { automaton, index, location: name(location) }], None))
    }
}
