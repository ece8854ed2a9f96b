//! From bounds of start states to an answer: an interval, or a verdict on a comparison.
//!
//! Comparisons are of exact numbers: a float bound is the dyadic fraction it is. A comparison is decided only if every value
//! between the bounds compares the same way.

use surefoot_jani::syntax::BinaryOp;
use surefoot_mdp::{Direction, Scheduler};
use surefoot_num::{FloatInterval, Rational};
use surefoot_verdict::{Reason, Verdict};

use crate::bounds::weighted_mean;
use crate::quantity::{Aggregate, Quantity, Threshold};

/// One end of an interval.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// A float that is a bound.
    Float(f64),
    /// The exact value.
    Exact(Rational),
}

impl Number {
    /// As a fraction.
    ///
    /// # Panics
    /// When a bound is not a finite number, which no solver gives.
    #[must_use]
    pub fn exact(&self) -> Rational {
        match self {
            Self::Float(value) => Rational::from_f64(*value).expect("a bound of a value is a finite number"),
            Self::Exact(value) => value.clone(),
        }
    }

    /// As a float, for people.
    #[must_use]
    pub fn approximate(&self) -> f64 {
        match self {
            Self::Float(value) => *value,
            Self::Exact(value) => value.to_f64(),
        }
    }
}

/// What a comparison came to: every value between the bounds compares so. Where nothing was to be compared and the precision was
/// reached there is no verdict.
pub type Decision = Option<Verdict<()>>;

/// What the values of all start states come to, each as an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct OverStarts {
    /// The smallest.
    pub smallest: (Number, Number),
    /// The largest.
    pub largest: (Number, Number),
    /// The mean, weighted where weights were given.
    pub mean: (Number, Number),
}

/// Values of the start states, from below and from above, and a scheduler.
#[derive(Debug)]
pub(crate) struct Values {
    pub(crate) lower: Vec<Number>,
    pub(crate) upper: Vec<Number>,
    pub(crate) scheduler: Option<Scheduler>,
    /// Whether there may be more start states, about which nothing is known.
    pub(crate) starts_missing: bool,
    /// Why they are not as precise as was asked for.
    pub(crate) shortfall: Option<Reason>,
}

impl Values {
    /// Takes over what earlier bounds of the same start states have closer.
    pub(crate) fn improve(&mut self, earlier: Option<Self>) {
        let Some(earlier) = earlier else { return };
        for (mine, theirs) in self.lower.iter_mut().zip(earlier.lower) {
            if theirs.exact() > mine.exact() {
                *mine = theirs;
            }
        }
        for (mine, theirs) in self.upper.iter_mut().zip(earlier.upper) {
            if theirs.exact() < mine.exact() {
                *mine = theirs;
            }
        }
    }

    /// The start state whose value is the answer, and its interval.
    pub(crate) fn answer(&self, quantity: &Quantity) -> (u32, Number, Number) {
        let exact = |numbers: &[Number]| -> Vec<Rational> { numbers.iter().map(Number::exact).collect() };
        let (lower, upper) = (exact(&self.lower), exact(&self.upper));
        let starts = 0..lower.len();
        // The largest value lies between the largest lower and the largest upper bound; dually for the smallest.
        let smallest = quantity.aggregate != Aggregate::Single && quantity_takes_smallest(quantity);
        let pick = |bounds: &[Rational]| {
            let best = |a: &usize, b: &usize| {
                let order = bounds[*a].cmp(&bounds[*b]);
                // Ties go to the first start state.
                if smallest { order.reverse().then(b.cmp(a)) } else { order.then(b.cmp(a)) }
            };
            starts.clone().max_by(best).unwrap_or(0)
        };
        let (low, high) = (pick(&lower), pick(&upper));
        let witness = if smallest { high } else { low };
        let (mut low, mut high) = (self.lower[low].clone(), self.upper[high].clone());
        // Soundness: a start state that was not found may have any value.
        if self.starts_missing && (smallest || quantity.aggregate == Aggregate::Single) {
            low = Number::Float(0.0);
        }
        if self.starts_missing && !smallest {
            high = Number::Float(1.0);
        }
        (u32::try_from(witness).expect("states have numbers of 32 bits"), low, high)
    }

    /// The smallest, the largest and the mean value over the start states, each of which counts once unless there are weights; `None` where not all
    /// of them were found.
    pub(crate) fn over_starts(&self, weights: Option<&[Rational]>) -> Option<OverStarts> {
        if self.starts_missing || self.lower.is_empty() {
            return None;
        }
        let exact = |numbers: &[Number]| -> Vec<Rational> { numbers.iter().map(Number::exact).collect() };
        let (lower, upper) = (exact(&self.lower), exact(&self.upper));
        let fractions = self.lower.iter().chain(&self.upper).all(|number| matches!(number, Number::Exact(_)));
        let outward = |low: &Rational, high: &Rational| match fractions {
            true => (Number::Exact(low.clone()), Number::Exact(high.clone())),
            // Soundness: floats around what was summed up exactly.
            false => {
                let (low, high) = (FloatInterval::tightest(low), FloatInterval::tightest(high));
                (Number::Float(low.lower), Number::Float(high.upper))
            }
        };
        let least = |values: &[Rational]| values.iter().min().cloned().unwrap_or_default();
        let most = |values: &[Rational]| values.iter().max().cloned().unwrap_or_default();
        Some(OverStarts {
            smallest: outward(&least(&lower), &least(&upper)),
            largest: outward(&most(&lower), &most(&upper)),
            mean: outward(&weighted_mean(&lower, weights), &weighted_mean(&upper, weights)),
        })
    }

    /// The start states whose values may still matter: of the largest or the smallest value, those that may have it.
    pub(crate) fn contenders(&self, quantity: &Quantity) -> Vec<u32> {
        let exact = |numbers: &[Number]| -> Vec<Rational> { numbers.iter().map(Number::exact).collect() };
        let (lower, upper) = (exact(&self.lower), exact(&self.upper));
        let (largest, smallest) = (lower.iter().max(), upper.iter().min());
        let may_be = |start: &usize| match quantity.aggregate {
            Aggregate::Max => largest.is_none_or(|best| upper[*start] >= *best),
            Aggregate::Min => smallest.is_none_or(|best| lower[*start] <= *best),
            _ => true,
        };
        let states = (0..lower.len()).filter(may_be);
        states.map(|start| u32::try_from(start).expect("states have numbers of 32 bits")).collect()
    }

    /// What the values say, to the given precision.
    pub(crate) fn decide(&self, quantity: &Quantity, precision: f64) -> Decision {
        let Some(threshold) = &quantity.threshold else {
            let (_, lower, upper) = self.answer(quantity);
            let width = &upper.exact() - &lower.exact();
            let wanted = Rational::from_f64(precision).expect("a precision is a finite number");
            let short = || Verdict::Unknown(self.shortfall.clone().unwrap_or(Reason::Precision));
            return (width > wanted).then(short);
        };
        let found = self.lower.iter().zip(&self.upper).map(|(l, u)| compare(threshold, &l.exact(), &u.exact()));
        // A start state that was not found may have any value; and whether there is a single one is not known then.
        let missing = self.starts_missing.then(|| compare(threshold, &Rational::ZERO, &Rational::ONE));
        let unclear = self.starts_missing && quantity.aggregate == Aggregate::Single;
        let all = quantity.aggregate != Aggregate::Some;
        let mut open = false;
        for compared in found.filter(|_| !unclear).chain(missing) {
            match compared {
                Some(holds) if holds != all => return Some(verdict(holds)),
                Some(_) => {}
                None => open = true,
            }
        }
        if open {
            return Some(Verdict::Unknown(self.shortfall.clone().unwrap_or(Reason::Comparison)));
        }
        Some(verdict(all))
    }
}

/// The verdict on a comparison.
pub(crate) fn verdict(holds: bool) -> Verdict<()> {
    if holds { Verdict::Holds(()) } else { Verdict::Violated(()) }
}

/// Whether the answer is about the start state with the smallest value; of a single one, whether it is the smallest over schedulers (`alone`).
pub(crate) fn takes_smallest(aggregate: Aggregate, alone: bool, threshold: Option<&Threshold>) -> bool {
    match aggregate {
        Aggregate::Max => false,
        Aggregate::Min => true,
        Aggregate::Single => alone,
        Aggregate::All | Aggregate::Some => {
            let at_least = threshold.is_some_and(|t| matches!(t.op, BinaryOp::Ge | BinaryOp::Gt));
            // "All at least p" fails first where the value is smallest; "some at least p" holds first where it is largest.
            at_least == (aggregate == Aggregate::All)
        }
    }
}

/// The same of a probability.
pub(crate) fn quantity_takes_smallest(quantity: &Quantity) -> bool {
    let alone = (quantity.direction == Direction::Min) != quantity.complement;
    takes_smallest(quantity.aggregate, alone, quantity.threshold.as_ref())
}

/// Whether a value between two bounds compares as asked; `None` when it depends.
pub(crate) fn compare(threshold: &Threshold, lower: &Rational, upper: &Rational) -> Option<bool> {
    let bound = &threshold.bound;
    let (yes, no) = match threshold.op {
        BinaryOp::Le => (upper <= bound, lower > bound),
        BinaryOp::Lt => (upper < bound, lower >= bound),
        BinaryOp::Ge => (lower >= bound, upper < bound),
        BinaryOp::Gt => (lower > bound, upper <= bound),
        BinaryOp::Eq => (lower == bound && upper == bound, upper < bound || lower > bound),
        BinaryOp::Ne => (upper < bound || lower > bound, lower == bound && upper == bound),
        _ => (false, false),
    };
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a bound of a value is a finite number")]
    fn what_is_not_a_number_is_no_bound() {
        let _ = Number::Float(f64::NAN).exact();
    }
}
