//! Nesting depth costs memory, never the stack; size costs time in proportion.

mod common;

use std::time::Instant;

use common::complain;
use surefoot_jani::syntax::Expr;
use surefoot_jani::{read_model_text, write_model};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

fn model(guard: &str) -> String {
    format!(
        r#"{{"jani-version": 1, "name": "deep", "type": "lts", "automata": [{{"name": "a", "locations": [{{"name": "l"}}],
"initial-locations": ["l"], "edges": [{{"location": "l", "guard": {{"exp": {guard}}}, "destinations": [{{"location": "l"}}]}}]}}],
"system": {{"elements": [{{"automaton": "a"}}]}}}}"#
    )
}

/// An expression of that many negations around `inner`.
fn nested(depth: usize, inner: &str) -> String {
    let mut text = String::with_capacity(depth * 23 + inner.len());
    for _ in 0..depth {
        text.push_str(r#"{"op": "¬", "exp": "#);
    }
    text.push_str(inner);
    text.push_str(&"}".repeat(depth));
    text
}

fn read_write_drop(depth: usize) {
    let mut sources = SourceMap::default();
    let text = model(&nested(depth, "true"));
    let (read, _) = read_model_text(&mut sources, "deep.jani".as_ref(), &text)
        .unwrap_or_else(|errors| complain("deep", &sources, &errors));
    let guard = read.automata[0].edges[0].guard.expect("the guard was given");
    assert_eq!(read.pool.subtree(guard).count(), depth + 1);
    let written = write_model(&read);
    let (again, _) = read_model_text(&mut sources, "again.jani".as_ref(), &written).expect("what was written is read");
    assert_eq!(again.pool.len(), read.pool.len());
    drop((read.clone(), read, again));

    let text = model(&nested(depth, r#"{"op": "not", "exp": true}"#));
    let errors = read_model_text(&mut sources, "wrong.jani".as_ref(), &text).expect_err("a wrong operator");
    let shown = render(&errors[0], &sources);
    assert!(shown.contains("automata[0].edges[0].guard.exp.exp") && shown.contains("edge 0"), "{shown}");
    assert!(shown.len() < 1000, "{}", shown.len());

    let text = &text[..text.len() / 2];
    let errors = read_model_text(&mut sources, "cut.jani".as_ref(), text).expect_err("half a file");
    assert!(render(&errors[0], &sources).len() < 1000);
}

/// On a thread with little stack, so that recursion anywhere would show.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("a thread");
    thread.join().expect("the work succeeds");
}

#[test]
fn fifty_thousand_deep() {
    on_a_small_stack(|| read_write_drop(50_000));
}

#[test]
fn a_million_deep() {
    on_a_small_stack(|| read_write_drop(1_000_000));
}

#[test]
fn types_are_not_nested_without_end() {
    let deep = |depth: usize| {
        let ty = format!("{}\"int\"{}", r#"{"kind": "array", "base": "#.repeat(depth), "}".repeat(depth));
        let text = model("true")
            .replace("\"automata\"", &format!(r#""variables": [{{"name": "x", "type": {ty}}}], "automata""#));
        read_model_text(&mut SourceMap::default(), "types.jani".as_ref(), &text).map(|_| ())
    };
    assert!(deep(16).is_ok());
    assert_eq!(deep(17).expect_err("too deep")[0].message, "arrays of more than 16 dimensions are not supported");
    on_a_small_stack(move || assert!(deep(100_000).is_err()));
}

#[test]
fn wide_conjunctions_take_linear_time() {
    // Each conjunct is about a kilobyte: two megabytes in all.
    let name = "v".repeat(1000);
    let mut guard = String::new();
    for index in 0..1_800 {
        guard.push_str(&format!(
            r#"{{"op": "∧", "left": {{"op": "≤", "left": "{name}{index}", "right": {index}}}, "right": "#
        ));
    }
    guard.push_str("true");
    guard.push_str(&"}".repeat(1_800));
    let text = model(&guard);
    assert!(text.len() > 1_800_000);
    let start = Instant::now();
    let (read, _) = read_model_text(&mut SourceMap::default(), "wide.jani".as_ref(), &text).expect("a fine model");
    let seconds = start.elapsed().as_secs_f64();
    assert!(read.pool.len() == 1_800 * 4 + 1 && seconds < 2.0, "{seconds} s");
    let guard = read.automata[0].edges[0].guard.expect("the guard was given");
    assert!(matches!(read.pool.get(guard), Expr::Binary(..)));
}
