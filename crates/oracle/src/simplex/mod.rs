//! Linear programs: exact feasibility for the leaves of a search, float hints with verified refutations for its nodes.

mod check;
mod exact;
#[cfg(test)]
mod exact_tests;
mod program;
#[cfg(test)]
mod reference;
mod scale;
mod tableau;

pub use exact::ExactSimplex;
pub use program::{Feasibility, Program, Row};
