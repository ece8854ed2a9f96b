//! Witnesses and result objects, replayed.

use serde_json::{Value, json};

use super::harness::{Case, base, case, run};

fn replay(name: &'static str, content: &str) -> Case {
    case(name, "replay w.json m.jani").json("m.jani", &base()).file("w.json", content)
}

fn object(name: &'static str, content: &Value) -> Case {
    replay(name, &content.to_string())
}

#[test]
fn witnesses() {
    run(
        "witnesses",
        vec![
            case("not there", "replay w.json m.jani").json("m.jani", &base()).says("cannot read w.json"),
            replay("empty", "").says("w.json"),
            replay("no JSON", "hello").says("w.json"),
            replay("cut off", "{\"witness\": {").says("w.json"),
            object("an empty object", &json!({})).says(r#"a witness needs "start" and "steps""#),
            object("a number", &json!(7)).says("expected a result object or a witness, found a number"),
            object("a list", &json!([])).says("expected a result object or a witness, found an array"),
            object("no witness", &json!({"tool": "surefoot", "command": "verify", "witness": null}))
                .says("this result has no witness"),
            object("a witness that is a word", &json!({"witness": "x"}))
                .says("expected a witness as an object, found a string"),
            object("a model as witness", &base()).says("a witness has no member"),
            case("no model", "replay w.json").file("w.json", "{}").says("<MODEL>"),
        ],
    );
}
