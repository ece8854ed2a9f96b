//! Pages: written whole or not at all, never over an input or another output, and never about a run that is not real.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use std::path::Path;

use common::{Folder, Ran, compare, counter, counter_folder, filter, property, quantified};
use serde_json::{Value, json};

fn refused(ran: &Ran, words: &str) {
    assert!(ran.code == 2 && ran.err.contains(words), "{}: {}", ran.code, ran.err);
}

/// The counter, which the environment takes to 6, and the result that says so as `r.json`.
fn violated() -> Folder {
    let folder = counter_folder(6, &compare("=", "x", 6));
    let ran = folder.run(&["verify", "m.jani", "--policy", "counter.policy.json", "--json", "r.json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    folder
}

const REPORT: &[&str] = &["m.jani", "--policy", "counter.policy.json", "--out", "page.html"];

fn report(folder: &Folder, result: &str, more: &[&str]) -> Ran {
    folder.run(&[&["report", result], more].concat())
}

fn has_page(folder: &Folder) -> bool {
    folder.path().join("page.html").exists()
}

/// The whole of a page is there: its policy, its data, its end.
fn is_whole(page: &str) -> bool {
    page.starts_with("<!doctype html>")
        && page.ends_with("</html>\n")
        && page.contains("default-src 'none'")
        && page.contains("<script id=\"data\"")
}

#[test]
fn every_command_writes_a_page_beside_its_result() {
    let folder = violated();
    folder.write_json("p.json", &json!([compare("≤", "x", 3)]));
    for (args, code) in [
        (&["verify", "m.jani", "--policy", "counter.policy.json"][..], 1),
        (&["verify", "m.jani", "--policy", "counter.policy.json", "--engine", "cegar"], 1),
        (&["verify", "m.jani", "--policy", "counter.policy.json", "--time-limit", "0"], 3),
        (&["bounds", "m.jani", "--policy", "counter.policy.json"], 0),
        (&["bounds", "m.jani", "--policy", "counter.policy.json", "--engine", "cegar"], 0),
        (&["abstract", "m.jani", "--policy", "counter.policy.json", "--predicates", "p.json"], 3),
        (&["ctl", "m.jani", "--policy", "counter.policy.json", "--formula", "EF[<=3] x > 5"], 1),
        (&["report", "r.json", "m.jani", "--policy", "counter.policy.json"], 0),
    ] {
        let option = if args[0] == "report" { "--out" } else { "--report" };
        let ran = folder.run(&[args, &[option, "page.html"]].concat());
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(is_whole(&folder.read("page.html")), "{args:?}");
        std::fs::remove_file(folder.path().join("page.html")).unwrap();
    }
}

#[test]
fn what_is_no_result_has_no_page() {
    let folder = violated();
    folder.write("broken.json", "{");
    folder.write("list.json", "[1, 2]");
    folder.write_json("other.json", &json!({"tool": "other", "verdict": "holds"}));
    for (result, words) in [
        ("missing.json", "cannot read missing.json"),
        ("broken.json", "the text ends inside"),
        ("list.json", "expected a result object"),
        ("other.json", "other.json"),
        ("m.jani", "m.jani"),
    ] {
        refused(&report(&folder, result, REPORT), words);
        assert!(!has_page(&folder), "{result}");
    }
}

#[test]
fn a_run_that_is_not_real_has_no_page() {
    let folder = violated();
    let change = |change: &dyn Fn(&mut Value)| {
        let mut result = folder.read_json("r.json");
        change(&mut result);
        folder.write_json("changed.json", &result);
        let ran = report(&folder, "changed.json", REPORT);
        refused(&ran, "not real");
        assert!(!has_page(&folder));
    };
    change(&|result| result["witness"]["steps"][0]["state"]["x"] = json!(3));
    change(&|result| result["witness"]["steps"][1]["label"] = json!("down"));
    change(&|result| result["witness"]["steps"][1]["policy"]["chosen"] = json!(["down"]));
    change(&|result| result["witness"]["start"]["x"] = json!(1));
    change(&|result| result["verdict"] = json!("holds"));
    change(&|result| {
        result["witness"]["steps"].as_array_mut().unwrap().pop();
    });
    // As it was found, it has one.
    assert_eq!(report(&folder, "r.json", REPORT).code, 0);
    assert!(is_whole(&folder.read("page.html")));
}

#[test]
fn a_proof_is_shown_for_the_files_that_it_was_made_with() {
    let folder = counter_folder(6, &compare("<", "x", 0));
    for engine in ["explicit", "cegar"] {
        let verify =
            ["verify", "m.jani", "--policy", "counter.policy.json", "--engine", engine, "--json", "r.json", "--quiet"];
        assert_eq!(folder.run(&verify).code, 0);
        assert_eq!(report(&folder, "r.json", REPORT).code, 0);
        assert!(is_whole(&folder.read("page.html")));
        std::fs::remove_file(folder.path().join("page.html")).unwrap();
        // The same model with another comment is another file: nothing of a proof is looked at again.
        let mut other = folder.read_json("m.jani");
        other["metadata"] = json!({"description": "another file"});
        folder.write_json("other.jani", &other);
        let args = ["other.jani", "--policy", "counter.policy.json", "--out", "page.html"];
        refused(&report(&folder, "r.json", &args), "the result was not made with other.jani as it is now");
        // A verdict that needs a run, without one.
        let mut result = folder.read_json("r.json");
        result["verdict"] = json!("violated");
        folder.write_json("changed.json", &result);
        refused(&report(&folder, "changed.json", REPORT), "has no run that shows it");
        assert!(!has_page(&folder));
    }
}

#[test]
fn a_verdict_that_all_states_contradict_has_no_page() {
    let folder = violated();
    let mut result = folder.read_json("r.json");
    result["verdict"] = json!("holds");
    result["witness"] = Value::Null;
    folder.write_json("changed.json", &result);
    refused(&report(&folder, "changed.json", REPORT), "never reached, and it is");
    assert!(!has_page(&folder));
}

#[test]
fn a_probability_that_is_another_has_no_page() {
    let folder = violated();
    let bounds = ["bounds", "m.jani", "--policy", "counter.policy.json", "--json", "b.json", "--quiet"];
    assert_eq!(folder.run(&bounds).code, 0);
    assert_eq!(report(&folder, "b.json", REPORT).code, 0);
    std::fs::remove_file(folder.path().join("page.html")).unwrap();
    let value = folder.read_json("b.json")["value"]["hi"].as_f64().unwrap();
    let other = if value > 0.5 { [0.0, 0.25] } else { [0.75, 1.0] };
    let mut result = folder.read_json("b.json");
    result["value"] = json!({"lo": other[0], "hi": other[1]});
    folder.write_json("changed.json", &result);
    refused(&report(&folder, "changed.json", REPORT), "the probability is in");
    assert!(!has_page(&folder));
}

#[test]
fn a_run_of_another_model_has_no_page() {
    let folder = violated();
    // The environment cannot double any more.
    let mut other = counter(6, &[property("safe", &common::never(&compare("=", "x", 6)))]);
    other["automata"][0]["edges"].as_array_mut().unwrap().pop();
    folder.write_json("other.jani", &other);
    let args = ["other.jani", "--policy", "counter.policy.json", "--out", "page.html"];
    refused(&report(&folder, "r.json", &args), "not real");
    // A property that is not there, a policy that is not the one.
    let nothing = counter(6, &[]);
    folder.write_json("nothing.jani", &nothing);
    let args = ["nothing.jani", "--policy", "counter.policy.json", "--out", "page.html"];
    refused(&report(&folder, "r.json", &args), "no property 'safe'");
    refused(&report(&folder, "r.json", &["m.jani", "--out", "page.html"]), "");
    assert!(!has_page(&folder));
}

#[test]
fn a_page_is_written_where_it_can_be_and_over_nothing_that_is_read() {
    let folder = violated();
    let before: Vec<String> =
        ["m.jani", "r.json", "counter.policy.json", "net.nnet"].iter().map(|name| folder.read(name)).collect();
    let policy = &["m.jani", "--policy", "counter.policy.json"];
    for out in ["m.jani", "r.json", "./counter.policy.json", "net.nnet"] {
        refused(&report(&folder, "r.json", &[policy, &["--out", out][..]].concat()), "would overwrite the input");
        if out != "r.json" {
            refused(&folder.run(&[&["verify"], &policy[..], &["--report", out]].concat()), "would overwrite the input");
        }
    }
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for (out, words) in [("no/such/page.html", "there is no folder"), ("folder", "it is a directory")] {
        refused(&report(&folder, "r.json", &[policy, &["--out", out][..]].concat()), words);
        refused(&folder.run(&[&["verify"], &policy[..], &["--report", out]].concat()), words);
    }
    refused(&folder.run(&[&["verify"], &policy[..], &["--report", "-"]].concat()), "standard output");
    for other in ["--json", "--events"] {
        let args = [&["verify"], &policy[..], &["--report", "page.html", other, "./page.html"]].concat();
        refused(&folder.run(&args), "name one file");
    }
    assert!(!has_page(&folder));
    // What draws states is read too.
    folder.write_json("d.json", &json!({"drawing": 1, "size": [4, 4], "shapes": [{"rect": [0, 0, 1, 1]}]}));
    let drawn = |page| [policy, &["--drawing", "d.json", page, "./d.json"][..]].concat();
    refused(&report(&folder, "r.json", &drawn("--out")), "would overwrite the input d.json");
    refused(&folder.run(&[&["verify"], &drawn("--report")[..]].concat()), "would overwrite the input d.json");
    let after: Vec<String> =
        ["m.jani", "r.json", "counter.policy.json", "net.nnet"].iter().map(|name| folder.read(name)).collect();
    assert_eq!(before, after);
}

#[test]
fn errors_in_the_model_leave_an_old_page_as_it_was() {
    let folder = violated();
    folder.write("page.html", "an old one");
    folder.write("broken.jani", "{");
    refused(&folder.run(&["verify", "broken.jani", "--report", "page.html"]), "broken.jani");
    assert_eq!(folder.read("page.html"), "an old one");
}

#[test]
fn a_drawing_that_is_none_is_named_with_the_place() {
    let folder = violated();
    let args = [
        "verify",
        "m.jani",
        "--policy",
        "counter.policy.json",
        "--report",
        "page.html",
        "--drawing",
        "drawing-of-mine.json",
    ];
    refused(&folder.run(&args), "cannot read drawing-of-mine.json");
    let drawing = |shapes: &Value| {
        folder.write_json("drawing-of-mine.json", &json!({"drawing": 1, "size": [4, 4], "shapes": shapes}));
    };
    for (shapes, words) in [
        (json!([{"rect": [0, 0, 1]}]), "shapes[0].rect"),
        (json!([{"rect": [0, 0, 1, 1]}, {"line": [0, 0, "height", 1]}]), "shapes[1].line"),
        (json!([{"circle": [0, 0]}]), "shapes[0].circle"),
        (json!([{"text": "{height}", "at": [1, 1]}]), "shapes[0].text"),
    ] {
        drawing(&shapes);
        let ran = folder.run(&args);
        refused(&ran, "drawing-of-mine.json is no drawing of this model");
        refused(&ran, words);
        assert!(!has_page(&folder), "{shapes}");
    }
    // One that lies beside the model was not asked for: the page is written without it.
    folder.write("drawing.json", "{");
    let ran = folder.run(&["verify", "m.jani", "--policy", "counter.policy.json", "--report", "page.html"]);
    assert!(ran.code == 1 && ran.err.contains("states are not drawn"), "{}: {}", ran.code, ran.err);
    assert!(is_whole(&folder.read("page.html")));
}

#[test]
fn a_page_is_the_same_for_the_same_input() {
    let folder = violated();
    let timeless = |page: &str| -> String {
        let (before, after) = page.split_once("<meta name=\"surefoot-seconds\"").unwrap();
        before.to_owned() + after.split_once('\n').unwrap().1
    };
    let write = |words: &[&str]| {
        folder.run(&[words, &["--policy", "counter.policy.json", "--report", "page.html"]].concat());
        timeless(&folder.read("page.html"))
    };
    for words in [&["verify", "m.jani"][..], &["verify", "m.jani", "--engine", "cegar"], &["bounds", "m.jani"]] {
        assert_eq!(write(words), write(words), "{words:?}");
    }
}

#[test]
fn what_names_say_is_no_markup() {
    let folder = Folder::new();
    let hostile = "</title><script>alert(1)</script>";
    let never = filter("∀", &quantified("∀", "G", &compare("<", "x", 6)));
    let mut model = counter(6, &[property(hostile, &never)]);
    model["name"] = json!(hostile);
    folder.write_json("m.jani", &model);
    assert_eq!(folder.run(&["verify", "m.jani", "--report", "page.html"]).code, 1);
    let page = folder.read("page.html");
    assert!(is_whole(&page) && !page.contains("alert(1)</script>") && page.contains("&lt;script&gt;"));
    assert!(Path::new(&folder.path().join("page.html")).metadata().unwrap().len() < 2_000_000);
}
