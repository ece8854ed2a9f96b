//! The line of positions with packages on it, and below it a lane per truck with what is on it.

use serde_json::{Value, json};

use super::World;

/// The side of a package, where a truck is 1 long.
const SIDE: f64 = 0.3;

/// The width of a picture in trucks, less one: the positions of a longer line are closer to each other.
const WIDE: f64 = 8.0;

/// How states are drawn.
#[expect(clippy::cast_precision_loss, reason = "some positions and packages")]
pub(super) fn drawing(world: &World) -> Value {
    let (length, last) = (world.length, world.length - 1);
    let round = |value: f64| (value * 1000.0).round() / 1000.0;
    let step = round((WIDE / last as f64).min(1.0));
    let rows = |count: i64| ((count + 1) / 2) as f64;
    let ground = round(0.4 + rows(world.packages) * SIDE);
    let lane = round(rows(world.packages.min(world.capacity + 1)) * SIDE + 0.4);
    let (width, height) = (round(last as f64 * step + 1.0), round(ground + 0.5 + lane * world.trucks as f64));
    let x = |place: &str| format!("{place} * {step} + 0.5");
    // Beds of trucks are above their wheels, at the bottom of their lanes.
    let bed = |truck: &str| format!("{} + {lane} * ({truck} + 1)", round(ground + 0.18));
    // Two packages beside each other, then the next two: counted by those of smaller numbers at the same place.
    let before = "sum(q, 0, p - 1, package_{q} = package_{p})";
    let package = json!([{"rect": [format!("({before}) % 2 * 0.32 - 0.32"), format!("0 - (floor(({before}) / 2) + 1) * {SIDE}"), SIDE, 0.28],
        "fill": "hue p + 3", "label": "{p}"}]);
    let (trucks, packages) = (json!({"t": [0, world.trucks - 1]}), json!({"p": [0, world.packages - 1]}));
    let (lies, carrier) = (format!("package_{{p}} < {length}"), format!("package_{{p}} - {length}"));
    json!({
        "drawing": 1,
        "size": [width, height],
        "words": [
            {"words": "Truck {t} is at position {truck_{t}}, with load {load_{t}}.", "for": trucks},
            {"words": {"if": lies, "then": "Package {p} lies at position {package_{p}}.",
                       "else": format!("Package {{p}} is on truck {{{carrier}}}.")}, "for": packages},
            {"pick": "accident", "from": ["", "A package was dropped.", "A truck is overloaded."]}
        ],
        "shapes": [
            {"rect": [round(width - 0.5 - step / 2.0), 0, round(0.5 + step / 2.0), height], "fill": "pale green"},
            {"line": [0, ground, width, ground], "stroke": "strong", "width": 3},
            {"text": "{i}", "at": [x("i"), ground + 0.2], "size": 0.22, "fill": "soft",
             "if": format!("i % {} = 0", (0.5 / step).ceil()), "for": {"i": [0, last]}},
            {"group": [
                {"rect": [-0.42, 0, 0.84, 0.08], "fill": "strong"},
                {"rect": [0.3, -0.22, 0.14, 0.24], "round": 0.03, "fill": "blue"},
                {"circle": [-0.25, 0.13, 0.08], "fill": "ink"},
                {"circle": [0.25, 0.13, 0.08], "fill": "ink"}
             ], "at": [x("truck_{t}"), bed("t")], "for": trucks},
            {"group": package, "at": [x("package_{p}"), ground], "if": lies, "for": packages},
            {"group": package, "at": [format!("{} - 0.08", x(&format!("truck_{{{carrier}}}"))), bed(&format!("({carrier})"))],
             "if": format!("not {lies}"), "for": packages},
            {"text": {"pick": "accident", "from": ["", "dropped", "overloaded"]}, "at": [width / 2.0, 0.2], "size": 0.28,
             "fill": "red", "bold": true}
        ]
    })
}
