//! Files of predicates, given and written.

use serde_json::{Value, json};

use super::harness::{Case, base, case, op, run};

fn given(name: &'static str, content: &Value) -> Case {
    case(name, "abstract m.jani --predicates p.json").json("m.jani", &base()).json("p.json", content)
}

#[test]
fn predicates() {
    run(
        "predicates",
        vec![
            given("predicates", &json!([op("<", "x", 2)])).code(3),
            given("none", &json!([])).code(3),
            given("a number", &json!(7)).says("there are no predicates here"),
            given("a number among them", &json!([7])).says("a condition must be of type bool, this is int"),
            given("an unknown name", &json!([op("<", "y", 2)])).says("'y'").says("p.json:1:"),
            given("an unknown operator", &json!([op("<<", "x", 2)])).says("<<"),
            given("no predicates in an object", &json!({"predicate": []}))
                .says("there are no predicates here")
                .says("help:"),
            case("no JSON", "abstract m.jani --predicates p.json")
                .json("m.jani", &base())
                .file("p.json", "x < 2")
                .says("p.json:1:1"),
            case("not there", "abstract m.jani --predicates p.json").json("m.jani", &base()).says("cannot read p.json"),
            case("none of the property", "abstract m.jani")
                .json("m.jani", &base())
                .says("--predicates")
                .says("--ignore-predicates"),
            case("for refinement, a number", "verify m.jani --engine cegar --predicates p.json")
                .json("m.jani", &base())
                .file("p.json", "7")
                .says("there are no predicates here"),
            case("of another engine", "verify m.jani --engine explicit --predicates p.json")
                .json("m.jani", &base())
                .file("p.json", "[]")
                .says("--predicates is for --engine cegar"),
            case("a checkpoint that is none", "verify m.jani --engine cegar --checkpoint p.json")
                .json("m.jani", &base())
                .file("p.json", "7")
                .says("p.json"),
            case("halving no variable", "zoo predicates m.jani --count 2 --variables y --out o.json")
                .json("m.jani", &base())
                .says("no variable 'y'"),
            case("halving into the model", "zoo predicates m.jani --count 2 --out m.jani")
                .json("m.jani", &base())
                .says("would overwrite the input"),
            case("more than there are", "zoo predicates m.jani --count 1000 --out o.json")
                .json("m.jani", &base())
                .says("1000 predicates are too many"),
        ],
    );
}
