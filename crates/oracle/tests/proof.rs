//! What a search announces is true, whatever it is for.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

#[path = "common/audit/mod.rs"]
mod audit;
mod common;

use std::collections::BTreeMap;

use audit::cases::{SHAPES, case, excluded, options};
use audit::{Auditor, Goal};
use common::formula::random_formula;
use common::generate::narrowed;
use common::show::show;
use common::{at_least_zero, r};
use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::proof::{ProofSink, Refutation, Step};
use surefoot_oracle::{
    AllAssignments, Answer, BranchAndBound, Holds, Limits, Narrowing, Nowhere, Options, Oracle, Question, Template,
    Variable,
};

const CASES: u64 = 160;

type Counts = BTreeMap<&'static str, u64>;

fn add(total: &mut Counts, auditor: &Auditor) {
    auditor.counts.iter().for_each(|(what, count)| *total.entry(what).or_default() += count);
}

/// Every kind of step was seen, and nearly all claims were decided.
fn seen(counts: &Counts, kinds: &[&str]) {
    for kind in kinds.iter().chain(&["decided"]) {
        assert!(counts.contains_key(kind), "no step is '{kind}': {counts:?}");
    }
    let sampled = counts.get("sampled").copied().unwrap_or_default();
    assert!(10 * sampled <= counts["decided"], "{counts:?}");
}

#[test]
fn every_step_towards_a_witness_is_true() {
    let (mut counts, mut unsat) = (Counts::new(), 0);
    for shape in SHAPES {
        for seed in seeds(13_000_000, 2 * CASES) {
            let mut random = Random::new(seed);
            let (question, _) = case(&mut random, shape);
            let mut oracle = BranchAndBound::new(options(&mut random));
            let mut auditor = Auditor::new(&question, &[], Goal::One, random);
            let answer = oracle.with_proof(&mut auditor).decide(&question, &Limits::default());
            if answer == Answer::Unsat {
                unsat += 1;
                assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left\n{}", show(&question));
            }
            add(&mut counts, &auditor);
        }
    }
    assert!(unsat > CASES / 2, "{unsat} unsat");
    let splits = ["split by a variable", "split by a phase", "split by a part"];
    let refutations = ["refuted by propagation", "refuted exactly", "refuted by points"];
    seen(&counts, &[&splits[..], &refutations, &["reduced", "contracted", "neurons", "relaxed", "found"]].concat());
}

/// Two rows that contradict each other by so little that propagation would take thousands of rounds.
#[test]
fn a_combination_of_rows_is_announced_with_what_they_bound() {
    let sum = Linear::new(Symbol::first(2).map(|symbol| (symbol, Rational::ONE)).collect(), r("-1.2"));
    let below = &Linear::constant_form(r("-0.0001")) - &sum;
    let question = Question {
        variables: vec![Variable::real(r("0"), r("1")); 2],
        applications: Vec::new(),
        formula: Formula::all([at_least_zero(sum), at_least_zero(below)]),
    };
    let mut auditor = Auditor::new(&question, &[], Goal::One, Random::new(1));
    let mut oracle = BranchAndBound::new(Options::default());
    assert_eq!(oracle.with_proof(&mut auditor).decide(&question, &Limits::default()), Answer::Unsat);
    assert_eq!(auditor.open(), [0u64; 0]);
    seen(&auditor.counts, &["refuted by a combination"]);
}

#[test]
fn every_step_towards_all_assignments_is_true() {
    let mut counts = Counts::new();
    for shape in SHAPES {
        for seed in seeds(14_000_000, CASES / 4) {
            let mut random = Random::new(seed);
            let (question, tracked) = case(&mut random, shape);
            let excluded = excluded(&mut random, tracked.len());
            let mut oracle = BranchAndBound::new(options(&mut random));
            let template = Template::new(question.clone(), tracked.clone());
            let variables = narrowed(&mut random, &question);
            let also = [random_formula(&mut random, &question)];
            let within = Narrowing { variables: &variables, also: &also };
            let limits = Limits::default();
            let goal = || Goal::All(excluded.clone());
            let mut auditor = Auditor::new(&question, &tracked, goal(), Random::new(seed));
            let found = oracle.with_proof(&mut auditor).assignments(&question, &tracked, &excluded, &limits);
            let alone = template.narrowed(within);
            let mut narrow = Auditor::new(&alone, &tracked, goal(), Random::new(seed));
            let more = oracle.with_proof(&mut narrow).assignments_within(&template, within, &excluded, &limits);
            for (auditor, found) in [(&auditor, &found), (&narrow, &more)] {
                assert_eq!(found.stopped, None, "seed {seed}");
                assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left\n{}", show(&question));
                add(&mut counts, auditor);
            }
        }
    }
    let splits = ["split by a variable", "split by a phase", "split by a part", "split by a tracked formula"];
    let refutations = ["refuted by propagation", "refuted by points", "refuted as known", "refuted exactly"];
    seen(&counts, &[&splits[..], &refutations, &["reduced", "contracted", "neurons", "relaxed", "found"]].concat());
}

#[test]
fn every_step_towards_what_holds_nowhere_is_true() {
    let (mut counts, mut nowhere) = (Counts::new(), 0);
    for shape in SHAPES {
        for seed in seeds(15_000_000, 2 * CASES) {
            let mut random = Random::new(seed);
            let (mut question, tracked) = case(&mut random, shape);
            if random.percent(60) {
                question.formula = Formula::truth();
            }
            let asked: Vec<bool> = tracked.iter().map(|_| random.percent(90)).collect();
            let mut oracle = BranchAndBound::new(options(&mut random));
            let template = Template::new(question.clone(), tracked.clone());
            let variables = narrowed(&mut random, &question);
            let also: Vec<Formula> = (0..random.below(2)).map(|_| random_formula(&mut random, &question)).collect();
            let within = Narrowing { variables: &variables, also: &also };
            let limits = Limits { nodes: Some(400), ..Limits::default() };
            let alone = template.narrowed(within);
            let mut auditor = Auditor::new(&alone, &tracked, Goal::Nowhere(asked.clone()), random);
            let found = oracle.with_proof(&mut auditor).nowhere(&template, within, &asked, &limits);
            assert_eq!(auditor.open(), [0u64; 0], "seed {seed}: regions are left\n{}", show(&alone));
            for (formula, holds) in found.iter().enumerate().filter(|(formula, _)| asked[*formula]) {
                // Several networks are not looked at, and nothing is announced.
                let looked = alone.applications.len() == 1;
                assert!(!looked || (*holds == Holds::Nowhere) != auditor.is_aside(formula), "seed {seed}: {holds:?}");
                nowhere += usize::from(*holds == Holds::Nowhere);
            }
            add(&mut counts, &auditor);
        }
    }
    assert!(nowhere > 100, "{nowhere} hold nowhere");
    let refutations = ["refuted by propagation", "refuted as excluded"];
    let steps = ["split by a variable", "contracted", "neurons", "relaxed", "excluded", "set aside"];
    seen(&counts, &[&refutations[..], &steps].concat());
}

/// What is told instead of a step.
type Lie = fn(Step<'_>, &mut dyn FnMut(Step<'_>));

/// Tells an auditor something else than was announced.
struct Liar<'a> {
    auditor: &'a mut Auditor,
    lie: Lie,
}

impl ProofSink for Liar<'_> {
    fn step(&mut self, step: Step<'_>) {
        (self.lie)(step, &mut |step| self.auditor.step(step));
    }
}

/// Whether some question shows that an auditor is told a lie.
fn is_noticed(lie: Lie) -> bool {
    let noticed = |seed: u64| {
        let mut random = Random::new(seed);
        let (question, tracked) = case(&mut random, SHAPES[(seed % 3) as usize]);
        let mut oracle = BranchAndBound::new(options(&mut random));
        let goal = if seed.is_multiple_of(2) { Goal::One } else { Goal::All(FxHashSet::default()) };
        let tracked = if seed.is_multiple_of(2) { Vec::new() } else { tracked };
        let mut auditor = Auditor::new(&question, &tracked, goal, random);
        let mut liar = Liar { auditor: &mut auditor, lie };
        let search = std::panic::AssertUnwindSafe(|| {
            let mut proving = oracle.with_proof(&mut liar);
            if tracked.is_empty() {
                drop(proving.decide(&question, &Limits::default()));
            } else {
                drop(proving.assignments(&question, &tracked, &FxHashSet::default(), &Limits::default()));
            }
        });
        std::panic::catch_unwind(search).is_err() || !auditor.open().is_empty()
    };
    seeds(18_000_000, CASES).any(noticed)
}

#[test]
fn lies_are_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let lies: [(&str, Lie); 7] = [
        ("a box that shrinks too far", |step, tell| match step {
            Step::Contracted { region, lower, upper } => {
                let middle: Vec<f64> =
                    lower.iter().zip(upper).map(|(l, u)| (0.5 * l + 0.5 * u).floor().max(*l)).collect();
                tell(Step::Contracted { region, lower, upper: &middle });
            }
            other => tell(other),
        }),
        ("a neuron that is bounded too well", |step, tell| match step {
            Step::Neurons { region, application, layer, lower, upper } => {
                let better: Vec<f64> = lower.iter().map(|l| l + 0.25).collect();
                tell(Step::Neurons { region, application, layer, lower: &better, upper });
            }
            other => tell(other),
        }),
        ("a row that is too small", |step, tell| match step {
            Step::Relaxed { region, part, mut row } => {
                row.slack -= 0.5;
                tell(Step::Relaxed { region, part, row });
            }
            other => tell(other),
        }),
        ("a half-space that is too small", |step, tell| match step {
            Step::Kept { region, parts, ranges, mut row } => {
                row.slack -= 0.5;
                tell(Step::Kept { region, parts, ranges, row });
            }
            other => tell(other),
        }),
        ("a refutation that is left out", |step, tell| match step {
            Step::Refuted { why: Refutation::Propagation, .. } => {}
            other => tell(other),
        }),
        ("halves that do not cover the whole", |step, tell| match step {
            Step::Split { region, halves, split: surefoot_oracle::proof::Split::Variable { variable, at } } => {
                let split = surefoot_oracle::proof::Split::Variable { variable, at: at + 1.0 };
                tell(Step::Split { region, halves, split });
            }
            other => tell(other),
        }),
        ("a region that is refuted although it is split", |step, tell| match step {
            Step::Split { region, .. } => tell(Step::Refuted { region, why: Refutation::Points }),
            other => tell(other),
        }),
    ];
    let believed: Vec<&str> = lies.into_iter().filter(|(_, lie)| !is_noticed(*lie)).map(|(name, _)| name).collect();
    drop(std::panic::take_hook());
    assert!(believed.is_empty(), "{believed:?}");
}
