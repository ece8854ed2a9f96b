//! Sets of states (or choices) as bit vectors.
//!
//! Invariant: bits at or beyond `len` are zero, so counting and comparing need no masks.

use crate::mdp::number;

/// A set of numbers below a fixed length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSet {
    words: Vec<u64>,
    len: usize,
}

impl StateSet {
    /// The empty set over `0..len`.
    #[must_use]
    pub fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// The full set over `0..len`.
    #[must_use]
    pub fn full(len: usize) -> Self {
        Self::from_fn(len, |_| true)
    }

    /// The members of `0..len` that satisfy `predicate`.
    #[must_use]
    pub fn from_fn(len: usize, mut predicate: impl FnMut(u32) -> bool) -> Self {
        let mut set = Self::empty(len);
        for member in 0..len {
            if predicate(number(member)) {
                set.words[member / 64] |= 1 << (member % 64);
            }
        }
        set
    }

    /// The set over `0..len` with the given members. Panics when one is out of range.
    #[must_use]
    pub fn from_members(len: usize, members: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::empty(len);
        for member in members {
            set.insert(member);
        }
        set
    }

    /// The length of the universe (not the number of members).
    #[must_use]
    pub fn universe(&self) -> usize {
        self.len
    }

    /// Whether `member` is in the set.
    #[must_use]
    pub fn contains(&self, member: u32) -> bool {
        let member = member as usize;
        self.words[member / 64] >> (member % 64) & 1 == 1
    }

    /// Adds `member`; true when it is new. Panics when out of range.
    pub fn insert(&mut self, member: u32) -> bool {
        let index = member as usize;
        assert!(index < self.len, "member {index} of a set over 0..{}", self.len);
        let (word, bit) = (&mut self.words[index / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes `member`; true when it was there.
    pub fn remove(&mut self, member: u32) -> bool {
        let index = member as usize;
        let (word, bit) = (&mut self.words[index / 64], 1 << (index % 64));
        let there = *word & bit != 0;
        *word &= !bit;
        there
    }

    /// The number of members.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Everything that is not in the set.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if !self.len.is_multiple_of(64)
            && let Some(last) = words.last_mut()
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
        Self { words, len: self.len }
    }

    /// The same members over `0..len`, which has them all.
    #[must_use]
    pub fn extended(&self, len: usize) -> Self {
        assert!(len >= self.len, "a set over 0..{} does not fit 0..{len}", self.len);
        let mut words = self.words.clone();
        words.resize(len.div_ceil(64), 0);
        Self { words, len }
    }

    /// The members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(number(index * 64) + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_complement_and_count() {
        for len in [0, 1, 63, 64, 65, 130] {
            let set = StateSet::from_fn(len, |s| s % 3 == 0);
            assert_eq!(set.iter().collect::<Vec<_>>(), (0..number(len)).filter(|s| s % 3 == 0).collect::<Vec<_>>());
            assert_eq!(set.count() + set.complement().count(), len);
            assert_eq!(set.complement().complement(), set);
            assert_eq!(StateSet::full(len), StateSet::empty(len).complement());
            assert_eq!(set.extended(len + 70), StateSet::from_members(len + 70, set.iter()));
        }
    }

    #[test]
    fn insert_and_remove_report_changes() {
        let mut set = StateSet::empty(70);
        assert!(set.insert(69) && !set.insert(69) && set.contains(69));
        assert!(set.remove(69) && !set.remove(69) && !set.contains(69));
    }
}
