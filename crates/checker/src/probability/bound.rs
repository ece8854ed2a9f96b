//! The rules of bounds: when a vector bounds the probabilities of an until, state by state.
//!
//! Let `V(s)` be the largest (`Max`) or smallest (`Min`) probability, over all schedulers, that a run from `s` satisfies `left U right`. A state is a *target* where `right`
//! is true; *closed* where a run has come to its end without it (`left` is false, the state is terminal, or has no moves); on the *frontier* where nothing is known of its
//! moves; else *open*, with all its choices.
//!
//! **From above.** A vector `u >= 0` with
//!
//! * `u >= 1` at targets and on the frontier,
//! * `u(s) >= sum of p u` over the branches of every choice (`Max`), of some choice (`Min`), at open states
//!
//! has `V <= u`. Soundness: under the scheduler in question (any one for `Max`, for `Min` the one that takes these choices) `u` along a run is a supermartingale that is not
//! negative, stopped at targets and on the frontier, where it is at least 1. So the probability to stop there is at most `u` at the beginning, and no run
//! satisfies the until without coming to one of them.
//!
//! **From below.** A vector `l` between 0 and 1 and a *rank*, a natural number for every state, with
//!
//! * `l = 0` at closed states and on the frontier,
//! * at open states with `l(s) > 0`: `l(s) <= sum of p l` over the branches of some choice (`Max`), of every choice (`Min`), and one of that choice's branches leads to a
//!   state of a smaller rank
//!
//! has `l <= V`. Soundness: stop a run at targets, and where `l = 0`. Under the scheduler in question (for `Max` the one that takes these choices, for `Min` any one) `l` is a
//! submartingale, bounded by 1. Let `p` be the smallest probability of a branch and `k` one more than the largest rank: from wherever a run is, it follows
//! falling ranks with a probability of at least `p^k`, and stops within `k` steps when it does. There are finitely many states, so `p^k > 0` and runs stop with probability 1.
//! Hence `l` at the beginning is at most its expectation where runs stop, which is at most the probability of stopping at a target. (Without ranks `l = 1` would do in any
//! state that can stay where it is for ever.)
//!
//! Schedulers may look at the past and toss coins: inequalities that hold for every choice hold for mixtures of them. Where an outcome leaves
//! values open, the scheduler chooses them after the outcome was drawn; the choices of a state are all combinations.

use surefoot_num::{Direction, Rational};

use super::moves::Move;

/// What a state is to a run that comes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The until is satisfied.
    Target,
    /// It never will be.
    Closed,
    /// Nothing is known.
    Frontier,
    /// The run goes on by one of these.
    Open(Vec<Move>),
}

/// A vector as it is read: an entry may be no number.
type Vector<'a> = dyn Fn(usize) -> Result<Rational, String> + 'a;

/// The rule from above, at one state.
///
/// # Errors
/// What is wrong.
pub fn upper(kind: &Kind, direction: Direction, state: usize, value: &Vector<'_>) -> Result<(), String> {
    let own = value(state)?;
    match kind {
        Kind::Closed => Ok(()),
        Kind::Target | Kind::Frontier if own >= Rational::ONE => Ok(()),
        Kind::Target => Err(format!("it is a target, and its value {own} is less than 1")),
        Kind::Frontier => Err(format!("its moves are not told, and its value {own} is less than 1")),
        Kind::Open(moves) => {
            let sums = moves.iter().map(|choice| choice.sum(value)).collect::<Result<Vec<_>, _>>()?;
            let (enough, step) = match direction {
                Direction::Max => (sums.iter().all(|sum| *sum <= own), sums.iter().max()),
                Direction::Min => (sums.iter().any(|sum| *sum <= own), sums.iter().min()),
            };
            let step = step.ok_or("it has no choice")?;
            if enough { Ok(()) } else { Err(format!("its value {own} is less than {step}, that of one step")) }
        }
    }
}

/// The rule from below, at one state.
///
/// # Errors
/// What is wrong.
pub fn lower(
    kind: &Kind,
    direction: Direction,
    state: usize,
    value: &Vector<'_>,
    rank: &dyn Fn(usize) -> u64,
) -> Result<(), String> {
    let own = value(state)?;
    if own > Rational::ONE {
        return Err(format!("its value {own} is more than 1"));
    }
    if own.is_zero() {
        return Ok(());
    }
    let moves = match kind {
        Kind::Target => return Ok(()),
        Kind::Closed => return Err(format!("nothing comes after it, and its value is {own}, not 0")),
        Kind::Frontier => return Err(format!("its moves are not told, and its value is {own}, not 0")),
        Kind::Open(moves) => moves,
    };
    let more = |sum: &Rational| format!("its value {own} is more than {sum}, that of one step");
    let unranked = || "no branch leads to a state of a smaller rank".to_owned();
    let (mut best, mut enough_somewhere) = (None, false);
    for choice in moves {
        let sum = choice.sum(value)?;
        let enough = own <= sum;
        let falls = choice.branches.iter().any(|(target, _)| rank(*target) < rank(state));
        match direction {
            // One choice that shows it is enough.
            Direction::Max if enough && falls => return Ok(()),
            Direction::Max => {}
            // Every choice must show it.
            Direction::Min if !enough => return Err(more(&sum)),
            Direction::Min if !falls => return Err(unranked()),
            Direction::Min => {}
        }
        enough_somewhere |= enough;
        best = best.max(Some(sum));
    }
    match (best, direction) {
        (None, _) => Err("it has no choice".to_owned()),
        (Some(_), Direction::Min) => Ok(()),
        (Some(_), Direction::Max) if enough_somewhere => Err(unranked()),
        (Some(best), Direction::Max) => Err(more(&best)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// Choices of state 0, each with branches `(target, probability)`.
    fn open(choices: &[&[(usize, &str)]]) -> Kind {
        let one = |branches: &&[(usize, &str)]| Move {
            action: None,
            branches: branches.iter().map(|(target, p)| (*target, number(p))).collect(),
        };
        Kind::Open(choices.iter().map(one).collect())
    }

    fn above(kind: &Kind, direction: Direction, values: &[&str]) -> Result<(), String> {
        upper(kind, direction, 0, &|state| Ok(number(values[state])))
    }

    fn below(kind: &Kind, direction: Direction, values: &[&str], ranks: &[u64]) -> Result<(), String> {
        lower(kind, direction, 0, &|state| Ok(number(values[state])), &|state| ranks[state])
    }

    use Direction::{Max, Min};

    #[test]
    fn upper_bounds_are_accepted_and_rejected() {
        let coin = open(&[&[(1, "1/2"), (2, "1/2")]]);
        let two = open(&[&[(1, "1")], &[(2, "1")]]);
        let around = open(&[&[(0, "1")]]);
        let again = open(&[&[(0, "1/3"), (1, "1/3"), (2, "1/3")]]);
        for (kind, direction, values, accepted) in [
            (&Kind::Target, Max, ["1", "0", "0"], true),
            (&Kind::Target, Max, ["0.99", "0", "0"], false),
            (&Kind::Frontier, Max, ["1", "0", "0"], true),
            (&Kind::Frontier, Min, ["1/2", "0", "0"], false),
            (&Kind::Closed, Max, ["0", "1", "1"], true),
            (&coin, Max, ["1/2", "1", "0"], true),
            (&coin, Max, ["0.4999999999999999", "1", "0"], false),
            (&coin, Min, ["0.6", "1", "0"], true),
            (&two, Max, ["1", "1", "0"], true),
            (&two, Max, ["1/2", "1", "0"], false),
            (&two, Min, ["0", "1", "0"], true),
            // A loop is never left: the least solution counts.
            (&around, Max, ["0", "1", "1"], true),
            (&again, Max, ["1/2", "1", "0"], true),
            (&again, Max, ["0.49", "1", "0"], false),
            (&open(&[]), Max, ["0", "1", "0"], false),
        ] {
            assert_eq!(above(kind, direction, &values).is_ok(), accepted, "{kind:?} {direction:?} {values:?}");
        }
    }

    #[test]
    fn lower_bounds_are_accepted_and_rejected() {
        let coin = open(&[&[(1, "1/2"), (2, "1/2")]]);
        let two = open(&[&[(1, "1")], &[(2, "1")]]);
        let around = open(&[&[(0, "1")]]);
        let or_out = open(&[&[(0, "1")], &[(1, "1/2"), (2, "1/2")]]);
        for (kind, direction, values, ranks, accepted) in [
            (&Kind::Target, Max, ["1", "0", "0"], [0, 0, 0], true),
            (&Kind::Target, Max, ["1.5", "0", "0"], [0, 0, 0], false),
            (&Kind::Closed, Max, ["0", "0", "0"], [0, 0, 0], true),
            (&Kind::Closed, Max, ["1/9", "0", "0"], [0, 0, 0], false),
            (&Kind::Frontier, Max, ["1/2", "0", "0"], [0, 0, 0], false),
            (&Kind::Frontier, Min, ["0", "0", "0"], [0, 0, 0], true),
            (&coin, Max, ["1/2", "1", "0"], [1, 0, 0], true),
            (&coin, Max, ["0.5000000000000001", "1", "0"], [1, 0, 0], false),
            // Ranks must fall somewhere, wherever it is.
            (&coin, Max, ["1/2", "1", "0"], [1, 1, 0], true),
            (&coin, Max, ["1/2", "1", "0"], [1, 1, 1], false),
            (&two, Max, ["1", "1", "0"], [1, 0, 0], true),
            (&two, Min, ["1", "1", "0"], [1, 0, 0], false),
            (&two, Min, ["1/3", "1", "1/3"], [1, 0, 0], true),
            // In the second choice no rank falls.
            (&two, Min, ["1/3", "1", "1/3"], [1, 0, 1], false),
            // A loop satisfies the inequality, and is worth nothing.
            (&around, Max, ["1", "1", "0"], [1, 0, 0], false),
            (&around, Max, ["0", "1", "0"], [0, 0, 0], true),
            // The choice that shows the inequality must be the one whose rank falls.
            (&or_out, Max, ["1", "1", "0"], [1, 0, 0], false),
            (&or_out, Max, ["1/2", "1", "0"], [1, 0, 0], true),
            (&or_out, Min, ["1/2", "1", "0"], [1, 0, 0], false),
            (&open(&[]), Max, ["1/2", "1", "0"], [1, 0, 0], false),
        ] {
            let found = below(kind, direction, &values, &ranks);
            assert_eq!(found.is_ok(), accepted, "{kind:?} {direction:?} {values:?} {ranks:?}: {found:?}");
        }
    }
}
