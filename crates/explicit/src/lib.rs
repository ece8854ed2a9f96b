//! Explicit-state exploration of a model, with or without a policy.
//!
//! This is the engine that is obviously right: it visits every reachable state. [`mod@reference`] does so with the
//! reference interpreter, one state after the other; [`explore`](mod@explore) does the same with compiled successor
//! generation, packed states and several threads, and gives the same answers.
//!
//! * [`start`]: start states by propagation and splitting;
//! * [`pack`]: states as a few machine words;
//! * [`compile`]: guards, updates and policies as small programs;
//! * [`explore`](mod@explore): breadth-first search, deterministic whatever the number of threads;
//! * [`graph`]: the same with all transitions, as a Markov decision process;
//! * [`compare`](mod@compare): the same beside another policy: where the two choose differently;
//! * [`partial`]: the likely part first;
//! * [`simulate`]: random runs; [`falsify`](mod@falsify): runs that are to go wrong.

mod chunk;
pub mod compare;
pub mod compile;
pub mod explore;
pub mod falsify;
pub mod graph;
mod number;
pub mod pack;
pub mod partial;
mod reached;
mod record;
pub mod reference;
pub mod simulate;
pub mod start;
mod store;
mod task;

pub use compare::{Comparison, Example, Pair, Tally, compare};
pub use explore::explore;
pub use falsify::{Falsification, FalsifyOptions, falsify};
pub use graph::{Graph, GraphError};
pub use reached::{Reached, explore_keeping};
pub use record::{RecordError, Resolution};
pub use task::{Ending, Exploration, Explored, Statistics, Task};
