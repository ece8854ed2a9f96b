//! Bounds on differences of a network's outputs over a box of slots, in floats with every rounding accounted for.
//!
//! The rule is that of the format's page (*Bounds*): the first layer by the box, further ones by intervals and, where these leave a
//! sign open, by substitution of lines; the row of an output likewise.
//!
//! * [`prepared`]: a network laid out, its inputs put into its first layer; and what is left of it where some slots are fixed;
//! * `weights`: the weights of a hidden layer, of which only those that are not zero are kept where they are few;
//! * [`rows`]: the rule itself; `neurons`: lines, and forms on their way through them.
//!
//! Soundness: `fl(x op y) = (x op y)(1 + d) + t`, `|d| <= u`, and `|t|` below the smallest normal number for products alone. A sum of `n` products
//! in any order is off by at most `gamma(n)` times the sum of their sizes ([`surefoot_num::round::gamma`]), and by what underflows: `TINY` is more than that for sums of numbers, and for
//! coefficients, which multiply numbers of any size, see [`rows`]. Wherever a sum is taken the sum of sizes is known or bounded, and `gamma` is taken of far more roundings than
//! there are.

mod neurons;
pub mod prepared;
pub mod rows;
mod weights;

pub use prepared::{Folded, Prepared};
pub use rows::{Bounded, Phase, Row, Slopes};
pub use weights::Weights;

/// More than all underflows of one sum together.
pub(crate) const TINY: f64 = 1e-290;
