//! Formulas at a point: true, false, or not known where scores cannot be told apart.
//!
//! Outputs of networks at a point are [`Scores`]: rational numbers, or real numbers whose linear forms have signs. A formula is decided
//! by what is known of its atoms (Kleene's three values): a conjunction with a false part is false, whatever the others are.

use std::cmp::Ordering;

use surefoot_linear::{Atom, Formula, Relation};
use surefoot_network::eval::Scores;
use surefoot_num::Rational;
use surefoot_num::function::Ball;

/// Bits of the first enclosure of scores of several applications.
const FIRST_BITS: usize = 128;
/// Bits of the last one.
const MOST_BITS: usize = 2048;

/// The values of all symbols of a question at a point.
#[derive(Debug)]
pub(crate) struct Valuation<'a> {
    point: &'a [Rational],
    /// Per application.
    scores: Vec<Scores<'a>>,
    /// The first symbol of each application's outputs, and one past the last.
    first: Vec<usize>,
}

impl<'a> Valuation<'a> {
    /// The variables have the values of a point, the applications so many scores each, in order.
    pub(crate) fn new(point: &'a [Rational], scores: Vec<(usize, Scores<'a>)>) -> Self {
        let mut first = vec![point.len()];
        first.extend(scores.iter().scan(point.len(), |next, (outputs, _)| {
            *next += outputs;
            Some(*next)
        }));
        Self { point, scores: scores.into_iter().map(|(_, scores)| scores).collect(), first }
    }

    /// Whether a formula holds, where that is known.
    pub(crate) fn holds(&self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::All(parts) => self.all(parts, true),
            // A disjunction is true as soon as a part is.
            Formula::Any(parts) => self.all(parts, false),
        }
    }

    /// Whether all parts have a value; or whether not all have the opposite of it, said as the value itself.
    fn all(&self, parts: &[Formula], value: bool) -> Option<bool> {
        let mut result = Some(value);
        for part in parts {
            match self.holds(part) {
                Some(holds) if holds == value => {}
                Some(_) => return Some(!value),
                None => result = None,
            }
        }
        result
    }

    fn atom(&self, atom: &Atom) -> Option<bool> {
        let sign = self.sign(atom)?;
        Some(match atom.relation {
            Relation::AtLeastZero => sign != Ordering::Less,
            Relation::Positive => sign == Ordering::Greater,
            Relation::Zero => sign == Ordering::Equal,
            Relation::NonZero => sign != Ordering::Equal,
        })
    }

    /// The sign of an atom's form. Everything but the scores that are not rational numbers goes to the constant.
    fn sign(&self, atom: &Atom) -> Option<Ordering> {
        let mut constant = atom.form.constant().clone();
        let mut terms: Vec<(usize, usize, Rational)> = Vec::new();
        for (symbol, a) in atom.form.terms() {
            let symbol = symbol.index();
            if let Some(value) = self.point.get(symbol) {
                constant = &constant + &(a * value);
                continue;
            }
            let application = self.first.partition_point(|first| *first <= symbol) - 1;
            let output = symbol - self.first[application];
            match &self.scores[application] {
                Scores::Exact(values) => constant = &constant + &(a * &values[output]),
                _ => terms.push((application, output, a.clone())),
            }
        }
        let Some((application, ..)) = terms.first() else { return Some(constant.cmp(&Rational::ZERO)) };
        let application = *application;
        if terms.iter().any(|(a, ..)| *a != application) {
            return self.sign_of_several(&terms, &constant);
        }
        let terms: Vec<(usize, Rational)> = terms.into_iter().map(|(_, output, a)| (output, a)).collect();
        self.scores[application].sign(&terms, &constant).ok()
    }

    /// The sign of a form over scores of several applications, by enclosures alone.
    fn sign_of_several(&self, terms: &[(usize, usize, Rational)], constant: &Rational) -> Option<Ordering> {
        let mut bits = FIRST_BITS;
        while bits <= MOST_BITS {
            let mut sum = Ball::rational(constant, bits);
            for (application, output, a) in terms {
                let Scores::Smooth(point) = &self.scores[*application] else { return None };
                sum = sum.plus(&point.outputs(bits)[*output].times(&Ball::rational(a, bits)));
            }
            if let Some(sign) = sum.sign() {
                return Some(sign);
            }
            bits *= 2;
        }
        None
    }
}
