//! Boxes of machine integers, and what conditions and updates are on them.
//!
//! Cells are boxes, and a refinement looks at millions of pairs of a box and a condition; so conditions are compiled to forms with machine integers.
//!
//! Soundness: what does not fit (huge coefficients) is [`Test::Open`], of which nothing is ever concluded. Sums are of 128 bits: coefficients are
//! below 2^40, values at most 2^53 (others are refused before), and no form has 2^30 terms. Where the coefficients add up to at most 2^8, 64 bits are enough.

use surefoot_linear::{Formula, Linear, Relation};

/// The values from the first to the second.
pub(crate) type Range = (i64, i64);

/// The largest coefficient.
const MOST: u64 = 1 << 40;
/// The largest sum of coefficients with which 64 bits are enough.
const SMALL: u64 = 1 << 8;

/// A linear form over slots and choices: one with integer coefficients, divided by a positive integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) terms: Box<[(u32, i64)]>,
    pub(crate) constant: i64,
    divisor: i64,
    /// Whether sums fit into 64 bits.
    small: bool,
}

impl Form {
    /// A form, if its numerators and the common denominator are small integers.
    pub(crate) fn of(form: &Linear) -> Option<Self> {
        let (form, divisor) = form.over_integers();
        let divisor = i64::try_from(&divisor).ok().filter(|d| d.unsigned_abs() < MOST)?;
        let small = |value: &surefoot_num::Rational| value.to_i64().filter(|v| v.unsigned_abs() < MOST);
        let term = |(symbol, a): &(surefoot_linear::Symbol, surefoot_num::Rational)| Some((symbol.0, small(a)?));
        let terms: Box<[(u32, i64)]> = form.terms().iter().map(term).collect::<Option<_>>()?;
        let sum = terms.iter().fold(0u64, |sum, (_, a)| sum.saturating_add(a.unsigned_abs()));
        Some(Self { terms, constant: small(form.constant())?, divisor, small: sum <= SMALL })
    }

    fn extreme(&self, ranges: &[Range], largest: bool) -> i128 {
        self.terms.iter().fold(i128::from(self.constant), |sum, &(symbol, a)| {
            sum + i128::from(a) * i128::from(end(ranges[symbol as usize], (a > 0) == largest))
        })
    }

    /// Its smallest and its largest numerator on a box.
    fn extremes(&self, ranges: &[Range]) -> (i128, i128) {
        if !self.small {
            return (self.extreme(ranges, false), self.extreme(ranges, true));
        }
        let (mut least, mut most) = (self.constant, self.constant);
        for &(symbol, a) in &self.terms {
            let (lower, upper) = ranges[symbol as usize];
            let (one, other) = (a * lower, a * upper);
            (least, most) = (least + one.min(other), most + one.max(other));
        }
        (i128::from(least), i128::from(most))
    }

    /// The integers among its values on a box, within 64 bits; empty where there are none.
    pub(crate) fn range(&self, ranges: &[Range]) -> Range {
        let clamp = |value: i128| i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX });
        let ((least, most), divisor) = (self.extremes(ranges), i128::from(self.divisor));
        (clamp(-(-least).div_euclid(divisor)), clamp(most.div_euclid(divisor)))
    }

    /// The variable and what is added to it, where the form is that.
    pub(crate) fn shifted(&self) -> Option<(u32, i64)> {
        if let ([(symbol, 1)], 1) = (&self.terms[..], self.divisor) { Some((*symbol, self.constant)) } else { None }
    }
}

fn end((lower, upper): Range, largest: bool) -> i64 {
    if largest { upper } else { lower }
}

/// A condition on boxes.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// A form compared with zero.
    Atom(Form, Relation),
    /// All of them.
    All(Box<[Test]>),
    /// Some of them.
    Any(Box<[Test]>),
    /// Nothing is known of it.
    Open,
}

impl Test {
    /// A formula, as far as it is one over small integers.
    pub(crate) fn of(formula: &Formula) -> Self {
        match formula {
            // The divisor is positive: it does not matter.
            Formula::Atom(atom) => Form::of(&atom.form).map_or(Self::Open, |form| Self::Atom(form, atom.relation)),
            Formula::All(parts) => Self::All(parts.iter().map(Self::of).collect()),
            Formula::Any(parts) => Self::Any(parts.iter().map(Self::of).collect()),
        }
    }

    /// Whether it holds everywhere in a box, or nowhere; `None` where it depends, or is not known.
    pub(crate) fn truth(&self, ranges: &[Range]) -> Option<bool> {
        match self {
            Self::Atom(form, relation) => {
                let (least, most) = form.extremes(ranges);
                let (all, some) = match relation {
                    Relation::AtLeastZero => (least >= 0, most >= 0),
                    Relation::Positive => (least > 0, most > 0),
                    Relation::Zero => (least == 0 && most == 0, least <= 0 && most >= 0),
                    Relation::NonZero => (least > 0 || most < 0, least != 0 || most != 0),
                };
                if all {
                    Some(true)
                } else if some {
                    None
                } else {
                    Some(false)
                }
            }
            Self::All(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match part.truth(ranges) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => all = None,
                    }
                }
                all
            }
            Self::Any(parts) => {
                let mut any = Some(false);
                for part in parts {
                    match part.truth(ranges) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                any
            }
            Self::Open => None,
        }
    }

    /// Narrows a box to what holds in it, as far as bounds tell; false when nothing is left.
    pub(crate) fn narrow(&self, ranges: &mut [Range]) -> bool {
        match self {
            Self::Atom(form, relation) => match relation {
                Relation::AtLeastZero => raise(form, 1, 0, ranges),
                Relation::Positive => raise(form, 1, -1, ranges),
                Relation::Zero => raise(form, 1, 0, ranges) && raise(form, -1, 0, ranges),
                Relation::NonZero => self.truth(ranges) != Some(false),
            },
            Self::All(parts) => parts.iter().all(|part| part.narrow(ranges)),
            Self::Any(parts) => {
                let mut possible = parts.iter().filter(|part| part.truth(ranges) != Some(false));
                match (possible.next(), possible.next()) {
                    (None, _) => false,
                    (Some(only), None) => only.narrow(ranges),
                    _ => true,
                }
            }
            Self::Open => true,
        }
    }

    /// The bounds of single variables that decide it: each a slot, and a value such that it matters whether the slot is at most that.
    pub(crate) fn bounds(&self, found: &mut Vec<(u32, i64)>) {
        match self {
            Self::Atom(form, relation) => {
                let [(symbol, a)] = form.terms[..] else { return };
                // a x + c >= 0 is x >= -c / a for positive a: it matters whether x is at most one less, rounded up.
                let quotient = (-form.constant * a.signum()).div_euclid(a.abs());
                let exact = quotient * a == -form.constant;
                match (relation, a > 0) {
                    (Relation::AtLeastZero, true) => found.push((symbol, if exact { quotient - 1 } else { quotient })),
                    (Relation::Positive, true) => found.push((symbol, quotient)),
                    (Relation::AtLeastZero, false) => found.push((symbol, quotient)),
                    (Relation::Positive, false) => {
                        found.push((symbol, if exact { quotient - 1 } else { quotient }));
                    }
                    (Relation::Zero | Relation::NonZero, _) => {
                        found.extend([(symbol, quotient - 1), (symbol, quotient)]);
                    }
                }
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.bounds(found)),
            Self::Open => {}
        }
    }
}

/// Narrows a box to where `sign * form + slack >= 0`, a bound per variable; false when nothing is left.
fn raise(form: &Form, sign: i64, slack: i128, ranges: &mut [Range]) -> bool {
    let most = if sign > 0 { form.extreme(ranges, true) } else { -form.extreme(ranges, false) } + slack;
    if most < 0 {
        return false;
    }
    for &(symbol, a) in &form.terms {
        let a = i128::from(a * sign);
        let (lower, upper) = ranges[symbol as usize];
        // With all others at their best, a (best - x) may be at most what is left.
        if a > 0 {
            let least = i128::from(upper) - most.div_euclid(a);
            if least > i128::from(lower) {
                ranges[symbol as usize].0 = i64::try_from(least).expect("it lies in the range");
            }
        } else {
            let greatest = i128::from(lower) + most.div_euclid(-a);
            if greatest < i128::from(upper) {
                ranges[symbol as usize].1 = i64::try_from(greatest).expect("it lies in the range");
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use surefoot_linear::{Atom, Symbol};
    use surefoot_num::{Random, Rational};

    use super::*;

    fn formula(random: &mut Random, depth: usize) -> Formula {
        let parts = |random: &mut Random| (0..2).map(|_| formula(random, depth - 1)).collect::<Vec<_>>();
        match if depth == 0 { 0 } else { random.below(3) } {
            0 => {
                let mut coefficient = || Rational::from(i64::try_from(random.below(7)).unwrap() - 3);
                let terms = vec![(Symbol(0), coefficient()), (Symbol(1), coefficient())];
                let form = Linear::new(terms, coefficient());
                let relations = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero];
                Formula::Atom(Atom { form, relation: relations[random.below(4)] })
            }
            1 => Formula::All(parts(random)),
            _ => Formula::Any(parts(random)),
        }
    }

    /// Compared with all points of a small box.
    #[test]
    fn boxes_tell_what_all_their_points_tell() {
        let mut random = Random::new(7);
        let (mut decided, mut narrowed) = (0, 0);
        for _ in 0..20_000 {
            let formula = formula(&mut random, 2);
            let test = Test::of(&formula);
            let mut range = || {
                let low = i64::try_from(random.below(5)).unwrap() - 2;
                (low, low + i64::try_from(random.below(4)).unwrap())
            };
            let ranges = [range(), range()];
            let points = || (ranges[0].0..=ranges[0].1).flat_map(|x| (ranges[1].0..=ranges[1].1).map(move |y| [x, y]));
            let holds = |point: [i64; 2]| formula.eval(&|s: Symbol| Rational::from(point[s.index()]));
            if let Some(truth) = test.truth(&ranges) {
                decided += 1;
                assert!(points().all(|point| holds(point) == truth), "{formula:?} {ranges:?}");
            }
            let mut left = ranges;
            let some = test.narrow(&mut left);
            narrowed += usize::from(left != ranges);
            for point in points().filter(|point| holds(*point)) {
                let kept = left.iter().zip(point).all(|((lower, upper), value)| *lower <= value && value <= *upper);
                assert!(some && kept, "{formula:?} {ranges:?}");
            }
        }
        assert!(decided > 5_000 && narrowed > 1_000, "{decided} {narrowed}");
    }

    #[test]
    fn bounds_are_where_single_atoms_change() {
        for (a, c) in (-3..=3i64).filter(|a| *a != 0).flat_map(|a| (-7..=7i64).map(move |c| (a, c))) {
            for relation in [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero] {
                let form = Linear::new(vec![(Symbol(0), Rational::from(a))], Rational::from(c));
                let formula = Formula::Atom(Atom { form, relation });
                let holds = |x: i64| formula.eval(&|_: Symbol| Rational::from(x));
                let mut found = Vec::new();
                Test::of(&formula).bounds(&mut found);
                for x in -12..12 {
                    if holds(x) != holds(x + 1) {
                        assert!(found.contains(&(0, x)), "{a} x + {c} {relation:?}: {x} {found:?}");
                    }
                }
            }
        }
    }
}
