//! Chance for tests: seeds in, choices out.

/// A generator of pseudo-random choices.
#[derive(Debug, Clone)]
pub struct Random(surefoot_num::Random);

impl Random {
    /// A generator with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Seeds that are near each other must not give sequences that are.
        Self(surefoot_num::Random::new(surefoot_num::Random::new(seed).next_u64()))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low) as usize + 1) as i64
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the words.
    ///
    /// # Panics
    /// If there are none.
    pub fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A generator of its own, for a part whose length must not change what comes after.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self::new(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range_and_repeat() {
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        for _ in 0..1000 {
            let x = a.between(-3, 4);
            assert!((-3..=4).contains(&x));
            assert_eq!(x, b.between(-3, 4));
        }
        assert_ne!(Random::new(1).next_u64(), Random::new(2).next_u64());
    }
}
