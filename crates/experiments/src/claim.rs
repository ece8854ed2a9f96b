//! What runs claim, and whether that can be true together.
//!
//! Every answer about a question says that the largest probability to reach an unsafe state, over all that the environment may do and all start states, lies in an
//! interval: *holds* says `[0, 0]`, *violated* `(0, 1]`; under a bound P they say `[0, P]` and `(P, 1]`; a derived interval says itself. Two answers contradict each other where their intervals
//! have no number in common. Answers that a limit left open claim only the interval that they have.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::run::{Ended, Measured, Run};

/// What fractions lose when they become floats.
const SLACK: f64 = 1e-12;

/// An interval, closed from above.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Claim {
    lower: f64,
    /// Whether the lower end itself is excluded.
    open: bool,
    upper: f64,
}

/// What was claimed so far.
#[derive(Debug, Default)]
pub struct Claims {
    /// By question: the claims, each with the command line and the word that made it.
    made: BTreeMap<String, Vec<(Claim, String)>>,
}

/// A word as shells take it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

impl Claims {
    /// Adds what a run claims.
    ///
    /// # Errors
    /// Another run claims something that cannot be true as well.
    pub fn add(&mut self, run: &Run, measured: &Measured) -> Result<(), Error> {
        let Some(question) = &run.question else { return Ok(()) };
        let words = format!(
            "surefoot {} said {}",
            run.command_line().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            said(measured)
        );
        claims(run, measured).into_iter().try_for_each(|claim| self.insert(question, claim, &words))
    }

    /// Adds what is recorded of a question: a verdict, an interval.
    ///
    /// # Errors
    /// As for [`Claims::add`].
    pub fn record(&mut self, question: &str, verdict: Option<&str>, value: Option<[f64; 2]>) -> Result<(), Error> {
        let verdict = verdict.and_then(|word| by_verdict(word, 0.0));
        let value = value.map(|[lower, upper]| Claim { lower, open: false, upper });
        let mut recorded = verdict.into_iter().chain(value);
        recorded.try_for_each(|claim| self.insert(question, claim, "what the benchmark set records of it"))
    }

    fn insert(&mut self, question: &str, claim: Claim, words: &str) -> Result<(), Error> {
        let made = self.made.entry(question.to_owned()).or_default();
        if let Some((_, first)) = made.iter().find(|(other, _)| !claim.meets(other)) {
            let (first, second) = (first.clone(), words.to_owned());
            return Err(Error::Contradiction { question: question.to_owned(), first, second });
        }
        // The same claim needs not be kept twice.
        if made.iter().all(|(other, _)| *other != claim) {
            made.push((claim, words.to_owned()));
        }
        Ok(())
    }
}

impl Claim {
    fn meets(&self, other: &Self) -> bool {
        self.reaches(other) && other.reaches(self)
    }

    /// Whether this one does not lie below the other.
    fn reaches(&self, other: &Self) -> bool {
        if other.open { self.upper > other.lower } else { self.upper >= other.lower - SLACK }
    }
}

fn said(measured: &Measured) -> String {
    measured.value().map_or_else(|| measured.word().to_owned(), |(lo, hi)| format!("{} [{lo}, {hi}]", measured.word()))
}

/// What a run claims: by its verdict, and by its interval.
fn claims(run: &Run, measured: &Measured) -> Vec<Claim> {
    if measured.ended != Ended::Answered {
        return Vec::new();
    }
    let bound = run.arguments.iter().position(|argument| argument == "--p-max");
    let bound = match bound.map(|place| run.arguments.get(place + 1).and_then(|bound| bound.parse().ok())) {
        None => Some(0.0),
        Some(bound) => bound,
    };
    let verdict = measured.result["verdict"].as_str().zip(bound).and_then(|(word, bound)| by_verdict(word, bound));
    let value = measured.value().map(|(lower, upper)| Claim { lower, open: false, upper });
    verdict.into_iter().chain(value).collect()
}

/// What a verdict on a bound claims.
fn by_verdict(word: &str, bound: f64) -> Option<Claim> {
    match word {
        "holds" => Some(Claim { lower: 0.0, open: false, upper: bound }),
        "violated" => Some(Claim { lower: bound, open: true, upper: 1.0 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Watch;
    use serde_json::{Value, json};

    fn run(arguments: &str) -> Run {
        Run {
            question: Some("q".to_owned()),
            arguments: arguments.split(' ').map(str::to_owned).collect(),
            inputs: Vec::new(),
            time_limit: 1.0,
            memory_limit: None,
            watch: Watch::Nothing,
            grace: crate::run::GRACE,
            broken: None,
            by: crate::run::By::Itself,
        }
    }

    fn said(result: Value) -> Measured {
        Measured { result, ..Measured::broken(Ended::Answered) }
    }

    /// Whether all of these can be true.
    fn agree(answers: &[(&str, Value)]) -> Result<(), String> {
        let mut claims = Claims::default();
        let mut add = |(line, result): &(&str, Value)| claims.add(&run(line), &said(result.clone()));
        answers.iter().try_for_each(&mut add).map_err(|error| error.to_string())
    }

    #[test]
    fn verdicts_and_intervals_are_held_against_each_other() {
        let (holds, violated) = (json!({"verdict": "holds"}), json!({"verdict": "violated"}));
        let value = |lo: f64, hi: f64| json!({"verdict": null, "value": {"lo": lo, "hi": hi}});
        let both = |a: (&str, &Value), b: (&str, &Value)| {
            let there = agree(&[(a.0, a.1.clone()), (b.0, b.1.clone())]);
            let back = agree(&[(b.0, b.1.clone()), (a.0, a.1.clone())]);
            assert_eq!(there.is_ok(), back.is_ok(), "{a:?} {b:?}");
            there
        };
        let message = both(("verify a", &holds), ("verify b", &violated)).unwrap_err();
        assert!(message.contains("surefoot verify a --time-limit 1 said holds"), "{message}");
        assert!(message.contains("surefoot verify b --time-limit 1 said violated"), "{message}");
        assert!(both(("verify a", &holds), ("verify b", &holds)).is_ok());
        assert!(both(("verify a", &violated), ("bounds b", &value(0.0, 0.2))).is_ok());
        assert!(both(("verify a", &violated), ("bounds b", &value(0.0, 0.0))).is_err());
        assert!(both(("verify a", &holds), ("bounds b", &value(0.1, 0.2))).is_err());
        assert!(both(("bounds a", &value(0.3, 0.4)), ("bounds b", &value(0.1, 0.2))).is_err());
        assert!(both(("bounds a", &value(0.2, 0.4)), ("bounds b", &value(0.1, 0.2))).is_ok());
        assert!(both(("bounds --p-max 0.2", &holds), ("bounds b", &value(0.1, 0.4))).is_ok());
        assert!(both(("bounds --p-max 0.2", &holds), ("bounds b", &value(0.3, 0.4))).is_err());
        assert!(both(("bounds --p-max 0.4", &violated), ("bounds b", &value(0.3, 0.4))).is_err());
        assert!(both(("bounds --p-max 0.3", &violated), ("bounds --p-max 0.2", &holds)).is_err());
        assert!(both(("bounds --p-max 0.2", &violated), ("bounds --p-max 0.3", &holds)).is_ok());
    }

    #[test]
    fn what_is_recorded_counts() {
        let mut claims = Claims::default();
        claims.record("q", Some("holds"), None).unwrap();
        let message = claims.add(&run("verify a"), &said(json!({"verdict": "violated"}))).unwrap_err().to_string();
        assert!(message.contains("benchmark set records") && message.contains("about q"), "{message}");
        assert!(claims.record("r", Some("violated"), Some([0.0, 0.0])).is_err());
    }

    #[test]
    fn what_is_open_or_broken_claims_nothing() {
        let open = json!({"verdict": "unknown", "open_errors": {"what": "x", "because": "y"}});
        assert!(agree(&[("verify a", open), ("verify b", json!({"verdict": "violated"}))]).is_ok());
        let mut claims = Claims::default();
        let garbage = Measured::broken(Ended::Garbage(String::new()));
        assert!(claims.add(&run("verify a"), &garbage).is_ok());
        assert!(claims.add(&Run { question: None, ..run("verify a") }, &said(json!({"verdict": "holds"}))).is_ok());
        assert!(claims.add(&run("verify b"), &said(json!({"verdict": "violated"}))).is_ok());
    }
}
