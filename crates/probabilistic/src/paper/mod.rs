//! The paper's algorithm: Vinzent, Hermanns and Hoffmann, *Probabilistic Safety Verification of Neural Policies via Predicate Abstraction*
//! (prob-CEGAR-PPA).
//!
//! * [`process`]: probabilistic policy predicate abstraction, explored lazily;
//! * [`maxprob`]: its largest probability and an adversary that attains it, with [`fret`] (which part of it that needs);
//! * [`chain`]: what an adversary induces; [`paths`]: its paths, most probable first;
//! * [`analysis`]: is the adversary real? With [`walk`] (paths from given start states) and [`concrete`] (what happens in
//!   their states), [`compose`] (paths as formulas), [`weighted`] and [`soft`] (the
//!   largest probability that one start state has), [`replay`] (lower bounds made sure of);
//! * refinement is that of [`surefoot_cegar`], and [`split`] (start witness splitting);
//! * [`faults`]: errors of the model; [`run`]: the loops, Algorithms 1 and 2; [`halt`]: why something ends early.
//!
//! Probabilities that depend on the state, and smallest probabilities, are refused by name.

pub mod analysis;
pub mod chain;
pub mod compose;
pub mod concrete;
pub mod faults;
pub mod fret;
pub mod halt;
pub mod maxprob;
pub mod paths;
pub mod process;
pub mod replay;
pub mod run;
pub mod soft;
pub mod split;
pub mod walk;
pub mod weighted;

use surefoot_abstraction::{Oracles, System};
use surefoot_mdp::Direction;
use surefoot_oracle::FullOracle;
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use crate::{Asked, Bounded, Failure, Observer, Options};

/// Bounds what is asked for.
///
/// # Errors
/// As [`crate::bound`].
pub fn bound<O: FullOracle>(
    system: &mut System<'_>,
    asked: &Asked<'_>,
    options: &Options,
    oracles: &Oracles<O>,
    observer: &mut dyn Observer,
) -> Result<Bounded, Failure> {
    if asked.direction == Direction::Min {
        let message = "the paper's algorithm bounds largest probabilities, and the smallest one is asked for";
        return Err(Diagnostic::error_anywhere(message).refused(Refusal::Question).into());
    }
    run::Run::new(system, asked, options, oracles).run(observer)
}
