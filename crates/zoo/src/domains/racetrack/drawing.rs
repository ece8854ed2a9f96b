//! The map, the car on it, and an arrow to where its velocity leads.

use serde_json::{Value, json};

use super::track::{Cell, Track};
use super::{CRASHED, DX, DY, FINISHED, X, Y};

/// How states on a map are drawn.
#[expect(clippy::cast_precision_loss, reason = "coordinates of a map")]
pub(super) fn drawing(track: &Track) -> Value {
    let (width, height) = (track.width, track.height);
    // On a large map the car is larger than its cell, or nobody would find it.
    let size = 0.42_f64.max(width.max(height) as f64 / 38.0);
    let size = (size * 100.0).round() / 100.0;
    let letter = |x, y| match track.cell((x, y)) {
        Cell::Wall => 'x',
        Cell::Free => '.',
        Cell::Start => 's',
        Cell::Goal => 'g',
    };
    let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| letter(x, y)).collect()).collect();
    let look = json!({"if": CRASHED, "then": "red", "else": "blue"});
    let (ahead, end) = (1.4 * size, 2.0 * size);
    json!({
        "drawing": 1,
        "size": [width, height],
        "words": [
            format!("The car is in column {{{X}}}, row {{{Y}}}, with velocity {{{DX}}} across and {{{DY}}} down."),
            {"if": CRASHED, "then": "It has crashed.", "else": {"if": FINISHED, "then": "It is at the goal.", "else": ""}}
        ],
        // Where the velocity leads, kept on the picture.
        "let": {
            "across": format!("max(0.3, min({width} - 0.3, {X} + {DX} + 0.5))"),
            "down": format!("max(0.3, min({height} - 0.3, {Y} + {DY} + 0.5))")
        },
        "shapes": [
            {"grid": rows, "stroke": "faint", "legend":
                {"x": {"fill": "strong"}, "s": {"fill": "pale blue"}, "g": {"fill": "green"}}},
            {"arrow": [format!("{X} + 0.5"), format!("{Y} + 0.5"), "across", "down"], "width": 2.5, "stroke": "orange",
             "if": format!("not {FINISHED}")},
            {"group": [{"polygon": [ahead, 0, -size, size, -0.5 * size, 0, -size, -size], "fill": look, "stroke": "ground"}],
             "at": [format!("{X} + 0.5"), format!("{Y} + 0.5")], "turn": format!("angle({DX}, {DY})")},
            {"group": [
                {"line": [-size, -size, size, size], "stroke": "red", "width": 3},
                {"line": [-size, size, size, -size], "stroke": "red", "width": 3},
                {"circle": [0, 0, end], "fill": "none", "stroke": "red", "width": 1.5}
             ], "at": ["across", "down"], "if": CRASHED}
        ]
    })
}
