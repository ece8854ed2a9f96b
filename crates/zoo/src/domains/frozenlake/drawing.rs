//! The lake from above: ice, holes, the goal, and the agent.

use serde_json::{Value, json};

use super::lake::Lake;

/// How states on a lake are drawn. Both encodings have the number of the tile.
pub(super) fn drawing(lake: &Lake) -> Value {
    let (size, goal) = (lake.size, lake.goal());
    let letter = |tile: usize| match tile {
        1 => 's',
        _ if tile == goal => 'g',
        _ if lake.holes.contains(&tile) => 'o',
        _ => '.',
    };
    let rows: Vec<String> =
        (0..size).map(|row| (0..size).map(|column| letter(row * size + column + 1)).collect()).collect();
    let holes: Vec<String> = lake.holes.iter().map(|hole| format!("tile = {hole}")).collect();
    let in_hole = if holes.is_empty() { "false".to_owned() } else { holes.join(" or ") };
    let at_goal = format!("tile = {goal}");
    json!({
        "drawing": 1,
        "size": [size, size],
        "words": [
            "The agent is in row {down}, column {across}:",
            {"if": "hole", "then": "in a hole.", "else": {"if": at_goal, "then": "at the goal.", "else": "on the ice."}}
        ],
        "let": {
            "hole": in_hole,
            "down": format!("floor((tile - 1) / {size}) + 1"),
            "across": format!("(tile - 1) % {size} + 1")
        },
        "shapes": [
            {"rect": [0, 0, size, size], "fill": "pale blue"},
            {"grid": rows, "stroke": "strong", "legend": {
                "s": {"label": "S"},
                "g": {"fill": "green", "label": "G"},
                "o": {"fill": "dark"}}},
            {"group": [
                {"circle": [0, 0, 0.3], "fill": {"if": "hole", "then": "red", "else": "orange"}, "stroke": "ground", "width": 2},
                {"circle": [-0.1, -0.06, 0.045], "fill": "ground"},
                {"circle": [0.1, -0.06, 0.045], "fill": "ground"},
                {"line": [-0.11, 0.13, 0.11, 0.13], "stroke": "ground", "width": 1.5}
             ], "at": ["across - 0.5", "down - 0.5"]}
        ]
    })
}
