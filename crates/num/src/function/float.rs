//! Smooth functions in `f64`: additions, multiplications and divisions only, with proved error bounds.
//!
//! `u = 2^-53` is the unit roundoff, `gamma_n = n u / (1 - n u)`. The bounds are generous: they decide how rarely something slower
//! is asked, nothing else.
//!
//! **`exp_neg(a)`** for `a >= 0` is within `2^-46` of `e^-a`. *Proof.* Let `a <= 700`. `k` is an integer near `a / ln 2` (a sum
//! with `1.5 * 2^52` rounds to integers), off by less than `0.51`, so `d = a - k HI` is less than `0.36` in magnitude, where `HI` is
//! `ln 2` cut to a multiple of `2^-33`; `k HI` is exact, as `k < 2^11`. For `k = 0`, `d = a`. Otherwise `a >= 0.34`, so both are
//! multiples of `2^-54`, and a multiple of that less than a half fits into 53 bits: `d` is exact. `r = d - k LO` with `|k LO| < 2^-22`
//! is off by `u |r|`, the rounding of the product and the distance of `LO` to `ln 2 - HI`, in all less than `2^-54`; so is the
//! relative error which that makes in `e^-r`, but for a factor near one. The sum of `(-r)^n / n!` for `n <= 13` leaves out less than
//! `0.36^14 / 14! < 2^-56`. By Horner it suffers at most `gamma_28` times the sum of magnitudes, coefficients rounded included:
//! `28 u e^0.36 < 41 u`. Relative to `e^-r > 0.69` all of it is less than `62 u < 2^-47`. The product with `2^-k` is exact, and `e^-a`
//! at most one. Beyond 700 the value is that of 700, which is as near as `2^-1000`.
//!
//! **tanh** is `(1 - e) / (1 + e)` with `e` near `e^(-2|x|)`; its slope in `e` is at most two, three roundings of numbers at most
//! two: `2 * 2^-46 + 6 u < 2^-44`. **sigmoid** is `1 / (1 + e)` or `e / (1 + e)`, slope at most one: `2^-46 + 3 u < 2^-45`.
//!
//! **softplus** is `max(x, 0) + ln(1 + e)` and `ln(1 + e) = 2 s (1 + s^2/3 + ... + s^(2n)/(2n+1) + ...)` with `s = e / (2 + e) <= 1/3`.
//! Terms up to `n = 16` leave out less than `2^-59`; `s` is off by two roundings, the sum by `gamma_35` times itself, so all by less than
//! `45 u`. Slope one in `e`. The last sum rounds by `u (|x| + 1)`. In all `2^-46 + 46 u + u |x|`.
//!
//! **elu** is `alpha (e - 1)`: `alpha (2^-46 + 3 u)`. **silu** is `x` times sigmoid: `|x| (2^-45 + u)`.
//!
//! **gelu** is `x P(x)`. For `0 <= x <= 8.5`, `P(x) = 1/2 + p(x) (x + x^3/3 + x^5/(3 5) + ...)` with `p(x) = e^(-x^2/2) / sqrt(2 pi)`.
//! All terms are positive. Terms up to `n = 111` leave out, times `p`, less than `2^-60`: the rest is at most `1.6` times the next
//! one, `8.5^225 / 225!!`. By Horner, five roundings a step, the sum is off by at most `gamma_555` of itself; `e^(-x^2/2)` by `37 u` of
//! itself, since `x^2/2 <= 36.2` is rounded, and by the `62 u` of above. A few products more, and the whole is at most a half:
//! `(555 + 37 + 62 + 8) u / 2 + 2^-60 < 2^-44`. Beyond 8.5 the value is that of 8.5, off by less than `P(-8.5) < 2^-55`.
//! `P(-x) = 1 - P(x)`. Another rounding of the product with `x`.
//!
//! **gelu_tanh**: the argument of tanh is rounded at most six times relatively, and cut at 20, where tanh is within `2^-56` of one:
//! `20 * 8 u + 2^-44 + 2^-56 < 2^-43`, halved by the factor, with three more roundings.

/// More than all that underflow can do to a result.
pub const TINY: f64 = 1e-300;
/// `2^-44`.
pub const TANH_ERROR: f64 = power(-44);
/// `2^-45`.
pub const SIGMOID_ERROR: f64 = power(-45);
/// `2^-45`, to which comes a rounding of the argument.
pub const SOFTPLUS_ERROR: f64 = power(-45);
/// `2^-45` times alpha.
pub const ELU_ERROR: f64 = power(-45);
/// `2^-43` times the argument.
pub const GELU_ERROR: f64 = power(-43);
/// `2^-43` times the argument.
pub const GELU_TANH_ERROR: f64 = power(-43);
/// `2^-44` times the argument.
pub const SILU_ERROR: f64 = power(-44);

const fn power(exponent: i32) -> f64 {
    f64::from_bits((1023 + exponent as i64).cast_unsigned() << 52)
}

/// Sums with this round to integers.
const MAGIC: f64 = 1.5 * power(52);
/// `ln 2` cut to a multiple of `2^-33`.
const HI: f64 = 0.693_147_180_485_539_1;
/// The rest.
const LO: f64 = 7.440_617_110_012_397e-11;
/// `1 / ln 2`.
const INVERSE: f64 = std::f64::consts::LOG2_E;
/// The largest argument that counts.
const LARGEST: f64 = 700.0;
/// `1 / n!` for `n = 0..=13`.
const FACTORIALS: [f64; 14] = reciprocal_factorials();
/// `1 / (2n + 1)`.
const ODDS: [f64; 112] = reciprocal_odds();
/// `1 / sqrt(2 pi)`.
const DENSITY: f64 = 0.398_942_280_401_432_7;
/// `sqrt(2 / pi)`.
const ROOT: f64 = 0.797_884_560_802_865_4;

const fn reciprocal_factorials() -> [f64; 14] {
    let mut result = [1.0; 14];
    let (mut n, mut factorial) = (1usize, 1u64);
    while n < result.len() {
        factorial *= n as u64;
        // Exact below 2^53, so each is rounded once.
        #[expect(clippy::cast_precision_loss, reason = "13! is below 2^53")]
        let exact = factorial as f64;
        result[n] = 1.0 / exact;
        n += 1;
    }
    result
}

const fn reciprocal_odds() -> [f64; 112] {
    let mut result = [1.0; 112];
    let mut n = 1usize;
    while n < result.len() {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let odd = (2 * n + 1) as f64;
        result[n] = 1.0 / odd;
        n += 1;
    }
    result
}

/// `e^-a` for `a >= 0`, within `2^-46` of itself; see the proof above.
#[inline]
#[must_use]
pub fn exp_neg(a: f64) -> f64 {
    let a = if a > LARGEST { LARGEST } else { a };
    let shifted = a * INVERSE + MAGIC;
    let k = shifted - MAGIC;
    let r = (a - k * HI) - k * LO;
    let mut sum = FACTORIALS[13];
    let mut n = 13;
    while n > 0 {
        n -= 1;
        // The signs alternate: 1 - r (1 - r (1/2 - ...)).
        sum = FACTORIALS[n] - r * sum;
    }
    // The low bits of the shifted number are k.
    let k = shifted.to_bits().wrapping_sub(MAGIC.to_bits());
    sum * f64::from_bits(1023u64.wrapping_sub(k) << 52)
}

/// The hyperbolic tangent, within [`TANH_ERROR`].
#[inline]
#[must_use]
pub fn tanh(x: f64) -> f64 {
    let e = exp_neg(2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

/// The logistic function, within [`SIGMOID_ERROR`].
#[inline]
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    let e = exp_neg(x.abs());
    (if x < 0.0 { e } else { 1.0 }) / (1.0 + e)
}

/// `ln(1 + e^x)`, within [`SOFTPLUS_ERROR`] and a rounding of the argument.
#[inline]
#[must_use]
pub fn softplus(x: f64) -> f64 {
    let e = exp_neg(x.abs());
    let s = e / (2.0 + e);
    let square = s * s;
    let mut sum = ODDS[16];
    let mut n = 16;
    while n > 0 {
        n -= 1;
        sum = ODDS[n] + square * sum;
    }
    (if x > 0.0 { x } else { 0.0 }) + 2.0 * s * sum
}

/// The exponential linear unit, within [`ELU_ERROR`] times alpha.
#[inline]
#[must_use]
pub fn elu(alpha: f64, x: f64) -> f64 {
    let below = alpha * (exp_neg(x.abs()) - 1.0);
    if x < 0.0 { below } else { x }
}

/// The sigmoid linear unit, within [`SILU_ERROR`] times the argument.
#[inline]
#[must_use]
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// The Gaussian error linear unit, within [`GELU_ERROR`] times the argument.
#[inline]
#[must_use]
pub fn gelu(x: f64) -> f64 {
    let a = if x.abs() > 8.5 { 8.5 } else { x.abs() };
    let square = a * a;
    // 1 + x^2/3 (1 + x^2/5 (1 + ...)).
    let mut sum = 1.0;
    let mut n = 111;
    while n > 0 {
        sum = 1.0 + square * ODDS[n] * sum;
        n -= 1;
    }
    let above = DENSITY * exp_neg(0.5 * square) * (a * sum);
    x * (if x < 0.0 { 0.5 - above } else { 0.5 + above })
}

/// The other gelu, within [`GELU_TANH_ERROR`] times the argument.
#[inline]
#[must_use]
pub fn gelu_tanh(x: f64) -> f64 {
    // Cut first: at 8 the argument of tanh is beyond 20 already.
    let a = if x.abs() > 8.0 { 8.0 } else { x.abs() };
    let argument = ROOT * (a * (1.0 + 0.044_715 * (a * a)));
    let above = tanh(if argument > 20.0 { 20.0 } else { argument });
    0.5 * x * (if x < 0.0 { 1.0 - above } else { 1.0 + above })
}
