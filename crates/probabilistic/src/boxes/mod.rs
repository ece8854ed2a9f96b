//! Explicit values and boxes.

use surefoot_abstraction::{Oracles, System};
use surefoot_oracle::FullOracle;

use crate::{Asked, Bounded, Failure, Observer, Options};

/// Bounds what is asked for.
///
/// # Errors
/// As [`crate::bound`].
pub fn bound<O: FullOracle>(
    _system: &mut System<'_>,
    _asked: &Asked<'_>,
    _options: &Options,
    _oracles: &Oracles<O>,
    _observer: &mut dyn Observer,
) -> Result<Bounded, Failure> {
    Err(Failure::Internal("not yet".to_owned()))
}
