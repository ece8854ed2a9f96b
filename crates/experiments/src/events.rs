//! What of a run's events is kept: moments that are in tables, not the whole story.

use std::path::Path;

use serde_json::{Value, json};
use surefoot_files::{Inputs, Kind, Origin};

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Nothing: events are not even asked for.
    Nothing,
    /// When refinement first found no abstract path to an unsafe state.
    Proof,
    /// How an interval became narrower.
    Band,
}

/// Reads what is wanted of a file of events. One that is missing or torn has told nothing, or less.
#[must_use]
pub fn read(file: &Path, watch: Watch) -> Value {
    let bytes = Inputs::default().read(file, Kind::Journal, Origin::Reached).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    match watch {
        Watch::Nothing => Value::Null,
        Watch::Proof => proof(events),
        Watch::Band => band(events),
    }
}

/// Seconds and iterations up to the first search that expanded every state that it reached.
fn proof(mut events: impl Iterator<Item = Value>) -> Value {
    let proved = |event: &Value| {
        event["event"] == "iteration" && event["states"].as_u64() > Some(0) && event["states"] == event["expanded"]
    };
    match events.find(proved) {
        Some(event) => json!({"seconds": event["seconds"], "iterations": event["iteration"]}),
        None => Value::Null,
    }
}

/// Seconds, the bound from below and the one from above, whenever one of them changed.
fn band(events: impl Iterator<Item = Value>) -> Value {
    let mut told: Vec<Value> = Vec::new();
    for event in events {
        let (lower, upper) = (&event["lower"], &event["upper"]);
        let news = told.last().is_none_or(|last| (&last[1], &last[2]) != (lower, upper));
        if lower.is_number() && upper.is_number() && news {
            told.push(json!([event["seconds"], lower, upper]));
        }
    }
    Value::Array(told)
}

/// The first moment at which a kept band has a property, as far as it was told.
pub fn first(told: &Value, holds: impl Fn(f64, f64) -> bool) -> Option<f64> {
    told.as_array()?.iter().find_map(|entry| {
        let [seconds, lower, upper] = [0, 1, 2].map(|index| entry[index].as_f64());
        holds(lower?, upper?).then_some(seconds?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("events");
        let text = r#"{"event":"start","seconds":0.1,"states":0,"expanded":0}
{"event":"iteration","seconds":0.5,"iteration":1,"states":3,"expanded":2,"lower":0.0,"upper":1.0}
{"event":"iteration","seconds":0.7,"iteration":2,"states":3,"expanded":3,"lower":0.0,"upper":1.0}
{"event":"iteration","seconds":0.9,"iteration":3,"states":4,"expanded":4,"lower":0.25,"upper":0.5}
{"event":"iteration","seconds":1.0,"iter"#;
        std::fs::write(&file, text).unwrap();
        assert_eq!(read(&file, Watch::Proof), json!({"seconds": 0.7, "iterations": 2}));
        let told = read(&file, Watch::Band);
        assert_eq!(told, json!([[0.5, 0.0, 1.0], [0.9, 0.25, 0.5]]));
        assert_eq!(first(&told, |lower, _| lower > 0.2), Some(0.9));
        assert_eq!(first(&told, |_, upper| upper <= 0.3), None);
        assert_eq!(read(&folder.path().join("none"), Watch::Band), json!([]));
        assert_eq!(read(&file, Watch::Nothing), Value::Null);
    }
}
