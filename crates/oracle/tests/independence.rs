//! Answers depend on the question alone: not on earlier questions, not on threads, not on who listens; limits are kept.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "common/audit/mod.rs"]
mod audit;
mod common;

use std::sync::Arc;
use std::time::Instant;

use audit::cases::{SHAPES, case, excluded, options};
use common::generate::{Shape, narrowed, question_of_shape};
use common::nnsat;
use common::show::show;
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::{Stop, Unit};
use surefoot_oracle::proof::{ProofSink, Step};
use surefoot_oracle::{
    AllAssignments, Answer, BranchAndBound, KeepStatistics, Limits, Narrowing, Nowhere, Options, Oracle, Question,
    Statistics, Template,
};

const CASES: u64 = 1500;
const AUDITED: u64 = 480;

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

/// Hears everything and says nothing.
struct Deaf(u64);

impl ProofSink for Deaf {
    fn step(&mut self, _: Step<'_>) {
        self.0 += 1;
    }
}

/// What an oracle answers, and what it did for that.
fn asked<A>(oracle: &mut BranchAndBound, ask: impl FnOnce(&mut BranchAndBound) -> A) -> (A, Statistics) {
    let before = oracle.statistics();
    let answer = ask(oracle);
    (answer, oracle.statistics().since(&before))
}

#[test]
fn the_audited_search_is_the_one_that_runs() {
    let mut nodes = 0;
    for shape in SHAPES {
        for seed in seeds(16_000_000, AUDITED) {
            let mut random = Random::new(seed);
            let (question, tracked) = case(&mut random, shape);
            let excluded = excluded(&mut random, tracked.len());
            let options = options(&mut random);
            let (mut alone, mut heard) = (BranchAndBound::new(options.clone()), BranchAndBound::new(options));
            let template = Template::new(question.clone(), tracked.clone());
            let variables = narrowed(&mut random, &question);
            let within = Narrowing { variables: &variables, also: &[] };
            let every = vec![true; tracked.len()];
            let limits = Limits { nodes: Some(2_000), ..Limits::default() };
            assert_eq!(
                asked(&mut alone, |oracle| oracle.decide(&question, &limits)),
                asked(&mut heard, |oracle| oracle.with_proof(&mut Deaf(0)).decide(&question, &limits)),
                "seed {seed}"
            );
            assert_eq!(
                asked(&mut alone, |oracle| oracle.assignments(&question, &tracked, &excluded, &limits)),
                asked(&mut heard, |oracle| {
                    oracle.with_proof(&mut Deaf(0)).assignments(&question, &tracked, &excluded, &limits)
                }),
                "seed {seed}"
            );
            assert_eq!(
                asked(&mut alone, |oracle| oracle.assignments_within(&template, within, &excluded, &limits)),
                asked(&mut heard, |oracle| {
                    oracle.with_proof(&mut Deaf(0)).assignments_within(&template, within, &excluded, &limits)
                }),
                "seed {seed}"
            );
            assert_eq!(
                asked(&mut alone, |oracle| oracle.nowhere(&template, within, &every, &limits)),
                asked(&mut heard, |oracle| oracle.with_proof(&mut Deaf(0)).nowhere(&template, within, &every, &limits)),
                "seed {seed}"
            );
            nodes += alone.statistics().nodes;
        }
    }
    assert!(nodes > AUDITED, "{nodes} nodes");
}

#[test]
fn the_stored_queries_are_searched_alike_with_and_without_an_audience() {
    let queries = nnsat::stored();
    let (mut alone, mut heard) = (BranchAndBound::new(Options::default()), BranchAndBound::new(Options::default()));
    let mut steps = Deaf(0);
    for query in &queries {
        let limits = Limits::default();
        let plain = asked(&mut alone, |oracle| oracle.decide(&query.question, &limits));
        let audited = asked(&mut heard, |oracle| oracle.with_proof(&mut steps).decide(&query.question, &limits));
        assert_eq!(plain, audited, "{}", query.name);
    }
    assert!(steps.0 > queries.len() as u64 || queries.is_empty(), "{} steps", steps.0);
}
