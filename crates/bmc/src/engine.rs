//! The paths of one length after the other.

use rayon::prelude::*;
use surefoot_abstraction::{Failure, Oracles, Rules, System};
use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;
use surefoot_oracle::{FullOracle, Statistics};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Reporter;

use crate::answer::{Bmc, Figures, Followed, Options, Outcome};
use crate::expand::{Expander, Expansion};
use crate::known::Known;
use crate::paths::{Path, PathId, Paths};
use crate::starts::starts;

/// Paths that are extended at the same time, at most.
pub(crate) const CHUNK: usize = 64;

/// Looks for a shortest run to an unsafe state.
///
/// # Errors
/// When something cannot be lowered, or there is no start state.
pub fn bmc<O: FullOracle>(
    system: &mut System<'_>,
    options: &Options,
    oracles: &Oracles<O>,
    reporter: &dyn Reporter,
) -> Result<Bmc, Failure> {
    let mut run = Run {
        system,
        options,
        oracles,
        rules: Rules::default(),
        paths: Paths::default(),
        known: Known::default(),
        figures: Figures::default(),
    };
    let outcome = run.run(reporter)?;
    run.figures.paths = run.paths.len() as u64;
    Ok(Bmc { outcome, figures: run.figures })
}

pub(crate) struct Run<'s, 'm, O> {
    pub(crate) system: &'s mut System<'m>,
    pub(crate) options: &'s Options,
    pub(crate) oracles: &'s Oracles<O>,
    rules: Rules,
    pub(crate) paths: Paths,
    known: Known,
    figures: Figures,
}

/// How the paths of one length ended.
enum Level {
    Next(Vec<PathId>),
    Ended(Outcome),
}

impl<O: FullOracle> Run<'_, '_, O> {
    fn run(&mut self, reporter: &dyn Reporter) -> Result<Outcome, Failure> {
        let mut level = match self.starts()? {
            Level::Next(starts) => starts,
            Level::Ended(outcome) => return Ok(outcome),
        };
        let mut depth = 0;
        loop {
            self.figures.paths = self.paths.len() as u64;
            reporter.tell(&Followed { refuted: Some(depth), open: level.len(), figures: self.figures });
            if let Some(most) = self.options.depth.filter(|most| depth >= *most) {
                return Ok(Outcome::Unknown { refuted: Some(depth), stop: Stop::Most(Unit::Steps, u64::from(most)) });
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

    pub(crate) fn count(&mut self, work: &Statistics) {
        self.figures.questions += work.questions;
        self.figures.nodes += work.nodes;
    }

    /// The paths without steps.
    fn starts(&mut self) -> Result<Level, Failure> {
        let unknown = |limit| Ok(Level::Ended(Outcome::Unknown { refuted: None, stop: limit }));
        let limits = &self.options.limits;
        let mut oracle = self.oracles.lend();
        let before = oracle.statistics();
        let starts = match starts(self.system, &mut *oracle, limits) {
            Ok(starts) => starts,
            Err(limit) => return unknown(limit),
        };
        if starts.is_empty() {
            return Err(Failure::NoStart);
        }
        let mut ends = Vec::new();
        let expander = Expander { system: self.system, paths: &self.paths, limits };
        for start in &starts {
            match expander.unsafe_point(None, start, &mut *oracle) {
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
    ) -> Option<Outcome> {
        if let Some(point) = end {
            let mut states = before.map_or_else(Vec::new, |id| self.paths.run(id, &point));
            states.push(path.end(&point));
            return Some(Outcome::Unsafe(states));
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
        let stopped = |stop| Ok(Level::Ended(Outcome::Unknown { refuted: Some(depth), stop }));
        let mut open = None;
        for chunk in level.chunks(CHUNK) {
            if let Some(limit) = self.options.limits.exceeded(self.paths.bytes()) {
                return stopped(limit);
            }
            if let Some(most) = self.options.work.filter(|most| self.figures.nodes >= *most) {
                return stopped(Stop::Most(Unit::AllNodes, most));
            }
            if let Some(most) = self.options.paths.filter(|most| self.paths.len() > *most) {
                return stopped(Stop::Most(Unit::Paths, most as u64));
            }
            for id in chunk {
                self.system.prepare_rules(&self.paths.get(*id).locations, &mut self.rules)?;
            }
            let expander = Expander { system: self.system, paths: &self.paths, limits: &self.options.limits };
            let expand = |id: &PathId| {
                let rules = self.rules.at(&self.paths.get(*id).locations);
                expander.expand(*id, rules, &mut *self.oracles.lend())
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
        open.map_or(Ok(Level::Next(next)), stopped)
    }
}
