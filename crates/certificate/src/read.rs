//! Witnesses from JSON: a witness alone, or the result object that holds one.

use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind, Node, ObjectReader, Shape};
use surefoot_text::source::{FileId, Span};

use crate::witness::{Decision, EdgeTaken, LOCATIONS, Score, StateRecord, Step, Value, Witness, variable_name};

const WITNESS: Shape = Shape::new("a witness", &["start", "steps"], &["kind", "property"]);
const STEP: Shape =
    Shape::new("a step of a witness", &["state"], &["operator", "label", "edges", "outcome", "probability", "policy"]);
const POLICY: Shape = Shape::new("what the policy said", &["chosen", "scores"], &["network", "runner_up", "margin"]);
const SCORE: Shape = Shape::new("a score", &["exact"], &["float"]);

/// The version of the format of result objects that is read and written.
pub const RESULT_FORMAT: u32 = 1;

/// A witness as read, with the places to point at when it turns out not to be real.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadWitness {
    /// The witness.
    pub witness: Witness,
    /// Where its start state stands.
    pub start_span: Span,
    /// Where each step stands.
    pub step_spans: Vec<Span>,
    /// The files and hashes that the result object lists, when it was one.
    pub inputs: Vec<(String, String)>,
    /// What the result object claims, when it was one.
    pub result: Option<ResultClaims>,
}

/// What a result object claims besides its witness. Members that are not there are `None`; those that are null, `Some(None)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultClaims {
    /// Where it stands.
    pub span: Span,
    /// The command that wrote it.
    pub command: Option<String>,
    /// The verdict.
    pub verdict: Option<Option<String>>,
    /// The model's name.
    pub model: Option<String>,
    /// The constants that were given, in order of their names.
    pub constants: Option<Vec<(String, Value)>>,
    /// The name of the property.
    pub property: Option<Option<String>>,
    /// What was asked in text.
    pub question: Option<QuestionClaim>,
    /// The policy.
    pub policy: Option<Option<PolicyClaim>>,
    /// The formula of CTL.
    pub formula: Option<String>,
    /// Whether goal states were made terminal by request.
    pub goal_terminal: bool,
}

/// What a result was asked in text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionClaim {
    /// The unsafe states.
    pub never: Option<String>,
    /// The start states.
    pub start: Option<String>,
    /// The goal.
    pub goal: Option<String>,
    /// Whether every run must reach the goal.
    pub always_reach: bool,
    /// Within how many steps.
    pub within: Option<u64>,
    /// The formula of CTL.
    pub formula: Option<String>,
}

/// How the policy of a result chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyClaim {
    /// Whether only applicable labels are in the running.
    pub filter: Option<bool>,
    /// How ties are broken.
    pub ties: Option<String>,
}

/// Reads a witness, or the `witness` of a result object, from the text of `file`.
///
/// # Errors
/// The first thing that is not as it should be, with its place.
pub fn read_witness(file: FileId, text: &str) -> Result<ReadWitness, Diagnostic> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    if root.kind() != Kind::Object {
        return Err(root.mismatch("a result object or a witness"));
    }
    let Some(inner) = root.get("witness") else {
        if root.get("tool").is_some() && root.get("start").is_none() {
            return Err(no_witness(root));
        }
        return witness(root, Vec::new());
    };
    if inner.is_null() {
        return Err(no_witness(root));
    }
    let claims = result(root)?;
    Ok(ReadWitness { result: Some(claims), ..witness(inner, inputs(root))? })
}

/// Reads what a result object says it is about, whatever it shows, and the files and hashes that it lists.
///
/// # Errors
/// The first thing that is not as it should be, with its place.
pub fn read_claims(file: FileId, text: &str) -> Result<(ResultClaims, Vec<(String, String)>), Diagnostic> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    if root.kind() != Kind::Object || root.get("command").is_none() {
        return Err(root.mismatch("a result object"));
    }
    Ok((result(root)?, inputs(root)))
}

/// The files and hashes that a result object lists.
pub(crate) fn inputs(root: Node<'_>) -> Vec<(String, String)> {
    root.get("inputs").map_or_else(Vec::new, |inputs| {
        let pairs = inputs.members().filter_map(|(name, _, hash)| Some((name.to_owned(), hash.as_str()?.to_owned())));
        pairs.collect()
    })
}

/// A node that is not null.
fn given(node: Node<'_>) -> Option<Node<'_>> {
    if node.is_null() { None } else { Some(node) }
}

pub(crate) fn result(root: Node<'_>) -> Result<ResultClaims, Diagnostic> {
    // From before formats had numbers there is none, and it is the first.
    if let Some(node) = root.get("format") {
        let format = node.expect_i64("the version of the result's format")?;
        if format != i64::from(RESULT_FORMAT) {
            let message = format!("the result is of format {format}, and this version reads {RESULT_FORMAT}");
            return Err(Diagnostic::error(node.span(), message).with_help("use the version that wrote it"));
        }
    }
    let text = |key: &str| -> Result<Option<Option<String>>, Diagnostic> {
        let node = root.get(key).map(given);
        let read = |node: Node<'_>| node.expect_str(&format!("\"{key}\" as text")).map(str::to_owned);
        node.map(|node| node.map(read).transpose()).transpose()
    };
    let property = |node: Node<'_>| -> Result<String, Diagnostic> {
        let name = node.get("name").ok_or_else(|| node.mismatch("a property with its name"))?;
        Ok(name.expect_str("the name of the property")?.to_owned())
    };
    let policy = |node: Node<'_>| -> Result<PolicyClaim, Diagnostic> {
        let filter = node.get("filter").map(|filter| filter.expect_bool("whether the filter is on")).transpose()?;
        let ties =
            node.get("ties").map(|ties| ties.expect_str("how ties are broken").map(str::to_owned)).transpose()?;
        Ok(PolicyClaim { filter, ties })
    };
    let constants = |node: Node<'_>| -> Result<Vec<(String, Value)>, Diagnostic> {
        if node.kind() != Kind::Object {
            return Err(node.mismatch("the constants as an object from names to values"));
        }
        let read = node.members().map(|(name, _, value)| Ok((name.to_owned(), variable_value(value)?)));
        let mut read = read.collect::<Result<Vec<_>, Diagnostic>>()?;
        read.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(read)
    };
    Ok(ResultClaims {
        span: root.get("command").unwrap_or(root).span(),
        command: text("command")?.flatten(),
        verdict: text("verdict")?,
        model: text("model")?.flatten(),
        constants: root.get("constants").map(constants).transpose()?,
        property: root.get("property").map(|node| given(node).map(property).transpose()).transpose()?,
        question: root.get("question").and_then(given).map(question).transpose()?,
        policy: root.get("policy").map(|node| given(node).map(policy).transpose()).transpose()?,
        formula: text("formula")?.flatten(),
        goal_terminal: root.get("assumptions").is_some_and(|list| list.items().any(by_request)),
    })
}

/// Whether an assumption says that goal states are terminal because that was asked for, and not because a property says so.
fn by_request(assumption: Node<'_>) -> bool {
    let text = assumption.as_str().unwrap_or_default();
    text.starts_with("goal states are terminal") && !text.contains("the property says so")
}

fn question(node: Node<'_>) -> Result<QuestionClaim, Diagnostic> {
    let text = |key: &str| -> Result<Option<String>, Diagnostic> {
        let read = |node: Node<'_>| node.expect_str(&format!("\"{key}\" as text")).map(str::to_owned);
        node.get(key).and_then(given).map(read).transpose()
    };
    let steps = |node: Node<'_>| {
        let steps = node.expect_i64("a number of steps")?;
        u64::try_from(steps).map_err(|_| node.mismatch("a number of steps"))
    };
    let always = node.get("always_reach").map(|node| node.expect_bool("whether the goal is always reached"));
    Ok(QuestionClaim {
        never: text("never")?,
        start: text("start")?,
        goal: text("goal")?,
        always_reach: always.transpose()?.unwrap_or(false),
        within: node.get("within").and_then(given).map(steps).transpose()?,
        formula: text("formula")?,
    })
}

fn no_witness(root: Node<'_>) -> Diagnostic {
    let verdict = root.get("verdict").and_then(Node::as_str).unwrap_or("none");
    let span = root.get("witness").or_else(|| root.get("verdict")).map_or(root.span(), Node::span);
    Diagnostic::error(span, format!("this result has no witness (its verdict: {verdict})"))
        .with_help("only results with a counterexample can be replayed")
}

fn witness(node: Node<'_>, inputs: Vec<(String, String)>) -> Result<ReadWitness, Diagnostic> {
    let object = ObjectReader::new(node, &WITNESS)?;
    if let Some(kind) = object.optional("kind") {
        let name = kind.expect_str("the kind of the witness")?;
        if name != "run" {
            return Err(Diagnostic::error(kind.span(), format!("a witness of the kind \"{name}\" is not known"))
                .with_help("the only kind is \"run\""));
        }
    }
    let property = object.optional("property").filter(|p| !p.is_null());
    let property = property.map(|p| p.expect_str("the name of the property").map(str::to_owned)).transpose()?;
    let start_node = object.required("start");
    let start = state(start_node)?;
    let (mut steps, mut step_spans) = (Vec::new(), Vec::new());
    for item in object.required("steps").expect_array("the steps as an array")? {
        steps.push(step(item)?);
        step_spans.push(item.span());
    }
    let witness = Witness { property, start, steps };
    Ok(ReadWitness { witness, start_span: start_node.span(), step_spans, inputs, result: None })
}

pub(crate) fn state(node: Node<'_>) -> Result<StateRecord, Diagnostic> {
    if node.kind() != Kind::Object {
        return Err(node.mismatch("a state as an object from variables to values"));
    }
    let mut record = StateRecord::default();
    for (key, _, value) in node.members() {
        if key == LOCATIONS {
            if value.kind() != Kind::Object {
                return Err(value.mismatch("the locations as an object from automata to locations"));
            }
            for (automaton, _, location) in value.members() {
                let location = location.expect_str("the name of a location")?;
                record.locations.push((automaton.to_owned(), location.to_owned()));
            }
        } else {
            record.variables.push((variable_name(key).to_owned(), variable_value(value)?));
        }
    }
    Ok(record)
}

fn variable_value(node: Node<'_>) -> Result<Value, Diagnostic> {
    match node.kind() {
        Kind::Bool => Ok(Value::Bool(node.expect_bool("a truth value")?)),
        Kind::Number => Ok(Value::Number(node.expect_number("a number")?)),
        Kind::String => Ok(Value::Number(fraction(node, "a number")?)),
        _ => Err(node.mismatch("the value of a variable (true, false, an integer, or a fraction as text)")),
    }
}

/// An exact number: a fraction as text, or a JSON number.
pub(crate) fn fraction(node: Node<'_>, wanted: &str) -> Result<Rational, Diagnostic> {
    match node.as_str() {
        Some(text) => text
            .parse()
            .map_err(|e: surefoot_num::ParseRationalError| Diagnostic::error(node.span(), format!("{wanted}: {e}"))),
        None => node.expect_number(wanted),
    }
}

fn names(node: Node<'_>, wanted: &str) -> Result<Vec<String>, Diagnostic> {
    node.expect_array(wanted)?.map(|item| Ok(item.expect_str("the name of an action")?.to_owned())).collect()
}

fn step(node: Node<'_>) -> Result<Step, Diagnostic> {
    let object = ObjectReader::new(node, &STEP)?;
    let operator = object.optional("operator").map(|o| o.expect_str("the operator in words").map(str::to_owned));
    let label = object.optional("label").map(|label| {
        if label.is_null() {
            Ok(None)
        } else {
            Ok(Some(label.expect_str("the name of an action, or null")?.to_owned()))
        }
    });
    let edges = object.optional("edges").map(|edges| {
        if edges.kind() != Kind::Object {
            return Err(edges.mismatch("the edges as an object from automata to numbers"));
        }
        let taken = edges.members().map(|(automaton, _, edge)| {
            let edge =
                if edge.is_null() { None } else { Some(count(edge, "the number of an edge, or null")? as usize) };
            Ok(EdgeTaken { automaton: automaton.to_owned(), edge })
        });
        taken.collect::<Result<Vec<_>, Diagnostic>>()
    });
    let outcome = object.optional("outcome").map(|outcome| {
        let items = outcome.expect_array("the destinations taken as an array of numbers")?;
        items.map(|item| count(item, "the number of a destination")).collect::<Result<Vec<_>, Diagnostic>>()
    });
    let probability = object.optional("probability").map(|p| fraction(p, "a probability"));
    let policy = object.optional("policy").filter(|p| !p.is_null()).map(decision);
    Ok(Step {
        operator: operator.transpose()?,
        label: label.transpose()?,
        edges: edges.transpose()?,
        outcome: outcome.transpose()?,
        probability: probability.transpose()?,
        policy: policy.transpose()?,
        state: state(object.required("state"))?,
    })
}

pub(crate) fn count(node: Node<'_>, wanted: &str) -> Result<u32, Diagnostic> {
    let number = node.expect_i64(wanted)?;
    u32::try_from(number).map_err(|_| Diagnostic::error(node.span(), format!("expected {wanted}, found {number}")))
}

fn decision(node: Node<'_>) -> Result<Decision, Diagnostic> {
    let object = ObjectReader::new(node, &POLICY)?;
    let network = object.optional("network").map(|n| n.expect_str("the file of the network")).transpose()?;
    if let Some(node) = object.optional("network").filter(|_| network == Some("")) {
        return Err(node.mismatch("the file of the network"));
    }
    let chosen = names(object.required("chosen"), "the chosen labels as an array")?;
    let scores = object.required("scores");
    if scores.kind() != Kind::Object {
        return Err(scores.mismatch("the scores as an object from labels to scores"));
    }
    let scores = scores.members().map(|(label, _, node)| score(label, node)).collect::<Result<_, _>>()?;
    let runner_up = match (object.optional("runner_up"), object.optional("margin")) {
        (Some(label), Some(margin)) => Some(score(label.expect_str("a label")?, margin)?),
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => {
            return Err(Diagnostic::error(one.span(), "\"runner_up\" and \"margin\" go together"));
        }
    };
    Ok(Decision { network: network.unwrap_or_default().to_owned(), chosen, scores, runner_up })
}

fn score(label: &str, node: Node<'_>) -> Result<Score, Diagnostic> {
    let object = ObjectReader::new(node, &SCORE)?;
    let exact = fraction(object.required("exact"), "an exact score")?;
    // Numbers that no float holds are written as null.
    if let Some(node) = object.optional("float").filter(|float| !float.is_null()) {
        let float = node.expect_number("a score as a float")?;
        if float.to_f64() != exact.to_f64() {
            let message = format!("the float {float} is not the nearest to the exact score {exact}");
            return Err(Diagnostic::error(node.span(), message));
        }
    }
    Ok(Score { label: label.to_owned(), exact })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::witness::variable_key;
    use proptest::prelude::*;
    use surefoot_text::render;
    use surefoot_text::source::SourceMap;

    fn read(text: &str) -> Result<ReadWitness, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("w.json", text);
        read_witness(file, text).map_err(|error| render(&error, &sources))
    }

    fn values() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            (any::<i64>(), 1..1000i64)
                .prop_map(|(n, d)| Value::Number(Rational::new(n, d).expect("the denominator is positive"))),
        ]
    }

    fn states() -> impl Strategy<Value = StateRecord> {
        let name = prop_oneof!["[a-z]{1,3}", Just("locations".to_owned()), Just("locations'".to_owned())];
        let variables = proptest::collection::btree_map(name, values(), 0..4);
        let locations = proptest::collection::btree_map("[a-z]{1,3}", "[a-zé\"]{0,3}", 0..3);
        (locations, variables).prop_map(|(locations, variables)| StateRecord {
            locations: locations.into_iter().collect(),
            variables: variables.into_iter().collect(),
        })
    }

    fn steps() -> impl Strategy<Value = Step> {
        let decision = (proptest::collection::btree_map("[a-c]", -5..5i64, 1..3)).prop_map(|scores| Decision {
            network: "n.nnet".into(),
            chosen: scores.keys().take(1).cloned().collect(),
            runner_up: scores.keys().nth(1).map(|label| Score { label: label.clone(), exact: Rational::ONE }),
            scores: scores
                .into_iter()
                .map(|(label, n)| Score { label, exact: Rational::new(n, 3).expect("not zero") })
                .collect(),
        });
        let edges = proptest::collection::btree_map("[a-z]{1,2}", proptest::option::of(0..9usize), 1..3);
        (
            proptest::option::of(proptest::option::of("[a-z]")),
            proptest::option::of(edges),
            proptest::option::of(decision),
            states(),
        )
            .prop_map(|(label, edges, policy, state)| Step {
                operator: label.as_ref().map(|_| "in words".to_owned()),
                outcome: edges.as_ref().map(|e| vec![0; e.len()]),
                edges: edges.map(|e| e.into_iter().map(|(automaton, edge)| EdgeTaken { automaton, edge }).collect()),
                probability: label.as_ref().map(|_| Rational::new(1, 3).expect("not zero")),
                label,
                policy,
                state,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(start in states(), steps in proptest::collection::vec(steps(), 0..4)) {
            let witness = Witness { property: Some("p".into()), start, steps };
            let text = serde_json::to_string(&witness).expect("a witness can be written");
            prop_assert_eq!(&read(&text).expect("it is a witness").witness, &witness);
            prop_assert_eq!(&serde_json::from_str::<Witness>(&text).expect("it is a witness"), &witness);
            let wrapped = format!("{{\"tool\": \"surefoot\", \"inputs\": {{\"a\": \"b\"}}, \"witness\": {text}}}");
            let read = read(&wrapped).expect("it holds a witness");
            prop_assert_eq!(&read.witness, &witness);
            prop_assert_eq!(read.inputs, vec![("a".to_owned(), "b".to_owned())]);
        }

        #[test]
        fn variable_members_are_distinct_and_never_the_locations(name in "(locations)?[a-c']{0,3}") {
            let key = variable_key(&name);
            prop_assert_ne!(&*key, LOCATIONS);
            prop_assert_eq!(variable_name(&key), name);
        }
    }

    #[test]
    fn errors_have_a_place() {
        let cases = [
            ("[]", "expected a result object or a witness, found an array"),
            (
                "{\"tool\": \"surefoot\", \"verdict\": \"holds\", \"witness\": null}",
                "this result has no witness (its verdict: holds)",
            ),
            ("{\"tool\": \"surefoot\", \"verdict\": \"unknown\"}", "this result has no witness (its verdict: unknown)"),
            ("{\"start\": {}}", "a witness needs \"steps\""),
            ("{\"start\": {}, \"stepz\": []}", "a witness has no member \"stepz\""),
            ("{\"start\": {\"x\": []}, \"steps\": []}", "expected the value of a variable"),
            ("{\"start\": {\"x\": \"1/0\"}, \"steps\": []}", "a number: "),
            (
                "{\"start\": {}, \"steps\": [{\"state\": {}, \"outcome\": [-1]}]}",
                "expected the number of a destination, found -1",
            ),
            ("{\"start\": {}, \"steps\": [{\"state\": {}, \"label\": 3}]}", "expected the name of an action, or null"),
            ("{\"kind\": \"tree\", \"start\": {}, \"steps\": []}", "a witness of the kind \"tree\" is not known"),
            ("{\"start\": {}, \"start\": {}, \"steps\": []}", "start"),
            ("{\"start\"", "error"),
        ];
        for (text, expected) in cases {
            let error = read(text).expect_err("this is no witness");
            assert!(error.contains(expected), "{text}: {error}");
            assert!(error.contains("--> w.json:1:"), "{error}");
        }
    }
}
