//! The schema and the page of the book, made from the types and held against what is committed.
//!
//! `SUREFOOT_WRITE_DOCS=1 cargo test -p surefoot-verify --lib result::schema` writes both anew.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::body::{Abstracted, Decided, Encoded, FormulaDecided, Induced, Predicates, Replayed};
use super::certificate::Certified;
use super::check::Check;
use super::decide::Answered;
use super::diff::Comparison;
use super::explain::Explained;
use super::subject::Subject;
use super::zoo::{Distilled, Domains, Experiments, Generated, Plotted, Trained};
use super::{Command, ResultObject};

/// A state by names.
pub(super) struct StateShape;

impl JsonSchema for StateShape {
    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A state by names. Members other than `locations` are variables: truth values, integers of 64 bits, or other numbers as exact fractions in text. A variable that is itself called `locations` has an apostrophe behind its name.",
            "type": "object",
            "properties": {
                "locations": {
                    "description": "The location of each automaton.",
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                },
            },
            "additionalProperties": {"type": ["boolean", "integer", "string"]},
        })
    }
}

/// A run from a start state.
#[derive(JsonSchema)]
#[schemars(rename = "Run")]
#[expect(dead_code, reason = "the shape of a type that writes itself")]
pub(super) struct RunShape {
    /// What it is: `run`.
    kind: RunKind,
    /// The property it is about.
    #[schemars(skip_serializing_if = "Option::is_none")]
    property: Option<String>,
    /// Where it starts.
    start: StateShape,
    /// What happens.
    steps: Vec<StepShape>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "the shape of a type that writes itself")]
enum RunKind {
    Run,
}

/// One step of a run. A witness from elsewhere may leave out everything but the state.
#[derive(JsonSchema)]
#[schemars(rename = "Step")]
#[expect(dead_code, reason = "the shape of a type that writes itself")]
struct StepShape {
    /// The operator in words, for people.
    #[schemars(skip_serializing_if = "Option::is_none")]
    operator: Option<String>,
    /// The action; null for silent steps.
    #[schemars(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The edge that each automaton takes, by its number in the automaton's list, from 0; null for the implicit loop of an input-enabled action.
    #[schemars(skip_serializing_if = "Option::is_none")]
    edges: Option<BTreeMap<String, Option<usize>>>,
    /// The destination taken per edge, from 0.
    #[schemars(skip_serializing_if = "Option::is_none")]
    outcome: Option<Vec<u32>>,
    /// The probability of the outcome, as an exact fraction in text.
    #[schemars(skip_serializing_if = "Option::is_none")]
    probability: Option<String>,
    /// What the policy said, where it had a say.
    #[schemars(skip_serializing_if = "Option::is_none")]
    policy: Option<DecisionShape>,
    /// The state after the step.
    state: StateShape,
}

/// What the policy said in a state.
#[derive(JsonSchema)]
#[schemars(rename = "Decision")]
#[expect(dead_code, reason = "the shape of a type that writes itself")]
pub(super) struct DecisionShape {
    /// The file of the network that was asked, or what it is called in memory.
    network: String,
    /// The labels chosen: one, or several under ties.
    chosen: Vec<String>,
    /// The score of each label, in the order of the outputs.
    scores: BTreeMap<String, ScoreShape>,
    /// The best of the other labels that were in the running.
    #[schemars(skip_serializing_if = "Option::is_none")]
    runner_up: Option<String>,
    /// How far it is behind the label taken.
    #[schemars(skip_serializing_if = "Option::is_none")]
    margin: Option<ScoreShape>,
}

/// A number of a network.
#[derive(JsonSchema)]
#[schemars(rename = "Score")]
#[expect(dead_code, reason = "the shape of a type that writes itself")]
struct ScoreShape {
    /// The exact number, as a fraction in text.
    exact: String,
    /// The nearest 64-bit float; null where there is none.
    float: Option<f64>,
}

/// What a command adds: what was asked where it is about a problem, and what came out where the member is there that always does.
struct Part {
    command: Command,
    asks: bool,
    found: Option<(Value, &'static str)>,
}

fn parts(generator: &mut SchemaGenerator) -> Vec<Part> {
    fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
    let part = |command, asks, found| Part { command, asks, found };
    vec![
        part(Command::Verify, true, Some((of::<Decided>(generator), ""))),
        part(Command::Bounds, true, Some((of::<Decided>(generator), ""))),
        part(Command::Explore, true, None),
        part(Command::Simulate, true, None),
        part(Command::Abstract, true, Some((of::<Abstracted>(generator), "predicates"))),
        part(Command::Ctl, true, Some((of::<FormulaDecided>(generator), "formula"))),
        part(Command::Decide, false, Some((of::<Answered>(generator), ""))),
        part(Command::Induce, true, Some((of::<Induced>(generator), "file"))),
        part(Command::Encode, true, Some((of::<Encoded>(generator), "file"))),
        part(Command::Replay, true, Some((of::<Replayed>(generator), "real"))),
        part(Command::Certify, true, Some((of::<Certified>(generator), "accepted"))),
        part(Command::Explain, true, Some((of::<Explained>(generator), "decision"))),
        part(Command::Diff, true, Some((of::<Comparison>(generator), "other_policy"))),
        part(Command::Check, false, Some((of::<Check>(generator), ""))),
        part(Command::ZooList, false, Some((of::<Domains>(generator), ""))),
        part(Command::ZooGenerate, false, Some((of::<Generated>(generator), ""))),
        part(Command::ZooPredicates, true, Some((of::<Predicates>(generator), "file"))),
        part(Command::ZooTrain, true, Some((of::<Trained>(generator), "folder"))),
        part(Command::ZooExperiment, false, Some((of::<Experiments>(generator), ""))),
        part(Command::ZooDistil, false, Some((of::<Distilled>(generator), ""))),
        part(Command::ZooPlot, false, Some((of::<Plotted>(generator), ""))),
    ]
}

/// The schema. An object has what every command has, and then what its own command adds, or nothing where it did not come to that.
fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let subject = generator.subschema_for::<Subject>().to_value();
    let parts = parts(&mut generator);
    let mut root = generator.into_root_schema_for::<ResultObject>().to_value();
    let keys: Vec<Value> = root["properties"].as_object().into_iter().flatten().map(|(key, _)| json!(key)).collect();
    let mut alternatives = vec![json!({"propertyNames": {"enum": keys}})];
    for Part { command, asks, found } in parts {
        let mut all = vec![json!({"properties": {"command": {"const": command}}})];
        all.extend(asks.then(|| subject.clone()));
        all.extend(found.map(|(found, sign)| match sign {
            "" => found,
            sign => json!({"anyOf": [{"not": {"required": [sign]}}, found]}),
        }));
        alternatives.push(json!({"allOf": all}));
    }
    root["$id"] = json!("urn:surefoot:result:1");
    root["title"] = json!("Surefoot result object");
    root["anyOf"] = json!(alternatives);
    root
}

/// Where the text of a reference leads.
fn name(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// A type in words, with links.
fn words(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = name(reference);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(constant) = schema.get("const") {
        return format!("`{constant}`");
    }
    if let Some(list) = schema["enum"].as_array() {
        return list.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(list) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return list.iter().map(words).collect::<Vec<_>>().join(" or ");
    }
    let one = |kind: &str| match kind {
        "array" => format!("list of {}", words(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", words(&schema["additionalProperties"]))
        }
        other => other.to_owned(),
    };
    match &schema["type"] {
        Value::String(kind) => one(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// A table of the members of an object, or the alternatives of a choice.
fn table(schema: &Value) -> String {
    let required = |key: &str| schema["required"].as_array().is_some_and(|list| list.iter().any(|name| name == key));
    let mut text = String::new();
    if let Some(properties) = schema["properties"].as_object() {
        text.push_str("| key | type | meaning |\n|---|---|---|\n");
        for (key, member) in properties {
            let left_out = if required(key) { "" } else { " (may be left out)" };
            text.push_str(&format!("| `{key}` | {}{left_out} | {} |\n", words(member), description(member)));
        }
    } else if let Some(list) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        for choice in list {
            text.push_str(&format!("- {}: {}\n", words(choice), description(choice)));
        }
    } else {
        text.push_str(&format!("{}\n", words(schema)));
    }
    text
}

/// The part of the page that follows from the schema.
fn reference(schema: &Value) -> String {
    let mut text = "## Every command\n\n".to_owned();
    text.push_str(&table(schema));
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        text.push_str(&format!("\n## {name}\n\n{}\n\n{}", description(definition), table(definition)));
    }
    text
}

fn docs(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file)
}

/// Compares with what is committed, or writes it.
fn committed(file: &str, expected: &str) {
    if std::env::var_os("SUREFOOT_WRITE_DOCS").is_some() {
        std::fs::write(docs(file), expected).unwrap();
    }
    let found = std::fs::read_to_string(docs(file)).unwrap_or_default();
    assert!(found == expected, "docs/{file} is not what the types say: write it anew with SUREFOOT_WRITE_DOCS=1");
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    committed("result.schema.json", &format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap()));
}

#[test]
fn the_page_has_every_member_with_its_meaning() {
    const BEGIN: &str = "<!-- What follows is made from the types. -->\n";
    let page = std::fs::read_to_string(docs("result.md")).unwrap();
    let (head, _) = page.split_once(BEGIN).expect("the page has a mark where the types begin");
    let schema = schema();
    committed("result.md", &format!("{head}{BEGIN}\n{}", reference(&schema)));
    let undocumented = |value: &Value| {
        let members = value["properties"].as_object().into_iter().flatten();
        members.filter(|(_, member)| description(member).is_empty()).map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        // The single word of a kind says itself.
        assert_eq!(undocumented(definition), Vec::<String>::new(), "{name}");
    }
    assert_eq!(undocumented(&schema), Vec::<String>::new());
}
