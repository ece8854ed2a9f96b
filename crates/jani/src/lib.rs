//! JANI text to syntax and back.
//!
//! This crate knows the *shape* of JANI models, properties and PlaJA's extensions, and where in which file
//! each piece stands. It knows nothing of their meaning: names are not resolved, types not checked. That is
//! the business of `surefoot-model`.
//!
//! * [`source`]: files, spans, and how a byte offset is told to a person;
//! * [`diagnostic`]: errors and warnings with a place and advice;
//! * [`syntax`]: the tree, with expressions in one post-ordered arena;
//! * [`json`]: JSON text as a tree with places, for every reader of JSON files;
//! * [`read`]: text to syntax; [`load`]: files to text;
//! * [`write`](mod@write): syntax to text;
//! * [`render`](mod@render): diagnostics as text for people; [`suggest`]: which word was meant.

pub mod diagnostic;
pub mod json;
mod load;
mod operators;
mod place;
pub mod read;
pub mod render;
pub mod source;
mod suggest;
pub mod syntax;
pub mod write;

pub use load::{load, load_reached, unveil_beside};
pub use read::{read_expression, read_model, read_model_text, read_properties, read_properties_text};
pub use render::render;
pub use suggest::suggest;
pub use write::write_model;
