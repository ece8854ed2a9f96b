//! Solvers that misbehave: whatever they do, it is no answer, and it ends.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use surefoot_limits::{Stop, Trouble};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle, Question, Relaxation, Relaxed, Variable};
use surefoot_solvers::{Choice, Outside, Places};

/// `x >= y`, x and y in 0..=99: large enough that no one guesses all points.
fn question() -> Question {
    let form = Linear::new(vec![(Symbol(0), Rational::ONE), (Symbol(1), Rational::from(-1))], Rational::ZERO);
    let formula = Formula::atom(Atom::at_least_zero(form));
    Question { variables: vec![Variable::integer(0, 99); 2], applications: Vec::new(), formula }
}

/// The same with one variable fixed beyond the other: nothing satisfies it.
fn unsatisfiable() -> Question {
    let mut question = question();
    question.variables[0] = Variable::integer(-9, -1);
    question
}

/// A program of a shell: it says something first, and does something for every line that it reads.
struct Fake {
    _folder: tempfile::TempDir,
    places: Places,
}

impl Fake {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("fake");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let places =
            Places { z3: vec![path.clone()], python: vec![path], highs: Vec::new(), scratch: folder.path().to_owned() };
        Self { _folder: folder, places }
    }

    fn start(&self, choice: Choice) -> Outside {
        choice.start(&self.places, &surefoot_limits::Limits::default()).unwrap()
    }
}

/// A Z3 that knows its version; then what it does.
fn z3(then: &str) -> Fake {
    Fake::new(&format!("read first; echo '(:version \"0\")'; {then}"))
}

/// A driver that knows its version; then what it does.
fn driver(then: &str) -> Fake {
    Fake::new(&format!("echo '{{\"version\": \"0\"}}'; {then}"))
}

fn soon() -> Limits {
    Limits::from(surefoot_limits::Limits::default().until(Instant::now().checked_add(Duration::from_millis(300))))
}

fn trouble(answer: &Answer) -> Option<Trouble> {
    if let Answer::Unknown(Stop::Solver(_, trouble)) = answer { Some(*trouble) } else { None }
}

#[test]
fn a_crash_is_no_answer() {
    for (choice, fake) in [
        (Choice::Z3, z3("exit 3")),
        (Choice::Z3, z3("read line; kill -9 $$")),
        (Choice::Cvc5, driver("read line; exit 0")),
        (Choice::Marabou, driver("read line; exit 139")),
    ] {
        let mut oracle = fake.start(choice);
        let answer = oracle.decide(&question(), &Limits::default());
        assert_eq!(trouble(&answer), Some(Trouble::Crashed), "{choice:?}: {answer:?}");
        let why = oracle.ledger().why(answer.limit().unwrap()).unwrap();
        assert!(why.contains("ended") || why.contains("no more"), "{why}");
        assert!(oracle.ledger().assumptions().is_empty());
        // It is started anew, and crashes again.
        assert_eq!(trouble(&oracle.decide(&question(), &Limits::default())), Some(Trouble::Crashed));
        let relaxed = oracle.relaxed(&question(), &Limits::default());
        assert!(matches!(relaxed, Relaxation::Unknown(Stop::Solver(_, Trouble::Crashed))), "{relaxed:?}");
    }
}

#[test]
fn garbage_is_no_answer() {
    let endless = "while true; do echo maybe; done";
    let says = |text: &str| format!("while read line; do echo '{text}'; done");
    for (choice, fake) in [
        (Choice::Z3, z3("while read line; do case $line in *echo*) echo perhaps; echo that-is-all;; esac; done")),
        (Choice::Z3, z3(endless)),
        (Choice::Cvc5, driver(&says("nonsense"))),
        (Choice::Cvc5, driver(&says("{\"said\": \"unsatisfiable\"}"))),
        (Choice::Cvc5, driver(&says("{\"said\": \"sat ((x0 1))\"}"))),
        (Choice::Marabou, driver(&says("unsat"))),
        (Choice::Marabou, driver(&says("{\"status\": \"unsatisfied\"}"))),
        (Choice::Marabou, driver(&says("{\"status\": \"sat\", \"values\": [1]}"))),
    ] {
        let answer = fake.start(choice).decide(&question(), &Limits::default());
        assert_eq!(trouble(&answer), Some(Trouble::Garbage), "{choice:?}: {answer:?}");
    }
}

#[test]
fn silence_ends_with_the_time() {
    for (choice, fake) in [
        (Choice::Z3, z3("sleep 60")),
        (Choice::Z3, z3("while read line; do :; done; sleep 60")),
        (Choice::Cvc5, driver("sleep 60")),
        (Choice::Marabou, driver("sleep 60")),
    ] {
        let (mut oracle, begun) = (fake.start(choice), Instant::now());
        assert_eq!(oracle.decide(&question(), &soon()), Answer::Unknown(Stop::Time), "{choice:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

/// A model that is none: garbage from an exact solver; from one in floats a hint, which is gone around until points are left.
#[test]
fn wrong_models_are_no_witnesses() {
    let model = "{\"said\": \"sat\\\\n((x0 (- 5)) (x1 7))\"}";
    let exact = driver(&format!("while read line; do echo '{model}'; done"));
    let answer = exact.start(Choice::Cvc5).decide(&unsatisfiable(), &Limits::default());
    assert_eq!(trouble(&answer), Some(Trouble::Garbage), "{answer:?}");
    let hints = driver("while read line; do echo '{\"status\": \"sat\", \"values\": [-5.0, 7.0]}'; done");
    let mut oracle = hints.start(Choice::Marabou);
    let mut small = unsatisfiable();
    small.variables = vec![Variable::integer(-3, -1), Variable::integer(0, 2)];
    assert_eq!(oracle.decide(&small, &Limits::default()), Answer::Unsat);
    // Every point was evaluated: that rests on nobody's word.
    assert!(oracle.ledger().assumptions().is_empty());
    let answer = oracle.decide(&question(), &Limits::default());
    assert!(matches!(&answer, Answer::Sat(point) if question().is_witness(point)), "{answer:?}");
}

/// Nothing can tell a wrong `unsat`: it is named.
#[test]
fn whose_word_it_is_is_known() {
    let fake = driver("while read line; do echo '{\"status\": \"unsat\"}'; done");
    let mut oracle = fake.start(Choice::Marabou);
    assert_eq!(oracle.decide(&question(), &Limits::default()), Answer::Unsat);
    let words = ["Marabou 0 is right where it says that a constraint has no solution (1 time, in floats)"];
    assert_eq!(oracle.ledger().assumptions(), words);
}

#[test]
fn what_is_not_there_is_named() {
    let mut places = Places { z3: Vec::new(), python: Vec::new(), highs: Vec::new(), scratch: std::env::temp_dir() };
    for (choice, who) in
        [(Choice::Z3, "Z3"), (Choice::Cvc5, "cvc5"), (Choice::Marabou, "Marabou"), (Choice::Highs, "HiGHS")]
    {
        let missing = choice.start(&places, &surefoot_limits::Limits::default()).unwrap_err();
        assert_eq!(missing.who, who);
    }
    places.z3 = vec!["/nowhere/z3".into()];
    let missing = Choice::Paper.start(&places, &surefoot_limits::Limits::default()).unwrap_err().to_string();
    assert!(missing.contains("Z3 does not start") && missing.contains("/nowhere/z3"), "{missing}");
    let silent = Fake::new("exit 0");
    assert!(Choice::Marabou.start(&silent.places, &surefoot_limits::Limits::default()).is_err());
}
