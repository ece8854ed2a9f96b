//! Interval iteration on one strongly connected component of the quotient.
//!
//! Haddad & Monmege (TCS 2018), Baier et al. (CAV 2017): iterate the Bellman operator from a lower and from an
//! upper bound; in the quotient both converge to the value, so their distance tells when to stop. Updates are in
//! place (Gauss-Seidel), both sides in one pass over the branches.
//!
//! Soundness: see [`rounding`](crate::rounding) for the induction; it holds after every single update, so a limit
//! may stop us anywhere. Bounds only ever get tighter. Convergence is a matter of speed, not of soundness.

use std::ops::Range;

use crate::query::Direction;
use crate::quotient::Quotient;
use crate::rounding::{down, sums, up};

/// The numbers of one solution: bounds per class, and for the sinks `[1, 1]` and `[0, 0]`.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) quotient: &'a Quotient,
    pub(crate) direction: Direction,
    pub(crate) bounds: Vec<[f64; 2]>,
    /// Per class the choice a scheduler should take.
    pub(crate) choices: Vec<u32>,
}

/// What a sweep saw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep {
    /// The largest distance between the bounds.
    pub(crate) width: f64,
    /// Whether any bound moved.
    pub(crate) moved: bool,
}

/// Both bounds after one Bellman step, and the choice each comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backup {
    pub(crate) bounds: [f64; 2],
    pub(crate) choices: [u32; 2],
}

impl Values<'_> {
    /// One Bellman step at `class`, outward rounded; the value is not changed.
    pub(crate) fn backup(&self, class: u32) -> Backup {
        let rows = &self.quotient.rows;
        let mut choices = rows.choices(class);
        let evaluate = |choice| {
            let branches = rows.branches(choice);
            let [lower, upper] = sums(branches, rows.table.nearest(), &self.bounds);
            [down(lower, branches.len()), up(upper, branches.len())]
        };
        let first = choices.next().expect("a class of positive value has a choice");
        let mut best = Backup { bounds: evaluate(first), choices: [first; 2] };
        for choice in choices {
            let bounds = evaluate(choice);
            for (side, bound) in bounds.into_iter().enumerate() {
                let better = match self.direction {
                    Direction::Max => bound > best.bounds[side],
                    Direction::Min => bound < best.bounds[side],
                };
                if better {
                    best.bounds[side] = bound;
                    best.choices[side] = choice;
                }
            }
        }
        best
    }

    /// One Bellman step at `class`, as [`Values::backup`] without the choices: the inner loop of everything.
    #[inline]
    fn backup_bounds(&self, class: u32) -> [f64; 2] {
        let rows = &self.quotient.rows;
        let nearest = rows.table.nearest();
        let choices = rows.choices(class);
        let mut best: [f64; 2] = match self.direction {
            Direction::Max => [0.0; 2],
            Direction::Min => [1.0; 2],
        };
        let offsets = &rows.choice_branches[choices.start as usize..=choices.end as usize];
        for pair in offsets.windows(2) {
            let branches = &rows.branches[pair[0] as usize..pair[1] as usize];
            let [lower, upper] = sums(branches, nearest, &self.bounds);
            let (lower, upper) = (down(lower, branches.len()), up(upper, branches.len()));
            best = match self.direction {
                Direction::Max => [best[0].max(lower), best[1].max(upper)],
                Direction::Min => [best[0].min(lower), best[1].min(upper)],
            };
        }
        best
    }

    /// Updates every class of `component` once.
    pub(crate) fn sweep(&mut self, component: Range<u32>) -> Sweep {
        let mut seen = Sweep { width: 0.0, moved: false };
        for class in component {
            let new = self.backup_bounds(class);
            let old = &mut self.bounds[class as usize];
            let tight = [old[0].max(new[0]), old[1].min(new[1])];
            seen.moved |= tight != *old;
            *old = tight;
            seen.width = seen.width.max(tight[1] - tight[0]);
        }
        seen
    }

    /// The same by [`Values::backup`], the readable version of the inner loop.
    #[cfg(test)]
    fn sweep_reference(&mut self, component: Range<u32>) {
        for class in component {
            let [lower, upper] = self.backup(class).bounds;
            let old = &mut self.bounds[class as usize];
            *old = [old[0].max(lower), old[1].min(upper)];
        }
    }

    /// Fixes, for every class of `component`, the choice that proves its bound: the best one on lower bounds for
    /// `Max`, on upper bounds for `Min`.
    ///
    /// Soundness of the scheduler: the bounds satisfy `l <= T(l)` (`u >= T(u)`) as long as they started so: an
    /// update makes it true at its class, and later updates only raise `T(l)`. Under the choices fixed here then also
    /// `l <= T'(l)`, `T'` the operator of the scheduler alone, so its value is at least `l` (at most `u`).
    pub(crate) fn fix_choices(&mut self, component: Range<u32>) {
        let side = match self.direction {
            Direction::Max => 0,
            Direction::Min => 1,
        };
        for class in component {
            self.choices[class as usize] = self.backup(class).choices[side];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::builder::MdpBuilder;
    use crate::prepare::Prepared;
    use crate::query::Until;
    use crate::run::Run;
    use crate::set::StateSet;
    use crate::solve::Options;

    /// A ring of 30 states with two choices each, leading to a target and a trap now and then.
    #[test]
    fn sweeps_agree_with_the_reference() {
        let mut builder = MdpBuilder::new();
        for state in 0..30 {
            builder.begin_state().unwrap();
            for stride in [1, 7] {
                builder.begin_choice().unwrap();
                let end = if state % 3 == 0 { 31 } else { 30 };
                for (target, probability) in
                    [((state + stride) % 30, "0.5"), ((state * stride) % 30, "0.4"), (end, "0.1")]
                {
                    builder.branch_exact(target, &probability.parse().unwrap()).unwrap();
                }
            }
        }
        builder.begin_state().unwrap();
        builder.begin_state().unwrap();
        let mdp = builder.finish().unwrap();
        let until = Until::eventually(StateSet::from_members(32, [30]));
        for direction in [Direction::Max, Direction::Min] {
            let prepared = Prepared::new(&mdp, direction, &until, None, &Limits::default()).unwrap();
            let quotient = &prepared.quotient;
            assert_eq!((quotient.classes(), quotient.zero()), (30, 31));
            let options = Options::default();
            let mut fast = Run::new(quotient, direction, &options).values;
            let mut slow = Run::new(quotient, direction, &options).values;
            for component in quotient.components() {
                for _ in 0..5 {
                    let _seen = fast.sweep(component.clone());
                    slow.sweep_reference(component.clone());
                }
            }
            assert_eq!(fast.bounds, slow.bounds);
            assert!(fast.bounds[0][0] > 0.0 && fast.bounds[0][1] < 1.0);
        }
    }
}
