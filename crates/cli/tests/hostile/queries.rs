//! Query objects and VNN-LIB properties.

use serde_json::{Value, json};

use super::harness::{Case, NNET, case, run};

fn query(name: &'static str, content: Value) -> Case {
    text(name, &content.to_string())
}

fn text(name: &'static str, content: &str) -> Case {
    case(name, "decide q.json --network n.nnet").file("q.json", content).file("n.nnet", NNET)
}

fn vnnlib(name: &'static str, content: &str) -> Case {
    case(name, "decide q.vnnlib --network n.nnet").file("q.vnnlib", content).file("n.nnet", NNET)
}

const DECLARED: &str = "(declare-const X_0 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)";

#[test]
fn objects() {
    run(
        "queries",
        vec![
            query("a query", json!({"box": [[0, 3]], "label": 0})).code(0).says("sat"),
            query("no queries", json!([])).code(0),
            query("nothing asked", json!({"box": [[0, 3]]})).says("asks nothing about the network"),
            query("an unknown label", json!({"box": [[0, 3]], "label": 7})).says("there is no label 7"),
            query("a negative label", json!({"box": [[0, 3]], "label": -1})).says("there is no label -1"),
            query("too many intervals", json!({"box": [[0, 3], [0, 3]], "label": 0})).says("the box has 2 intervals"),
            query("an interval of three", json!({"box": [[0, 3, 4]], "label": 0}))
                .says("an interval has two ends, found 3"),
            query("words in the box", json!({"box": [["a", "b"]], "label": 0})).says("help:"),
            query("true in the box", json!({"box": [[true, 3]], "label": 0})).says("a number"),
            query("an empty box", json!({"box": [[3, 0]], "label": 0})).code(0).says("unsat").says("input 0"),
            query("no box", json!({"label": 0})).says("box"),
            query(
                "an unknown index",
                json!({"box": [[0, 3]], "label": 0, "constraints": [{"coeffs": {"7": 1}, "op": "<=", "rhs": 1}]}),
            )
            .says("\"7\" is no index"),
            query(
                "a second spelling",
                json!({"box": [[0, 3]], "label": 0, "constraints": [{"coeffs": {"00": 1}, "op": "<=", "rhs": 1}]}),
            )
            .says("\"00\" is no index"),
            query(
                "an unknown comparison",
                json!({"box": [[0, 3]], "label": 0, "constraints": [{"coeffs": {"0": 1}, "op": "=<", "rhs": 1}]}),
            )
            .says("did you mean \"<=\"?"),
            query("ties without a label", json!({"box": [[0, 3]], "ties": "any", "outputs": []})).says("help:"),
            query("unknown ties", json!({"box": [[0, 3]], "label": 0, "ties": "last"})).says("no tie rule \"last\""),
            query("an unknown member", json!({"box": [[0, 3]], "lable": 0})).says("did you mean \"label\"?"),
            text(
                "an index twice",
                r#"{"box": [[0, 3]], "label": 0, "constraints": [{"coeffs": {"0": 1, "0": 2}, "op": "<=", "rhs": 1}]}"#,
            )
            .says("is given twice"),
            text("empty", "").says("the text is empty"),
            text("a number of 100,000 digits", &format!("{{\"box\": [[0, {}]], \"label\": 0}}", "9".repeat(100_000)))
                .says("help:"),
            text("an exponent of millions", r#"{"box": [[0, 1e999999999]], "label": 0}"#)
                .says("the exponent of 1e999999999 is beyond 5000"),
            case("no network", "decide q.json").file("q.json", "{}").says("--network"),
            case("a network that is not there", "decide q.json --network no.nnet")
                .file("q.json", "{}")
                .says("cannot read the network no.nnet"),
            case("a checkpoint as network", "decide q.json --network a.pt")
                .file("q.json", "{}")
                .file("a.pt", "")
                .says("a PyTorch checkpoint")
                .says("torch.onnx.export"),
            case("a query that is not there", "decide no.json --network n.nnet")
                .file("n.nnet", NNET)
                .says("cannot read no.json"),
            case("a witness of no VNN-LIB", "decide q.json --network n.nnet --witness w")
                .json("q.json", &json!({"box": [[0, 3]], "label": 0}))
                .file("n.nnet", NNET)
                .says("--witness is for VNN-LIB"),
        ],
    );
}

#[test]
fn vnnlib_files() {
    let asserted = |text: &str| format!("{DECLARED}(assert (>= X_0 0))(assert (<= X_0 3)){text}");
    let power = |power: usize| asserted(&format!("(assert (>= (* 1{}) 1))", " (+ X_0 Y_0 Y_1 1)".repeat(power)));
    run(
        "VNN-LIB",
        vec![
            vnnlib("a property", &asserted("(assert (>= Y_0 Y_1))")).code(0).says("sat"),
            vnnlib("empty", "").says("the file declares no input"),
            vnnlib("an open bracket", "(assert (>= X_0 0)").says("q.vnnlib:"),
            vnnlib("a closing bracket", ")").says("q.vnnlib:1:1"),
            vnnlib("an unknown command", "(frobnicate)").says("frobnicate"),
            vnnlib("declared twice", &format!("{DECLARED}(declare-const X_0 Real)")).says("X_0 is declared twice"),
            vnnlib("not declared", &asserted("(assert (>= Y_7 0))")).says("Y_7"),
            vnnlib("no bounds", &format!("{DECLARED}(assert (>= Y_0 Y_1))")).says("X_0"),
            vnnlib("a product of variables", &asserted("(assert (>= (* X_0 X_0) 1))")).code(0).says("sat"),
            vnnlib("a product of outputs", &asserted("(assert (>= (* Y_0 Y_1) 1e9))")).code(0).says("unsat"),
            vnnlib("a high power", &asserted(&format!("(assert (>= (* {}) 1))", "X_0 ".repeat(99))))
                .says("products of more than 16 factors"),
            vnnlib("a product too large", &asserted("(assert (<= X_0 1e200))(assert (>= (* X_0 X_0 1e200) 1))"))
                .code(0)
                .says("sat"),
            vnnlib("multiplied out", &power(8)).code(0).says("sat"),
            vnnlib("multiplied out too far", &power(16)).says("more than 300 different products"),
            vnnlib("a word as a number", &asserted("(assert (>= Y_0 one))")).says("one"),
            vnnlib("deep nesting", &"(".repeat(100_000)).says("this parenthesis is never closed"),
            vnnlib("JSON", "{}").says("q.vnnlib:1:1"),
            vnnlib("a sort that is not supported", "(declare-const X_0 Bool)").says("Bool"),
        ],
    );
}
