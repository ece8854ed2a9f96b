//! Files of others: what is no file, what is not shown, what identifies a result, and what is run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, compare, counter, filter, property, quantified};
use serde_json::{Value, json};

const SECRET: &str = "root:x:hunter2";

fn safe() -> Value {
    counter(6, &[property("safe", &filter("∀", &quantified("∀", "G", &compare("<", "x", 7))))])
}

/// What is unsafe stands in another file.
fn including(name: &str) -> Value {
    counter(6, &[property("safe", &json!({"op": "PA", "reach": {"file": name}}))])
}

#[test]
fn what_is_no_regular_file_is_an_error_and_no_hang() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    folder.write("p.json", r#"{"network": "n.nnet", "inputs": ["x"], "outputs": ["up"]}"#);
    assert!(Command::new("mkfifo").arg(folder.path().join("fifo")).status().unwrap().success());
    symlink("/dev/zero", folder.path().join("n.nnet")).unwrap();
    symlink("fifo", folder.path().join("q.nnet")).unwrap();
    folder.write("q.json", r#"{"box": [[0, 1]], "label": 0}"#);
    let begun = Instant::now();
    for (args, words) in [
        (&["check", "fifo"][..], "cannot read fifo: it is a pipe, and no regular file"),
        (&["check", "/dev/zero"], "cannot read /dev/zero: it is a device"),
        (&["verify", "m.jani", "--properties", "fifo"], "cannot read fifo: it is a pipe"),
        (&["verify", "m.jani", "--policy", "fifo"], "cannot read fifo: it is a pipe"),
        (&["verify", "m.jani", "--policy", "p.json"], "cannot read the network n.nnet: it is a device"),
        (&["verify", "m.jani", "--engine", "cegar", "--predicates", "fifo"], "cannot read fifo: it is a pipe"),
        (&["verify", "m.jani", "--engine", "cegar", "--checkpoint", "fifo"], "cannot read fifo: it is a pipe"),
        (&["abstract", "m.jani", "--predicates", "/dev/zero"], "cannot read /dev/zero: it is a device"),
        (&["replay", "fifo", "m.jani"], "cannot read fifo: it is a pipe"),
        (&["decide", "q.json", "--network", "q.nnet"], "cannot read the network q.nnet: it is a pipe"),
        (&["decide", "fifo", "--network", "q.nnet"], "it is a pipe"),
        (&["zoo", "generate", "racetrack", "map=/dev/zero", "--out", "z"], "it is a device"),
        (&["check", "."], "cannot read .: it is a directory"),
    ] {
        let ran = folder.run(args);
        assert!(ran.code == 2 && ran.err.contains(words), "{args:?}: {} {}", ran.code, ran.err);
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn standard_input_is_read_once() {
    let folder = Folder::new();
    let run = |args: &[&str]| {
        let mut command = folder.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let _ = child.stdin.take().expect("a pipe").write_all(safe().to_string().as_bytes());
        let ran = child.wait_with_output().expect("it ends");
        (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned(), ran.stderr)
    };
    let (code, out, _) = run(&["verify", "-", "--json", "-"]);
    let object: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, object["inputs"]["-"].as_str().map(str::len)), (Some(0), Some(64)), "{out}");
    let (code, _, err) = run(&["verify", "-", "--properties", "-"]);
    assert!(code == Some(2) && String::from_utf8_lossy(&err).contains("standard input can be read only once"));
}

#[test]
fn a_file_that_another_names_is_not_quoted() {
    let folder = Folder::new();
    let inner = folder.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    folder.write("passwd", &format!("{SECRET}\nsecond\n"));
    folder.write("secrets.json", &format!("{{\"{SECRET}\": \"{SECRET}\"}}"));
    folder.write("in/beside.txt", SECRET);
    symlink("../passwd", inner.join("link.json")).unwrap();
    symlink("../passwd", inner.join("link.nnet")).unwrap();
    let policy = |network: &str| json!({"network": network, "inputs": ["x"], "outputs": ["up"]});
    for name in ["../passwd", "link.json", "beside.txt", "../secrets.json"] {
        folder.write_json("in/m.jani", &including(name));
        for args in [&["verify", "in/m.jani"][..], &["check", "in/m.jani", "--json", "-"]] {
            let ran = folder.run(args);
            assert_eq!(ran.code, 2, "{name}");
            assert!(!ran.err.contains("hunter2") && !ran.out.contains("hunter2"), "{name}: {} {}", ran.err, ran.out);
            assert!(ran.err.contains("is not what that should be") && ran.err.contains(":1:"), "{name}: {}", ran.err);
        }
    }
    folder.write_json("in/m.jani", &safe());
    folder.write_json("in/p.json", &policy("link.nnet"));
    let ran = folder.run(&["verify", "in/m.jani", "--policy", "in/p.json"]);
    assert!(ran.code == 2 && !ran.err.contains("hunter2") && ran.err.contains("link.nnet:1:1"), "{}", ran.err);
    folder.write_json("in/q.json", &json!({"file": "../passwd"}));
    let ran = folder.run(&["abstract", "in/m.jani", "--predicates", "in/q.json"]);
    assert!(ran.code == 2 && !ran.err.contains("hunter2"), "{}", ran.err);
    // What a user names is shown, and a mistake in a part of the model beside it too.
    let ran = folder.run(&["verify", "passwd"]);
    assert!(ran.err.contains("hunter2"), "{}", ran.err);
    folder.write("in/x.json", r#"{"op": "<", "lefft": "x", "right": 7}"#);
    folder.write_json("in/m.jani", &including("x.json"));
    assert!(folder.run(&["verify", "in/m.jani"]).err.contains("lefft"));
}

/// What reads as an expression, but has names that the model does not know: only the place is told, unless it is beside.
#[test]
fn unknown_names_in_files_elsewhere_are_not_quoted() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    folder.write_json("word.json", &json!("hunter2"));
    folder.write_json("words.json", &json!(["hunter2"]));
    folder.write_json("elsewhere.json", &compare(">", "hunter2", 7));
    let reach = compare("=", "x", 7);
    let predicates = |file: &str| json!({"op": "PA", "reach": &reach, "predicates": {"file": file}});
    for (expression, place) in [
        (json!({"op": "PA", "reach": {"file": "../word.json"}}), "word.json:1:1"),
        (json!({"op": "PA", "reach": {"file": "../elsewhere.json"}}), "elsewhere.json:"),
        (predicates("../words.json"), "words.json:1:2"),
    ] {
        folder.write_json("in/m.jani", &counter(6, &[property("safe", &expression)]));
        for command in ["verify", "abstract", "check"] {
            let ran = folder.run(&[command, "in/m.jani", "--json", "-"]);
            let shown = format!("{command} {place}: {}{}", ran.out, ran.err);
            assert!(ran.code == 2 && !shown.contains("hunter2") && ran.err.contains(place), "{shown}");
        }
    }
    folder.write_json("in/beside.json", &compare(">", "unheard", 7));
    folder.write_json("in/m.jani", &including("beside.json"));
    assert!(folder.run(&["verify", "in/m.jani"]).err.contains("unheard"));
}

/// A policy of another folder is a policy: what is wrong with its network is told.
#[test]
fn errors_in_a_policy_elsewhere_are_told() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let named = json!({"op": "PA", "reach": compare("=", "x", 7), "file": "../p.json"});
    folder.write_json("in/m.jani", &counter(6, &[property("safe", &named)]));
    for (policy, words) in [
        (json!({"network": "none.nnet", "inputs": ["x"], "outputs": ["up"]}), "cannot read the network"),
        (
            json!({"network": "n.nnet", "inputs": ["x"], "outputs": {"labels": ["upp"]}}),
            "the model has no action 'upp'",
        ),
        (
            json!({"file": "none.nnet", "input": [{"name": "x", "automaton": null}], "elements": [], "output": ["up"]}),
            "cannot read the network",
        ),
        // No policy at all.
        (json!({"hunter2": 7}), "is named as a policy file, but is not what that should be"),
    ] {
        folder.write_json("p.json", &policy);
        let ran = folder.run(&["verify", "in/m.jani"]);
        assert!(ran.code == 2 && ran.err.contains(words) && !ran.err.contains("hunter2"), "{policy}: {}", ran.err);
    }
}

#[test]
fn hashes_cover_everything_that_was_read() {
    let folder = Folder::new();
    let mut model = including("x.json");
    model["constants"] = json!([{"name": "k", "type": "int"}, {"name": "b", "type": "bool"}]);
    folder.write_json("m.jani", &model);
    folder.write_json("x.json", &compare(">", "x", 6));
    folder.write_json("p.json", &json!([compare("≤", "x", 3)]));
    let options = ["--const", "k=3", "--const", "b=true", "--engine", "cegar", "--predicates", "p.json"];
    let args: Vec<&str> = ["verify", "m.jani", "--checkpoint", "c.json"].into_iter().chain(options).collect();
    let keys = |object: &Value| object["inputs"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let (_, object) = folder.run_json(&args);
    assert_eq!(keys(&object), ["m.jani", "x.json", "p.json"]);
    assert_eq!(object["constants"], json!({"k": "3", "b": true}));
    let (_, checked) = folder.run_json(&["check", "m.jani", "--const", "k=3", "--const", "b=true"]);
    assert_eq!(checked["constants"], object["constants"]);
    let ran = folder.run(&[&args[..], &["--json", "r.json"]].concat());
    assert!(ran.err.contains("going on from c.json"), "{}", ran.err);
    let again = folder.read_json("r.json");
    assert_eq!(keys(&again), ["m.jani", "x.json", "c.json", "p.json"]);
    let sum = Command::new("sha256sum").arg(folder.path().join("x.json")).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&sum).starts_with(again["inputs"]["x.json"].as_str().unwrap()));
}

/// A program that leaves a mark.
fn trap(path: &Path, mark: &Path) {
    std::fs::create_dir_all(path.parent().expect("it can be written")).expect("it can be written");
    std::fs::write(path, format!("#!/bin/sh\necho trapped > {}\n", mark.display())).expect("it can be written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it can be written");
}

#[test]
fn no_program_of_the_current_folder_is_run() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    let at = |name: &str| folder.path().join(name);
    for name in [".venv/bin/python", ".venv/bin/python3", "highs", "python3", "bin/highs", "bin/python3"] {
        trap(&at(name), &at("mark"));
    }
    folder.write("highspy.py", "open('mark', 'w').write('trapped')\n");
    folder.write("json.py", "open('mark', 'w').write('trapped')\n");
    let args = ["ctl", "m.jani", "--formula", "AG[<=2] x < 7", "--method", "monolithic"];
    let path = format!(":.:bin:{}", std::env::var("PATH").unwrap_or_default());
    let run = |more: &[&str]| {
        let mut command = folder.command(&[&args[..], more].concat());
        let ran = command.env("PATH", &path).env("PYTHONPATH", ".").env_remove("SUREFOOT_HIGHS").output().unwrap();
        assert!(!at("mark").exists(), "{more:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    run(&[]);
    run(&["--solver", "python3"]);
    let named = folder.run(&[&args[..], &["--solver", "./highs"]].concat());
    assert!(named.code == 2 && at("mark").exists(), "what a user names is run: {}", named.err);
}

#[test]
fn a_solver_that_never_ends_or_never_stops_talking_is_ended() {
    let folder = Folder::new();
    folder.write_json("m.jani", &safe());
    for (script, least) in [("#!/bin/sh\nexec sleep 100\n", 1), ("#!/bin/sh\nexec yes\n", 0)] {
        folder.write("highs", script);
        let path = folder.path().join("highs");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let begun = Instant::now();
        let args = ["ctl", "m.jani", "--formula", "AG[<=2] x < 7", "--method", "monolithic", "--solver", "./highs"];
        let ran = folder.run(&[&args[..], &["--time-limit", "1"]].concat());
        assert!(begun.elapsed() >= Duration::from_secs(least) && begun.elapsed() < Duration::from_secs(10));
        assert!(ran.code >= 2, "{}", ran.out);
    }
}
