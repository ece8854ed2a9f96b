//! Bounded model checking: all paths under the policy, shortest first.
//!
//! A path is a sequence of rules from a start condition or a listed start state, executed symbolically: guards, the policy's inputs and
//! the unsafety condition are formulas over the start state and the environment's choices. A path is kept if some start state follows
//! it under the policy, which is one question to the oracle, and often none: the start state that follows the path
//! before it often goes on. Paths that end alike are followed once.
//!
//! **What the answers rest on.** `Unsafe`: a run, to be replayed by the caller; there is no shorter one, because all shorter paths were looked at
//! before. `Safe`: no path was left to extend, none ended in an unsafe state, and on none is the model in error. A refuted depth: no
//! unsafe state is reached in so many steps or fewer, where operators count as absent in states in which they are an error.
//!
//! **Threads.** The paths of one length are extended in chunks of fixed size, each path on its own; what was found is taken in order. So
//! neither results nor figures depend on threads.
//!
//! * `paths`: paths and questions about them; `starts`: those without steps; `expand`: one step more; `known`: what need not be followed;
//!   `faults`: errors of the model.

mod expand;
mod faults;
mod known;
mod paths;
mod starts;

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use surefoot_abstraction::errors::Fault;
use surefoot_abstraction::{Oracles, Rule, System};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Limit, Limits, Statistics};
use surefoot_text::diagnostic::Diagnostic;

use crate::answer::Failure;
use expand::{Expander, Expansion};
use known::Known;
use paths::{Path, PathId, Paths};

/// Paths that are extended at the same time, at most.
const CHUNK: usize = 64;

/// What bounds a run.
#[derive(Debug, Clone, Default)]
pub struct BmcOptions {
    /// Steps, at most.
    pub depth: Option<u32>,
    /// Paths kept, at most.
    pub paths: Option<usize>,
    /// Nodes of the whole run: counted work, whatever the machine.
    pub work: Option<u64>,
    /// Varies which witnesses are found.
    pub seed: u64,
    /// Time, memory, interruption; nodes per question.
    pub limits: Limits,
}

/// What a run ended with.
#[derive(Debug, Clone)]
pub enum BmcOutcome {
    /// An unsafe state is reachable: the states of a shortest run.
    Unsafe(Vec<State>),
    /// None is: all paths were followed to their ends, after so many steps.
    Safe {
        /// Steps of the longest path.
        depth: u32,
    },
    /// The model is in error in the last of these states, which a run reaches; no unsafe state is reachable.
    Fault(Arc<Fault>, Vec<State>),
    /// No unsafe state is reachable, as all paths were followed to their ends, unless the model is in error: that is not known.
    Open {
        /// Steps of the longest path.
        depth: u32,
        /// What would be an error.
        what: String,
        /// Why it is not known.
        stop: BmcStop,
    },
    /// A limit was met.
    Unknown {
        /// No unsafe state is reached in so many steps; `None` where some start state may be one.
        refuted: Option<u32>,
        /// The limit.
        stop: BmcStop,
    },
}

/// Why a run stopped before it knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BmcStop {
    /// The oracle met a limit.
    Oracle(Limit),
    /// There are paths of more steps than this.
    Depth(u32),
    /// So many paths were kept.
    Paths(usize),
    /// So many nodes were searched in all.
    Work(u64),
    /// Whether the model is in error depends on choices among too many values.
    Choices,
}

/// Figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BmcFigures {
    /// Paths kept.
    pub paths: u64,
    /// Paths left out because another one ends alike.
    pub merged: u64,
    /// Questions to the oracle.
    pub questions: u64,
    /// Nodes of its searches.
    pub nodes: u64,
}

/// A run and its figures.
#[derive(Debug, Clone)]
pub struct Bmc {
    /// What it ended with.
    pub outcome: BmcOutcome,
    /// Its figures.
    pub figures: BmcFigures,
}

/// Someone who wants to know how it goes.
pub trait DepthObserver {
    /// No unsafe state is reached in so many steps; so many paths are to be extended.
    fn refuted(&mut self, depth: u32, open: usize, figures: &BmcFigures);
}

impl DepthObserver for () {
    fn refuted(&mut self, _: u32, _: usize, _: &BmcFigures) {}
}

/// Looks for a shortest run to an unsafe state.
///
/// # Errors
/// When something cannot be lowered, or there is no start state.
pub fn bmc(system: &mut System<'_>, options: &BmcOptions, observer: &mut dyn DepthObserver) -> Result<Bmc, Failure> {
    let oracles = Oracles::new(surefoot_oracle::Options { seed: options.seed, ..Default::default() });
    let mut run = Run {
        system,
        options,
        oracles,
        rules: FxHashMap::default(),
        paths: Paths::default(),
        known: Known::default(),
        figures: BmcFigures::default(),
    };
    let outcome = run.run(observer)?;
    run.figures.paths = run.paths.len() as u64;
    Ok(Bmc { outcome, figures: run.figures })
}

struct Run<'s, 'm> {
    system: &'s mut System<'m>,
    options: &'s BmcOptions,
    oracles: Oracles,
    rules: FxHashMap<Box<[u32]>, Vec<Arc<Rule>>>,
    paths: Paths,
    known: Known,
    figures: BmcFigures,
}

/// How the paths of one length ended.
enum Level {
    Next(Vec<PathId>),
    Ended(BmcOutcome),
}

impl Run<'_, '_> {
    fn run(&mut self, observer: &mut dyn DepthObserver) -> Result<BmcOutcome, Failure> {
        let mut level = match self.starts()? {
            Level::Next(starts) => starts,
            Level::Ended(outcome) => return Ok(outcome),
        };
        let mut depth = 0;
        loop {
            self.figures.paths = self.paths.len() as u64;
            observer.refuted(depth, level.len(), &self.figures);
            if let Some(most) = self.options.depth.filter(|most| depth >= *most) {
                return Ok(BmcOutcome::Unknown { refuted: Some(depth), stop: BmcStop::Depth(most) });
            }
            let next = match self.extend(&level, depth)? {
                Level::Next(next) => next,
                Level::Ended(outcome) => return Ok(outcome),
            };
            if next.is_empty() {
                return self.complete(depth);
            }
            (level, depth) = (next, depth + 1);
        }
    }

    fn count(&mut self, work: &Statistics) {
        self.figures.questions += work.questions;
        self.figures.nodes += work.nodes;
    }

    /// The paths without steps.
    fn starts(&mut self) -> Result<Level, Failure> {
        let unknown = |limit| Ok(Level::Ended(BmcOutcome::Unknown { refuted: None, stop: BmcStop::Oracle(limit) }));
        let limits = &self.options.limits;
        let mut oracle = self.oracles.lend();
        let before = oracle.statistics();
        let starts = match starts::starts(self.system, &mut oracle, limits) {
            Ok(starts) => starts,
            Err(limit) => return unknown(limit),
        };
        if starts.is_empty() {
            return Err(Failure::NoStart);
        }
        let mut ends = Vec::new();
        let expander = Expander { system: self.system, paths: &self.paths, limits };
        for start in &starts {
            match expander.unsafe_point(None, start, &mut oracle) {
                Ok(end) => ends.push(end),
                Err(limit) => return unknown(limit),
            }
        }
        let work = oracle.statistics().since(&before);
        drop(oracle);
        self.count(&work);
        let mut level = Vec::new();
        for (start, end) in starts.into_iter().zip(ends) {
            if let Some(outcome) = self.enter(None, start, end, &mut level) {
                return Ok(Level::Ended(outcome));
            }
        }
        Ok(Level::Next(level))
    }

    /// Enters a real path: the outcome if it ends in an unsafe state at a given point.
    fn enter(
        &mut self,
        before: Option<PathId>,
        path: Path,
        end: Option<Vec<Rational>>,
        level: &mut Vec<PathId>,
    ) -> Option<BmcOutcome> {
        if let Some(point) = end {
            let mut states = before.map_or_else(Vec::new, |id| self.paths.run(id, &point));
            states.push(path.end(&point));
            return Some(BmcOutcome::Unsafe(states));
        }
        if self.known.covers(&self.paths, before, &path) {
            self.figures.merged += 1;
            return None;
        }
        level.push(self.paths.add(path));
        None
    }

    /// All paths with one more step than those of a level.
    fn extend(&mut self, level: &[PathId], depth: u32) -> Result<Level, Diagnostic> {
        let mut next = Vec::new();
        let stopped = |stop| Ok(Level::Ended(BmcOutcome::Unknown { refuted: Some(depth), stop }));
        let mut open = None;
        for chunk in level.chunks(CHUNK) {
            if let Some(limit) = self.options.limits.exceeded(self.paths.bytes()) {
                return stopped(BmcStop::Oracle(limit));
            }
            if let Some(most) = self.options.work.filter(|most| self.figures.nodes >= *most) {
                return stopped(BmcStop::Work(most));
            }
            if let Some(most) = self.options.paths.filter(|most| self.paths.len() > *most) {
                return stopped(BmcStop::Paths(most));
            }
            for id in chunk {
                let locations = &self.paths.get(*id).locations;
                if !self.rules.contains_key(locations) {
                    let rules = self.system.rules(locations)?;
                    self.rules.insert(locations.clone(), rules);
                }
            }
            let expander = Expander { system: self.system, paths: &self.paths, limits: &self.options.limits };
            let expand = |id: &PathId| {
                let rules = &self.rules[&self.paths.get(*id).locations];
                expander.expand(*id, rules, &mut self.oracles.lend())
            };
            let expansions: Vec<Expansion> = chunk.par_iter().map(expand).collect();
            for (id, expansion) in chunk.iter().zip(expansions) {
                self.count(&expansion.work);
                open = open.or(expansion.stopped);
                for (child, end) in expansion.children {
                    if let Some(outcome) = self.enter(Some(*id), child, end, &mut next) {
                        return Ok(Level::Ended(outcome));
                    }
                }
            }
        }
        // A path of which it is not known whether it is real: longer ones would say nothing about all of them.
        open.map_or(Ok(Level::Next(next)), |limit| stopped(BmcStop::Oracle(limit)))
    }
}
