//! Linear programs: exact feasibility for the leaves of a search, float hints with verified refutations for its nodes.

mod program;

pub use program::{Feasibility, Program, Row};
