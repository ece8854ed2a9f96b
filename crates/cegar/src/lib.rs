//! Counterexample-guided abstraction refinement for neural policies (Vinzent, Sharma and Hoffmann, *Neural Policy Safety Verification via
//! Predicate Abstraction: CEGAR*; Vinzent et al., *Policy-Specific Abstraction Predicate Selection in Neural Policy Safety
//! Verification*).
//!
//! Starting from the atoms of the unsafety condition, an abstract unsafe path is searched, checked, and refuted by new predicates,
//! until there is none (the policy is safe) or one is real (it is not).
//!
//! * [`engine`]: the loop; `iteration`: one turn of it; [`options`]: strategies and their names;
//! * `search`: abstract paths, with `expansion`, `heuristic` and `store` (what earlier iterations found out); `faults`: errors of the model;
//! * [`path`]: paths composed over the start state; [`check`]: whether they are real;
//! * [`refine`]: new predicates; [`atoms`]: formulas taken apart; [`profile`]: how variables are assigned; `decision`: what the policy's
//!   choice depends on.

mod answer;
pub mod atoms;
pub mod check;
mod decision;
pub mod engine;
pub mod expansion;
mod faults;
mod heuristic;
mod iteration;
mod number;
pub mod options;
pub mod path;
pub mod profile;
pub mod refine;
mod search;
pub mod store;

pub use answer::{Cegar, Failure, Figures, Invariant, Iteration, Observer, Outcome};
pub use engine::cegar;
pub use options::{Options, Order, PathCheck, PolicyRefinement, Preconditions, SplitPoint, Strategy, Variables, Whole};
pub use refine::Cause;
