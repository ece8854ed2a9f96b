//! What a certificate claims.

use surefoot_certificate::BoundedIndex;
use surefoot_certificate::bounded::{self, At, Bound};
use surefoot_certificate::index::Verdict;
use surefoot_jani::syntax::BinaryOp;
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_problem::{Aggregate, Quantity};

use super::{Rule, rejected, unreadable};
use crate::refused::Refused;

/// The start states that a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Starts {
    /// All of them.
    All,
    /// This one.
    One(State),
}

/// A bound on the probability that a property asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whether it is at most the value; else at least.
    pub at_most: bool,
    /// The value.
    pub value: Rational,
    /// From which start states.
    pub starts: Starts,
}

impl Claim {
    /// Whether it says that the *until* behind the property is at most something.
    pub(super) fn is_upper(&self, quantity: &Quantity) -> bool {
        self.at_most != quantity.complement
    }

    /// The bound on the until.
    pub(super) fn until_bound(&self, quantity: &Quantity) -> Rational {
        if quantity.complement { &Rational::ONE - &self.value } else { self.value.clone() }
    }

    /// The probabilities that it leaves.
    fn interval(&self) -> (Rational, Rational) {
        if self.at_most { (Rational::ZERO, self.value.clone()) } else { (self.value.clone(), Rational::ONE) }
    }
}

/// Reads the claims of an index; there is at least one.
pub(super) fn read(index: &BoundedIndex) -> Result<Vec<Claim>, Refused> {
    if index.bounds.is_empty() || index.bounds.len() > 2 {
        return Err(unreadable("a certificate has one or two bounds"));
    }
    let claim = |bound: &Bound| {
        let starts = match &bound.starts {
            bounded::Starts::All(_) => Starts::All,
            bounded::Starts::One(values) => Starts::One(State::from_ints(values)),
        };
        Ok(Claim { at_most: bound.at == At::Most, value: number(&bound.value)?, starts })
    };
    index.bounds.iter().map(claim).collect()
}

fn number(text: &str) -> Result<Rational, Refused> {
    text.parse().map_err(|error| unreadable(format!("a bound is no number: {error}")))
}

/// The verdict that an index tells, which must follow from the claims.
pub(super) fn verdict(quantity: &Quantity, index: &BoundedIndex, claims: &[Claim]) -> Result<Option<Verdict>, Refused> {
    let Some(told) = index.verdict else { return Ok(None) };
    let threshold = index.threshold.as_ref().ok_or_else(|| unreadable("a verdict has no 'threshold'"))?;
    let op = OPERATORS.into_iter().find(|op| op.symbol() == threshold.op);
    let op = op.ok_or_else(|| unreadable("the operator of 'threshold' is no comparison"))?;
    let bound = number(&threshold.bound)?;
    if let Some(own) = &quantity.threshold
        && (own.op, &own.bound) != (op, &bound)
    {
        return Err(rejected(Rule::Verdict, "the certificate is about another comparison than the property"));
    }
    let implied = implied(quantity.aggregate, op, &bound, claims)
        .map(|holds| if holds { Verdict::Holds } else { Verdict::Violated });
    if implied == Some(told) {
        return Ok(implied);
    }
    Err(rejected(Rule::Verdict, format!("\"{}\" does not follow from the bounds", told.word())))
}

const OPERATORS: [BinaryOp; 6] = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];

/// Whether a comparison holds, where claims tell: of all start states or of some, as the property asks. (The largest value is at most a number if all are, the
/// smallest if some is.)
///
/// There is a start state: claims about all of them are checked together with that.
#[must_use]
pub fn implied(aggregate: Aggregate, op: BinaryOp, bound: &Rational, claims: &[Claim]) -> Option<bool> {
    let everywhere = claims.iter().filter(|claim| claim.starts == Starts::All).map(Claim::interval);
    let (low, high) = everywhere
        .fold((Rational::ZERO, Rational::ONE), |(low, high), (lower, upper)| (low.max(lower), high.min(upper)));
    // What holds of all start states decides every question about them.
    if claims.iter().any(|claim| claim.starts == Starts::All)
        && let Some(holds) = compared(op, bound, &low, &high)
    {
        return Some(holds);
    }
    // One start state refutes what is asked of all, and shows what is asked of some; of a single one it would have to be known that there is no other. The
    // largest value is at least its own, and the smallest at most, which decides comparisons in one direction each.
    let from_above = matches!(op, BinaryOp::Le | BinaryOp::Lt);
    let from_below = matches!(op, BinaryOp::Ge | BinaryOp::Gt);
    let decisive = match aggregate {
        Aggregate::All => false,
        Aggregate::Some => true,
        Aggregate::Max if from_above => false,
        Aggregate::Max if from_below => true,
        Aggregate::Min if from_above => true,
        Aggregate::Min if from_below => false,
        Aggregate::Max | Aggregate::Min | Aggregate::Single => return None,
    };
    let mut somewhere = claims.iter().filter(|claim| claim.starts != Starts::All).map(Claim::interval);
    somewhere.any(|(low, high)| compared(op, bound, &low, &high) == Some(decisive)).then_some(decisive)
}

/// How all numbers of an interval compare with a bound; `None` where some do and others do not.
fn compared(op: BinaryOp, bound: &Rational, low: &Rational, high: &Rational) -> Option<bool> {
    let decide = |all: bool, none: bool| if all { Some(true) } else { none.then_some(false) };
    let (equal, apart) = (low == bound && high == bound, high < bound || low > bound);
    match op {
        BinaryOp::Lt => decide(high < bound, low >= bound),
        BinaryOp::Le => decide(high <= bound, low > bound),
        BinaryOp::Gt => decide(low > bound, high <= bound),
        BinaryOp::Ge => decide(low >= bound, high < bound),
        BinaryOp::Eq => decide(equal, apart),
        BinaryOp::Ne => decide(apart, equal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_from_bounds_or_do_not() {
        use Aggregate::{All, Max, Min, Single, Some as Any};
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let claim =
            |at_most: bool, value: &str, starts: Starts| Claim { at_most, value: value.parse().unwrap(), starts };
        let one = || Starts::One(State::from_ints(&[0]));
        let all_most = |value: &str| claim(true, value, Starts::All);
        let all_least = |value: &str| claim(false, value, Starts::All);
        let one_most = |value: &str| claim(true, value, one());
        let one_least = |value: &str| claim(false, value, one());
        for (aggregate, op, claims, expected) in [
            (All, Le, vec![all_most("1/2")], Some(true)),
            (All, Lt, vec![all_most("1/2")], None),
            (All, Lt, vec![all_most("0.49")], Some(true)),
            (All, Le, vec![one_most("1/4")], None),
            (All, Le, vec![one_least("1/2")], None),
            (All, Le, vec![one_least("0.51")], Some(false)),
            (All, Le, vec![all_least("0.51")], Some(false)),
            (Any, Le, vec![one_least("0.51")], None),
            (Any, Le, vec![one_most("1/2")], Some(true)),
            (Single, Le, vec![one_most("1/2")], None),
            (Single, Le, vec![all_most("1/2")], Some(true)),
            (All, Ge, vec![all_least("1/2")], Some(true)),
            (All, Gt, vec![all_least("1/2")], None),
            (All, Eq, vec![all_least("1/2"), all_most("1/2")], Some(true)),
            (All, Eq, vec![all_most("0.49")], Some(false)),
            (All, Ne, vec![one_most("0.49")], None),
            (All, Ne, vec![all_most("0.49")], Some(true)),
            // The largest value is at least that of one start state, the smallest at most.
            (Max, Le, vec![one_least("0.51")], Some(false)),
            (Max, Ge, vec![one_least("1/2")], Some(true)),
            (Max, Ge, vec![one_most("0")], None),
            (Max, Le, vec![one_most("0")], None),
            (Max, Eq, vec![one_most("0")], None),
            (Max, Ne, vec![one_most("0")], None),
            (Min, Le, vec![one_most("1/2")], Some(true)),
            (Min, Ge, vec![one_most("0.49")], Some(false)),
            (Min, Ge, vec![one_least("1")], None),
            (Min, Gt, vec![all_least("0.51")], Some(true)),
            // A bound on one start state says nothing of the others.
            (Any, Le, vec![all_least("0.4"), one_least("0.6")], None),
        ] {
            let half = "1/2".parse().unwrap();
            assert_eq!(implied(aggregate, op, &half, &claims), expected, "{aggregate:?} {op:?} {claims:?}");
        }
    }
}
