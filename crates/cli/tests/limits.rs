//! Limits and signals: whatever is going on, a run ends soon, says why, and writes its result object.

mod common;

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, compare, property};
use serde_json::{Value, json};

/// Machines that run tests are busy: limits are kept far more closely than this.
const PATIENCE: Duration = Duration::from_secs(15);

/// Counters that go up one by one, in any order: more states than anyone visits.
fn counters(count: usize, top: i64, start: &Value, reach: &Value) -> Value {
    let name = |i: usize| format!("x{i}");
    let edge = |i: usize| {
        json!({"location": "l", "guard": {"exp": compare("<", name(i), top)}, "destinations": [
            {"location": "l", "assignments": [{"ref": name(i), "value": compare("+", name(i), 1)}]}]})
    };
    let variable = |i: usize| {
        json!({"name": name(i), "initial-value": 0,
               "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": top}})
    };
    json!({
        "jani-version": 1, "name": "counters", "type": "mdp",
        "variables": (0..count).map(variable).collect::<Vec<_>>(),
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
                      "edges": (0..count).map(edge).collect::<Vec<_>>()}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [property("safe", &json!({"op": "PA", "start": start, "reach": reach}))],
    })
}

fn sum(count: usize) -> Value {
    (1..count).fold(json!("x0"), |sum, i| compare("+", sum, format!("x{i}")))
}

/// A folder with eight counters from zero; that all are full is unsafe.
fn endless() -> Folder {
    let folder = Folder::new();
    let start = compare("=", sum(8), 0);
    folder.write_json("m.jani", &counters(8, 1000, &start, &compare("=", sum(8), 8000)));
    folder
}

fn child(folder: &Folder, args: &[&str]) -> Child {
    folder.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// The exit code and standard output of a process that ends in time.
fn end(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            let mut text = String::new();
            child.stdout.take().expect("piped").read_to_string(&mut text).expect("UTF-8");
            return (status.code(), text);
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn every_engine_keeps_a_time_limit_and_writes_its_object() {
    let folder = endless();
    let commands: [&[&str]; 10] = [
        &["explore", "m.jani"],
        &["simulate", "m.jani", "--runs", "1000000000"],
        &["verify", "m.jani"],
        &["verify", "m.jani", "--engine", "explicit"],
        &["verify", "m.jani", "--engine", "cegar"],
        &["verify", "m.jani", "--engine", "bmc"],
        &["bounds", "m.jani"],
        &["bounds", "m.jani", "--engine", "partial"],
        &["induce", "m.jani", "--out", "m.drn"],
        &["ctl", "m.jani", "--formula", "AG[<=900] x0 + x1 + x2 + x3 < 3000"],
    ];
    for command in commands {
        let args: Vec<&str> = command.iter().copied().chain(["--time-limit", "0.5", "--json", "r.json"]).collect();
        let begun = Instant::now();
        let ran = folder.run(&args);
        assert!(begun.elapsed() < PATIENCE, "{command:?} took {:?}", begun.elapsed());
        assert_eq!(ran.code, 3, "{command:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("unknown: the time limit of 0.5 s was reached"), "{command:?}: {}", ran.out);
        let object = folder.read_json("r.json");
        assert_eq!(object["verdict"], "unknown", "{command:?}");
        assert!(object["reason"].as_str().is_some_and(|reason| reason.contains("time limit")), "{command:?}");
    }
    assert!(!folder.path().join("m.drn").exists(), "half a model is none");
}

#[test]
fn start_states_that_are_hard_to_find_are_no_excuse() {
    // Fermat says that there are none; the search for start states does not know.
    let power = |name: &str| compare("*", name, compare("*", name, name));
    let start = [("<", json!(0), json!("x0")), ("<", json!(0), json!("x1"))]
        .into_iter()
        .map(|(op, left, right)| compare(op, left, right))
        .fold(compare("=", compare("+", power("x0"), power("x1")), power("x2")), |a, b| compare("∧", a, b));
    let folder = Folder::new();
    folder.write_json("m.jani", &counters(3, 1_000_000, &start, &compare("=", "x0", 7)));
    for args in [
        &["verify", "m.jani", "--engine", "explicit"][..],
        &["explore", "m.jani", "--property", "safe"],
        &["simulate", "m.jani", "--property", "safe"],
        &["bounds", "m.jani"],
        &["bounds", "m.jani", "--engine", "partial"],
        &["induce", "m.jani", "--property", "safe", "--out", "m.drn"],
        &["verify", "m.jani"],
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--time-limit", "0.5"]).collect();
        let begun = Instant::now();
        let ran = folder.run(&args);
        assert!(begun.elapsed() < PATIENCE, "{args:?} took {:?}", begun.elapsed());
        assert_eq!(ran.code, 3, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("unknown: the time limit of 0.5 s"), "{args:?}: {}", ran.out);
    }
}

#[test]
fn memory_limits_are_met_by_all_that_grows() {
    let folder = endless();
    for args in [
        &["explore", "m.jani"][..],
        &["verify", "m.jani", "--engine", "explicit"],
        &["verify", "m.jani", "--engine", "bmc"],
        &["bounds", "m.jani"],
        &["bounds", "m.jani", "--engine", "partial"],
        &["induce", "m.jani", "--out", "m.drn"],
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--memory-limit", "4", "--time-limit", "60"]).collect();
        let (code, object) = folder.run_json(&args);
        assert_eq!(code, 3, "{args:?}: {object}");
        let reason = object["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("the memory limit of 4 MB"), "{args:?}: {reason}");
    }
}

#[test]
fn an_interruption_tells_what_is_known() {
    for name in ["-INT", "-TERM"] {
        let folder = endless();
        let process = child(&folder, &["verify", "m.jani", "--engine", "explicit", "--json", "r.json"]);
        std::thread::sleep(Duration::from_millis(700));
        signal(&process, name);
        let (code, out) = end(process);
        assert_eq!(code, Some(3), "{name}: {out}");
        assert!(out.starts_with("unknown: it was interrupted"), "{name}: {out}");
        let object = folder.read_json("r.json");
        assert_eq!((&object["verdict"], &object["reason"]), (&json!("unknown"), &json!("it was interrupted")));
        assert!(object["statistics"]["reachable_states"].as_u64().is_some_and(|states| states > 0), "{object}");
    }
}

#[test]
fn an_interruption_leaves_a_checkpoint_and_bounds() {
    let folder = endless();
    let refine = ["verify", "m.jani", "--engine", "cegar", "--checkpoint", "c.json", "--json", "r.json"];
    let process = child(&folder, &refine);
    std::thread::sleep(Duration::from_millis(1500));
    signal(&process, "-INT");
    let (code, out) = end(process);
    assert_eq!(code, Some(3), "{out}");
    assert!(folder.read_json("c.json").is_object());
    let process = child(&folder, &["bounds", "m.jani", "--json", "r.json"]);
    std::thread::sleep(Duration::from_millis(700));
    signal(&process, "-INT");
    let (code, out) = end(process);
    assert_eq!(code, Some(3), "{out}");
    let value = &folder.read_json("r.json")["value"];
    assert!(value["lo"].is_number() && value["hi"].is_number(), "{value}");
}

#[test]
fn a_second_interruption_ends_at_once() {
    let folder = endless();
    let process = child(&folder, &["simulate", "m.jani", "--runs", "1000000000", "--events", "e.jsonl"]);
    std::thread::sleep(Duration::from_millis(300));
    signal(&process, "-INT");
    signal(&process, "-INT");
    // The first one may have been enough.
    let (code, _) = end(process);
    assert!(matches!(code, Some(3 | 130)), "{code:?}");
    let files: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!files.iter().any(|name| name.ends_with(".part")), "{files:?}");
}

/// Numbers that double in length forty times, and names in the worst order.
#[test]
fn reading_takes_no_longer_than_the_text() {
    let folder = Folder::new();
    let mut model = counters(1, 3, &json!(true), &json!(false));
    let value = |i: usize| if i == 0 { json!(3) } else { compare("*", format!("c{}", i - 1), format!("c{}", i - 1)) };
    let constant = |i: usize, value: Value| json!({"name": format!("c{i}"), "type": "int", "value": value});
    model["constants"] = (0..40).map(|i| constant(i, value(i))).collect();
    folder.write_json("m.jani", &model);
    let begun = Instant::now();
    let ran = folder.run(&["verify", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("the value of 'c") && ran.err.contains("is too large"), "{}", ran.err);

    let backwards = |i: usize| if i == 4999 { json!(1) } else { compare("+", format!("c{}", i + 1), 1) };
    model["constants"] = (0..5000).map(|i| constant(i, backwards(i))).collect();
    folder.write_json("m.jani", &model);
    assert_eq!(folder.run(&["check", "m.jani"]).code, 0);

    let place = |i: usize| format!("l{}", i % 60_000);
    model["constants"] = json!([]);
    model["automata"][0]["locations"] = (0..60_000).map(|i| json!({"name": place(i)})).collect();
    model["automata"][0]["initial-locations"] = json!(["l0"]);
    model["automata"][0]["edges"] =
        (0..60_000).map(|i| json!({"location": place(i), "destinations": [{"location": place(i + 1)}]})).collect();
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["explore", "m.jani"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}
