//! What pages claim: no more than was decided, of the states that were asked about, and nothing that a file only says.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use common::page::data;
use common::{Folder, compare, counter_folder};
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
