//! What the grammar builds: operators and operands as they are written, before names mean anything.

use surefoot_jani::syntax::{BinaryOp, UnaryOp};
use surefoot_num::Rational;

use crate::formula::Quantifier;

/// A part of a text.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    pub(super) kind: Kind,
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
    /// Whether an operator about time is in it.
    pub(super) temporal: bool,
}

/// What a part is. Chains are flat, so that their length costs no stack.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Truth(bool),
    Number(Rational),
    Name(String),
    /// An array, and the indices of a cell.
    Cell(Box<Tree>, Vec<Tree>),
    /// A function, where its name stands, and its arguments.
    Call(String, Vec<Tree>),
    /// An automaton and a location.
    At(String, String),
    Unary(UnaryOp, Box<Tree>),
    Minus(Box<Tree>),
    Compare(BinaryOp, Box<Tree>, Box<Tree>),
    /// Operators of one level, from left to right.
    Chain(Box<Tree>, Vec<(BinaryOp, Tree)>),
    Implies(Box<Tree>, Box<Tree>),
    Next(Quantifier, u64, Box<Tree>),
    Finally(Quantifier, Option<u64>, Box<Tree>),
    Globally(Quantifier, Option<u64>, Box<Tree>),
    Between(Between, Quantifier, Option<u64>, Box<Tree>, Box<Tree>),
}

/// Operators about time with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Until,
    Release,
    WeakUntil,
}

impl Tree {
    pub(super) fn new(kind: Kind, start: usize, end: usize) -> Self {
        let temporal = match &kind {
            Kind::Truth(_) | Kind::Number(_) | Kind::Name(_) | Kind::At(..) => false,
            Kind::Unary(_, a) | Kind::Minus(a) => a.temporal,
            Kind::Cell(a, rest) => a.temporal || rest.iter().any(|tree| tree.temporal),
            Kind::Call(_, rest) => rest.iter().any(|tree| tree.temporal),
            Kind::Compare(_, a, b) | Kind::Implies(a, b) => a.temporal || b.temporal,
            Kind::Chain(a, rest) => a.temporal || rest.iter().any(|(_, tree)| tree.temporal),
            Kind::Next(..) | Kind::Finally(..) | Kind::Globally(..) | Kind::Between(..) => true,
        };
        Self { kind, start, end, temporal }
    }
}
