//! The meaning of a JANI model with a neural policy.
//!
//! This crate turns syntax into typed terms over a flat state vector, composes automata into operators, applies
//! policies, and holds the slow reference interpreter that every fast engine is compared with and every witness is
//! replayed in. It contains no search.
//!
//! * [`term`]: typed, hash-consed expressions; [`linear`]: their linear normal form;
//! * [`model`]: variables, automaton instances, synchronisation vectors; [`lower`]: syntax to model;
//! * [`interpret`]: the reference interpreter;
//! * [`property`]: what is asked; [`policy`]: who chooses.

pub mod interpret;
pub mod linear;
pub mod lower;
pub mod model;
pub mod policy;
pub mod property;
pub mod slice;
pub mod term;

pub use interpret::{Choice, EvalError, Interpreter, ModelError, Outcome, State};
pub use model::{Domain, LabelId, Model, SlotId, TransientId};
pub use term::{ScalarType, Term, TermId, TermPool};
