//! `verify`, `check` and `supports` as the VNN-LIB standard has them.

mod common;

use std::io::Write;

use common::Folder;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Two inputs, outputs `x0 - x1` and `x0 + x1`.
const NET: &str = "//\n1,2,2,2,\n2,2,\n0,\n-9,-9,\n9,9,\n0,0,0,\n1,1,1,\n1,-1,\n1,1,\n0,\n0,\n";

const DECLARED: &str = "(vnnlib-version <2.0>)
(declare-network f (declare-input X real [1,2]) (declare-output Y real [2]))
";
const BOX: &str = "(assert (and (>= X[0,0] 0.0) (<= X[0,0] 1.0)))
(assert (and (>= X[0,1] 0.0) (<= X[0,1] 1.0)))
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("n.nnet", NET);
    folder.write("sat.vnnlib", &format!("{DECLARED}{BOX}(assert (>= Y[0] 1.0))"));
    folder.write("unsat.vnnlib", &format!("{DECLARED}{BOX}(assert (> Y[1] 2.0))"));
    folder
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("in memory");
    encoder.finish().expect("in memory")
}

#[test]
fn answers_have_the_form_of_the_standard() {
    let folder = folder();
    let run = |query: &str| folder.run(&["verify", query, "--network", "f=n.nnet", "--timeout", "20"]);
    let sat = run("sat.vnnlib");
    assert_eq!((sat.code, &*sat.out), (0, "sat\nX real [1,2]\n1\n0\nY real [2]\n1\n1\n"), "{}", sat.err);
    let unsat = run("unsat.vnnlib");
    assert_eq!((unsat.code, &*unsat.out), (0, "unsat\n"), "{}", unsat.err);
    let one = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)
        (assert (<= 0.5 X_0 0.5))(assert (<= 0.1 X_1 0.1))";
    folder.write("one.vnnlib", one);
    let ran = run("one.vnnlib");
    assert!(ran.out.starts_with("sat\n((X_0 0.5)\n (X_1 0.1)\n (Y_0 0.4)\n"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("holds in exact decimals"), "{}", ran.err);
}

#[test]
fn packed_files_are_read() {
    let folder = folder();
    let query = folder.read("sat.vnnlib");
    std::fs::write(folder.path().join("q.vnnlib.gz"), packed(&query)).expect("written");
    std::fs::write(folder.path().join("n.nnet.gz"), packed(NET)).expect("written");
    std::fs::write(folder.path().join("bad.vnnlib.gz"), query.as_bytes()).expect("written");
    for (query, network) in [("q.vnnlib.gz", "n.nnet"), ("sat.vnnlib", "n.nnet.gz"), ("q.vnnlib.gz", "n.nnet.gz")] {
        let ran = folder.run(&["verify", query, "--network", network]);
        assert!(ran.code == 0 && ran.out.starts_with("sat\nX real"), "{}{}", ran.out, ran.err);
    }
    let ran = folder.run(&["verify", "bad.vnnlib.gz", "--network", "n.nnet"]);
    assert!(ran.code == 2 && ran.err.contains("no complete gzip file") && ran.err.contains("help:"), "{}", ran.err);
}

#[test]
fn wrong_use_of_networks_ends_with_two() {
    let folder = folder();
    let pair = "(declare-network g (equal-to f) (declare-input A real [1,2]) (declare-output B real [2]))";
    folder.write("pair.vnnlib", &format!("{DECLARED}{pair}{BOX}(assert (and (== A[0,0] 0.5) (== A[0,1] 0.5)))"));
    folder.write("float.vnnlib", &format!("{DECLARED}{BOX}").replace("real", "float32"));
    for (args, message) in [
        (&["sat.vnnlib"][..], "--network"),
        (&["sat.vnnlib", "--network", "g=n.nnet"], "is about a network f, not g"),
        (&["sat.vnnlib", "--network", "f=n.nnet", "--network", "g=n.nnet"], "not g"),
        (&["pair.vnnlib", "--network", "f=n.nnet", "--network", "g=n.nnet"], "no file is needed for g"),
        (&["float.vnnlib", "--network", "f=n.nnet"], "float32 arithmetic is not supported"),
        (&["sat.vnnlib", "--network", "f=n.nnet", "--engine", "cegar"], "`surefoot verify QUERY.vnnlib` has no option"),
        (&["sat.vnnlib", "--network", "f=n.nnet", "--timeout", "x"], "not a number of seconds"),
    ] {
        let ran = folder.run(&[&["verify"], args].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
    }
    assert_eq!(folder.run(&["verify", "pair.vnnlib", "--network", "f=n.nnet"]).code, 0);
}

#[test]
fn check_finds_what_is_odd() {
    let folder = folder();
    let check = |conditions: &str, network: bool| {
        folder.write("q.vnnlib", &format!("{DECLARED}{conditions}"));
        folder.run(&[&["check", "q.vnnlib"][..], if network { &["--network", "f=n.nnet"] } else { &[] }].concat())
    };
    let ran = check(&format!("{BOX}(assert (>= Y[0] (* X[0,0] X[0,1])))"), true);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert!(ran.out.starts_with("readable\n  query     VNN-LIB 2.0, 2 inputs, 2 outputs, 1 product\n"), "{}", ran.out);
    assert!(
        ran.out.contains("  network   f: X [1,2] -> Y [2]\n  file      n.nnet (2 inputs, 2 outputs)"),
        "{}",
        ran.out
    );
    for (conditions, network, place, message) in [
        ("(assert (>= X[0,0] 0.0))(assert (<= Y[0] 1.0))", false, "2:1", "the input X[0,0] has no upper bound"),
        (&format!("{BOX}(assert (>= X[0,1] 1.5))")[..], false, "5:9", "nothing is in the box"),
        (&format!("{BOX}(assert (>= (+ X[0,0] X[0,1]) 2.5))"), false, "5:9", "false all over the box"),
        (&format!("{BOX}(assert (<= X[0,1] 1.5))"), false, "5:9", "true all over the box"),
        (&format!("{BOX}(assert (<= (* X[0,1] X[0,1]) 1.5))"), false, "5:9", "true all over the box"),
        (&format!("{BOX}(assert (or (>= Y[0] 1.0) (>= X[0,0] 2.0)))"), false, "5:27", "this part of an or contradicts"),
        (&format!("{BOX}(assert (or (>= Y[0] 1.0) (>= Y[1] 9.0)))"), true, "5:27", "this part of an or contradicts"),
        (&format!("{BOX}(assert (<= Y[1] 9.0))"), true, "5:9", "true all over the box"),
    ] {
        let ran = check(conditions, network);
        assert!(ran.code == 0 && ran.out.starts_with("readable, with "), "{conditions}: {}{}", ran.out, ran.err);
        let place = format!("q.vnnlib:{place}\n");
        assert!(ran.err.contains(message) && ran.err.contains(&place), "{conditions}: {}", ran.err);
    }
    // Without the network nothing is known of outputs.
    assert_eq!(check(&format!("{BOX}(assert (<= Y[1] 9.0))"), false).err, "");
    let ran = check("(assert (= X[0,0] 1.0))", false);
    assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains("q.vnnlib:3:10"), "{}", ran.err);
    folder.write("wide.nnet", &NET.replacen("1,2,2,2,\n2,2,", "1,2,1,2,\n2,1,", 1).replace("1,1,\n0,\n0,\n", "0,\n"));
    folder.write("q.vnnlib", &format!("{DECLARED}{BOX}"));
    let ran = folder.run(&["check", "q.vnnlib", "--network", "f=wide.nnet"]);
    assert!(ran.code == 2 && ran.err.contains("2 outputs, but wide.nnet has 2 inputs and 1 output"), "{}", ran.err);
}
