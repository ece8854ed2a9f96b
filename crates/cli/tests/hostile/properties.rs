//! Properties and start states.

use serde_json::{Value, json};

use super::harness::{Case, base, case, op, run, with};

fn property(name: &'static str, expression: Value) -> Case {
    case(name, "verify m.jani").json("m.jani", &with("/properties/0/expression", expression))
}

/// A start state that lists these variables and locations.
fn listed(name: &'static str, variables: Value, locations: Value) -> Case {
    let start = json!({"op": "states-values", "values": [{"variables": variables, "locations": locations}]});
    property(name, json!({"op": "PA", "start": start, "reach": op("=", "x", 3)}))
}

fn x(value: impl Into<Value>) -> Value {
    json!({"var": "x", "value": value.into()})
}

#[test]
fn properties() {
    let pa = |member: &str, value: Value| {
        let mut expression = json!({"op": "PA", "start": op("=", "x", 0), "reach": op("=", "x", 3)});
        expression[member] = value;
        expression
    };
    let none = json!([]);
    let at = |location: &str| json!({"automaton": "a", "location": location});
    let filter = |values: Value| json!({"op": "filter", "fun": "∀", "values": values, "states": {"op": "initial"}});
    let two = with("/properties/-", base()["properties"][0].clone());
    run(
        "properties",
        vec![
            listed("a listed start state", json!([x(1)]), json!([at("l")])).code(1),
            listed("a variable twice", json!([x(1), x(2)]), none.clone()).says("gives 'x' two values"),
            listed("a variable twice with one value", json!([x(1), x(1)]), none.clone()).says("gives 'x' two values"),
            listed("true for an int", json!([x(true)]), none.clone()).says("true is no value of 'x' (int 0..3)"),
            listed("outside its domain", json!([x(7)]), none.clone()).says("7 is no value of 'x' (int 0..3)"),
            listed("a fraction", json!([x(0.5)]), none.clone()).says("1/2 is no value of 'x'"),
            listed("no constant", json!([x("x")]), none.clone()).says("must be constant"),
            listed("an unknown variable", json!([{"var": "y", "value": 1}]), none.clone()).says("'y'"),
            listed("a location twice", json!([x(1)]), json!([at("l"), at("l")])).says("at two locations"),
            listed("an unknown location", json!([x(1)]), json!([at("k")])).says("'k'"),
            listed("an array for an int", json!([x(json!({"op": "av", "elements": [1]}))]), none.clone()).says("shape"),
            property("no operator", json!({})).says("a property is an object with \"op\""),
            property("an unknown operator", json!({"op": "AP"})).says("there is no property operator \"AP\""),
            property("an unknown member", pa("raech", json!(true)))
                .says("a PA property has no member \"raech\"")
                .says("help:"),
            property("an unknown name", pa("reach", op("=", "y", 3))).says("'y'"),
            property("a number as a condition", pa("reach", json!(3))).says("bool"),
            property("a start that is a number", pa("start", json!(3))).says("bool"),
            property("a policy that is not there", pa("file", json!("no.policy.json")))
                .says("no.policy.json does not exist"),
            property(
                "a filter over all states",
                json!({"op": "filter", "fun": "∀", "values": true, "states": {"op": "deadlock"}}),
            )
            .says("only filters over the initial states"),
            property(
                "an unknown filter",
                json!({"op": "filter", "fun": "all", "values": true, "states": {"op": "initial"}}),
            )
            .says("no filter function \"all\""),
            property(
                "a nested formula",
                filter(json!({"op": "∀", "exp": {"op": "G", "exp": {"op": "∃", "exp": {"op": "F", "exp": true}}}})),
            )
            .says("cannot stand inside a condition")
            .says("help:"),
            property("a reward", filter(json!({"op": "Emin", "exp": 1, "reach": true, "accumulate": ["steps"]})))
                .says("the filter \"∀\" over expected values is not supported"),
            case("two of one name", "verify m.jani").json("m.jani", &two).says("two properties named \"safe\""),
            case("none", "verify m.jani").json("m.jani", &with("/properties", json!([]))).says("there is no property"),
            case("an unknown name", "verify m.jani --property sfae")
                .json("m.jani", &base())
                .says("did you mean 'safe'?"),
            case("an index too large", "verify m.jani --property 7")
                .json("m.jani", &base())
                .says("there is no property 7"),
            case("a negative index", "verify m.jani --property -1")
                .json("m.jani", &base())
                .says("there is no property '-1'"),
            case("a model as properties", "verify m.jani --properties m.jani")
                .json("m.jani", &base())
                .says("this is a model"),
            case("properties as a model", "verify p.jani")
                .json("p.jani", &json!({"properties": []}))
                .says("not a model"),
            case("the same file twice", "verify m.jani --properties p.jani --properties p.jani")
                .json("m.jani", &with("/properties", json!([])))
                .json("p.jani", &json!({"properties": base()["properties"]}))
                .says("two properties named \"safe\""),
            case("a formula that is none", "ctl m.jani --formula")
                .arg("AG[<=2")
                .json("m.jani", &base())
                .says("expected \']\', found the end"),
            case("an empty formula", "ctl m.jani --formula")
                .arg("")
                .json("m.jani", &base())
                .says("expected a number or a variable, found the end"),
            case("a formula with an unknown name", "ctl m.jani --formula")
                .arg("AG[<=2] y < 3")
                .json("m.jani", &base())
                .says("'y'"),
            case("a negative bound", "ctl m.jani --formula")
                .arg("AG[<=-2] x < 3")
                .json("m.jani", &base())
                .says("expected a number of steps, found '-'"),
            case("a bound beyond all numbers", "ctl m.jani --formula")
                .arg("AG[<=99999999999999999999999999999999999999999999999999] x < 3")
                .json("m.jani", &base())
                .says("expected a number of steps, found the number 999999999999...999999 (50 digits)"),
        ],
    );
}
