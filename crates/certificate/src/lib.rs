//! What a verdict carries: witnesses, and certificates that a checker reads.
//!
//! A [`Witness`] is a run, told in names and exact numbers, so that it means something without the program that found
//! it. This crate knows its shape and its JSON, not its truth: whether a witness is real is decided by replaying it in
//! the model. A certificate is a compressed file of lines; what they show is for a checker to say.
//!
//! * [`witness`]: the data, and how it is written;
//! * [`read`]: JSON back to data, with a place for every error; `deserialize`: the same as a part of typed objects;
//! * [`index`]: what a certificate claims; [`write`](mod@write): certificates to files; [`lines`]: and back, with bounds;
//! * [`token`]: proofs as trees of tokens;
//! * [`bounded`]: the index of certificates of bounds on probabilities;
//! * `bound`: bounds on probabilities, and what shows them; [`members`]: objects whose members are names.

mod bound;
pub mod bounded;
mod deserialize;
pub mod index;
pub mod lines;
pub mod members;
pub mod read;
pub mod token;
mod trouble;
pub mod witness;
pub mod write;

pub use bound::{ReadBound, ReadChoice, read_bound};
pub use bounded::BoundedIndex;
pub use index::Index;
pub use lines::{CertificateError, CertificateLines};
pub use members::Members;
pub use read::{PolicyClaim, QuestionClaim, RESULT_FORMAT, ReadWitness, ResultClaims, read_claims, read_witness};
pub use trouble::trouble;
pub use witness::{Decision, EdgeTaken, Score, StateRecord, Step, Value, Witness};
pub use write::{CertificateWriter, Size, WriteError};
