//! Texts that people write, and what is said about them.
//!
//! Every format that is read from text (JANI, properties, policy files, queries, formulas) shares this: where a piece of
//! text stands, how a person is told, and what was probably meant. Nothing here knows what a text means.
//!
//! * [`source`]: files, spans, and how a byte offset is told to a person;
//! * [`diagnostic`]: errors and warnings with a place and advice;
//! * [`json`]: JSON text as a tree with places, for every reader of JSON files;
//! * [`load`](fn@load): files to text, with what `surefoot-files` checks on the way; [`give`]: texts in memory;
//! * [`render`](mod@render): diagnostics as text for people; [`suggest`](fn@suggest): which word was meant;
//!   [`counted`](fn@counted): how many; [`option`](fn@option): options, as the user writes them.

mod count;
pub mod diagnostic;
pub mod json;
mod load;
mod option;
mod place;
pub mod render;
pub mod source;
mod suggest;

pub use count::counted;
pub use load::{give, load, load_reached, unveil_beside};
pub use option::{option, spell_options};
pub use render::render;
pub use suggest::suggest;
