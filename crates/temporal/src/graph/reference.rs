//! The same labels by the equations of fixpoints, iterated on sets until nothing changes, or as often as a bound says.
//!
//! Nothing here uses ranks, duals or predecessors.

use super::Graph;
use crate::formula::{Ctl, Quantifier};

/// The states in which a formula holds; `leaf` says whether a condition holds in a state.
#[must_use]
pub fn label<C>(graph: &Graph, formula: &Ctl<C>, leaf: &impl Fn(&C, u32) -> bool) -> Vec<bool> {
    let sub = |f: &Ctl<C>| label(graph, f, leaf);
    let each = |test: &dyn Fn(usize) -> bool| (0..graph.len()).map(test).collect::<Vec<bool>>();
    match formula {
        Ctl::State(condition) => graph.states().map(|state| leaf(condition, state)).collect(),
        Ctl::Not(f) => {
            let f = sub(f);
            each(&|s| !f[s])
        }
        Ctl::And(parts) => {
            let parts: Vec<_> = parts.iter().map(sub).collect();
            each(&|s| parts.iter().all(|part| part[s]))
        }
        Ctl::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(sub).collect();
            each(&|s| parts.iter().any(|part| part[s]))
        }
        Ctl::Next(q, steps, f) => (0..*steps).fold(sub(f), |set, _| graph.next(*q, &set)),
        // `F f = X (true U f)`, one step of the bound being that X; likewise `G`.
        Ctl::Finally(_, Some(0), _) => vec![false; graph.len()],
        Ctl::Globally(_, Some(0), _) => vec![true; graph.len()],
        Ctl::Finally(q, bound, f) => {
            let rest = until(graph, *q, bound.map(|k| k - 1), &vec![true; graph.len()], &sub(f));
            graph.next(*q, &rest)
        }
        Ctl::Globally(q, bound, f) => {
            let rest = release(graph, *q, bound.map(|k| k - 1), &vec![false; graph.len()], &sub(f));
            graph.next(*q, &rest)
        }
        Ctl::Until(q, bound, f, g) => until(graph, *q, *bound, &sub(f), &sub(g)),
        Ctl::Release(q, bound, f, g) => release(graph, *q, *bound, &sub(f), &sub(g)),
    }
}

/// From `x = g`, as often as the bound says: `x = g | (f & QX x)`.
fn until(graph: &Graph, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
    iterate(graph, q, bound, g.to_vec(), &|s, next| g[s] || (f[s] && next))
}

/// From `x = g`, as often as the bound says: `x = g & (f | QX x)`.
fn release(graph: &Graph, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
    iterate(graph, q, bound, g.to_vec(), &|s, next| g[s] && (f[s] || next))
}

fn iterate(
    graph: &Graph,
    q: Quantifier,
    bound: Option<u64>,
    mut set: Vec<bool>,
    step: &dyn Fn(usize, bool) -> bool,
) -> Vec<bool> {
    let mut left = bound;
    while left != Some(0) {
        let next = graph.next(q, &set);
        let new: Vec<bool> = (0..set.len()).map(|s| step(s, next[s])).collect();
        if new == set {
            break;
        }
        set = new;
        left = left.map(|left| left - 1);
    }
    set
}
