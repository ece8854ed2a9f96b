//! The moves of states: as the file tells them, and as the model has them.
//!
//! A *move* is a distribution over states. An operator of the model is one move, or several where outcomes leave values open: one for every combination of what they may become.
//! Branches to the same state are one, and moves that are the same are one. States without moves have in the file a silent loop of probability 1, as other tools want it.

use surefoot_model::interpret::Choice;
use surefoot_model::{ModelError, State, TermId};
use surefoot_num::Rational;
use surefoot_problem::{Problem, Quantity};

use super::bound::Kind;
use super::process::Part;
use super::states::States;
use super::{Rule, rejected, unsupported};
use crate::refused::Refused;

/// The most combinations of open values in one operator.
const MOST_COMBINATIONS: usize = 100_000;

/// A distribution over states.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// Its action; `None` = silent.
    pub action: Option<u32>,
    /// States with their probabilities, ascending.
    pub branches: Vec<(usize, Rational)>,
}

impl Move {
    /// Branches to the same state put together.
    fn new(action: Option<u32>, mut branches: Vec<(usize, Rational)>) -> Self {
        branches.sort_by_key(|(target, _)| *target);
        let mut merged: Vec<(usize, Rational)> = Vec::with_capacity(branches.len());
        for (target, probability) in branches {
            match merged.last_mut() {
                Some((last, sum)) if *last == target => *sum = &*sum + &probability,
                _ => merged.push((target, probability)),
            }
        }
        Self { action, branches: merged }
    }

    /// The expectation of a vector after the move.
    pub(super) fn sum(&self, value: &dyn Fn(usize) -> Result<Rational, String>) -> Result<Rational, String> {
        let mut sum = Rational::ZERO;
        for (target, probability) in &self.branches {
            sum = &sum + &(probability * &value(*target)?);
        }
        Ok(sum)
    }
}

/// The moves of a state as the file tells them.
pub(super) fn told(part: &Part<'_>, state: usize) -> Result<Vec<Move>, String> {
    let mut moves = Vec::new();
    for choice in part.choices_of(state) {
        let mut branches = Vec::new();
        for branch in part.branches_of(choice) {
            branches.push((part.target_of(branch), part.probabilities.get(branch)?));
        }
        moves.push(Move::new(part.action_of(choice), branches));
    }
    Ok(moves)
}

/// What a state is must be what the file says of it.
pub(super) fn agree(kind: &Kind, told: Vec<Move>, target: bool, state: usize) -> Result<(), String> {
    if (*kind == Kind::Target) != target {
        let word = if target { "it is called a target, but is none" } else { "it is a target, but is not called one" };
        return Err(word.to_owned());
    }
    let sorted = |mut moves: Vec<Move>| {
        moves.sort();
        moves.dedup();
        moves
    };
    let told = sorted(told);
    match kind {
        Kind::Open(moves) => {
            let moves = sorted(moves.clone());
            if let Some(missing) = moves.iter().find(|one| !told.contains(one)) {
                return Err(format!("the file does not have its move {}", show(missing)));
            }
            let spare = told.iter().find(|one| !moves.contains(one));
            spare.map_or(Ok(()), |spare| Err(format!("the model does not have its move {}", show(spare))))
        }
        _ if told == [Move { action: None, branches: vec![(state, Rational::ONE)] }] => Ok(()),
        _ => Err("it has no moves to be told, and more than a loop in the file".to_owned()),
    }
}

fn show(one: &Move) -> String {
    let branches: Vec<String> = one.branches.iter().take(8).map(|(target, p)| format!("{p} to {target}")).collect();
    let more = if one.branches.len() > branches.len() { ", ..." } else { "" };
    let action = one.action.map_or("(silent)".to_owned(), |action| format!("by action {action}"));
    format!("{action}: {}{more}", branches.join(", "))
}

/// States as the model has them.
pub(super) struct Model<'a> {
    pub(super) problem: &'a Problem,
    pub(super) quantity: &'a Quantity,
    pub(super) states: &'a States<'a>,
}

impl Model<'_> {
    /// What a state is whose moves are told.
    pub(super) fn kind(&self, state: &State, left: Option<u64>) -> Result<Kind, Refused> {
        if let Some(decided) = self.decided(state, left)? {
            return Ok(decided);
        }
        let interpreter = self.problem.interpreter();
        let choices = interpreter.permitted_choices(state, self.problem.policy()).map_err(|e| self.in_error(&e))?;
        if choices.is_empty() {
            return Ok(Kind::Closed);
        }
        let mut moves = Vec::new();
        for choice in &choices {
            self.combine(state, left, choice, &mut moves)?;
        }
        Ok(Kind::Open(moves))
    }

    /// What a state is if its moves do not matter.
    ///
    /// Soundness: the order is that of a run. A target satisfies the until whatever its left side and the goal say; where that is false, the state is terminal or no step is left, nothing else comes.
    pub(super) fn decided(&self, state: &State, left: Option<u64>) -> Result<Option<Kind>, Refused> {
        if self.holds(self.quantity.right, state)? {
            return Ok(Some(Kind::Target));
        }
        if let Some(left) = self.quantity.left
            && !self.holds(left, state)?
        {
            return Ok(Some(Kind::Closed));
        }
        if let Some(goal) = self.problem.query.goal.filter(|_| self.problem.query.goal_terminal)
            && self.holds(goal, state)?
        {
            return Ok(Some(Kind::Closed));
        }
        Ok((left == Some(0)).then_some(Kind::Closed))
    }

    fn holds(&self, term: TermId, state: &State) -> Result<bool, Refused> {
        let interpreter = self.problem.interpreter();
        interpreter.holds(term, state).map_err(|error| self.in_error(&ModelError::evaluation(error, state.clone())))
    }

    fn in_error(&self, error: &ModelError) -> Refused {
        let error = error.describe(self.problem.model());
        rejected(Rule::Moves, format!("the model is in error: {error}"))
    }

    /// The moves of an operator: every combination of what its outcomes may lead to.
    fn combine(&self, state: &State, left: Option<u64>, choice: &Choice, moves: &mut Vec<Move>) -> Result<(), Refused> {
        let here = || state.describe(self.problem.model());
        let mut outcomes: Vec<(&Rational, Vec<usize>)> = Vec::new();
        for outcome in &choice.outcomes {
            let mut targets = Vec::with_capacity(outcome.successors.len());
            for successor in &outcome.successors {
                let number = self.states.number(successor, left.map(|left| left - 1)).ok_or_else(|| {
                    let successor = successor.describe(self.problem.model());
                    let reason = format!("the successor {successor} of {} is not among the states", here());
                    rejected(Rule::Moves, reason)
                })?;
                targets.push(number);
            }
            outcomes.push((&outcome.probability, targets));
        }
        let combinations = outcomes.iter().try_fold(1usize, |n, (_, targets)| n.checked_mul(targets.len()));
        if combinations.is_none_or(|n| n > MOST_COMBINATIONS) {
            let reason =
                format!("an operator has more than {MOST_COMBINATIONS} combinations of open values in {}", here());
            return Err(unsupported(reason));
        }
        let action = choice.label.map(|label| label.0);
        let mut digits = vec![0; outcomes.len()];
        loop {
            let taken = outcomes.iter().zip(&digits).map(|((p, targets), digit)| (targets[*digit], (*p).clone()));
            moves.push(Move::new(action, taken.collect()));
            let Some(next) = (0..digits.len()).rev().find(|i| digits[*i] + 1 < outcomes[*i].1.len()) else {
                return Ok(());
            };
            digits[next] += 1;
            digits[next + 1..].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(action: Option<u32>, branches: &[(usize, &str)]) -> Move {
        Move::new(action, branches.iter().map(|(target, p)| (*target, p.parse().unwrap())).collect())
    }

    #[test]
    fn branches_to_one_state_are_one() {
        assert_eq!(one(None, &[(2, "1/4"), (1, "1/2"), (2, "1/4")]), one(None, &[(1, "1/2"), (2, "1/2")]));
    }

    #[test]
    fn moves_agree_or_do_not() {
        let coin = one(Some(1), &[(1, "1/2"), (2, "1/2")]);
        let go = one(None, &[(3, "1")]);
        let stay = one(None, &[(0, "1")]);
        let off = one(Some(1), &[(1, "1/3"), (2, "2/3")]);
        let other = one(Some(0), &[(1, "1/2"), (2, "1/2")]);
        let open = Kind::Open(vec![coin.clone(), go.clone()]);
        for (kind, told, target, accepted) in [
            (&open, vec![coin.clone(), go.clone()], false, true),
            // Neither order nor repetition matters.
            (&open, vec![go.clone(), coin.clone(), coin.clone()], false, true),
            (&open, vec![coin.clone()], false, false),
            (&open, vec![coin.clone(), go.clone(), stay.clone()], false, false),
            (&open, vec![off, go.clone()], false, false),
            (&open, vec![other, go.clone()], false, false),
            (&open, vec![coin.clone(), go.clone()], true, false),
            (&open, vec![], false, false),
            (&Kind::Target, vec![stay.clone()], true, true),
            (&Kind::Target, vec![stay.clone()], false, false),
            (&Kind::Target, vec![go.clone()], true, false),
            (&Kind::Closed, vec![stay.clone()], false, true),
            (&Kind::Closed, vec![], false, false),
            (&Kind::Frontier, vec![stay], false, true),
            (&Kind::Frontier, vec![coin, go], false, false),
        ] {
            let found = agree(kind, told.clone(), target, 0);
            assert_eq!(found.is_ok(), accepted, "{kind:?} {told:?} {target}: {found:?}");
        }
    }
}
