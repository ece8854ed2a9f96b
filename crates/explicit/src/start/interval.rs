//! Truth of a term over a box of integers: holds everywhere, fails everywhere, or open.

use rustc_hash::FxHashMap;
use surefoot_model::term::{ArithOp, CmpOp, RoundOp};
use surefoot_model::{Model, ScalarType, Term, TermId};

use super::IntBox;
use crate::number::number;

/// Truth over a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    Holds,
    Fails,
    Open,
}

/// Bounds beyond this are cut off: wide enough for any sum of 64-bit numbers, and no product of two bounds overflows.
const WIDE: i128 = 1 << 62;

/// Values between two integers. Terms are looked at in millions of boxes, and not only linear ones: machine integers that are cut off
/// at [`WIDE`] do that, where exact intervals of rationals would be slow.
type Range = (i128, i128);
const ANY: Range = (-WIDE, WIDE);
const OPEN: Range = (0, 1);

#[derive(Debug)]
enum Node {
    Fixed(Range),
    Slot(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Cmp(CmpOp, u32, u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Min(u32, u32),
    Max(u32, u32),
    Abs(u32),
    Ite(u32, u32, u32),
    Select(Box<[u32]>, u32),
}

/// A term as a list of interval operations, operands first.
#[derive(Debug)]
pub(super) struct IntervalProgram {
    nodes: Vec<Node>,
}

impl IntervalProgram {
    pub(super) fn compile(model: &Model, root: TermId) -> Self {
        let terms = &model.terms;
        let order = terms.reachable(root);
        let position: FxHashMap<TermId, u32> = order.iter().enumerate().map(|(i, t)| (*t, number(i))).collect();
        let at = |t: &TermId| position[t];
        let nodes = order
            .iter()
            .map(|id| match terms.get(*id) {
                Term::Bool(value) => Node::Fixed((i128::from(*value), i128::from(*value))),
                Term::Num(value) => match value.to_i64() {
                    Some(value) if i128::from(value).abs() < WIDE => {
                        Node::Fixed((i128::from(value), i128::from(value)))
                    }
                    _ => Node::Fixed(ANY),
                },
                Term::Slot(slot) if model.slots[slot.index()].domain.int_bounds().is_some() => Node::Slot(slot.0),
                Term::Not(a) => Node::Not(at(a)),
                Term::And(a, b) => Node::And(at(a), at(b)),
                Term::Or(a, b) => Node::Or(at(a), at(b)),
                // Reals are not bounded here: a comparison with one is open.
                Term::Cmp(op, a, b) => Node::Cmp(*op, at(a), at(b)),
                Term::Arith(ArithOp::Add, a, b) => Node::Add(at(a), at(b)),
                Term::Arith(ArithOp::Sub, a, b) => Node::Sub(at(a), at(b)),
                Term::Arith(ArithOp::Mul, a, b) => Node::Mul(at(a), at(b)),
                Term::Arith(ArithOp::Min, a, b) => Node::Min(at(a), at(b)),
                Term::Arith(ArithOp::Max, a, b) => Node::Max(at(a), at(b)),
                Term::Round(RoundOp::Abs, a) => Node::Abs(at(a)),
                Term::Ite(c, a, b) => Node::Ite(at(c), at(a), at(b)),
                Term::Select(items, index) => Node::Select(items.iter().map(at).collect(), at(index)),
                _ if terms.ty(*id) == ScalarType::Bool => Node::Fixed(OPEN),
                _ => Node::Fixed(ANY),
            })
            .collect();
        Self { nodes }
    }

    pub(super) fn eval(&self, region: &IntBox) -> Truth {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let range = self.range(node, &ranges, region);
            ranges.push(range);
        }
        match ranges.last() {
            Some((1, _)) => Truth::Holds,
            Some((_, 0)) => Truth::Fails,
            _ => Truth::Open,
        }
    }

    fn range(&self, node: &Node, ranges: &[Range], region: &IntBox) -> Range {
        let at = |i: &u32| ranges[*i as usize];
        // Soundness: once a bound was cut off it stands for "unbounded", and every operation keeps it so.
        let cut = |(low, high): Range| (low.max(-WIDE), high.min(WIDE));
        let unbounded = |(low, high): Range| low <= -WIDE || high >= WIDE;
        match node {
            Node::Fixed(range) => *range,
            Node::Slot(slot) => {
                let (low, high) = region[*slot as usize];
                cut((i128::from(low), i128::from(high)))
            }
            Node::Not(a) => (1 - at(a).1, 1 - at(a).0),
            Node::And(a, b) => (at(a).0.min(at(b).0), at(a).1.min(at(b).1)),
            Node::Or(a, b) => (at(a).0.max(at(b).0), at(a).1.max(at(b).1)),
            Node::Cmp(op, a, b) => compare(*op, at(a), at(b), unbounded(at(a)) || unbounded(at(b))),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) if unbounded(at(a)) || unbounded(at(b)) => ANY,
            Node::Add(a, b) => cut((at(a).0 + at(b).0, at(a).1 + at(b).1)),
            Node::Sub(a, b) => cut((at(a).0 - at(b).1, at(a).1 - at(b).0)),
            Node::Mul(a, b) => {
                let (a, b) = (at(a), at(b));
                let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                let low = products.iter().copied().min().expect("four products");
                cut((low, products.iter().copied().max().expect("four products")))
            }
            Node::Min(a, b) => (at(a).0.min(at(b).0), at(a).1.min(at(b).1)),
            Node::Max(a, b) => (at(a).0.max(at(b).0), at(a).1.max(at(b).1)),
            Node::Abs(a) => match at(a) {
                range if unbounded(range) => ANY,
                (low, high) if low >= 0 => (low, high),
                (low, high) if high <= 0 => (-high, -low),
                (low, high) => (0, high.max(-low)),
            },
            Node::Ite(c, a, b) => match at(c) {
                (1, _) => at(a),
                (_, 0) => at(b),
                _ => (at(a).0.min(at(b).0), at(a).1.max(at(b).1)),
            },
            Node::Select(items, index) => {
                let (low, high) = at(index);
                let inside = |i: i128| usize::try_from(i).ok().filter(|i| *i < items.len());
                match (inside(low), inside(high)) {
                    (Some(low), Some(high)) => {
                        items[low..=high].iter().map(at).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or(ANY)
                    }
                    // The index may be out of range: an error of the condition, to be met exactly. The hull of
                    // everything leaves a boolean open, too.
                    _ => ANY,
                }
            }
        }
    }
}

fn compare(op: CmpOp, a: Range, b: Range, unbounded: bool) -> Range {
    if unbounded {
        // A cut-off bound still orders strictly on its finite side, but nothing here needs that much.
        return OPEN;
    }
    let decided = match op {
        CmpOp::Lt => (a.1 < b.0, a.0 >= b.1),
        CmpOp::Le => (a.1 <= b.0, a.0 > b.1),
        CmpOp::Eq => (a.0 == a.1 && a == b, a.1 < b.0 || b.1 < a.0),
        CmpOp::Ne => (a.1 < b.0 || b.1 < a.0, a.0 == a.1 && a == b),
    };
    match decided {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => OPEN,
    }
}
