//! What pages claim: no more than was decided, of the states that were asked about, and nothing that a file only says.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use common::page::data;
use common::{Folder, compare, counter, counter_folder, filter, never, property, quantified};
use serde_json::{Value, json};

/// The counter, which comes to 6 in three steps or more.
fn counts() -> Folder {
    counter_folder(6, &compare("=", "x", 6))
}

const POLICY: &[&str] = &["m.jani", "--policy", "counter.policy.json"];

fn page(folder: &Folder, command: &str, more: &[&str], code: i32) -> Value {
    let ran = folder.run(&[&[command], POLICY, more, &["--report", "page.html", "--json", "r.json"]].concat());
    assert_eq!(ran.code, code, "{}", ran.err);
    data(&folder.read("page.html"))
}

/// The page of the result, changed.
fn again(folder: &Folder, change: impl Fn(&mut Value)) -> Value {
    let mut result = folder.read_json("r.json");
    change(&mut result);
    folder.write_json("changed.json", &result);
    let ran = folder.run(&[&["report", "changed.json"], POLICY, &["--out", "page.html"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    data(&folder.read("page.html"))
}

fn rests(page: &Value) -> String {
    page["verdict"]["rests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

fn question(page: &Value) -> String {
    page["subject"]["question"].to_string()
}

/// Whether the graph of all states knows of some that are looked for, and leads there.
fn leads_somewhere(page: &Value) -> bool {
    assert_eq!(page["graph"]["kind"], "concrete", "the counter has few states");
    !page["graph"]["path"].is_null()
}

#[test]
fn a_bound_on_steps_leaves_unsafe_states_unsafe() {
    let folder = counts();
    let page = page(&folder, "verify", &["--within", "1"], 0);
    assert_eq!(page["sought"], "unsafe");
    let headline = page["verdict"]["headline"].as_str().unwrap();
    assert_eq!(headline, "the formula holds in every start state: no run reaches an unsafe state within 1 steps");
    assert!(question(&page).contains("unsafe states"), "{}", question(&page));
    assert!(leads_somewhere(&page), "they are reached later");
}

/// The property's unsafe states are none of what was asked, and no run to them is a way to anything.
#[test]
fn other_questions_say_nothing_of_the_states_that_the_property_looks_for() {
    let folder = counts();
    for (command, more, code) in [
        ("verify", &["--always-reach", "--goal", "x >= 0"][..], 0),
        ("verify", &["--formula", "AG x >= 0", "--property", "0"], 0),
        ("ctl", &["--formula", "AG[<=2] x >= 0"], 0),
    ] {
        let page = page(&folder, command, more, code);
        assert!(!leads_somewhere(&page), "{more:?}");
        assert!(!question(&page).contains("unsafe states"), "{more:?}: {}", question(&page));
    }
}

#[test]
fn an_abstraction_that_proves_is_told_as_a_proof() {
    let folder = counter_folder(6, &compare("<", "x", 0));
    folder.write_json("p.json", &json!([compare("<", "x", 0)]));
    let page = page(&folder, "abstract", &["--predicates", "p.json"], 0);
    assert!(rests(&page).contains("An inductive invariant of"), "{}", rests(&page));
}

/// Somebody may have written the file by hand.
#[test]
fn what_a_file_says_is_told_as_that() {
    let folder = counts();
    let first = page(&folder, "verify", &["--within", "1"], 0);
    assert!(rests(&first).contains("\nThe question") && rests(&first).starts_with("Every reachable state was visited"));
    let told = rests(&again(&folder, |_| ()));
    assert!(told.starts_with("The result says, and it was not done again: Every reachable state"), "{told}");
    page(&folder, "bounds", &[], 0);
    let told = rests(&again(&folder, |_| ()));
    assert!(told.starts_with("The result says, and it was not done again: "), "{told}");
}

#[test]
fn a_checker_that_a_file_speaks_of_has_accepted_nothing() {
    let folder = counter_folder(6, &compare("<", "x", 0));
    let certified = page(&folder, "verify", &["--certify"], 0);
    assert_eq!(certified["verdict"]["certificate"]["accepted"], true);
    let page = again(&folder, |_| ());
    let certificate = &page["verdict"]["certificate"];
    assert_eq!(certificate["accepted"], Value::Null);
    assert!(certificate["says"].as_str().unwrap().starts_with("the result says: "), "{certificate}");
}

/// Which are violated, and which hold.
const FORMULAS: &[(&str, &[&str], i32)] = &[
    ("verify", &["--within", "1"], 0),
    ("verify", &["--within", "10"], 1),
    ("verify", &["--always-reach", "--goal", "x >= 0"], 0),
    ("verify", &["--always-reach", "--goal", "x >= 9"], 1),
    ("verify", &["--formula", "AG x >= 0", "--property", "0"], 0),
    ("verify", &["--formula", "AG x < 3", "--property", "0"], 1),
    ("verify", &["--formula", "EF x < 0", "--property", "0"], 1),
    ("ctl", &["--formula", "AG[<=2] x >= 0"], 0),
    ("ctl", &["--formula", "AG[<=8] x < 3"], 1),
];

#[test]
fn the_verdict_on_a_formula_is_reached_anew() {
    let folder = counts();
    for (command, more, code) in FORMULAS {
        page(&folder, command, more, *code);
        let shown = again(&folder, |_| ());
        assert_eq!(shown["verdict"]["checked"], true, "{more:?}");
        assert_eq!(shown["verdict"]["word"], ["holds", "violated"][usize::from(*code == 1)]);
        let is_anew = rests(&shown).contains("visited anew for this page, and show the same verdict");
        assert!(is_anew || !shown["run"].is_null(), "{more:?}: {}", rests(&shown));
    }
}

/// Somebody wrote another verdict into the file, and left the run out.
#[test]
fn a_verdict_on_a_formula_that_all_states_contradict_has_no_page() {
    let folder = counts();
    for (command, more, code) in FORMULAS {
        page(&folder, command, more, *code);
        let mut result = folder.read_json("r.json");
        (result["verdict"], result["witness"]) = (json!(["violated", "holds"][usize::from(*code == 1)]), Value::Null);
        folder.write_json("forged.json", &result);
        let forged = ["report", "forged.json"];
        let ran = folder.run(&[&forged[..], POLICY, &["--out", "forged.html"]].concat());
        assert_eq!(ran.code, 2, "{more:?}");
        let words = ["and it holds: all states were visited", "and it fails: all states were visited"];
        assert!(ran.err.contains(words[usize::from(*code == 1)]), "{more:?}: {}", ran.err);
        // A page of a result that does not say what it is about would say something else.
        result.as_object_mut().unwrap().remove("formula");
        folder.write_json("forged.json", &result);
        let ran = folder.run(&[&forged[..], POLICY, &["--out", "forged.html"]].concat());
        let shown = if ran.code == 2 { Value::Null } else { data(&folder.read("forged.html")) };
        assert_ne!(shown["verdict"]["checked"], true, "{more:?}");
        assert_eq!(ran.code == 2, *command == "verify", "{more:?}: {}", ran.err);
        let _ = std::fs::remove_file(folder.path().join("forged.html"));
    }
}

#[test]
fn the_verdict_on_a_comparison_is_reached_anew() {
    let folder = counts();
    let reached = json!({"op": "Pmax", "exp": {"op": "F", "exp": compare("=", "x", 6)}});
    let property = |op: &str| {
        let values = json!({"op": op, "left": reached, "right": 0.5});
        property("p", &filter("∀", &values))
    };
    for (op, code, other) in [("≤", 1, "holds"), (">", 0, "violated")] {
        folder.write_json("m.jani", &counter(6, &[property(op)]));
        page(&folder, "verify", &[], code);
        assert_eq!(again(&folder, |_| ())["verdict"]["checked"], true);
        let mut result = folder.read_json("r.json");
        result["verdict"] = json!(other);
        folder.write_json("forged.json", &result);
        let ran = folder.run(&[&["report", "forged.json"], POLICY, &["--out", "forged.html"]].concat());
        assert!(ran.code == 2 && ran.err.contains("says that the comparison"), "{}", ran.err);
    }
}

#[test]
fn a_condition_on_start_states_is_decided_anew() {
    let folder = Folder::new();
    for (right, code) in [(0, 0), (1, 1)] {
        folder.write_json("m.jani", &counter(6, &[property("p", &filter("∀", &compare("=", "x", right)))]));
        assert_eq!(folder.run(&["verify", "m.jani", "--json", "r.json"]).code, code);
        let mut result = folder.read_json("r.json");
        (result["verdict"], result["witness"]) = (json!("holds"), Value::Null);
        folder.write_json("r.json", &result);
        let ran = folder.run(&["report", "r.json", "m.jani", "--out", "page.html"]);
        assert_eq!(ran.code, 2 * code, "{}", ran.err);
        assert_eq!(data(&folder.read("page.html"))["verdict"]["checked"], true);
    }
}

/// There are more states than are visited for a page.
#[test]
fn a_verdict_that_nobody_checked_is_no_more_than_what_a_file_says() {
    let folder = Folder::new();
    let always = filter("∀", &quantified("∀", "G", &compare("≥", "x", 0)));
    let safe = never(&compare("<", "x", 0));
    folder.write_json("m.jani", &counter(120_000, &[property("p", &always), property("safe", &safe)]));
    for asked in [
        &["verify", "m.jani", "--property", "p", "--engine", "explicit"][..],
        &["verify", "m.jani", "--property", "safe", "--engine", "explicit"],
        &["verify", "m.jani", "--property", "safe", "--within", "3"],
        &["ctl", "m.jani", "--property", "safe", "--formula", "AG[<=2] x >= 0"],
    ] {
        let ran = folder.run(&[asked, &["--json", "r.json"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        for word in ["holds", "violated"] {
            let mut result = folder.read_json("r.json");
            result["verdict"] = json!(word);
            folder.write_json("r.json", &result);
            let ran = folder.run(&["report", "r.json", "m.jani", "--out", "page.html"]);
            if word == "violated" && asked.contains(&"--engine") {
                assert!(ran.err.contains("has no run that shows it"), "{}", ran.err);
                continue;
            }
            assert_eq!(ran.code, 0, "{}", ran.err);
            let text = folder.read("page.html");
            let page = data(&text);
            assert_eq!(page["verdict"]["checked"], false, "{asked:?}");
            assert!(page["title"].as_str().unwrap().starts_with("not checked, said to be: "), "{}", page["title"]);
            assert!(rests(&page).contains("it is what the file says"), "{}", rests(&page));
            assert!(ran.out.contains("not checked"), "{}", ran.out);
        }
    }
}
