//! A model and its policy as one system, for checkers that know no networks.
//!
//! The network becomes part of the model: as an automaton that computes its neurons by silent edges and lets the label that wins move the system (JANI,
//! with integer or real neurons), or as definitions of a symbolic transition relation (SMV). [`encode`] writes the text.
//!
//! * `compose`: what the composed system does; `chain` and `discrete`: what the network computes there;
//! * `plain`: the model without what checkers do not have; `system`: conditions over it; `start`: start states;
//! * `jani`, `smv`, `names`: the texts; [`Figures`]: what is in them.

mod chain;
mod compose;
mod discrete;
mod figures;
mod jani;
mod names;
mod options;
mod plain;
mod smv;
mod start;
mod system;

use surefoot_text::diagnostic::Diagnostic;

pub use figures::Figures;
pub use options::{MOST_BITS, Options, Starts, Target};
pub use system::Subject;

/// A text, and what is in it.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The text.
    pub text: String,
    /// What is in it.
    pub figures: Figures,
}

/// Writes a model and its policy as one system.
///
/// # Errors
/// What cannot be encoded, by name and with its place.
pub fn encode(subject: &Subject<'_>, options: &Options) -> Result<Encoded, Diagnostic> {
    if options.target == Target::Nuxmv {
        let (text, networks) = smv::write(subject)?;
        return Ok(Encoded { text, figures: Figures::of_networks(&networks) });
    }
    let mut composed = compose::Composed::new(subject, options)?;
    let text = jani::write(&mut composed, options.starts)?;
    Ok(Encoded { text, figures: Figures::of(&composed) })
}
