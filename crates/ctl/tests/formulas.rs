//! Normal form and unfolding, against the definition on random finite systems.

use surefoot_ctl::{Constraints, Ctl, Node, Quantifier, Unfolded};
use surefoot_fixtures::Random;
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_temporal::finite::Finite;
use surefoot_temporal::random::Shape;

const ATOMS: usize = 3;

/// Atom `i` is `x_i > 0`.
fn atom(i: usize) -> Ctl {
    Ctl::atom(Atom::positive(Linear::symbol(Symbol::at(i))))
}

fn random_formula(random: &mut Random, depth: usize) -> Ctl {
    let leaf = |random: &mut Random| {
        if random.percent(10) { Ctl::constant(random.percent(50)) } else { atom(random.below(ATOMS)) }
    };
    Shape { early: 15, bounded: 70, bounds: 4 }.formula(random, depth, &Random::below, &leaf)
}

struct World {
    system: Finite,
    truths: Vec<[bool; ATOMS]>,
}

impl World {
    fn random(random: &mut Random) -> Self {
        let states = 1 + random.below(4);
        let successors = (0..states)
            .map(|_| {
                let mut next: Vec<usize> = (0..random.below(3)).map(|_| random.below(states)).collect();
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        let truths = (0..states).map(|_| std::array::from_fn(|_| random.percent(50))).collect();
        Self { system: Finite { successors }, truths }
    }

    fn condition(&self, formula: &Formula, state: usize) -> bool {
        formula.eval(&|symbol| Rational::from(self.truths[state][symbol.index()]))
    }

    fn holds(&self, formula: &Ctl, state: usize) -> bool {
        self.system.holds(formula, state, &|leaf, state| match leaf {
            Ctl::State(condition) => self.condition(&condition.holds, state),
            _ => unreachable!("leaves are conditions"),
        })
    }

    /// All nodes in all states, fixpoints by iteration.
    fn unfolded(&self, formula: &Unfolded) -> Vec<Vec<bool>> {
        let states = self.truths.len();
        let mut values: Vec<Vec<bool>> = Vec::new();
        for node in formula.nodes() {
            let next = |q: &Quantifier, values: &[bool], state: usize| {
                let successors = &self.system.successors[state];
                let own = [state];
                let successors: &[usize] = if successors.is_empty() { &own } else { successors };
                match q {
                    Quantifier::All => successors.iter().all(|s| values[*s]),
                    Quantifier::Some => successors.iter().any(|s| values[*s]),
                }
            };
            let fixpoint = |start: bool, step: &dyn Fn(&[bool], usize) -> bool| {
                let mut current = vec![start; states];
                for _ in 0..=states {
                    current = (0..states).map(|s| step(&current, s)).collect();
                }
                current
            };
            let row: Vec<bool> = match node {
                Node::State(number) => {
                    let condition = &formula.conditions()[*number as usize];
                    (0..states).map(|s| self.condition(&condition.holds, s)).collect()
                }
                Node::All(parts) => (0..states).map(|s| parts.iter().all(|p| values[p.index()][s])).collect(),
                Node::Any(parts) => (0..states).map(|s| parts.iter().any(|p| values[p.index()][s])).collect(),
                Node::Next(q, f) => (0..states).map(|s| next(q, &values[f.index()], s)).collect(),
                Node::Until(q, f, g) => {
                    let (f, g) = (&values[f.index()], &values[g.index()]);
                    fixpoint(false, &|x, s| g[s] || (f[s] && next(q, x, s)))
                }
                Node::Release(q, f, g) => {
                    let (f, g) = (&values[f.index()], &values[g.index()]);
                    fixpoint(true, &|x, s| g[s] && (f[s] || next(q, x, s)))
                }
            };
            values.push(row);
        }
        values
    }
}

fn has_negation(formula: &Ctl) -> bool {
    matches!(formula, Ctl::Not(_)) || formula.parts().into_iter().any(has_negation)
}

#[test]
fn normal_forms_and_unfolding_keep_the_meaning() {
    for seed in 0..3000 {
        let random = &mut Random::new(seed);
        let world = World::random(random);
        let depth = 1 + random.below(3);
        let formula = random_formula(random, depth);
        let (normal, negated) = (formula.negation_normal(), formula.negation_normal_of_negation());
        assert!(!has_negation(&normal) && !has_negation(&negated));
        let unfolded = Unfolded::new(&formula).unwrap();
        let values = world.unfolded(&unfolded);
        for (state, found) in values[unfolded.root().index()].iter().enumerate() {
            let expected = world.holds(&formula, state);
            assert_eq!(world.holds(&normal, state), expected, "seed {seed}: {formula:?} in {state}");
            assert_eq!(world.holds(&negated, state), !expected, "seed {seed}: not {formula:?} in {state}");
            assert_eq!(*found, expected, "seed {seed}: unfolded {formula:?} in {state}");
        }
    }
}

#[test]
fn bounds_of_zero_and_one_are_as_in_the_table() {
    let system = Finite { successors: vec![vec![1], vec![]] };
    let at_one = |leaf: &Ctl, state: usize| *leaf == atom(0) && state == 1;
    let f = || Box::new(atom(0));
    for q in [Quantifier::All, Quantifier::Some] {
        let holds = |formula: Ctl, state: usize| system.holds(&formula, state, &at_one);
        for state in 0..2 {
            assert!(!holds(Ctl::Finally(q, Some(0), f()), state));
            assert!(holds(Ctl::Globally(q, Some(0), f()), state));
            assert_eq!(holds(Ctl::Next(q, 0, f()), state), state == 1);
            assert_eq!(holds(Ctl::Until(q, Some(0), Box::new(Ctl::constant(true)), f()), state), state == 1);
        }
        assert!(holds(Ctl::Finally(q, Some(1), f()), 0) && holds(Ctl::Globally(q, Some(1), f()), 0));
        // State 1 has no successors: it stutters.
        assert!(holds(Ctl::Next(q, 7, f()), 1));
    }
}

#[test]
fn what_is_too_long_is_refused() {
    assert!(Unfolded::new(&Ctl::Next(Quantifier::All, 1000, Box::new(atom(0)))).is_ok());
    assert!(Unfolded::new(&Ctl::Next(Quantifier::All, u64::MAX, Box::new(atom(0)))).is_err());
    assert!(Unfolded::new(&Ctl::Until(Quantifier::Some, Some(1 << 40), Box::new(atom(0)), Box::new(atom(1)))).is_err());
}
