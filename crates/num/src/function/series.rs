//! Smooth functions of balls, by series: slow, to any precision.
//!
//! A function is evaluated at the middle of a ball, as an exact point, with some bits to spare; the ball around that is widened by
//! the radius times the largest slope ([`Function::lipschitz`]). Soundness: the arithmetic of balls accounts for all roundings, and each
//! series adds a bound on what it leaves out.

use dashu_base::BitTest as _;
use dashu_int::UBig;

use super::{Ball, Function};
use crate::rational::Rational;

/// Bits to spare within a series.
const GUARD: usize = 32;

/// A function over a ball.
pub(super) fn apply(function: Function, x: &Ball) -> Ball {
    let slope = Rational::from_f64(function.lipschitz()).unwrap_or(Rational::ONE).ceil().numerator();
    let slope = UBig::try_from(slope).unwrap_or(UBig::ONE);
    let bits = x.bits();
    let value = at(function, &x.middle().with_bits(bits + GUARD)).with_bits(bits);
    value.widened(slope * x.radius())
}

/// A function at a point.
fn at(function: Function, x: &Ball) -> Ball {
    let bits = x.bits();
    let one = Ball::integer(1, bits);
    let size = x.clone().magnitude();
    match function {
        Function::Tanh => {
            let tanh = tanh_of(&size);
            if x.is_negative() { tanh.negated() } else { tanh }
        }
        Function::Sigmoid => sigmoid(x),
        Function::Softplus => {
            let smooth = log_one_plus(&exp_neg(&size));
            if x.is_negative() { smooth } else { smooth.plus(x) }
        }
        Function::Elu { .. } if !x.is_negative() => x.clone(),
        Function::Elu { alpha } => {
            let alpha = Ball::rational(&Rational::from_f64(alpha).unwrap_or(Rational::ONE), bits);
            exp_neg(&size).minus(&one).times(&alpha)
        }
        Function::Silu => x.times(&sigmoid(x)),
        Function::Gelu => {
            let share = normal(&size);
            x.times(&if x.is_negative() { one.minus(&share) } else { share })
        }
        Function::GeluTanh => {
            // 0.044715 as written: a decimal number.
            let cubic = Ball::rational(&Rational::new(44_715, 1_000_000).expect("not zero"), bits);
            let polynomial = size.times(&one.plus(&size.times(&size).times(&cubic)));
            let root = one.plus(&one).checked_over(&pi(bits)).expect("pi is not zero").root();
            let tanh = tanh_of(&polynomial.times(&root));
            let share = if x.is_negative() { one.minus(&tanh) } else { one.plus(&tanh) };
            x.times(&share).scaled(1, -1)
        }
    }
}

/// `tanh` of what is not negative; the argument's radius counts once, as its slope is at most one.
fn tanh_of(x: &Ball) -> Ball {
    let one = Ball::integer(1, x.bits());
    let e = exp_neg(&x.middle().scaled(2, 0));
    let value = one.minus(&e).checked_over(&one.plus(&e)).expect("a number above one");
    value.widened(x.radius().clone())
}

fn sigmoid(x: &Ball) -> Ball {
    let one = Ball::integer(1, x.bits());
    let e = exp_neg(&x.clone().magnitude());
    let above = one.plus(&e);
    let numerator = if x.is_negative() { &e } else { &one };
    numerator.checked_over(&above).expect("a number above one")
}

/// `e^-x` for a point `x >= 0`: the series at `x / 2^s`, squared `s` times.
pub(super) fn exp_neg(x: &Ball) -> Ball {
    let bits = x.bits();
    if x.whole() > UBig::from(bits) {
        // Less than 2^-bits.
        return Ball::integer(0, bits).widened(UBig::ONE);
    }
    let halvings = 8 + x.whole().bit_len();
    // Each squaring doubles the error.
    let working = bits + halvings + GUARD;
    let t = x.clone().with_bits(working).scaled(1, -i32::try_from(halvings).expect("a few"));
    let (mut sum, mut term) = (Ball::integer(1, working), Ball::integer(1, working));
    for n in 1.. {
        term = term.times(&t).over(n).negated();
        sum = sum.plus(&term);
        // An alternating series of falling terms: what is left out is at most the next term, so at most this one.
        if term.is_within(4) {
            break;
        }
    }
    sum = sum.widened(UBig::from(4u8));
    for _ in 0..halvings {
        sum = sum.times(&sum);
    }
    sum.with_bits(bits)
}

/// `ln(1 + e)` for `0 <= e <= 1`: `2 (s + s^3/3 + s^5/5 + ...)` with `s = e / (2 + e)`.
///
/// Soundness: its slope in `e` is at most one, so the radius of `e` is added to the value at its middle. Powers of `s <= 1/3` fall to a
/// ninth each, so what is left out is less than the last term.
fn log_one_plus(e: &Ball) -> Ball {
    let bits = e.bits();
    let point = e.middle().with_bits(bits + GUARD);
    let s = point.checked_over(&point.plus(&Ball::integer(2, bits + GUARD))).expect("a number above two");
    let square = s.times(&s);
    let (mut power, mut sum) = (s.clone(), s);
    for n in 1.. {
        power = power.times(&square);
        sum = sum.plus(&power.over(2 * n + 1));
        if power.is_within(4) {
            break;
        }
    }
    let sum = sum.widened(UBig::from(4u8)).scaled(2, 0);
    sum.with_bits(bits).widened(e.radius().clone())
}

/// The share of the standard normal distribution below a point `x >= 0`: `1/2 + p(x) (x + x^3/3 + x^5/(3 5) + ...)`.
fn normal(x: &Ball) -> Ball {
    let bits = x.bits();
    let half_square = x.times(x).scaled(1, -1);
    // 25/36 is more than ln 2.
    if half_square.whole() * UBig::from(36u8) > UBig::from(25 * bits) {
        // The rest is less than e^(-x^2/2) < 2^-bits.
        return Ball::integer(1, bits).widened(UBig::ONE);
    }
    // The sum is about as large as e^(x^2/2), and so are its errors, which the density brings down again: 1.5 is more than log2 e.
    let large = usize::try_from(half_square.whole() * UBig::from(3u8) / UBig::from(2u8)).unwrap_or(2 * bits);
    let working = bits + large + 2 * GUARD;
    let x = x.clone().with_bits(working);
    let square = x.times(&x);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for n in 1u64.. {
        term = term.times(&square).over(2 * n + 1);
        sum = sum.plus(&term);
        // From where terms fall to less than a half each, all that is left out is less than the last one.
        if term.is_within(16) && square.whole() < UBig::from(n) {
            break;
        }
    }
    let sum = sum.widened(UBig::from(16u8));
    let exponential = {
        let argument = square.scaled(1, -1);
        // Slope at most one.
        exp_neg(&argument.middle()).widened(argument.radius().clone())
    };
    let root = pi(working).scaled(2, 0).root();
    let above = exponential.times(&sum).checked_over(&root).expect("the root of two pi");
    Ball::integer(1, working).scaled(1, -1).plus(&above).with_bits(bits)
}

/// `pi = 16 arctan(1/5) - 4 arctan(1/239)` (Machin).
fn pi(bits: usize) -> Ball {
    let working = bits + GUARD;
    let arctan = |n: i64| {
        let mut power = Ball::integer(1, working).over(n.unsigned_abs());
        let mut sum = power.clone();
        for k in 1u64.. {
            power = power.over((n * n).unsigned_abs()).negated();
            sum = sum.plus(&power.over(2 * k + 1));
            // Alternating and falling.
            if power.is_within(8) {
                break;
            }
        }
        sum.widened(UBig::from(8u8))
    };
    arctan(5).scaled(16, 0).minus(&arctan(239).scaled(4, 0)).with_bits(bits)
}
