//! What a search announces is true: every step is audited in exact arithmetic.
//!
//! The auditor keeps the box of every region, rebuilds it from splits and contractions, and holds each claim against
//! the definition: bounds and rows at sampled points of the box, refutations at all of its points where they are few, linear
//! combinations in rationals. At the end every region must have been refuted or split.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::generate::{Shape, question_of_shape};
use common::show::show;
use surefoot_fixtures::{Random, seeds};
use surefoot_lp::Program;
use surefoot_num::Rational;
use surefoot_oracle::proof::{ProofSink, Refutation, RowFact, Split, Step};
use surefoot_oracle::{Answer, BranchAndBound, Kind, Limits, Options, Question, Variable};

const CASES: u64 = 500;
const SAMPLES: usize = 6;

type Bounds = Vec<(Rational, Rational)>;

struct Auditor<'q> {
    question: &'q Question,
    random: Random,
    boxes: BTreeMap<u64, Bounds>,
    settled: BTreeMap<u64, &'static str>,
    /// Regions that more than their box restricts: a phase or a part of a disjunction is assumed.
    narrowed: BTreeSet<u64>,
    claims: u64,
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).unwrap()
}

fn zipped(lower: &[f64], upper: &[f64]) -> Bounds {
    lower.iter().zip(upper).map(|(l, u)| (exact(*l), exact(*u))).collect()
}

fn value(row: &RowFact<'_>, point: &[Rational]) -> Rational {
    let products = row.coefficients.iter().zip(point).map(|(a, x)| &exact(*a) * x);
    &(&products.sum::<Rational>() + &exact(row.constant)) + &exact(row.slack)
}

impl Auditor<'_> {
    /// A point of a region's box, integral where it must be.
    fn sample(&mut self, bounds: &Bounds) -> Vec<Rational> {
        let share = |random: &mut Random| Rational::new(random.between(0, 8), 8).unwrap();
        let pick = |((l, u), variable): (&(Rational, Rational), &Variable)| {
            let x = l + &(&share(&mut self.random) * &(u - l));
            if variable.kind == Kind::Integer { x.floor() } else { x }
        };
        bounds.iter().zip(&self.question.variables).map(pick).collect()
    }

    /// Pre-activations of a layer at a point.
    fn neurons(&self, application: usize, layer: usize, point: &[Rational]) -> Vec<Rational> {
        let application = &self.question.applications[application];
        let network = &application.network;
        let inputs: Vec<Rational> = application.inputs.iter().map(|f| f.eval(|s| point[s.index()].clone())).collect();
        let mut values = network.input_normalisation().map_or(inputs.clone(), |n| n.apply(&inputs));
        for (index, l) in network.layers().iter().enumerate() {
            let sum = |(row, bias): (&[f64], f64)| {
                &row.iter().zip(&values).map(|(w, x)| &exact(*w) * x).sum::<Rational>() + &exact(bias)
            };
            let z: Vec<Rational> = l.rows().map(sum).collect();
            if index == layer {
                return z;
            }
            let relu = l.activation() == surefoot_network::Activation::Relu;
            values = z.into_iter().map(|z| if relu { z.max(Rational::ZERO) } else { z }).collect();
        }
        unreachable!("there is such a layer")
    }

    fn refuted(&mut self, region: u64, why: Refutation<'_>) {
        let bounds = self.boxes[&region].clone();
        assert_eq!(self.settled.insert(region, "refuted"), None);
        match why {
            Refutation::Combination { rows, multipliers } => {
                let mut sum = Rational::ZERO;
                assert!(multipliers.iter().all(|m| *m >= 0.0));
                for (v, (lower, upper)) in bounds.iter().enumerate() {
                    let column = rows.iter().zip(multipliers);
                    let a: Rational = column.map(|(row, m)| &exact(row.coefficients[v]) * &exact(*m)).sum();
                    sum = &sum + &(&a * lower).max(&a * upper);
                }
                for (row, m) in rows.iter().zip(multipliers) {
                    sum = &sum + &(&(&exact(row.constant) + &exact(row.slack)) * &exact(*m));
                }
                assert!(sum.signum() < 0, "the combination is negative on the whole box");
            }
            Refutation::Exact { rows, multipliers } => {
                let cut = |((l, u), variable): (&(Rational, Rational), &Variable)| {
                    (l.clone().max(variable.lower.clone()), u.clone().min(variable.upper.clone()))
                };
                let bounds = bounds.iter().zip(&self.question.variables).map(cut).collect();
                assert!(Program { bounds, rows: rows.to_vec() }.refutes(multipliers));
            }
            Refutation::Points | Refutation::Propagation | Refutation::Neurons { .. } => {}
            Refutation::Known => panic!("one witness was asked for"),
        }
        for _ in 0..SAMPLES {
            let point = self.sample(&bounds);
            assert!(!self.question.is_witness(&point), "{point:?} is in a refuted region");
        }
    }
}

impl ProofSink for Auditor<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.claims += 1;
        match step {
            Step::Root { lower, upper } => {
                self.boxes.insert(0, zipped(lower, upper));
            }
            Step::Split { region, halves, split } => {
                assert_eq!(self.settled.insert(region, "split"), None);
                let whole = self.boxes[&region].clone();
                let (mut first, mut second) = (whole.clone(), whole);
                if let Split::Variable { variable, at } = split {
                    first[variable].1 = exact(at);
                    let integral = self.question.variables[variable].kind == Kind::Integer;
                    second[variable].0 = exact(if integral { at + 1.0 } else { at });
                }
                if !matches!(split, Split::Variable { .. }) || self.narrowed.contains(&region) {
                    self.narrowed.extend(halves);
                }
                self.boxes.insert(halves[0], first);
                self.boxes.insert(halves[1], second);
            }
            Step::Contracted { region, lower, upper } => {
                let (old, new) = (self.boxes[&region].clone(), zipped(lower, upper));
                for ((ol, ou), (nl, nu)) in old.iter().zip(&new) {
                    assert!(ol <= nl && nu <= ou && nl <= nu, "boxes only shrink");
                }
                for _ in 0..SAMPLES {
                    let point = self.sample(&old);
                    let outside = point.iter().zip(&new).any(|(x, (l, u))| x < l || u < x);
                    let lost = outside && !self.narrowed.contains(&region) && self.question.is_witness(&point);
                    assert!(!lost, "{point:?} is a witness and was cut off");
                }
                self.boxes.insert(region, new);
            }
            Step::Neurons { region, application, layer, lower, upper } => {
                let bounds = self.boxes[&region].clone();
                let layers = self.question.applications[application].network.layers();
                if layers[layer].activation() != surefoot_network::Activation::Relu || self.narrowed.contains(&region) {
                    return;
                }
                for _ in 0..SAMPLES {
                    let point = self.sample(&bounds);
                    for (i, z) in self.neurons(application, layer, &point).iter().enumerate() {
                        assert!(exact(lower[i]) <= *z && *z <= exact(upper[i]), "neuron {i} at {point:?}");
                    }
                }
            }
            Step::Relaxed { region, atom, row } => {
                if self.narrowed.contains(&region) {
                    return;
                }
                let bounds = self.boxes[&region].clone();
                for _ in 0..SAMPLES {
                    let point = self.sample(&bounds);
                    let symbols = self.question.symbol_values(&point);
                    let form = atom.form.eval(|s| symbols[s.index()].clone());
                    assert!(form <= value(&row, &point), "the row bounds the form at {point:?}");
                }
            }
            Step::Refuted { region, why } => {
                if self.narrowed.contains(&region) {
                    self.settled.insert(region, "refuted");
                } else {
                    self.refuted(region, why);
                }
            }
            Step::Found { region, point } => {
                assert!(self.question.is_witness(point));
                self.settled.insert(region, "found");
            }
        }
    }
}

#[test]
fn every_announced_step_is_true() {
    let (mut claims, mut unsat) = (0, 0);
    for shape in [Shape::Integer, Shape::Real, Shape::Mixed] {
        for seed in seeds(13_000_000, CASES) {
            let mut random = Random::new(seed);
            let question = question_of_shape(&mut random, shape);
            let mut auditor = Auditor {
                question: &question,
                random,
                boxes: BTreeMap::new(),
                settled: BTreeMap::new(),
                narrowed: BTreeSet::new(),
                claims: 0,
            };
            // Without enumeration of few points the bounds have to do the work.
            let options = Options { enumerate: 1.0, root_steps: 0, ..Options::default() };
            let answer = BranchAndBound::new(options).decide_with_proof(&question, &Limits::default(), &mut auditor);
            if answer == Answer::Unsat {
                unsat += 1;
                let open: Vec<_> = auditor.boxes.keys().filter(|id| !auditor.settled.contains_key(id)).collect();
                assert!(open.is_empty(), "seed {seed}: regions {open:?} are left\n{}", show(&question));
            }
            claims += auditor.claims;
        }
    }
    assert!(unsat > CASES / 2 && claims > 5 * CASES, "{unsat} unsat, {claims} claims");
}
