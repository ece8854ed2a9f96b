//! The oracle: is there a state in this region in which the policy chooses this label?
//!
//! A [`Question`] asks for values of bounded integer and real variables that satisfy a Boolean combination of linear
//! constraints over the variables and over the outputs of ReLU networks applied to affine images of them. An
//! [`Oracle`] answers: `Sat` with a state that was checked exactly, `Unsat`, or `Unknown` with the limit that was hit.

mod answer;
mod assignment;
mod bounds;
mod change;
pub mod proof;
mod question;
mod reference;
mod search;

pub use answer::{Answer, Limit, Limits, Oracle, Statistics};
pub use assignment::{AllAssignments, Assignment, Assignments, assignments_reference};
pub use change::{Decision, Move, Reach};
pub use question::{Application, Kind, MOST_INTEGER, MOST_NESTING, MOST_REAL, Question, QuestionError, Ties, Variable};
pub use reference::Reference;
pub use search::{BranchAndBound, Holds, Options, Template};
