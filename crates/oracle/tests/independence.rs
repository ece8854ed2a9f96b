//! Answers depend on the question alone: not on earlier questions, not on threads; limits are kept.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;
use std::time::Instant;

use common::generate::{Shape, question_of_shape};
use common::show::show;
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::{Stop, Unit};
use surefoot_oracle::{Answer, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question};

const CASES: u64 = 1500;

fn questions() -> Vec<Question> {
    let shape = |seed: u64| [Shape::Integer, Shape::Real, Shape::Mixed][(seed % 3) as usize];
    seeds(17_000_000, CASES).map(|seed| question_of_shape(&mut Random::new(seed), shape(seed))).collect()
}

/// The answer, and the number of regions it took.
fn decide(oracle: &mut BranchAndBound, question: &Question) -> (Answer, u64) {
    let before = oracle.statistics().nodes;
    let answer = oracle.decide(question, &Limits { nodes: Some(5_000), ..Limits::default() });
    (answer, oracle.statistics().nodes - before)
}

#[test]
fn a_used_oracle_answers_like_a_new_one() {
    let mut used = BranchAndBound::new(Options::default());
    for (index, question) in questions().iter().enumerate() {
        let new = decide(&mut BranchAndBound::new(Options::default()), question);
        assert_eq!(decide(&mut used, question), new, "question {index}\n{}", show(question));
    }
}

#[test]
fn threads_get_the_answers_of_one_thread() {
    let questions = Arc::new(questions());
    let mut oracle = BranchAndBound::new(Options::default());
    let expected: Vec<_> = questions.iter().map(|question| decide(&mut oracle, question)).collect();
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let questions = questions.clone();
            std::thread::spawn(move || {
                let mut oracle = BranchAndBound::new(Options::default());
                let mine = (worker..questions.len()).step_by(4);
                mine.map(|index| (index, decide(&mut oracle, &questions[index]))).collect::<Vec<_>>()
            })
        })
        .collect();
    for worker in workers {
        for (index, answer) in worker.join().expect("no panics") {
            assert_eq!(answer, expected[index], "question {index}");
        }
    }
}

#[test]
fn limits_stop_the_search_and_are_named() {
    let hard = questions().into_iter().find(|question| {
        let (_, nodes) = decide(&mut BranchAndBound::new(Options::default()), question);
        nodes > 20
    });
    let hard = hard.expect("some question needs more than a few regions");
    let ask = |limits: Limits| BranchAndBound::new(Options::default()).decide(&hard, &limits);
    assert_eq!(ask(Limits { nodes: Some(3), ..Limits::default() }), Answer::Unknown(Stop::Most(Unit::Nodes, 3)));
    let stops = |run: surefoot_limits::Limits| match ask(Limits::from(run)) {
        Answer::Unknown(stop) => stop,
        other => panic!("{other:?}"),
    };
    let run = surefoot_limits::Limits::default;
    assert_eq!(stops(run().within(Some(1))), Stop::Memory);
    assert_eq!(stops(run().until(Some(Instant::now()))), Stop::Time);
    let interrupted = run();
    interrupted.cancel.stop(Stop::Interrupted);
    assert_eq!(stops(interrupted), Stop::Interrupted);
}

#[test]
fn seeds_lead_to_other_witnesses() {
    let mut differ = 0;
    for question in questions().iter().take(300) {
        let ask =
            |seed| BranchAndBound::new(Options { seed, ..Options::default() }).decide(question, &Limits::default());
        let (plain, seeded) = (ask(0), ask(1));
        match (&plain, &seeded) {
            (Answer::Sat(_), Answer::Sat(point)) => {
                assert!(question.is_witness(point), "{}", show(question));
                differ += u64::from(plain != seeded);
            }
            _ => assert_eq!(plain, seeded, "{}", show(question)),
        }
        assert_eq!(seeded, ask(1), "the same seed gives the same answer");
    }
    assert!(differ > 30, "{differ} witnesses differ");
}
