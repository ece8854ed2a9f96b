//! The search: decide, propagate, bound, learn.

use surefoot_lp::Ended;
use surefoot_num::Rational;

use super::PhaseSearch;
use super::clauses::Literal;
use super::program::{NeuronProgram, multiplications};
use crate::bounds::priced::Phase;
use crate::proof::{NeuronPhase, Step};
use crate::search::compiled::Compiled;
use crate::search::engine::Search;
use crate::search::goal::Witnesses;
use crate::search::region::Region;

/// Exchanges that a program may take, for each of its rows.
const EXCHANGES_PER_ROW: usize = 4;

/// A neuron is a ReLU if it is no further from one than this share of its range, as far as floats can tell.
const CONSISTENT: f64 = 1e-9;

/// By how much more than a phase is said to be worth a sum may grow without it: that number is rounded.
const ROUNDING: f64 = 1.0 + 1e-9;

/// The share of a refutation that must be left when phases are dropped from it.
const LEFT: f64 = 0.1;

/// A multiplication of a linear program takes so many times as long as one of bounds: it waits for memory.
const FLOAT: u64 = 3;

/// The same for a multiplication of an exact one, in each of as many exchanges as there are neurons.
const EXACT: u64 = 50;

/// What came of a search over phases.
#[derive(Debug)]
pub(crate) enum Phased {
    /// The region holds no wanted point.
    Refuted,
    /// It holds this witness, which ends the search.
    Witness(Vec<Rational>),
    /// The budget was spent, a limit was met, or the region is not a matter of phases.
    GaveUp,
}

impl<G: Witnesses> Search<'_, G> {
    /// Multiplications of a search over the phases of a region that is over soon: as many exchanges as neurons are unstable. Beyond all measure where
    /// a network has other neurons than such with phases.
    pub(crate) fn least_phases(&self, region: &Region) -> u64 {
        let compiled = self.task.compiled;
        if compiled.settings.iter().any(|setting| setting.folded.prepared.exact.is_none()) {
            return u64::MAX;
        }
        let (mut unstable, mut network) = (0, 0u64);
        for (application, setting) in compiled.settings.iter().enumerate() {
            unstable += region.unstable(compiled, application);
            network += multiplications(setting);
        }
        let (columns, unstable) = ((compiled.integral.len() + unstable + 1) as u64, unstable as u64);
        let program = (2 * unstable + 1).saturating_mul(unstable).saturating_add(network);
        program.saturating_mul(FLOAT * columns)
    }

    /// Decides a region without open disjunctions by phases, with so many multiplications at most, about; how many it took, about.
    pub(crate) fn by_phases(&mut self, region: &Region, id: u64, required: &[u32], budget: u64) -> (Phased, u64) {
        let mut phases = std::mem::take(&mut self.work.phases);
        let compiled = self.task.compiled;
        let live = |application: usize| self.is_live(region, application);
        phases.program = NeuronProgram::new(self.work.kernel, compiled, region, required, &live);
        phases.clauses.reset(phases.program.neurons.len());
        phases.prices.resize_with(compiled.settings.len(), Default::default);
        for (prices, setting) in phases.prices.iter_mut().zip(&compiled.settings) {
            prices.reset(setting);
        }
        phases.refuter.reset(compiled, region, &live);
        (phases.programs, phases.leaves) = (0, 0);
        let phased = self.search_phases(&mut phases, region, id, required, budget);
        let work = phases.work();
        self.work.phases = phases;
        (phased, work)
    }

    fn search_phases(
        &mut self,
        phases: &mut PhaseSearch,
        region: &Region,
        id: u64,
        required: &[u32],
        budget: u64,
    ) -> Phased {
        let compiled = self.task.compiled;
        let size = phases.program.simplex.size().max(1) as u64;
        let affordable = usize::try_from(budget / (FLOAT * size)).unwrap_or(usize::MAX);
        let limit = affordable.min(EXCHANGES_PER_ROW * phases.program.simplex.len() + 100);
        loop {
            if let Some(clause) = phases.clauses.propagate() {
                phases.conflict.clear();
                phases.conflict.extend_from_slice(phases.clauses.clause(clause));
                if !phases.learn() {
                    return Phased::Refuted;
                }
                continue;
            }
            if self.task.limits.stop_now().is_some() || phases.work() > budget {
                return Phased::GaveUp;
            }
            phases.impose();
            phases.programs += 1;
            self.statistics.programs += 1;
            let ended = phases.program.solve(limit);
            let below = ended != Ended::Optimal || phases.program.simplex.objective() < 0.0;
            if ended != Ended::Limit && below && phases.refute(compiled, region) {
                self.announce_conflict(phases, id);
                if !phases.learn() {
                    return Phased::Refuted;
                }
                continue;
            }
            let decision = phases.next_decision();
            if ended == Ended::Optimal {
                phases.read_point(compiled.integral.len(), region);
                let point = std::mem::take(&mut phases.point);
                let found = self.climb(region, id, Some(&point), 0);
                phases.point = point;
                if let Some(point) = found {
                    return Phased::Witness(point);
                }
                // A real point that is wanted, as far as floats can tell: phases cannot refute the region, integers may.
                let consistent = decision.is_none_or(|(violation, _)| violation <= CONSISTENT);
                if consistent && compiled.integral.iter().any(|integral| *integral) {
                    return Phased::GaveUp;
                }
            }
            match decision {
                Some((_, literal)) => phases.clauses.decide(literal),
                None => match self.phase_leaf(phases, region, id, required) {
                    Some(Phased::Refuted) => {
                        phases.conflict.clear();
                        phases.conflict.extend(phases.clauses.decided().map(Literal::negated));
                        self.announce_conflict(phases, id);
                        if !phases.learn() {
                            return Phased::Refuted;
                        }
                    }
                    Some(other) => return other,
                    None => return Phased::GaveUp,
                },
            }
        }
    }

    /// Tells whoever listens which phases exclude each other.
    fn announce_conflict(&mut self, phases: &PhaseSearch, id: u64) {
        let Some(sink) = &mut self.sink else { return };
        let phase = |literal: &Literal| {
            let neuron = &phases.program.neurons[literal.neuron()];
            let (application, layer) = (neuron.application, neuron.layer);
            NeuronPhase { application, layer, neuron: neuron.neuron, active: !literal.is_active() }
        };
        let together: Vec<NeuronPhase> = phases.conflict.iter().map(phase).collect();
        sink.step(Step::Conflict { region: id, phases: &together });
    }
}

impl PhaseSearch {
    /// Multiplications so far, about.
    fn work(&self) -> u64 {
        let floats = FLOAT * (self.program.built + self.program.simplex.work());
        let neurons = self.program.neurons.len() as u64;
        floats + self.programs * self.program.network + self.leaves * EXACT * neurons * self.program.network
    }

    /// Learns from the conflict; `false` if that leaves nothing.
    fn learn(&mut self) -> bool {
        self.clauses.learn(&self.conflict)
    }

    /// Gives the program the phases of the assignment.
    fn impose(&mut self) {
        for neuron in 0..self.program.neurons.len() {
            self.program.set(neuron, self.clauses.phase(neuron));
        }
    }

    /// Whether the prices of the program's last search refute the phases that stand; then the conflict is why.
    fn refute(&mut self, compiled: &Compiled<'_>, region: &Region) -> bool {
        self.program.write_slopes(&mut self.prices);
        self.program.write_multiples(&mut self.multiples);
        for (j, neuron) in self.program.neurons.iter().enumerate() {
            self.prices[neuron.application].layers[neuron.layer].phases[neuron.neuron] = match self.clauses.phase(j) {
                None => Phase::Free,
                Some(true) => Phase::Active,
                Some(false) => Phase::Inactive,
            };
        }
        let mut max = self.refuter.maximum(compiled, region, &self.multiples, &self.prices);
        if max >= 0.0 || max.is_nan() {
            return false;
        }
        // The least valuable phases are dropped as long as the rest will do.
        let used = &mut self.refuter.used;
        used.sort_by(|a, b| a.1.worth.total_cmp(&b.1.worth));
        let enough = LEFT * max;
        let mut dropped = 0;
        for (_, used) in used.iter() {
            let without = max + used.worth * ROUNDING;
            // Soundness: what is not below zero refutes nothing.
            if without >= enough || without.is_nan() {
                break;
            }
            max = without;
            dropped += 1;
        }
        self.conflict.clear();
        for (application, used) in &used[dropped..] {
            let at = (*application, used.layer, used.neuron);
            let found = self.program.neurons.binary_search_by_key(&at, |j| (j.application, j.layer, j.neuron));
            let j = found.expect("what was used can be both");
            let active = self.clauses.phase(j).expect("what was used is taken for granted");
            self.conflict.push(Literal::new(j, !active));
        }
        self.conflict.sort_unstable();
        true
    }

    /// The point of the program, in the box.
    fn read_point(&mut self, variables: usize, region: &Region) {
        self.point.clear();
        for v in 0..variables {
            self.point.push(self.program.value(v).clamp(region.data[v], region.data[variables + v]));
        }
    }

    /// The neuron furthest from being a ReLU, for the phase that it is nearest to, and how far it is, as a share of its range.
    fn next_decision(&self) -> Option<(f64, Literal)> {
        let mut best: Option<(f64, f64, Literal)> = None;
        for neuron in (0..self.program.neurons.len()).filter(|neuron| self.clauses.phase(*neuron).is_none()) {
            let (violation, active) = self.program.violation(neuron);
            if best.is_none_or(|(most, _, _)| violation > most) {
                let share = violation / self.program.range(neuron);
                best = Some((violation, share, Literal::new(neuron, active)));
            }
        }
        best.map(|(_, share, literal)| (share, literal))
    }
}
