//! One witness is asked for: a region is refuted, a witness is found in it, or it is said how to split it.
//!
//! In turn: propagate; try all points if they are few; bound the scores; propagate with the relaxation's rows; solve the linear
//! program of all rows; climb towards a witness. As soon as one of them settles the region the rest is left.

use surefoot_num::Rational;

use super::compiled::Compiled;
use super::engine::Search;
use super::goal::{Examined, Goal, Status, Witnesses};
use super::node::Node;
use super::propagation::Progress;
use super::reduce::Reduced;
use super::region::{Region, bits};
use crate::bounds::prepare::LayerMatrices;
use crate::proof::Refutation;

/// From this many layers on, slopes are optimised.
const DEEP: usize = 4;

/// Steps of local search before the root is bounded, per so many neurons: bounding a small network costs as much as a
/// step or two, and most unsatisfiable questions end there; bounding a large one costs as much as many steps.
const NEURONS_PER_STEP: usize = 32;

/// How often a region is bounded while that shrinks its box.
const ROUNDS: usize = 3;

/// A contraction of the box by this many bits is worth bounding the scores again.
pub(crate) const WORTHWHILE: f64 = 0.7;

/// One witness is asked for.
#[derive(Debug)]
pub(crate) struct OneWitness;

impl Goal for OneWitness {
    fn enter(search: &mut Search<'_, Self>, node: &mut Node) -> Status {
        let examined = search.examine(&mut node.region, node.id);
        Self::examined(node, examined)
    }

    fn elsewhere(&self) -> Option<Self> {
        Some(Self)
    }
}

impl Witnesses for OneWitness {
    fn take(_: &mut Search<'_, Self>, _: &[f64], exact: Vec<Rational>, _: bool) -> Option<Vec<Rational>> {
        Some(exact)
    }

    fn taken(&self) -> usize {
        0
    }

    fn reduce(&mut self, _: &Reduced) {}
}

impl Search<'_, OneWitness> {
    /// Examines a region; region 0 is the root and gets a longer local search.
    fn examine(&mut self, region: &mut Region, id: u64) -> Examined {
        let compiled = self.task.compiled;
        self.statistics.nodes += 1;
        self.work.scores.clear(compiled);
        let mut slow = false;
        for round in 0..ROUNDS {
            match self.propagate(region, id) {
                None => return self.refute(id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            if let Some(examined) = self.enumerated(region, id) {
                return examined;
            }
            if id == 0
                && round == 0
                && let Some(point) = self.climb_from_anywhere(region, id, self.quick_steps(compiled))
            {
                return Examined::Witness(point);
            }
            if compiled.scores.is_empty() {
                break;
            }
            if round == 0
                && let Some(examined) = self.take_aim(region, id)
            {
                return examined;
            }
            let before = bits(&region.data, compiled.integral.len());
            if let Err(application) = self.bound_scores(region, id) {
                return self.refute(id, Refutation::Neurons { application });
            }
            match self.propagate(region, id) {
                None => return self.refute(id, Refutation::Propagation),
                Some(progress) => slow |= progress == Progress::Slow,
            }
            if before - bits(&region.data, compiled.integral.len()) < WORTHWHILE {
                break;
            }
        }
        if let Some(examined) = self.enumerated(region, id) {
            return examined;
        }
        if self.options.slope_steps > 0
            && compiled.settings.iter().any(|s| s.folded.depth() >= DEEP)
            && let Some((position, _)) = self.worst(region, &[])
            && self.sharpen(region, position, self.options.slope_steps)
        {
            self.announce_rows(id);
            if self.propagate(region, id).is_none() {
                return self.refute(id, Refutation::Propagation);
            }
            if let Some(examined) = self.enumerated(region, id) {
                return examined;
            }
        }
        if id == 0
            && let Some(point) = self.climb_from_anywhere(region, id, self.options.root_steps)
        {
            return Examined::Witness(point);
        }
        let examined = self.settle(region, id, slow);
        if matches!(examined, Examined::LeftOpen) {
            self.leave_region(region);
        }
        // Small questions are over sooner without.
        if matches!(examined, Examined::Branch(..)) && self.work.rounds.is_long() && !self.is_curved(region) {
            self.keep_aim(region, id);
        }
        examined
    }

    /// What trying all points says, where they are few.
    fn enumerated(&mut self, region: &Region, id: u64) -> Option<Examined> {
        let tried = self.point_by_point(region, id)?;
        Some(tried.map_or_else(|| self.refute(id, Refutation::Points), Examined::Witness))
    }

    /// Steps of local search before the root is bounded.
    fn quick_steps(&self, compiled: &Compiled<'_>) -> usize {
        let hidden = |s: &std::sync::Arc<crate::bounds::Setting>| -> usize {
            let layers = (0..s.folded.depth()).map(|l| s.folded.layer(l));
            layers.filter(|layer| layer.is_bounded()).map(LayerMatrices::len).sum()
        };
        let neurons: usize = compiled.settings.iter().map(hidden).sum();
        (neurons / NEURONS_PER_STEP).saturating_sub(1).min(self.options.root_steps)
    }
}
