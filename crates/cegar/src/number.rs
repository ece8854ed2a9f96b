//! Numbers of rules, start states and predicates, in 32 bits.

/// A count or an index in 32 bits, which is how searches keep them.
///
/// # Panics
/// Beyond 2^32, long after the memory.
#[inline]
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 of a kind")
}
