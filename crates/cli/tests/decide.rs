//! `decide`: answers, their order, exit codes, result objects, files for others, and mistakes.

#![expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the numbers of a test are small")]

mod common;

use std::path::Path;

use common::{Folder, Ran, timeless};
use serde_json::{Value, json};

/// Two inputs; outputs `x + y`, `2` and `3 |x - y|`.
const NET: &str = "2,2,3,4,\n2,4,3,\n0,\n-9,-9,\n9,9,\n0,0,0,\n1,1,1,\n\
    1,1,\n-1,-1,\n1,-1,\n-1,1,\n0,\n0,\n0,\n0,\n1,-1,0,0,\n0,0,0,0,\n0,0,3,3,\n0,\n2,\n0,\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("net.nnet", NET);
    folder
}

fn query(label: i64) -> Value {
    json!({"box": [[-3, 3], [-3, 3]], "constraints": [], "label": label})
}

/// A question that takes many nodes: a wide random network, real inputs, and an answer hidden on a thin slice.
fn hard(folder: &Folder) {
    let (inputs, hidden) = (12, 60);
    let mut seed = 1u64;
    let mut weight = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 40) as f64 / f64::from(1 << 23) - 1.0).to_string()
    };
    let mut matrix = |rows: usize, columns: usize| -> String {
        (0..rows).map(|_| (0..columns).map(|_| weight()).collect::<Vec<_>>().join(",") + ",\n").collect()
    };
    let zeros = |n: usize| "0,".repeat(n);
    let biases = |n: usize| "0.1,\n".repeat(n);
    let text = format!(
        "4,{inputs},2,{hidden},\n{inputs},{hidden},{hidden},{hidden},2,\n0,\n{0}\n{0}\n{0}0,\n{1}1,\n{2}{3}{4}{3}{5}{3}{6}{7}",
        zeros(inputs),
        "1,".repeat(inputs),
        matrix(hidden, inputs),
        biases(hidden),
        matrix(hidden, hidden),
        matrix(hidden, hidden),
        matrix(2, hidden),
        biases(2)
    );
    folder.write("hard.nnet", &text);
    let interval: Vec<Value> = (0..inputs).map(|_| json!([-1, 1])).collect();
    // The two outputs are to be almost equal to each other and to 20.
    let outputs = json!([
        {"coeffs": {"0": 1}, "op": "=", "rhs": 20.000_1},
        {"coeffs": {"1": 1}, "op": "=", "rhs": 20.000_2}
    ]);
    folder.write_json("hard.json", &json!({"box": interval, "integer": false, "outputs": outputs}));
}

/// Outputs with the same weights, over reals: once without end, because their difference was bounded by what each of them may be.
#[test]
fn outputs_that_are_copies_never_beat_each_other() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{},\n", 0.3 * i as f64 - 2.0, 1.7 - 0.2 * i as f64);
    let rows: String = (0..16).map(row).collect();
    let last: String = (0..16).map(|i| format!("{},", 0.9 - 0.1 * f64::from(i))).collect();
    for (hidden, name) in [(rows, "twins.nnet"), ("0,0,\n".repeat(16), "dead.nnet")] {
        let biases = if name == "dead.nnet" { "0,\n" } else { "0.1,\n" }.repeat(16);
        let shape = "2,2,2,16,\n2,16,2,\n0,\n-5,-5,\n5,5,\n0,0,0,\n1,1,1,\n";
        folder.write(name, &format!("{shape}{hidden}{biases}{last}\n{last}\n0.5,\n0.5,\n"));
        let asked = |ties: &str| json!({"box": [[-5, 5], [-5, 5]], "label": 1, "integer": false, "ties": ties});
        folder.write_json("queries.json", &json!([asked("first"), asked("any")]));
        let ran = folder.run(&["decide", "queries.json", "--network", name, "--time-limit", "60"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.out.lines().map(|line| &line[..3]).collect::<Vec<_>>(), ["uns", "sat"]);
    }
}

#[test]
fn one_query_has_one_answer() {
    let folder = folder();
    folder.write_json("q.json", &query(1));
    let ran = folder.run(&["decide", "q.json", "--network", "net.nnet"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("sat [") && ran.out.ends_with("]\n"), "{}", ran.out);
    assert!(ran.err.contains("2 inputs, 3 outputs, 4 neurons"), "{}", ran.err);
    // x + y >= 2 and |x - y| <= 2/3 beat 3 |x - y| > 2 nowhere.
    let mut unsat = query(1);
    unsat["constraints"] = json!([{"coeffs": {"0": 1, "1": -1}, "op": ">=", "rhs": 1}]);
    folder.write_json("u.json", &unsat);
    let stated = folder.run(&["decide", "q.json", "--network", "net.nnet", "--activation", "relu"]);
    assert!(stated.code == 2 && stated.err.contains("--activation is for .safetensors files"), "{}", stated.err);
    let ran = folder.run(&["decide", "u.json", "--network", "net.nnet", "--quiet"]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "unsat\n", ""));
}

#[test]
fn constraints_compare_as_they_say() {
    let folder = folder();
    let ask = |constraint: Value| {
        folder.write_json("q.json", &json!({"box": [[0, 0.7], [0, 0]], "integer": false, "clauses": [[constraint]]}));
        folder.run(&["decide", "q.json", "--network", "net.nnet", "--quiet"]).out
    };
    for (op, rhs, expected) in [
        ("<=", json!(0), "sat [0, 0]\n"),
        ("<", json!(0), "unsat\n"),
        (">=", json!(0.7), "sat [7/10, 0]\n"),
        (">", json!(0.7), "unsat\n"),
        ("=", json!("7/10"), "sat [7/10, 0]\n"),
        ("=", json!(0.700_000_000_000_000_1), "unsat\n"),
        ("=", json!("1/3"), "sat [1/3, 0]\n"),
    ] {
        assert_eq!(ask(json!({"coeffs": {"0": 1}, "op": op, "rhs": rhs})), expected, "{op} {rhs}");
    }
    assert!(ask(json!({"coeffs": {"0": 1}, "op": "!=", "rhs": 0})).starts_with("sat ["));
    // The third output is 3 |x - y|.
    assert_eq!(ask(json!({"outputs": {"2": 1}, "op": ">=", "rhs": 2.1})), "sat [7/10, 0]\n");
    assert_eq!(ask(json!({"outputs": {"2": 1}, "coeffs": {"0": -3}, "op": ">", "rhs": 0})), "unsat\n");
}

#[test]
fn ties_are_for_everyone_or_for_the_first() {
    let folder = folder();
    // At (1, 1) the first two outputs are 2; the third one is 0.
    for (label, ties, expected) in [(0, "first", "sat"), (1, "first", "unsat"), (1, "any", "sat"), (2, "any", "unsat")]
    {
        let query = json!({"box": [[1, 1], [1, 1]], "label": label, "ties": ties});
        folder.write_json("q.json", &query);
        let ran = folder.run(&["decide", "q.json", "--network", "net.nnet", "--quiet"]);
        assert_eq!((ran.code, ran.out.split_whitespace().next()), (0, Some(expected)), "{query}");
    }
}

#[test]
fn lists_are_answered_in_order_whatever_the_threads() {
    let folder = folder();
    let mut queries = Vec::new();
    for i in 0..30 {
        let corner = json!([[i % 5 - 2, i % 5 - 2], [i % 7 - 3, 3]]);
        queries.push(json!({"id": i, "box": corner, "label": i % 3, "integer": i % 2 == 0, "verdict": "sat"}));
    }
    folder.write_json("list.json", &json!(queries));
    folder.write_json("held.json", &json!({"net": "other.nnet", "domain": [], "vars": ["a", "b"], "queries": queries}));
    let run = |file: &str, threads: &str| {
        let ran = folder.run(&["decide", file, "--network", "net.nnet", "--threads", threads, "--json", "r.json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let mut object = timeless(folder.read_json("r.json"));
        for answer in object["answers"].as_array_mut().expect("answers") {
            answer["seconds"] = Value::Null;
        }
        object["inputs"] = Value::Null;
        (ran, object)
    };
    let (first, object) = run("list.json", "1");
    assert_eq!(first.out.lines().count(), 30);
    let words: Vec<&str> = first.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(words.contains(&"sat") && words.contains(&"unsat"));
    assert!(first.err.contains("unsat, ") && first.err.contains("; the file expects sat"), "{}", first.err);
    for threads in ["2", "8"] {
        let (ran, other) = run("list.json", threads);
        assert_eq!((ran.out, other), (first.out.clone(), object.clone()), "{threads} threads");
    }
    assert_eq!(run("held.json", "2").0.out, first.out);
    // Every state is the point it is said to be: the label's output is maximal.
    for (query, answer) in queries.iter().zip(object["answers"].as_array().expect("answers")) {
        let Some(outputs) = answer["outputs"].as_array() else { continue };
        let value = |v: &Value| v.as_f64().unwrap_or_else(|| fraction(v.as_str().expect("a fraction")));
        let best = outputs.iter().map(value).fold(f64::MIN, f64::max);
        let label = query["label"].as_u64().expect("a label") as usize;
        assert!((value(&outputs[label]) - best).abs() < 1e-9, "{query}: {answer}");
    }
}

fn fraction(text: &str) -> f64 {
    let (num, den) = text.split_once('/').expect("a fraction");
    num.parse::<f64>().expect("a number") / den.parse::<f64>().expect("a number")
}

#[test]
fn an_empty_list_is_answered_by_nothing() {
    let folder = folder();
    folder.write("q.json", "[]");
    let ran = folder.run(&["decide", "q.json", "--network", "net.nnet", "--quiet"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
}

#[test]
fn the_result_object() {
    let folder = folder();
    folder.write_json("q.json", &json!({"box": [[0, 0], ["1/3", "1/3"]], "label": 1, "integer": false}));
    let (code, object) = folder.run_json(&["decide", "q.json", "--network", "net.nnet", "--seed", "7"]);
    assert_eq!(code, 0);
    for (key, expected) in [
        ("tool", json!("surefoot")),
        ("command", json!("decide")),
        ("answer", json!("sat")),
        ("verdict", Value::Null),
        ("reason", Value::Null),
        ("seed", json!(7)),
    ] {
        assert_eq!(object[key], expected, "{key}");
    }
    let answer = &object["answers"][0];
    assert_eq!((&answer["state"], &answer["outputs"]), (&json!([0, "1/3"]), &json!(["1/3", 2, 1])));
    assert!(answer["nodes"].is_u64() && answer["seconds"].is_f64() && answer["reason"].is_null());
    assert_eq!(object["statistics"]["oracle_queries"], 1);
    assert_eq!(object["inputs"].as_object().expect("hashes").len(), 2);
}

#[test]
fn a_limit_is_no_answer() {
    let folder = folder();
    hard(&folder);
    let ran = folder.run(&["decide", "hard.json", "--network", "hard.nnet", "--time-limit", "0", "--json", "r.json"]);
    assert_eq!((ran.code, &*ran.out), (3, "timed-out\n"), "{}", ran.err);
    assert!(ran.err.contains("the time limit was reached"), "{}", ran.err);
    let object = folder.read_json("r.json");
    assert_eq!((&object["answer"], &object["reason"]), (&json!("timed-out"), &json!("the time limit was reached")));
    assert_eq!(object["answers"][0]["state"], Value::Null);
    // One undecided query among decided ones is enough.
    let hard: Value = folder.read_json("hard.json");
    let mut easy = hard.clone();
    easy["outputs"] = json!([{"coeffs": {"0": 1}, "op": ">", "rhs": 1e9}]);
    folder.write_json("both.json", &json!([easy, hard]));
    let started = std::time::Instant::now();
    let ran = folder.run(&["decide", "both.json", "--network", "hard.nnet", "--time-limit", "0.5", "--quiet"]);
    assert_eq!((ran.code, &*ran.out), (3, "unsat\ntimed-out\n"), "{}", ran.err);
    assert!(started.elapsed().as_secs() < 30);
}

const PROPERTY: &str = "(declare-const X_0 Real)\n(declare-const X_1 Real)\n\
    (declare-const Y_0 Real)\n(declare-const Y_1 Real)\n(declare-const Y_2 Real)\n\
    (assert (<= 0 X_0 1))\n(assert (<= 0.1 X_1 0.1))\n";

#[test]
fn vnnlib_properties_and_their_counterexamples() {
    let folder = folder();
    folder.write("sat.vnnlib", &format!("{PROPERTY}(assert (>= Y_2 (+ Y_1 0.1)))\n"));
    folder.write("unsat.vnnlib", &format!("{PROPERTY}(assert (or (> Y_2 2.7) (>= Y_0 Y_1)))\n"));
    let run = |file: &str| folder.run(&["decide", file, "--network", "net.nnet", "--witness", "w.txt"]);
    let ran = run("unsat.vnnlib");
    assert_eq!((ran.code, &*ran.out, &*folder.read("w.txt")), (0, "unsat\n", "unsat\n"), "{}", ran.err);
    let ran = run("sat.vnnlib");
    assert!(ran.code == 0 && ran.out.starts_with("sat ["), "{}", ran.out);
    let text = folder.read("w.txt");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0] == "sat" && lines[1].starts_with("((X_0 ") && lines[2].starts_with(" (X_1 "), "{text}");
    assert!(lines.len() == 6 && lines[5].starts_with(" (Y_2 ") && lines[5].ends_with("))"), "{text}");
    // 0.1 is no float: the state in the file is in exact decimals, and that is told.
    assert!(ran.err.contains("the state in w.txt holds in exact decimals"), "{}", ran.err);
    assert_eq!(lines[2], " (X_1 0.1)");
}

#[test]
fn vnnlib_two_names_its_network() {
    let folder = folder();
    let text = "(vnnlib-version <2.0>) (declare-network f (declare-input X real [1,2]) (declare-output Y real [1,3]))
        (assert (and (== X[0,0] 0.5) (== X[0,1] 0.5) (>= Y[0,1] Y[0,0])))";
    folder.write("two.vnnlib", text);
    let run = |network: &str| folder.run(&["decide", "two.vnnlib", "--network", network, "--witness", "w.txt"]);
    for network in ["net.nnet", "f=net.nnet"] {
        let ran = run(network);
        assert_eq!((ran.code, &*ran.out), (0, "sat [1/2, 1/2]\n"), "{}", ran.err);
    }
    assert_eq!(folder.read("w.txt"), "sat\nX real [1,2]\n0.5\n0.5\nY real [1,3]\n1\n2\n0\n");
    let ran = run("g=net.nnet");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is about a network f, not g") && ran.err.contains("--network f="), "{}", ran.err);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = folder();
    let changed = |key: &str, value: Value| {
        let mut query = query(0);
        query[key] = value;
        query
    };
    let constraint = |constraint: Value| changed("constraints", json!([constraint]));
    for (query, place, message) in [
        (changed("lable", json!(1)), "= at lable", "a query has no member \"lable\""),
        (changed("box", json!([[0, 1]])), "= at box", "the network has 2 inputs, but the box has 1 interval\n"),
        (changed("box", json!([[0, 1], [0]])), "= at box[1]", "an interval has two ends, found 1"),
        (changed("box", json!([[0, 1], [0, "x"]])), "= at box[1][1]", "x is not a number\n"),
        (changed("box", json!([[0, 1], [0, "1/2/3"]])), "= at box[1][1]", "1/2/3 is not a number\n"),
        (changed("label", json!(3)), "= at label", "help: the network has 3 outputs, counted from 0"),
        (changed("label", json!("up")), "= at label", "expected the label as a number of an output, found a string"),
        (changed("ties", json!("last")), "= at ties", "there is no tie rule \"last\""),
        (changed("integer", json!([true])), "= at integer", "2 inputs, but 1 truth value is listed\n"),
        (changed("integer", json!(1)), "= at integer", "true or false, or an array of them, found a number"),
        (constraint(json!({"coeffs": {"2": 1}, "op": "<=", "rhs": 1})), "coeffs.2", "\"2\" is no index"),
        (constraint(json!({"coeffs": {"x": 1}, "op": "<=", "rhs": 1})), "coeffs.x", "from \"0\" to \"1\""),
        (constraint(json!({"coeffs": {"0": 1}, "op": "=<", "rhs": 1})), "constraints[0].op", "help: did you mean"),
        (constraint(json!({"coeffs": [1], "op": "<=", "rhs": 1})), "constraints[0].coeffs", "found an array"),
        (constraint(json!({"coeffs": {"0": 1}, "rhs": 1})), "= at constraints[0]", "a constraint needs \"op\""),
        (constraint(json!({"op": "<=", "rhs": 1})), "= at constraints[0]", "a constraint needs coefficients"),
        (json!({"box": [[0, 1], [0, 1]]}), "q.json:1:1", "this query asks nothing about the network"),
        (json!({"queries": [], "nets": "x"}), "= at nets", "a file of queries has no member \"nets\""),
        (json!([query(0), {"box": 3, "label": 0}]), "= at [1].box", "expected the box as an array"),
        (json!(7), "q.json:1:1", "expected a query object, or an array of them, found a number"),
    ] {
        folder.write_json("q.json", &query);
        let ran = folder.run(&["decide", "q.json", "--network", "net.nnet", "--json", "r.json"]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{query}: {}", ran.err);
        assert!(ran.err.contains(place) && ran.err.contains(message), "{query}: {}", ran.err);
        assert!(folder.read_json("r.json")["error"].is_string());
    }
}

#[test]
fn wrong_use_ends_with_two() {
    let folder = folder();
    folder.write_json("q.json", &query(0));
    folder.write("p.vnnlib", "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= 0 X_0 1))");
    folder.write("bad.vnnlib", "(declare-const X_0 Real)\n(assert (<= 0 X_0 ))");
    for (args, message) in [
        (&["q.json"][..], "--network"),
        (&["q.json", "--network", "gone.nnet"], "cannot read the network gone.nnet"),
        (&["q.json", "--network", "q.json"], "unknown network format"),
        (&["gone.json", "--network", "net.nnet"], "cannot read gone.json"),
        (&["q.json", "--network", "net.nnet", "--threads", "0"], "1 to 1024"),
        (&["q.json", "--network", "net.nnet", "--time-limit", "x"], "not a number of seconds"),
        (&["q.json", "--network", "net.nnet", "--witness", "w"], "--witness is for VNN-LIB properties"),
        (&["q.json", "--network", "net.nnet", "--witness", "no/w"], "there is no folder no"),
        (&["q.json", "--network", "net.nnet", "--json", "no/w"], "there is no folder no"),
        (&["p.vnnlib", "--network", "net.nnet"], "1 input and 1 output, but net.nnet has 2 inputs and 3 outputs"),
        (&["bad.vnnlib", "--network", "net.nnet"], "the file declares no output"),
    ] {
        let ran: Ran = folder.run(&[&["decide"], args].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
    }
}

#[test]
fn the_example_says_what_its_description_promises() {
    let folder = Folder::new();
    let example = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/parking").join(file);
        path.to_str().expect("UTF-8").to_owned()
    };
    let network = example("driver.nnet");
    let ran = folder.run(&["decide", &example("queries.json"), "--network", &network, "--quiet"]);
    let words: Vec<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((ran.code, &words[..]), (0, &["unsat", "sat", "unsat"][..]), "{}", ran.out);
    let ran = folder.run(&["decide", &example("brakes.vnnlib"), "--network", &network, "--quiet"]);
    assert_eq!((ran.code, &*ran.out), (0, "unsat\n"));
}

#[test]
fn answers_unsat_have_certificates() {
    let folder = folder();
    let unsat = json!({"box": [[2, 3], [2, 3]], "label": 1});
    let real = json!({"box": [[2, 3], [2, 3]], "label": 1, "integer": false});
    folder.write_json("q.json", &json!([unsat, query(0), real]));
    let args =
        ["decide", "q.json", "--network", "net.nnet", "--certificate", "c.cert", "--certify", "--json", "r.json"];
    let ran = folder.run(&args);
    assert_eq!((ran.code, ran.out.lines().next()), (0, Some("unsat")), "{}", ran.err);
    assert!(ran.err.contains("warning: the certificate leaves out query 2: there are no certificates"), "{}", ran.err);
    assert!(ran.err.contains(" bytes, confirmed by the checker\n"), "{}", ran.err);
    let record = &folder.read_json("r.json")["certificate"];
    assert_eq!((&record["file"], &record["checked"]), (&json!("c.cert"), &json!(true)));
    let certify =
        |network: &str| folder.run(&["certify", "c.cert", "q.json", "--network", network, "--json", "o.json"]);
    let ran = certify("net.nnet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("accepted: unsat: query 0 of 3 has no answer\n"), "{}", ran.out);
    let opinion = folder.read_json("o.json");
    assert_eq!((&opinion["claim"], &opinion["confirmed"]), (&json!("unsat"), &json!("unsat")));
    // Another network is another file, and so are other queries.
    folder.write("other.nnet", &NET.replace("0,\n2,\n0,\n", "0,\n7,\n0,\n"));
    let ran = certify("other.nnet");
    assert!(ran.code == 1 && ran.out.starts_with("rejected: the index: inputs: "), "{} {}", ran.out, ran.err);
    folder.write_json("q.json", &json!([query(1), query(0)]));
    assert_eq!(certify("net.nnet").code, 1);
    assert_eq!(certify("missing.nnet").code, 2);
}

#[test]
fn answers_without_a_certificate_stay() {
    let folder = folder();
    let run = |name: &str| folder.run(&["decide", name, "--network", "net.nnet", "--certificate", "c.cert"]);
    folder.write_json("q.json", &query(0));
    folder.write(
        "q.vnnlib",
        "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)\
        (declare-const Y_2 Real)(assert (<= 0 X_0 1))(assert (<= 0 X_1 1))(assert (>= Y_1 3))",
    );
    for (name, answer, why) in [
        ("q.json", "sat", "there is no certificate: no query was answered unsat"),
        ("q.vnnlib", "unsat", "there is no certificate: there are none for VNN-LIB properties"),
    ] {
        let ran = run(name);
        assert!(ran.code == 0 && ran.out.starts_with(answer) && ran.err.contains(why), "{} {}", ran.out, ran.err);
        assert!(!folder.path().join("c.cert").exists(), "{name}");
    }
}
