//! The order in which constants are evaluated: each after those that its value names.

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_jani::syntax::{Expr, Model};

use super::GivenConstant;

/// Indices of all constants that can be evaluated, in an order in which they can, and of the others: their values depend
/// on themselves. Each list is in the order of declaration as far as that is possible. Time is linear in the text.
pub(super) fn evaluation_order(syntax: &Model, given: &[GivenConstant]) -> (Vec<usize>, Vec<usize>) {
    let given: FxHashSet<&str> = given.iter().map(|g| &*g.name).collect();
    let mut index_of: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, constant) in syntax.constants.iter().enumerate() {
        index_of.entry(&constant.name.value).or_insert(index);
    }
    let count = syntax.constants.len();
    let mut waits_for = vec![0usize; count];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, constant) in syntax.constants.iter().enumerate() {
        // A value from outside needs no other.
        let Some(value) = constant.value.filter(|_| !given.contains(&*constant.name.value)) else { continue };
        let mut needed: Vec<usize> = syntax
            .pool
            .subtree(value)
            .filter_map(|id| match syntax.pool.get(id) {
                Expr::Identifier(name) => index_of.get(&**name).copied(),
                _ => None,
            })
            .collect();
        needed.sort_unstable();
        needed.dedup();
        waits_for[index] = needed.len();
        needed.into_iter().for_each(|needed| waiting[needed].push(index));
    }
    let mut order: Vec<usize> = (0..count).filter(|index| waits_for[*index] == 0).collect();
    let mut done = 0;
    while let Some(index) = order.get(done).copied() {
        done += 1;
        for next in std::mem::take(&mut waiting[index]) {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                order.push(next);
            }
        }
    }
    let circular = (0..count).filter(|index| waits_for[*index] > 0).collect();
    (order, circular)
}
