//! What a single run shows about a formula.
//!
//! A run is a finite sequence of states, each a successor of the one before. From its last state it may go back to an earlier position, and then
//! it goes round for ever.
//!
//! A formula in negation normal form is *shown* at a position when the run proves that it holds in the state there: conditions by evaluation; `EX f` by the
//! next position; `AX f` by the next position where its state is the only successor; until as the least, release as the greatest
//! solution of their equations along the run. By induction what is shown is true. So a run shows what speaks of some path, and more where nothing
//! else can happen on the way. What depends on several paths no single run can show.

use crate::formula::{Ctl, Quantifier};
use crate::repeat::repeated;

/// A run as far as formulas look at it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The position after each; only the last may have none.
    pub after: Vec<Option<usize>>,
    /// Whether the state after each position is its only successor.
    pub only: Vec<bool>,
}

impl Run {
    /// The run of a sequence of states: where its last state was on it before, it goes round from there for ever; where that has no
    /// successors it stays. `successors` counts those of a state, where they are known.
    pub fn along<S: PartialEq>(states: &[S], successors: impl Fn(&S) -> Option<usize>) -> Self {
        let last = states.len().saturating_sub(1);
        let mut run = Self::default();
        for (position, state) in states.iter().enumerate() {
            // Where the model is in error nothing is known of what else can happen, and nothing rests on it.
            let successors = successors(state);
            run.only.push(successors.is_some_and(|count| count <= 1));
            run.after.push(match states[..last].iter().position(|earlier| earlier == state) {
                _ if position < last => Some(position + 1),
                Some(earlier) => Some(earlier + 1),
                None if successors == Some(0) => Some(last),
                None => None,
            });
        }
        run
    }

    /// At which positions a formula in negation normal form is shown; `leaf` says whether a condition is known to hold at a position.
    pub fn shows<C>(&self, formula: &Ctl<C>, leaf: &mut impl FnMut(&C, usize) -> bool) -> Vec<bool> {
        let len = self.after.len();
        match formula {
            Ctl::State(condition) => (0..len).map(|position| leaf(condition, position)).collect(),
            // Not in negation normal form: nothing is shown.
            Ctl::Not(_) => vec![false; len],
            Ctl::And(parts) | Ctl::Or(parts) => {
                let all = matches!(formula, Ctl::And(_));
                let rows: Vec<Vec<bool>> = parts.iter().map(|part| self.shows(part, leaf)).collect();
                let join = |position: usize| {
                    let mut values = rows.iter().map(|row| row[position]);
                    if all { values.all(|value| value) } else { values.any(|value| value) }
                };
                (0..len).map(join).collect()
            }
            Ctl::Next(q, steps, f) => repeated(self.shows(f, leaf), *steps, |row| self.next(*q, row)),
            Ctl::Finally(_, Some(0), _) => vec![false; len],
            Ctl::Globally(_, Some(0), _) => vec![true; len],
            Ctl::Finally(q, bound, f) => {
                let f = self.shows(f, leaf);
                self.next(*q, &self.until(*q, bound.map(|k| k - 1), &vec![true; len], &f))
            }
            Ctl::Globally(q, bound, f) => {
                let f = self.shows(f, leaf);
                self.next(*q, &self.release(*q, bound.map(|k| k - 1), &vec![false; len], &f))
            }
            Ctl::Until(q, bound, f, g) => {
                let (f, g) = (self.shows(f, leaf), self.shows(g, leaf));
                self.until(*q, *bound, &f, &g)
            }
            Ctl::Release(q, bound, f, g) => {
                let (f, g) = (self.shows(f, leaf), self.shows(g, leaf));
                self.release(*q, *bound, &f, &g)
            }
        }
    }

    fn next(&self, quantifier: Quantifier, row: &[bool]) -> Vec<bool> {
        let shown = |position: usize| {
            let single = quantifier == Quantifier::Some || self.only[position];
            single && self.after[position].is_some_and(|next| row[next])
        };
        (0..row.len()).map(shown).collect()
    }

    fn until(&self, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
        self.iterate(q, bound, g.to_vec(), &|i, next| g[i] || (f[i] && next))
    }

    fn release(&self, q: Quantifier, bound: Option<u64>, f: &[bool], g: &[bool]) -> Vec<bool> {
        self.iterate(q, bound, g.to_vec(), &|i, next| g[i] && (f[i] || next))
    }

    /// As often as the bound says, or until nothing changes, which is after as many rounds as there are positions.
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

/// Whether a formula or a part of it speaks of all paths.
#[must_use]
pub fn speaks_of_all_paths<C>(formula: &Ctl<C>) -> bool {
    let own = matches!(
        formula,
        Ctl::Next(Quantifier::All, ..)
            | Ctl::Finally(Quantifier::All, ..)
            | Ctl::Globally(Quantifier::All, ..)
            | Ctl::Until(Quantifier::All, ..)
            | Ctl::Release(Quantifier::All, ..)
    );
    own || formula.parts().into_iter().any(speaks_of_all_paths)
}
