//! Cutting the cells that are to blame.

use surefoot_mdp::{Direction, Scheduler};

use super::blame::{Blamed, blame};
use super::concrete::Leaving;
use super::cut;
use super::partition::{Cut, Danger, Move, Partition};
use super::process::Process;
use super::program::Case;
use super::range::Range;

/// Blame of so much less than the worst does not count.
const SHARE: f64 = 1e-3;

/// What is known of likely runs: where they leave the explored part of the model, by cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likely<'a> {
    pub(crate) leaving: &'a [Leaving],
}

impl Likely<'_> {
    /// A state of a cell that runs come to.
    fn state(&self, partition: &Partition, cell: u32) -> Option<&[i64]> {
        let at = self.leaving.iter().position(|leaving| partition.cell_of(&leaving.state) == Some(cell))?;
        Some(&self.leaving[at].state)
    }

    /// How likely each cell is come to.
    pub(crate) fn masses(&self, partition: &Partition) -> Vec<(u32, f64)> {
        let cell = |leaving: &Leaving| Some((partition.cell_of(&leaving.state)?, leaving.mass));
        self.leaving.iter().filter_map(cell).collect()
    }
}

/// Cuts cells; false when there is nothing to cut.
pub(crate) fn refine(
    partition: &mut Partition,
    process: &Process,
    scheduler: &Scheduler,
    from: &[(u32, f64)],
    likely: &Likely<'_>,
    direction: Direction,
) -> bool {
    let blamed = blame(partition, process, scheduler, from, direction);
    let most = blamed.first().map_or(0.0, |first| first.blame);
    // All cuts are chosen before the first is made: moves into a cell are out of date once it is cut.
    let mut cuts: Vec<(u32, Cut)> = Vec::new();
    for blamed in blamed.iter().take_while(|blamed| blamed.blame >= most * SHARE) {
        let real = likely.state(partition, blamed.cell);
        cuts.extend(cut::choose(partition, blamed, real, direction).map(|cut| (blamed.cell, cut)));
    }
    if make(partition, &cuts) {
        return true;
    }
    // Nobody is to blame: whatever may not be a single behaviour.
    let several = |id: &u32| {
        let cell = &partition.cells[*id as usize];
        let moves = cell.moves.as_deref().unwrap_or_default();
        let open = |step: &Move| {
            let operator = &partition.programs[cell.program].operators[step.operator];
            let depends = |case: &Case| {
                let ranges: Vec<Range> = cell.ranges.iter().chain(&case.choices).copied().collect();
                case.condition.truth(&ranges).is_none()
            };
            // A label may be chosen in a part of the cell only.
            operator.labels.is_some()
                || operator.guard.truth(&cell.ranges).is_none()
                || operator.outcomes.iter().flat_map(|outcome| &outcome.cases).any(depends)
        };
        cell.danger == Danger::Some
            || moves.len() > 1
            || moves.iter().flat_map(|step| &step.targets).any(|targets| targets.len() > 1)
            || moves.iter().any(open)
    };
    for cell in process.order.iter().copied().filter(several) {
        let moves = partition.cells[cell as usize].moves.as_deref().unwrap_or_default();
        let blamed = Blamed { cell, step: (!moves.is_empty()).then_some(0), blame: 0.0 };
        cuts.extend(cut::choose(partition, &blamed, None, direction).map(|cut| (cell, cut)));
    }
    make(partition, &cuts)
}

fn make(partition: &mut Partition, cuts: &[(u32, Cut)]) -> bool {
    cuts.iter().fold(false, |some, (cell, cut)| partition.cut(*cell, *cut) || some)
}
