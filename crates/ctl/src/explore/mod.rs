//! The system on one piece of the initial region: symbolic states and their successors.
//!
//! * [`image`]: a state as an affine image of the parameters; equal images are one state;
//! * [`memory`]: what is known of states, and stays true on parts of the piece;
//! * [`cell`]: a piece being worked on; [`step`]: the successors of a state.

pub mod cell;
pub mod image;
pub mod memory;
pub mod step;

use surefoot_limits::Stop;
use surefoot_model::ModelError;
use surefoot_text::diagnostic::Diagnostic;

use crate::region::{Cut, Stopped};

pub use cell::{Cell, Engine};
pub use image::Image;
pub use memory::Memory;
pub use step::{Step, Successors};

/// Why something is not known on a piece.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// It is not the same everywhere: cut here.
    Open(Cut),
    /// The model is in error.
    Model(Box<ModelError>),
    /// Something is refused by name, or the property is in error.
    Refused(Box<Diagnostic>),
    /// A limit was reached.
    Stopped(Stop),
    /// What is to be built got too large, and what is.
    TooLarge(String),
    /// An invariant of our own is broken.
    Internal(String),
}

impl From<Stopped> for Trouble {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped.0)
    }
}

impl From<Diagnostic> for Trouble {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(Box::new(diagnostic))
    }
}
