//! Labels with the reason for each: what can be checked at every state alone.
//!
//! The formula is in negation normal form and stepwise ([`Ctl::stepwise`]); its parts have numbers ([`Ctl::numbered`]). Each part has a *measure*:
//!
//! | part | measure of a state `s` | equation that is checked at `s` |
//! |---|---|---|
//! | condition | whether it holds | by evaluation |
//! | and, or | whether it holds | by the measures of the parts in `s` |
//! | `QX^k f` | for each `i <= k` whether `QX^i f` holds | `f` in `s` for 0; for `i > 0` in `Q` successors for `i - 1` |
//! | `Q[f U<=k g]` | the least `r` for which `Q[f U<=r g]` holds | `g` if `r = 0`; else `f`, and `Q` successors have smaller ones |
//! | `Q[f R<=k g]` | the least `r` for which `Q[f R<=r g]` fails | if `r > 0`: `g`, and `f` or `Q` successors have `r - 1` or more |
//!
//! `Q` successors are all of them, or at least one; [`NEVER`] is larger than every number, and its own predecessor.
//!
//! Soundness: where the equations hold in all states of a set that no step leaves, every part holds wherever its measure says so, by induction on
//! the formula: for until on `r`; for bounded release on the bound; for release without one, because the states with [`NEVER`] solve its equation, and its
//! meaning is the greatest solution. Only this direction is checked. It does not matter where measures come from.

use super::{Graph, NEVER, Rank};
use crate::formula::{Ctl, Quantifier};

/// Numbers beyond which no measures are made: states, for each part and each step of `X^k`.
const MOST_NUMBERS: usize = 200_000_000;

/// The measure of a part in every state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Whether it holds.
    Holds(Vec<bool>),
    /// Of `X^k`: after each number of steps.
    After(Vec<Vec<bool>>),
    /// Of until: within how many steps at the least.
    Within(Vec<Rank>),
    /// Of release: within how many steps it breaks.
    Breaks(Vec<Rank>),
}

/// The measures of all parts of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measures {
    /// By numbers of parts.
    pub parts: Vec<Measure>,
}

impl Measures {
    /// The measures of a formula; `None` where there would be too many numbers. `leaf` says where a condition holds.
    ///
    /// # Errors
    /// The first of a condition.
    pub fn new<C, E>(
        graph: &Graph,
        formula: &Ctl<C>,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<Option<Self>, E> {
        let rows = formula.numbered().into_iter().map(|part| match part {
            Ctl::Next(_, steps, _) => usize::try_from(*steps).unwrap_or(usize::MAX),
            _ => 1,
        });
        let rows = rows.fold(0, usize::saturating_add);
        if rows.saturating_mul(graph.len()) > MOST_NUMBERS {
            return Ok(None);
        }
        let mut measures = Self { parts: Vec::new() };
        measures.add(graph, formula, leaf)?;
        Ok(Some(measures))
    }

    /// Adds a formula and its parts; where it holds.
    fn add<C, E>(
        &mut self,
        graph: &Graph,
        formula: &Ctl<C>,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<Vec<bool>, E> {
        let number = self.parts.len();
        self.parts.push(Measure::Holds(Vec::new()));
        let mut parts = Vec::new();
        for part in formula.parts() {
            parts.push(self.add(graph, part, leaf)?);
        }
        let not = |set: &[bool]| set.iter().map(|value| !value).collect::<Vec<bool>>();
        let each = |test: &dyn Fn(usize) -> bool| (0..graph.len()).map(test).collect::<Vec<bool>>();
        self.parts[number] = match formula {
            Ctl::State(condition) => Measure::Holds(leaf(condition)?),
            Ctl::And(_) => Measure::Holds(each(&|s| parts.iter().all(|part| part[s]))),
            Ctl::Or(_) => Measure::Holds(each(&|s| parts.iter().any(|part| part[s]))),
            // Not in normal form, or not stepwise: nothing is claimed.
            Ctl::Not(_) | Ctl::Finally(..) | Ctl::Globally(..) => Measure::Holds(vec![false; graph.len()]),
            Ctl::Next(q, steps, _) => {
                let mut rows = parts;
                for _ in 0..*steps {
                    rows.push(graph.next(*q, &rows[rows.len() - 1]));
                }
                Measure::After(rows)
            }
            Ctl::Until(q, ..) => Measure::Within(graph.ranks(*q, &parts[0], &parts[1])),
            Ctl::Release(q, ..) => Measure::Breaks(graph.ranks(q.dual(), &not(&parts[0]), &not(&parts[1]))),
        };
        Ok(each(&|s| self.holds(formula, number, s)))
    }

    /// Whether the part of a number, which is this one, holds in a state as its measure says.
    #[must_use]
    pub fn holds<C>(&self, part: &Ctl<C>, number: usize, state: usize) -> bool {
        match (&self.parts[number], part) {
            (Measure::Holds(set), _) => set[state],
            (Measure::After(rows), _) => rows.last().is_some_and(|row| row[state]),
            (Measure::Within(ranks), Ctl::Until(_, bound, ..)) => is_within(ranks[state], *bound),
            (Measure::Breaks(ranks), Ctl::Release(_, bound, ..)) => !is_within(ranks[state], *bound),
            _ => false,
        }
    }

    /// Checks the equations of a part and of all that it is made of, in some states; the first that does not hold, by the number of the part and the
    /// state. `successors` are those of a state, itself where it has none; `leaf` says whether a condition holds in a state.
    ///
    /// # Errors
    /// The first of a condition.
    pub fn check<'s, C, E>(
        &self,
        formula: &Ctl<C>,
        number: usize,
        states: &[u32],
        successors: &impl Fn(u32) -> &'s [u32],
        leaf: &mut impl FnMut(&C, u32) -> Result<bool, E>,
    ) -> Result<Option<(usize, u32)>, E> {
        let parts = formula.numbered();
        let mut inner = number + 1;
        let mut numbers = Vec::new();
        for part in parts[number].parts() {
            if let Some(found) = self.check(formula, inner, states, successors, leaf)? {
                return Ok(Some(found));
            }
            numbers.push(inner);
            inner += part.numbered().len();
        }
        let of = |i: usize, state: u32| self.holds(parts[numbers[i]], numbers[i], state as usize);
        let next = |q: Quantifier, state: u32, test: &dyn Fn(usize) -> bool| match q {
            Quantifier::All => successors(state).iter().all(|next| test(*next as usize)),
            Quantifier::Some => successors(state).iter().any(|next| test(*next as usize)),
        };
        for state in states {
            let (state, s) = (*state, *state as usize);
            let justified = match (parts[number], &self.parts[number]) {
                (Ctl::State(condition), Measure::Holds(set)) => !set[s] || leaf(condition, state)?,
                (Ctl::And(_), Measure::Holds(set)) => !set[s] || (0..numbers.len()).all(|i| of(i, state)),
                (Ctl::Or(_), Measure::Holds(set)) => !set[s] || (0..numbers.len()).any(|i| of(i, state)),
                (_, Measure::Holds(set)) => !set[s],
                (Ctl::Next(q, ..), Measure::After(rows)) => (0..rows.len()).all(|steps| match steps {
                    0 => !rows[0][s] || of(0, state),
                    _ => !rows[steps][s] || next(*q, state, &|t| rows[steps - 1][t]),
                }),
                (Ctl::Until(q, ..), Measure::Within(ranks)) => match ranks[s] {
                    NEVER => true,
                    0 => of(1, state),
                    rank => of(0, state) && next(*q, state, &|t| ranks[t] < rank),
                },
                (Ctl::Release(q, ..), Measure::Breaks(ranks)) => match ranks[s] {
                    0 => true,
                    rank => {
                        let before = if rank == NEVER { NEVER } else { rank - 1 };
                        of(1, state) && (of(0, state) || next(*q, state, &|t| ranks[t] >= before))
                    }
                },
                _ => false,
            };
            if !justified {
                return Ok(Some((number, state)));
            }
        }
        Ok(None)
    }
}

/// Whether a rank is within a bound.
pub(super) fn is_within(rank: Rank, bound: Option<u64>) -> bool {
    rank != NEVER && bound.is_none_or(|bound| u64::from(rank) <= bound)
}
