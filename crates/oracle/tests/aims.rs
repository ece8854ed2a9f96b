//! Halves bounded where what their whole was split for is not negative: what is announced is true, and answers are those of the search
//! that bounds neurons on all of a box.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "common/audit/mod.rs"]
mod audit;
mod common;

use std::collections::BTreeMap;

use audit::{Auditor, Goal};
use common::{dense, show::show};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Ties};

/// A network of these hidden widths, and "this label is chosen, and its score is at least so much".
fn question(random: &mut Random, widths: &[usize], inputs: usize, integers: bool) -> Question {
    let outputs = 3;
    let network = dense::network(random, inputs, widths, outputs);
    let mut question = dense::over_box(random, network, (2, 6), integers);
    let label = random.below(outputs);
    let chosen = question.chosen(0, label, &Ties::First, |_| Formula::truth());
    let least = Linear::constant_form(Rational::from(random.between(0, 40)));
    let high = Formula::Atom(Atom::at_least_zero(&Linear::symbol(question.output(0, label)) - &least));
    question.formula = Formula::all([chosen, high]);
    question
}

/// Aims are kept from the first region on, and phases are searched or split as rarely as can be.
fn aiming(phases: usize) -> Options {
    Options { long_after: 0, phases, enumerate: 1.0, root_steps: 0, slope_steps: 0, ..Options::default() }
}

#[test]
fn what_is_announced_below_an_aim_is_true() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in seeds(41_000_000, 1500) {
        let random = &mut Random::new(seed);
        let widths = *random.pick::<&[usize]>(&[&[4], &[3, 2], &[5], &[3, 3]]);
        let integers = random.percent(40);
        let question = question(random, widths, 2, integers);
        let mut auditor = Auditor::new(&question, &[], Goal::One, random.clone());
        let mut oracle = BranchAndBound::new(aiming(*random.pick(&[0, 2, 12])));
        let answer = oracle.with_proof(&mut auditor).decide(&question, &Limits::default());
        if answer == Answer::Unsat {
            assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left\n{}", show(&question));
        }
        auditor.counts.iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
    }
    for what in ["kept", "refuted by a sum", "neurons", "decided"] {
        assert!(counts.contains_key(what), "no step is '{what}': {counts:?}");
    }
    assert!(counts["kept"] > 150 && counts["refuted by a sum"] > 25, "{counts:?}");
}

#[test]
fn aims_change_no_answer() {
    let (mut sat, mut unsat, mut nodes, mut without) = (0, 0, 0, 0);
    for seed in seeds(42_000_000, 240) {
        let random = &mut Random::new(seed);
        let widths = *random.pick::<&[usize]>(&[&[12], &[8, 8], &[6, 6, 6], &[16, 8]]);
        let integers = random.percent(50);
        let inputs = 2 + random.below(3);
        let question = question(random, widths, inputs, integers);
        let mut oracle = BranchAndBound::new(aiming(2));
        let answer = oracle.decide(&question, &Limits::default());
        let mut other = BranchAndBound::new(Options { long_after: u64::MAX, ..aiming(2) });
        match (&answer, &other.decide(&question, &Limits::default())) {
            (Answer::Sat(point), Answer::Sat(_)) => {
                sat += 1;
                assert!(question.is_witness(point), "seed {seed}\n{}", show(&question));
            }
            (Answer::Unsat, Answer::Unsat) => unsat += 1,
            (_, other) => panic!("seed {seed}: {answer:?} with aims, {other:?} without\n{}", show(&question)),
        }
        nodes += oracle.statistics().nodes;
        without += other.statistics().nodes;
    }
    assert!(sat > 40 && unsat > 40, "{sat} sat, {unsat} unsat");
    assert!(nodes < without, "{nodes} nodes with aims, {without} without");
}
