//! Direct evaluation on finite systems: the definition, read off paths where that is possible.
//!
//! Nothing here uses the normal form or any expansion law. Bounded operators are decided by
//! going through all paths of their length; unbounded ones by going through all paths that are long enough to repeat a
//! state, or by reachability. All of it is exponential, and meant for systems of a few states.

use crate::formula::{Ctl, Quantifier};

/// A finite system: successors per state. A state without successors is its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finite {
    /// Successors per state.
    pub successors: Vec<Vec<usize>>,
}

impl Finite {
    fn next(&self, state: usize) -> Vec<usize> {
        if self.successors[state].is_empty() { vec![state] } else { self.successors[state].clone() }
    }

    /// All paths of so many steps from a state, the state first.
    fn paths(&self, state: usize, steps: u64) -> Vec<Vec<usize>> {
        let mut paths = vec![vec![state]];
        for _ in 0..steps {
            paths = paths
                .into_iter()
                .flat_map(|path| {
                    let last = *path.last().expect("paths are not empty");
                    self.next(last).into_iter().map(move |next| path.iter().copied().chain([next]).collect())
                })
                .collect();
        }
        paths
    }

    /// Whether a formula holds in a state; `holds` says which conditions (by reference into the formula) hold where.
    #[must_use]
    pub fn holds<C>(&self, formula: &Ctl<C>, state: usize, leaf: &impl Fn(&Ctl<C>, usize) -> bool) -> bool {
        let sub = |f: &Ctl<C>, state: usize| self.holds(f, state, leaf);
        let path = |q: Quantifier, steps: u64, good: &dyn Fn(&[usize]) -> bool| {
            let paths = self.paths(state, steps);
            match q {
                Quantifier::All => paths.iter().all(|path| good(path)),
                Quantifier::Some => paths.iter().any(|path| good(path)),
            }
        };
        // A path that is longer than there are states comes back: what a fixpoint can say it says within that many steps.
        let bounded = |bound: &Option<u64>| bound.unwrap_or(self.successors.len() as u64 + 1);
        let until = |f: &Ctl<C>, g: &Ctl<C>, path: &[usize], positive: bool| {
            let f = |s: &usize| sub(f, *s) == positive;
            let g = |s: &usize| sub(g, *s) == positive;
            (0..path.len()).any(|i| g(&path[i]) && path[..i].iter().all(f))
        };
        match formula {
            Ctl::State(_) => leaf(formula, state),
            Ctl::Not(f) => !sub(f, state),
            Ctl::And(parts) => parts.iter().all(|part| sub(part, state)),
            Ctl::Or(parts) => parts.iter().any(|part| sub(part, state)),
            Ctl::Next(q, steps, f) => path(*q, *steps, &|path| sub(f, path[path.len() - 1])),
            Ctl::Finally(q, bound, f) => path(*q, bounded(bound), &|path| path[1..].iter().any(|s| sub(f, *s))),
            Ctl::Globally(q, bound, f) => path(*q, bounded(bound), &|path| path[1..].iter().all(|s| sub(f, *s))),
            Ctl::Until(q, bound, f, g) => path(*q, bounded(bound), &|path| until(f, g, path, true)),
            Ctl::Release(q, bound, f, g) => path(*q, bounded(bound), &|path| !until(f, g, path, false)),
        }
    }
}
