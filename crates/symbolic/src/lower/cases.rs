//! Numbers by cases: what a numeric term becomes.
//!
//! A list of cases stands for a term: in a state in which the term has a value, the condition of exactly one case holds,
//! and its form has that value. In other states at most one condition holds, and the form means nothing.

use super::path::Path;
use super::refusal::{MAX_CASES, Obstacle};
use surefoot_linear::{Formula, Linear, Relation, Space};

/// A value under a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Where the value is the term's.
    pub condition: Formula,
    /// The value.
    pub value: Linear,
}

/// Pairs are looked at one by one before equal values are joined.
const MAX_PAIRS: usize = 1 << 16;

/// One case that always holds.
pub(super) fn certain(value: Linear) -> Vec<Case> {
    vec![Case { condition: Formula::truth(), value }]
}

/// A truth value as a number: one for true, zero for false.
pub(super) fn of_truth(space: &Space, truth: &Formula) -> Vec<Case> {
    if truth.is_truth() || truth.is_falsity() {
        return certain(Linear::constant_form(truth.is_truth().into()));
    }
    // A Boolean variable or its negation is a form as it stands.
    if let Formula::Atom(atom) = truth
        && let [(symbol, a)] = atom.form.terms()
    {
        let form = Linear::symbol(*symbol);
        let range = space.range(&form);
        let flag = space.symbol(*symbol).integer && range.ends().is_some_and(|(l, u)| l.is_zero() && *u == 1.into());
        if flag && atom.relation == Relation::AtLeastZero {
            return certain(if a.signum() > 0 { form } else { &Linear::constant_form(1.into()) - &form });
        }
    }
    let case = |condition: Formula, value: bool| Case { condition, value: Linear::constant_form(value.into()) };
    vec![case(truth.clone(), true), case(space.negated(truth), false)]
}

/// Every case of `a` with every case of `b` that it does not contradict, each with its path.
pub(super) fn pairs<'s, 'c>(
    start: &Path<'s>,
    a: &'c [Case],
    b: &'c [Case],
) -> Result<Vec<(Path<'s>, &'c Linear, &'c Linear)>, Obstacle> {
    if a.len().saturating_mul(b.len()) > MAX_PAIRS {
        return Err(Obstacle::Cases);
    }
    let mut found = Vec::new();
    for first in a {
        let Some(path) = start.and(&first.condition) else { continue };
        for second in b {
            if let Some(path) = path.and(&second.condition) {
                found.push((path, &first.value, &second.value));
            }
        }
    }
    Ok(found)
}

/// Joins cases with equal values.
pub(super) fn join(cases: Vec<Case>) -> Result<Vec<Case>, Obstacle> {
    let mut values: Vec<Linear> = Vec::new();
    let mut conditions: Vec<Vec<Formula>> = Vec::new();
    let mut position = rustc_hash::FxHashMap::default();
    for case in cases {
        let at = *position.entry(case.value.clone()).or_insert_with(|| {
            values.push(case.value);
            conditions.push(Vec::new());
            values.len() - 1
        });
        conditions[at].push(case.condition);
    }
    if values.len() > MAX_CASES {
        return Err(Obstacle::Cases);
    }
    if values.len() == 1 {
        // Wherever the term has a value it is this one.
        return Ok(certain(values.remove(0)));
    }
    let join = |(value, conditions)| Case { condition: Formula::any(conditions), value };
    Ok(values.into_iter().zip(conditions).map(join).collect())
}

#[cfg(test)]
mod tests {
    use surefoot_model::Domain;
    use surefoot_num::Rational;

    use super::*;
    use surefoot_linear::Symbol;
    use surefoot_linear::SymbolRange;

    #[test]
    fn booleans_are_forms_and_other_truths_are_cases() {
        let mut space = Space::default();
        space.push(SymbolRange::from(&Domain::Bool));
        space.push(SymbolRange::from(&Domain::Int { lower: 0, upper: 5 }));
        let flag = space.atom(&Linear::symbol(Symbol(0)), Relation::NonZero);
        assert_eq!(of_truth(&space, &flag), certain(Linear::symbol(Symbol(0))));
        let negated = &Linear::constant_form(Rational::ONE) - &Linear::symbol(Symbol(0));
        assert_eq!(of_truth(&space, &space.negated(&flag)), certain(negated));
        let comparison = space.atom(&Linear::symbol(Symbol(1)), Relation::Positive);
        assert_eq!(of_truth(&space, &comparison).len(), 2);
        assert_eq!(of_truth(&space, &Formula::falsity()), certain(Linear::default()));
    }

    #[test]
    fn contradicting_pairs_vanish_and_equal_values_are_joined() {
        let mut space = Space::default();
        space.push(SymbolRange::from(&Domain::Int { lower: 0, upper: 5 }));
        let x = Linear::symbol(Symbol(0));
        let number = |n: i64| Linear::constant_form(Rational::from(n));
        let split = |at: i64| {
            let (low, high) = (space.below(&x, &number(at)), space.at_most(&number(at), &x));
            vec![Case { condition: low, value: number(0) }, Case { condition: high, value: number(at) }]
        };
        let (a, b) = (split(2), split(4));
        let found = pairs(&Path::new(&space), &a, &b).unwrap();
        // x < 2, 2 <= x < 4 and 4 <= x; nothing is both below 2 and at least 4.
        assert_eq!(found.len(), 3);
        let cases = found.into_iter().map(|(path, _, y)| Case { condition: path.condition, value: y.clone() });
        let joined = join(cases.collect()).unwrap();
        assert_eq!(joined.len(), 2);
        assert_eq!(join(vec![joined[0].clone()]).unwrap(), certain(number(0)));
    }
}
