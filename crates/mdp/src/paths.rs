//! What paths alone say: where they can lead, where they must, how soon, and how likely the likeliest is.
//!
//! Here every branch is possible, whatever its probability, and a path may take any choice; a path ends in a deadlock. Vanishing states are
//! no steps of their own.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use surefoot_num::Rational;

use crate::mdp::{Mdp, number};
use crate::predecessors::Predecessors;
use crate::probability::ProbabilityId;
use crate::set::StateSet;

/// Per state the fewest steps of a path into `target`; `None` where there is no such path.
#[must_use]
pub fn distances(mdp: &Mdp, predecessors: &Predecessors, target: &StateSet) -> Vec<Option<u32>> {
    let mut found = vec![None; mdp.num_states()];
    let lasting = mdp.vanishing().start;
    let mut queue: VecDeque<(u32, u32)> = target.iter().map(|state| (state, 0)).collect();
    while let Some((state, distance)) = queue.pop_front() {
        if found[state as usize].is_some() {
            continue;
        }
        found[state as usize] = Some(distance);
        for &choice in predecessors.of(state) {
            let before = predecessors.owner(choice);
            // What happens in a vanishing state belongs to the step that led there.
            if before < lasting {
                queue.push_back((before, distance + 1));
            } else {
                queue.push_front((before, distance));
            }
        }
    }
    found
}

/// A path with its probability: the product of those of its branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikelyPath {
    /// Its states, vanishing ones left out.
    pub states: Vec<u32>,
    /// The product.
    pub probability: Rational,
}

/// A path from one of the first `starts` states into `target` than which none is likelier; of such a path with few steps.
///
/// Paths are extended, likeliest first as far as logarithms in floats tell. A state takes a new path if that is likelier than the one it has (or as likely, and
/// shorter), which is decided exactly; then it is extended again. So floats decide about the order of the work alone: at the
/// end no branch makes any path better, and that is what it means to be the likeliest.
#[must_use]
pub fn likeliest_path(mdp: &Mdp, starts: u32, target: &StateSet, stop: &dyn Fn() -> bool) -> Option<LikelyPath> {
    let mut search = Search { mdp, nodes: Vec::new(), best: vec![NONE; mdp.num_states()], work: BinaryHeap::new() };
    for start in 0..starts {
        search.offer(Node { state: start, before: NONE, branch: None, log: 0.0, steps: 0 });
    }
    let lasting = mdp.vanishing().start;
    let mut rounds = 0u32;
    while let Some((_, Reverse(state), index)) = search.work.pop() {
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(1 << 12) && stop() {
            return None;
        }
        // Another path has taken its place, or nothing is to be added to it.
        if search.best[state as usize] != index || target.contains(state) {
            continue;
        }
        let Node { log, steps, .. } = search.nodes[index as usize];
        for choice in mdp.choices(state) {
            for &branch in mdp.branches(choice) {
                let log = log + mdp.probabilities().nearest()[branch.probability.0 as usize].ln();
                let steps = steps + u32::from(branch.target < lasting);
                let branch_taken = Some(branch.probability);
                search.offer(Node { state: branch.target, before: index, branch: branch_taken, log, steps });
            }
        }
    }
    let reached = target.iter().map(|state| search.best[state as usize]).filter(|&index| index != NONE);
    let best = reached.reduce(|a, b| if search.is_better(b, a) { b } else { a })?;
    let mut states: Vec<u32> = search.path(best).map(|node| node.state).filter(|&state| state < lasting).collect();
    states.reverse();
    Some(LikelyPath { states, probability: search.product(best) })
}

const NONE: u32 = u32::MAX;

/// A path by its last branch and the path before it. What was made stays as it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    state: u32,
    before: u32,
    branch: Option<ProbabilityId>,
    /// About the logarithm of its probability.
    log: f64,
    steps: u32,
}

struct Search<'m> {
    mdp: &'m Mdp,
    nodes: Vec<Node>,
    /// The best path to every state.
    best: Vec<u32>,
    /// By logarithm, then the smaller state.
    work: BinaryHeap<(Order, Reverse<u32>, u32)>,
}

/// Floats in their total order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Order(f64);

impl Eq for Order {}

impl PartialOrd for Order {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Order {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Search<'_> {
    /// Takes a path to its last state, if it is better than the one there.
    fn offer(&mut self, node: Node) {
        let index = number(self.nodes.len());
        let known = self.best[node.state as usize];
        self.nodes.push(node);
        if known == NONE || self.is_better(index, known) {
            self.best[node.state as usize] = index;
            self.work.push((Order(node.log), Reverse(node.state), index));
        } else {
            self.nodes.pop();
        }
    }

    fn path(&self, index: u32) -> impl Iterator<Item = &Node> {
        let at = |index: u32| (index != NONE).then(|| &self.nodes[index as usize]);
        std::iter::successors(at(index), move |node| at(node.before))
    }

    /// Whether a path is likelier than another, or as likely and shorter.
    fn is_better(&self, path: u32, other: u32) -> bool {
        let (a, b) = (&self.nodes[path as usize], &self.nodes[other as usize]);
        // Soundness: the logarithm of a probability's nearest float is off by less than 10^-12 (it is at most 745, and right to one or two
        // units in the last place), and each of the additions loses less than 10^-15 of the sum. There is at most one vanishing state
        // per step. Larger differences are decided by that, all others by fractions.
        let branches = 2.0 * (f64::from(a.steps) + f64::from(b.steps)) + 4.0;
        let doubt = branches * (1e-12 + 1e-15 * (a.log.abs() + b.log.abs()));
        if (a.log - b.log).abs() > doubt && a.log.is_finite() && b.log.is_finite() {
            return a.log > b.log;
        }
        let (mine, theirs) = self.differences(path, other);
        let order = if mine.is_empty() && theirs.is_empty() {
            std::cmp::Ordering::Equal
        } else {
            self.multiplied(&mine).cmp(&self.multiplied(&theirs))
        };
        order.then(b.steps.cmp(&a.steps)).is_gt()
    }

    /// The probabilities of each of two paths that the other does not have.
    fn differences(&self, path: u32, other: u32) -> (Vec<ProbabilityId>, Vec<ProbabilityId>) {
        let sorted = |index: u32| {
            let mut all: Vec<ProbabilityId> = self.path(index).filter_map(|node| node.branch).collect();
            all.sort_unstable();
            all
        };
        let (a, b) = (sorted(path), sorted(other));
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) if x == y => (i, j) = (i + 1, j + 1),
                (Some(x), y) if y.is_none_or(|y| x < y) => {
                    mine.push(*x);
                    i += 1;
                }
                (_, Some(y)) => {
                    theirs.push(*y);
                    j += 1;
                }
                (_, None) => break,
            }
        }
        (mine, theirs)
    }

    fn multiplied(&self, probabilities: &[ProbabilityId]) -> Rational {
        let table = self.mdp.probabilities();
        probabilities.iter().fold(Rational::ONE, |product, id| &product * table.exact(*id))
    }

    fn product(&self, path: u32) -> Rational {
        let branches: Vec<ProbabilityId> = self.path(path).filter_map(|node| node.branch).collect();
        self.multiplied(&branches)
    }
}
