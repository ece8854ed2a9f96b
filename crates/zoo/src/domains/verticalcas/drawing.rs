//! The encounter from the side: the own aircraft, the intruder ahead of it, and the band that it must keep out of.

use serde_json::{Value, json};

use super::ADVISORIES;

/// What the advisories say, in words.
const MEANINGS: [&str; 9] = [
    "clear of conflict",
    "do not climb",
    "do not descend",
    "descend 1500 ft/min",
    "climb 1500 ft/min",
    "strengthen descent to 1500",
    "strengthen climb to 1500",
    "strengthen descent to 2500",
    "strengthen climb to 2500",
];

/// How states are drawn, for initial altitudes up to `farthest` feet away and an initial `tau`.
pub(super) fn drawing(farthest: i64, tau: i64) -> Value {
    // Half the height of the picture, in feet, and seconds across: what is farther away stays at the border.
    let (feet, seconds) = ((2 * farthest).max(500), tau.max(10));
    let advisories: Vec<String> =
        ADVISORIES.iter().zip(MEANINGS).map(|(advisory, meaning)| format!("{}: {meaning}", advisory.name)).collect();
    // From the side: a hull with a fin, and a wing. Where it flies is 1 to the right, -1 to the left.
    let aircraft = |way: i64, fill: Value| {
        let facing = |points: [i64; 12]| -> Vec<i64> {
            points.iter().enumerate().map(|(n, value)| if n.is_multiple_of(2) { way * value } else { *value }).collect()
        };
        let (hull, wing) = (
            facing([-17, -12, -10, -4, 10, -4, 18, 0, 10, 4, -14, 4]),
            facing([-4, 0, 0, 0, 6, 0, 4, 2, -2, 5, -5, 6]),
        );
        json!([{"polygon": hull, "fill": fill, "stroke": "ground", "width": 1}, {"polygon": wing, "fill": "ink"}])
    };
    let side = json!({"if": "h >= 0", "then": "above", "else": "below"});
    json!({
        "drawing": 1,
        "size": [320, 220],
        "words": [
            "The intruder is {round(abs(h))} feet", side, "the own aircraft, {tau} seconds away.",
            "Own vertical rate: {round(v * 10) / 10} feet per second.",
            {"pick": "adv", "from": advisories}
        ],
        "let": {
            "away": format!("45 + 235 * max(-0.1, min(1, tau / {seconds}))"),
            "height": format!("118 - 70 * max(-1, min(1, h / {feet}))"),
            "band": format!("70 * 100 / {feet}"),
            "near": "abs(h) <= 100"
        },
        "shapes": [
            {"rect": [0, "118 - band", 320, "2 * band"], "fill": {"if": "near", "then": "pale red", "else": "pale yellow"}},
            {"line": [0, "118 - band", 320, "118 - band"], "stroke": "red", "width": 1, "dash": true},
            {"line": [0, "118 + band", 320, "118 + band"], "stroke": "red", "width": 1, "dash": true},
            {"text": "100 ft", "at": [316, "118 + band - 6"], "size": 9, "align": "right", "fill": "soft"},
            {"line": [45, 118, "away", "height"], "stroke": "soft", "width": 1, "dash": true},
            {"arrow": [64, 118, 64, "118 - max(-60, min(60, v))"], "stroke": "orange", "width": 2.5},
            {"group": aircraft(1, json!("blue")), "at": [45, 118], "turn": "0 - max(-25, min(25, v / 2))"},
            {"group": aircraft(-1, json!({"if": "near", "then": "red", "else": "violet"})), "at": ["away", "height"]},
            {"text": "{round(h)} ft", "at": ["max(30, min(away, 285))", "if h >= 0 then height - 20 else height + 18"], "size": 13, "bold": true},
            {"text": {"pick": "adv", "from": advisories}, "at": [8, 14], "size": 14, "align": "left", "bold": true},
            {"text": "in {tau} s", "at": [312, 209], "size": 13, "align": "right", "fill": "soft"},
            {"text": "{round(v * 10) / 10} ft/s", "at": [8, 209], "size": 13, "align": "left", "fill": "soft"}
        ]
    })
}
