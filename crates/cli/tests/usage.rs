//! Use and misuse: options, exit codes, closed pipes, `check`.

mod common;

use std::io::Read;
use std::process::Stdio;

use common::{Folder, compare, counter, counter_folder, filter, never, property, quantified, write_policy};
use serde_json::json;

#[test]
fn wrong_use_ends_with_two() {
    let folder = counter_folder(5, &compare("=", "x", 5));
    let cases: [(&[&str], &str); 22] = [
        (&[], "Usage"),
        (&["frobnicate"], "frobnicate"),
        (&["certify", "m.jani"], "certify"),
        (&["verify"], "<MODEL>"),
        (&["verify", "m.jani", "--max-depth", "3"], "--max-depth is for --engine bmc"),
        (&["verify", "m.jani", "--oracle", "z3"], "--oracle is for --engine cegar or bmc"),
        (&["abstract", "m.jani", "--python", "python3"], "--python is for --oracle"),
        (&["bounds", "m.jani", "--engine", "bmc"], "it cannot bound probabilities"),
        (&["bounds", "m.jani", "--engine", "cegar", "--exact"], "--exact needs all states"),
        (&["verify", "m.jani", "--preset", "explain"], "--preset is for --engine cegar"),
        (&["verify", "m.jani", "--engine", "cegar", "--preset", "x"], "there is no preset 'x': use one of explain, "),
        (&["verify", "m.jani", "--engine", "cegar", "--epsilon", "0.5"], "--epsilon is for the preset verix"),
        (&["verify", "m.jani", "--engine", "cegar", "--relaxed-check"], "--relaxed-check is for presets with verix"),
        (&["verify", "m.jani", "--engine", "x"], "there is no engine 'x'"),
        (&["verify", "m.jani", "--const", "N"], "is not of the form NAME=VALUE"),
        (&["verify", "m.jani", "--const", "N=1"], "the model has no constant 'N'"),
        (&["verify", "m.jani", "--time-limit", "-1"], "--time-limit"),
        (&["verify", "m.jani", "--time-limit", "nan"], "not a number of seconds"),
        (&["verify", "m.jani", "--threads", "0"], "1 to 1024"),
        (&["verify", "m.jani", "--property", "sfae"], "did you mean 'safe'?"),
        (&["verify", "m.jani", "--property", "1"], "there is no property 1"),
        (&["verify", "gone.jani"], "cannot read gone.jani"),
    ];
    for (args, expected) in cases {
        let ran = folder.run(args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]);
    assert_eq!(help.code, 0);
    for command in [
        "check", "explore", "simulate", "verify", "bounds", "abstract", "ctl", "decide", "induce", "encode", "replay",
        "certify", "diff", "zoo",
    ] {
        assert!(help.out.contains(command));
        assert_eq!(folder.run(&[command, "--help"]).code, 0);
    }
    let version = folder.run(&["--version"]);
    assert_eq!((version.code, &*version.out), (0, concat!(env!("CARGO_PKG_VERSION"), "\n")));
    assert!(folder.run(&["-V"]).out.starts_with("surefoot "));
    assert_eq!(folder.run(&["--name"]).out, "Surefoot\n");
}

#[test]
fn several_properties_need_a_choice() {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(5, &[property("a", &never(&compare("=", "x", 5)))]));
    folder.write_json("more.jani", &json!({"properties": [property("b", &never(&compare(">", "x", 5)))]}));
    let both = ["verify", "m.jani", "--properties", "more.jani"];
    let ran = folder.run(&both);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there are 2 properties") && ran.err.contains("0: a, 1: b"), "{}", ran.err);
    for (choice, code) in [("a", 1), ("0", 1), ("b", 0), ("1", 0)] {
        assert_eq!(folder.run(&[&both[..], &["--property", choice]].concat()).code, code);
    }
}

#[test]
fn plaja_spellings_are_understood() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    folder.write_json("more.jani", &json!({"properties": [property("b", &never(&compare(">", "x", 9)))]}));
    let args = ["verify", "--model-file", "m.jani", "--additional-properties", "more.jani", "--prop", "0"];
    assert_eq!(folder.run(&args).code, 1);
    assert_eq!(folder.run(&[&args[..], &["--nn-interface", "counter.policy.json"]].concat()).code, 0);
    assert_eq!(folder.run(&[&args[..], &["m.jani"]].concat()).code, 2, "one model");
}

#[test]
fn a_reader_who_leaves_changes_nothing() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    for json in [&[][..], &["--json", "-"]] {
        let args = [&["verify", "m.jani"], json].concat();
        let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut err).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(1), "{err}");
        assert!(!err.contains("panicked") && !err.contains("internal error"), "{err}");
    }
    let mut child = folder.command(&["--help"]).stdout(Stdio::piped()).spawn().expect("it runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = counter_folder(9, &compare(">", "x", 9));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let output = folder.command(&["verify", "m.jani"]).stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "a verdict that nobody can read is no success");
}

#[test]
fn check_reports_what_there_is() {
    let folder = Folder::new();
    write_policy(&folder);
    let five = compare("=", "x", 5);
    let mut with_policy = never(&five);
    with_policy["file"] = json!("counter.policy.json");
    let properties = [
        property("safe", &with_policy),
        property("likely", &filter("max", &quantified("Pmax", "F", &five))),
        property("always", &filter("∀", &quantified("∀", "G", &five))),
    ];
    folder.write_json("m.jani", &counter(5, &properties));
    let ran = folder.run(&["check", "m.jani"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("readable\n"), "{}", ran.out);
    for expected in [
        "counter (mdp)",
        "1: x int 0..5",
        "3: up, down, jump",
        "3 edges, 3 synchronisation vectors, 3 operators",
        "0: safe (PA; verify: explicit, cegar, bmc; bounds: explicit, cegar)",
        "1: likely (filter; bounds: explicit, cegar)",
        "2: always (filter; verify: explicit, cegar, bmc)",
        "counter.policy.json: filter off, ties first",
        "network net.nnet: 1 -> 2",
    ] {
        assert!(ran.out.contains(expected), "{expected}: {}", ran.out);
    }
    let (code, object) = folder.run_json(&["check", "m.jani"]);
    assert_eq!((code, &object["verdict"], &object["readable"]), (0, &json!(null), &json!(true)));
    assert_eq!(object["model"]["variables"], json!([{"name": "x", "domain": "int 0..5"}]));
    assert_eq!(object["properties"][1]["supported"], true);
    assert_eq!(object["policies"][0]["networks"][0]["outputs"], 2);
}

#[test]
fn check_lists_undefined_constants() {
    let folder = Folder::new();
    let mut model = counter(5, &[property("safe", &never(&compare("=", "x", "N")))]);
    model["constants"] = json!([{"name": "N", "type": "int"}]);
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["check", "m.jani"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("readable, but 1 constant without a value\n"), "{}", ran.out);
    assert!(ran.out.contains("N (int)") && ran.out.contains("--const N=..."), "{}", ran.out);
    let (_, object) = folder.run_json(&["check", "m.jani"]);
    assert_eq!(object["undefined_constants"], json!([{"name": "N", "type": "int"}]));
    assert_eq!(folder.run(&["verify", "m.jani"]).code, 2);
    assert_eq!(folder.run(&["verify", "m.jani", "--const", "N=5"]).code, 1);
    assert_eq!(folder.run(&["verify", "m.jani", "--const", "N=-1"]).code, 0);
}

#[test]
fn check_tells_what_is_wrong() {
    let folder = Folder::new();
    let mut model = counter(5, &[]);
    model["automata"][0]["edges"][1]["gaurd"] = json!({"exp": true});
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["check", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.out.starts_with("not readable: 1 error\n"), "{}", ran.out);
    assert!(ran.err.contains("an edge has no member \"gaurd\""), "{}", ran.err);
    let ran = folder.run(&["check", "m.jani", "--json", "-", "--quiet"]);
    assert_eq!(ran.code, 2);
    let object: serde_json::Value = serde_json::from_str(&ran.out).expect("an object");
    assert_eq!((&object["readable"], &object["diagnostics"][0]["line"]), (&json!(false), &json!(1)));
    // A property with an unknown name is wrong; a policy that is not there too.
    let mut missing = never(&compare("=", "x", 5));
    missing["file"] = json!("gone.policy.json");
    folder.write_json("m.jani", &counter(5, &[property("a", &never(&compare("=", "y", 5))), property("b", &missing)]));
    let ran = folder.run(&["check", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("'y'") && ran.err.contains("gone.policy.json does not exist"), "{}", ran.err);
}
