//! Axes: what is on them, and where a number is between their ends.
//!
//! A linear axis goes from the least number to the largest, a logarithmic one from 1, 2 or 5 times a power of ten to another. One of words has a row for each of them, from top to bottom.
//! Infinite is what never came: such numbers lie on a border line beyond the end of the axis, which has a name of its own.
//!
//! Invariants: a number that an axis takes has a place from 0 to 1, or lies on the border; both ends are finite, and not the same.

use crate::number::Unit;
use crate::ticks;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is on it.
    pub title: String,
    /// How numbers grow along it.
    pub scale: Scale,
    /// How numbers are written.
    pub unit: Unit,
    /// Its ends, where they are not those of the numbers; what lies beyond them has no place.
    pub ends: Option<(f64, f64)>,
    /// The name of the border on which infinite numbers lie; without one they have no place.
    pub border: Option<String>,
}

/// How numbers grow along an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// By sums.
    Linear,
    /// By products.
    Logarithmic,
    /// Not at all: number `i` is the row of word `i`.
    Words(Vec<String>),
}

impl Axis {
    /// A linear axis of numbers.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear, unit: Unit::Number, ends: None, border: None }
    }

    /// A logarithmic one.
    pub fn logarithmic(title: impl Into<String>) -> Self {
        Self { scale: Scale::Logarithmic, ..Self::linear(title) }
    }

    /// A logarithmic one of seconds.
    pub fn seconds(title: impl Into<String>) -> Self {
        Self { unit: Unit::Seconds, ..Self::logarithmic(title) }
    }

    /// A linear axis from none to all, in percent.
    pub fn share(title: impl Into<String>) -> Self {
        Self { unit: Unit::Percent, ends: Some((0.0, 1.0)), ..Self::linear(title) }
    }

    /// A linear axis of whole numbers.
    pub fn count(title: impl Into<String>) -> Self {
        Self { unit: Unit::Count, ..Self::linear(title) }
    }

    /// A row for each word.
    pub fn words(title: impl Into<String>, words: Vec<String>) -> Self {
        Self { scale: Scale::Words(words), ..Self::linear(title) }
    }

    /// The same with a border for what never came.
    #[must_use]
    pub fn with_border(self, name: impl Into<String>) -> Self {
        Self { border: Some(name.into()), ..self }
    }

    /// Whether a number has a place on it.
    pub(crate) fn takes(&self, number: f64) -> bool {
        let is_between = self.ends.is_none_or(|(low, high)| (low..=high).contains(&number));
        match &self.scale {
            _ if number == f64::INFINITY => self.border.is_some(),
            Scale::Linear => number.is_finite() && is_between,
            Scale::Logarithmic => number.is_finite() && number > 0.0 && is_between,
            Scale::Words(words) => (0..words.len()).any(|row| row_number(row) == number),
        }
    }

    /// The least and the largest of some numbers that lie between the ends.
    pub(crate) fn range(&self, numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        let numbers = numbers.filter(|number| number.is_finite() && self.takes(*number));
        numbers.fold(None, |ends, number| match ends {
            None => Some((number, number)),
            Some((low, high)) => Some((number.min(low), number.max(high))),
        })
    }

    /// The axis for some numbers.
    pub(crate) fn fit(&self, numbers: impl Iterator<Item = f64>) -> Fitted {
        let given = self.ends.filter(|(low, high)| self.takes(*low) && self.takes(*high) && high.is_finite());
        let ends = given.or_else(|| self.range(numbers));
        let (low, high) = match (&self.scale, ends) {
            (Scale::Words(words), _) => (0.0, row_number(words.len().max(1))),
            (Scale::Linear, None) => (0.0, 1.0),
            (Scale::Logarithmic, None) => (0.0, 1.0),
            (Scale::Linear, Some((low, high))) => apart(low, high, if self.unit == Unit::Count { 1.0 } else { 0.5 }),
            (Scale::Logarithmic, Some((low, high))) => {
                let (low, high) = (ticks::rounded_down(low.log10()), ticks::rounded_up(high.log10()));
                // Beyond the largest number there is none to write, and below the least hardly any digits.
                let (low, high) = (low.clamp(-307.0, 307.0), high.max(-306.0));
                if high - low < 0.2 { (low.floor(), low.floor() + 1.0) } else { (low, high) }
            }
        };
        Fitted { scale: self.scale.clone(), unit: self.unit, low, high }
    }
}

/// The number of a row.
#[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
pub(crate) fn row_number(row: usize) -> f64 {
    row as f64
}

/// Ends that are not the same, nor so close that numbers between them look the same; `least` is the room around a number of common size.
fn apart(low: f64, high: f64, least: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if size > 1e-300 && high / 2.0 - low / 2.0 > 1e-6 * size {
        return (low, high);
    }
    // Halves, so that nothing becomes infinite.
    let is_common = size < 1e-300 || size < 1e3 && (size >= 1e-3 || least >= 1.0);
    let room = if is_common { least } else { size / 2.0 };
    ((low - room).max(f64::MIN), (high + room).min(f64::MAX))
}

/// An axis with ends, which are logarithms where it is logarithmic.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    scale: Scale,
    unit: Unit,
    low: f64,
    high: f64,
}

impl Fitted {
    /// Where a finite number is, from 0 to 1.
    pub(crate) fn place(&self, number: f64) -> f64 {
        match &self.scale {
            Scale::Linear => self.share(number),
            Scale::Logarithmic => self.share(number.log10()),
            // In the middle of its row; rows go down, places up.
            Scale::Words(words) => 1.0 - (number + 0.5) / row_number(words.len().max(1)),
        }
    }

    /// The numbers that are written, with their places.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        match &self.scale {
            Scale::Linear => ticks::linear(self.low, self.high, self.unit)
                .into_iter()
                .map(|(number, text)| (self.share(number), text))
                .collect(),
            Scale::Logarithmic => ticks::logarithmic(self.low, self.high, self.unit)
                .into_iter()
                .map(|(number, text)| (self.share(number), text))
                .collect(),
            Scale::Words(words) => {
                words.iter().enumerate().map(|(row, word)| (self.place(row_number(row)), word.clone())).collect()
            }
        }
    }

    /// How many powers of ten lie between the ends of a logarithmic axis.
    pub(crate) fn decades(&self) -> Option<f64> {
        (self.scale == Scale::Logarithmic).then_some(self.high - self.low)
    }

    /// By halves: the difference of two numbers may be infinite.
    fn share(&self, number: f64) -> f64 {
        ((number / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_end_at_round_numbers() {
        let fitted = Axis::logarithmic("s").fit([0.021, 30.0, 0.0, f64::NAN].into_iter());
        let texts: Vec<String> = fitted.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0.1", "1", "10"]);
        assert!(fitted.place(0.02) < 1e-12 && (fitted.place(50.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn axes_of_one_number_and_of_none_have_room() {
        for axis in [Axis::linear("x"), Axis::logarithmic("x"), Axis::seconds("x"), Axis::count("x"), Axis::share("x")]
        {
            for numbers in
                [&[][..], &[1.0], &[7e-300], &[3e300], &[1e15, 1e15 + 1.0], &[f64::MAX], &[f64::MIN_POSITIVE, f64::MAX]]
            {
                let fitted = axis.fit(numbers.iter().copied());
                assert!(numbers.iter().all(|number| (0.0..=1.0).contains(&fitted.place(*number))), "{fitted:?}");
                let ticks = fitted.ticks();
                assert!((2..=12).contains(&ticks.len()), "{fitted:?} {ticks:?}");
                assert!(ticks.iter().all(|(place, text)| (0.0..=1.0).contains(place) && text.len() < 16), "{ticks:?}");
                assert!(ticks.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1), "{ticks:?}");
            }
        }
        let all = Axis::linear("x").fit([f64::MIN, f64::MAX].into_iter());
        assert!((all.place(0.0) - 0.5).abs() < 1e-12 && all.ticks().len() > 1);
        assert_eq!(Axis::share("y").fit([0.3].into_iter()).ticks()[1].1, "25 %");
    }

    #[test]
    fn only_numbers_with_a_place_are_taken() {
        let (plain, log) = (Axis::linear("x"), Axis::logarithmic("x"));
        assert!(plain.takes(-1.0) && !plain.takes(f64::NAN) && !plain.takes(f64::INFINITY));
        assert!(!log.takes(0.0) && !log.takes(-1.0) && log.takes(1e-300));
        let bordered = log.with_border("> 5 s");
        assert!(bordered.takes(f64::INFINITY) && !bordered.takes(f64::NEG_INFINITY) && !bordered.takes(f64::NAN));
        let words = Axis::words("w", vec!["a".to_owned(), "b".to_owned()]);
        assert!(words.takes(1.0) && !words.takes(2.0) && !words.takes(0.5));
        assert_eq!(words.fit(std::iter::empty()).ticks(), [(0.75, "a".to_owned()), (0.25, "b".to_owned())]);
    }
}
