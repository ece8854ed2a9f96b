//! The refinement of last resort: tell a concretisation from a witness.
//!
//! Other refinements look at concretisations that need not stay inside the abstract states of the path. Here they must: how
//! far does a concrete path get that starts as it should, stays inside, and follows the policy? The state in which it ends cannot
//! take the next step of the path (or is not as the end wants it), while the witness of that step can, and both lie in one abstract state.
//! So they differ in some variable, and a threshold between them is new.

use surefoot_limits::Stop;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::Oracle;

use super::{Cause, Refined, Refiner};
use crate::atoms::{at_least, at_most};
use crate::check::Checker;
use crate::path::{AbstractPath, Unrolled};

impl<O: Oracle> Refiner<'_, '_, O> {
    /// Separates the farthest concretisation inside the path from the witness of its next step.
    pub(super) fn separate(&mut self, path: &AbstractPath) -> Result<Refined, Stop> {
        let cell = self.system.cell(self.predicates, &path.states[0]);
        let unrolled = Unrolled::new(path, &cell);
        let n = path.steps.len();
        let mut property = Vec::new();
        let mut farthest: Option<Vec<Rational>> = None;
        for step in 0..=n + 1 {
            // Inside the abstract state after `step` steps, or, at last, as the end wants it.
            property.push(match path.states.get(step) {
                Some(state) => unrolled.at(step, &self.system.inside(self.predicates, state)),
                None => unrolled.end(self.system),
            });
            if step > 0 && step <= n {
                property.push(unrolled.enabled(step - 1));
            }
            let decided = if step <= n { 0..step } else { 0..unrolled.decisions() };
            let whole = Formula::all(property.iter().cloned());
            // There is nothing to fall back to: the question is asked until it is decided.
            let mut checker = Checker { path_nodes: u64::MAX, ..self.checker() };
            match checker.exists(path, &unrolled, &whole, decided) {
                Ok(Some(point)) => farthest = Some(point),
                Ok(None) => {
                    let (Some(point), Some(at)) = (&farthest, step.checked_sub(1)) else { return Ok(Refined::Nothing) };
                    let reached = unrolled.states(point).swap_remove(at);
                    return self.separated(path, at, &reached);
                }
                Err(limit) => return Err(limit),
            }
        }
        Ok(farthest.map_or(Refined::Nothing, |point| Refined::Real(unrolled.states(&point))))
    }

    fn separated(&mut self, path: &AbstractPath, step: usize, reached: &State) -> Result<Refined, Stop> {
        let Some(witness) = self.witness(path, step)? else {
            return Ok(if step < path.steps.len() { Refined::NoSuchStep(step) } else { Refined::Nothing });
        };
        let space = self.system.lowering().space();
        let mut added = Vec::new();
        for slot in self.system.model().instances.len()..reached.0.len() {
            let (w, s) = (&witness.0[slot], &reached.0[slot]);
            match w.cmp(s) {
                std::cmp::Ordering::Less => added.push(at_most(space, Symbol::at(slot), w)),
                std::cmp::Ordering::Greater => added.push(at_least(space, Symbol::at(slot), w)),
                std::cmp::Ordering::Equal => {}
            }
        }
        Ok(self.extended(&added, Cause::Separated, step).unwrap_or(Refined::Nothing))
    }
}
