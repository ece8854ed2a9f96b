//! What the tests of several crates share.
//!
//! * [`random`]: the one source of chance: a seed in, everything out;
//! * [`generate`]: random small JANI models, as text, with properties;
//! * [`network`] and [`policy`]: random networks, with exact ties, and policies over a model's labels;
//! * [`shrink`]: many seeds, and the smallest model on which a check fails;
//! * [`data`]: models from text and from the shared data folder; [`python`]: other people's solvers.
//!
//! Nothing here knows how a model is explored: what is compared with what is the business of the tests.

pub mod blocksworld;
pub mod data;
pub mod generate;
pub mod network;
pub mod policy;
pub mod python;
pub mod random;
pub mod shrink;
pub mod states;

pub use data::{load, load_text, shared_data};
pub use generate::{Size, random_model};
pub use policy::random_policy;
pub use python::python_with;
pub use random::Random;
pub use shrink::{Case, for_seeds, seeds};
pub use states::all_states;
