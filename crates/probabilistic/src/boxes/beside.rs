//! What is explored beside the abstraction, from the start states that matter most.
//!
//! The value is that of the best start state, so the others need only be known to be no better, for which the abstraction may do. Explored are the start
//! states of the cells with the best values: these themselves where a cell has only a few, which then bounds the cell on both sides; else candidates, which show what the model
//! attains and nothing about the others.
//!
//! Exploring more pays while it narrows the band; where it does not, it waits until the abstraction has caught up. What is done depends on counted work, never on the clock.

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_limits::Limits;
use surefoot_mdp::Direction;
use surefoot_model::State;
use surefoot_num::Rational;

use super::band::{Band, exact};
use super::concrete::{Concrete, Leaving};
use super::partition::{Label, Partition};
use super::process::{EXACT_WORK, Process};
use super::refine::Likely;
use crate::answer::Failure;
use crate::ask::Asked;

/// Concrete states that are explored at first.
const FIRST: usize = 1024;
/// Concrete states per cell, without narrowing the band.
const PER_CELL: usize = 4;
/// Iterations in which nothing narrows the band before it is explored further all the same.
const PATIENCE: u32 = 4;
/// A band that is narrower by this share was worth it.
const WORTHWHILE: f64 = 0.05;
/// Cells whose start states are entered at a time.
const AT_ONCE: usize = 16;
/// Start states that are explored together; with more, the best begin anew.
const TOGETHER: usize = 256;

/// The exploration.
#[derive(Debug)]
pub(crate) struct Beside<'m> {
    asked: Asked<'m>,
    concrete: Option<Concrete<'m>>,
    /// How many may be expanded.
    most: Option<usize>,
    /// How many earlier explorations expanded.
    spent: usize,
    leaving: Vec<Leaving>,
    /// What the frontier was worth when it was last solved: roughly, the part of the bound that rests on the abstraction.
    worth: f64,
    /// Whether the last growth narrowed the band.
    fruitful: bool,
    /// Iterations since the band was narrower than before, and how wide it is.
    stagnant: (u32, f64),
    /// How many states are explored next time from candidates.
    next: usize,
    /// Cells that candidates came from.
    tried: FxHashSet<u32>,
    /// Whether all start states are among those explored from.
    covers_all: bool,
    /// Whether errors of the model are looked for from start states of all kinds.
    spread: bool,
}

impl<'m> Beside<'m> {
    /// Nothing is explored yet.
    pub(crate) fn new(asked: &Asked<'m>, most: Option<usize>) -> Self {
        Self {
            asked: asked.clone(),
            concrete: None,
            most,
            spent: 0,
            leaving: Vec::new(),
            worth: f64::INFINITY,
            fruitful: true,
            stagnant: (0, f64::INFINITY),
            next: FIRST,
            tried: FxHashSet::default(),
            covers_all: false,
            spread: false,
        }
    }

    /// Whether the whole model was explored.
    pub(crate) fn is_complete(&self) -> bool {
        self.covers_all && self.concrete.as_ref().is_some_and(Concrete::is_complete)
    }

    /// How many states were expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.spent + self.concrete.as_ref().map_or(0, Concrete::expanded)
    }

    /// The bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.concrete.as_ref().map_or(0, Concrete::bytes)
    }

    /// Explores on from start states of all kinds, and from given states that are start states: whether there is anything to explore.
    pub(crate) fn look_for(&mut self, partition: &Partition, states: &[State]) -> Result<bool, Failure> {
        if !std::mem::replace(&mut self.spread, true) {
            let mut starts: Vec<State> = states.iter().filter_map(|state| partition.as_start(state)).collect();
            for cell in partition.start_cells.iter().take(TOGETHER) {
                starts.extend(partition.few_starts(*cell).unwrap_or_default());
            }
            match &mut self.concrete {
                Some(concrete) => starts.iter().for_each(|state| concrete.enter(state)),
                None if !starts.is_empty() => self.concrete = Some(Concrete::new(&self.asked, &starts)?),
                None => {}
            }
        }
        Ok(self.insist())
    }

    /// Whether more can be explored; it will be, next time.
    pub(crate) fn insist(&mut self) -> bool {
        let left = self.most.is_none_or(|most| self.expanded() < most);
        self.fruitful = left && self.concrete.as_ref().is_some_and(|concrete| !concrete.is_complete());
        self.fruitful
    }

    /// Where likely runs leave what was explored.
    pub(crate) fn likely(&self) -> Likely<'_> {
        Likely { leaving: &self.leaving }
    }

    /// Explores more where that pays, and bounds the start states; whether anything was explored.
    pub(crate) fn enclose(
        &mut self,
        partition: &Partition,
        band: &mut Band,
        precision: f64,
        limits: &Limits,
    ) -> Result<bool, Failure> {
        let left = self.most.map_or(usize::MAX, |most| most.saturating_sub(self.expanded()));
        let budget = FIRST.max(partition.cells.len().saturating_mul(PER_CELL));
        let before = band.width();
        self.stagnant = if before < self.stagnant.1 { (0, before) } else { (self.stagnant.0 + 1, before) };
        let pays = left > 0 && (self.fruitful || self.expanded() < budget || self.stagnant.0 >= PATIENCE);
        let entered = pays && self.enter(partition, band)?;
        let Some(concrete) = &mut self.concrete else { return Ok(false) };
        let grown = pays && !concrete.is_complete();
        if grown {
            self.stagnant.0 = 0;
            let wanted = (64 * concrete.starts.len()).max(FIRST).max(concrete.expanded() / 2).max(self.next);
            concrete.grow(left.min(wanted), limits)?;
        }
        // Values of the frontier's cells that hardly changed are not worth solving for.
        let worth = |leaving: &[Leaving]| -> f64 {
            let value = |state: &[i64]| partition.cell_of(state).map(|cell| partition.cells[cell as usize].value);
            let distance = |value: f64| if self.asked.direction == Direction::Max { value } else { 1.0 - value };
            leaving.iter().map(|l| l.mass * value(&l.state).map_or(1.0, distance)).sum()
        };
        if !grown && !entered && worth(&self.leaving) > self.worth * (1.0 - WORTHWHILE) {
            return Ok(false);
        }
        let (bounds, leaving) = concrete.enclose(partition, band.attained(), precision, limits)?;
        self.worth = worth(&leaving);
        self.leaving = leaving;
        self.take(partition, band, &bounds, |cell| exact(partition.cells[cell as usize].value));
        self.fruitful = band.width() < before * (1.0 - WORTHWHILE);
        Ok(grown || entered)
    }

    /// Takes note of bounds of the start states explored from; those of cells count for the rest.
    fn take(
        &mut self,
        partition: &Partition,
        band: &mut Band,
        bounds: &[[Rational; 2]],
        of_cell: impl Fn(u32) -> Rational,
    ) {
        let Some(concrete) = &self.concrete else { return };
        if let Some(shown) = band.attain(bounds) {
            band.witness = Some(concrete.starts[shown].0.clone());
        }
        let is_max = self.asked.direction == Direction::Max;
        let known: FxHashMap<&State, &[Rational; 2]> =
            concrete.starts.iter().map(|(state, _)| state).zip(bounds).collect();
        self.covers_all = true;
        let mut worst: Option<Rational> = None;
        for cell in &partition.start_cells {
            let states = partition.few_starts(*cell).filter(|states| states.iter().all(|s| known.contains_key(s)));
            self.covers_all &= states.is_some();
            let value = of_cell(*cell);
            let value = match states {
                None => value,
                Some(states) if is_max => {
                    let most = states.iter().map(|state| known[state][1].clone()).max();
                    most.map_or_else(|| value.clone(), |most| most.min(value.clone()))
                }
                Some(states) => {
                    let least = states.iter().map(|state| known[state][0].clone()).min();
                    least.map_or_else(|| value.clone(), |least| least.max(value.clone()))
                }
            };
            worst = Some(match worst {
                None => value,
                Some(worst) if is_max => worst.max(value),
                Some(worst) => worst.min(value),
            });
        }
        if let Some(worst) = worst {
            band.abstracted(worst);
        }
    }

    /// Enters start states of the cells with the best values; whether there were any new ones.
    fn enter(&mut self, partition: &Partition, band: &Band) -> Result<bool, Failure> {
        let is_max = self.asked.direction == Direction::Max;
        let value = |cell: &u32| partition.cells[*cell as usize].value;
        let attained = band.attained();
        let is_open = |cell: &u32| if is_max { value(cell) > attained } else { value(cell) < attained };
        let untried = |cell: &u32| !self.tried.contains(cell);
        let mut cells: Vec<u32> = partition.start_cells.iter().copied().filter(is_open).filter(untried).collect();
        cells.sort_by(|a, b| {
            let order = value(b).total_cmp(&value(a));
            if is_max { order } else { order.reverse() }.then(a.cmp(b))
        });
        cells.truncate(AT_ONCE);
        let mut states: Vec<State> = Vec::new();
        let mut exactly = true;
        for cell in &cells {
            match partition.few_starts(*cell) {
                Some(few) => states.extend(few),
                None => {
                    exactly = false;
                    let regions = partition.starts_in(*cell).take(2);
                    states.extend(regions.flat_map(|region| partition.candidates(*cell, region)));
                }
            }
        }
        self.tried.extend(cells);
        if !exactly {
            states.extend(band.witness.iter().flat_map(|best| partition.neighbours(best)));
        }
        let together = self.concrete.as_ref().map_or(0, |concrete| concrete.starts.len());
        let anew = !exactly || self.concrete.is_none() || together + states.len() > TOGETHER;
        if states.is_empty() || !anew {
            let Some(concrete) = &mut self.concrete else { return Ok(false) };
            let before = concrete.starts.len();
            states.iter().for_each(|state| concrete.enter(state));
            return Ok(concrete.starts.len() > before);
        }
        if let Some(old) = self.concrete.take() {
            self.spent += old.expanded();
            self.next = self.next.saturating_mul(3) / 2;
        }
        states.splice(0..0, band.witness.iter().cloned());
        self.concrete = Some(Concrete::new(&self.asked, &states)?);
        Ok(true)
    }

    /// Bounds the start states in fractions, given those of the cells.
    pub(crate) fn exact(
        &mut self,
        partition: &Partition,
        process: &Process,
        values: &[Rational],
        band: &mut Band,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let worst = if self.asked.direction == Direction::Max { Rational::ONE } else { Rational::ZERO };
        let positions = process.positions(partition);
        let of_cell = |cell: u32| match positions[cell as usize] {
            Some(at) => values[Process::state(at) as usize].clone(),
            None => worst.clone(),
        };
        let limits = surefoot_mdp::Limits {
            run: limits.clone(),
            exact_work: Some(EXACT_WORK),
            ..surefoot_mdp::Limits::default()
        };
        let Some(concrete) = &mut self.concrete else { return Ok(()) };
        let of_state = |state: &[i64]| partition.cell_of(state).map_or_else(|| worst.clone(), of_cell);
        if let Some(bounds) = concrete.exact(of_state, &limits)? {
            self.take(partition, band, &bounds, of_cell);
        }
        Ok(())
    }
}

impl Partition {
    /// Start states near one that is good: with one variable changed a little, or as far as it goes.
    fn neighbours(&self, best: &State) -> Vec<State> {
        let values = best.to_ints().expect("a discrete model has integer states");
        let Some(cell) = self.cell_of(&values) else { return Vec::new() };
        let mut states = Vec::new();
        for region in self.starts_of(cell) {
            let inside = |point: &[i64]| {
                self.slots.ranged().all(|slot| region[slot].0 <= point[slot] && point[slot] <= region[slot].1)
            };
            for slot in self.slots.ranged() {
                let (lower, upper) = region[slot];
                for value in [lower, upper, values[slot] - 1, values[slot] + 1, values[slot] - 8, values[slot] + 8] {
                    let mut near = values.clone();
                    near[slot] = value.clamp(lower, upper);
                    // What does not matter to runs is as this part of the start set has it.
                    for other in (0..near.len()).filter(|other| !self.slots.matters[*other]) {
                        near[other] = region[other].0;
                    }
                    if near != values && inside(&near) {
                        states.push(State::from_ints(&near));
                    }
                }
            }
        }
        states
    }

    /// Start states of a cell that are worth trying: corners, the middle, and where labels were seen to be chosen.
    fn candidates(&self, cell: u32, region: &[(i64, i64)]) -> Vec<State> {
        let cell = &self.cells[cell as usize];
        let within = |slot: usize| match self.slots.matters[slot] {
            true => (region[slot].0.max(cell.ranges[slot].0), region[slot].1.min(cell.ranges[slot].1)),
            false => (region[slot].0, region[slot].0),
        };
        let point = |value: &dyn Fn(usize) -> i64| {
            let clamp = |slot: usize| value(slot).clamp(within(slot).0, within(slot).1);
            State::from_ints(&(0..region.len()).map(clamp).collect::<Vec<i64>>())
        };
        let middle = |slot: usize| within(slot).0 + (within(slot).1.abs_diff(within(slot).0) / 2).cast_signed();
        let mut states = vec![point(&|_| i64::MIN), point(&|_| i64::MAX), point(&middle)];
        for label in &cell.labels {
            if let Label::Possible(Some(seen)) = label {
                states.push(point(&|slot| seen[slot]));
            }
        }
        states
    }
}
