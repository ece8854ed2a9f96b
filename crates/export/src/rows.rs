//! The choices of a model as checkers want them: at least one in every state.

use surefoot_mdp::Mdp;
use surefoot_num::Rational;

/// A choice of the model, or the self-loop of a state that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// A choice.
    Choice(u32),
    /// The loop of a state.
    Loop(u32),
}

/// All choices, self-loops included.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    mdp: &'a Mdp,
    one: Rational,
    loops: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(mdp: &'a Mdp) -> Self {
        let loops = mdp.states().filter(|state| mdp.choices(*state).is_empty()).count();
        Self { mdp, one: Rational::ONE, loops }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.mdp.num_choices() + self.loops
    }

    /// How many branches they have.
    pub(crate) fn branch_count(&self) -> usize {
        self.mdp.num_branches() + self.loops
    }

    /// The choices of a state; never none.
    pub(crate) fn of(&self, state: u32) -> impl Iterator<Item = Row> + use<> {
        let choices = self.mdp.choices(state);
        let repair = choices.is_empty().then_some(Row::Loop(state));
        choices.map(Row::Choice).chain(repair)
    }

    /// How many choices a state has.
    pub(crate) fn len(&self, state: u32) -> usize {
        self.mdp.choices(state).len().max(1)
    }

    /// How many branches a choice has.
    pub(crate) fn width(&self, row: Row) -> usize {
        match row {
            Row::Choice(choice) => self.mdp.branches(choice).len(),
            Row::Loop(_) => 1,
        }
    }

    /// The branches of a choice, by target.
    pub(crate) fn branches<'s>(&'s self, row: Row, into: &mut Vec<(u32, &'s Rational)>) {
        into.clear();
        match row {
            Row::Choice(choice) => {
                into.extend(self.mdp.branches(choice).iter().map(|b| (b.target, self.mdp.exact(*b))));
                into.sort_by_key(|(target, _)| *target);
            }
            Row::Loop(state) => into.push((state, &self.one)),
        }
    }
}
