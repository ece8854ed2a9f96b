//! What a search announces, held against the definition step by step.
//!
//! The auditor rebuilds every region from the splits: its box, the phases of its neurons, the truth values of tracked formulas, the parts
//! that are given up. Each claim about a region is a question that must have no witness: a point that was cut off, a neuron beyond its
//! bounds, a row below its form, a witness in a region that is refuted. The reference decides it; where that takes too long, points
//! of the region are tried. Linear combinations are summed up in rationals. At the end every region must have been settled.

#![allow(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

pub(crate) mod cases;
mod claims;
pub(crate) mod region;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use surefoot_fixtures::Random;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::proof::{NeuronPhase, Parts, ProofSink, Source, Split, Step};
use surefoot_oracle::{Answer, Application, Assignment, Kind, Limits, Oracle, Question, Reference, Variable};

use crate::common::formula::random_point;
use crate::common::show::show;
use region::{Bounds, Formulas, Region};

/// Points and programs that the reference may spend on a claim.
const REFERENCE_NODES: u64 = 200;
/// Points that are tried where that is not enough.
const SAMPLES: usize = 8;

/// What the search is for.
pub(crate) enum Goal {
    /// One witness.
    One,
    /// All assignments but these.
    All(FxHashSet<Assignment>),
    /// Which of the tracked formulas hold nowhere, of those that are asked about.
    Nowhere(Vec<bool>),
}

/// Audits one search.
pub(crate) struct Auditor {
    goal: Goal,
    question: Question,
    tracked: Vec<Formula>,
    formulas: Formulas,
    regions: BTreeMap<u64, Region>,
    settled: BTreeSet<u64>,
    /// Phases that exclude each other, by region.
    conflicts: BTreeMap<u64, Vec<Vec<NeuronPhase>>>,
    aside: BTreeSet<u32>,
    random: Random,
    /// How often what was announced.
    pub(crate) counts: BTreeMap<&'static str, u64>,
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("bounds are finite")
}

fn zipped(lower: &[f64], upper: &[f64]) -> Bounds {
    lower.iter().zip(upper).map(|(l, u)| (exact(*l), exact(*u))).collect()
}

impl Auditor {
    pub(crate) fn new(question: &Question, tracked: &[Formula], goal: Goal, random: Random) -> Self {
        Self {
            goal,
            question: question.clone(),
            tracked: tracked.to_vec(),
            formulas: Formulas::default(),
            regions: BTreeMap::new(),
            settled: BTreeSet::new(),
            conflicts: BTreeMap::new(),
            aside: BTreeSet::new(),
            random,
            counts: BTreeMap::new(),
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Regions that are neither refuted nor split, of the search that has fewest of those that began at the root.
    pub(crate) fn open(&self) -> Vec<u64> {
        let of = |root: u64| -> Vec<u64> {
            let open = self.regions.iter().filter(|(id, region)| region.root == root && !self.settled.contains(id));
            open.map(|(id, _)| *id).collect()
        };
        let roots: BTreeSet<u64> = self.regions.values().map(|region| region.root).collect();
        roots.into_iter().map(of).min_by_key(Vec::len).unwrap_or_default()
    }

    /// Whether a formula was set aside.
    pub(crate) fn is_aside(&self, formula: usize) -> bool {
        self.aside.contains(&(formula as u32))
    }

    /// A question has no witness.
    fn none(&mut self, question: &Question, claim: &str) {
        let limits = Limits { nodes: Some(REFERENCE_NODES), ..Limits::default() };
        match Reference::new().decide(question, &limits) {
            Answer::Unsat => self.count("decided"),
            Answer::Sat(point) => panic!("{claim}: {point:?} says otherwise\n{}", show(question)),
            Answer::Unknown(_) => {
                self.count("sampled");
                for _ in 0..SAMPLES {
                    let point = random_point(&mut self.random, question);
                    assert!(!question.is_witness(&point), "{claim}: {point:?} says otherwise\n{}", show(question));
                }
            }
        }
    }

    /// No point of a region, with the phases it assumes, satisfies a formula that needs applications of its own.
    fn no_point(&mut self, region: u64, formula: impl FnOnce(&mut Question) -> Formula, claim: &str) {
        let mut question = self.regions[&region].points(&self.question);
        let also = formula(&mut question);
        question.formula = Formula::all([question.formula.clone(), also]);
        self.none(&question, claim);
    }

    /// No point that matters to the search satisfies a formula in a region.
    fn no_witness(&mut self, region: u64, formula: Formula, claim: &str) {
        let own = &self.regions[&region];
        let mut question = own.witnesses(&self.question, &self.formulas);
        let mut parts = vec![question.formula.clone(), formula];
        match &self.goal {
            Goal::One | Goal::All(_) => {}
            Goal::Nowhere(_) => parts.push(Formula::any(self.alive(region))),
        }
        question.formula = Formula::all(parts);
        self.none(&question, claim);
    }

    /// The formulas that are asked about and may hold in a region.
    fn alive(&self, region: u64) -> Vec<Formula> {
        let Goal::Nowhere(asked) = &self.goal else { return Vec::new() };
        let excluded = &self.regions[&region].excluded;
        let alive =
            |(formula, asked): &(u32, &bool)| **asked && !self.aside.contains(formula) && !excluded.contains(formula);
        let formulas = (0..).zip(asked).filter(alive);
        formulas.map(|(formula, _)| self.tracked[formula as usize].clone()).collect()
    }

    /// The formulas mean what the question says, exactly.
    fn begin(&mut self, parts: Parts<'_>, bounds: Bounds) {
        self.formulas = Formulas::new(parts);
        for ((lower, upper), variable) in bounds.iter().zip(&self.question.variables) {
            let (least, most) = match variable.kind {
                Kind::Integer => (variable.lower.ceil(), variable.upper.floor()),
                Kind::Real => (variable.lower.clone(), variable.upper.clone()),
            };
            assert!(*lower <= least && most <= *upper, "the box holds all points");
        }
        self.regions.insert(0, Region { bounds, ..Region::default() });
        let mut said = vec![(self.formulas.root, self.question.formula.clone())];
        for ((yes, no), formula) in self.formulas.tracked.iter().zip(&self.tracked) {
            said.extend([(*yes, formula.clone()), (*no, formula.negated())]);
        }
        assert_eq!(said.len(), 1 + 2 * self.tracked.len(), "every formula is tracked");
        for (part, meant) in said {
            let part = self.formulas.formula(part, &BTreeSet::new());
            let one = Formula::all([part.clone(), meant.negated()]);
            let other = Formula::all([part.negated(), meant]);
            self.no_point(0, |_| Formula::any([one, other]), "a part means what the question says");
        }
    }

    /// The reduced question is the question with the values put in that the box leaves.
    fn reduced(&mut self, question: &Question, tracked: &[Formula], free: &[usize], parts: Parts<'_>) {
        let bounds = self.regions[&0].bounds.clone();
        let gone = bounds.len() - free.len();
        let replace = |symbol: Symbol| {
            let Some((lower, upper)) = bounds.get(symbol.index()) else {
                return Some(Linear::symbol(Symbol::at(symbol.index() - gone)));
            };
            if let Some(new) = free.iter().position(|v| *v == symbol.index()) {
                return Some(Linear::symbol(Symbol::at(new)));
            }
            assert_eq!(lower, upper, "what is not free is fixed");
            Some(Linear::constant_form(lower.clone()))
        };
        let variables: Vec<Variable> = free
            .iter()
            .map(|v| match self.question.variables[*v].kind {
                Kind::Integer => {
                    Variable { kind: Kind::Integer, lower: bounds[*v].0.clone(), upper: bounds[*v].1.clone() }
                }
                Kind::Real => self.question.variables[*v].clone(),
            })
            .collect();
        assert_eq!(question.variables, variables, "bounds are those of the box");
        assert_eq!(question.formula, self.question.formula.substitute(&replace), "values are put into the formula");
        for (Application { network, inputs }, own) in question.applications.iter().zip(&self.question.applications) {
            assert!(std::sync::Arc::ptr_eq(network, &own.network), "networks stay");
            let expected: Vec<Linear> = own.inputs.iter().map(|form| form.substitute(&replace)).collect();
            assert_eq!(inputs.to_vec(), expected, "values are put into the inputs");
        }
        let expected: Vec<Formula> = self.tracked.iter().map(|formula| formula.substitute(&replace)).collect();
        assert_eq!(tracked, expected, "values are put into tracked formulas");
        (self.question, self.tracked) = (question.clone(), expected);
        let bounds = free.iter().map(|v| bounds[*v].clone()).collect();
        self.regions.clear();
        // The exact bounds of reals count, the narrower box is kept beside them.
        let whole =
            question.variables.iter().map(|variable| (variable.lower.clone(), variable.upper.clone())).collect();
        self.begin(parts, whole);
        self.regions.insert(0, Region { bounds, ..Region::default() });
    }

    fn split(&mut self, region: u64, halves: [u64; 2], split: Split) {
        assert!(self.settled.insert(region), "region {region} is split once");
        let whole = self.regions[&region].clone();
        let (mut first, mut second) = (whole.clone(), whole);
        match split {
            Split::Variable { variable, at } => {
                self.count("split by a variable");
                first.bounds[variable].1 = exact(at);
                let integral = self.question.variables[variable].kind == Kind::Integer;
                assert!(!integral || at.fract() == 0.0, "integers are split between integers");
                second.bounds[variable].0 = exact(if integral { at + 1.0 } else { at });
            }
            Split::Neuron { application, layer, neuron, at } => {
                self.count(if at == 0.0 { "split by a phase" } else { "split by a range" });
                let range = |above| Source::Range { application, layer, neuron, at, above };
                first.ranges.push(range(true));
                second.ranges.push(range(false));
            }
            Split::Tracked { formula } => {
                self.count("split by a tracked formula");
                let (yes, no) = self.formulas.tracked[formula];
                first.extra.push(yes);
                second.extra.push(no);
            }
            Split::Part { part } => {
                self.count("split by a part");
                first.given_up.extend(self.formulas.others(part));
                second.given_up.insert(part);
            }
            Split::Abandoned => panic!("regions that are abandoned are not split"),
        }
        self.regions.insert(halves[0], first);
        self.regions.insert(halves[1], second);
    }

    fn found(&mut self, region: u64, point: &[Rational]) {
        assert!(self.question.is_witness(point), "{point:?} is no witness");
        let values = self.question.symbol_values(point);
        let truths = self.tracked.iter().map(|formula| formula.eval(&|s| values[s.index()].clone()));
        let assignment = Assignment::new(truths);
        match &mut self.goal {
            Goal::One => drop(self.settled.insert(region)),
            Goal::All(known) => drop(known.insert(assignment)),
            Goal::Nowhere(_) => panic!("no witness was asked for"),
        }
    }
}

impl ProofSink for Auditor {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Root { lower, upper, parts } => self.begin(parts, zipped(lower, upper)),
            Step::Reduced { question, tracked, free, parts } => {
                self.count("reduced");
                self.reduced(question, tracked, free, parts);
            }
            Step::Split { region, halves, split } => self.split(region, halves, split),
            Step::Contracted { region, lower, upper } => self.contracted(region, zipped(lower, upper)),
            Step::Neurons { region, application, layer, lower, upper } => {
                self.neurons(region, application, layer, lower, upper);
            }
            Step::Relaxed { region, part, row } => {
                self.count("relaxed");
                self.bounds(region, Source::Part(part), &row);
            }
            Step::Again { region } => {
                self.count("again");
                let root = Region { root: region, ..self.regions[&0].clone() };
                self.regions.insert(region, root);
            }
            Step::Kept { region, parts, ranges, row } => self.kept(region, parts, ranges, &row),
            Step::Conflict { region, phases } => self.conflict(region, phases),
            Step::Refuted { region, why } => self.refuted(region, why),
            Step::Excluded { region, formula } => {
                self.count("excluded");
                let holds = self.tracked[formula as usize].clone();
                self.no_witness(region, holds, "an excluded formula holds nowhere");
                self.regions.get_mut(&region).expect("there is such a region").excluded.insert(formula);
            }
            Step::SetAside { formula } => {
                self.count("set aside");
                self.aside.insert(formula);
            }
            Step::Found { region, point } => {
                self.count("found");
                self.found(region, point);
            }
        }
    }
}
