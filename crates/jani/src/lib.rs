//! JANI text to syntax and back.
//!
//! This crate knows the *shape* of JANI models, properties and PlaJA's extensions, and where in which file
//! each piece stands. It knows nothing of their meaning: names are not resolved, types not checked. That is
//! the business of `surefoot-model`.
//!
//! * [`syntax`]: the tree, with expressions in one post-ordered arena;
//! * [`read`]: text to syntax; [`write`](mod@write): syntax to text.
//!
//! Sources, spans, diagnostics and the JSON reader are `surefoot-text`'s.

mod operators;
pub mod read;
pub mod syntax;
pub mod write;

pub use read::{
    read_expression, read_model, read_model_source, read_model_text, read_properties, read_properties_source,
    read_properties_text,
};
pub use write::write_model;
