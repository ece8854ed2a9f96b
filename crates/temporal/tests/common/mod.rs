//! Small random graphs with conditions, and formulas over them.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![allow(dead_code, reason = "not every test needs all of it")]

use std::convert::Infallible;

use surefoot_fixtures::Random;
use surefoot_temporal::Ctl;
use surefoot_temporal::graph::Graph;
use surefoot_temporal::random::Shape;
use surefoot_temporal::tree::Tree;

pub(crate) const ATOMS: usize = 3;

/// A condition by number, and its sign.
pub(crate) type Signed = (usize, bool);

pub(crate) struct World {
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) truths: Vec<[bool; ATOMS]>,
    pub(crate) graph: Graph,
}

impl World {
    pub(crate) fn random(random: &mut Random, most: usize) -> Self {
        let states = 1 + random.below(most);
        let row = |random: &mut Random| (0..random.below(4)).map(|_| random.below(states)).collect::<Vec<_>>();
        let successors: Vec<Vec<usize>> = (0..states).map(|_| row(random)).collect();
        let truths = (0..states).map(|_| std::array::from_fn(|_| random.percent(50))).collect();
        let mut graph = Graph::default();
        for row in &successors {
            graph.push(&mut row.iter().map(|state| u32::try_from(*state).unwrap()).collect());
        }
        Self { successors, truths, graph }
    }

    pub(crate) fn label(&self, formula: &Ctl<Signed>) -> Vec<bool> {
        self.graph.label(formula, &mut |leaf| self.leaf(*leaf)).unwrap()
    }

    pub(crate) fn leaf(&self, (atom, sign): Signed) -> Result<Vec<bool>, Infallible> {
        Ok(self.truths.iter().map(|truths| truths[atom] == sign).collect())
    }

    pub(crate) fn is_so(&self, (atom, sign): Signed, state: u32) -> bool {
        self.truths[state as usize][atom] == sign
    }

    /// A run that is proposed for a formula in normal form, and whether it shows it.
    pub(crate) fn shown(&self, formula: &Ctl<Signed>, start: u32) -> Option<bool> {
        let shown = self.graph.show(formula, start, &mut |leaf| self.leaf(*leaf)).unwrap()?;
        assert_eq!(shown.states[0], start);
        let last = shown.states.len() - 1;
        let after = (0..=last).map(|i| if i < last { Some(i + 1) } else { shown.back });
        let steps: Vec<Vec<usize>> = after.map(|next| next.into_iter().collect()).collect();
        for (position, next) in steps.iter().enumerate().flat_map(|(i, next)| next.iter().map(move |next| (i, next))) {
            assert!(self.graph.successors(shown.states[position]).contains(&shown.states[*next]), "no step");
        }
        let all = shown.states.iter().map(|state| self.graph.successors(*state).len() == 1).collect();
        let mut leaf = |leaf: &Signed, position: usize| self.is_so(*leaf, shown.states[position]);
        Some(Tree { steps, all }.shows(formula, &mut leaf)[0])
    }
}

pub(crate) fn random_formula(random: &mut Random, depth: usize) -> Ctl<Signed> {
    shaped(random, depth, Shape { early: 15, bounded: 60, bounds: 4 })
}

pub(crate) fn shaped(random: &mut Random, depth: usize, shape: Shape) -> Ctl<Signed> {
    let leaf = |random: &mut Random| match random.below(8) {
        0 => Ctl::truth(),
        1 => Ctl::falsehood(),
        _ => Ctl::State((random.below(ATOMS), true)),
    };
    shape.formula(random, depth, &Random::below, &leaf)
}
