//! How numbers are written: short, in groups of three digits, with units where there are some.

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// As they are.
    Number,
    /// As they are: whole numbers.
    Count,
    /// In percent.
    Percent,
    /// As seconds, or thousandths and millionths of them.
    Seconds,
}

impl Unit {
    /// A number among others that are at least `step` away from it; zero for three digits that count.
    pub(crate) fn write(self, number: f64, step: f64) -> String {
        let (number, step, unit) = match self {
            Self::Number | Self::Count => return short(number, step),
            Self::Percent => (100.0 * number, 100.0 * step, "%"),
            Self::Seconds if number == 0.0 || number.abs() >= 0.999 => (number, step, "s"),
            Self::Seconds if number.abs() >= 0.999e-3 => (1e3 * number, 1e3 * step, "ms"),
            Self::Seconds => (1e6 * number, 1e6 * step, "µs"),
        };
        format!("{} {unit}", short(number, step))
    }
}

/// A number without zeros at its end; very large and very small ones with a power of ten.
fn short(number: f64, step: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let size = number.abs();
    let step = if step > 0.0 { step } else { size / 100.0 };
    if (1e-4..1e7).contains(&size) {
        let text = trimmed(&format!("{number:.*}", digits(-step.log10())));
        return if text == "-0" { "0".to_owned() } else { grouped(&text) };
    }
    let text = format!("{number:.*e}", digits((size / step).log10()));
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", trimmed(digits))
}

/// So many digits that a step shows, and one more for steps of a quarter.
fn digits(wanted: f64) -> usize {
    (0..=9u8).find(|digits| f64::from(*digits) >= wanted.ceil() + 1.0).map_or(9, usize::from)
}

fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// Groups of three digits before the point, from five digits on.
fn grouped(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (whole, rest) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut groups = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 && whole.len() > 4 {
            groups.push(',');
        }
        groups.push(digit);
    }
    rest.map_or_else(|| format!("{sign}{groups}"), |rest| format!("{sign}{groups}.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.0001, 2.5, 1000.0, 12345.678, 1e300, 1.5e-7, 0.333_333].map(|number| short(number, 0.0));
        assert_eq!(written, ["0", "-0.0001", "2.5", "1000", "12,346", "1e300", "1.5e-7", "0.3333"].map(str::to_owned));
        assert_eq!(short(0.25, 0.25), "0.25");
    }

    #[test]
    fn units_are_written() {
        let seconds = [0.0, 5e-5, 0.001, 0.25, 1.0, 1e5].map(|number| Unit::Seconds.write(number, 0.0));
        assert_eq!(seconds, ["0 s", "50 µs", "1 ms", "250 ms", "1 s", "100,000 s"].map(str::to_owned));
        assert_eq!(Unit::Percent.write(0.125, 0.025), "12.5 %");
    }
}
