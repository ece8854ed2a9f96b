//! JANI text to syntax and back.
//!
//! This crate knows the *shape* of JANI models, properties and PlaJA's extensions, and where in which file
//! each piece stands. It knows nothing of their meaning: names are not resolved, types not checked. That is
//! the business of `surefoot-model`.
//!
//! * [`source`]: files, spans, and how a byte offset is told to a person;
//! * [`diagnostic`]: errors and warnings with a place and advice;
//! * [`syntax`]: the tree, with expressions in one post-ordered arena.

pub mod diagnostic;
pub mod source;
pub mod syntax;
