//! Linear programs: exact feasibility for the leaves of a search, float hints with verified refutations for its nodes.

mod check;
mod dual;
mod exact;
#[cfg(test)]
mod exact_tests;
mod float;
#[cfg(test)]
mod float_tests;
mod program;
#[cfg(test)]
mod reference;
mod refute;
#[cfg(test)]
mod refute_tests;
mod rows;
mod scale;
mod solve;
mod tableau;

pub use dual::{DualSimplex, Ended};
pub use exact::ExactSimplex;
pub use float::{FloatSimplex, Hint};
pub use program::{Feasibility, Program, Row};
pub use refute::refuted_by;
pub use rows::FloatRows;
