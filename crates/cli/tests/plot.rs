//! `zoo plot`: tables as charts, and what is no table or cannot be drawn.

mod common;

use common::Folder;
use serde_json::json;

const RUNS: &str =
    "engine,size,seconds,peer_ms,lower,upper\nours,1,0.25,2000,0.1,0.4\nours,2,0.5,-,0.2,0.3\ntheirs,1,3,,0,1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("runs.csv", RUNS);
    folder
}

#[test]
fn each_kind_draws_a_file() {
    let folder = folder();
    let kinds: [(&str, &[&str], usize); 4] = [
        ("cactus", &["--y", "seconds", "--by", "engine", "--limit", "2"], 0),
        ("scatter", &["--x", "ours=seconds", "--y", "peer=peer_ms", "--limit", "20"], 1),
        ("growth", &["--x", "size", "--y", "seconds", "--by", "engine", "--threshold", "1"], 0),
        ("band", &["--x", "size", "--lower", "lower", "--upper", "upper", "--where", "engine=ours"], 0),
    ];
    for (kind, options, left_out) in kinds {
        let out = format!("{kind}.svg");
        let args = [&["zoo", "plot", kind, "runs.csv", "--title", "<a> & b", "--out", &out], options].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.code, 0, "{kind}: {}", ran.err);
        assert!(ran.out.starts_with("done: drew ") && ran.out.contains(&format!("in {out}\n")), "{}", ran.out);
        let first = folder.read(&out);
        assert!(
            first.starts_with("<svg ") && first.contains(">&lt;a&gt; &amp; b</text>") && !first.contains("NaN"),
            "{first}"
        );
        let (code, object) = folder.run_json(&args);
        assert_eq!((code, &object["command"], &object["kind"]), (0, &json!("zoo plot"), &json!(kind)), "{object}");
        assert_eq!((&object["file"], &object["left_out"]), (&json!(out), &json!(left_out)), "{object}");
        assert_eq!(folder.read(&out), first, "{kind}: other bytes");
    }
    let (_, object) = folder.run_json(&[
        "zoo", "plot", "cactus", "runs.csv", "--y", "seconds", "--by", "engine", "--limit", "2", "--out", "c.svg",
    ]);
    assert_eq!(object["series"], json!([{"name": "ours", "points": 2}, {"name": "theirs", "points": 0}]));
    assert!(object["description"].as_str().expect("words").contains("ours, 2 points"), "{object}");
}

#[test]
fn what_cannot_be_drawn_is_told_with_its_place() {
    let folder = folder();
    folder.write("nan.csv", "x,y\n1,2\n2,NaN\n");
    folder.write("short.csv", "x,y\n1,2\n2\n");
    folder.write("zero.csv", "x,y\n1,0\n");
    folder.write("empty.csv", "");
    std::fs::write(folder.path().join("bytes.csv"), b"x,y\n1,\xff\n").expect("a file");
    let growth: &[&str] = &["--x", "x", "--y", "y"];
    let cases: [(&str, &str, &[&str], &str); 10] = [
        ("growth", "nan.csv", growth, "error: nan.csv, line 3, column \"y\": \"NaN\" is no finite number"),
        ("growth", "short.csv", growth, "error: short.csv, line 3: the row has 1 cells, but there are 2 columns"),
        ("growth", "zero.csv", growth, "error: zero.csv, line 2, column \"y\": 0 has no place on a logarithmic axis"),
        ("growth", "empty.csv", growth, "error: empty.csv: there is no line of names"),
        ("growth", "bytes.csv", growth, "error: bytes.csv, line 2: this is no UTF-8"),
        ("growth", "gone.csv", growth, "cannot read gone.csv"),
        (
            "growth",
            "runs.csv",
            growth,
            "error: runs.csv, line 1: there is no column \"x\"\nhelp: columns are: engine, size",
        ),
        ("scatter", "runs.csv", &["--x", "size"], "a scatter plot needs a column for x and one for y"),
        ("band", "runs.csv", &["--x", "size", "--lower", "lower"], "--upper"),
        ("pie", "runs.csv", &[], "pie"),
    ];
    for (kind, file, options, expected) in cases {
        let ran = folder.run(&[&["zoo", "plot", kind, file, "--out", "no.svg"], options].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{kind} {file}: {}", ran.err);
        assert!(ran.err.contains(expected), "{kind} {file}: {}", ran.err);
    }
    assert!(!folder.path().join("no.svg").exists());
}

#[test]
fn the_table_is_not_written_over() {
    let folder = folder();
    let plot = ["zoo", "plot", "cactus", "runs.csv", "--y", "seconds"];
    for more in [
        &["--out", "./runs.csv"][..],
        &["--out", "a.svg", "--json", "runs.csv"],
        &["--out", "a", "--json", "a"],
        &["--out", "-"],
    ] {
        let ran = folder.run(&[&plot, more].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{more:?}: {}", ran.err);
    }
    assert_eq!(folder.read("runs.csv"), RUNS);
}
