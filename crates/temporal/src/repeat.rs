//! Many steps of what comes back to where it was (Brent, *An improved Monte Carlo factorization algorithm*, 1980).

/// A value after so many steps. Once it has been there before, whole rounds are left out: numbers of steps are the user's, and may be huge.
pub(crate) fn repeated<T: Clone + PartialEq>(mut value: T, steps: u64, step: impl Fn(&T) -> T) -> T {
    let (mut saved, mut since, mut power, mut left) = (value.clone(), 0u64, 1u64, steps);
    while left > 0 {
        value = step(&value);
        left -= 1;
        since += 1;
        if value == saved {
            for _ in 0..left % since {
                value = step(&value);
            }
            return value;
        }
        if since == power {
            (saved, since, power) = (value.clone(), 0, power.saturating_mul(2));
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn rounds_are_left_out_and_the_rest_is_done() {
        // A tail of 5 into a circle of 7.
        let step = |n: &u64| if *n == 11 { 5 } else { n + 1 };
        for steps in 0..100 {
            let plain = (0..steps).fold(0, |n, _| step(&n));
            assert_eq!(repeated(0, steps, step), plain, "{steps}");
        }
        assert_eq!(repeated(0, u64::MAX, step), 5 + (u64::MAX - 5) % 7);
    }
}
