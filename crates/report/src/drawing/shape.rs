//! Shapes: what kinds there are, what each is told, and the two that are more than an outline (a map of characters, towers).

use serde_json::{Map, Value, json};

use super::{DEEPEST, MOST_SHAPES, Reader, join};

/// The most cells of a map.
const MOST_CELLS: usize = 20_000;

/// Members that every shape may have.
const COMMON: [&str; 3] = ["if", "for", "opacity"];
/// How lines and areas look.
const LINE: [&str; 3] = ["stroke", "width", "dash"];
const AREA: [&str; 6] = ["fill", "stroke", "width", "dash", "label", "size"];

/// The kinds, and the members of each besides those of all.
const KINDS: [(&str, &[&str], &[&str]); 9] = [
    ("rect", &AREA, &["round"]),
    ("circle", &AREA, &[]),
    ("polygon", &AREA, &[]),
    ("line", &LINE, &[]),
    ("arrow", &LINE, &[]),
    ("text", &["at", "size", "align", "fill"], &["bold"]),
    ("grid", &["at", "cell", "legend", "stroke"], &[]),
    ("towers", &AREA, &["round", "on", "gap"]),
    ("group", &["at", "turn"], &[]),
];

impl Reader<'_> {
    pub(super) fn shapes(&mut self, found: &Value, place: &str) -> Value {
        let Some(items) = found.as_array() else {
            return self.expected(place, "a list of shapes", found);
        };
        let mut read = Vec::new();
        for (n, item) in items.iter().enumerate() {
            self.shapes += 1;
            if self.shapes > MOST_SHAPES {
                return self.problem(place, &format!("more than {MOST_SHAPES} shapes"));
            }
            read.push(self.shape(item, &format!("{place}[{n}]")));
        }
        Value::Array(read)
    }

    fn shape(&mut self, found: &Value, place: &str) -> Value {
        let Some(members) = found.as_object() else {
            return self.expected(place, "an object", found);
        };
        let names = KINDS.map(|(kind, ..)| kind);
        let kinds: Vec<&str> = names.into_iter().filter(|kind| members.contains_key(*kind)).collect();
        let &[kind] = &kinds[..] else {
            let near = members.keys().find_map(|name| surefoot_text::suggest(name, names.into_iter()));
            let found = match (&kinds[..], near) {
                ([], Some(near)) => format!("found none (did you mean '{near}'?)"),
                ([], None) => "found none".to_owned(),
                _ => format!("found {}", kinds.join(" and ")),
            };
            return self.problem(place, &format!("a shape has one of the members {}; {found}", names.join(", ")));
        };
        let (_, usual, own) = KINDS.iter().find(|(name, ..)| *name == kind).expect("it was found there");
        self.only(members, place, &[&[kind], *usual, own, &COMMON].concat());
        let Some(range) = members.get("for") else {
            if kind == "towers" {
                return self.problem(place, r#"towers have a member "for" with their blocks, as in {"i": [0, 3]}"#);
            }
            return self.inner(kind, members, place);
        };
        self.repeated(
            range,
            place,
            |reader| reader.inner(kind, members, place),
            |range, mut shape| {
                if shape.is_object() {
                    shape["for"] = range;
                }
                shape
            },
        )
    }

    /// A shape without its repetition.
    fn inner(&mut self, kind: &str, members: &Map<String, Value>, place: &str) -> Value {
        let own = &members[kind];
        let here = join(place, kind);
        let even = |least: usize| move |count: usize| count >= least && count.is_multiple_of(2) && count <= 400;
        let mut shape = json!({"kind": kind});
        shape["place"] = match kind {
            "rect" | "towers" => self.expressions(own, &here, "[x, y, width, height]", |count| count == 4),
            "circle" => self.expressions(own, &here, "[x, y, radius]", |count| count == 3),
            "polygon" => self.expressions(own, &here, "[x, y, x, y, x, y, ...]", even(6)),
            "line" => self.expressions(own, &here, "[x, y, x, y, ...]", even(4)),
            "arrow" => self.expressions(own, &here, "[x, y, x, y]", |count| count == 4),
            "text" => {
                shape["text"] = self.text(own, &here);
                let at = members.get("at").unwrap_or(&Value::Null);
                self.expressions(at, &join(place, "at"), "[x, y]", |count| count == 2)
            }
            _ => match members.get("at") {
                Some(at) => self.expressions(at, &join(place, "at"), "[x, y]", |count| count == 2),
                None => json!([0, 0]),
            },
        };
        match kind {
            "grid" => self.grid(&mut shape, members, place),
            "group" => {
                if self.depth >= DEEPEST {
                    return self
                        .problem(place, &format!("more than {DEEPEST} repetitions and groups around each other"));
                }
                self.depth += 1;
                shape["shapes"] = self.shapes(own, &here);
                self.depth -= 1;
            }
            "towers" if !members.contains_key("on") => {
                self.problem(
                    &join(place, "on"),
                    "expected the number of the block below, -1 on the ground, -2 elsewhere; found nothing",
                );
            }
            _ => {}
        }
        for name in ["if", "opacity", "width", "size", "round", "gap", "on", "turn"] {
            if let Some(found) = members.get(name) {
                shape[name] = self.expression(found, &join(place, name));
            }
        }
        for name in ["fill", "stroke"] {
            if let Some(found) = members.get(name) {
                shape[name] = self.colour(found, &join(place, name));
            }
        }
        if let Some(found) = members.get("label") {
            shape["label"] = self.text(found, &join(place, "label"));
        }
        for name in ["dash", "bold"] {
            if let Some(found) = members.get(name) {
                shape[name] = if found.is_boolean() {
                    found.clone()
                } else {
                    self.expected(&join(place, name), "true or false", found)
                };
            }
        }
        if let Some(found) = members.get("align") {
            let known = ["left", "middle", "right"].iter().any(|word| found == word);
            shape["align"] = if known {
                found.clone()
            } else {
                self.expected(&join(place, "align"), "left, middle or right", found)
            };
        }
        shape
    }

    /// A map of characters, and what each of them looks like.
    fn grid(&mut self, shape: &mut Value, members: &Map<String, Value>, place: &str) {
        let rows: Option<Vec<&str>> =
            members["grid"].as_array().and_then(|rows| rows.iter().map(Value::as_str).collect());
        let Some(rows) = rows else {
            self.expected(&join(place, "grid"), "a list of texts, one per row", &members["grid"]);
            return;
        };
        if rows.iter().map(|row| row.chars().count()).sum::<usize>() > MOST_CELLS {
            self.problem(&join(place, "grid"), &format!("more than {MOST_CELLS} cells"));
        }
        shape["rows"] = json!(rows);
        let cell = members.get("cell").cloned().unwrap_or(json!(1));
        let sides = if cell.is_array() { cell } else { json!([cell, cell]) };
        let fine = sides.as_array().is_some_and(|sides| {
            sides.len() == 2 && sides.iter().all(|side| side.as_f64().is_some_and(|side| side > 0.0))
        });
        shape["cell"] = if fine {
            sides
        } else {
            self.expected(&join(place, "cell"), "a number above 0, or [width, height]", &sides)
        };
        let place = join(place, "legend");
        let empty = json!({});
        let Some(legend) = members.get("legend").unwrap_or(&empty).as_object() else {
            self.expected(&place, "an object of characters", &members["legend"]);
            return;
        };
        let mut read = Map::new();
        for (character, look) in legend {
            let here = join(&place, character);
            let Some(look) = look.as_object().filter(|_| character.chars().count() == 1) else {
                self.problem(&here, r#"expected one character and an object, as in "x": {"fill": "strong"}"#);
                continue;
            };
            self.only(look, &here, &["fill", "label"]);
            let fill = look.get("fill").map(|fill| self.colour(fill, &join(&here, "fill")));
            let label = look.get("label").map(|label| self.text(label, &join(&here, "label")));
            read.insert(character.clone(), json!({"fill": fill, "label": label}));
        }
        let known =
            |character: &char| *character == '.' || *character == ' ' || legend.contains_key(&character.to_string());
        for (n, row) in rows.iter().enumerate() {
            if let Some((column, other)) = row.chars().enumerate().find(|(_, character)| !known(character)) {
                self.problem(
                    &place,
                    &format!("row {n}, column {column} of the map has '{other}', which the legend does not explain"),
                );
                break;
            }
        }
        shape["legend"] = Value::Object(read);
    }
}
