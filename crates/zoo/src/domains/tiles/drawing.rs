//! The board with its tiles; cells on which a tile must not be are marked with its number.

use serde_json::{Value, json};

use super::Puzzle;

/// How arrangements of tiles are drawn.
#[expect(clippy::cast_precision_loss, reason = "cells of a board")]
pub(super) fn drawing(puzzle: &Puzzle) -> Value {
    let (rows, columns, last) = (puzzle.board.rows, puzzle.board.columns, puzzle.board.cells() - 1);
    // Which tile of each number must not be where: tiles are few, so a list of conditions will do.
    let unsafe_now: Vec<String> =
        puzzle.unsafe_positions.iter().map(|u| format!("i = {} and tile_{{i}} = {}", u.tile, u.cell)).collect();
    let watched: Vec<String> = puzzle.unsafe_positions.iter().map(|u| format!("i = {}", u.tile)).collect();
    let fill = json!({"if": unsafe_now.join(" or "), "then": "red", "else":
        {"if": watched.join(" or "), "then": "orange", "else": "blue"}});
    let place = |cell: &str| [format!("{cell} % {columns}"), format!("floor({cell} / {columns})")];
    let [x, y] = place("tile_{i}");
    let mut shapes = vec![
        json!({"rect": [0, 0, columns, rows], "fill": "raised", "stroke": "strong"}),
        json!({"rect": [format!("{x} + 0.05"), format!("{y} + 0.05"), 0.9, 0.9], "round": 0.1, "fill": fill, "label": "{i}",
               "size": 0.5, "for": {"i": [1, last]}}),
    ];
    if puzzle.bound > 0 {
        shapes.push(
            json!({"text": "+{cost_tile_{i}}", "at": [format!("{x} + 0.88"), format!("{y} + 0.2")], "size": 0.22,
            "align": "right", "fill": "ground", "if": "cost_tile_{i} > 0", "for": {"i": [1, last]}}),
        );
    }
    for position in &puzzle.unsafe_positions {
        let (x, y) = (position.cell % columns, position.cell / columns);
        shapes.push(json!({"rect": [x, y, 1, 1], "fill": "none", "stroke": "red", "width": 2.5, "dash": true}));
        shapes.push(
            json!({"text": format!("not {}", position.tile), "at": [x as f64 + 0.5, y as f64 + 0.5], "size": 0.24,
            "fill": "red", "if": format!("empty = {}", position.cell)}),
        );
    }
    // The tile on a cell, by asking all of them; 0 is no tile.
    let there = format!("sum(j, 1, {last}, if tile_{{j}} = r * {columns} + c then j else 0)");
    let (empty, last_column) = (format!("{there} = 0"), format!("c = {}", columns - 1));
    let cell = |end: &str| json!({"if": empty, "then": format!("empty{end}"), "else": format!("{{{there}}}{end}")});
    let cell = json!({"if": last_column, "then": cell("."), "else": cell(",")});
    let row = json!(["Row {r + 1}:", {"words": cell, "for": {"c": [0, columns - 1]}}]);
    let mut words = vec![json!({"words": row, "for": {"r": [0, rows - 1]}})];
    if puzzle.bound > 0 {
        words.push(
            json!({"words": {"if": "cost_tile_{i} > 0", "then": "Tile {i} has cost {cost_tile_{i}}.", "else": ""},
            "for": {"i": [1, last]}}),
        );
    }
    json!({"drawing": 1, "size": [columns, rows], "words": words, "shapes": shapes})
}
