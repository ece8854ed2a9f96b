//! Constants, in the model and on the command line.

use serde_json::{Value, json};

use super::harness::{Case, case, op, run, with};

fn model(constants: Value) -> Value {
    let mut model = with("/properties/0/expression/reach", op("=", "x", "k"));
    model["constants"] = constants;
    model
}

fn k(line: &'static str, name: &'static str) -> Case {
    case(name, line).json("m.jani", &model(json!([{"name": "k", "type": "int"}])))
}

#[test]
fn constants() {
    let declared = |name, constants: Value| case(name, "verify m.jani").json("m.jani", &model(constants));
    run(
        "constants",
        vec![
            k("verify m.jani --const k=3", "given").code(1),
            k("verify m.jani", "missing").says("no value for the constant 'k' (int)").says("--const k=..."),
            k("check m.jani", "missing, but only described").code(0).says("1 constant without a value"),
            k("verify m.jani --const k=3 --const k=5", "two values").says("'k' is given twice").says("help:"),
            k("verify m.jani --const k=3 --const k=3", "the same twice").says("'k' is given twice"),
            k("check m.jani --const k=3 --const k=5", "two values, checked").says("'k' is given twice"),
            k("verify m.jani --const K=3", "another name").says("no constant 'K'").says("did you mean 'k'?"),
            k("verify m.jani --const k", "no value").says("NAME=VALUE"),
            k("verify m.jani --const =3", "no name").says("no constant ''"),
            k("verify m.jani --const k=", "nothing").says("'k'"),
            k("verify m.jani --const k=three", "a word").says("'k'"),
            k("verify m.jani --const k=1/0", "division by zero").says("'k'"),
            k("verify m.jani --const k=nan", "no number").says("'k'"),
            k("verify m.jani --const k=true", "a truth value").says("is of type int").says("a number"),
            k("verify m.jani --const k=0.5", "a fraction").says("is of type int, its value is 1/2"),
            k("verify m.jani --const k=-3", "negative").code(0),
            k("verify m.jani --const k=1e3", "an exponent").code(0),
            declared("a truth value for an int", json!([{"name": "k", "type": "int", "value": true}]))
                .says("its value is a truth value"),
            declared("a number for a bool", json!([{"name": "k", "type": "bool", "value": 1}]))
                .says("its value is a number"),
            declared(
                "twice",
                json!([{"name": "k", "type": "int", "value": 1}, {"name": "k", "type": "int", "value": 2}]),
            )
            .says("the name 'k' is declared twice"),
            declared("the name of a variable", json!([{"name": "x", "type": "int", "value": 1}]))
                .says("the name 'x' is declared twice"),
            declared("empty name", json!([{"name": "", "type": "int", "value": 1}]))
                .says("the name of a constant must not be empty"),
            declared("in terms of itself", json!([{"name": "k", "type": "int", "value": op("+", "k", 1)}]))
                .says("unknown name 'k'"),
            declared(
                "in a circle",
                json!([{"name": "k", "type": "int", "value": "j"}, {"name": "j", "type": "int", "value": "k"}]),
            )
            .says("unknown name 'j'"),
            declared("of a variable", json!([{"name": "k", "type": "int", "value": "x"}])).says("unknown name 'x'"),
            declared(
                "outside its bounds",
                json!([{"name": "k", "value": 7, "type":
                {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5}}]),
            )
            .says("its value is 7"),
            declared("no type", json!([{"name": "k"}])).says("a constant needs \"type\""),
            declared("an unknown type", json!([{"name": "k", "type": "integer"}])).says("did you mean \"int\"?"),
            declared("no array", json!(7)).says("the constants as an array"),
            declared(
                "huge",
                json!([{"name": "k", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5},
                "value": op("pow", 10, 3000)}]),
            )
            .says("digits)"),
        ],
    );
}
