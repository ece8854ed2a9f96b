//! Maps of the lake: where the holes are, and where a step leads.
//!
//! Tiles are numbered from 1, row by row, as in the 3x3 lake:
//!
//! ```text
//! 1 2 3
//! 4 5 6
//! 7 8 9
//! ```

use surefoot_num::Random;

/// The directions in the order of the policy's outputs: adding one, modulo four, is turning left.
pub(super) const DIRECTIONS: [&str; 4] = ["left", "down", "right", "up"];

/// Lakes that everybody knows: the 3x3 one of the paper, the 4x4 and 8x8 ones of Gym. `O` is a hole.
const KNOWN: [&[&str]; 3] = [
    &["..O", "...", "O.."],
    &["....", ".O.O", "...O", "O..."],
    &["........", "........", "...O....", ".....O..", "...O....", ".OO...O.", ".O..O.O.", "...O...."],
];

/// A square lake; the start is the first tile, the goal the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lake {
    /// Tiles per row, and rows.
    pub(super) size: usize,
    /// The tiles that are holes, ascending.
    pub(super) holes: Vec<usize>,
}

impl Lake {
    /// The known lake of a size.
    pub(super) fn known(size: usize) -> Option<Self> {
        let rows = KNOWN.iter().find(|rows| rows.len() == size)?;
        let cells = rows.iter().flat_map(|row| row.bytes()).enumerate();
        let holes = cells.filter(|(_, cell)| *cell == b'O').map(|(i, _)| i + 1).collect();
        Some(Self { size, holes })
    }

    /// A lake with holes at random, about so many of a hundred tiles, and a way from start to goal.
    pub(super) fn random(size: usize, percent: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let goal = size * size;
        let mut lake = Self { size, holes: Vec::new() };
        for tile in 2..goal {
            if random.below(100) < percent {
                lake.holes.push(tile);
            }
        }
        // Holes are filled one by one until there is a way: that ends, at the latest without holes.
        while !lake.has_way() {
            let filled = random.below(lake.holes.len());
            lake.holes.remove(filled);
        }
        lake
    }

    /// The number of the last tile, which is the goal.
    pub(super) fn goal(&self) -> usize {
        self.size * self.size
    }

    /// Where a step leads: the neighbour, or the same tile at the border.
    pub(super) fn step(&self, tile: usize, direction: usize) -> usize {
        let (row, column) = ((tile - 1) / self.size, (tile - 1) % self.size);
        let last = self.size - 1;
        let (row, column) = match direction {
            0 => (row, column.saturating_sub(1)),
            1 => ((row + 1).min(last), column),
            2 => (row, (column + 1).min(last)),
            _ => (row.saturating_sub(1), column),
        };
        row * self.size + column + 1
    }

    /// Whether the goal can be walked to around the holes.
    fn has_way(&self) -> bool {
        let mut seen = vec![false; self.goal() + 1];
        let mut open = vec![1];
        while let Some(tile) = open.pop() {
            if std::mem::replace(&mut seen[tile], true) {
                continue;
            }
            let next = (0..DIRECTIONS.len()).map(|direction| self.step(tile, direction));
            open.extend(next.filter(|next| !self.holes.contains(next)));
        }
        seen[self.goal()]
    }
}

/// The directions in which a chosen one may lead: itself, the one to its left, the one to its right.
pub(super) fn slips(direction: usize) -> [usize; 3] {
    [direction, (direction + 1) % 4, (direction + 3) % 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lakes_have_their_holes_and_a_way() {
        assert_eq!(Lake::known(3).unwrap().holes, [3, 7]);
        assert_eq!(Lake::known(4).unwrap().holes, [6, 8, 12, 13]);
        assert_eq!(Lake::known(8).unwrap().holes, [20, 30, 36, 42, 43, 47, 50, 53, 55, 60]);
        assert!([3, 4, 8].iter().all(|size| Lake::known(*size).unwrap().has_way()));
        assert_eq!(Lake::known(5), None);
    }

    #[test]
    fn random_lakes_have_a_way_and_repeat() {
        for seed in 0..50 {
            let lake = Lake::random(6, 70, seed);
            assert!(lake.has_way());
            assert!(lake.holes.iter().all(|hole| (2..36).contains(hole)));
            assert_eq!(lake, Lake::random(6, 70, seed));
        }
        assert_ne!(Lake::random(8, 20, 1), Lake::random(8, 20, 2));
        assert_eq!(Lake::random(5, 0, 1).holes, [0; 0]);
    }

    #[test]
    fn facing_down_left_is_right() {
        assert_eq!(slips(1).map(|d| DIRECTIONS[d]), ["down", "right", "left"]);
        assert_eq!(slips(0).map(|d| DIRECTIONS[d]), ["left", "down", "up"]);
    }
}
