//! The start set as boxes.
//!
//! Conditions are taken apart into boxes that hold start states only (`surefoot_explicit::start`), which are then listed by the values of the explicit
//! variables. Few enough start states are also listed one by one.

use std::ops::ControlFlow;

use surefoot_abstraction::System;
use surefoot_explicit::start::{IntBox, StartError, StartSearch};
use surefoot_limits::{Limits, Stop, Unit};
use surefoot_model::State;
use surefoot_text::diagnostic::Diagnostic;

use super::partition::Partition;
use super::range::Range;
use super::slots::Slots;
use crate::answer::Failure;
use crate::ask::Asked;
use crate::options::Options;

/// More boxes of start states are too many.
const MOST_BOXES: usize = 2_000_000;

/// The most values of an explicit variable, one after the other: with so many the start set may have more configurations than it should.
const MOST_VALUES: [u64; 4] = [24, 8, 3, 1];
/// So many start states of a cell are few.
const FEW: usize = 8;
/// More configurations of start states than it should have.
const MOST_CONFIGURATIONS: usize = 60_000;

/// What is known of the start set.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// Why some may be missing.
    pub(crate) stopped: Option<Stop>,
}

impl Partition {
    /// The start set, in cells with as many explicit variables as suit it.
    pub(crate) fn of_starts(
        system: &mut System<'_>,
        asked: &Asked<'_>,
        options: &Options,
        worst: f64,
    ) -> Result<(Self, Starts), Failure> {
        let limits = &options.limits.run;
        let (boxes, mut stopped) = boxes(asked, limits)?;
        let tries = options.explicit_values.map_or(MOST_VALUES.to_vec(), |most| vec![most]);
        let mut partition = Self::new(Slots::new(system, 0), worst);
        for most in tries {
            partition = Self::new(Slots::new(system, most), worst);
            let last = options.explicit_values.is_some() || most == MOST_VALUES[MOST_VALUES.len() - 1];
            let mut fits = true;
            for found in &boxes {
                stopped = stopped.or_else(|| limits.stop());
                fits = stopped.is_none() && partition.enter_box(system, found, last)?;
                if !fits {
                    break;
                }
            }
            if fits || stopped.is_some() {
                break;
            }
        }
        Ok((partition, Starts { stopped }))
    }

    /// Enters a box of start states with one value of each explicit variable.
    pub(crate) fn start(&mut self, system: &mut System<'_>, ranges: &[Range]) -> Result<(), Diagnostic> {
        let configuration = self.slots.configuration(|slot| ranges[slot].0);
        self.starts.entry(configuration.clone()).or_default().push(ranges.into());
        let root = self.root(system, &configuration, |slot| ranges[slot].0)?;
        let mut leaves = Vec::new();
        self.leaves(root, ranges, &mut leaves);
        for leaf in leaves {
            if !self.cells[leaf as usize].start {
                self.cells[leaf as usize].start = true;
                self.start_cells.push(leaf);
            }
        }
        Ok(())
    }

    /// Enters a box of start states, by the values of the explicit variables; false where that makes too many configurations, unless there may be any number.
    fn enter_box(&mut self, system: &mut System<'_>, found: &IntBox, any: bool) -> Result<bool, Failure> {
        let mut ranges: Box<[Range]> = found.as_slice().into();
        let mut open = Vec::new();
        for slot in 0..ranges.len() {
            if self.slots.explicit[slot] && ranges[slot].0 < ranges[slot].1 {
                open.push(slot);
                ranges[slot].1 = ranges[slot].0;
            }
        }
        loop {
            self.start(system, &ranges)?;
            if !any && self.start_cells.len() > MOST_CONFIGURATIONS {
                return Ok(false);
            }
            let Some(last) = open.iter().rposition(|slot| ranges[*slot].0 < found[*slot].1) else { return Ok(true) };
            let next = ranges[open[last]].0 + 1;
            ranges[open[last]] = (next, next);
            for slot in &open[last + 1..] {
                ranges[*slot] = (found[*slot].0, found[*slot].0);
            }
        }
    }

    /// The boxes of start states in the configuration of a cell.
    pub(crate) fn starts_of(&self, id: u32) -> impl Iterator<Item = &[Range]> {
        let cell = &self.cells[id as usize];
        let configuration = self.slots.configuration(|slot| cell.ranges[slot].0);
        self.starts.get(&configuration).into_iter().flatten().map(|start| &**start)
    }

    /// The boxes of start states that a cell meets.
    pub(crate) fn starts_in(&self, id: u32) -> impl Iterator<Item = &[Range]> {
        self.starts_of(id).filter(move |start| self.slots.overlap(start, &self.cells[id as usize].ranges))
    }

    /// The start state that is as given in what matters, if there is one.
    pub(crate) fn as_start(&self, state: &State) -> Option<State> {
        let mut values = state.to_ints()?;
        let point: Vec<Range> = values.iter().map(|value| (*value, *value)).collect();
        let region = self.starts_of(self.cell_of(&values)?).find(|start| self.slots.overlap(start, &point))?;
        for slot in (0..values.len()).filter(|slot| !self.slots.matters[*slot]) {
            values[slot] = region[slot].0;
        }
        Some(State::from_ints(&values))
    }

    /// The start states of a cell, where there are only a few.
    pub(crate) fn few_starts(&self, id: u32) -> Option<Vec<State>> {
        let cell = &self.cells[id as usize];
        let mut states = Vec::new();
        for region in self.starts_in(id) {
            let inside = |slot: usize| match self.slots.matters[slot] {
                true => (region[slot].0.max(cell.ranges[slot].0), region[slot].1.min(cell.ranges[slot].1)),
                false => (region[slot].0, region[slot].0),
            };
            let ranges: Vec<Range> = (0..region.len()).map(inside).collect();
            if states.len() >= FEW || ranges.iter().any(|(lower, upper)| lower < upper) {
                return None;
            }
            states.push(State::from_ints(&ranges.iter().map(|(lower, _)| *lower).collect::<Vec<i64>>()));
        }
        Some(states)
    }

    /// Leaves only cells that are not cut in the list of start cells.
    pub(crate) fn tidy_starts(&mut self) {
        let cells = &self.cells;
        self.start_cells.retain(|id| cells[*id as usize].cut.is_none());
    }
}

/// The start set as boxes; and why some may be missing.
fn boxes(asked: &Asked<'_>, limits: &Limits) -> Result<(Vec<IntBox>, Option<Stop>), Failure> {
    let mut boxes: Vec<IntBox> = Vec::new();
    let mut stopped = None;
    for condition in &asked.task.start.conditions {
        let search = StartSearch::new(asked.task.model, *condition).map(|search| search.within(limits));
        let found = search.and_then(|search| {
            search.for_each_box(|found| {
                boxes.push(found.clone());
                if boxes.len() < MOST_BOXES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        });
        match found {
            Ok(()) => {}
            Err(StartError::Stopped(stop)) => stopped = Some(stop),
            Err(StartError::Condition(error)) => return Err(Failure::Model(error)),
            Err(StartError::Empty | StartError::Infinite(_)) => {
                return Err(Failure::Abstraction(surefoot_abstraction::Failure::NoStart));
            }
        }
    }
    if boxes.len() >= MOST_BOXES {
        stopped = Some(Stop::Most(Unit::States, MOST_BOXES as u64));
    }
    let point = |state: &State| -> IntBox {
        let values = state.to_ints().expect("a discrete model has integer states");
        values.iter().map(|value| (*value, *value)).collect()
    };
    boxes.extend(asked.task.start.states.iter().map(point));
    Ok((boxes, stopped))
}
