//! Everything a request names, read and put together.
//!
//! A [`Request`] names sources and options; [`Problem::load`] makes of it a model, a policy and a question, with what is taken for granted. Nothing
//! here knows how questions are answered: whoever answers one, and whoever checks an answer, starts from the same problem.
//!
//! * [`request`]: what the user asked for; [`source`]: from files, or from values in memory; [`problem`]: what it turned out to be;
//! * [`asking`]: questions as text; [`question`]: properties reduced to reachability, or refused by name; [`quantity`]: probabilities asked for;
//! * [`mod@slice`]: variables that do not matter; [`states`]: states by names.

pub mod asking;
pub mod problem;
pub mod quantity;
pub mod question;
pub mod request;
pub mod slice;
pub mod source;
pub mod states;

pub use asking::Asking;
pub use problem::{Failure, LoadedPolicy, Problem, SelectedProperty, Selection};
pub use quantity::{Aggregate, Quantity, Threshold};
pub use question::{Claim, Over, Query, Temporal};
pub use request::{Request, Slicing};
pub use slice::Slice;
pub use source::{Choosing, PolicySource, Source};
pub use states::{NoState, StateNames};
