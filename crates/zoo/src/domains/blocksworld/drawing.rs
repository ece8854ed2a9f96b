//! Towers on a table, and the hand above them.

use serde_json::{Value, json};

use super::World;

/// The block that block `i` stands on; -1 on the table, -2 in the hand. A block leaves itself out when it counts the others.
const BELOW: &str =
    "if block_{i} < 2 then block_{i} - 2 else if block_{i} - 2 < i then block_{i} - 2 else block_{i} - 1";

/// How states are drawn.
#[expect(clippy::cast_precision_loss, reason = "a handful of blocks")]
pub(super) fn drawing(world: &World) -> Value {
    let (blocks, last) = (world.blocks, world.blocks - 1);
    let width = 1.25 * blocks as f64 + 0.25;
    // The hand needs two blocks' height; towers are as high as there are blocks.
    let (floor, middle) = (blocks as f64 + 2.0, width / 2.0);
    let crowded = format!("table-counter > {}", world.limit);
    let stuck = if world.cost_bound > 0 && !world.any_growth {
        json!({"if": format!("cost_block_{{i}} = {}", world.cost_bound), "then": "red", "else": "ground"})
    } else {
        json!("ground")
    };
    let label = json!({"if": "cost_block_{i} > 0", "then": "{i} +{cost_block_{i}}", "else": "{i}"});
    let range = json!({"i": [0, last]});
    let place = json!({"pick": "min(block_{i}, 2)", "from": [
        "Block {i} is in the hand.", "Block {i} is on the table.", format!("Block {{i}} is on block {{{BELOW}}}.")]});
    let cost = json!({"if": "cost_block_{i} > 0", "then": "It has cost {cost_block_{i}}.", "else": ""});
    json!({
        "drawing": 1,
        "size": [width, floor + 0.7],
        "words": [
            {"words": [place, cost], "for": range},
            {"if": "hand-empty", "then": "The hand is empty.", "else": ""},
            format!("{{table-counter}} of at most {} on the table.", world.limit)
        ],
        "let": {"reach": "if hand-empty then 0.75 else 0.6"},
        "shapes": [
            // The hand: an arm, and fingers that are closer when they hold a block.
            {"group": [
                {"line": [0, 0, 0, 0.4], "stroke": "strong", "width": 4},
                {"line": ["-reach", 0.85, "-reach", 0.4, "reach", 0.4, "reach", 0.85], "stroke": "strong", "width": 4}
             ], "at": [middle, 0]},
            {"rect": [middle - 0.5, 0.45, 1, 1], "round": 0.08, "fill": "hue i", "stroke": stuck, "width": 2.5, "label": label,
             "if": "block_{i} = 0", "for": range},
            {"towers": [0.25, floor - 1.0, 1, 1], "gap": 0.25, "on": BELOW, "round": 0.08, "fill": "hue i", "stroke": stuck,
             "width": 2.5, "label": label, "for": range},
            {"line": [0, floor, width, floor], "stroke": {"if": crowded, "then": "red", "else": "strong"}, "width": 5},
            {"text": format!("{{table-counter}} of at most {}", world.limit), "at": [middle, floor + 0.38],
             "size": (0.42_f64).min(width / 8.5), "fill": {"if": crowded, "then": "red", "else": "soft"}, "bold": true}
        ]
    })
}
