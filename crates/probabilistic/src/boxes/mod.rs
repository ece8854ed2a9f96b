//! Explicit values and boxes: bounds refined where the value asks for it.
//!
//! The paper's scheme has one set of predicates for all states, and learns from paths. That is slow where a policy visits few configurations (positions, flags)
//! and the rest are counters: predicates on positions are found one by one, and path sets grow without end. Here
//!
//! * variables of small domains are explicit from the beginning, the others have ranges (`slots`); per configuration a tree of cuts divides the
//!   ranges into cells (`partition`), which are boxes;
//! * what can happen is compiled for boxes (`program`, `range`); a cell has the moves of every label that the oracle does not exclude there, and
//!   every outcome leads to all cells that its image meets (`expand`);
//! * the cells are a Markov decision process whose values bound those of the model, with certified rounding (`process`);
//! * concrete states are explored beside it (`concrete`, `beside`): what they attain bounds the value from the other side, and the frontier of what is explored is worth what
//!   the abstraction says of it;
//! * cells are cut where likely runs come to and behaviours differ in value (`blame`, `cut`, `refine`);
//! * `sketch`: cells to be looked at; `start`: the start set as boxes; `faults`: errors of the model; `band`: both bounds; `engine`: the loop.
//!
//! Nothing here is specific to a policy: without one all moves are the scheduler's.

mod band;
mod beside;
mod blame;
mod concrete;
mod cut;
mod engine;
mod expand;
mod faults;
mod partition;
mod process;
mod program;
mod range;
mod refine;
mod sketch;
mod slots;
mod start;

use surefoot_abstraction::{Oracles, System};
use surefoot_oracle::FullOracle;

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
    engine::Run::new(system, asked, options, oracles)?.run(observer)
}
