//! The oracle: is there a state in this region in which the policy chooses this label?
//!
//! A [`Question`] asks for values of bounded integer and real variables that satisfy a Boolean combination of linear
//! constraints over the variables and over the outputs of networks applied to affine images of them. An
//! [`Oracle`] answers: `Sat` with a state that was checked exactly, `Unsat`, or `Unknown` with the limit that was hit.
//!
//! Networks of ReLUs over the reals are decided completely. So are all others where the variables are integers, but for states in which
//! no precision tells scores apart. With real variables their answer may be `Unknown`, with the smallest box that was left open
//! ([`BranchAndBound::undecided`]).
//!
//! What else can be asked are capabilities, each a trait with a slow default that follows from the answers to questions:
//! [`AllAssignments`], [`Nowhere`], [`Relaxed`], [`MinimalChange`]. [`Reference`] has nothing but the defaults, [`BranchAndBound`] is fast.

mod answer;
mod assignment;
mod bounds;
mod change;
mod nowhere;
pub mod proof;
mod question;
mod reference;
mod relaxed;
mod search;
mod template;
mod valuation;
mod variable;

pub use answer::{Answer, FullOracle, KeepStatistics, Limits, Oracle, Replicate, Statistics};
pub use assignment::{AllAssignments, Assignment, Assignments};
pub use change::{Decision, MinimalChange, Move, Reach};
pub use nowhere::{Holds, Nowhere};
pub use question::{Application, MOST_INTEGER, MOST_NESTING, MOST_REAL, Question, QuestionError, Ties};
pub use reference::Reference;
pub use relaxed::{Relaxation, Relaxed, by_relaxation};
pub use search::{BranchAndBound, Options, Undecided, WithProof};
pub use template::{Narrowing, Template};
pub use variable::{Kind, Variable};
