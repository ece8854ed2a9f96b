//! Smooth functions of one real number, as networks have them between their layers.
//!
//! Each of them is computed in two ways: in `f64` with a proved bound on the error ([`float`]), by arithmetic alone, so that every
//! machine gives the same bits; and as a [`Ball`] of any precision ([`ball`], `series`), which is slow and settles what floats leave
//! open. Neither asks a library for `exp`: those promise no error bound, and differ from one system to the next.
//!
//! | function | of `x` |
//! |---|---|
//! | [`Tanh`](Function::Tanh) | `(1 - e^(-2x)) / (1 + e^(-2x))` |
//! | [`Sigmoid`](Function::Sigmoid) | `1 / (1 + e^(-x))` |
//! | [`Softplus`](Function::Softplus) | `ln(1 + e^x)` |
//! | [`Elu`](Function::Elu) | `x` for `x >= 0`, else `alpha (e^x - 1)` |
//! | [`Gelu`](Function::Gelu) | `x P(x)`, `P` the distribution function of the standard normal distribution |
//! | [`GeluTanh`](Function::GeluTanh) | `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` |
//! | [`Silu`](Function::Silu) | `x / (1 + e^(-x))` |

pub mod ball;
pub mod float;
pub mod lines;
mod series;
pub mod single;
mod tangent;
#[cfg(test)]
mod tests;

use std::fmt;

pub use ball::Ball;

use crate::interval::FloatInterval;
use crate::rational::Rational;
use crate::round::{add_down, add_up, mul_up};

/// A smooth function (but for [`Elu`](Function::Elu) at zero, unless `alpha` is one).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// A smooth maximum of zero and the argument.
    Softplus,
    /// The exponential linear unit.
    Elu {
        /// Its limit at minus infinity, negated; finite and not negative.
        alpha: f64,
    },
    /// The Gaussian error linear unit.
    Gelu,
    /// What is often computed in its place; another function.
    GeluTanh,
    /// The sigmoid linear unit, also called swish.
    Silu,
}

/// What the negated argument gives: `f(-x) = sign f(x) + slope x + offset`, where there is such a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reflection {
    /// The factor of `f(x)`.
    pub sign: i64,
    /// The factor of `x`.
    pub slope: i64,
    /// The rest.
    pub offset: i64,
}

impl Function {
    /// A bound on how much faster than its argument it grows or falls.
    ///
    /// Soundness: `tanh' <= 1`, `sigmoid' <= 1/4`, `softplus' = sigmoid < 1`. `gelu' = P + x p` with `|x p(x)| <= 1 / sqrt(2 pi e)`,
    /// `silu' = s + x s (1 - s)` with `|x| s (1 - s) <= |x| e^-|x| <= 1/e`. For the other gelu, with `u` the argument of tanh,
    /// `|x u'| <= 3 |u|`, so its slope is at most `1 + (3/2) max |u| / cosh^2 u < 1 + 3/2 * 0.45`.
    #[must_use]
    pub fn lipschitz(self) -> f64 {
        match self {
            Self::Tanh | Self::Softplus => 1.0,
            Self::Sigmoid => 0.25,
            Self::Elu { alpha } => alpha.max(1.0),
            Self::Gelu | Self::GeluTanh | Self::Silu => 2.0,
        }
    }

    /// Whether it grows with its argument.
    #[must_use]
    pub fn is_monotone(self) -> bool {
        matches!(self, Self::Tanh | Self::Sigmoid | Self::Softplus | Self::Elu { .. })
    }

    /// Its value, computed; of finite numbers only.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Self::Tanh => float::tanh(x),
            Self::Sigmoid => float::sigmoid(x),
            Self::Softplus => float::softplus(x),
            Self::Elu { alpha } => float::elu(alpha, x),
            Self::Gelu => float::gelu(x),
            Self::GeluTanh => float::gelu_tanh(x),
            Self::Silu => float::silu(x),
        }
    }

    /// A bound on the distance of [`Function::at`] to the real value, for arguments of at most this magnitude.
    #[must_use]
    pub fn error(self, magnitude: f64) -> f64 {
        let scaled = |x: f64, error: f64| add_up(mul_up(x, error), float::TINY);
        match self {
            Self::Tanh => float::TANH_ERROR,
            Self::Sigmoid => float::SIGMOID_ERROR,
            Self::Softplus => add_up(float::SOFTPLUS_ERROR, mul_up(magnitude, f64::EPSILON)),
            Self::Elu { alpha } => scaled(alpha, float::ELU_ERROR),
            Self::Gelu => scaled(magnitude, float::GELU_ERROR),
            Self::GeluTanh => scaled(magnitude, float::GELU_TANH_ERROR),
            Self::Silu => scaled(magnitude, float::SILU_ERROR),
        }
    }

    /// An interval around all its values over an interval of finite numbers.
    ///
    /// Soundness: a growing function is between its values at the ends; any of them is as near to the value in the middle as its
    /// slope allows. What is computed is off by at most the error.
    #[must_use]
    pub fn over(self, x: FloatInterval) -> FloatInterval {
        let FloatInterval { lower, upper } = x;
        let error = self.error(lower.abs().max(upper.abs()));
        if self.is_monotone() {
            return FloatInterval { lower: add_down(self.at(lower), -error), upper: add_up(self.at(upper), error) };
        }
        let middle = 0.5 * lower + 0.5 * upper;
        let radius = add_up(upper, -middle).max(add_up(middle, -lower));
        let (value, spread) = (self.at(middle), add_up(mul_up(self.lipschitz(), radius), error));
        FloatInterval { lower: add_down(value, -spread), upper: add_up(value, spread) }
    }

    /// What it gives for the negated argument.
    #[must_use]
    pub fn reflection(self) -> Option<Reflection> {
        let law = |sign, slope, offset| Some(Reflection { sign, slope, offset });
        match self {
            Self::Tanh => law(-1, 0, 0),
            Self::Sigmoid => law(-1, 0, 1),
            // f(x) - f(-x) = x for all of these.
            Self::Softplus | Self::Gelu | Self::GeluTanh | Self::Silu => law(1, -1, 0),
            Self::Elu { .. } => None,
        }
    }

    /// Its value where that is a rational number for a reason: at zero, and where it is the argument itself.
    #[must_use]
    pub fn rational_at(self, x: &Rational) -> Option<Rational> {
        match self {
            Self::Tanh | Self::Gelu | Self::GeluTanh | Self::Silu if x.is_zero() => Some(Rational::ZERO),
            Self::Sigmoid if x.is_zero() => Rational::new(1, 2),
            Self::Elu { .. } if x.signum() >= 0 => Some(x.clone()),
            Self::Elu { alpha: 0.0 } => Some(Rational::ZERO),
            _ => None,
        }
    }

    /// A ball around its values over a ball.
    #[must_use]
    pub fn over_ball(self, x: &Ball) -> Ball {
        series::apply(self, x)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tanh => write!(f, "tanh"),
            Self::Sigmoid => write!(f, "sigmoid"),
            Self::Softplus => write!(f, "softplus"),
            Self::Elu { alpha: 1.0 } => write!(f, "elu"),
            Self::Elu { alpha } => write!(f, "elu({alpha})"),
            Self::Gelu => write!(f, "gelu"),
            Self::GeluTanh => write!(f, "gelu_tanh"),
            Self::Silu => write!(f, "silu"),
        }
    }
}
