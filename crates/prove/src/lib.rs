//! Finds proofs that an invariant is inductive, and writes them as a certificate.
//!
//! The rules are the checker's own ([`surefoot_checker`]): a step is written when the checker's function for it has succeeded on the node, and a leaf when
//! nothing is pending. So whatever is written is accepted, and nothing here needs to be trusted; a proof that is not found is no certificate, and
//! never a wrong one. One pass is made over the final invariant, however it was found.
//!
//! * [`search`]: the proof of one node; [`choose`]: what the policy does in it; [`lead`]: where operators lead; [`start`](mod@start): start states;
//! * [`cut`]: where to split because a condition is open; [`branch`]: because the policy's choice is; [`linear`]: inequalities that contradict each other;
//! * [`proof`]: tokens, and the formulas that they add; [`write`](mod@write): the whole certificate;
//! * [`lemma`]: questions about a network alone.

pub mod branch;
pub mod choose;
pub mod cut;
pub mod lead;
pub mod lemma;
pub mod linear;
pub mod proof;
pub mod search;
pub mod start;
pub mod write;

pub use lemma::{Lemmata, write_lemmas};
pub use proof::{Proof, Stuck};
pub use write::{Invariant, Unwritten, Written, write};
