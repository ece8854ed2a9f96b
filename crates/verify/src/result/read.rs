//! Objects back from JSON.
//!
//! The command says which members to expect. Members that are not known are left alone: a later version may have added them. An object without
//! `format` is of the first one, from before it had a number. A file that a user names as a witness goes through the reader with
//! places instead (`surefoot-certificate`).

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value};

use super::body::About;
use super::{Body, Command, FORMAT, ResultObject, Statistics};

impl<'de> Deserialize<'de> for ResultObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(deserializer)?;
        let format = members.remove("format").map_or(Ok(1), |value| parsed("format", value))?;
        if format != FORMAT {
            return Err(D::Error::custom(format!("the result is of format {format}, and this version reads {FORMAT}")));
        }
        let command = required(&mut members, "command")?;
        let object = Self {
            tool: required(&mut members, "tool")?,
            version: required(&mut members, "version")?,
            format,
            command,
            verdict: required(&mut members, "verdict")?,
            reason: required(&mut members, "reason")?,
            engine: required(&mut members, "engine")?,
            seconds: required(&mut members, "seconds")?,
            seed: required(&mut members, "seed")?,
            inputs: required(&mut members, "inputs")?,
            assumptions: required(&mut members, "assumptions")?,
            statistics: required::<Statistics, _>(&mut members, "statistics")?,
            witness: required(&mut members, "witness")?,
            certificate: members.remove("certificate").map(|value| parsed("certificate", value)).transpose()?,
            no_certificate: members.remove("no_certificate").map(|why| parsed("no_certificate", why)).transpose()?,
            error: members.remove("error").map(|value| parsed("error", value)).transpose()?,
            body: None,
        };
        let body = body(command, members)?;
        Ok(Self { body, ..object })
    }
}

fn parsed<T: DeserializeOwned, E: Error>(key: &str, value: Value) -> Result<T, E> {
    serde_json::from_value(value).map_err(|error| E::custom(format!("the result's \"{key}\": {}", words(&error))))
}

/// What is wrong, as other readers say it: what serde tells are words for programmers.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let between = |start: &str, end: &str| text.strip_prefix(start)?.split_once(end);
    if let Some((name, _)) = between("missing field `", "`") {
        return format!("expected the member \"{name}\", which is not there");
    }
    if let Some((name, _)) = between("unknown variant `", "`") {
        return format!("\"{name}\" is not one of the words that results have there");
    }
    let found = between("invalid type: ", ", expected ").or_else(|| between("invalid value: ", ", expected "));
    let Some((found, expected)) = found else { return "it is not as results have it".to_owned() };
    let found = match found.split_once(' ').map_or(found, |(kind, _)| kind) {
        "null" => "null",
        "boolean" => "a truth value",
        "integer" | "floating" => "a number",
        "string" => "text",
        "sequence" => "an array",
        "map" => "an object",
        _ => "something else",
    };
    let expected = match expected.split(' ').next().unwrap_or_default() {
        "u8" | "u32" | "u64" | "usize" | "i64" | "f64" => "a number",
        "a" if expected.starts_with("a boolean") => "a truth value",
        "a" if expected.starts_with("a string") => "text",
        "a" if expected.starts_with("a sequence") => "an array",
        "struct" | "a" => "an object",
        _ => "what results have there",
    };
    format!("expected {expected}, found {found}")
}

fn required<T: DeserializeOwned, E: Error>(members: &mut Map<String, Value>, key: &str) -> Result<T, E> {
    let value = members.remove(key).ok_or_else(|| E::custom(format!("the result has no \"{key}\"")))?;
    parsed(key, value)
}

/// What a command added; nothing where it did not come to that.
fn body<E: Error>(command: Command, members: Map<String, Value>) -> Result<Option<Body>, E> {
    let sign = match command {
        Command::Check => "readable",
        Command::Decide => "answers",
        Command::ZooList => "domains",
        Command::ZooExperiment => "experiments",
        Command::ZooGenerate | Command::ZooDistil => "domain",
        Command::ZooPlot => "kind",
        _ => "model",
    };
    if !members.contains_key(sign) {
        return Ok(None);
    }
    Ok(Some(match command {
        Command::Check => Body::Check(of(members)?),
        Command::Explore | Command::Simulate | Command::Report | Command::View => Body::Counted(of(members)?),
        Command::Verify | Command::Bounds => Body::Decided(of(members)?),
        Command::Abstract => Body::Abstracted(about(members, "predicates")?),
        Command::Ctl => Body::Formula(about(members, "formula")?),
        Command::Induce => Body::Induced(about(members, "file")?),
        Command::Encode => Body::Encoded(about(members, "file")?),
        Command::Replay => Body::Replayed(about(members, "real")?),
        Command::Certify => Body::Certified(about(members, "accepted")?),
        Command::Explain => Body::Explained(about(members, "decision")?),
        Command::Diff => Body::Compared(about(members, "other_policy")?),
        Command::Decide => Body::Answered(*of(members)?),
        Command::ZooList => Body::Domains(*of(members)?),
        Command::ZooGenerate => Body::Generated(*of(members)?),
        Command::ZooPredicates => Body::Predicates(about(members, "file")?),
        Command::ZooTrain => Body::Trained(about(members, "folder")?),
        Command::ZooExperiment => Body::Experiments(*of(members)?),
        Command::ZooDistil => Body::Distilled(of(members)?),
        Command::ZooPlot => Body::Plotted(*of(members)?),
    }))
}

fn of<T: DeserializeOwned, E: Error>(members: Map<String, Value>) -> Result<Box<T>, E> {
    let read = serde_json::from_value(Value::Object(members));
    read.map(Box::new).map_err(|error| E::custom(format!("the result: {}", words(&error))))
}

/// What was asked, and what came out where the member is there that always does.
fn about<T: DeserializeOwned, E: Error>(members: Map<String, Value>, sign: &str) -> Result<Box<About<T>>, E> {
    let came_out = members.contains_key(sign);
    let subject = *of(members.clone())?;
    let found = came_out.then(|| of(members)).transpose()?.map(|found| *found);
    Ok(Box::new(About { subject, found }))
}
