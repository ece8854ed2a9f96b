//! Errors of the model on the paths: what remains when no path is left to extend.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_abstraction::errors::Faults;
use surefoot_abstraction::oracles::counted;
use surefoot_abstraction::{Failure, Fault};
use surefoot_limits::Stop;
use surefoot_num::Rational;
use surefoot_oracle::{FullOracle, Oracle, Statistics};

use crate::answer::Outcome;
use crate::engine::{CHUNK, Run};
use crate::expand::{chosen_at, holds, some_point};
use crate::paths::PathId;

/// An error, and a point for which it occurs.
type Found = Option<(Arc<Fault>, Vec<Rational>)>;

/// An error of which it is not known whether it occurs, and why not.
type Undecided = (Arc<Fault>, Stop);

impl<O: FullOracle> Run<'_, '_, O> {
    /// The outcome when every path was followed to its end and none is unsafe.
    ///
    /// Soundness: every state that a run reaches is the end of a kept path, or of one that another covers; so all of them are looked at.
    pub(crate) fn complete(&mut self, depth: u32) -> Result<Outcome, Failure> {
        let mut faults = Faults::default();
        let mut open = None;
        let all: Vec<PathId> = (0..self.paths.len()).map(PathId::at).collect();
        for chunk in all.chunks(CHUNK) {
            if let Some(limit) = self.options.limits.stop_now() {
                let what = "the model is in error somewhere".to_owned();
                return Ok(Outcome::Open { depth, what, stop: limit });
            }
            for id in chunk {
                self.system.prepare_faults(&self.paths.get(*id).locations, &mut faults)?;
            }
            let find = |id: &PathId| {
                let faults = faults.at(&self.paths.get(*id).locations);
                counted(&mut *self.oracles.lend(), |oracle| self.fault(*id, faults, oracle))
            };
            let found: Vec<(Result<Found, Undecided>, Statistics)> = chunk.par_iter().map(find).collect();
            for (id, (found, work)) in chunk.iter().zip(found) {
                self.count(&work);
                match found {
                    Ok(Some((fault, point))) => return Ok(Outcome::Fault(fault, self.paths.run(*id, &point))),
                    Ok(None) => {}
                    Err(undecided) => open = open.or(Some(undecided)),
                }
            }
        }
        Ok(match open {
            None => Outcome::Safe { depth },
            Some((fault, stop)) => Outcome::Open { depth, what: fault.what.clone(), stop },
        })
    }

    /// The first error at the end of a path.
    fn fault(&self, id: PathId, faults: &[Arc<Fault>], oracle: &mut impl Oracle) -> Result<Found, Undecided> {
        let path = self.paths.get(id);
        let mut open = None;
        for fault in faults {
            let formula = path.at_end(&fault.formula);
            if formula.is_falsity() {
                continue;
            }
            let chosen = |choosers| chosen_at(choosers, &path.values, &path.point, oracle);
            if fault.exact && holds(&formula, &path.point) && fault.choosers.as_deref().is_none_or(chosen) {
                return Ok(Some((fault.clone(), path.point.clone())));
            }
            let decision = fault.choosers.as_deref().map(|choosers| path.choosers(choosers));
            let question = self.paths.question(id, &path.space, [formula], decision.as_deref());
            match some_point(oracle.decide(&question, &self.options.limits)) {
                Ok(Some(point)) if fault.exact => return Ok(Some((fault.clone(), point))),
                Ok(Some(_)) => open = open.or(Some((fault.clone(), Fault::undecided()))),
                Ok(None) => {}
                Err(limit) => open = open.or(Some((fault.clone(), limit))),
            }
        }
        open.map_or(Ok(None), Err)
    }
}
