//! The oracle's conformance suite on every solver that is there: few cases, as each starts from text.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "../../oracle/tests/common/mod.rs"]
mod common;

use common::cases;
use common::conformance::{fault, generous, truth};
use common::formula::random_formula;
use common::generate::{Shape, question_of_shape};
use common::show::show;
use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, python_with, seeds};
use surefoot_limits::{Limits, Stop, Trouble};
use surefoot_oracle::{AllAssignments, Answer, Oracle, Question, Reference, Relaxation, Relaxed, Replicate};
use surefoot_solvers::{Choice, Outside, Places};

/// Questions of each shape.
const QUESTIONS: u64 = 60;

/// The solver, where the package is installed.
fn solver(choice: Choice, package: &str, folder: &tempfile::TempDir) -> Option<Outside> {
    let python = python_with(env!("CARGO_MANIFEST_DIR"), package)?;
    let z3 = vec![python.with_file_name("z3")];
    let places = Places { z3, python: vec![python], highs: Vec::new(), scratch: folder.path().to_owned() };
    Some(choice.start(&places, &Limits::default()).unwrap())
}

/// What may be left open.
fn is_open(answer: &Answer, open: &[Trouble]) -> bool {
    matches!(answer, Answer::Unknown(Stop::Solver(_, trouble)) if open.contains(trouble))
}

/// Whether the networks' numbers are of ordinary sizes. With others, solvers that compute in floats are wrong at times: their word is an
/// assumption for a reason.
fn is_tame(question: &Question) -> bool {
    let ordinary = |value: &f64| *value == 0.0 || (1e-3..1e3).contains(&value.abs());
    let layers = question.applications.iter().flat_map(|application| application.network.layers());
    layers.into_iter().all(|layer| layer.weights().iter().chain(layer.bias()).all(ordinary))
}

/// Holds a solver against what is known and against the reference; of real variables it may leave some questions open.
fn conforms(choice: Choice, package: &str, exact: bool) {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut oracle) = solver(choice, package, &folder) else { return };
    let mut faults = Vec::new();
    for case in cases::all() {
        let unsuited = case.question.applications.iter().any(|application| !application.network.is_exact());
        let open: &[Trouble] = match (unsuited, exact) {
            (true, _) => &[Trouble::Unsuited],
            (_, true) => &[],
            (_, false) => &[Trouble::Inexact],
        };
        let answer = oracle.decide(&case.question, &generous());
        if let Some(fault) = fault(&case.question, &answer, case.sat).filter(|_| !is_open(&answer, open)) {
            faults.push(format!("'{}': {fault}\n{}", case.name, show(&case.question)));
        }
    }
    for shape in [Shape::Integer, Shape::Real, Shape::Mixed] {
        let (mut sat, mut unsat, mut left) = (0, 0, 0);
        for seed in seeds(31_000_000, QUESTIONS) {
            let question = question_of_shape(&mut Random::new(seed), shape);
            if !exact && !is_tame(&question) {
                continue;
            }
            let Some(truth) = truth(&question) else { continue };
            let answer = oracle.decide(&question, &generous());
            if !exact && !shape.is_integral() && is_open(&answer, &[Trouble::Inexact, Trouble::GaveUp]) {
                left += 1;
            } else if let Some(mut fault) = fault(&question, &answer, truth) {
                fault += &answer.limit().and_then(|stop| oracle.ledger().why(stop)).unwrap_or_default();
                faults.push(format!("{shape:?} seed {seed}: {fault}\n{}", show(&question)));
            }
            if matches!(oracle.relaxed(&question, &generous()), Relaxation::Impossible) && truth {
                faults.push(format!("{shape:?} seed {seed}: impossible over the reals\n{}", show(&question)));
            }
            (sat, unsat) = if truth { (sat + 1, unsat) } else { (sat, unsat + 1) };
        }
        assert!(sat > 5 && unsat > 5, "{shape:?}: {sat} satisfiable, {unsat} unsatisfiable");
        assert!(left <= QUESTIONS / 2, "{shape:?}: {left} left open");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // What a solver was asked before does not matter, nor which copy is asked.
    for seed in seeds(32_000_000, 20) {
        let question = question_of_shape(&mut Random::new(seed), Shape::Integer);
        let answer = oracle.decide(&question, &generous());
        assert_eq!(oracle.replicate().decide(&question, &generous()), answer, "seed {seed}\n{}", show(&question));
    }
}

#[test]
fn z3_conforms() {
    conforms(Choice::Z3, "z3", true);
}

#[test]
fn cvc5_conforms() {
    conforms(Choice::Cvc5, "cvc5", true);
}

#[test]
fn marabou_conforms() {
    conforms(Choice::Marabou, "maraboupy", false);
}

#[test]
fn highs_conforms() {
    conforms(Choice::Highs, "highspy", false);
}

/// The papers' combination gives all successors, by the defaults.
#[test]
fn the_papers_solvers_find_all_assignments() {
    if python_with(env!("CARGO_MANIFEST_DIR"), "z3").is_none() {
        return;
    }
    for choice in [Choice::Paper, Choice::PaperSmt] {
        let folder = tempfile::tempdir().unwrap();
        let Some(mut oracle) = solver(choice, "maraboupy", &folder) else { return };
        let mut found = 0;
        for seed in seeds(34_000_000, 30) {
            let random = &mut Random::new(seed);
            let question = question_of_shape(random, Shape::Integer);
            if !is_tame(&question) {
                continue;
            }
            let tracked = [random_formula(random, &question), random_formula(random, &question)];
            let excluded = FxHashSet::default();
            let truth = Reference::new().assignments(&question, &tracked, &excluded, &generous());
            let answer = oracle.assignments(&question, &tracked, &excluded, &generous());
            assert_eq!(answer.stopped, None, "seed {seed}\n{}", show(&question));
            assert!(answer.found.keys().eq(truth.found.keys()), "seed {seed}\n{}", show(&question));
            found += answer.found.len();
        }
        assert!(found > 10, "{found} assignments");
    }
}

/// Smooth functions and single precision cannot be put to any of them, and each says so.
#[test]
fn what_cannot_be_asked_is_refused() {
    let solvers =
        [(Choice::Z3, "z3"), (Choice::Cvc5, "cvc5"), (Choice::Marabou, "maraboupy"), (Choice::Highs, "highspy")];
    for (choice, package) in solvers {
        let folder = tempfile::tempdir().unwrap();
        let Some(mut oracle) = solver(choice, package, &folder) else { continue };
        let unsuited = |question: &Question| {
            let inexact = question.applications.iter().any(|application| !application.network.is_exact());
            inexact && question.variables.iter().all(|variable| variable.lower < variable.upper)
        };
        let mut asked = 0;
        for seed in seeds(33_000_000, 40) {
            let question = question_of_shape(&mut Random::new(seed), Shape::Smooth);
            if unsuited(&question) && !question.variables.is_empty() {
                let answer = oracle.decide(&question, &generous());
                assert!(is_open(&answer, &[Trouble::Unsuited]), "seed {seed}: {answer:?}\n{}", show(&question));
                asked += 1;
            }
        }
        assert!(asked > 5, "{asked} questions");
    }
}
