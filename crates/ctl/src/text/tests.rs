//! What formulas mean, and what is said of texts that are none.

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_testkit::load_text;

use super::{TextError, Vocabulary, parse};
use crate::formula::{Ctl, Quantifier};

const MODEL: &str = r#"{"jani-version": 1, "name": "words", "type": "lts",
  "actions": [{"name": "go"}],
  "variables": [
    {"name": "h", "type": "real", "initial-value": 0},
    {"name": "v", "type": "real", "initial-value": 0},
    {"name": "flag", "type": "bool", "initial-value": false},
    {"name": "U", "type": "real", "initial-value": 0},
    {"name": "cell", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0,
     "upper-bound": 9}}, "initial-value": {"op": "av", "elements": [1, 2]}}
  ],
  "automata": [{"name": "car", "locations": [{"name": "home"}, {"name": "road"}], "initial-locations": ["home"],
    "edges": [{"location": "home", "action": "go", "destinations": [{"location": "road"}]}]}],
  "system": {"elements": [{"automaton": "car"}]}}"#;

fn vocabulary() -> Vocabulary {
    let lowered = load_text(MODEL);
    let mut vocabulary = Vocabulary::new(&lowered.model);
    vocabulary.constant("G", "32.2".parse().unwrap(), false);
    vocabulary
}

fn read(text: &str) -> Ctl {
    parse(text, &vocabulary()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fails(text: &str) -> TextError {
    match parse(text, &vocabulary()) {
        Ok(formula) => panic!("{text} is read as {formula:?}"),
        Err(error) => error,
    }
}

/// Slots: the location of `car` is 0, then `h`, `v`, `flag`, `U` and the cells.
fn form(terms: &[(u32, &str)], constant: &str) -> Linear {
    let terms = terms.iter().map(|(s, a)| (Symbol(*s), a.parse().unwrap())).collect();
    Linear::new(terms, constant.parse().unwrap())
}

#[test]
fn constraints_are_linear_and_exact() {
    assert_eq!(read("h > 100"), Ctl::atom(Atom::positive(form(&[(1, "1")], "-100"))));
    assert_eq!(read("2*h - v <= 0.1"), Ctl::atom(Atom::at_least_zero(form(&[(1, "-2"), (2, "1")], "1/10"))));
    assert_eq!(read("(h + v) / 3 = G"), Ctl::atom(Atom::zero(form(&[(1, "1/3"), (2, "1/3")], "-161/5"))));
    assert_eq!(read("-(h - 1e2) >= v * 2"), Ctl::atom(Atom::at_least_zero(form(&[(1, "-1"), (2, "-2")], "100"))));
    let flag = Ctl::atom(Atom { form: Linear::symbol(Symbol(3)), relation: Relation::NonZero });
    assert_eq!(read("flag"), flag);
    assert_eq!(read("!(flag)"), flag.negated());
    assert_eq!(read("cell[1] != 3"), Ctl::atom(Atom { form: form(&[(6, "1")], "-3"), relation: Relation::NonZero }));
    assert_eq!(read("car at road"), Ctl::formula(Formula::Atom(Atom::zero(form(&[(0, "1")], "-1")))));
    assert_eq!(read("\"U\" < 1"), Ctl::atom(Atom::positive(form(&[(4, "-1")], "1"))));
    assert_eq!(read("true"), Ctl::constant(true));
    assert_eq!(read("flag = true"), Ctl::atom(Atom::zero(form(&[(3, "1")], "-1"))));
}

#[test]
fn operators_bind_as_in_the_grammar() {
    let (a, b) = (|| read("h > 1"), || read("v > 2"));
    let boxed = |f: Ctl| Box::new(f);
    assert_eq!(read("AX h > 1 & v > 2"), Ctl::Next(Quantifier::All, 1, boxed(a())).and(b()));
    assert_eq!(read("EX^3 (h > 1 | v > 2)"), Ctl::Next(Quantifier::Some, 3, boxed(a().or(b()))));
    assert_eq!(read("h > 1 => v > 2 => h > 1"), a().negated().or(b().negated().or(a())));
    assert_eq!(read("!h > 1 | v > 2"), a().negated().or(b()));
    assert_eq!(read("AG[<=5] EF[<=0] h > 1"), {
        let inner = Ctl::Finally(Quantifier::Some, Some(0), boxed(a()));
        Ctl::Globally(Quantifier::All, Some(5), boxed(inner))
    });
    assert_eq!(
        read("A[h > 1 U<=3 v > 2] & E[(h > 1) R v > 2]"),
        Ctl::Until(Quantifier::All, Some(3), boxed(a()), boxed(b())).and(Ctl::Release(
            Quantifier::Some,
            None,
            boxed(a()),
            boxed(b())
        ))
    );
    assert_eq!(read("h > 1 && v > 2 || flag == 1"), a().and(b()).or(read("flag = 1")));
    assert_eq!(read("¬(h ≤ 1 ∧ v ≠ 2)"), read("h <= 1").and(read("v != 2")).negated());
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("h >", 3, "expected a number or a variable, found the end"),
        ("AX^x h > 1", 3, "expected a number of steps, found 'x'"),
        ("AX^-1 h > 1", 3, "expected a number of steps, found '-'"),
        ("AG[<5] h > 1", 3, "expected '<=', found '<'"),
        ("h > 1 v > 2", 6, "expected '&', '|', '=>' or the end, found 'v'"),
        ("(h > 1 & v > 2", 14, "expected ')', '&', '|' or '=>', found the end"),
        ("A[h > 1 & v > 2]", 15, "expected 'U' or 'R', found ']'"),
        ("h * v > 1", 0, "a product of variables is not linear"),
        ("h / 0 > 1", 0, "this divides by zero"),
        ("height > 1", 0, "there is no variable 'height'"),
        ("h + 1", 5, "expected a comparison: one of <, <=, >, >=, =, !=, found the end"),
        ("car = 1", 4, "expected 'at' and a location, as 'car' is an automaton, found '='"),
        ("car at work", 0, "the automaton 'car' has no location 'work'"),
        ("cell[2] = 1", 0, "there is no variable 'cell[2]'"),
        ("h > 1 ? v > 2", 6, "'?' means nothing here"),
        ("2h > 1", 0, "a number is followed by 'h'"),
        ("", 0, "expected a number or a variable, found the end"),
        ("h > 1 &", 7, "expected a number or a variable, found the end"),
        ("AX", 2, "expected a number or a variable, found the end"),
        ("h > 1e999999999", 4, "the exponent of '1e999999999' is beyond 5000"),
    ];
    for (text, start, message) in cases {
        let error = fails(text);
        assert_eq!((error.message.as_str(), error.start), (message, start), "{text}");
    }
    assert!(fails("hh > 1").help.is_some());
}

#[test]
fn deep_nesting_is_refused_not_overflown() {
    for (open, close) in [("(", ")"), ("!", ""), ("AX ", ""), ("(-", ")")] {
        let text = format!("{}h > 1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(fails(&text).message.contains("nested"), "{open}");
    }
    let long = vec!["h > 1"; 50_000].join(" & ");
    assert!(matches!(read(&long), Ctl::And(parts) if parts.len() == 50_000));
}

#[test]
fn what_is_shown_is_read_as_the_same() {
    let lowered = load_text(MODEL);
    let texts = ["AX^3 (h > 1 | v <= 2)", "A[h > 1 U<=3 (v > 2 & EX (h = 1))]", "!AG[<=2] (h != 3)", "EF (flag > 0)"];
    for text in texts {
        let formula = read(text);
        assert_eq!(formula.describe(&lowered.model), text);
        assert_eq!(read(&formula.describe(&lowered.model)), formula);
    }
    assert_eq!(read("AX^2 AF[<=3] EX h > 1").horizon(), Some(6));
    assert_eq!(read("AX^2 AF h > 1").horizon(), None);
}
