//! Bounds on probabilities of reaching unsafe states under a neural policy, by abstraction.
//!
//! What is bounded is the largest probability over start states and over the schedulers of the environment (dually the smallest, [`Asked::direction`]).
//! From above (below) by a process that has all behaviours of the model and more: an abstraction. From below (above) by start states
//! and schedulers of the model itself. Refinement brings the two together.
//!
//! Two algorithms ([`Algorithm`]):
//!
//! * [`paper`]: Vinzent, Hermanns and Hoffmann, *Probabilistic Safety Verification of Neural Policies via Predicate Abstraction*:
//!   probabilistic policy predicate abstraction, and refinement by the most probable abstract paths (prob-CEGAR-PPA);
//! * [`boxes`]: ours: variables of small domains explicit, boxes of the others cut where the value asks for it, concrete states explored beside
//!   them.
//!
//! * [`ask`]: what is asked; [`options`]: how to go about it; [`answer`]: what comes of it, and what is told on the way.

pub mod answer;
pub mod ask;
pub mod boxes;
pub mod options;
pub mod paper;

use surefoot_abstraction::{Oracles, System};
use surefoot_oracle::FullOracle;

pub use answer::{Bounded, Failure, Figures, Narrowed, Observer};
pub use ask::Asked;
pub use options::{Algorithm, Options};

/// Bounds what is asked for, until it is known as precisely as wanted, the comparison is decided, or a limit is met. The bounds are sound whenever it ends.
///
/// # Errors
/// When something cannot be lowered, there is no start state, or the model is in error in a state that a run comes to.
pub fn bound<O: FullOracle>(
    system: &mut System<'_>,
    asked: &Asked<'_>,
    options: &Options,
    oracles: &Oracles<O>,
    observer: &mut dyn Observer,
) -> Result<Bounded, Failure> {
    match options.algorithm {
        Algorithm::Boxes => boxes::bound(system, asked, options, oracles, observer),
        Algorithm::Paper => paper::bound(system, asked, options, oracles, observer),
    }
}
