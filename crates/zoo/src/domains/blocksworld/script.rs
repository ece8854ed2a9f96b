//! Policies that are written down: always the highest-numbered clear block.
//!
//! Flags are 0 or 1, so `(i + 1) * clear_i` is largest for the highest-numbered clear block, and a layer of ReLU passes flags on
//! unchanged. `stack` never chooses the table, as some block is always clear. `unstack` does so whenever something is in the
//! hand. Weights are small integers: the networks compute exactly this.

use super::World;
use crate::policy::{Attached, Interface, scripted};

/// Takes the highest-numbered clear block and puts it on the highest-numbered clear block.
pub(super) fn stack(world: &World, interface: &Interface) -> Attached {
    scripted(interface, "Always the highest-numbered clear block, never the table.", layers(world, interface, 0))
}

/// Takes the highest-numbered clear block and puts it on the table.
pub(super) fn unstack(world: &World, interface: &Interface) -> Attached {
    let comment = "The highest-numbered clear block goes on the table.";
    scripted(interface, comment, layers(world, interface, world.blocks + 1))
}

/// One hidden layer: whether the hand is full, and the flags. `table` is the score of the table when it is.
#[expect(clippy::cast_precision_loss, reason = "numbers of blocks are exact")]
fn layers(world: &World, interface: &Interface, table: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
    let (inputs, hidden) = (interface.inputs.len(), world.blocks + 1);
    let mut first = vec![0.0; inputs * hidden];
    // The inputs are the hand's flag, the table's counter, positions, flags and perhaps costs.
    first[0] = -1.0;
    for i in 0..world.blocks {
        first[(i + 1) * inputs + 2 + world.blocks + i] = 1.0;
    }
    let mut bias = vec![0.0; hidden];
    bias[0] = 1.0;
    let mut second = vec![0.0; hidden * hidden];
    second[0] = table as f64;
    for i in 1..hidden {
        second[i * hidden + i] = i as f64;
    }
    vec![(first, bias), (second, vec![0.0; hidden])]
}
