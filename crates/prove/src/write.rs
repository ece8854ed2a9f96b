//! The whole certificate: the invariant, then a proof for each start condition and each region.
//!
//! Proofs are found in parallel, in blocks, and written in order; which atoms they add is told before the tree that uses them. So the file is the same
//! whatever the number of threads.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use surefoot_certificate::token::Token;
use surefoot_certificate::{CertificateWriter, WriteError};
use surefoot_checker::formula::{Formula, Formulas};
use surefoot_checker::invariant::MOST_SHARED;
use surefoot_checker::operator::Operators;
use surefoot_checker::rules::{Asked, Region, Rules, States};
use surefoot_limits::Limits;
use surefoot_model::State;
use surefoot_problem::Problem;

use crate::proof::{Proof, Stuck};
use crate::search::{Locate, Search};

/// Rows decide only with this margin, so that other checkers' rounding does not matter.
pub(crate) const MARGIN: f64 = 1.0 / 1_048_576.0;
/// Regions that are proved at once.
pub(crate) const BLOCK: usize = 256;
/// Trees that are remembered, to be shared.
const MOST_REMEMBERED: usize = 1 << 16;

/// An invariant, as an engine found it.
pub struct Invariant<'i> {
    /// Formulas of its regions.
    pub formulas: Formulas,
    /// Regions.
    pub regions: Vec<Region>,
    /// States.
    pub states: States,
    /// A start state.
    pub start: State,
    /// In which region or among which states a point is.
    pub locate: &'i Locate<'i>,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Regions.
    pub regions: u64,
    /// States.
    pub states: u64,
    /// Tokens.
    pub tokens: u64,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum Unwritten {
    /// It is about something that certificates are not for.
    #[error("{0}")]
    Unsupported(String),
    /// A proof was not found.
    #[error("no proof was found for {what}: {why}")]
    Unproved {
        /// Of what.
        what: String,
        /// Why.
        why: Stuck,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes the lines of a certificate behind its index.
///
/// # Errors
/// Why there is none.
pub fn write(
    problem: &Problem,
    assume_no_errors: bool,
    invariant: Invariant<'_>,
    limits: &Limits,
    out: &mut CertificateWriter,
) -> Result<Written, Unwritten> {
    let asked = Asked::new(problem, assume_no_errors).map_err(Unwritten::Unsupported)?;
    let mut rules = Rules::new(asked).map_err(Unwritten::Unsupported)?;
    let Invariant { formulas, regions, states, start, locate } = invariant;
    (rules.regions, rules.states) = (regions, states);
    let mut emitter = Emitter::new(out, 0);
    emitter.formulas(&formulas)?;
    prepare(&mut rules, emitter.out)?;
    check_states(&mut rules, limits)?;
    emitter.invariant(&rules)?;
    let values = start
        .to_ints()
        .ok_or_else(|| Unwritten::Unsupported("a start state has values that are no integers".to_owned()))?;
    emitter.out.line(&format!("x {}", numbers(&values)))?;
    let search = || Search::new(&rules, rules.workspace(formulas.clone(), MARGIN), locate, limits);
    let query = &problem.query.start;
    for (number, condition) in query.conditions.iter().enumerate() {
        let proof = search().prove(rules.start_node(*condition)).map_err(|why| {
            let what = format!("start condition {number}");
            Unwritten::Unproved { what, why }
        })?;
        emitter.tree("c", None, &proof, formulas.len())?;
    }
    for (number, state) in query.states.iter().enumerate() {
        let place = state.to_ints().and_then(|point| locate(&point));
        let place = place.ok_or_else(|| {
            let why = Stuck::Open("it is not in the invariant".to_owned());
            Unwritten::Unproved { what: format!("listed start state {number}"), why }
        })?;
        emitter.out.line(&format!("l {place}"))?;
    }
    let count = rules.regions.len();
    for first in (0..count).step_by(BLOCK) {
        let block: Vec<usize> = (first..count.min(first + BLOCK)).collect();
        let proofs: Vec<Result<Proof, Stuck>> = block
            .par_iter()
            .map_init(search, |search, region| {
                let node = rules.region_node(&rules.regions[*region], &search.ws).map_err(Stuck::Open)?;
                search.prove(node)
            })
            .collect();
        for (region, proof) in block.into_iter().zip(proofs) {
            let proof = proof.map_err(|why| Unwritten::Unproved { what: format!("region {region}"), why })?;
            emitter.tree("t", Some(region), &proof, formulas.len())?;
        }
    }
    let written = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    Ok(Written { regions: written(count), states: written(rules.states.values.len()), tokens: emitter.tokens })
}

/// That each state passes by the checker's rule: states have no trees, so that nothing else is told of them.
fn check_states(rules: &mut Rules<'_>, limits: &Limits) -> Result<(), Unwritten> {
    let locations = rules.asked.locations();
    let mut all: Vec<Vec<i64>> = rules.states.values.iter().map(|values| values[..locations].to_vec()).collect();
    all.sort_unstable();
    all.dedup();
    for locations in &all {
        rules.operators.prepare(locations).map_err(Unwritten::Unsupported)?;
    }
    let rules = &*rules;
    let mut states: Vec<&[i64]> = rules.states.values.iter().map(|values| &**values).collect();
    states.sort_unstable();
    let failed = |values: &[i64], why| Unwritten::Unproved { what: format!("the state {}", numbers(values)), why };
    for block in states.chunks(BLOCK * BLOCK) {
        if let Some(stop) = limits.stop() {
            return Err(failed(block[0], Stuck::Limit(stop)));
        }
        let workspace = || rules.workspace(Formulas::default(), 0.0);
        let checked = block.par_iter().map_init(workspace, |ws, values| rules.check_state(values, ws).err());
        let checked: Vec<Option<String>> = checked.collect();
        if let Some((values, why)) = block.iter().zip(checked).find_map(|(values, why)| Some((values, why?))) {
            return Err(failed(values, Stuck::Open(why)));
        }
    }
    Ok(())
}

/// Numbers the operators that leave the invariant's locations, and lays them out.
fn prepare(rules: &mut Rules<'_>, out: &mut CertificateWriter) -> Result<(), Unwritten> {
    let locations = rules.asked.locations();
    let of_region = |region: &Region| region.bounds.iter().take(locations).map(|(_, l, _)| *l).collect::<Vec<i64>>();
    let mut all: Vec<Vec<i64>> = rules.regions.iter().map(of_region).collect();
    all.extend(rules.states.values.iter().map(|values| values[..locations].to_vec()));
    all.sort_unstable();
    all.dedup();
    let model = rules.asked.model;
    // Numbers are looked up when operators are laid out, so they are laid out twice.
    let mut first = Operators::new(model, rules.asked.policy).map_err(Unwritten::Unsupported)?;
    let mut known: FxHashMap<_, ()> = FxHashMap::default();
    for locations in &all {
        first.prepare(locations).map_err(Unwritten::Unsupported)?;
        for op in first.at(first.place(locations)) {
            let name = Operators::name(model, &op.operator);
            if known.insert(name.clone(), ()).is_none() {
                let number = u32::try_from(known.len() - 1)
                    .map_err(|_| Unwritten::Unsupported("too many operators".to_owned()))?;
                let label = name.0.map_or("-".to_owned(), |label| label.0.to_string());
                let edge = |(instance, edge): &(usize, Option<usize>)| {
                    format!(" {instance}:{}", edge.map_or("-".to_owned(), |edge| edge.to_string()))
                };
                out.line(&format!("o {label}{}", name.1.iter().map(edge).collect::<String>()))?;
                rules.operators.number(name, number).map_err(Unwritten::Unsupported)?;
            }
        }
    }
    for locations in &all {
        rules.operators.prepare(locations).map_err(Unwritten::Unsupported)?;
    }
    Ok(())
}

fn numbers(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

/// Writes lines, and remembers what was written.
pub(crate) struct Emitter<'w> {
    pub(crate) out: &'w mut CertificateWriter,
    /// Formulas that were written.
    formulas: FxHashMap<FormulaKey, u32>,
    count: u32,
    /// Short trees that were written.
    trees: FxHashMap<String, usize>,
    pub(crate) tokens: u64,
}

/// A formula by what it says.
type FormulaKey = String;

/// The line of a formula, parts given by their numbers.
fn formula_line(formula: &Formula, number: impl Fn(u32) -> u32) -> String {
    let list = |parts: &[u32]| parts.iter().map(|part| number(*part).to_string()).collect::<Vec<_>>().join(" ");
    match formula {
        Formula::Atom(atom) => {
            let terms = atom.terms.iter().map(|(slot, a)| format!(" {slot}:{a}"));
            format!("a {}{}", atom.constant, terms.collect::<String>())
        }
        Formula::All(parts) => format!("& {}", list(parts)),
        Formula::Any(parts) => format!("| {}", list(parts)),
        Formula::Not(part) => format!("! {}", number(*part)),
    }
}

impl<'w> Emitter<'w> {
    /// One that has written nothing; so many formulas are known without being written.
    pub(crate) fn new(out: &'w mut CertificateWriter, count: u32) -> Self {
        Self { out, formulas: FxHashMap::default(), count, trees: FxHashMap::default(), tokens: 0 }
    }

    fn formulas(&mut self, formulas: &Formulas) -> Result<(), Unwritten> {
        for id in 0..formulas.len() {
            let formula = u32::try_from(id).map_err(|_| "too many formulas".to_owned()).and_then(|id| formulas.get(id));
            let line = formula_line(formula.map_err(Unwritten::Unsupported)?, |part| part);
            self.out.line(&line)?;
            self.formulas.entry(line).or_insert(self.count);
            self.count += 1;
        }
        Ok(())
    }

    fn invariant(&mut self, rules: &Rules<'_>) -> Result<(), Unwritten> {
        for region in &rules.regions {
            let bounds = region.bounds.iter().map(|(slot, lower, upper)| format!(" {slot}:{lower}:{upper}"));
            let formulas = region.formulas.iter().map(|formula| format!(" f{formula}"));
            self.out.line(&format!("r{}", bounds.chain(formulas).collect::<String>()))?;
        }
        let States { kept, values } = &rules.states;
        if !kept.is_empty() {
            let slots: Vec<i64> = kept.iter().map(|slot| i64::from(*slot)).collect();
            self.out.line(&format!("k {}", numbers(&slots)))?;
            let mut values: Vec<&[i64]> = values.iter().map(|values| &**values).collect();
            values.sort_unstable();
            for values in values {
                self.out.line(&format!("s {}", numbers(values)))?;
            }
        }
        Ok(())
    }

    /// Writes a tree, the formulas that it adds before it.
    pub(crate) fn tree(
        &mut self,
        kind: &str,
        region: Option<usize>,
        proof: &Proof,
        first: usize,
    ) -> Result<(), Unwritten> {
        let mut added: Vec<u32> = Vec::with_capacity(proof.added.len());
        for formula in &proof.added {
            let line = formula_line(formula, |part| renumbered(part, first, &added));
            let number = match self.formulas.get(&line) {
                Some(number) => *number,
                None => {
                    self.out.line(&line)?;
                    self.formulas.insert(line, self.count);
                    self.count += 1;
                    self.count - 1
                }
            };
            added.push(number);
        }
        let number = |formula: &u32| renumbered(*formula, first, &added);
        let token = |token: &Token| match token {
            Token::Ask(formula) => Token::Ask(number(formula)).to_string(),
            Token::Empty(sum) => Token::Empty(sum.iter().map(|(f, m)| (number(f), m.clone())).collect()).to_string(),
            Token::Exclude { output, sum } => {
                let sum = sum.iter().map(|(f, m)| (number(f), m.clone())).collect();
                Token::Exclude { output: *output, sum }.to_string()
            }
            other => other.to_string(),
        };
        self.tokens += u64::try_from(proof.tokens.len()).unwrap_or(0);
        let text = proof.tokens.iter().map(token).collect::<Vec<_>>().join(" ");
        if let (Some(region), true) = (region, text.len() <= MOST_SHARED) {
            if let Some(earlier) = self.trees.get(&text) {
                self.out.line(&format!("{kind} ={earlier}"))?;
                return Ok(());
            }
            if self.trees.len() < MOST_REMEMBERED {
                self.trees.insert(text.clone(), region);
            }
        }
        self.out.line(&format!("{kind} {text}"))?;
        Ok(())
    }
}

/// The number in the certificate of a formula that a proof means.
fn renumbered(formula: u32, first: usize, added: &[u32]) -> u32 {
    match (formula as usize).checked_sub(first) {
        None => formula,
        Some(index) => added[index],
    }
}
