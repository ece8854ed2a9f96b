//! `verify --engine cegar`: predicates that go out and come in, checkpoints, events.

mod common;

use common::{Folder, Ran, compare, counter, never, property, write_policy};
use serde_json::{Value, json};

const ARGS: [&str; 6] = ["verify", "m.jani", "--engine", "cegar", "--policy", "counter.policy.json"];

/// The counter in which refinement takes some iterations: a jump from 3 leads to 6.
fn folder(reach: i64) -> Folder {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(20, &[property("safe", &never(&compare("≥", "x", reach)))]));
    write_policy(&folder);
    folder
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&ARGS[..], more].concat())
}

/// The lift, in which refinement takes some iterations, the policy's among them; its model, properties and options.
fn lift(command: &str) -> Vec<String> {
    let place = format!("{}/../../examples/lift", env!("CARGO_MANIFEST_DIR"));
    [command, &format!("{place}/model.jani"), "--properties", &format!("{place}/properties.jani")]
        .map(str::to_owned)
        .to_vec()
}

fn run_lift(folder: &Folder, command: &str, more: &[&str]) -> (i32, Value, String) {
    let mut args = lift(command);
    args.extend(["--json", "-"].iter().chain(more).map(|arg| (*arg).to_owned()));
    let ran = folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_default(), ran.err)
}

const CEGAR: [&str; 2] = ["--engine", "cegar"];

#[test]
fn predicates_go_out_and_come_in() {
    let folder = Folder::new();
    let (code, first, err) = run_lift(&folder, "verify", &[&CEGAR[..], &["--predicates-out", "p.json"]].concat());
    assert_eq!(code, 0, "{err}");
    let written = folder.read_json("p.json");
    assert_eq!(json!(written.as_array().expect("an array").len()), first["statistics"]["predicates"]);
    assert!(first["statistics"]["iterations"].as_u64() > Some(1));

    let (code, again, err) = run_lift(&folder, "verify", &[&CEGAR[..], &["--predicates", "p.json"]].concat());
    assert_eq!((code, &again["statistics"]["iterations"]), (0, &json!(1)), "nothing is left to be found: {err}");
    assert_eq!(again["invariant"], first["invariant"]);
    assert!(again["inputs"].get("p.json").is_some(), "the file is an input");

    let (code, abstraction, err) = run_lift(&folder, "abstract", &["--predicates", "p.json"]);
    assert_eq!((code, &abstraction["verdict"]), (0, &json!("holds")), "{err}");
    assert_eq!(abstraction["predicates"], first["predicates"]);
}

#[test]
fn predicates_are_written_when_a_limit_ends_it() {
    let folder = Folder::new();
    let more = ["--max-iterations", "2", "--predicates-out", "p.json"];
    let (code, object, err) = run_lift(&folder, "verify", &[&CEGAR[..], &more].concat());
    assert_eq!(code, 3, "{err}");
    assert_eq!(json!(folder.read_json("p.json").as_array().map(Vec::len)), object["statistics"]["predicates"]);
    assert!(run_lift(&folder, "abstract", &["--predicates", "p.json"]).0 != 2);
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = folder(7);
    let ran = run(&folder, &["--predicates-out", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("m.jani would overwrite the input m.jani"), "{}", ran.err);
    assert!(run(&folder, &["--predicates-out", "gone/p.json"]).err.contains("there is no folder gone"));
}

#[test]
fn a_checkpoint_is_gone_on_from() {
    let folder = Folder::new();
    let args = [&CEGAR[..], &["--checkpoint", "c.json"]].concat();
    let (code, first, err) = run_lift(&folder, "verify", &[&args[..], &["--max-iterations", "3"]].concat());
    assert_eq!(code, 3, "{err}");
    assert!(!err.contains("going on from"), "{err}");
    let checkpoint = folder.read_json("c.json");
    assert_eq!(checkpoint["iterations"], 3);
    assert_eq!(json!(checkpoint["predicates"].as_array().map(Vec::len)), first["statistics"]["predicates"]);

    let (code, rest, err) = run_lift(&folder, "verify", &args);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("notice: going on from c.json: ") && err.contains(" after 3 iterations"), "{err}");
    let (_, whole, _) = run_lift(&folder, "verify", &CEGAR);
    assert_eq!(rest["invariant"], whole["invariant"], "as without interruption");
    let iterations = |object: &Value| object["statistics"]["iterations"].as_u64().expect("a number");
    assert_eq!(3 + iterations(&rest), iterations(&whole));
    assert_eq!(folder.read_json("c.json")["iterations"], iterations(&whole));
    // A checkpoint is a file of predicates, too.
    assert_eq!(run_lift(&folder, "abstract", &["--predicates", "c.json"]).1["verdict"], "holds");
}

#[test]
fn a_foreign_checkpoint_is_an_error() {
    let folder = folder(7);
    let args = ["--checkpoint", "c.json", "--max-iterations", "1"];
    run(&folder, &args);
    let ran = run(&folder, &[&args[..], &["--filter", "on"]].concat());
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(ran.err.contains("c.json belongs to another problem: the applicability filter was another"), "{}", ran.err);
    folder.write_json("m.jani", &counter(21, &[property("safe", &never(&compare("≥", "x", 7)))]));
    let ran = run(&folder, &args);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("the input files were others, or have changed"), "{}", ran.err);
    folder.write("c.json", "[1, 2");
    let ran = run(&folder, &args);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("c.json is no checkpoint"), "{}", ran.err);
    assert_eq!(folder.read("c.json"), "[1, 2", "and is left as it was");
}

#[test]
fn every_iteration_is_an_event() {
    let folder = Folder::new();
    let (code, object, err) = run_lift(&folder, "verify", &[&CEGAR[..], &["--events", "e.jsonl"]].concat());
    assert_eq!(code, 0, "{err}");
    let events: Vec<Value> =
        folder.read("e.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().expect("a name")).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("start", "end"));
    let iterations: Vec<&Value> = events.iter().filter(|event| event["event"] == "iteration").collect();
    assert_eq!(json!(iterations.len()), object["statistics"]["iterations"]);
    let mut predicates = None;
    for (index, event) in iterations.iter().enumerate() {
        assert_eq!(event["iteration"], index + 1);
        assert!(event["seconds"].is_number() && event["iteration_seconds"].is_number(), "{event}");
        let (added, now) = (event["added"].as_array().expect("a list").len(), event["predicates"].as_u64());
        if let (Some(before), Some(now)) = (predicates, now) {
            assert_eq!(before + added as u64, now, "{event}");
        }
        predicates = now;
    }
    let refined = &iterations[..iterations.len() - 1];
    assert!(refined.iter().all(|event| event["path"].is_u64() && event["step"].is_u64()), "{refined:?}");
    assert!(refined.iter().any(|event| event["cause"] == "policy"), "{refined:?}");
    assert_eq!(iterations[iterations.len() - 1]["path"], Value::Null, "in the end there is no path");
    assert_eq!(events[events.len() - 1]["verdict"], "holds");
}
