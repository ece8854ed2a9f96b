//! What formulas and conditions mean, and what is said of texts that are none.

use std::path::Path;
use std::sync::Arc;

use surefoot_jani::read_model_source;
use surefoot_model::interpret::State;
use surefoot_model::lower::{Lowered, lower};
use surefoot_model::{Interpreter, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use crate::formula::{Ctl, Quantifier};

const MODEL: &str = r#"{"jani-version": 1, "name": "words", "type": "lts", "features": ["arrays", "functions"],
  "actions": [{"name": "go"}],
  "constants": [{"name": "G", "type": "real", "value": 32.2}],
  "variables": [
    {"name": "h", "type": "real", "initial-value": 0},
    {"name": "v", "type": "real", "initial-value": 0},
    {"name": "flag", "type": "bool", "initial-value": false},
    {"name": "U", "type": "real", "initial-value": 0},
    {"name": "cell", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0,
     "upper-bound": 9}}, "initial-value": {"op": "av", "elements": [1, 2]}}
  ],
  "functions": [{"name": "twice", "type": "real", "parameters": [{"name": "a", "type": "real"}],
    "body": {"op": "*", "left": 2, "right": "a"}}],
  "automata": [{"name": "car", "locations": [{"name": "home"}, {"name": "road"}], "initial-locations": ["home"],
    "variables": [{"name": "own", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3},
      "initial-value": 0}],
    "edges": [{"location": "home", "action": "go", "destinations": [{"location": "road"}]}]}],
  "system": {"elements": [{"automaton": "car"}]}}"#;

fn model() -> Lowered {
    let mut sources = SourceMap::default();
    let file = sources.add(Path::new("words.jani"), MODEL);
    let (syntax, _) = read_model_source(&mut sources, file).unwrap();
    lower(Arc::new(syntax), &[]).unwrap()
}

fn try_read(lowered: &mut Lowered, text: &str) -> Result<Ctl<TermId>, Diagnostic> {
    let mut sources = SourceMap::default();
    let file = sources.add("text", text);
    crate::lower::formula(&sources, file, lowered)
}

fn read(lowered: &mut Lowered, text: &str) -> Ctl<TermId> {
    try_read(lowered, text).unwrap_or_else(|error| panic!("{text}: {}", error.message))
}

/// Slots: the location of `car`, then `h`, `v`, `flag`, `U`, the cells and `own`.
fn holds(text: &str, values: [&str; 8]) -> bool {
    let mut lowered = model();
    let Ctl::State(term) = read(&mut lowered, text) else { panic!("{text} is no condition") };
    let state = State(values.iter().map(|value| value.parse::<Rational>().unwrap()).collect());
    Interpreter::new(&lowered.model).holds(term, &state).unwrap()
}

#[test]
fn conditions_are_exact() {
    let state = ["1", "100", "1/10", "1", "7", "3", "4", "2"];
    for (text, truth) in [
        ("h > 100", false),
        ("h >= 1e2", true),
        ("v = 0.1", true),
        ("2*h - v <= 199.9", true),
        ("2*h - v < 199.9", false),
        ("(h + 61) / 5 = G", true),
        ("-(h - 1e2) >= v * 2 - 1", true),
        ("flag", true),
        ("!flag | !(flag)", false),
        ("flag = true & flag = 1 and flag == !false", true),
        ("flag + 1 > h - 99", true),
        ("cell[1] != 3", true),
        ("cell[flag + 0] = 4", true),
        ("cell[0] + cell[1] == 7", true),
        ("car at road", true),
        ("car at home or car at \"road\"", true),
        ("not (car at road)", false),
        ("\"U\" < 8", true),
        ("own = 2 && car.own = 2", true),
        ("h > 1 => v > 2 => h > 1", true),
        ("h > 1 implies v > 2", false),
        ("max(h, 3) - min(2, v) + abs(0 - 3) = 102.9", true),
        ("twice(h) = 200", true),
        ("ite(flag, h, v) = 100", true),
        ("cell[0] % 2 = 1 & 2^3 = 8 & floor(v) = 0", true),
        ("¬(h ≤ 1 ∧ v ≠ 2)", true),
        ("h > 1 && v > 2 || flag == 1", true),
        ("h > 1 AND NOT v > 2 OR false", true),
        ("flag = (h > 1)", true),
    ] {
        assert_eq!(holds(text, state), truth, "{text}");
    }
}

#[test]
fn operators_bind_as_in_the_grammar() {
    let mut lowered = model();
    let mut read = |text: &str| read(&mut lowered, text);
    let (a, b) = (read("h > 1"), read("v > 2"));
    let boxed = |f: &Ctl<TermId>| Box::new(f.clone());
    assert_eq!(read("AX h > 1 & v > 2"), Ctl::Next(Quantifier::All, 1, boxed(&a)).and(b.clone()));
    let either = read("h > 1 | v > 2");
    assert_eq!(read("EX^3 (h > 1 | v > 2)"), Ctl::Next(Quantifier::Some, 3, boxed(&either)));
    assert_eq!(read("AG[<=5] EF[<=0] h > 1"), {
        let inner = Ctl::Finally(Quantifier::Some, Some(0), boxed(&a));
        Ctl::Globally(Quantifier::All, Some(5), boxed(&inner))
    });
    assert_eq!(
        read("A[h > 1 U<=3 v > 2] & E[(h > 1) R v > 2]"),
        Ctl::Until(Quantifier::All, Some(3), boxed(&a), boxed(&b)).and(Ctl::Release(
            Quantifier::Some,
            None,
            boxed(&a),
            boxed(&b)
        ))
    );
    let weak = Ctl::weak_until(Quantifier::All, None, a.clone(), b.clone());
    assert_eq!(read("A[h > 1 W v > 2]"), weak);
    assert_eq!(read("AF h > 1 => EX v > 2"), {
        let (f, g) = (Ctl::Finally(Quantifier::All, None, boxed(&a)), Ctl::Next(Quantifier::Some, 1, boxed(&b)));
        f.negated().or(g)
    });
    assert_eq!(read("AX^2 AF[<=3] EX h > 1").horizon(), Some(6));
    assert_eq!(read("AX^2 AF h > 1").horizon(), None);
}

#[test]
fn errors_say_where_and_what() {
    let mut lowered = model();
    let cases = [
        ("h >", 3, "expected a number or a variable, found the end"),
        ("AX^x h > 1", 3, "expected a number of steps, found 'x'"),
        ("AX^-1 h > 1", 3, "expected a number of steps, found '-'"),
        ("AG[<5] h > 1", 3, "expected '<=', found '<'"),
        ("h > 1 v > 2", 6, "expected '&', '|', '=>' or the end, found 'v'"),
        ("(h > 1 & v > 2", 14, "expected ')', '&', '|' or '=>', found the end"),
        ("A[h > 1 & v > 2]", 15, "expected 'U' or 'R', found ']'"),
        ("height > 1", 0, "there is no variable 'height'"),
        ("h + 1", 0, "this is a number, not a condition"),
        ("flag & h", 7, "this is a number, not a condition"),
        ("0 < h < 5", 6, "expected '&', '|', '=>' or the end, found '<'"),
        ("car = 1", 0, "'car' is an automaton, not a variable"),
        ("car at work", 0, "the automaton 'car' has no location 'work'"),
        ("bus at work", 0, "there is no automaton 'bus'"),
        ("h > 1 ? v > 2", 6, "'?' means nothing here"),
        ("2h > 1", 0, "a number is followed by 'h'"),
        ("", 0, "expected a number or a variable, found the end"),
        ("h > 1 &", 7, "expected a number or a variable, found the end"),
        ("AX", 2, "expected a number or a variable, found the end"),
        ("h > 1e999999999", 4, "the exponent of '1e999999999' is beyond 5000"),
        ("(AF flag) = 1", 1, "an operator about time stands where a value of the state is expected"),
        ("maxx(h, v) > 1", 0, "there is no function 'maxx'"),
        ("cell = 1", 0, "an array is used where a single value is expected"),
    ];
    for (text, start, message) in cases {
        let error = match try_read(&mut lowered, text) {
            Ok(formula) => panic!("{text} is read as {formula:?}"),
            Err(error) => error,
        };
        assert_eq!((error.message.as_str(), error.span.unwrap().start), (message, start), "{text}");
    }
    let help = |lowered: &mut Lowered, text: &str| try_read(lowered, text).unwrap_err().help.unwrap_or_default();
    assert_eq!(help(&mut lowered, "flga"), "did you mean 'flag'?");
    assert_eq!(help(&mut lowered, "car = 1"), "say where it is: car at LOCATION");
    let quotes = "'U' means something here: write \"U\", in double quotes, for the name";
    assert_eq!(help(&mut lowered, "U < 1"), quotes);
    assert_eq!(help(&mut lowered, "AG (h < 1 & U < 1)"), quotes);
    assert_eq!(help(&mut lowered, "A[h < 1 U h < ]"), quotes);
    assert_eq!(help(&mut lowered, "R < 1"), "");
    assert!(try_read(&mut lowered, "\"U\" < 1").is_ok());
}

/// In a condition the words of time are names like others.
#[test]
fn conditions_know_no_time() {
    let mut lowered = model();
    let mut sources = SourceMap::default();
    let file = sources.add("text", "U < 1");
    assert!(crate::lower::condition(&sources, file, &mut lowered).is_ok());
    let file = sources.add("text", "AF flag");
    let error = crate::lower::condition(&sources, file, &mut lowered).unwrap_err();
    assert_eq!(error.message, "expected '&', '|', '=>' or the end, found 'flag'");
}

#[test]
fn automata_that_a_start_condition_does_not_name_are_where_they_begin() {
    let mut lowered = model();
    let mut sources = SourceMap::default();
    let mut starts = |lowered: &mut Lowered, text: &str, values: [&str; 8]| {
        let file = sources.add("text", text);
        let start = crate::lower::start(&sources, file, lowered).unwrap();
        let state = State(values.iter().map(|value| value.parse::<Rational>().unwrap()).collect());
        Interpreter::new(&lowered.model).holds(start.conditions[0], &state).unwrap()
    };
    let (home, road) = (["0", "5", "0", "0", "0", "1", "1", "0"], ["1", "5", "0", "0", "0", "1", "1", "0"]);
    assert!(starts(&mut lowered, "h = 5", home) && !starts(&mut lowered, "h = 5", road));
    assert!(starts(&mut lowered, "h = 5 & car at road", road));
    assert!(!starts(&mut lowered, "h = 5 & (car at road)", home));
}

#[test]
fn deep_nesting_is_refused_not_overflown() {
    let mut lowered = model();
    for (open, close) in [("(", ")"), ("!", ""), ("AX ", ""), ("(-", ")"), ("abs(", ")")] {
        let text = format!("{}h > 1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(try_read(&mut lowered, &text).unwrap_err().message.contains("nested"), "{open}");
    }
    let long = vec!["h > 1"; 50_000].join(" & ");
    assert!(matches!(read(&mut lowered, &long), Ctl::State(_)));
    let sum = format!("{} > 3", vec!["h"; 50_000].join(" + "));
    assert!(matches!(read(&mut lowered, &sum), Ctl::State(_)));
    let timed = vec!["AX h > 1"; 50_000].join(" | ");
    assert!(matches!(read(&mut lowered, &timed), Ctl::Or(parts) if parts.len() == 50_000));
}
