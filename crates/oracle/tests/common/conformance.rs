//! The suite that every oracle passes: questions with known answers, then thousands of random ones against the reference.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use surefoot_fixtures::{Random, seeds};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle, Question, Reference};

use super::cases;
use super::formula::random_point;
use super::generate::{Shape, question_of_shape};
use super::show::show;
use super::shrink::shrink;

/// How many random questions of each shape are asked.
const QUESTIONS: u64 = 4000;
/// How many points and programs the reference may spend on one; what it cannot decide is skipped.
const REFERENCE_NODES: u64 = 4000;
/// How many nodes an oracle may spend on a question that is small enough for the reference: so a search that would not
/// end is reported as such.
const NODES: u64 = 20_000;
/// The same for a search that counts no nodes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many points are tried where the reference finds nothing.
const SAMPLES: usize = 8;

/// Holds an oracle against what is known and against the reference.
///
/// # Panics
/// With the first fault of every part, if there is one.
pub(crate) fn conformance(name: &str, make: impl Fn() -> Box<dyn Oracle>) {
    let random = |shape| random_questions(name, &make, shape);
    let shapes = [Shape::Integer, Shape::Real, Shape::Mixed, Shape::Smooth, Shape::Single];
    let faults: Vec<String> =
        known_answers(name, &make).into_iter().chain(shapes.into_iter().filter_map(random)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What every question must be decided within.
pub(crate) fn generous() -> Limits {
    Limits { nodes: Some(NODES), run: surefoot_limits::Limits::default().until(Some(Instant::now() + PATIENCE)) }
}

/// Asks the questions whose answers are known by reasoning, and reports all that are answered wrongly.
pub(crate) fn known_answers(name: &str, make: &impl Fn() -> Box<dyn Oracle>) -> Vec<String> {
    let mut oracle = make();
    let mut faults = Vec::new();
    for case in cases::all() {
        let answer = oracle.decide(&case.question, &generous());
        // What an oracle keeps from one question must not change the next answer.
        let fresh = make().decide(&case.question, &generous());
        let changed = (answer != fresh).then(|| format!("{answer:?}, but {fresh:?} when asked first"));
        if let Some(complaint) = fault(&case.question, &answer, case.sat).or(changed) {
            faults.push(format!("{name} on '{}': {complaint}\n{}", case.name, show(&case.question)));
        }
    }
    faults
}

/// Asks random questions; reports the smallest one found that is answered as wrongly as the first that is.
pub(crate) fn random_questions(name: &str, make: &impl Fn() -> Box<dyn Oracle>, shape: Shape) -> Option<String> {
    let (mut sat, mut unsat, mut skipped) = (0u64, 0u64, 0u64);
    let asked = seeds(1, if matches!(shape, Shape::Smooth | Shape::Single) { QUESTIONS / 10 } else { QUESTIONS });
    let total = asked.end - asked.start;
    let mut oracle = make();
    for seed in asked {
        let question = question_of_shape(&mut Random::new(seed), shape);
        let Some(truth) = truth(&question) else {
            skipped += 1;
            continue;
        };
        if let Some(complaint) = complaint(oracle.as_mut(), &question, truth) {
            return Some(format!("{name}, {shape:?} seed {seed}: {}", report(&question, &complaint, make)));
        }
        if truth {
            sat += 1;
        } else {
            unsat += 1;
        }
    }
    // A generator that has drifted to one side tests half as much.
    assert!(sat > total / 4 && unsat > total / 4, "{shape:?}: {sat} satisfiable, {unsat} unsatisfiable of {total}");
    assert!(skipped < total / 20, "{shape:?}: {skipped} of {total} questions were too hard for the reference");
    None
}

/// What is wrong with an oracle's answer, or what it says when it panics.
fn complaint(oracle: &mut dyn Oracle, question: &Question, truth: bool) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| oracle.decide(question, &generous()))) {
        Ok(answer) => fault(question, &answer, truth),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Some(format!("a panic: {}", text.unwrap_or("without words")))
        }
    }
}

/// The fault on the smallest question that has one.
fn report(question: &Question, complained: &str, make: &impl Fn() -> Box<dyn Oracle>) -> String {
    let check = |question: &Question| complaint(make().as_mut(), question, truth(question)?);
    if check(question).is_none() {
        return format!("{complained} (after the seeds before; not when it is asked first)\n{}", show(question));
    }
    let (small, complaint) = shrink(question, &check);
    format!("{complaint}\n{}", show(&small))
}

/// Whether there is a witness; `None` if the reference does not know.
pub(crate) fn truth(question: &Question) -> Option<bool> {
    let limits = Limits { nodes: Some(REFERENCE_NODES), ..Limits::default() };
    match Reference::new().decide(question, &limits) {
        Answer::Sat(point) => {
            assert!(question.is_witness(&point), "the reference's witness is none\n{}", show(question));
            Some(true)
        }
        Answer::Unsat => {
            // A second look that shares nothing with the search.
            let mut random = Random::new(1);
            for _ in 0..SAMPLES {
                let point: Vec<Rational> = random_point(&mut random, question);
                assert!(!question.is_witness(&point), "the reference missed {point:?}\n{}", show(question));
            }
            Some(false)
        }
        Answer::Unknown(_) => None,
    }
}

/// What is wrong with an answer.
pub(crate) fn fault(question: &Question, answer: &Answer, truth: bool) -> Option<String> {
    match answer {
        Answer::Sat(point) if point.len() != question.variables.len() => Some(format!("{point:?} is no point")),
        Answer::Sat(point) if !question.is_witness(point) => Some(format!("{point:?} is no witness")),
        Answer::Sat(_) if truth => None,
        Answer::Unsat if !truth => None,
        Answer::Sat(point) => Some(format!("{point:?} is a witness, where the truth is said to be unsatisfiable")),
        Answer::Unsat => Some("unsatisfiable, but there is a witness".to_owned()),
        Answer::Unknown(limit) => Some(format!("gave up: {limit}")),
    }
}
