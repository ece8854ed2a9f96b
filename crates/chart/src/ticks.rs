//! Which numbers are written beside an axis: round ones, few enough to be read.

use std::f64::consts::LOG10_2;

use crate::number::Unit;

/// What a power of ten is multiplied by at the ends of a logarithmic axis, as logarithms: 1, 2, 5 and 10.
const STEPS: [f64; 4] = [0.0, LOG10_2, 1.0 - LOG10_2, 1.0];
/// What logarithms may be off by.
const SLACK: f64 = 1e-9;
/// So many powers of ten are written at most.
const POWERS: f64 = 8.0;

/// The largest end of a logarithmic axis that is not above a logarithm.
pub(crate) fn rounded_down(log: f64) -> f64 {
    let rest = log - log.floor();
    log.floor() + STEPS.into_iter().rev().find(|step| *step <= rest + SLACK).unwrap_or(0.0)
}

/// The least one that is not below it.
pub(crate) fn rounded_up(log: f64) -> f64 {
    let rest = log - log.floor();
    log.floor() + STEPS.into_iter().find(|step| *step >= rest - SLACK).unwrap_or(1.0)
}

/// Round numbers from one to another, some five of them.
pub(crate) fn linear(low: f64, high: f64, unit: Unit) -> Vec<(f64, String)> {
    // A quarter by halves: the difference may be infinite.
    let step = round_step((high / 2.0 - low / 2.0) / 2.0, unit);
    let first = (low / step - SLACK).ceil();
    let mut ticks = Vec::new();
    // Counted, so that huge numbers, to which a step adds nothing, end as well.
    for tick in 0..=8u8 {
        let number = (first + f64::from(tick)) * step;
        if !number.is_finite() || number > high + SLACK * step {
            break;
        }
        ticks.push((number, unit.write(number, step)));
    }
    ticks
}

/// The least of 1, 2, 2.5 and 5 times a power of ten that is not below a number; for counts a whole one.
fn round_step(least: f64, unit: Unit) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let round: &[f64] = if unit == Unit::Count && least < 10.0 { &[1.0, 2.0, 5.0] } else { &[1.0, 2.0, 2.5, 5.0] };
    let found = round.iter().map(|factor| factor * power).find(|step| *step >= least * (1.0 - SLACK));
    let step = found.unwrap_or(10.0 * power);
    if unit == Unit::Count { step.max(1.0) } else { step }
}

/// Powers of ten from one logarithm to another; where there are fewer than three, their doubles and fivefolds too.
pub(crate) fn logarithmic(low: f64, high: f64, unit: Unit) -> Vec<(f64, String)> {
    let step = ((high - low) / POWERS).ceil().max(1.0);
    let written = |log: f64| (log, unit.write(10f64.powf(log), 0.0));
    let within = |log: &f64| (low - SLACK..=high + SLACK).contains(log) && *log < 308.25;
    let powers = (0..=16u8).map(|tick| (low - SLACK).ceil() + step * f64::from(tick));
    let powers: Vec<f64> = powers.filter(within).collect();
    if powers.len() > 2 {
        return powers.into_iter().map(written).collect();
    }
    let decades = (0..=3u8).map(|decade| low.floor() + f64::from(decade));
    decades.flat_map(|decade| STEPS[..3].iter().map(move |step| decade + step)).filter(within).map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(texts(linear(4.0, 43.0, Unit::Number)), ["10", "20", "30", "40"]);
        assert_eq!(texts(linear(0.0, 1.0, Unit::Percent)), ["0 %", "25 %", "50 %", "75 %", "100 %"]);
        assert_eq!(texts(linear(0.0, 3.0, Unit::Count)), ["0", "1", "2", "3"]);
        assert_eq!(texts(linear(0.0, 100_000.0, Unit::Number)), ["0", "25,000", "50,000", "75,000", "100,000"]);
        assert_eq!(texts(linear(-0.3, 0.3, Unit::Number)), ["-0.2", "0", "0.2"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_or_finer() {
        assert_eq!(texts(logarithmic(-2.0, 2.0, Unit::Number)), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(logarithmic(0.0, 1.0, Unit::Number)), ["1", "2", "5", "10"]);
        assert_eq!(texts(logarithmic(-3.0, 2.0, Unit::Seconds)), ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]);
        assert!(logarithmic(-323.0, 309.0, Unit::Number).len() < 10);
    }

    #[test]
    fn ends_are_rounded_outwards() {
        let both = |number: f64| (10f64.powf(rounded_down(number.log10())), 10f64.powf(rounded_up(number.log10())));
        for (number, low, high) in [(1.0, 1.0, 1.0), (3.0, 2.0, 5.0), (0.06, 0.05, 0.1), (20.0, 20.0, 20.0)] {
            let (below, above) = both(number);
            assert!((below / low - 1.0).abs() < 1e-6 && (above / high - 1.0).abs() < 1e-6, "{number}: {below} {above}");
        }
    }
}
