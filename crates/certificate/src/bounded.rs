//! The index of a certificate of bounds on a probability.
//!
//! Such a certificate is a model in the format UMB, with this object as the `parameters` of its `file-data`. As in [every index](crate::index), members that are not known
//! are refused.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::{FORMAT, Subject, VERSION, Verdict};
use crate::trouble::trouble;

/// The index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundedIndex {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What is claimed.
    pub claim: BoundedClaim,
    /// What follows for the property, where it was compared with a number.
    pub verdict: Option<Verdict>,
    /// The comparison, where there is a verdict.
    pub threshold: Option<Comparison>,
    /// The bounds: one or two.
    pub bounds: Vec<Bound>,
    /// The program that wrote it.
    pub tool: String,
    /// The engine whose bounds they are.
    pub engine: String,
    /// The slots that states have values of, ascending. Nothing depends on the others.
    pub states: Vec<usize>,
    /// Of a probability within so many steps: how many. Then states have, behind their values, the number of steps that are left.
    pub steps: Option<u64>,
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
}

/// That a probability is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoundedClaim {
    /// It is.
    Bounded,
}

/// A comparison, the probability on the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// One of `<`, `≤`, `>`, `≥`, `=`, `≠`.
    pub op: String,
    /// The number.
    pub bound: String,
}

/// A bound on the probability that the property asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Whether it is at most or at least the value.
    pub at: At,
    /// The value, an exact number.
    pub value: String,
    /// From which start states.
    pub starts: Starts,
}

/// Which side of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// Not above it.
    Most,
    /// Not below it.
    Least,
}

/// Which start states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Starts {
    /// `"all"`.
    All(All),
    /// One of them: the values of all slots.
    One(Vec<i64>),
}

/// All start states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum All {
    /// The word for it.
    All,
}

impl BoundedIndex {
    /// Reads an index.
    ///
    /// # Errors
    /// What is not as it should be, in words.
    pub fn read(told: &Value) -> Result<Self, String> {
        if told["format"] != FORMAT {
            return Err("the archive is a model, but no certificate".to_owned());
        }
        if told["version"] != VERSION {
            return Err(format!("the certificate is of version {}, and this program reads {VERSION}", told["version"]));
        }
        let index =
            Self::deserialize(told).map_err(|error| format!("no index of a certificate: {}", trouble(&error)))?;
        // What is not understood may change what is claimed.
        if serde_json::to_value(&index).ok().as_ref() != Some(told) {
            return Err("the index tells something that is not known, or not as it is written".to_owned());
        }
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn index() -> Value {
        json!({
            "format": "surefoot-certificate", "version": 1, "claim": "bounded", "verdict": "holds",
            "threshold": {"op": "≤", "bound": "1/2"},
            "bounds": [{"at": "most", "value": "3/10", "starts": "all"}, {"at": "least", "value": "1/4", "starts": [0, -1]}],
            "tool": "t", "engine": "e", "states": [0, 2], "steps": null,
            "inputs": {"m": "00"}, "constants": {}, "property": {"index": 0, "name": "p"},
            "semantics": {"ties": null, "filter": null, "goal_terminal": false, "initial_only": false, "assume_no_errors": false},
            "slots": ["a", "x", "y"], "locations": 1, "actions": [], "outputs": [],
        })
    }

    #[test]
    fn an_index_is_read_and_written() {
        let read = BoundedIndex::read(&index()).unwrap();
        assert_eq!(read.bounds[0].starts, Starts::All(All::All));
        assert_eq!(read.bounds[1].starts, Starts::One(vec![0, -1]));
        assert_eq!(read.subject.slots.len(), 3);
        assert_eq!(serde_json::to_value(read).unwrap(), index());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (path, value) in [
            ("/format", json!("other")),
            ("/version", json!(2)),
            ("/claim", json!("unreachable")),
            ("/bounds/0/at", json!("about")),
            ("/bounds/0/starts", json!("some")),
            ("/bounds/1/starts", json!(["x"])),
            ("/verdict", json!("maybe")),
            ("/states", json!([-1])),
        ] {
            let mut broken = index();
            *broken.pointer_mut(path).unwrap() = value;
            assert!(BoundedIndex::read(&broken).is_err(), "{path}");
        }
        let mut more = index();
        more["assume"] = json!("much");
        assert!(BoundedIndex::read(&more).unwrap_err().contains("not known"));
        let mut less = index();
        less.as_object_mut().unwrap().remove("semantics");
        assert!(BoundedIndex::read(&less).is_err());
        assert!(BoundedIndex::read(&json!(null)).unwrap_err().contains("no certificate"));
    }
}
