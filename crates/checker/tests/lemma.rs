//! Certificates of questions about a network: some that are accepted, and a table of what is wrong with others.
//!
//! The network has two inputs; output 0 is `max(x0, 0)`, output 1 is 3.

use std::io::{Cursor, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use surefoot_certificate::CertificateLines;
use surefoot_checker::Refused;
use surefoot_checker::lemma::{Lemmas, Unanswerable, judge};
use surefoot_files::Kind;
use surefoot_network::{Activation, Layer, Network};
use surefoot_problem::Source;
use surefoot_text::json::Document;
use surefoot_text::source::SourceMap;

/// Which has no answer: 0, 2, 4, 5, 7, 8; for 6 and 9 there are no lemmas.
fn queries() -> Value {
    let sum = |op: &str, rhs: Value| json!([{"coeffs": {"0": 1, "1": 1}, "op": op, "rhs": rhs}]);
    json!([
        {"box": [[0, 2], [0, 5]], "label": 0},
        {"box": [[0, 3], [0, 5]], "label": 0, "constraints": sum("!=", json!(1))},
        {"box": [[0, 5], [0, 5]], "label": 0, "constraints": sum("<", json!("5/2"))},
        {"box": [[3, 5], [0, 5]], "label": 1, "ties": "any"},
        {"box": [[3, 5], [0, 5]], "label": 1, "ties": "first"},
        {"box": [[0, 5], [0, 1]], "label": 0, "constraints": sum("=", json!(0.5))},
        {"box": [[0, 2], [0, 5]], "label": 0, "integer": [true, false]},
        {"box": [[0.25, 0.75], [0, 5]], "label": 0},
        {"box": [[-5, 3], [0, 0]], "label": 0, "constraints": [{"coeffs": {"0": "1/3"}, "op": "!=", "rhs": 1}]},
        {"box": [[0, 2], [0, 5]], "label": 0, "outputs": [{"coeffs": {"0": 1}, "op": ">=", "rhs": 3}]},
    ])
}

fn read(queries: &Value) -> Lemmas {
    let hidden = Layer::new(2, vec![1.0, 0.0], vec![0.0], Activation::Relu).expect("it can be done");
    let output = Layer::new(1, vec![1.0, 0.0], vec![0.0, 3.0], Activation::Identity).expect("it can be done");
    let network = Arc::new(Network::new(vec![hidden, output]).expect("it can be done"));
    let (mut sources, text) = (SourceMap::default(), queries.to_string());
    let file = Source::text("<queries>", text.as_str()).load(&mut sources, Kind::Query).expect("a text");
    let document = Document::parse(file, &text).expect("JSON");
    Lemmas::read(&document, network, sources.inputs.hashes()).expect("queries")
}

fn index(lemmas: &Lemmas) -> Value {
    serde_json::to_value(lemmas.index("branch-and-bound").expect("an index")).expect("JSON")
}

fn judged(lemmas: &Lemmas, index: &Value, lines: &[&str]) -> Result<Unanswerable, Refused> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(encoder, "{index}\n{}", lines.join("\n")).expect("it can be done");
    let mut lines = CertificateLines::new(Cursor::new(encoder.finish().expect("it can be done")));
    let index = lines.index()?;
    judge(lemmas, &index, lines)
}

/// Trees for the queries that have no answer. The constraints are formulas 0, 1 and 2 (of query 1), 3 (2), 4 and 5 (5), 6, 7 and 8 (8).
const RIGHT: [(usize, &str); 11] = [
    (0, "b1 ."),
    (0, "*"),
    (0, "1<1 b1 . b1 ."),
    (2, "1<2 b1 . f3*1"),
    (2, "1<2 * f3*1/2"),
    (2, "*"),
    (4, "1<3 * b0 ."),
    (4, "1<3 2<0 e . * b0 ."),
    (5, "f4*1,5*1"),
    (7, "."),
    (8, "1<2 ^0.0 b1 . b1 . ."),
];

#[test]
fn lemmas_are_accepted() {
    let lemmas = read(&queries());
    let index = index(&lemmas);
    for (query, tree) in RIGHT {
        let found = judged(&lemmas, &index, &[&format!("q {query} {tree}"), "end 1"]);
        let found = found.map(|shown| shown.queries).map_err(|why| why.to_string());
        assert_eq!(found, Ok(vec![query]), "{query} {tree}");
    }
    let all = [
        "q 0 b1 .",
        "a -3 1:1",
        "! 9",
        "q 2 ?9 f3*1,9*1 b1 g0:10*1 .",
        "q 4 1<3 * b0 .",
        "q 5 .",
        "q 7 .",
        "q 8 1<2 b1 . .",
        "end 6",
    ];
    let shown = judged(&lemmas, &index, &all).expect("all of these have no answer");
    assert_eq!(shown.queries, [0, 2, 4, 5, 7, 8]);
    assert_eq!(shown.says(), "unsat: queries 0, 2, 4, 5, 7, 8 of 10 have no answer");
}

#[test]
fn what_is_no_lemma_is_rejected_for_its_reason() {
    let lemmas = read(&queries());
    let index = index(&lemmas);
    let rows: [(&[&str], &str); 18] = [
        (&["q 0 .", "end 1"], "line 2: query 0: token 1: y0"),
        (&["q 0 b0 .", "end 1"], "query 0: token 2"),
        (&["q 1 b1 .", "end 1"], "query 1: token 2"),
        (&["q 1 *", "end 1"], "y0 (network: edge 0) is chosen"),
        (&["q 3 b0 .", "end 1"], "query 3: token 2"),
        (&["q 3 *", "end 1"], "is chosen"),
        (&["q 4 b1 .", "end 1"], "query 4: token 2"),
        (&["q 2 f3*1", "end 1"], "which is not negative"),
        (&["q 2 f4*1", "end 1"], "formula 4 is not known here"),
        (&["q 0 >0:0 .", "end 1"], "says nothing about a network alone"),
        (&["q 0 =0", "end 1"], "only start states"),
        (&["q 0 e .", "end 1"], "not constant"),
        (&["q 6 b1 .", "end 1"], "there are no certificates for it: it has inputs that are real"),
        (&["q 9 b1 .", "end 1"], "there are no certificates for it: it has conditions on outputs"),
        (&["q 10 b1 .", "end 1"], "there are only 10"),
        (&["q 2 *", "q 0 b1 .", "end 2"], "ascending order"),
        (&["q 7 *", "end 1"], "its box is empty"),
        (&["a 0 1:1", "end 0"], "no query is told"),
    ];
    for (lines, why) in rows {
        let found = judged(&lemmas, &index, lines).expect_err("this is no proof");
        assert!(matches!(found, Refused::Rejected { .. }), "{lines:?}: {found}");
        assert!(found.to_string().contains(why), "{lines:?}: {found}");
    }
    for (lines, why) in [(&["q 0 b1 .", "end 2"], "`end 1` was expected"), (&["o 0 0:0", "end 0"], "not expected here")]
    {
        let found = judged(&lemmas, &index, lines).expect_err("this is no certificate");
        assert!(found.to_string().contains(why), "{lines:?}: {found}");
    }
}

#[test]
fn a_certificate_is_about_its_own_files() {
    let lemmas = read(&queries());
    let rows = [
        ("/claim", json!("unreachable"), "the index: claim"),
        ("/verdict", json!("holds"), "the index: verdict"),
        ("/inputs", json!({"other": "00"}), "the index: inputs"),
        ("/slots/1", json!("x1"), "the index: slots"),
        ("/locations", json!(0), "the index: locations"),
        ("/actions", json!([]), "the index: actions"),
        ("/outputs", json!(["y1", "y0"]), "the index: outputs"),
        ("/constants", json!({"N": "1"}), "the index: constants"),
        ("/property", json!({"index": 0, "name": "nothing"}), "the index: property"),
        ("/semantics/ties", json!("first"), "the index: semantics, ties"),
    ];
    for (place, value, why) in rows {
        let mut index = index(&lemmas);
        *index.pointer_mut(place).expect("the index has this member") = value;
        let found = judged(&lemmas, &index, &["q 0 b1 .", "end 1"]).expect_err("this index is another one");
        assert!(found.to_string().contains(why), "{place}: {found}");
    }
    // Other queries are other files.
    let mut other = queries();
    other[0]["box"][0][1] = json!(3);
    let found = judged(&read(&other), &index(&lemmas), &["q 0 b1 .", "end 1"]).expect_err("other queries");
    assert!(found.to_string().contains("the index: inputs"), "{found}");
}
