//! `decide`: questions at the edge of what can be asked, and advice for those that cannot.

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

#[test]
fn errors_have_advice() {
    let folder = folder();
    let digits = format!("0.{}", "1".repeat(5001));
    let with = |member: &str| format!(r#"{{"box": [[0, 1], [0, 1]], {member}}}"#);
    let bounded = |end: &str| format!(r#"{{"box": [[0, 1], [0, {end}]], "label": 0}}"#);
    let indexed =
        |key: &str| with(&format!(r#""label": 0, "constraints": [{{"coeffs": {{{key}: 1}}, "op": "<=", "rhs": 1}}]"#));
    for (text, message, help) in [
        (with(r#""label": "up""#), "expected the label as a number", "the network has 2 outputs, counted from 0"),
        (with(r#""label": 0, "integer": 1"#), "true or false, or an array", "one truth value per input"),
        (with(r#""label": 0, "integer": [1, 2]"#), "expected true or false", "one truth value per input"),
        (with(r#""label": 0, "integer": [true]"#), "1 truth value is listed\n", "one truth value per input"),
        (with(r#""label": 0, "ties": 1"#), "\"any\" or \"first\"", "every maximal output"),
        (with(r#""outputs": [], "ties": "any""#), "means nothing without", "remove it, or give the \"label\""),
        (r#"{"box": 3, "label": 0}"#.to_owned(), "expected the box as an array", "give [smallest, largest]"),
        (r#"{"box": [1, 2], "label": 0}"#.to_owned(), "expected an interval", "give [smallest, largest]"),
        (with(r#""label": 0, "verdict": "maybe""#), "\"maybe\" is no answer", "\"sat\", \"unsat\" or \"unknown\""),
        (with(r#""label": 0, "verdict": 1"#), "1 is no answer", "\"sat\", \"unsat\" or \"unknown\""),
        (indexed("\"00\""), "\"00\" is no index: the network has 2 inputs\n", "from \"0\" to \"1\""),
        (indexed("\"+0\""), "\"+0\" is no index", "from \"0\" to \"1\""),
        (indexed("\"0\": 1, \"00\""), "\"00\" is no index", "from \"0\" to \"1\""),
        (bounded(&digits), "more than 5000 digits after the point\n", "round the number"),
        (bounded(&format!("\"{digits}\"")), "more than 5000 digits after the point\n", "round the number"),
        (bounded("1e99999999999999999999"), "99 is beyond 5000\n", "a smaller exponent"),
        (bounded("\"1e999999999\""), "the exponent of 1e999999999 is beyond 5000\n", "a smaller exponent"),
        (bounded("\"1/0\""), "1/0 has the denominator zero\n", "divide by another number"),
        (bounded("true"), "expected a number, or a fraction", "numbers are written like"),
    ] {
        let ran = ask(&folder, "q.json", &text);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{text}: {}", ran.err);
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
        assert!(ran.err.split_once("\nhelp: ").is_some_and(|(_, rest)| rest.contains(help)), "{help}: {}", ran.err);
    }
    for verdict in ["\"sat\"", "\"unsat\"", "\"unknown\"", "\"timeout\"", "null"] {
        let ran = ask(&folder, "q.json", &with(&format!(r#""label": 0, "verdict": {verdict}"#)));
        assert_eq!((ran.code, ran.err.contains("the file expects")), (0, verdict == "\"unsat\""), "{}", ran.err);
    }
    let ran = ask(&folder, "p.vnnlib", "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= 0 X_0 1))");
    for part in ["1 input and 1 output, but", " --> p.vnnlib:1:16\n", "help: declare all inputs and outputs"] {
        assert!(ran.code == 2 && ran.err.contains(part), "{}", ran.err);
    }
}
