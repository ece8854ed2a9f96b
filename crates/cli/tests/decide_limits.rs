//! `decide`: questions at the edge of what can be asked.

mod common;

use common::{Folder, Ran};

/// Two inputs; outputs `x + y` and `2`.
const NET: &str = "1,2,2,2,\n2,2,\n0,\n-9,-9,\n9,9,\n0,0,0,\n1,1,1,\n1,1,\n0,0,\n0,\n2,\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("net.nnet", NET);
    folder
}

fn ask(folder: &Folder, file: &str, text: &str) -> Ran {
    folder.write(file, text);
    folder.run(&["decide", file, "--network", "net.nnet", "--time-limit", "20"])
}

const DECLARED: &str = "(declare-const X_0 Real)\n(declare-const X_1 Real)\n(declare-const Y_0 Real)\n\
    (declare-const Y_1 Real)\n(assert (= X_1 0))\n";

#[test]
fn bounds_too_large_are_refused_at_their_interval() {
    let folder = folder();
    for (first, second, integer, place) in [
        ("[1152921504606846976, 1152921504606846986]", "[0, 0]", true, "box[0]"),
        ("[9007199254740993, 9007199254740993]", "[0, 0]", true, "box[0]"),
        ("[0, 0]", "[-9007199254740993, 0]", true, "box[1]"),
        ("[0, 1e400]", "[0, 0]", false, "box[0]"),
        ("[0, 0]", "[-1e400, 0]", false, "box[1]"),
        ("[0, 1.8e308]", "[0, 0]", false, "box[0]"),
        ("[0, 1e5000]", "[0, 0]", false, "box[0]"),
        ("[0, 1e400]", "[0, 0]", true, "box[0]"),
    ] {
        let text = format!(r#"{{"box": [{first}, {second}], "integer": {integer}, "label": 0}}"#);
        let ran = ask(&folder, "q.json", &text);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{text}: {}", ran.err);
        let (input, most) = (&place[4..5], if integer { "-2^53 and 2^53" } else { "-1e300 and 1e300" });
        for part in [&format!("the bounds of input {input} are too large"), most, &format!("= at {place}\n"), "help: "]
        {
            assert!(ran.err.contains(part), "{text}: {}", ran.err);
        }
    }
}

#[test]
fn bounds_too_large_are_refused_at_their_declaration() {
    let folder = folder();
    for most in ["1e400", "1.8e308", "1e5000"] {
        let text = format!("{DECLARED}(assert (<= 0 X_0 {most}))\n(assert (>= Y_0 Y_1))\n");
        let ran = ask(&folder, "p.vnnlib", &text);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{most}: {}", ran.err);
        for part in ["the bounds of X_0 are too large", "-1e300 and 1e300", " --> p.vnnlib:1:16\n", "help: "] {
            assert!(ran.err.contains(part), "{most}: {}", ran.err);
        }
    }
}

#[test]
fn the_largest_bounds_are_answered() {
    let folder = folder();
    let most = "9007199254740992";
    let text = format!(r#"{{"box": [[{most}, {most}], [0, 0]], "label": 0}}"#);
    let ran = ask(&folder, "q.json", &text);
    assert_eq!((ran.code, ran.out), (0, format!("sat [{most}, 0]\n")), "{}", ran.err);
    let text = r#"{"box": [[1e300, 1e300], [0, 0]], "integer": false, "label": 1}"#;
    let ran = ask(&folder, "q.json", text);
    assert_eq!((ran.code, &*ran.out), (0, "unsat\n"), "{}", ran.err);
}

#[test]
fn boxes_with_nothing_in_them_are_unsat_with_a_notice() {
    let folder = folder();
    for (first, second, place, odd) in [
        ("[3, 1]", "[0, 1]", "box[0]", "the smallest value of input 0 is larger than the largest one"),
        ("[0, 1]", "[0.2, 0.8]", "box[1]", "input 1 is an integer, but none is in its interval"),
    ] {
        let query = format!(r#"{{"box": [{first}, {second}], "label": 1}}"#);
        for (text, name, place) in [
            (query.clone(), "notice: ", place.to_owned()),
            (
                format!(r#"[{{"box": [[0, 0], [0, 0]], "label": 1}}, {query}]"#),
                "notice: query 1: ",
                format!("[1].{place}"),
            ),
        ] {
            folder.write("q.json", &text);
            let ran = folder.run(&["decide", "q.json", "--network", "net.nnet", "--json", "r.json"]);
            assert_eq!((ran.code, ran.out.lines().last()), (0, Some("unsat")), "{text}: {}", ran.err);
            assert!(ran.err.contains(&format!("{name}{odd}")), "{text}: {}", ran.err);
            assert!(ran.err.contains(&format!("= at {place}\n")), "{text}: {}", ran.err);
            let answers = folder.read_json("r.json")["answers"].as_array().expect("answers").clone();
            let notices: Vec<Option<&str>> = answers.iter().map(|answer| answer["notice"].as_str()).collect();
            assert!(notices.last().copied().flatten().is_some_and(|notice| notice.contains(odd)), "{notices:?}");
            assert!(notices.len() == 1 || notices[0].is_none(), "{notices:?}");
        }
    }
    let text = format!("{DECLARED}(assert (<= 2 X_0 1))\n(assert (>= Y_0 Y_1))\n");
    let ran = ask(&folder, "p.vnnlib", &text);
    assert_eq!((ran.code, &*ran.out), (0, "unsat\n"), "{}", ran.err);
    assert!(ran.err.contains("notice: the bounds of X_0 contradict each other"), "{}", ran.err);
    assert!(ran.err.contains(" --> p.vnnlib:1:16\n"), "{}", ran.err);
}
