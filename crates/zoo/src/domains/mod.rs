//! The domains, one file (or folder) each.

mod blocksworld;
mod frozenlake;
mod given;
mod racetrack;
mod tiles;
mod transport;
pub mod verticalcas;

use crate::Domain;

/// All domains, in the order in which they are listed.
pub(crate) fn all() -> Vec<&'static dyn Domain> {
    vec![
        &racetrack::Racetrack,
        &blocksworld::Blocksworld,
        &tiles::Tiles,
        &transport::Transport,
        &frozenlake::FrozenLake,
        &verticalcas::VerticalCas,
    ]
}
