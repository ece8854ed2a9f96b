//! What the tests of several crates share about models. What needs no model is below, in `surefoot-fixtures`.
//!
//! * [`generate`]: random small JANI models, as text, with properties; [`generate::chance`]: models with probabilities between zero and one;
//! * [`policy`]: random policies over a model's labels; [`rival`](mod@rival): a second one beside it; [`instance`]: both, with a property;
//! * [`shrink`]: many seeds, and the smallest model on which a check fails;
//! * [`truth`]: what is so, by brute force over [all states](all_states);
//! * [`data`]: models from text and from the shared data folder.
//!
//! Nothing here knows an engine: what is compared with what is the business of the tests.

pub mod blocksworld;
pub mod data;
pub mod generate;
pub mod instance;
pub mod policy;
pub mod rival;
pub mod shrink;
pub mod states;
pub mod truth;

pub use data::{load, load_text};
pub use generate::chance::random_chances;
pub use generate::{Size, random_model};
pub use instance::{Instance, safety};
pub use policy::random_policy;
pub use rival::rival;
pub use shrink::{Case, for_seeds, for_seeds_of};
pub use states::{all_states, declared_initial_state};
pub use truth::{Truth, Verdict};
