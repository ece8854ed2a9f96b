//! Storm's engines, by a script for `stormpy` that is part of this crate: what it is told, and what is made of what it says.
//!
//! The script builds a model of JANI, computes its first property under limits of its own, and prints one object. Nothing that it says is a claim of ours: Storm computes in floats, to a precision of its own.

use std::path::Path;

use serde_json::{Value, json};
use surefoot_files::replace;

use crate::error::Error;
use crate::process::Done;
use crate::run::{Ended, Measured};

/// The script, and the name of its file.
const SCRIPT: (&str, &str) = ("checkers.py", include_str!("checkers.py"));

/// Writes the script into a folder; its name there.
///
/// # Errors
/// If it cannot be written.
pub fn write(folder: &Path) -> Result<&'static str, Error> {
    let path = folder.join(SCRIPT.0);
    replace(&path, |out| out.write_all(SCRIPT.1.as_bytes())).map_err(|error| Error::file(&path, error))?;
    Ok(SCRIPT.0)
}

/// What is to be made of a run of the script: a value, the limit that it met, or why there is none of both.
pub(crate) fn judged(done: &Done) -> Measured {
    match done.code(&[0, 2, 3]).and_then(|code| Ok((code, done.object()?))) {
        Ok((code, said)) => judge(code, said),
        Err(ended) => Measured::broken(ended),
    }
}

fn judge(code: i32, mut said: Value) -> Measured {
    let failure = said["failure"].as_str().map(str::to_owned);
    let ended = match (code, failure.as_deref(), said["value"].as_f64()) {
        (0, None, Some(value)) if (-1e-6..=1.0 + 1e-6).contains(&value) => Ended::Answered,
        (3, Some(limit @ ("time" | "memory")), None) => {
            said["verdict"] = json!("unknown");
            said["reason"] = json!(format!("the {limit} limit was reached"));
            Ended::Answered
        }
        (2, Some(why), None) => return Measured::broken(Ended::Refused(why.to_owned())),
        _ => return Measured::broken(Ended::Garbage("what it wrote is no answer of the driver".to_owned())),
    };
    Measured { result: said, ..Measured::broken(ended) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_limits_and_nonsense_are_told_apart() {
        let good = judge(0, json!({"engine": "sparse", "states": 7, "value": 0.5, "seconds": 2.0}));
        assert_eq!((good.is_decided(), good.seconds(), good.word()), (true, 2.0, "done"));
        let late = judge(3, json!({"engine": "dd", "failure": "time", "seconds": 9.0}));
        assert_eq!((late.is_decided(), late.met_limit(), late.why()), (false, true, "the time limit was reached"));
        let refused = judge(2, json!({"engine": "dd", "failure": "not available: x", "seconds": 0.1}));
        assert_eq!((refused.word(), refused.why()), ("refused", "not available: x"));
        for (code, said) in [
            (0, json!({"value": 1.5})),
            (0, json!({"value": "0.5"})),
            (0, json!(null)),
            (0, json!([0.5])),
            (3, json!({"value": 0.5})),
            (3, json!({"failure": "tired"})),
            (2, json!({})),
        ] {
            assert_eq!(judge(code, said.clone()).word(), "garbage", "{code} {said}");
        }
    }
}
