//! Reproducible pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014). Small, and the same everywhere.

/// A generator of pseudo-random numbers. Not for secrets.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of many streams of the same seed: what one draws has nothing to do with what another does, nor with who draws first.
    #[must_use]
    pub fn stream(seed: u64, number: u64) -> Self {
        // Both are mixed, so that neighbouring seeds and numbers are as far apart as any.
        let seed = Self(seed).next_u64();
        Self(Self(seed ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03)).next_u64())
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not zero.
    #[expect(clippy::cast_possible_truncation, reason = "the upper half of the product is below n")]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_from_each_other_and_not_from_themselves() {
        let first = |seed, number| Random::stream(seed, number).next_u64();
        let mut all: Vec<u64> = (0..20).flat_map(|seed| (0..200).map(move |number| first(seed, number))).collect();
        assert_eq!(first(3, 7), all[3 * 200 + 7]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4000);
    }
}
