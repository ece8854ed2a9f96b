//! Formulas by chance, for tests: here, because those of this crate stand below everything else that knows formulas.

use crate::formula::{Ctl, Quantifier};

/// What formulas are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// How often, of a hundred times, a formula ends before its depth.
    pub early: usize,
    /// How often an operator has a bound.
    pub bounded: usize,
    /// Bounds are less than this.
    pub bounds: usize,
}

impl Shape {
    /// A formula of at most such a depth. `below` gives a number less than the one it is given, by chance; `leaf` gives a formula that ends there.
    pub fn formula<R, C>(
        &self,
        random: &mut R,
        depth: usize,
        below: &impl Fn(&mut R, usize) -> usize,
        leaf: &impl Fn(&mut R) -> Ctl<C>,
    ) -> Ctl<C> {
        if depth == 0 || below(random, 100) < self.early {
            return leaf(random);
        }
        let q = if below(random, 2) == 0 { Quantifier::All } else { Quantifier::Some };
        let bound = if below(random, 100) < self.bounded { Some(below(random, self.bounds) as u64) } else { None };
        let kind = below(random, 8);
        let mut sub = || Box::new(self.formula(random, depth - 1, below, leaf));
        match kind {
            0 => Ctl::Not(sub()),
            1 => Ctl::And(vec![*sub(), *sub()]),
            2 => Ctl::Or(vec![*sub(), *sub()]),
            3 => Ctl::Next(q, bound.unwrap_or(1), sub()),
            4 => Ctl::Finally(q, bound, sub()),
            5 => Ctl::Globally(q, bound, sub()),
            6 => Ctl::Until(q, bound, sub(), sub()),
            _ => Ctl::Release(q, bound, sub(), sub()),
        }
    }
}
