//! Numbers on the command line. Each says what it takes, also when it is given something negative or far too large.

use std::time::Duration;

use surefoot_num::Rational;

fn between<N: std::str::FromStr + PartialOrd + Copy>(text: &str, least: N, most: N, what: &str) -> Result<N, String> {
    match text.trim().parse::<N>() {
        Ok(number) if least <= number && number <= most => Ok(number),
        _ => Err(format!("expected {what}")),
    }
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    between(text, 0, u64::MAX, "a whole number from 0 to 18446744073709551615")
}

/// A number of runs, steps or rounds.
pub(super) fn count(text: &str) -> Result<u64, String> {
    between(text, 0, u64::MAX, "a whole number, 0 or more")
}

/// A number of states or predicates.
pub(super) fn size(text: &str) -> Result<usize, String> {
    between(text, 0, usize::MAX, "a whole number, 0 or more")
}

/// A number of things of which there is at least one.
pub(super) fn some(text: &str) -> Result<u32, String> {
    between(text, 1, u32::MAX, "a whole number from 1 to 4294967295")
}

/// A number of steps, at most 2^32 - 1.
pub(super) fn depth(text: &str) -> Result<u32, String> {
    between(text, 0, u32::MAX, "a whole number from 0 to 4294967295")
}

pub(super) fn megabytes(text: &str) -> Result<usize, String> {
    between(text, 0, usize::MAX, "a whole number of megabytes, 0 or more")
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, 1024, "a whole number from 1 to 1024")
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = || "this is not a number of seconds, 0 or more, such as 60 or 0.5".to_owned();
    // A time longer than the clock can tell is refused here, as are negative ones and "nan".
    text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok()).ok_or_else(wanted)
}

pub(super) fn probability(text: &str) -> Result<Rational, String> {
    let wanted = "a probability is a number from 0 to 1, such as 0.1 or 1/10";
    let value: Rational = text.parse().map_err(|_| wanted.to_owned())?;
    if value.signum() < 0 || value > Rational::ONE {
        return Err(wanted.to_owned());
    }
    Ok(value)
}

/// A probability that is not 0.
pub(super) fn positive_probability(text: &str) -> Result<Rational, String> {
    match probability(text) {
        Ok(value) if !value.is_zero() => Ok(value),
        _ => Err("expected a number above 0 and at most 1, such as 0.05 or 1/20".to_owned()),
    }
}

pub(super) fn precision(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("this is not a number above 0, such as 1e-6 or 0.001".to_owned()),
    }
}

/// A share of something.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("expected a number above 0 and at most 1, such as 0.5".to_owned()),
    }
}

/// A number of any size and sign.
pub(super) fn real(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a number, such as 1 or -0.01".to_owned()),
    }
}

/// A number of any size and sign, to the precision of drawings.
pub(super) fn place(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a number, such as 1 or 0.01".to_owned()),
    }
}

/// One above 0.
pub(super) fn above_zero(text: &str) -> Result<f64, String> {
    place(text).ok().filter(|value| *value > 0.0).ok_or_else(|| "expected a number above 0, such as 0.01".to_owned())
}
