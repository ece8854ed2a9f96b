//! Typed expressions over the state vector.
//!
//! Terms are hash-consed in a [`TermPool`]; operands have smaller ids than the term that uses them, so passes are
//! loops, not recursions. Booleans, integers and reals are kept apart by type, but all values are exact rationals
//! (false = 0, true = 1).
//!
//! Evaluation is left to right and lazy in `∧`, `∨`, `ite` and array selection: an error (division by zero, index out
//! of range) in an operand that is not looked at is no error. The constructors fold constants, and never fold away an operand
//! that could have raised an error first.

mod construct;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_num::Rational;
use surefoot_text::source::Span;

use crate::model::{SlotId, TransientId};

/// A term of a [`TermPool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// The types of scalar terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ScalarType {
    Bool,
    Int,
    Real,
}

impl ScalarType {
    /// Whether it is a number type.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        self != Self::Bool
    }

    /// The name users know.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Real => "real",
        }
    }
}

/// Comparisons; the others are expressed by swapping operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
}

/// Arithmetic with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JANI operators")]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Log,
    Min,
    Max,
}

/// Arithmetic with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JANI operators")]
pub enum RoundOp {
    Floor,
    Ceil,
    Trc,
    Abs,
    Sgn,
}

/// One term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// A number.
    Num(Rational),
    /// The value of a state slot: a location or a variable.
    Slot(SlotId),
    /// The value of a transient variable.
    Transient(TransientId),
    /// Negation.
    Not(TermId),
    /// Conjunction, lazy in the second operand.
    And(TermId, TermId),
    /// Disjunction, lazy in the second operand.
    Or(TermId, TermId),
    /// A comparison of two numbers or two booleans.
    Cmp(CmpOp, TermId, TermId),
    /// Arithmetic.
    Arith(ArithOp, TermId, TermId),
    /// Rounding, absolute value and sign.
    Round(RoundOp, TermId),
    /// Lazy choice.
    Ite(TermId, TermId, TermId),
    /// The item at an index; an index out of range is an evaluation error.
    Select(Arc<[TermId]>, TermId),
}

#[derive(Debug, Clone, Copy)]
struct Info {
    ty: ScalarType,
    /// Evaluation may fail.
    fallible: bool,
    /// Nodes of the term written out as a tree, saturating.
    tree_size: u32,
}

/// All terms of a model.
#[derive(Debug, Clone, Default)]
pub struct TermPool {
    terms: Vec<Term>,
    info: Vec<Info>,
    ids: FxHashMap<(Term, ScalarType), TermId>,
    /// Where terms that can fail were written first.
    spans: FxHashMap<TermId, Span>,
}

impl TermPool {
    /// The term of an id.
    #[must_use]
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    /// The type of a term.
    #[must_use]
    pub fn ty(&self, id: TermId) -> ScalarType {
        self.info[id.0 as usize].ty
    }

    /// Whether evaluating the term can fail.
    #[must_use]
    pub fn is_fallible(&self, id: TermId) -> bool {
        self.info[id.0 as usize].fallible
    }

    /// Nodes of the term written out as a tree, saturating at `u32::MAX`.
    #[must_use]
    pub fn tree_size(&self, id: TermId) -> u32 {
        self.info[id.0 as usize].tree_size
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Where a term that can fail was written first.
    #[must_use]
    pub fn span(&self, id: TermId) -> Option<Span> {
        self.spans.get(&id).copied()
    }

    /// Remembers where a term was written, for evaluation errors.
    pub fn set_span(&mut self, id: TermId, span: Span) {
        if self.is_fallible(id) {
            self.spans.entry(id).or_insert(span);
        }
    }

    /// Calls `f` on the operands of a term.
    pub fn for_each_operand(&self, id: TermId, mut f: impl FnMut(TermId)) {
        match self.get(id) {
            Term::Bool(_) | Term::Num(_) | Term::Slot(_) | Term::Transient(_) => {}
            Term::Not(a) | Term::Round(_, a) => f(*a),
            Term::And(a, b) | Term::Or(a, b) | Term::Cmp(_, a, b) | Term::Arith(_, a, b) => {
                f(*a);
                f(*b);
            }
            Term::Ite(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Term::Select(items, index) => {
                items.iter().copied().for_each(&mut f);
                f(*index);
            }
        }
    }

    /// All terms below a root, itself included, operands first, each once.
    #[must_use]
    pub fn reachable(&self, root: TermId) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![root];
        let mut found = Vec::new();
        while let Some(id) = work.pop() {
            if seen.insert(id) {
                found.push(id);
                self.for_each_operand(id, |operand| work.push(operand));
            }
        }
        found.sort_unstable();
        found
    }

    /// The state slots a term reads (not through transient variables).
    #[must_use]
    pub fn slots_read(&self, root: TermId) -> Vec<SlotId> {
        let mut slots: Vec<SlotId> = self
            .reachable(root)
            .into_iter()
            .filter_map(|id| if let Term::Slot(slot) = self.get(id) { Some(*slot) } else { None })
            .collect();
        slots.sort_unstable();
        slots
    }

    /// The conjuncts of a term, in order, for any nesting of `∧`.
    #[must_use]
    pub fn conjuncts(&self, root: TermId) -> Vec<TermId> {
        self.flatten(root, |term| if let Term::And(a, b) = term { Some((*a, *b)) } else { None })
    }

    /// The disjuncts of a term, in order, for any nesting of `∨`.
    #[must_use]
    pub fn disjuncts(&self, root: TermId) -> Vec<TermId> {
        self.flatten(root, |term| if let Term::Or(a, b) = term { Some((*a, *b)) } else { None })
    }

    fn flatten(&self, root: TermId, open: impl Fn(&Term) -> Option<(TermId, TermId)>) -> Vec<TermId> {
        let mut out = Vec::new();
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            if let Some((a, b)) = open(self.get(id)) {
                work.push(b);
                work.push(a);
            } else {
                out.push(id);
            }
        }
        out
    }

    fn intern(&mut self, term: Term, ty: ScalarType, own_fallible: bool) -> TermId {
        if let Some(id) = self.ids.get(&(term.clone(), ty)) {
            return *id;
        }
        let id = TermId(u32::try_from(self.terms.len()).expect("fewer than 2^32 terms"));
        self.terms.push(term.clone());
        self.info.push(Info { ty, fallible: own_fallible, tree_size: 1 });
        let (mut fallible, mut tree_size) = (own_fallible, 1u32);
        self.for_each_operand(id, |operand| {
            let info = self.info[operand.0 as usize];
            fallible |= info.fallible;
            tree_size = tree_size.saturating_add(info.tree_size);
        });
        self.info[id.0 as usize] = Info { ty, fallible, tree_size };
        self.ids.insert((term, ty), id);
        id
    }

    /// A term with some of its leaves (or inner terms) replaced: simultaneous substitution.
    pub fn substitute(&mut self, root: TermId, replace: &FxHashMap<TermId, TermId>) -> TermId {
        if replace.is_empty() {
            return root;
        }
        let mut new: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in self.reachable(root) {
            let result = replace.get(&id).copied().unwrap_or_else(|| self.rebuild(id, |operand| new[&operand]));
            if result != id
                && let Some(span) = self.span(id)
            {
                self.set_span(result, span);
            }
            new.insert(id, result);
        }
        new[&root]
    }

    /// The same operator on other operands.
    fn rebuild(&mut self, id: TermId, new: impl Fn(TermId) -> TermId) -> TermId {
        match self.get(id).clone() {
            Term::Bool(_) | Term::Num(_) | Term::Slot(_) | Term::Transient(_) => id,
            Term::Not(a) => self.not(new(a)),
            Term::And(a, b) => self.and(new(a), new(b)),
            Term::Or(a, b) => self.or(new(a), new(b)),
            Term::Cmp(op, a, b) => self.cmp(op, new(a), new(b)),
            Term::Arith(op, a, b) => self.arith(op, new(a), new(b)),
            Term::Round(op, a) => self.round(op, new(a)),
            Term::Ite(c, a, b) => self.ite(new(c), new(a), new(b)),
            Term::Select(items, index) => {
                let items: Vec<TermId> = items.iter().map(|i| new(*i)).collect();
                self.select(&items, new(index))
            }
        }
    }

    /// The value of a term that is a constant.
    #[must_use]
    pub fn constant(&self, id: TermId) -> Option<Rational> {
        match self.get(id) {
            Term::Bool(value) => Some(Rational::from(*value)),
            Term::Num(value) => Some(value.clone()),
            _ => None,
        }
    }

    fn bool_constant(&self, id: TermId) -> Option<bool> {
        if let Term::Bool(value) = self.get(id) { Some(*value) } else { None }
    }
}
