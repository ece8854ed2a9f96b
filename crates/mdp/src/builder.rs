//! Building a process state by state, with every row checked.
//!
//! States come in order, so the arrays are only ever appended to. A target may be a state that comes later;
//! ranges are checked at the end. The sum of a choice is checked exactly; as models repeat few distributions,
//! the sequences of probabilities already known to sum to one are remembered.

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_num::Rational;

use crate::mdp::{Branch, Mdp, number};
use crate::probability::{ProbabilityId, ProbabilityTable};

/// Beyond this many remembered distributions new ones are summed again each time.
const REMEMBERED: usize = 1 << 20;
/// Choices whose distributions are looked at first.
const RECENT: usize = 1 << 10;

/// Why a process was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// `begin_choice` before the first `begin_state`.
    #[error("a choice was begun before the first state")]
    ChoiceOutsideState,
    /// `branch` before `begin_choice` in the current state.
    #[error("a branch of state {state} was given before a choice was begun")]
    BranchOutsideChoice {
        /// The current state (or zero when there is none).
        state: u32,
    },
    /// A probability that is not in `(0, 1]`.
    #[error("{value} is not a probability of a branch (they lie in (0, 1])")]
    NotAProbability {
        /// What was given.
        value: Rational,
    },
    /// The probabilities of a choice do not sum to one.
    #[error("the probabilities of choice {choice} of state {state} sum to {sum}, not to 1")]
    SumNotOne {
        /// The state.
        state: u32,
        /// The choice, counted within the state.
        choice: u32,
        /// The exact sum.
        sum: Rational,
    },
    /// A branch leads to a number that is no state.
    #[error("a branch of state {state} leads to {target}, but there are {states} states")]
    TargetOutOfRange {
        /// The state.
        state: u32,
        /// Where the branch leads.
        target: u32,
        /// The number of states.
        states: usize,
    },
    /// More states, choices, branches or distinct probabilities than 32-bit numbers can count.
    #[error("the process has more than 2^32 - 2 {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
    },
}

/// Takes the states of a process in order.
///
/// ```
/// use surefoot_mdp::MdpBuilder;
/// let mut builder = MdpBuilder::new();
/// let half = builder.probability(&"1/2".parse()?)?;
/// builder.begin_state()?;
/// builder.begin_choice()?;
/// builder.branch(0, half)?;
/// builder.branch(1, half)?;
/// builder.begin_state()?; // a deadlock
/// let mdp = builder.finish()?;
/// assert_eq!((mdp.num_states(), mdp.num_choices(), mdp.num_branches()), (2, 1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MdpBuilder {
    mdp: Mdp,
    /// Whether a choice is open.
    open: bool,
    known: FxHashSet<Box<[u32]>>,
    /// Choices that sum to one, in places that depend on their first and last probabilities and their length.
    recent: Box<[Option<u32>]>,
    ids: Vec<u32>,
    /// The largest target and a state that leads there.
    furthest: Option<(u32, u32)>,
    /// The vanishing states so far, by where they may lead, in order.
    vanishing: FxHashMap<Box<[u32]>, u32>,
    /// The branches that lead to vanishing states, which have no number before all others do; their targets are counted from 0.
    open_branches: Vec<u32>,
}

impl Default for MdpBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl MdpBuilder {
    /// No states yet.
    #[must_use]
    pub fn new() -> Self {
        let mdp = Mdp {
            state_choices: Vec::new(),
            choice_branches: vec![0],
            branches: Vec::new(),
            table: ProbabilityTable::default(),
            vanishing: 0,
        };
        let vanishing = FxHashMap::default();
        Self {
            mdp,
            open: false,
            known: FxHashSet::default(),
            recent: vec![None; RECENT].into(),
            ids: Vec::new(),
            furthest: None,
            vanishing,
            open_branches: Vec::new(),
        }
    }

    /// The id of a probability, to be used in any number of branches.
    ///
    /// # Errors
    /// [`BuildError::NotAProbability`] outside `(0, 1]`, [`BuildError::TooLarge`].
    pub fn probability(&mut self, value: &Rational) -> Result<ProbabilityId, BuildError> {
        if value.signum() <= 0 || *value > Rational::ONE {
            return Err(BuildError::NotAProbability { value: value.clone() });
        }
        self.mdp.table.intern(value).ok_or(BuildError::TooLarge { what: "distinct probabilities" })
    }

    /// Begins the next state and returns its number.
    ///
    /// # Errors
    /// [`BuildError::SumNotOne`] for the choice this ends, [`BuildError::TooLarge`].
    pub fn begin_state(&mut self) -> Result<u32, BuildError> {
        self.end_choice()?;
        let state = count(self.mdp.state_choices.len(), "states")?;
        self.mdp.state_choices.push(number(self.mdp.choice_branches.len() - 1));
        Ok(state)
    }

    /// Begins the next choice of the current state and returns its global number.
    ///
    /// # Errors
    /// [`BuildError::ChoiceOutsideState`], [`BuildError::SumNotOne`] for the choice this ends,
    /// [`BuildError::TooLarge`].
    pub fn begin_choice(&mut self) -> Result<u32, BuildError> {
        if self.mdp.state_choices.is_empty() {
            return Err(BuildError::ChoiceOutsideState);
        }
        self.end_choice()?;
        self.open = true;
        count(self.mdp.choice_branches.len() - 1, "choices")
    }

    /// Adds a branch to the current choice. Two branches of a choice may have the same target.
    ///
    /// # Errors
    /// [`BuildError::BranchOutsideChoice`], [`BuildError::TooLarge`].
    pub fn branch(&mut self, target: u32, probability: ProbabilityId) -> Result<(), BuildError> {
        if !self.open {
            return Err(BuildError::BranchOutsideChoice { state: self.state() });
        }
        count(self.mdp.branches.len(), "branches")?;
        if self.furthest.is_none_or(|(furthest, _)| target > furthest) {
            self.furthest = Some((target, self.state()));
        }
        self.mdp.branches.push(Branch { target, probability });
        Ok(())
    }

    /// Adds a branch with its probability given as a number.
    ///
    /// # Errors
    /// As [`MdpBuilder::probability`] and [`MdpBuilder::branch`].
    pub fn branch_exact(&mut self, target: u32, probability: &Rational) -> Result<(), BuildError> {
        let probability = self.probability(probability)?;
        self.branch(target, probability)
    }

    /// Adds a branch to the current choice whose target is up to the scheduler, who knows that this branch was drawn: to a
    /// [vanishing state](Mdp::vanishing) with one choice per target. Branches with the same targets share one.
    ///
    /// # Errors
    /// As [`MdpBuilder::branch`].
    pub fn branch_to_any(&mut self, targets: &[u32], probability: ProbabilityId) -> Result<(), BuildError> {
        let mut distinct = targets.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if let [target] = distinct[..] {
            return self.branch(target, probability);
        }
        if !self.open {
            return Err(BuildError::BranchOutsideChoice { state: self.state() });
        }
        let branch = count(self.mdp.branches.len(), "branches")?;
        if let Some(&furthest) = distinct.last().filter(|last| self.furthest.is_none_or(|(f, _)| **last > f)) {
            self.furthest = Some((furthest, self.state()));
        }
        let next = number(self.vanishing.len());
        let target = *self.vanishing.entry(distinct.into()).or_insert(next);
        self.open_branches.push(branch);
        self.mdp.branches.push(Branch { target, probability });
        Ok(())
    }

    /// The finished process.
    ///
    /// # Errors
    /// [`BuildError::SumNotOne`] for the last choice, [`BuildError::TargetOutOfRange`], [`BuildError::TooLarge`].
    pub fn finish(mut self) -> Result<Mdp, BuildError> {
        self.end_choice()?;
        let states = self.mdp.state_choices.len();
        self.end_vanishing(states)?;
        if let Some((target, state)) = self.furthest
            && target as usize >= states
        {
            return Err(BuildError::TargetOutOfRange { state, target, states });
        }
        self.mdp.state_choices.push(number(self.mdp.choice_branches.len() - 1));
        Ok(self.mdp)
    }

    /// Numbers the vanishing states and writes their rows.
    fn end_vanishing(&mut self, states: usize) -> Result<(), BuildError> {
        self.mdp.vanishing = self.vanishing.len();
        count(states + self.vanishing.len(), "states")?;
        for branch in std::mem::take(&mut self.open_branches) {
            self.mdp.branches[branch as usize].target += number(states);
        }
        let mut rows: Vec<(Box<[u32]>, u32)> = self.vanishing.drain().collect();
        rows.sort_unstable_by_key(|(_, number)| *number);
        if rows.is_empty() {
            return Ok(());
        }
        let one = self.probability(&Rational::ONE)?;
        // What is furthest stays what the other states lead to: vanishing states are no targets that anybody named.
        let furthest = self.furthest;
        for (targets, _) in rows {
            self.begin_state()?;
            for &target in &targets {
                self.begin_choice()?;
                self.branch(target, one)?;
            }
            self.end_choice()?;
        }
        self.furthest = furthest;
        Ok(())
    }

    fn state(&self) -> u32 {
        number(self.mdp.state_choices.len().saturating_sub(1))
    }

    /// Closes the open choice, if any, after checking its sum.
    fn end_choice(&mut self) -> Result<(), BuildError> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        let start = self.mdp.choice_branches.last().map_or(0, |&start| start as usize);
        let (choice, end) = (number(self.mdp.choice_branches.len() - 1), number(self.mdp.branches.len()));
        let place = self.place(start);
        let recent = place.and_then(|place| self.recent[place]);
        if recent.is_some_and(|recent| same_distribution(self.mdp.branches(recent), &self.mdp.branches[start..])) {
            self.mdp.choice_branches.push(end);
            return Ok(());
        }
        self.ids.clear();
        self.ids.extend(self.mdp.branches[start..].iter().map(|branch| branch.probability.0));
        if !self.known.contains(self.ids.as_slice()) {
            let sum: Rational = self.mdp.branches[start..].iter().map(|&b| self.mdp.exact(b).clone()).sum();
            if sum != Rational::ONE {
                let state = self.state();
                let first = self.mdp.state_choices[state as usize];
                return Err(BuildError::SumNotOne { state, choice: choice - first, sum });
            }
            if self.known.len() < REMEMBERED {
                self.known.insert(self.ids.as_slice().into());
            }
        }
        self.mdp.choice_branches.push(end);
        if let Some(place) = place {
            self.recent[place] = Some(choice);
        }
        Ok(())
    }

    /// Where to remember the choice whose branches begin at `start`; none without branches.
    fn place(&self, start: usize) -> Option<usize> {
        let branches = &self.mdp.branches[start..];
        let (first, last) = (branches.first()?.probability.0, branches.last()?.probability.0);
        let mixed = (first.wrapping_mul(31) ^ last).wrapping_mul(31) ^ number(branches.len());
        Some(mixed as usize % RECENT)
    }
}

/// Whether two choices have the same probabilities in the same order.
fn same_distribution(a: &[Branch], b: &[Branch]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.probability == b.probability)
}

/// `index` as a 32-bit number that leaves room for an end and for two sinks.
fn count(index: usize, what: &'static str) -> Result<u32, BuildError> {
    u32::try_from(index).ok().filter(|&index| index < u32::MAX - 2).ok_or(BuildError::TooLarge { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// One state with one choice: branches of the given probabilities to the given targets.
    fn single(branches: &[(u32, &str)]) -> Result<Mdp, BuildError> {
        let mut builder = MdpBuilder::new();
        builder.begin_state()?;
        builder.begin_choice()?;
        for (target, probability) in branches {
            builder.branch_exact(*target, &r(probability))?;
        }
        builder.finish()
    }

    #[test]
    fn what_is_accepted() {
        assert!(single(&[(0, "1")]).is_ok());
        assert!(single(&[(0, "1/3"), (0, "2/3")]).is_ok());
        assert!(single(&[(0, "1e-400"), (0, "1/2")]).is_err());
    }

    #[test]
    fn what_is_refused() {
        let sum = |text| BuildError::SumNotOne { state: 0, choice: 0, sum: r(text) };
        assert_eq!(single(&[]).unwrap_err(), sum("0"));
        assert_eq!(single(&[(0, "0.3"), (0, "0.3"), (0, "0.3")]).unwrap_err(), sum("0.9"));
        assert_eq!(single(&[(0, "1"), (0, "1e-30")]).unwrap_err(), sum("1000000000000000000000000000001e-30"));
        for value in ["0", "-1/2", "3/2"] {
            assert_eq!(single(&[(0, value)]).unwrap_err(), BuildError::NotAProbability { value: r(value) });
        }
        let out = BuildError::TargetOutOfRange { state: 0, target: 7, states: 1 };
        assert_eq!(single(&[(7, "1")]).unwrap_err(), out);
        let mut builder = MdpBuilder::new();
        assert_eq!(builder.begin_choice().unwrap_err(), BuildError::ChoiceOutsideState);
        let one = builder.probability(&Rational::ONE).unwrap();
        assert_eq!(builder.branch(0, one).unwrap_err(), BuildError::BranchOutsideChoice { state: 0 });
        builder.begin_state().unwrap();
        builder.begin_choice().unwrap();
        builder.branch(0, one).unwrap();
        builder.begin_state().unwrap();
        assert_eq!(builder.branch(0, one).unwrap_err(), BuildError::BranchOutsideChoice { state: 1 });
    }

    #[test]
    fn a_process_without_states() {
        let mdp = MdpBuilder::new().finish().unwrap();
        assert_eq!((mdp.num_states(), mdp.num_choices()), (0, 0));
    }
}
