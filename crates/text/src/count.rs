//! How many, in words.

/// `1 state`, `2 states`.
#[must_use]
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
