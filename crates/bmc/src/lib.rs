//! Bounded model checking: all paths under the policy, shortest first.
//!
//! A path is a sequence of rules from a start condition or a listed start state, executed symbolically: guards, the policy's inputs and
//! the unsafety condition are formulas over the start state and the environment's choices. A path is kept if some start state follows
//! it under the policy, which is one question to the oracle, and often none: the start state that follows the path
//! before it often goes on. Paths that end alike are followed once.
//!
//! **What the answers rest on.** `Unsafe`: a run, to be replayed by the caller; there is no shorter one, because all shorter paths were looked at
//! before. `Safe`: no path was left to extend, none ended in an unsafe state, and on none is the model in error. A refuted depth: no
//! unsafe state is reached in so many steps or fewer, where operators count as absent in states in which they are an error.
//!
//! **Threads.** The paths of one length are extended in chunks of fixed size, each path on its own; what was found is taken in order. So
//! neither results nor figures depend on threads.
//!
//! * [`engine`]: length by length; [`answer`]: what bounds a run, and what it ends with;
//! * `paths`: paths and questions about them; `starts`: those without steps; `expand`: one step more; `known`: what need not be followed;
//!   `faults`: errors of the model.

pub mod answer;
pub mod engine;
mod expand;
mod faults;
mod known;
mod paths;
mod starts;

pub use answer::{Bmc, Figures, Followed, Options, Outcome};
pub use engine::bmc;
