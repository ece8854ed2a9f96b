//! How a state is drawn: `drawing.json`, a small language of shapes, read and checked here; `docs/drawings.md` is for its users.
//!
//! Nothing of it is ever executed: expressions become trees (`expression`) that the page walks through, and names become numbers of variables. What a file may
//! ask for is limited here as far as it can be seen before a state is drawn (shapes, depth, lengths), and in `assets/draw.js` where it cannot (turns of repetitions).

mod expression;
mod pieces;
mod shape;

use serde_json::{Map, Value, json};

pub use self::expression::Named;
use self::expression::{Scope, read};
use self::pieces::{Piece, pieces};

/// The name of the file that is found beside a model.
pub const FILE: &str = "drawing.json";

/// The largest file, in bytes.
const MOST_BYTES: usize = 1 << 20;
/// The most shapes of a file, and the deepest group.
const MOST_SHAPES: usize = 1000;
const DEEPEST: usize = 8;
/// The most named expressions, and texts of the description.
const MOST_LETS: usize = 200;
/// The longest text.
const LONGEST: usize = 4000;
/// Mistakes beyond these are not told.
const MOST_PROBLEMS: usize = 20;

/// Colours by their names: those of light and dark pages, and none.
const COLOURS: [&str; 24] = [
    "blue",
    "orange",
    "green",
    "pink",
    "yellow",
    "sky",
    "violet",
    "olive",
    "brown",
    "grey",
    "lemon",
    "red",
    "pale blue",
    "pale green",
    "pale yellow",
    "pale red",
    "dark",
    "ink",
    "soft",
    "strong",
    "faint",
    "raised",
    "ground",
    "none",
];

/// Reads a drawing: what the page draws states with. `variables` are those of the page, in its order.
///
/// # Errors
/// What is wrong with it, each with its place in the file, as in `shapes[2].fill`.
pub fn read_drawing(text: &str, variables: &[Named]) -> Result<Value, Vec<String>> {
    if text.len() > MOST_BYTES {
        return Err(vec![format!("a drawing has at most {MOST_BYTES} bytes, found {}", text.len())]);
    }
    let file: Value = serde_json::from_str(text).map_err(|error| vec![format!("it is not JSON: {error}")])?;
    let mut reader = Reader {
        scope: Scope { variables, lets: Vec::new(), indices: Vec::new() },
        problems: Vec::new(),
        shapes: 0,
        depth: 0,
    };
    let drawing = reader.drawing(&file);
    if reader.problems.is_empty() { Ok(drawing) } else { Err(reader.problems) }
}

/// Reads a file, and goes on after a mistake: what could not be read is null, and there is a problem then.
struct Reader<'a> {
    scope: Scope<'a>,
    problems: Vec<String>,
    shapes: usize,
    depth: usize,
}

impl Reader<'_> {
    fn problem(&mut self, place: &str, reason: &str) -> Value {
        if self.problems.len() < MOST_PROBLEMS {
            let place = if place.is_empty() { "the drawing" } else { place };
            self.problems.push(format!("{place}: {reason}"));
        }
        Value::Null
    }

    fn expected(&mut self, place: &str, what: &str, found: &Value) -> Value {
        self.problem(place, &format!("expected {what}, found {}", shown(found)))
    }

    fn drawing(&mut self, file: &Value) -> Value {
        let Some(members) = file.as_object() else {
            return self.expected("", "an object", file);
        };
        self.only(members, "", &["drawing", "size", "words", "let", "shapes"]);
        if members.get("drawing") != Some(&json!(1)) {
            self.problem("drawing", "expected 1, the version of the language");
        }
        let size = self.size(members.get("size").unwrap_or(&Value::Null));
        let lets = self.lets(members.get("let").unwrap_or(&Value::Null));
        let words = members.get("words").map_or(json!([]), |words| self.sentences(words, "words"));
        let shapes = self.shapes(members.get("shapes").unwrap_or(&Value::Null), "shapes");
        json!({"size": size, "let": lets, "words": words, "shapes": shapes})
    }

    /// Other members than these are mistakes; `comment` and `metadata` are for readers, and stand anywhere.
    fn only(&mut self, members: &Map<String, Value>, place: &str, known: &[&str]) {
        for name in members
            .keys()
            .filter(|name| !known.contains(&name.as_str()) && !["comment", "metadata"].contains(&name.as_str()))
        {
            let hint = match surefoot_text::suggest(name, known.iter().copied()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("members are: {}", known.join(", ")),
            };
            self.problem(&join(place, name), &format!("there is no such member; {hint}"));
        }
    }

    fn size(&mut self, found: &Value) -> Value {
        let sides: Option<Vec<f64>> = found.as_array().and_then(|sides| sides.iter().map(Value::as_f64).collect());
        match sides.as_deref() {
            Some([width, height]) if [width, height].iter().all(|side| (1e-3..=1e6).contains(*side)) => found.clone(),
            _ => self.expected("size", "[width, height], two numbers above 0", found),
        }
    }

    fn lets(&mut self, found: &Value) -> Value {
        let Some(members) = found.as_object() else {
            return if found.is_null() {
                json!([])
            } else {
                self.expected("let", "an object of names and expressions", found)
            };
        };
        if members.len() > MOST_LETS {
            return self.problem("let", &format!("more than {MOST_LETS} names"));
        }
        let mut read = Vec::new();
        for (name, meaning) in members {
            let place = join("let", name);
            if let Some(reason) = self.scope.refuses(name) {
                self.problem(&place, &reason);
            }
            read.push(self.expression(meaning, &place));
            // Only what stands before can be used: so every one has a value when it is needed.
            self.scope.lets.push(name.clone());
        }
        json!(read)
    }

    /// A number or an expression as text.
    fn expression(&mut self, found: &Value, place: &str) -> Value {
        match found {
            Value::Number(_) => found.clone(),
            Value::Bool(truth) => json!(u8::from(*truth)),
            Value::String(text) => match read(text, &self.scope) {
                Ok(read) => read,
                Err(reason) => self.problem(place, &reason),
            },
            other => self.expected(place, "a number or an expression in quotes", other),
        }
    }

    /// Several of them: `many` says how many there may be, in words and as a rule.
    fn expressions(&mut self, found: &Value, place: &str, what: &str, many: impl Fn(usize) -> bool) -> Value {
        match found.as_array().filter(|items| many(items.len())) {
            Some(items) => {
                let items = items.iter().enumerate().map(|(n, item)| self.expression(item, &format!("{place}[{n}]")));
                Value::Array(items.collect())
            }
            None => self.expected(place, what, found),
        }
    }

    /// A text with holes, or a choice between some.
    fn text(&mut self, found: &Value, place: &str) -> Value {
        self.chosen(found, place, "a text", &mut |reader, text, place| {
            if text.chars().count() > LONGEST {
                return reader.problem(place, &format!("a text of more than {LONGEST} characters"));
            }
            match pieces(text, |hole| read(hole, &reader.scope)) {
                Ok(pieces) => Value::Array(pieces.into_iter().map(piece).collect()),
                Err(reason) => reader.problem(place, &reason),
            }
        })
    }

    /// A colour, `hue EXPRESSION`, or a choice between some.
    fn colour(&mut self, found: &Value, place: &str) -> Value {
        self.chosen(found, place, "a colour", &mut |reader, text, place| {
            if let Some(number) = text.strip_prefix("hue ") {
                return json!({"hue": reader.expression(&json!(number), place)});
            }
            if COLOURS.contains(&text) {
                return json!(text);
            }
            let hint = match surefoot_text::suggest(text, COLOURS.into_iter()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("colours are: {}, and hue NUMBER", COLOURS.join(", ")),
            };
            reader.problem(place, &format!("there is no colour '{text}'; {hint}"))
        })
    }

    /// `{"if": condition, "then": one, "else": other}`, `{"pick": number, "from": [...]}`, or what `plain` reads.
    fn chosen(
        &mut self,
        found: &Value,
        place: &str,
        what: &str,
        plain: &mut dyn FnMut(&mut Self, &str, &str) -> Value,
    ) -> Value {
        match found {
            Value::String(text) => plain(self, text, place),
            Value::Object(members) if members.contains_key("if") => {
                self.only(members, place, &["if", "then", "else"]);
                let member = |name: &str| members.get(name).unwrap_or(&Value::Null);
                let condition = self.expression(member("if"), &join(place, "if"));
                let yes = self.chosen(member("then"), &join(place, "then"), what, plain);
                let no = self.chosen(member("else"), &join(place, "else"), what, plain);
                json!({"if": condition, "then": yes, "else": no})
            }
            Value::Object(members) if members.contains_key("pick") => {
                self.only(members, place, &["pick", "from"]);
                let number = self.expression(&members["pick"], &join(place, "pick"));
                let list = members.get("from").unwrap_or(&Value::Null);
                let Some(items) = list.as_array().filter(|items| (1..=500).contains(&items.len())) else {
                    return self.expected(&join(place, "from"), "a list of 1 to 500", list);
                };
                let items = items.iter().enumerate();
                let items: Vec<Value> = items
                    .map(|(n, item)| self.chosen(item, &format!("{}[{n}]", join(place, "from")), what, plain))
                    .collect();
                json!({"pick": number, "from": items})
            }
            other => {
                let what =
                    format!(r#"{what}, or {{"if": ..., "then": ..., "else": ...}}, or {{"pick": ..., "from": [...]}}"#);
                self.expected(place, &what, other)
            }
        }
    }

    /// The description: a text, a list, or an object that repeats one.
    fn sentences(&mut self, found: &Value, place: &str) -> Value {
        match found {
            Value::Array(items) if items.len() <= MOST_LETS => {
                let items = items.iter().enumerate();
                Value::Array(items.map(|(n, item)| self.sentences(item, &format!("{place}[{n}]"))).collect())
            }
            Value::Object(members) if members.contains_key("for") => {
                self.only(members, place, &["for", "words"]);
                let words = members.get("words").cloned().unwrap_or_default();
                self.repeated(
                    &members["for"],
                    place,
                    |reader| reader.sentences(&words, &join(place, "words")),
                    |range, words| json!({"for": range, "words": words}),
                )
            }
            other => self.text(other, place),
        }
    }

    /// What stands in a repetition: `{"INDEX": [from, to]}` gives a name to the number of the turn, which `inner` may use.
    fn repeated<T>(
        &mut self,
        found: &Value,
        place: &str,
        inner: impl FnOnce(&mut Self) -> T,
        made: impl FnOnce(Value, T) -> Value,
    ) -> Value {
        let place = join(place, "for");
        let Some((index, bounds)) = found.as_object().filter(|one| one.len() == 1).and_then(|one| one.iter().next())
        else {
            return self.expected(&place, r#"{"INDEX": [from, to]}"#, found);
        };
        if let Some(reason) = self.scope.refuses(index) {
            self.problem(&join(&place, index), &reason);
        }
        if self.depth >= DEEPEST {
            return self.problem(&place, &format!("more than {DEEPEST} repetitions and groups around each other"));
        }
        let bounds = self.expressions(bounds, &join(&place, index), "[from, to]", |count| count == 2);
        let slot = self.scope.indices.len();
        self.scope.indices.push(index.clone());
        self.depth += 1;
        let read = inner(self);
        self.depth -= 1;
        self.scope.indices.pop();
        made(json!([slot, bounds[0], bounds[1]]), read)
    }
}

fn piece(piece: Piece) -> Value {
    match piece {
        Piece::Text(text) => json!(text),
        Piece::Hole(value) => json!({"value": value}),
    }
}

fn join(place: &str, member: &str) -> String {
    if place.is_empty() { member.to_owned() } else { format!("{place}.{member}") }
}

/// A value in a message.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= 60 { text } else { format!("{}...", text.chars().take(60).collect::<String>()) }
        }
    }
}

#[cfg(test)]
mod tests;
