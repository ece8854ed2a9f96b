//! `zoo distil`: a decision problem solved, imitated, written, and read again by the domain.

mod common;

use common::Folder;
use serde_json::json;

/// A coarse grid and few updates: about a second.
const FEW: [&str; 13] = [
    "zoo",
    "distil",
    "verticalcas",
    "detail=1",
    "--hidden",
    "10,10",
    "--updates",
    "120",
    "--batch",
    "64",
    "--learning-rate",
    "0.01",
    "--states=300",
];

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).expect("it was written")
}

fn files() -> Vec<String> {
    (1..=9).flat_map(|number| ["nnet", "onnx"].map(|ending| format!("vcas_{number}.{ending}"))).collect()
}

#[test]
fn networks_are_distilled_reproducibly_and_make_a_policy() {
    let folder = Folder::new();
    for (out, threads) in [("a", "1"), ("b", "2")] {
        let more = ["--runs", "300", "--temperature", "0.001", "--out", out, "--threads", threads];
        let (code, object) = folder.run_json(&[&FEW[..], &more].concat());
        assert_eq!((code, &object["command"], &object["folder"]), (0, &json!("zoo distil"), &json!(out)), "{object}");
        assert_eq!((&object["files"], &object["hidden"]), (&json!(files()), &json!([10, 10])));
        let networks = object["networks"].as_array().expect("networks");
        assert_eq!((networks.len(), &networks[8]["name"]), (9, &json!("vcas_9")));
        for network in networks {
            assert_eq!((&network["updates"], &network["states"]), (&json!(120), &json!(300)));
        }
        // Networks that learned nothing are right in one state of nine.
        let same: u64 = networks.iter().filter_map(|network| network["same"].as_u64()).sum();
        assert!(same > 1000, "of 2700: {same}");
        let trial = |system: &str, member: &str| {
            let trials = object["trials"].as_array().expect("trials");
            let found = trials.iter().find(|trial| trial["system"] == system);
            found.and_then(|trial| trial[member].as_u64()).expect("it is there")
        };
        assert_eq!((trial("none", "runs"), trial("none", "alerted_runs")), (300, 0));
        assert!(10 * trial("table", "unsafe_runs") < trial("none", "unsafe_runs"), "{object}");
    }
    for name in files() {
        assert_eq!(bytes(&folder, &format!("a/{name}")), bytes(&folder, &format!("b/{name}")), "{name}");
    }
    // Either format, however units are read: the networks say what they see.
    for number in 1..=9 {
        std::fs::remove_file(folder.path().join(format!("b/vcas_{number}.nnet"))).expect("it is there");
    }
    let mut runs = Vec::new();
    for (networks, units) in [("a", "physical"), ("b", "physical"), ("a", "competition"), ("b", "competition")] {
        let (networks, units) = (format!("networks={networks}"), format!("units={units}"));
        let point = ["h_low=-300", "h_high=-300", "tau=12", "--out", "cas"];
        let ran = folder.run(&[&["zoo", "generate", "verticalcas", &networks, &units], &point[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let files = ["cas/model.jani", "--properties", "cas/properties.jani", "--const", "climb_rate=-22.5"];
        let (code, object) = folder.run_json(&[&["simulate"], &files[..], &["--steps", "12", "--runs", "50"]].concat());
        assert_eq!(code, 0, "{object}");
        // The exact scores of a run as well; only the files have other names.
        runs.push((object["statistics"].clone(), object["witness"].to_string().replace(".nnet", ".onnx")));
    }
    assert!(runs[0].0["runs"] == 50 && runs.iter().all(|run| *run == runs[0]), "{runs:?}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = Folder::new();
    let ran = folder.run(&["zoo", "distil", "racetrack", "--out", "d"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("racetrack has no solution of its own that networks could imitate"), "{}", ran.err);
    let ran = folder.run(&["zoo", "distil", "verticalcas", "pilot=sleepy", "--out", "d"]);
    assert!(ran.code == 2 && ran.err.contains("uniform"), "{}", ran.err);
    let ran = folder.run(&["zoo", "distil", "verticalcas", "detail=1", "--hidden", "0", "--out", "d"]);
    assert!(ran.code == 2 && ran.err.contains("hidden"), "{}", ran.err);
    // Somebody else's networks stay.
    std::fs::create_dir(folder.path().join("others")).expect("a folder");
    folder.write("others/vcas_3.nnet", "// somebody else's\n");
    let ran = folder.run(&[&FEW[..], &["--out", "others"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("vcas_3.nnet is there already, and was not distilled"), "{}", ran.err);
    assert_eq!(folder.read("others/vcas_3.nnet"), "// somebody else's\n");
}

#[test]
fn a_time_limit_leaves_networks_as_they_are() {
    let folder = Folder::new();
    let endless =
        ["zoo", "distil", "verticalcas", "detail=1", "--updates", "1000000000", "--runs", "50", "--states=50"];
    let (code, object) = folder.run_json(&[&endless[..], &["--out", "d", "--time-limit", "4"]].concat());
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")), "{object}");
    let reason = object["reason"].as_str().expect("a reason");
    assert!(reason.contains("of 1000000000 updates; the networks were written as they are"), "{reason}");
    assert!(bytes(&folder, "d/vcas_9.onnx").len() > 1000);
    let (code, object) = folder.run_json(&[&endless[..], &["--out", "e", "--time-limit", "0"]].concat());
    assert_eq!((code, &object["folder"]), (3, &json!(null)), "{object}");
}
