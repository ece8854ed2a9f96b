//! Numbers of states, choices, outcomes and the like, in 32 bits.

/// A count or an index in 32 bits, which is how tables keep them.
///
/// # Panics
/// Beyond 2^32: a wrong number would be another state.
#[inline]
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 of a kind")
}
