//! Certificates: written, checked at once and later, refused by name.

mod common;

use common::{Folder, Ran, compare, counter_folder};
use serde_json::json;

const POLICY: [&str; 2] = ["--policy", "counter.policy.json"];

fn verify(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&["verify", "m.jani"][..], &POLICY, more].concat())
}

fn certify(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&["certify", "c.cert", "m.jani"][..], &POLICY, more].concat())
}

#[test]
fn a_violation_has_a_certificate() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = verify(&folder, &["--certificate", "c.cert", "--certify", "--json", "r.json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let first = ran.out.lines().next().unwrap_or_default();
    assert!(first.starts_with("violated: ") && first.ends_with(" bytes, confirmed by the checker)"), "{first}");
    let result = folder.read_json("r.json");
    let record = &result["certificate"];
    assert_eq!((&record["file"], &record["checked"], &record["states"]), (&json!("c.cert"), &json!(true), &json!(5)));
    let bytes = std::fs::metadata(folder.path().join("c.cert")).expect("the file is there").len();
    assert_eq!(record["bytes"], json!(bytes));
    let ran = certify(&folder, &["--json", "o.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("accepted: violated: a run reaches the target (property '"), "{}", ran.out);
    let opinion = folder.read_json("o.json");
    assert_eq!(
        (&opinion["accepted"], &opinion["confirmed"], &opinion["verdict"]),
        (&json!(true), &json!("violated"), &json!(null))
    );
}

#[test]
fn proofs_of_all_engines_have_certificates() {
    let folder = counter_folder(9, &compare(">", "x", 9));
    for engine in ["explicit", "cegar", "bmc", "auto"] {
        let ran = verify(&folder, &["--engine", engine, "--certificate", "c.cert", "--certify", "--json", "r.json"]);
        assert_eq!(ran.code, 0, "{engine}: {}", ran.err);
        let first = ran.out.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("holds: ") && first.ends_with(" bytes, confirmed by the checker)"),
            "{engine}: {first}"
        );
        let record = folder.read_json("r.json")["certificate"].clone();
        assert!(record["regions"] != json!(0) || record["states"] != json!(0), "{engine}: {record}");
        let ran = certify(&folder, &[]);
        assert_eq!(ran.code, 0, "{engine}: {}", ran.err);
        assert!(ran.out.starts_with("accepted: holds: no run reaches the target (property '"), "{engine}: {}", ran.out);
    }
    let predicates = json!([compare("≥", "x", 5), compare(">", "x", 9)]);
    folder.write_json("p.json", &predicates);
    let ran = folder.run(&[&["abstract", "m.jani", "--predicates", "p.json", "--certify"][..], &POLICY].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.lines().next().is_some_and(|line| line.ends_with("confirmed by the checker)")), "{}", ran.out);
}

#[test]
fn nothing_stays_behind_of_what_is_only_checked() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let before = std::fs::read_dir(folder.path()).expect("a folder").count();
    let ran = verify(&folder, &["--certify"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.lines().next().is_some_and(|line| line.ends_with("confirmed by the checker)")), "{}", ran.out);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), before);
    assert!(!verify(&folder, &[]).out.contains("certificate"));
}

#[test]
fn a_certificate_is_about_its_files_and_options() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    assert_eq!(verify(&folder, &["--certificate", "c.cert"]).code, 1);
    let rejected = |ran: Ran, why: &str| {
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.starts_with(&format!("rejected: {why}")), "{}", ran.out);
    };
    rejected(certify(&folder, &["--filter", "on"]), "the index: semantics, filter");
    rejected(
        folder.run(&["certify", "c.cert", "m.jani"]),
        "the index: inputs: the certificate is about a file that was not read",
    );
    let model = folder.read("m.jani");
    folder.write("m.jani", &format!("{model} "));
    rejected(certify(&folder, &[]), "the index: inputs: the certificate is about other files");
}

#[test]
fn what_is_no_certificate_is_unreadable() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    assert_eq!(verify(&folder, &["--certificate", "c.cert"]).code, 1);
    let path = folder.path().join("c.cert");
    let bytes = std::fs::read(&path).expect("the file is there");
    for (broken, expected) in [
        (&bytes[..bytes.len() / 2], "cannot be read on"),
        (&bytes[..bytes.len() - 1], "cannot be read on"),
        (&[][..], "line 1: the index was expected"),
        (b"{}", "line 1: the index was expected"),
    ] {
        std::fs::write(&path, broken).expect("it can be written");
        let ran = certify(&folder, &[]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("the certificate c.cert cannot be read") && ran.err.contains(expected), "{}", ran.err);
    }
}

#[test]
fn there_are_none_as_plaja_has_it_and_none_over_inputs() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = verify(&folder, &["--certify", "--plaja-compat"]);
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(ran.err.contains("there are no certificates under --plaja-compat"), "{}", ran.err);
    for (path, expected) in
        [("m.jani", "would overwrite the input"), ("nowhere/c", "there is no folder"), ("-", "cannot be -")]
    {
        let ran = verify(&folder, &["--certificate", path]);
        assert_eq!((ran.code, &*ran.out), (2, ""));
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
}

#[test]
fn a_certificate_that_cannot_be_written_is_told() {
    for (reach, code) in [(6, 1), (20, 0)] {
        let folder = counter_folder(9, &compare("=", "x", reach));
        let mut policy = folder.read_json("counter.policy.json");
        policy["semantics"] = json!("float32");
        folder.write_json("counter.policy.json", &policy);
        for asked in [&["--certify"][..], &["--certificate", "c.cert"]] {
            let ran = verify(&folder, &[asked, &["--engine", "explicit", "--json", "r.json", "--quiet"]].concat());
            assert_eq!(ran.code, code, "{}", ran.err);
            let mut lines = ran.out.lines();
            assert!(lines.next().is_some_and(|line| line.ends_with(" (no certificate)")), "{}", ran.out);
            let told = "  evidence  no certificate was written, and nothing checked: ";
            assert!(lines.next().is_some_and(|line| line.starts_with(told)), "{}", ran.out);
            let object = folder.read_json("r.json");
            assert!(
                object["no_certificate"].as_str().is_some_and(|why| why.contains("networks of ReLUs over the reals")),
                "{object}"
            );
            assert!(object.get("certificate").is_none(), "{object}");
            assert!(!folder.path().join("c.cert").exists());
        }
        let ran = verify(&folder, &["--engine", "explicit", "--json", "r.json"]);
        assert!(!ran.out.contains("certificate") && folder.read_json("r.json").get("no_certificate").is_none());
    }
    // Where nothing was decided there is nothing to certify.
    let folder = counter_folder(9, &compare("=", "x", 20));
    let ran = verify(&folder, &["--certify", "--time-limit", "0", "--json", "r.json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(folder.read_json("r.json")["no_certificate"], "nothing was decided");
}

#[test]
fn bounds_have_certificates() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let bounds = |more: &[&str]| folder.run(&[&["bounds", "m.jani"][..], &POLICY, more].concat());
    let ran = bounds(&["--certificate", "c.cert", "--certify", "--json", "r.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.lines().next().is_some_and(|line| line.ends_with("confirmed by the checker)")), "{}", ran.out);
    assert_eq!(folder.read_json("r.json")["certificate"]["checked"], json!(true));
    let ran = certify(&folder, &["--json", "o.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("accepted: the probability is at most 1 from every start state"), "{}", ran.out);
    let opinion = folder.read_json("o.json");
    assert_eq!((&opinion["claim"], &opinion["confirmed"]), (&json!("bounded"), &json!(null)));
    // A comparison is confirmed, and other files are rejected.
    let ran = bounds(&["--p-max", "1/2", "--certificate", "c.cert"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = certify(&folder, &[]);
    assert!(
        ran.code == 0 && ran.out.starts_with("accepted: violated (≤ 1/2): the probability is at least"),
        "{}",
        ran.out
    );
    let model = folder.read("m.jani");
    folder.write("m.jani", &format!("{model} "));
    let ran = certify(&folder, &[]);
    assert!(ran.code == 1 && ran.out.starts_with("rejected: the index: inputs"), "{}", ran.out);
    // What is left of a file is no certificate.
    let path = folder.path().join("c.cert");
    let bytes = std::fs::read(&path).expect("the file is there");
    std::fs::write(&path, &bytes[..bytes.len() - 9]).expect("it can be written");
    let ran = certify(&folder, &[]);
    assert!(ran.code == 2 && ran.err.contains("the archive is damaged"), "{}", ran.err);
}
