//! The moves in the two encodings of a position.
//!
//! Both keep the number of the tile in the variable `tile`, so that conditions and formulas can say `tile = 3`.
//! *One-hot*: `tile_n` is 1 on tile n and 0 elsewhere; a move out of tile n has the guard `tile = n` and sets all of them.
//! *Coordinates*: `row` and `column` from 1; a move changes one of them, or nothing at the border.
//!
//! No assignment can leave a variable's domain, whatever the values of the variables: symbolic engines need no
//! invariant to see that the model is in order.

use serde_json::{Value, json};

use super::lake::{DIRECTIONS, Lake, slips};
use crate::text::{add, all, certain, div, edge, eq, ge, int, integer, le, mul, outcome, set, sub};

/// How a position is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One variable per tile.
    OneHot,
    /// Row and column.
    Coordinates,
}

/// The name of a tile's variable.
fn bit(tile: usize) -> String {
    format!("tile_{tile}")
}

impl Encoding {
    /// What a network reads.
    pub(super) fn features(self, lake: &Lake) -> Vec<String> {
        match self {
            Self::OneHot => (1..=lake.goal()).map(bit).collect(),
            Self::Coordinates => vec!["row".to_owned(), "column".to_owned()],
        }
    }

    /// The values of all variables on a tile.
    fn position(self, lake: &Lake, tile: usize) -> Vec<(String, i64)> {
        let number = ("tile".to_owned(), int(tile));
        let rest = match self {
            Self::OneHot => (1..=lake.goal()).map(|t| (bit(t), i64::from(t == tile))).collect(),
            Self::Coordinates => vec![
                ("row".to_owned(), int((tile - 1) / lake.size + 1)),
                ("column".to_owned(), int((tile - 1) % lake.size + 1)),
            ],
        };
        [vec![number], rest].concat()
    }

    /// The variables, on the first tile.
    pub(super) fn variables(self, lake: &Lake) -> Vec<Value> {
        let range = |name: &str| match (self, name) {
            (_, "tile") => (1, int(lake.goal())),
            (Self::OneHot, _) => (0, 1),
            (Self::Coordinates, _) => (1, int(lake.size)),
        };
        let declare = |(name, initial): (String, i64)| {
            let (lower, upper) = range(&name);
            integer(&name, lower, upper, initial)
        };
        self.position(lake, 1).into_iter().map(declare).collect()
    }

    /// The condition to be on a tile, over all variables.
    pub(super) fn on(self, lake: &Lake, tile: usize) -> Value {
        all(self.position(lake, tile).into_iter().map(|(name, value)| eq(name, value)))
    }

    /// The edges: for every direction three choices in every state, or one with three equally likely outcomes.
    pub(super) fn edges(self, lake: &Lake, chance: bool) -> Vec<Value> {
        let mut edges = Vec::new();
        for (direction, label) in DIRECTIONS.iter().enumerate() {
            if chance {
                let tiles = 1..=lake.goal();
                edges.extend(tiles.map(|tile| self.by_chance(lake, label, tile, direction)));
                continue;
            }
            let moves = slips(direction).into_iter().flat_map(|slip| self.moves(lake, slip));
            edges.extend(moves.map(|(guard, assignments)| edge(Some(label), guard, &[certain(&assignments)])));
        }
        edges
    }

    /// The moves in a direction, as guards and assignments: in every state exactly one of the guards holds.
    fn moves(self, lake: &Lake, direction: usize) -> Vec<(Value, Vec<Value>)> {
        match self {
            Self::OneHot => {
                let tiles = 1..=lake.goal();
                tiles.map(|t| (eq("tile", t), self.to(lake, lake.step(t, direction)))).collect()
            }
            Self::Coordinates => along(int(lake.size), direction),
        }
    }

    /// Assignments of all variables. That makes what follows independent of their old values.
    fn to(self, lake: &Lake, tile: usize) -> Vec<Value> {
        self.position(lake, tile).into_iter().map(|(name, value)| set(&name, value)).collect()
    }

    /// An edge with three outcomes of probability 1/3.
    fn by_chance(self, lake: &Lake, label: &str, tile: usize, direction: usize) -> Value {
        let outcomes = slips(direction).map(|slip| outcome(div(1, 3), &self.to(lake, lake.step(tile, slip))));
        edge(Some(label), eq("tile", tile), &outcomes)
    }
}

/// A step along one coordinate, or none at the border.
fn along(size: i64, direction: usize) -> Vec<(Value, Vec<Value>)> {
    let back = direction == 0 || direction == 3;
    let variable = if direction.is_multiple_of(2) { "column" } else { "row" };
    let border = eq(variable, if back { 1 } else { size });
    let inside = if back { ge(variable, 2) } else { le(variable, size - 1) };
    let moved = if back { sub(variable, 1) } else { add(variable, 1) };
    let coordinate = |name: &str| if name == variable { moved.clone() } else { json!(name) };
    // From the coordinates, not from the old number: so it is in its domain for all rows and columns.
    let number = add(mul(size, sub(coordinate("row"), 1)), coordinate("column"));
    vec![(inside, vec![set(variable, moved), set("tile", number)]), (border, vec![])]
}
