//! The board: cells, neighbours, the goal that can be reached, and unsafe positions.
//!
//! Cells are numbered from 0, row by row. At first the empty cell is cell 0 and tile `i` is on cell `i`.

use crate::ParameterError;
use crate::text::int;

/// The labels, by where the empty cell goes.
pub(super) const MOVES: [&str; 4] = ["move_left", "move_right", "move_up", "move_down"];

/// A board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether the end of a row is next to the beginning of the following one.
    pub(super) wrap: bool,
}

/// A tile and a cell on which it must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsafe {
    pub(super) tile: usize,
    pub(super) cell: usize,
}

impl Board {
    pub(super) fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// How much the number of the moved tile's cell grows.
    pub(super) fn offset(&self, label: usize) -> i64 {
        let columns = int(self.columns);
        [1, -1, columns, -columns][label]
    }

    /// The cells from which the empty cell cannot go sideways although the numbers would allow it: the ends of rows.
    pub(super) fn blocked(&self, label: usize) -> Vec<usize> {
        match (self.wrap, label) {
            (false, 0) => (1..self.rows).map(|row| row * self.columns).collect(),
            (false, 1) => (1..self.rows).map(|row| row * self.columns - 1).collect(),
            _ => Vec::new(),
        }
    }

    /// The cells from which a tile can move to a cell, ascending.
    pub(super) fn neighbours(&self, cell: usize) -> Vec<usize> {
        let labels = (0..MOVES.len()).filter(|label| !self.blocked(*label).contains(&cell));
        let from = labels.map(|label| int(cell) - self.offset(label));
        let mut from: Vec<usize> = from.filter_map(|c| usize::try_from(c).ok()).filter(|c| *c < self.cells()).collect();
        from.sort_unstable();
        from
    }

    /// The goal, as the cell of the empty cell followed by those of the tiles: everything the other way round.
    ///
    /// Where that cannot be reached without wrapping, tiles 1 and 2 change places: a move swaps two things and moves
    /// the empty cell by one step, so the parities of swaps and of steps agree.
    pub(super) fn goal(&self) -> Vec<usize> {
        let mut goal: Vec<usize> = (0..self.cells()).rev().collect();
        let swaps = self.cells() / 2;
        let steps = self.rows - 1 + self.columns - 1;
        if swaps % 2 != steps % 2 {
            goal.swap(1, 2);
        }
        goal
    }

    /// Reads `TILE@CELL` pairs with commas between them, each once; an empty text is tile 3 on the last cell but one.
    pub(super) fn unsafe_positions(&self, text: &str) -> Result<Vec<Unsafe>, ParameterError> {
        if text.is_empty() {
            return Ok(vec![Unsafe { tile: 3, cell: self.cells() - 2 }]);
        }
        let (tiles, last) = (self.cells() - 1, self.cells() - 1);
        let pair = |word: &str| {
            let (tile, cell) = word.trim().split_once('@')?;
            let found = Unsafe { tile: tile.parse().ok()?, cell: cell.parse().ok()? };
            ((1..=tiles).contains(&found.tile) && found.cell <= last).then_some(found)
        };
        let mut found = Vec::new();
        for word in text.split(',') {
            let position = pair(word).ok_or_else(|| {
                ParameterError::new(format!(
                    "unsafe={text} is not possible: '{word}' is no tile from 1 to {tiles} and cell from 0 to {last}, as in 3@{last}"
                ))
            })?;
            if !found.contains(&position) {
                found.push(position);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: usize, columns: usize, wrap: bool) -> Board {
        Board { rows, columns, wrap }
    }

    #[test]
    fn neighbours_are_those_of_the_grid_unless_rows_wrap() {
        assert_eq!(board(3, 3, false).neighbours(3), [0, 4, 6]);
        assert_eq!(board(3, 3, true).neighbours(3), [0, 2, 4, 6]);
        assert_eq!(board(3, 3, false).neighbours(5), [2, 4, 8]);
        assert_eq!(board(2, 2, false).neighbours(0), [1, 2]);
        assert_eq!(board(2, 4, false).neighbours(4), [0, 5]);
    }

    #[test]
    fn goals_are_the_other_way_round_where_they_can_be_reached() {
        assert_eq!(board(3, 3, false).goal(), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(board(2, 2, false).goal(), [3, 2, 1, 0]);
        assert_eq!(board(3, 4, false).goal()[..4], [11, 9, 10, 8]);
    }

    #[test]
    fn unsafe_positions_are_read() {
        let board = board(3, 3, false);
        assert_eq!(board.unsafe_positions("").unwrap(), [Unsafe { tile: 3, cell: 7 }]);
        let two = [Unsafe { tile: 1, cell: 0 }, Unsafe { tile: 8, cell: 8 }];
        assert_eq!(board.unsafe_positions("1@0, 8@8").unwrap(), two);
        assert_eq!(board.unsafe_positions("1@0,8@8,1@0, 8@8").unwrap(), two);
        for wrong in ["9@0", "0@1", "1@9", "1", "a@b", "1@2,", "1@-2"] {
            let error = board.unsafe_positions(wrong).unwrap_err().to_string();
            assert!(error.contains("tile from 1 to 8 and cell from 0 to 8"), "{wrong}: {error}");
        }
    }
}
