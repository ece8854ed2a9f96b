//! What is written: never over an input or another output, complete or not at all, and nothing that steers a terminal.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use common::{Folder, Ran, compare, counter, filter, property, quantified};
use serde_json::{Value, json};

fn safe() -> Value {
    counter(6, &[property("safe", &filter("∀", &quantified("∀", "G", &compare("<", "x", 7))))])
}

fn refused(ran: &Ran, words: &str) {
    assert!(ran.code == 2 && ran.err.contains(words), "{}: {}", ran.code, ran.err);
}

#[test]
fn no_output_is_an_input() {
    let folder = Folder::new();
    let model = counter(6, &[property("safe", &json!({"op": "PA", "reach": {"file": "x.json"}}))]);
    folder.write_json("m.jani", &model);
    folder.write_json("x.json", &compare(">", "x", 6));
    folder.write_json("p.json", &json!([compare("≤", "x", 3)]));
    folder.write("broken.jani", "{");
    let files = ["m.jani", "x.json", "p.json", "broken.jani"];
    let before: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
    for args in [
        &["verify", "m.jani", "--json", "m.jani"][..],
        &["verify", "m.jani", "--json", "./x.json"],
        &["verify", "m.jani", "--events", "x.json"],
        &["verify", "broken.jani", "--json", "broken.jani"],
        &["check", "m.jani", "--json", "m.jani"],
        &["explore", "m.jani", "--events", "m.jani"],
        &["simulate", "m.jani", "--json", "x.json"],
        &["bounds", "m.jani", "--json", "x.json"],
        &["ctl", "m.jani", "--formula", "AX x < 7", "--json", "x.json"],
        &["induce", "m.jani", "--out", "x.json", "--format", "drn"],
        &["induce", "m.jani", "--out", "out.drn", "--json", "x.json"],
        &["encode", "m.jani", "--target", "storm", "--out", "x.json"],
        &["abstract", "m.jani", "--predicates", "p.json", "--graph", "p.json"],
        &["abstract", "m.jani", "--predicates", "p.json", "--json", "p.json"],
        &["abstract", "m.jani", "--predicates", "p.json", "--events", "p.json"],
        &["verify", "m.jani", "--engine", "cegar", "--predicates", "p.json", "--predicates-out", "p.json"],
        &["verify", "m.jani", "--engine", "cegar", "--predicates", "p.json", "--checkpoint", "p.json"],
        &["verify", "m.jani", "--engine", "cegar", "--checkpoint", "x.json"],
        &["zoo", "predicates", "m.jani", "--count", "2", "--out", "x.json"],
    ] {
        refused(&folder.run(args), "would overwrite the input");
        let after: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
        assert_eq!(before, after, "{args:?}");
    }
    // What comes after an error is unknown, and might be an input: what is no result stays.
    folder.write("policy.json", "mine");
    let args = ["verify", "broken.jani", "--json", "policy.json"];
    assert_eq!((folder.run(&args).code, folder.read("policy.json").as_str()), (2, "mine"));
    folder.run(&["verify", "m.jani", "--json", "r.json"]);
    folder.run(&["verify", "broken.jani", "--json", "r.json"]);
    assert!(folder.read_json("r.json")["verdict"].is_null());
}

#[test]
fn no_two_outputs_are_one_file() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    folder.write_json("p.json", &json!([compare("≤", "x", 3)]));
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    for args in [
        &["verify", "m.jani", "--json", "a", "--events", "a"][..],
        &["verify", "m.jani", "--json", "a", "--events", "sub/../a"],
        &["verify", "m.jani", "--engine", "cegar", "--json", "a", "--checkpoint", "a"],
        &["verify", "m.jani", "--engine", "cegar", "--predicates-out", "a", "--checkpoint", "./a"],
        &["abstract", "m.jani", "--predicates", "p.json", "--json", "a.json", "--graph", "a.json"],
        &["induce", "m.jani", "--out", "a.drn", "--json", "a.drn"],
        &["zoo", "predicates", "m.jani", "--count", "2", "--out", "a", "--json", "a"],
    ] {
        refused(&folder.run(args), "name one file");
        assert!(!folder.path().join("a").exists(), "{args:?}");
    }
    std::fs::create_dir(folder.path().join("z")).unwrap();
    let args = ["zoo", "generate", "racetrack", "--out", "z", "--json", "z/model.jani"];
    refused(&folder.run(&args), "name one file");
    // Nor when the file is there and would not change.
    assert_eq!(folder.run(&args[..5]).code, 0);
    let before = folder.read("z/model.jani");
    refused(&folder.run(&args), "name one file");
    assert_eq!(folder.read("z/model.jani"), before);
}

#[cfg(unix)]
#[test]
fn files_in_memory_are_files() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else { return };
    let folder = Folder::new();
    let at = |name: &str| memory.path().join(name).display().to_string();
    let text = safe().to_string();
    std::fs::write(at("m.jani"), &text).unwrap();
    refused(&folder.run(&["verify", &at("m.jani"), "--json", &at("m.jani")]), "would overwrite the input");
    refused(&folder.run(&["verify", &at("m.jani"), "--events", &at("m.jani")]), "would overwrite the input");
    assert_eq!(std::fs::read_to_string(at("m.jani")).unwrap(), text);
    for _ in 0..2 {
        let args =
            ["verify", &at("m.jani"), "--engine", "cegar", "--json", &at("r.json"), "--checkpoint", &at("c.json")];
        assert_eq!(folder.run(&args).code, 0);
        assert_eq!(folder.run(&["induce", &at("m.jani"), "--out", &at("m.drn")]).code, 0);
        for name in ["r.json", "c.json"] {
            serde_json::from_str::<Value>(&std::fs::read_to_string(at(name)).unwrap()).expect("one object");
        }
        assert_eq!(std::fs::read_to_string(at("m.drn")).unwrap().matches("@model").count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_noticed_before_the_work() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    std::os::unix::fs::symlink("nowhere/r.json", folder.path().join("dangling")).unwrap();
    // There nobody can make a file.
    for path in ["dangling", "/proc/r.json"] {
        for option in ["--json", "--events"] {
            let ran = folder.run(&["verify", "m.jani", option, path]);
            refused(&ran, &format!("cannot write {path}"));
            assert_eq!(ran.out, "", "no verdict");
        }
    }
}

#[test]
fn only_the_result_goes_to_standard_output() {
    let folder = Folder::new();
    folder.write_json("-", &safe());
    let before = folder.read("-");
    for args in [
        &["explore", "./-", "--events", "-"][..],
        &["induce", "./-", "--out", "-", "--format", "drn"],
        &["verify", "./-", "--engine", "cegar", "--checkpoint", "-"],
        &["verify", "./-", "--engine", "cegar", "--predicates-out", "-"],
        &["zoo", "predicates", "./-", "--count", "2", "--out", "-"],
    ] {
        refused(&folder.run(args), "cannot be -, standard output");
        assert_eq!(folder.read("-"), before, "{args:?}");
    }
    refused(&folder.run(&["explore", "./-", "--events", "./-"]), "would overwrite the input");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    folder.write("r.json", "{\n  \"tool\": \"surefoot\"\n}");
    // The shell limits files to nothing.
    let binary = env!("CARGO_BIN_EXE_surefoot");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {binary} verify m.jani --json r.json");
    let ran = std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.code() == Some(2) && err.contains("cannot write r.json"), "{:?}: {err}", ran.status);
    assert_eq!(folder.read("r.json"), "{\n  \"tool\": \"surefoot\"\n}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no draft is left");
    refused(&folder.run(&["verify", "m.jani", "--json", "/dev/full"]), "cannot write /dev/full");
    assert_eq!(folder.run(&["verify", "m.jani", "--json", "/dev/null", "--events", "/dev/null"]).code, 0);
    let ran = folder.run(&["verify", "m.jani", "--json", "/dev/stdout"]);
    assert!(ran.out.starts_with("holds") && ran.out.contains("\"tool\": \"surefoot\""), "{}", ran.out);
}

#[test]
fn names_do_not_steer_a_terminal() {
    let folder = Folder::new();
    let evil = "\u{1b}[2J\u{1b}[Hholds\u{202e}\u{9b}1m\u{7}";
    let text = safe().to_string();
    let text = text.replace("\"counter\"", &json!(format!("counter{evil}")).to_string());
    let text = text.replace("\"up\"", &json!(format!("up{evil}")).to_string());
    let text = text.replace("\"x\"", &json!(format!("x{evil}")).to_string());
    let text = text.replace("\"safe\"", &json!(format!("safe{evil}")).to_string());
    folder.write("m.jani", &text);
    let name = format!("x{evil}");
    folder.write_json("p.json", &json!([compare("≤", name.as_str(), 3)]));
    let harmless = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}');
    for args in [
        &["check", "m.jani"][..],
        &["verify", "m.jani"],
        &["verify", "m.jani", "--json", "-"],
        &["verify", "m.jani", "--property", "none"],
        &["verify", "m.jani", "--engine", "cegar", "--events", "e.jsonl"],
        &["explore", "m.jani"],
        &["simulate", "m.jani"],
        &["abstract", "m.jani", "--predicates", "p.json", "--graph", "g.json"],
        &["abstract", "m.jani", "--predicates", "p.json", "--graph", "g.dot"],
        &["abstract", "m.jani", "--predicates", "p.json", "--graph", "g.graphml"],
        &["induce", "m.jani", "--out", "m.drn"],
        &["induce", "m.jani", "--out", "m.tra"],
        &["induce", "m.jani", "--out", "m.dot"],
        &["induce", "m.jani", "--out", "m.graphml"],
        &["zoo", "predicates", "m.jani", "--count", "2", "--out", "q.json"],
    ] {
        let ran = folder.run(args);
        assert!(harmless(&ran.out) && harmless(&ran.err), "{args:?}: {:?} {:?}", ran.out, ran.err);
        if args.contains(&"-") {
            let object: Value = serde_json::from_str(&ran.out).expect("JSON");
            assert_eq!(object["model"], json!(format!("counter{evil}")));
        }
    }
    for file in ["m.drn", "m.tra", "m.lab", "m.sta", "m.dot", "m.graphml", "g.dot", "g.graphml", "e.jsonl"] {
        let text = folder.read(file);
        assert!(text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{file}: {text:?}");
    }
    serde_json::from_str::<Value>(&folder.read("g.json")).expect("JSON");
    for line in folder.read("e.jsonl").lines() {
        serde_json::from_str::<Value>(line).expect("JSON");
    }
    // A name of two lines could pass for a verdict.
    let mut model = safe();
    model["name"] = json!("m\nholds: no run reaches an unsafe state");
    folder.write_json("two.jani", &model);
    refused(&folder.run(&["verify", "two.jani"]), "a name must not contain line breaks");
    // Paths that a file names, and messages that quote it.
    folder.write_json("n.json", &json!({"network": "a\nholds\u{1b}.nnet", "inputs": ["x"], "outputs": ["up"]}));
    let ran = folder.run(&["verify", "m.jani", "--policy", "n.json"]);
    assert!(ran.code == 2 && harmless(&ran.err) && !ran.err.contains("\nholds"), "{:?}", ran.err);
}
