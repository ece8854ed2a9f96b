//! What tests of the procedure share: formulas at random, and the definition by way of the reference interpreter.

#![allow(dead_code, reason = "every test binary uses a part")]
#![expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the numbers of a test are small")]

pub(crate) mod systems;

use std::collections::HashMap;

use surefoot_ctl::check::Reference;
use surefoot_ctl::{Constraints, Ctl, Quantifier, System};
use surefoot_fixtures::Random;
use surefoot_linear::{Atom, Linear, Relation, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_temporal::finite::Finite;

/// Systems with more paths are left out.
const MOST_PATHS: f64 = 30_000.0;

/// A random formula over given conditions. `unbounded` operators are possible where asked.
pub(crate) fn random_formula(random: &mut Random, depth: usize, steps: u64, unbounded: bool, leaves: &[Ctl]) -> Ctl {
    if depth == 0 || random.percent(10) {
        return random.pick(leaves).clone();
    }
    let q = if random.percent(50) { Quantifier::All } else { Quantifier::Some };
    let kind = random.below(9);
    let temporal = kind >= 3;
    let own = if temporal { random.below(steps as usize + 1) as u64 } else { 0 };
    let bound = if unbounded && random.percent(40) { None } else { Some(own) };
    let left = if temporal { steps - own } else { steps };
    let mut sub = || Box::new(random_formula(random, depth - 1, left, unbounded, leaves));
    match kind {
        0 => Ctl::Not(sub()),
        1 => Ctl::And(vec![*sub(), *sub()]),
        2 => Ctl::Or(vec![*sub(), *sub()]),
        3 | 4 => Ctl::Next(q, own, sub()),
        5 => Ctl::Finally(q, bound, sub()),
        6 => Ctl::Globally(q, bound, sub()),
        7 => Ctl::Until(q, bound, sub(), sub()),
        _ => Ctl::Release(q, bound, sub(), sub()),
    }
}

/// A random constraint over some slots, with small numbers: borders are met exactly now and then.
pub(crate) fn random_atom(random: &mut Random, slots: &[u32]) -> Ctl {
    let count = 1 + random.below(2);
    let terms = (0..count).map(|_| (Symbol(*random.pick(slots)), Rational::from(random.between(-2, 2)))).collect();
    let constant = Rational::new(random.between(-6, 6), *random.pick(&[1, 1, 2])).expect("not zero");
    let relation = *random.pick(&[Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero]);
    Ctl::atom(Atom { form: Linear::new(terms, constant), relation })
}

/// The truth of a formula in a state by the definition: all paths, by the reference interpreter.
///
/// `Ok(None)` where there are too many paths; an error of the model anywhere within the horizon is one.
pub(crate) fn by_definition(system: &System<'_>, formula: &Ctl, state: &State) -> Result<Option<bool>, String> {
    let horizon = formula.horizon().expect("bounded");
    let reference = Reference::new(system);
    let mut states = vec![state.clone()];
    let mut numbers: HashMap<State, usize> = HashMap::from([(state.clone(), 0)]);
    let mut finite = Finite::default();
    let mut level = 0..1;
    let mut paths = 1.0f64;
    for step in 0..=horizon {
        let mut widest = 1;
        for number in level.clone() {
            // States at the horizon are looked at, not left.
            let successors = if step < horizon { reference.successors(&states[number].clone())? } else { Vec::new() };
            widest = widest.max(successors.len());
            let targets = successors.into_iter().map(|target| {
                *numbers.entry(target.clone()).or_insert_with(|| {
                    states.push(target);
                    states.len() - 1
                })
            });
            finite.successors.push(targets.collect());
        }
        paths *= widest as f64;
        if paths > MOST_PATHS {
            return Ok(None);
        }
        level = level.end..states.len();
    }
    let leaf = |leaf: &Ctl, state: usize| match leaf {
        Ctl::State(condition) => condition.holds.eval(&|s| states[state].0[s.index()].clone()),
        _ => unreachable!("leaves are conditions"),
    };
    Ok(Some(finite.holds(formula, 0, &leaf)))
}
