//! The one place where files are opened.
//!
//! * [`Inputs`] reads: regular files only, or standard input by `-`; no more bytes than the [`Kind`] may have; hashed as they are
//!   read, once, so that a hash is of what was used; [`unpack`] takes off gzip. [`Origin`] says who named a file: a user, or another file.
//! * [`Draft`] writes: under another name in the same folder, moved into place when complete. What is unfinished is removed on
//!   errors, and by [`remove_drafts`] when a signal ends the process.
//! * [`Outputs`] guards: what is written is neither an input nor another output, however it is spelt.
//! * [`Scratch`] is a private temporary folder; [`escape`] makes names fit to be shown.
//!
//! Trust: files come from others. Nothing that a file says makes us wait, fill the memory, write where we read, or show what is in a
//! file that is not part of what the user gave. This crate depends on none of ours.

mod draft;
mod escape;
mod guard;
mod inputs;
mod kind;
mod open;
mod packed;
mod place;
mod scratch;
mod unfinished;

pub use draft::{Draft, can_replace, open_journal, open_log, replace};
pub use escape::{escape, escape_json, escape_lines, is_unprintable};
pub use guard::{Clash, Outputs};
pub use inputs::{Inputs, Origin, STANDARD_INPUT, sha256};
pub use kind::Kind;
pub use open::{ReadError, head};
pub use packed::{unpack, unpacked_name};
pub use scratch::Scratch;
pub use unfinished::remove_drafts;
