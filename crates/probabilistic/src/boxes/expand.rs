//! What happens in a cell: the labels that the policy may choose there, and where the moves lead.
//!
//! A move may lead to every cell that the image of the box meets, for each outcome on its own (the outcomes of a state belong together, those of a box
//! need not: more behaviours than there are, never fewer). Labels are asked about for all at once, and what is not decided counts as chosen.
//!
//! Soundness: a state of the cell in which the policy chooses a label has, for every operator of the label that is enabled there, its distribution
//! among those of the cell's moves: each outcome leads into some cell of the outcome's list, because images contain all images of points.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_abstraction::oracles::counted;
use surefoot_abstraction::{Oracles, System};
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_oracle::{Answer, FullOracle, Holds, Limits, Narrowing, Nowhere, Oracle, Question, Statistics, Variable};
use surefoot_text::diagnostic::Diagnostic;

use super::partition::{ANYWHERE, Danger, Label, Move, Partition};
use super::program::{Case, Operator, Program, Written};
use super::range::Range;

/// Nodes per label of a cell.
pub(crate) const NODES: u64 = 256;

/// The images of a cell under an operator: per outcome, boxes.
pub(crate) struct Images {
    pub(crate) operator: usize,
    pub(crate) outcomes: Vec<Vec<Box<[Range]>>>,
}

/// What was found out about a cell.
pub(crate) struct Asked {
    pub(crate) labels: Vec<(usize, Label)>,
    pub(crate) danger: Danger,
    /// Whether errors of the model are excluded.
    pub(crate) faultless: bool,
    pub(crate) work: Statistics,
    pub(crate) stopped: Option<Stop>,
}

/// The variables of a question, in a box.
pub(crate) fn variables(ranges: &[Range]) -> Vec<Variable> {
    ranges.iter().map(|(lower, upper)| Variable::integer(*lower, *upper)).collect()
}

impl Operator {
    /// What is left of a box where it may be enabled; `None` where it is not.
    pub(crate) fn source(&self, ranges: &[Range]) -> Option<Box<[Range]>> {
        if self.guard.truth(ranges) == Some(false) {
            return None;
        }
        let mut source: Box<[Range]> = ranges.into();
        self.guard.narrow(&mut source).then_some(source)
    }
}

impl Case {
    /// What is left of a box, with choices, where it may be the case; `None` where it is not.
    pub(crate) fn source(&self, ranges: &[Range]) -> Option<Vec<Range>> {
        let mut source: Vec<Range> = ranges.iter().chain(&self.choices).copied().collect();
        let possible = self.condition.truth(&source) != Some(false) && self.condition.narrow(&mut source);
        possible.then_some(source)
    }

    /// The slot or choice whose value a slot has afterwards, and what is added to it; `None` where it is not that simple.
    pub(crate) fn origin(&self, slot: usize) -> Option<(usize, i64)> {
        match self.update.iter().find(|(written, _)| *written == slot) {
            None => Some((slot, 0)),
            Some((_, Written::Form(form))) => form.shifted().map(|(from, shift)| (from as usize, shift)),
            Some((_, Written::Any)) => None,
        }
    }

    /// The image of a box with choices; `None` where it leaves the domains.
    pub(crate) fn image(&self, source: &[Range], partition: &Partition) -> Option<Box<[Range]>> {
        let slots = &partition.slots;
        let mut image: Box<[Range]> = source[..slots.domains.len()].into();
        for (slot, written) in self.update.iter().filter(|(slot, _)| slots.matters[*slot]) {
            let domain = slots.domains[*slot];
            image[*slot] = match written {
                Written::Any => domain,
                Written::Form(form) => {
                    let (lower, upper) = form.range(source);
                    // Where it leaves the domain the operator is an error, and absent.
                    (lower.max(domain.0), upper.min(domain.1))
                }
            };
            if image[*slot].0 > image[*slot].1 {
                return None;
            }
        }
        for (slot, location) in self.after.iter().enumerate() {
            image[slot] = (i64::from(*location), i64::from(*location));
        }
        Some(image)
    }
}

impl Partition {
    /// Whether the policy may permit an operator in a cell.
    pub(crate) fn permitted(&self, cell: u32, operator: &Operator) -> bool {
        let labels = &self.cells[cell as usize].labels;
        let permits = |label: &usize| matches!(labels[*label], Label::Possible(_) | Label::Unasked);
        operator.labels.as_ref().is_none_or(|own| own.iter().any(permits))
    }

    /// The images of a cell under all operators that may be taken in it.
    pub(crate) fn images(&self, id: u32) -> Vec<Images> {
        let cell = &self.cells[id as usize];
        let mut images = Vec::new();
        if cell.danger == Danger::All {
            return images;
        }
        for &number in &*cell.operators {
            let operator = &self.programs[cell.program].operators[number];
            let Some(source) = operator.source(&cell.ranges).filter(|_| self.permitted(id, operator)) else { continue };
            let case = |case: &Case| case.image(&case.source(&source)?, self);
            let outcomes: Vec<Vec<Box<[Range]>>> =
                operator.outcomes.iter().map(|outcome| outcome.cases.iter().filter_map(case).collect()).collect();
            if outcomes.iter().all(|boxes| !boxes.is_empty()) {
                images.push(Images { operator: number, outcomes });
            }
        }
        images
    }

    /// Computes the moves of a cell. New configurations come into being.
    pub(crate) fn expand(&mut self, system: &mut System<'_>, id: u32) -> Result<(), Diagnostic> {
        let images = self.images(id);
        let mut moves = Vec::with_capacity(images.len());
        for Images { operator, outcomes } in images {
            let mut targets = Vec::with_capacity(outcomes.len());
            for boxes in outcomes {
                let mut met = Vec::new();
                for image in boxes {
                    self.meets(system, &image, &mut met)?;
                }
                met.sort_unstable();
                met.dedup();
                if met.last() == Some(&ANYWHERE) {
                    met = vec![ANYWHERE];
                }
                targets.push(met.into_boxed_slice());
            }
            moves.push(Move { operator, targets: targets.into() });
        }
        self.set_moves(id, moves);
        Ok(())
    }

    /// Takes note of what was found out about a cell.
    pub(crate) fn learn(&mut self, id: u32, asked: Asked) {
        let cell = &mut self.cells[id as usize];
        cell.danger = asked.danger;
        cell.faultless = asked.faultless;
        for (label, found) in asked.labels {
            cell.labels[label] = found;
        }
    }

    /// Finds out what happens in cells, in parallel.
    pub(crate) fn ask<O: FullOracle>(&self, cells: &[u32], oracles: &Oracles<O>, limits: &Limits) -> Vec<Asked> {
        let ask = |id: &u32| {
            let oracle = &mut *oracles.lend();
            let (asked, work) = counted(oracle, |oracle| self.ask_cell(*id, oracle, limits));
            Asked { work, ..asked }
        };
        if cells.len() < 4 || rayon::current_num_threads() == 1 {
            return cells.iter().map(ask).collect();
        }
        cells.par_iter().map(ask).collect()
    }

    fn ask_cell<O: FullOracle>(&self, id: u32, oracle: &mut O, limits: &Limits) -> Asked {
        let cell = &self.cells[id as usize];
        let program = &self.programs[cell.program];
        let nothing = |danger: Danger, stopped: Option<Stop>| Asked {
            labels: Vec::new(),
            danger,
            faultless: danger == Danger::All,
            work: Statistics::default(),
            stopped,
        };
        if let Some(stop) = limits.stop_now() {
            return nothing(Danger::Some, Some(stop));
        }
        let variables = variables(&cell.ranges);
        let danger = match cell.danger {
            Danger::Unasked => danger(program, &cell.ranges, &variables, oracle, limits),
            known => known,
        };
        if danger == Danger::All {
            return nothing(danger, None);
        }
        let faultless = self.fault(id, oracle, limits).is_none();
        // Where runs may stop matters to the smallest value only; then labels without moves matter, too.
        let stops = self.minds_stops();
        let unasked = |label: &Label| stops && *label == Label::Unasked;
        let mut wanted: Vec<bool> = cell.labels.iter().map(unasked).collect();
        let operators = cell.operators.iter().map(|number| &program.operators[*number]);
        for operator in operators.filter(|operator| operator.source(&cell.ranges).is_some()) {
            for label in operator.labels.iter().flatten() {
                wanted[*label] |= cell.labels[*label] == Label::Unasked;
            }
        }
        let limits = Limits { nodes: Some(NODES), ..limits.clone() };
        let labels = ask_labels(program, &cell.ranges, &variables, &wanted, oracle, &limits);
        Asked { labels, faultless, ..nothing(danger, None) }
    }
}

/// Whether a cell holds states that are to be reached.
fn danger(
    program: &Program,
    ranges: &[Range],
    variables: &[Variable],
    oracle: &mut impl Oracle,
    limits: &Limits,
) -> Danger {
    match program.reach.truth(ranges) {
        Some(false) => Danger::None,
        Some(true) => Danger::All,
        None => {
            let ask = |oracle: &mut _, formula: Formula| {
                let question = Question { variables: variables.to_vec(), applications: Vec::new(), formula };
                Oracle::decide(oracle, &question, limits) == Answer::Unsat
            };
            if ask(oracle, program.reach_formula.clone()) {
                Danger::None
            } else if ask(oracle, program.reach_formula.negated()) {
                Danger::All
            } else {
                Danger::Some
            }
        }
    }
}

/// Where wanted labels are chosen in a box.
fn ask_labels<O: Nowhere>(
    program: &Program,
    ranges: &[Range],
    variables: &[Variable],
    wanted: &[bool],
    oracle: &mut O,
    limits: &Limits,
) -> Vec<(usize, Label)> {
    let is_point = ranges.iter().all(|(lower, upper)| lower == upper);
    let mut labels = Vec::new();
    for network in &program.networks {
        let wanted = &wanted[network.first..network.first + network.template.tracked().len()];
        if !wanted.contains(&true) {
            continue;
        }
        let within = Narrowing { variables, also: &[] };
        for (position, holds) in oracle.nowhere(&network.template, within, wanted, limits).into_iter().enumerate() {
            if !wanted[position] {
                continue;
            }
            let label = match holds {
                Holds::Nowhere => Label::Nowhere,
                // Floats do not decide in a single point.
                _ if is_point => {
                    let question = network.template.narrowed(within);
                    let chosen = network.template.tracked()[position].clone();
                    let formula = Formula::all([question.formula.clone(), chosen]);
                    match oracle.decide(&Question { formula, ..question }, limits) {
                        Answer::Unsat => Label::Nowhere,
                        Answer::Sat(_) | Answer::Unknown(_) => Label::Possible(None),
                    }
                }
                Holds::Somewhere(point) => Label::Possible(rounded(&point)),
                Holds::Undecided | Holds::Unknown => Label::Possible(None),
            };
            labels.push((network.first + position, label));
        }
    }
    labels
}

/// A point of floats that are integers.
fn rounded(point: &[f64]) -> Option<Arc<[i64]>> {
    #[expect(clippy::cast_possible_truncation, reason = "integers of at most 53 bits")]
    let whole = |value: &f64| (value.fract() == 0.0).then_some(*value as i64);
    point.iter().map(whole).collect()
}
