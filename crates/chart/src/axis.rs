//! Axes: where a number is between the two ends of an axis, and which numbers are written beside it.
//!
//! A linear axis goes from the least number (or from zero) to the largest, a logarithmic one from a power of ten to a power of ten.

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is on it.
    pub title: String,
    /// How numbers grow along it.
    pub scale: Scale,
    /// How numbers are written.
    pub unit: Unit,
    /// Its ends, where they are not those of the numbers.
    pub ends: Option<(f64, f64)>,
}

/// How numbers grow along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// By sums.
    Linear,
    /// By products.
    Logarithmic,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// As they are.
    Number,
    /// In percent.
    Percent,
}

impl Axis {
    /// A linear axis of numbers.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear, unit: Unit::Number, ends: None }
    }

    /// A logarithmic one.
    pub fn logarithmic(title: impl Into<String>) -> Self {
        Self { scale: Scale::Logarithmic, ..Self::linear(title) }
    }

    /// A linear axis from none to all, in percent.
    pub fn share(title: impl Into<String>) -> Self {
        Self { unit: Unit::Percent, ends: Some((0.0, 1.0)), ..Self::linear(title) }
    }

    /// Whether a number has a place on it.
    pub(crate) fn takes(&self, number: f64) -> bool {
        number.is_finite() && (self.scale == Scale::Linear || number > 0.0)
    }

    /// The axis for some numbers.
    pub(crate) fn fit(&self, numbers: impl Iterator<Item = f64>) -> Fitted {
        let ends = self.ends.or_else(|| {
            let numbers = numbers.filter(|number| self.takes(*number));
            numbers.fold(None, |ends, number| match ends {
                None => Some((number, number)),
                Some((low, high)) => Some((number.min(low), number.max(high))),
            })
        });
        let (low, high) = match (self.scale, ends) {
            (Scale::Linear, None) => (0.0, 1.0),
            (Scale::Logarithmic, None) => (0.0, 1.0),
            (Scale::Linear, Some((low, high))) if low == high => (low - 0.5, high + 0.5),
            (Scale::Linear, Some(ends)) => ends,
            (Scale::Logarithmic, Some((low, high))) => {
                let (low, high) = (low.log10().floor(), high.log10().ceil());
                if low == high { (low, low + 1.0) } else { (low, high) }
            }
        };
        Fitted { scale: self.scale, unit: self.unit, low, high }
    }
}

/// An axis with ends, which are powers of ten where it is logarithmic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fitted {
    scale: Scale,
    unit: Unit,
    low: f64,
    high: f64,
}

impl Fitted {
    /// Where a number is, from 0 to 1.
    pub(crate) fn place(&self, number: f64) -> f64 {
        let number = if self.scale == Scale::Logarithmic { number.log10() } else { number };
        (number - self.low) / (self.high - self.low)
    }

    /// The numbers that are written, with their places.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => (0..=4u8)
                .map(|tick| {
                    let number = self.low + (self.high - self.low) * f64::from(tick) / 4.0;
                    (f64::from(tick) / 4.0, self.unit.write(number))
                })
                .collect(),
            Scale::Logarithmic => {
                // At most eight powers are written.
                let step = ((self.high - self.low) / 8.0).ceil().max(1.0);
                let mut ticks = Vec::new();
                let mut power = self.low;
                while power <= self.high {
                    let text = if (-4.0..6.0).contains(&power) {
                        self.unit.write(10f64.powf(power))
                    } else {
                        format!("1e{power}")
                    };
                    ticks.push(((power - self.low) / (self.high - self.low), text));
                    power += step;
                }
                ticks
            }
        }
    }
}

impl Unit {
    fn write(self, number: f64) -> String {
        match self {
            Self::Percent => format!("{} %", short(100.0 * number)),
            Self::Number => short(number),
        }
    }
}

/// A number to three digits after the point, without zeros at the end; small ones to more.
fn short(number: f64) -> String {
    let text = if number != 0.0 && number.abs() < 0.01 { format!("{number:.5}") } else { format!("{number:.3}") };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_written() {
        let fitted = Axis::logarithmic("s").fit([0.02, 30.0, 0.0, f64::NAN].into_iter());
        let texts: Vec<String> = fitted.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0.01", "0.1", "1", "10", "100"]);
        assert!((fitted.place(1.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn axes_of_one_number_and_of_none_have_room() {
        for axis in [Axis::linear("x"), Axis::logarithmic("x")] {
            for numbers in [&[][..], &[1.0]] {
                let fitted = axis.fit(numbers.iter().copied());
                assert!(fitted.place(1.0).is_finite() && fitted.ticks().len() > 1, "{fitted:?}");
            }
        }
        assert_eq!(Axis::share("y").fit([0.3].into_iter()).ticks()[1].1, "25 %");
        assert_eq!([short(0.0), short(-0.0001), short(2.5), short(1000.0)], ["0", "-0.0001", "2.5", "1000"]);
    }
}
