//! Vectors that a checker accepts: from bounds in floats, or from values in fractions.
//!
//! The bounds that the solver ends with satisfy the checker's inequalities nearly everywhere: they come down (or up) from such vectors by steps that are rounded outward. Where a component was
//! solved in fractions and the values were rounded to floats, a few units in the last place may be missing. So the inequalities are evaluated exactly, and where one
//! fails the value gives way to what one step says and a little more, as do those that lead to it. Where that does not come to an end, the values are fractions.
//!
//! Nothing here is trusted: what is written is checked like every other certificate.

use surefoot_mdp::{Bounds, Direction, Limits, Mdp, Predecessors, StateSet, Until, solve_exact};
use surefoot_num::{FloatInterval, Rational};

use super::rank::ranks;

/// How often values give way, for each state.
const ROUNDS: u64 = 64;

/// What is bounded.
pub(super) struct Question<'a> {
    pub(super) mdp: &'a Mdp,
    pub(super) direction: Direction,
    pub(super) until: &'a Until,
    pub(super) frontier: &'a StateSet,
}

/// A lower vector with its ranks.
pub(super) struct Lower {
    pub(super) values: Vec<Rational>,
    pub(super) ranks: Vec<u64>,
}

/// Which side of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Upper,
    Lower,
}

impl Question<'_> {
    /// An upper vector from bounds; `None` where it does not settle.
    pub(super) fn upper(&self, bounds: &Bounds) -> Option<Vec<Rational>> {
        let mut values: Vec<Rational> =
            bounds.upper.iter().map(|bound| Rational::from_f64(*bound)).collect::<Option<_>>()?;
        for state in self.frontier.iter().filter(|state| self.until.is_open(*state)) {
            values[state as usize] = Rational::ONE;
        }
        self.settle(&mut values, Side::Upper).then_some(values)
    }

    /// A lower vector from bounds; `None` where it does not settle.
    pub(super) fn lower(&self, bounds: &Bounds) -> Option<Lower> {
        let values: Vec<Rational> =
            bounds.lower.iter().map(|bound| Rational::from_f64(*bound)).collect::<Option<_>>()?;
        self.ranked(values)
    }

    /// The values themselves, with the frontier won; `None` where that takes too long.
    pub(super) fn exact_upper(&self, limits: &Limits) -> Option<Vec<Rational>> {
        let won = self.until.or_reaching(self.frontier);
        Some(solve_exact(self.mdp, self.direction, &won, limits).ok()?.values)
    }

    /// The values themselves, with the frontier lost; `None` where that takes too long.
    pub(super) fn exact_lower(&self, limits: &Limits) -> Option<Lower> {
        self.ranked(solve_exact(self.mdp, self.direction, self.until, limits).ok()?.values)
    }

    /// Lower values that settle, and whose states have ranks where their values are not zero.
    fn ranked(&self, mut values: Vec<Rational>) -> Option<Lower> {
        for _ in 0..8 {
            if !self.settle(&mut values, Side::Lower) {
                return None;
            }
            let stopped =
                StateSet::from_fn(values.len(), |state| values[state as usize].is_zero() || !self.moves(state));
            let owners = Predecessors::new(self.mdp);
            let usable = |choice: u32| values[owners.owner(choice) as usize] <= self.sum(choice, &values);
            let ranks = ranks(self.mdp, self.direction, &stopped, usable);
            let lost: Vec<usize> = (0..values.len()).filter(|state| ranks[*state].is_none()).collect();
            if lost.is_empty() {
                return Some(Lower { values, ranks: ranks.into_iter().flatten().collect() });
            }
            // A run may stay there for ever, which is worth nothing.
            lost.into_iter().for_each(|state| values[state] = Rational::ZERO);
        }
        None
    }

    /// Whether a run goes on from a state.
    fn moves(&self, state: u32) -> bool {
        self.until.is_open(state) && !self.frontier.contains(state) && !self.mdp.choices(state).is_empty()
    }

    fn sum(&self, choice: u32, values: &[Rational]) -> Rational {
        let branches = self.mdp.branches(choice).iter();
        branches.map(|branch| self.mdp.exact(*branch) * &values[branch.target as usize]).sum()
    }

    /// One step at a state.
    fn step(&self, state: u32, values: &[Rational]) -> Option<Rational> {
        let sums = self.mdp.choices(state).map(|choice| self.sum(choice, values));
        match self.direction {
            Direction::Max => sums.max(),
            Direction::Min => sums.min(),
        }
    }

    /// Lets values give way until no inequality fails; false where that does not come to an end.
    fn settle(&self, values: &mut [Rational], side: Side) -> bool {
        let mut predecessors: Option<Predecessors> = None;
        let mut queue: Vec<u32> = self.mdp.states().filter(|state| self.moves(*state)).collect();
        // Later states first: exploration numbers what comes after a state later.
        let mut waiting = StateSet::from_members(values.len(), queue.iter().copied());
        let mut given = vec![0u8; values.len()];
        let mut left = ROUNDS.saturating_mul(values.len() as u64);
        while let Some(state) = queue.pop() {
            waiting.remove(state);
            let Some(step) = self.step(state, values) else { continue };
            let own = &mut values[state as usize];
            let fails = match side {
                Side::Upper => step > *own,
                Side::Lower => step < *own,
            };
            if !fails {
                continue;
            }
            left -= 1;
            if left == 0 {
                return false;
            }
            let times = &mut given[state as usize];
            *times = times.saturating_add(1);
            *own = give_way(&step, side, *times);
            let predecessors = predecessors.get_or_insert_with(|| Predecessors::new(self.mdp));
            for &choice in predecessors.of(state) {
                let before = predecessors.owner(choice);
                if self.moves(before) && waiting.insert(before) {
                    queue.push(before);
                }
            }
        }
        true
    }
}

/// A float beyond a number: the next one at first, and further away each time.
fn give_way(step: &Rational, side: Side, times: u8) -> Rational {
    let beyond = f64::EPSILON * 2f64.powi(i32::from(times.min(24)) - 1);
    let tight = FloatInterval::tightest(step);
    let exact = |float: f64| Rational::from_f64(float).unwrap_or(Rational::ZERO);
    match side {
        Side::Upper => exact((tight.upper * (1.0 + beyond)).next_up().min(1.0)),
        Side::Lower => exact((tight.lower * (1.0 - beyond)).next_down().max(0.0)),
    }
}
