//! Small models for tests.

#![allow(dead_code, clippy::unwrap_used, reason = "every test file uses some of it, and only tests do")]

use surefoot_export::{Label, Model, Source, Variable, VariableKind};
use surefoot_mdp::{Mdp, MdpBuilder, StateSet};
use surefoot_num::Rational;

/// Everything a model borrows.
pub(crate) struct Owned {
    pub(crate) mdp: Mdp,
    pub(crate) initial: StateSet,
    pub(crate) labels: Vec<Label>,
    pub(crate) actions: Vec<String>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) choice_actions: Vec<Option<u32>>,
    pub(crate) state_values: Vec<Vec<i64>>,
}

impl Source for Owned {
    fn action(&self, choice: u32) -> Option<u32> {
        self.choice_actions[choice as usize]
    }

    fn values(&self, state: u32, values: &mut [i64]) {
        values.copy_from_slice(&self.state_values[state as usize]);
    }
}

impl Owned {
    pub(crate) fn model(&self) -> Model<'_> {
        Model {
            name: "small",
            mdp: &self.mdp,
            initial: &self.initial,
            labels: &self.labels,
            actions: &self.actions,
            variables: &self.variables,
            source: self,
        }
    }
}

/// A process from choices per state: branches of target and probability, not necessarily by target.
pub(crate) fn process(states: &[&[&[(u32, &str)]]]) -> Mdp {
    let mut builder = MdpBuilder::new();
    for choices in states {
        builder.begin_state().unwrap();
        for branches in *choices {
            builder.begin_choice().unwrap();
            for (target, probability) in *branches {
                let probability: Rational = probability.parse().unwrap();
                builder.branch_exact(*target, &probability).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

fn set(members: &[u32]) -> StateSet {
    StateSet::from_members(3, members.iter().copied())
}

fn variables() -> Vec<Variable> {
    let variable = |name: &str, kind| Variable { name: name.to_owned(), kind };
    vec![
        variable("car", VariableKind::Symbol(vec!["here".to_owned(), "there".to_owned()])),
        variable("grid[3]", VariableKind::Int { lower: -2, upper: 5 }),
        variable("on", VariableKind::Bool),
    ]
}

fn labels(second: &str) -> Vec<Label> {
    vec![
        Label { name: "deadlock".to_owned(), states: set(&[2]) },
        Label { name: "start".to_owned(), states: set(&[0]) },
        Label { name: second.to_owned(), states: set(&[1, 2]) },
    ]
}

/// Three states, a choice in the first, a deadlock in the last.
pub(crate) fn small() -> Owned {
    Owned {
        mdp: process(&[&[&[(2, "2/3"), (0, "1/3")], &[(1, "1")]], &[&[(1, "1")]], &[]]),
        initial: set(&[0]),
        labels: labels("unsafe"),
        actions: vec!["go".to_owned(), "wait a bit".to_owned()],
        variables: variables(),
        choice_actions: vec![Some(0), Some(1), None],
        state_values: vec![vec![0, -2, 1], vec![1, 5, 0], vec![1, 0, 1]],
    }
}

/// The same without the choice.
pub(crate) fn chain() -> Owned {
    Owned {
        mdp: process(&[&[&[(2, "2/3"), (1, "1/3")]], &[&[(1, "1")]], &[]]),
        labels: labels("un\"safe <0>"),
        choice_actions: vec![Some(0), None],
        ..small()
    }
}

/// What a writer writes.
pub(crate) fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}
