//! How far a search is.
//!
//! Engines hold a [`Reporter`] and tell it an [`Event`] now and then: a value of their own that can say its figures, and a line for people.
//! Both are made only when someone wants them, so that events may come from inner loops. Whoever listens knows no engine.

use crate::figure::Figure;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The search goes on; of many such events some may be left out.
    Progress,
    /// A refinement has been made: all of them are told.
    Iteration,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Progress => "progress",
            Self::Iteration => "iteration",
        }
    }
}

/// Something worth telling.
pub trait Event {
    /// What it is about.
    fn kind(&self) -> Kind {
        Kind::Progress
    }

    /// Its figures, in the order in which they are told.
    fn figures(&self) -> Vec<Figure>;

    /// The same on one line, for people.
    fn line(&self) -> String;
}

/// Someone who wants to know how far a search is. Told by several threads at once.
pub trait Reporter: Sync {
    /// Something has happened.
    fn tell(&self, event: &dyn Event);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn tell(&self, _: &dyn Event) {}
}
