//! Which edges are worth testing: a decision tree over the values of single slots.
//!
//! Guards are mostly conjunctions with parts such as `s = 5` or `x < 3`. Instead of testing every edge of a
//! location, the tree branches on the values of a slot that such parts mention, and its leaves list the edges that are not
//! ruled out, in their order. The guards of those are still evaluated in full.
//!
//! Soundness: only parts before the first one that may fail are used, so an edge is skipped only if evaluating its guard
//! would have given `false` without an error.

use surefoot_model::{Model, SlotId, Term, TermId};

use super::Terms;
use super::condition::{Comparison, slot_comparison};
use crate::number::number;

/// Slots with more values are not branched on.
const MAX_VALUES: usize = 128;
/// The tree has at most so many nodes.
const MAX_NODES: usize = 4_096;
/// Tests of an edge against a value while building, per edge.
const WORK_PER_EDGE: usize = 4_000;

/// A decision tree over slots.
#[derive(Debug)]
pub(super) struct Dispatch {
    nodes: Vec<Node>,
    /// Work left for building: it must not outgrow what the tree saves.
    budget: usize,
}

#[derive(Debug)]
enum Node {
    Leaf(Box<[u32]>),
    /// Slot, its smallest value, and a node per value.
    Branch(u32, i64, Box<[u32]>),
}

/// `slot ~ constant`, for one edge.
#[derive(Debug, Clone, Copy)]
struct Part {
    slot: SlotId,
    op: Comparison,
    constant: i64,
}

impl Dispatch {
    /// A tree for some edges (numbers) with their guards.
    pub(super) fn new(terms: &mut Terms<'_>, edges: &[(u32, TermId)]) -> Self {
        let parts: Vec<(u32, Vec<Part>)> = edges.iter().map(|(e, guard)| (*e, parts_of(terms, *guard))).collect();
        let mut tree = Self { nodes: Vec::new(), budget: 10_000 + WORK_PER_EDGE * edges.len() };
        let all: Vec<usize> = (0..parts.len()).collect();
        tree.build(terms.model(), &parts, &all, &mut Vec::new());
        tree
    }

    /// The edges worth testing in a state.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are at least the lower bound")]
    pub(super) fn edges(&self, values: &[i64]) -> &[u32] {
        let mut node = 0u32;
        loop {
            match &self.nodes[node as usize] {
                Node::Leaf(edges) => return edges,
                Node::Branch(slot, lower, children) => {
                    node = children[(values[*slot as usize] - lower) as usize];
                }
            }
        }
    }

    fn build(&mut self, model: &Model, parts: &[(u32, Vec<Part>)], edges: &[usize], used: &mut Vec<SlotId>) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node::Leaf(edges.iter().map(|e| parts[*e].0).collect()));
        // Depth is bounded by the slots used, and every level must pay.
        if edges.len() < 3 || used.len() >= 4 || self.nodes.len() > MAX_NODES {
            return number(index);
        }
        let mut candidates: Vec<SlotId> = edges.iter().flat_map(|e| parts[*e].1.iter().map(|p| p.slot)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut best: Option<(usize, SlotId, i64, Vec<Vec<usize>>)> = None;
        for slot in candidates.into_iter().filter(|s| !used.contains(s)) {
            let (lower, upper) = model.slots[slot.index()].domain.int_bounds().expect("discrete");
            let work = edges.len() * usize::try_from(upper.abs_diff(lower)).unwrap_or(usize::MAX).min(MAX_VALUES);
            if upper.abs_diff(lower) >= MAX_VALUES as u64 || work > self.budget {
                continue;
            }
            self.budget -= work;
            let lists: Vec<Vec<usize>> = (lower..=upper)
                .map(|value| edges.iter().copied().filter(|e| admits(&parts[*e].1, slot, value)).collect())
                .collect();
            // The mean number of edges left, times the number of values.
            let cost = lists.iter().map(Vec::len).sum::<usize>() * 1024 / lists.len();
            if best.as_ref().is_none_or(|(c, ..)| cost < *c) {
                best = Some((cost, slot, lower, lists));
            }
        }
        let Some((cost, slot, lower, lists)) = best else { return number(index) };
        if cost * 4 > edges.len() * 1024 * 3 {
            return number(index);
        }
        used.push(slot);
        let children = lists.iter().map(|list| self.build(model, parts, list, used)).collect();
        used.pop();
        self.nodes[index] = Node::Branch(slot.0, lower, children);
        number(index)
    }
}

fn parts_of(terms: &mut Terms<'_>, guard: TermId) -> Vec<Part> {
    let guard = terms.inline(guard);
    let mut parts = Vec::new();
    for conjunct in terms.pool.conjuncts(guard) {
        if terms.pool.is_fallible(conjunct) {
            break;
        }
        let part = match *terms.get(conjunct) {
            Term::Slot(slot) => Some((slot.0, Comparison::Eq, 1)),
            Term::Not(inner) => match *terms.get(inner) {
                Term::Slot(slot) => Some((slot.0, Comparison::Eq, 0)),
                _ => None,
            },
            Term::Cmp(op, a, b) => slot_comparison(terms, op, a, b),
            _ => None,
        };
        parts.extend(part.map(|(slot, op, constant)| Part { slot: SlotId(slot), op, constant }));
    }
    parts
}

fn admits(parts: &[Part], slot: SlotId, value: i64) -> bool {
    parts.iter().filter(|p| p.slot == slot).all(|p| p.op.holds(value, p.constant))
}
