//! Searches over phases: what they announce is true, and answers are those of the search that splits.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "common/audit/mod.rs"]
mod audit;
mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use audit::{Auditor, Goal};
use common::{dense, show::show};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Limits, Options, Oracle, Question, Ties, Variable};

/// "This label is chosen", over reals or integers, with a margin that makes it rare.
fn question(random: &mut Random, widths: &[usize], integers: bool) -> Question {
    let (inputs, outputs) = (2 + random.below(2), 3);
    let network = dense::network(random, inputs, widths, outputs);
    let mut question = dense::over_box(random, network, (1, 4), integers);
    let label = random.below(outputs);
    let chosen = question.chosen(0, label, &Ties::First, |_| Formula::truth());
    let margin = Linear::constant_form(Rational::from(random.between(0, 6)));
    let far = &Linear::symbol(question.output(0, label)) - &Linear::symbol(question.output(0, (label + 1) % outputs));
    let clear = Formula::Atom(surefoot_linear::Atom::at_least_zero(&far - &margin));
    question.formula = Formula::all([chosen, clear]);
    question
}

/// Every round may search as long as it likes, and there is one at once.
fn by_phases() -> Options {
    Options { long_after: 0, phase_work: 1 << 40, phases: 0, enumerate: 1.0, root_steps: 0, ..Options::default() }
}

#[test]
fn what_searches_over_phases_announce_is_true() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in seeds(31_000_000, 900) {
        let random = &mut Random::new(seed);
        let widths = *random.pick::<&[usize]>(&[&[4], &[3, 2], &[5], &[2, 2]]);
        let integers = random.percent(30);
        let question = question(random, widths, integers);
        let mut auditor = Auditor::new(&question, &[], Goal::One, random.clone());
        let answer = BranchAndBound::new(by_phases()).with_proof(&mut auditor).decide(&question, &Limits::default());
        if answer == Answer::Unsat {
            assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left\n{}", show(&question));
        }
        auditor.counts.iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
    }
    for what in ["again", "conflict", "refuted by conflicts", "found", "decided"] {
        assert!(counts.contains_key(what), "no step is '{what}': {counts:?}");
    }
    assert!(counts["refuted by conflicts"] > 10 && counts["conflict"] > 30, "{counts:?}");
}

#[test]
fn searches_over_phases_answer_like_those_that_split() {
    let (mut sat, mut unsat, mut programs) = (0, 0, 0);
    for seed in seeds(32_000_000, 300) {
        let random = &mut Random::new(seed);
        let widths = *random.pick::<&[usize]>(&[&[12], &[8, 8], &[6, 6, 6], &[20], &[4, 4, 4, 4]]);
        let integers = random.percent(30);
        let question = question(random, widths, integers);
        let mut phased = BranchAndBound::new(by_phases());
        let answer = phased.decide(&question, &Limits::default());
        let split = Options { long_after: u64::MAX, ..Options::default() };
        let other = BranchAndBound::new(split).decide(&question, &Limits::default());
        match (&answer, &other) {
            (Answer::Sat(point), Answer::Sat(_)) => {
                sat += 1;
                assert!(question.is_witness(point), "seed {seed}\n{}", show(&question));
            }
            (Answer::Unsat, Answer::Unsat) => unsat += 1,
            _ => panic!("seed {seed}: {answer:?} by phases, {other:?} by splits\n{}", show(&question)),
        }
        programs += surefoot_oracle::KeepStatistics::statistics(&phased).programs;
    }
    assert!(sat > 50 && unsat > 50 && programs > 500, "{sat} sat, {unsat} unsat, {programs} programs");
}

/// Clauses are learned from conflicts: where every pair of phases excludes each other, far fewer programs are solved than there are
/// combinations. The network computes whether signs of its inputs satisfy a formula that nothing does.
#[test]
fn conflicts_are_learned_from() {
    // x_i in [-1, 1]; for each of n inputs |x_i| >= 1/2 in the sum, and all 8 sign patterns of three of them are forbidden.
    let n = 3;
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for i in 0..n {
        for sign in [1.0, -1.0] {
            let mut row = vec![0.0; n];
            row[i] = sign;
            rows.push((row, 0.0));
        }
    }
    for pattern in 0..1 << n {
        // Positive where no input agrees with the pattern: sum of sign * x below -1.
        let row = (0..n).map(|i| if pattern >> i & 1 == 1 { -1.0 } else { 1.0 }).collect();
        rows.push((row, -1.25));
    }
    let weights = rows.iter().flat_map(|(row, _)| row.clone()).collect();
    let hidden = Layer::new(n, weights, rows.iter().map(|(_, bias)| *bias).collect(), Activation::Relu).unwrap();
    // First output: how far inputs are from zero; second: how many patterns are hit.
    let mut out = vec![0.0; 2 * rows.len()];
    out[..2 * n].fill(1.0);
    out[rows.len() + 2 * n..].fill(1.0);
    let last = Layer::new(rows.len(), out, vec![0.0, 0.0], Activation::Identity).unwrap();
    let network = Arc::new(Network::new(vec![hidden, last]).unwrap());
    let inputs = Symbol::first(n).map(Linear::symbol).collect();
    let one = Rational::ONE;
    let mut question = Question {
        variables: vec![Variable::real(-&one, one.clone()); n],
        applications: vec![Application { network, inputs }],
        formula: Formula::truth(),
    };
    let far = &Linear::symbol(question.output(0, 0)) - &Linear::constant_form("2.5".parse().unwrap());
    let none = -&Linear::symbol(question.output(0, 1));
    let atom = |form| Formula::Atom(surefoot_linear::Atom::at_least_zero(form));
    question.formula = Formula::all([atom(far), atom(none)]);
    let mut oracle = BranchAndBound::new(by_phases());
    assert_eq!(oracle.decide(&question, &Limits::default()), Answer::Unsat);
    let programs = surefoot_oracle::KeepStatistics::statistics(&oracle).programs;
    assert!(programs <= 40, "{programs} programs");
}
