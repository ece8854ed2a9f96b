//! The outputs of any network at a point, as numbers whose order is decided.
//!
//! Outputs of an exact network are rational numbers, and so are those in single precision. Outputs of a network with smooth functions
//! are real numbers: they are enclosed more and more tightly until the question is settled ([`smooth`](super::smooth)), and numbers
//! that are equal by construction are seen to be equal (`terms`). Where neither settles it there is no answer, and never
//! a guess: [`Undecided`].

use std::cmp::Ordering;

use surefoot_num::Rational;

use super::exact::ExactNetwork;
use super::float32::Float32Network;
use super::smooth::SmoothPoint;
use crate::network::{Arithmetic, Network};

/// Why the order of two outputs is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// Real numbers that no precision tried separates, and that nothing shows to be equal.
    #[error("two scores agree to {} bits, and nothing shows that they are equal", super::smooth::MOST_BITS)]
    Precision,
    /// A real number between two numbers of single precision, of which no precision tried tells the nearer one.
    #[error("no precision tells which float32 number is nearest to a value of the network here")]
    Rounding,
    /// A number beyond single precision.
    #[error("a number of the network is beyond the range of float32 here")]
    Overflow,
}

/// The outputs of a network at a point.
#[derive(Debug, Clone)]
pub enum Scores<'n> {
    /// Rational numbers.
    Exact(Vec<Rational>),
    /// Real numbers.
    Smooth(SmoothPoint<'n>),
    /// Not known.
    Unknown(Undecided),
}

impl Network {
    /// The outputs at a point.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn scores_at(&self, inputs: &[Rational]) -> Scores<'_> {
        match self.arithmetic() {
            Arithmetic::Float32 => Scores::single(Float32Network::new(self).eval_at(inputs)),
            Arithmetic::Real => match ExactNetwork::new(self) {
                Some(exact) => Scores::Exact(exact.eval(inputs)),
                None => Scores::Smooth(SmoothPoint::new(self, inputs)),
            },
        }
    }
}

impl Scores<'_> {
    /// Those computed in single precision.
    pub(super) fn single(outputs: Result<Vec<f32>, Undecided>) -> Self {
        let exact = |x: &f32| Rational::from_f64(f64::from(*x)).expect("finite");
        match outputs {
            Ok(outputs) => Self::Exact(outputs.iter().map(exact).collect()),
            Err(undecided) => Self::Unknown(undecided),
        }
    }

    /// The sign of `sum of coefficient * output, + constant`.
    ///
    /// # Errors
    /// Where that is not known.
    pub fn sign(&self, terms: &[(usize, Rational)], constant: &Rational) -> Result<Ordering, Undecided> {
        match self {
            Self::Exact(outputs) => {
                let sum = terms.iter().fold(constant.clone(), |sum, (output, a)| &sum + &(a * &outputs[*output]));
                Ok(sum.cmp(&Rational::ZERO))
            }
            Self::Smooth(point) => point.sign(terms, constant),
            Self::Unknown(undecided) => Err(*undecided),
        }
    }

    /// How two outputs compare.
    ///
    /// # Errors
    /// Where that is not known.
    pub fn compare(&self, a: usize, b: usize) -> Result<Ordering, Undecided> {
        if a == b {
            return Ok(Ordering::Equal);
        }
        self.sign(&[(a, Rational::ONE), (b, Rational::from(-1))], &Rational::ZERO)
    }

    /// Those of the outputs that are largest, in order. What is clearly smaller need not be compared with anything else.
    ///
    /// # Errors
    /// Where two that may be the largest cannot be compared.
    pub fn largest(&self, candidates: &[usize]) -> Result<Vec<usize>, Undecided> {
        match self {
            Self::Exact(outputs) => {
                let best = candidates.iter().map(|output| &outputs[*output]).max();
                Ok(candidates.iter().copied().filter(|output| Some(&outputs[*output]) == best).collect())
            }
            Self::Smooth(point) => point.largest(candidates),
            Self::Unknown(_) if candidates.is_empty() => Ok(Vec::new()),
            Self::Unknown(undecided) => Err(*undecided),
        }
    }

    /// The first largest of these outputs.
    ///
    /// # Errors
    /// As [`Scores::largest`].
    pub fn first_largest(&self, candidates: &[usize]) -> Result<Option<usize>, Undecided> {
        Ok(self.largest(candidates)?.first().copied())
    }

    /// Those of the outputs that are at most `tolerance` below every other one, in order.
    ///
    /// # Errors
    /// Where that is not known of an output.
    pub fn within(&self, candidates: &[usize], tolerance: &Rational) -> Result<Vec<usize>, Undecided> {
        if tolerance.is_zero() {
            return self.largest(candidates);
        }
        let mut inside = Vec::new();
        for &output in candidates {
            // One that is farther ahead settles it, whatever is not known of others.
            let ahead =
                |other: &usize| self.sign(&[(*other, Rational::ONE), (output, Rational::from(-1))], &-tolerance);
            let signs: Vec<_> = candidates.iter().map(ahead).collect();
            if signs.contains(&Ok(Ordering::Greater)) {
                continue;
            }
            signs.into_iter().collect::<Result<Vec<_>, _>>()?;
            inside.push(output);
        }
        Ok(inside)
    }

    /// The outputs as rational numbers, to be shown: exact where they are rational, else rounded to 64 binary places.
    #[must_use]
    pub fn shown(&self, outputs: usize) -> Vec<Rational> {
        match self {
            Self::Exact(values) => values.clone(),
            Self::Smooth(point) => point.shown(),
            Self::Unknown(_) => vec![Rational::ZERO; outputs],
        }
    }
}
