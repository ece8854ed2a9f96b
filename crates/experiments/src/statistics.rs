//! Means, deviations and medians of some numbers.

/// The mean; none of no numbers.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The standard deviation of a sample; none of less than two numbers.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
pub fn deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers).filter(|_| numbers.len() > 1)?;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    Some((squares / (numbers.len() - 1) as f64).sqrt())
}

/// The median; none of no numbers.
#[must_use]
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The smallest number; none of none.
#[must_use]
pub fn least(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().min_by(f64::total_cmp)
}

/// The largest number; none of none.
#[must_use]
pub fn most(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_up() {
        let sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(
            (mean(&sample), median(&sample), least(&sample), most(&sample)),
            (Some(5.0), Some(4.5), Some(2.0), Some(9.0))
        );
        assert!((deviation(&sample).unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!((mean(&[]), median(&[]), deviation(&[1.0]), least(&[]), most(&[])), (None, None, None, None, None));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    }
}
