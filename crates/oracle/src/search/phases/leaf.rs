//! A region all of whose phases were decided: an exact linear program.

use std::sync::Arc;

use surefoot_lp::Feasibility;
use surefoot_num::Rational;

use super::PhaseSearch;
use super::search::Phased;
use crate::search::assume::Assumption;
use crate::search::engine::Search;
use crate::search::goal::Witnesses;
use crate::search::leaf::{exact_program, fractional};
use crate::search::points::exactly;
use crate::search::region::Region;

impl<G: Witnesses> Search<'_, G> {
    /// Decides the part of a region in which neurons have the phases that were decided; `None` where the search has to stop, or the
    /// box to be split.
    pub(super) fn phase_leaf(
        &mut self,
        phases: &mut PhaseSearch,
        region: &Region,
        id: u64,
        required: &[u32],
    ) -> Option<Phased> {
        let (question, compiled, limits) = (self.task.question, self.task.compiled, self.task.limits);
        let mut part = region.clone();
        for (j, neuron) in phases.program.neurons.iter().enumerate() {
            let above = phases.clauses.phase(j).expect("all phases are decided");
            let assumption = Assumption {
                application: neuron.application,
                layer: neuron.layer,
                neuron: neuron.neuron,
                at: 0.0,
                above,
                coefficients: Vec::new(),
                constant: 0.0,
                slack: 0.0,
            };
            Arc::new(assumption).impose(compiled, &mut part);
        }
        self.statistics.programs += 1;
        phases.leaves += 1;
        let stop = || limits.stop_now().is_some();
        let live = |application: usize| self.is_live(region, application);
        let (program, _) = exact_program(question, compiled, &part, required, &live, false, &stop)?;
        let feasibility = program.solve_until(&stop)?;
        if fractional(compiled, &feasibility).is_some() {
            return None;
        }
        match feasibility {
            Feasibility::Infeasible(_) => Some(Phased::Refuted),
            Feasibility::Feasible(point) => {
                if exactly(compiled, &question.formula, &point) != Some(true) {
                    return None;
                }
                let float: Vec<f64> = point.iter().map(Rational::to_f64).collect();
                self.take(id, &float, point, false).map(Phased::Witness)
            }
        }
    }
}
