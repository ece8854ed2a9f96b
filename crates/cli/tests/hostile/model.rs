//! Models.

use serde_json::{Value, json};

use super::harness::{Case, base, case, int, op, run, set, with};

/// `check` on the base model with one place changed.
fn changed(name: &'static str, pointer: &str, value: Value) -> Case {
    case(name, "check m.jani").json("m.jani", &with(pointer, value))
}

/// `check` on a text.
fn text(name: &'static str, content: impl AsRef<[u8]>) -> Case {
    case(name, "check m.jani").file("m.jani", content)
}

fn variable(name: &'static str, ty: Value, initial: Value) -> Case {
    changed(name, "/variables/-", json!({"name": "y", "type": ty, "initial-value": initial}))
}

fn array(base: Value) -> Value {
    json!({"kind": "array", "base": base})
}

fn cells(items: Value) -> Value {
    json!({"op": "av", "elements": items})
}

#[test]
fn texts() {
    let deep = "[".repeat(100_000);
    let twice = base().to_string().replacen("\"name\":\"m\"", "\"name\":\"m\",\"name\":\"n\"", 1);
    run(
        "texts of models",
        vec![
            case("the base model", "verify m.jani").json("m.jani", &base()).code(1).says("violated"),
            case("not there", "check m.jani").says("cannot read m.jani"),
            text("empty", "").says("the text is empty"),
            text("blank", " \n\t").says("the text is empty"),
            text("null", "null").says("a model as an object"),
            text("a number", "7").says("a model as an object"),
            text("an array", "[]").says("a model as an object"),
            text("an empty object", "{}").says("a model needs"),
            text("cut off", &base().to_string()[..200]).says("the text ends inside"),
            text("two values", format!("{0}{0}", base())).says("goes on after its value has ended"),
            text("a comment", format!("// hello\n{}", base())).says("JSON has no comments"),
            text("a trailing comma", "{\"name\": 1,}").says("trailing comma"),
            text("a member twice", twice).says("the member \"name\" is given twice"),
            text("single quotes", "{'name': 1}").says("double quotes"),
            text("NaN", "{\"name\": NaN}").says("JSON has no number NaN"),
            text("deep nesting", deep).says("m.jani"),
            text("with a byte order mark", format!("\u{FEFF}{}", base())).code(0).says("readable"),
            text("not UTF-8", b"{\"name\": \"\xff\"}").says("m.jani"),
            text("a PRISM model", "mdp\nmodule m\nx : [0..3];\nendmodule").says("expected a value, found mdp"),
            text("Python's words", "{\"jani-version\": 1, \"name\": True}").says("write true"),
        ],
    );
}

#[test]
fn declarations() {
    let action = |name: &str| json!([{"name": name}, {"name": "stop"}]);
    run(
        "declarations",
        vec![
            variable("true for an int", int(0, 3), json!(true))
                .says("'y' is of type bounded int")
                .says("a truth value"),
            variable("1 for a bool", json!("bool"), json!(1)).says("'y' is of type bool").says("true or false"),
            variable("0 for a bool", json!("bool"), json!(0)).says("the number 0"),
            variable("true for a real", json!("real"), json!(true)).says("'y' is of type real"),
            variable("1/2 for an int", int(0, 3), json!(0.5)).says("1/2, no integer"),
            variable("outside the domain", int(0, 3), json!(4)).says("4 of 'y' is outside its domain"),
            variable("no constant", int(0, 3), json!("x")).says("an initial value must be constant"),
            variable("an unknown name", int(0, 3), json!("z")).says("'z'"),
            variable("an array for an int", int(0, 3), cells(json!([1]))).says("is no array, its initial-value is one"),
            variable("an int for an array", array(int(0, 3)), json!(1)).says("needs an array as initial-value"),
            variable("a wrong cell", array(int(0, 3)), cells(json!([1, 4]))).says("'y[1]' is outside its domain"),
            variable("true in a cell", array(int(0, 3)), cells(json!([true, false])))
                .says("'y[0]' is of type bounded int"),
            variable("1 in a cell of bool", array(json!("bool")), cells(json!([1, 0]))).says("'y[0]' is of type bool"),
            variable("mixed cells", array(int(0, 3)), cells(json!([1, true]))).says("all numbers or all truth values"),
            variable("ragged rows", array(array(int(0, 3))), cells(json!([cells(json!([1, 2])), cells(json!([3]))])))
                .says("have one shape"),
            variable("rows and cells", array(array(int(0, 3))), cells(json!([cells(json!([1, 2])), 3])))
                .says("have one shape"),
            variable("an unbounded int", json!("int"), json!(0)).says("unbounded integer").says("give it bounds"),
            variable("an empty domain", int(3, 0), json!(0)).says("3 is above 0"),
            variable("a clock", json!("clock"), json!(0)).says("\"clock\" are not supported"),
            variable("a word for a type", json!("boolean"), json!(false)).says("did you mean \"bool\"?"),
            changed("an empty variable name", "/variables/0/name", json!(""))
                .says("the name of a variable must not be empty"),
            changed("a variable twice", "/variables/-", json!({"name": "x", "type": "bool"}))
                .says("'x' is declared twice"),
            changed("a number as a name", "/variables/0/name", json!(7)).says("the name of a variable"),
            changed("an empty action", "/actions", action("")).says("the name of an action must not be empty"),
            changed("an action twice", "/actions", action("stop")).says("the action 'stop' is declared twice"),
            changed("an empty automaton", "/automata/0/name", json!(""))
                .says("the name of an automaton must not be empty"),
            changed("an empty location", "/automata/0/locations/0/name", json!(""))
                .says("the name of a location must not be"),
            changed("a location twice", "/automata/0/locations/-", json!({"name": "l"}))
                .says("the location 'l' is declared twice"),
            changed("initial twice", "/automata/0/initial-locations/-", json!("l"))
                .says("initial location 'l' is declared twice"),
            changed("an empty model name", "/name", json!("")).says("the name of the model must not be empty"),
            changed("an empty property name", "/properties/0/name", json!(""))
                .says("the name of a property must not be empty"),
            changed("an automaton twice", "/automata/-", base()["automata"][0].clone())
                .says("automaton 'a' is declared twice"),
            changed(
                "an empty function name",
                "/functions",
                json!([{"name": "", "type": "int", "parameters": [], "body": 1}]),
            )
            .says("the name of a function must not be empty"),
            changed(
                "a function twice",
                "/functions",
                json!([{"name": "f", "type": "int", "parameters": [], "body": 1},
                       {"name": "f", "type": "int", "parameters": [], "body": 2}]),
            )
            .says("the function 'f' is declared twice"),
            changed(
                "a parameter twice",
                "/functions",
                json!([{"name": "f", "type": "int", "body": 1,
                        "parameters": [{"name": "p", "type": "int"}, {"name": "p", "type": "int"}]}]),
            )
            .says("the parameter 'p' is declared twice"),
        ],
    );
}

#[test]
fn structure() {
    let edge = "/automata/0/edges/0";
    let at = |rest: &str| format!("{edge}{rest}");
    let mut no_initial = base();
    set(&mut no_initial, "/automata/0/initial-locations", json!([]));
    let half = json!([{"location": "l", "probability": {"exp": 0.5}}]);
    run(
        "structure",
        vec![
            changed("an unknown type", "/type", json!("mpd")).says("did you mean \"mdp\"?"),
            changed("a timed model", "/type", json!("pta")).says("timed automata"),
            changed("version 2", "/jani-version", json!(2)).code(0).says("version 2 of JANI is unknown"),
            changed("an unknown member", "/automata/0/edges/0/gaurd", json!({"exp": true}))
                .says("an edge has no member \"gaurd\""),
            changed("a bare guard", &at("/guard"), op("<", "x", 3)).says("write {\"exp\": ...}"),
            changed("a numeric guard", &at("/guard"), json!({"exp": 1})).says("bool"),
            changed("an unknown location", &at("/location"), json!("k")).says("'k'"),
            changed("an unknown target", &at("/destinations/0/location"), json!("k")).says("'k'"),
            changed("an unknown action", &at("/action"), json!("gp")).says("'gp'"),
            changed("no destinations", &at("/destinations"), json!([])).says("at least one destination"),
            changed("an unknown name", &at("/guard"), json!({"exp": op("<", "xx", 3)})).says("did you mean 'x'?"),
            changed("an unknown operator", &at("/guard"), json!({"exp": op("=<", "x", 3)})).says("=<"),
            changed("assigning a constant", &at("/destinations/0/assignments/0/ref"), json!(7))
                .says("only variables and their elements have values")
                .not("digits"),
            changed("assigning a truth value", &at("/destinations/0/assignments/0/value"), json!(true))
                .says("a value of type bool is assigned to a variable of type int"),
            changed(
                "assigning twice",
                &at("/destinations/0/assignments"),
                json!([{"ref": "x", "value": 1}, {"ref": "x", "value": 2}]),
            )
            .says("assigned twice at once"),
            case("no initial location", "check m.jani")
                .json("m.jani", &no_initial)
                .says("at least one initial location"),
            changed("no elements", "/system/elements", json!([])).says("a system needs at least one element"),
            changed("an unknown element", "/system/elements/0/automaton", json!("b")).says("there is no automaton 'b'"),
            changed("a short vector", "/system/syncs", json!([{"synchronise": []}])).says("the vector has 0 entries"),
            case("probabilities of 1/2", "verify m.jani")
                .json("m.jani", &with(&at("/destinations"), half.clone()))
                .says("the probabilities of this edge sum to 1/2, not to 1"),
            case("probabilities of 1/2, abstractly", "abstract m.jani --ignore-predicates")
                .json("m.jani", &with(&at("/destinations"), half))
                .not("leaves a variable's domain")
                .says("the probabilities of this edge sum to 1/2, not to 1"),
            case("leaving the domain", "verify m.jani --engine explicit")
                .json("m.jani", &with(&at("/guard"), json!({"exp": true})))
                .code(1),
            changed("a division by zero", &at("/guard"), json!({"exp": op("<", op("/", "x", 0), 3)})).code(0),
            changed("an irrational number", &at("/guard"), json!({"exp": op("<", "x", json!({"constant": "π"}))}))
                .says("π"),
            changed("a huge bound", "/variables/0/type/upper-bound", op("*", 10_000_000_000i64, 10_000_000_000i64))
                .says("not a 64-bit integer"),
            changed(
                "a recursive function",
                "/functions",
                json!([{"name": "f", "type": "int", "parameters": [],
                "body": {"op": "call", "function": "f", "args": []}}]),
            )
            .code(0),
        ],
    );
}
