//! Bounds on probabilities from JSON: the `value` of a result object, and the start state and scheduler that show one end of it.

use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind, Node, ObjectReader, Shape};
use surefoot_text::source::{FileId, Span};

use crate::read::{ResultClaims, count, fraction, inputs, result, state};
use crate::witness::StateRecord;

const WITNESS: Shape = Shape::new("what shows a probability", &["start", "scheduler", "scheduler_states"], &[]);
const CHOICE: Shape = Shape::new("what a scheduler does", &["state", "action", "choice"], &[]);
const VALUE: Shape = Shape::new("the value of a probability", &["lo", "hi"], &[]);

/// A result about a probability as read, with the places to point at.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadBound {
    /// The start state that shows it.
    pub start: StateRecord,
    /// Where that stands.
    pub start_span: Span,
    /// What the scheduler does.
    pub scheduler: Vec<ReadChoice>,
    /// In how many states it has a choice.
    pub scheduler_states: u32,
    /// The value from below.
    pub lower: Rational,
    /// From above.
    pub upper: Rational,
    /// Where the value stands.
    pub value_span: Span,
    /// The files and hashes that the result object lists.
    pub inputs: Vec<(String, String)>,
    /// What else it claims.
    pub result: ResultClaims,
}

/// What a scheduler does in a state.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadChoice {
    /// The state, perhaps without some of its variables.
    pub state: StateRecord,
    /// The label of what it chooses, or `(silent)`.
    pub action: String,
    /// Which of the state's choices that is, from 0.
    pub choice: u32,
    /// Where it stands.
    pub span: Span,
}

/// Reads a result object about a probability from the text of `file`; nothing where it is about something else.
///
/// # Errors
/// The first thing that is not as it should be, with its place.
pub fn read_bound(file: FileId, text: &str) -> Result<Option<ReadBound>, Diagnostic> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    let witness = Some(root).filter(|root| root.kind() == Kind::Object).and_then(|root| root.get("witness"));
    let Some(witness) = witness.filter(|witness| witness.kind() == Kind::Object && witness.get("scheduler").is_some())
    else {
        return Ok(None);
    };
    let claims = result(root)?;
    let object = ObjectReader::new(witness, &WITNESS)?;
    let start = object.required("start");
    let listed = object.required("scheduler").expect_array("what the scheduler does as an array")?;
    let value = root.get("value").ok_or_else(|| root.mismatch("a result with the \"value\" that the witness shows"))?;
    let ends = ObjectReader::new(value, &VALUE)?;
    let (lower, upper) = (end(ends.required("lo"))?, end(ends.required("hi"))?);
    if lower > upper {
        return Err(Diagnostic::error(value.span(), "\"lo\" is above \"hi\""));
    }
    Ok(Some(ReadBound {
        start: state(start)?,
        start_span: start.span(),
        scheduler: listed.map(choice).collect::<Result<_, _>>()?,
        scheduler_states: count(object.required("scheduler_states"), "in how many states the scheduler has a choice")?,
        lower,
        upper,
        value_span: value.span(),
        inputs: inputs(root),
        result: claims,
    }))
}

fn choice(node: Node<'_>) -> Result<ReadChoice, Diagnostic> {
    let object = ObjectReader::new(node, &CHOICE)?;
    Ok(ReadChoice {
        state: state(object.required("state"))?,
        action: object.required("action").expect_str("the name of an action")?.to_owned(),
        choice: count(object.required("choice"), "the number of a choice")?,
        span: node.span(),
    })
}

/// One end of an interval of probabilities.
fn end(node: Node<'_>) -> Result<Rational, Diagnostic> {
    let mut value = fraction(node, "a probability")?;
    if node.kind() == Kind::Number {
        // What is written as a number is a float, of which the digits are only the shortest that tell which.
        value = Rational::from_f64(value.to_f64()).unwrap_or(value);
    }
    if value.signum() < 0 || value > Rational::ONE {
        return Err(Diagnostic::error(node.span(), format!("{value} is no probability")));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_text::render;
    use surefoot_text::source::SourceMap;

    fn read(text: &str) -> Result<Option<ReadBound>, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("r.json", text);
        read_bound(file, text).map_err(|error| render(&error, &sources))
    }

    const GENUINE: &str = r#"{"command": "bounds", "value": {"lo": 0.25, "hi": "1/3"}, "witness": {"start": {"x": 3},
        "scheduler": [{"state": {"x": 4}, "action": "go", "choice": 1}], "scheduler_states": 1}}"#;

    #[test]
    fn intervals_and_what_shows_them_are_read() {
        let bound = read(GENUINE).expect("it is read").expect("it is about a probability");
        assert_eq!((bound.lower, bound.upper), (Rational::new(1, 4).unwrap(), Rational::new(1, 3).unwrap()));
        assert_eq!((bound.scheduler[0].choice, &*bound.scheduler[0].action), (1, "go"));
        for other in ["{}", "[]", "{\"witness\": null}", "{\"witness\": {\"start\": {}, \"steps\": []}}"] {
            assert_eq!(read(other), Ok(None), "{other}");
        }
    }

    #[test]
    fn what_is_no_interval_is_refused() {
        for (from, to, says) in [
            ("0.25", "0.5", "\"lo\" is above \"hi\""),
            ("0.25", "-1", "-1 is no probability"),
            ("\"1/3\"", "1.5", "is no probability"),
            ("\"1/3\"", "\"1/0\"", "a probability"),
            ("\"choice\": 1", "\"choice\": -1", "the number of a choice"),
            ("\"value\"", "\"volume\"", "\"value\" that the witness shows"),
        ] {
            let damaged = GENUINE.replacen(from, to, 1);
            let error = read(&damaged).expect_err(&damaged);
            assert!(error.contains(says), "{error}");
        }
    }
}
