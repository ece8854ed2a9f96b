//! What a tree of runs shows about a formula.
//!
//! A tree has nodes, each for a state, and steps between them, each from a state to one of its successors. Steps may lead back to earlier nodes, and
//! then a run goes round for ever. Of some nodes it is known that *all* successors of their state are among the steps. A run is a tree in
//! which every node has at most one step.
//!
//! A formula in negation normal form is *shown* at a node when the tree proves that it holds in the state there: conditions by evaluation; `EX f` by a
//! step to where `f` is shown; `AX f` by all steps, where they are all there are; until as the least, release as the greatest solution of their
//! equations along the tree. By induction what is shown is true. What is true and is not shown depends on paths that the tree does not have; such a
//! part can be taken from elsewhere, where its holding in the state of a node is known ([`Tree::shows_with`]).

use crate::formula::{Ctl, Quantifier};
use crate::repeat::repeated;

/// A tree of runs as far as formulas look at it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The nodes after each.
    pub steps: Vec<Vec<usize>>,
    /// Whether the states of the nodes after each are all its successors.
    pub all: Vec<bool>,
}

impl Tree {
    /// The run of a sequence of states: where its last state was on it before, it goes round from there for ever; where that has no
    /// successors it stays. `successors` counts those of a state, where they are known.
    pub fn along<S: PartialEq>(states: &[S], successors: impl Fn(&S) -> Option<usize>) -> Self {
        let last = states.len().saturating_sub(1);
        let mut run = Self::default();
        for (position, state) in states.iter().enumerate() {
            // Where the model is in error nothing is known of what else can happen, and nothing rests on it.
            let successors = successors(state);
            run.all.push(successors.is_some_and(|count| count <= 1));
            let after = match states[..last].iter().position(|earlier| earlier == state) {
                _ if position < last => Some(position + 1),
                Some(earlier) => Some(earlier + 1),
                None if successors == Some(0) => Some(last),
                None => None,
            };
            run.steps.push(after.into_iter().collect());
        }
        run
    }

    /// At which nodes a formula in negation normal form is shown; `leaf` says whether a condition is known to hold at a node.
    pub fn shows<C>(&self, formula: &Ctl<C>, leaf: &mut impl FnMut(&C, usize) -> bool) -> Vec<bool> {
        self.shows_with(formula, leaf, &mut |_, _| false)
    }

    /// The same where more is known: `known` says whether the part of such a number ([`Ctl::numbered`]) holds in the state of a node.
    pub fn shows_with<C>(
        &self,
        formula: &Ctl<C>,
        leaf: &mut impl FnMut(&C, usize) -> bool,
        known: &mut impl FnMut(usize, usize) -> bool,
    ) -> Vec<bool> {
        self.part(formula, &mut 0, leaf, known)
    }

    fn part<C>(
        &self,
        formula: &Ctl<C>,
        next: &mut usize,
        leaf: &mut impl FnMut(&C, usize) -> bool,
        known: &mut impl FnMut(usize, usize) -> bool,
    ) -> Vec<bool> {
        let (number, len) = (*next, self.steps.len());
        *next += 1;
        let parts: Vec<Vec<bool>> =
            formula.parts().into_iter().map(|part| self.part(part, next, leaf, known)).collect();
        let mut row = match formula {
            Ctl::State(condition) => (0..len).map(|node| leaf(condition, node)).collect(),
            // Not in negation normal form: nothing is shown.
            Ctl::Not(_) => vec![false; len],
            Ctl::And(_) => (0..len).map(|node| parts.iter().all(|row| row[node])).collect(),
            Ctl::Or(_) => (0..len).map(|node| parts.iter().any(|row| row[node])).collect(),
            Ctl::Next(q, steps, _) => repeated(parts[0].clone(), *steps, |row| self.next(*q, row)),
            Ctl::Finally(_, Some(0), _) => vec![false; len],
            Ctl::Globally(_, Some(0), _) => vec![true; len],
            Ctl::Finally(q, bound, _) => {
                self.next(*q, &self.until(*q, bound.map(|k| k - 1), &vec![true; len], &parts[0]))
            }
            Ctl::Globally(q, bound, _) => {
                self.next(*q, &self.release(*q, bound.map(|k| k - 1), &vec![false; len], &parts[0]))
            }
            Ctl::Until(q, bound, ..) => self.until(*q, *bound, &parts[0], &parts[1]),
            Ctl::Release(q, bound, ..) => self.release(*q, *bound, &parts[0], &parts[1]),
        };
        row.iter_mut().enumerate().for_each(|(node, shown)| *shown = *shown || known(number, node));
        row
    }

    fn next(&self, quantifier: Quantifier, row: &[bool]) -> Vec<bool> {
        let shown = |node: usize| {
            let mut after = self.steps[node].iter().map(|next| row[*next]);
            match quantifier {
                Quantifier::Some => after.any(|shown| shown),
                // Soundness: a node without steps has successors all the same, a state without successors being its own.
                Quantifier::All => self.all[node] && after.len() > 0 && after.all(|shown| shown),
            }
        };
        (0..row.len()).map(shown).collect()
    }

    fn until(&self, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
        self.iterate(q, bound, g.to_vec(), &|i, next| g[i] || (f[i] && next))
    }

    fn release(&self, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
        self.iterate(q, bound, g.to_vec(), &|i, next| g[i] && (f[i] || next))
    }

    /// As often as the bound says, or until nothing changes, which is after as many rounds as there are nodes.
    fn iterate(
        &self,
        q: Quantifier,
        bound: Option<u64>,
        mut row: Vec<bool>,
        step: &dyn Fn(usize, bool) -> bool,
    ) -> Vec<bool> {
        let mut left = bound;
        while left != Some(0) {
            let next = self.next(q, &row);
            let new: Vec<bool> = (0..row.len()).map(|i| step(i, next[i])).collect();
            if new == row {
                break;
            }
            row = new;
            left = left.map(|left| left - 1);
        }
        row
    }
}
