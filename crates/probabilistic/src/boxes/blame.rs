//! Which cells to cut: those that runs come to, and in which the scheduler has more to choose from than any state.
//!
//! Runs are followed under the scheduler of the abstraction, from where they leave the explored part, or from the start cells where it explores none of them. A
//! cell is blamed by how often they come to it, times how much its worst behaviour differs from its best; while values are saturated (all of them 1)
//! there is no such difference, so that having several behaviours counts for a little by itself.

use surefoot_mdp::{Direction, Scheduler};

use super::partition::{ANYWHERE, Danger, Label, Move, Partition};
use super::process::Process;

/// Sweeps that follow runs through the cells.
const SWEEPS: usize = 64;
/// What is less likely is not followed.
const UNLIKELY: f64 = 1e-9;
/// What having several behaviours counts for, besides their difference.
const AMBIGUITY: f64 = 0.05;

/// Differences in value that are not worth a cut.
const NEGLIGIBLE: f64 = 1e-6;

/// A cell with its blame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blamed {
    pub(crate) cell: u32,
    /// The move that the scheduler takes there, if it takes one.
    pub(crate) step: Option<usize>,
    pub(crate) blame: f64,
}

/// The cells to be blamed, worst first; `from` says where runs begin, and how many.
pub(crate) fn blame(
    partition: &Partition,
    process: &Process,
    scheduler: &Scheduler,
    from: &[(u32, f64)],
    direction: Direction,
) -> Vec<Blamed> {
    let positions = process.positions(partition);
    let mut mass = vec![0.0; process.mdp.num_states()];
    for (cell, share) in from {
        if let Some(at) = positions[*cell as usize] {
            mass[Process::state(at) as usize] += share;
        }
    }
    let mut visits = vec![0.0; mass.len()];
    for _ in 0..SWEEPS {
        let mut moved = 0.0;
        for state in process.mdp.states() {
            if mass[state as usize] < UNLIKELY {
                continue;
            }
            let flow = std::mem::take(&mut mass[state as usize]);
            visits[state as usize] += flow;
            let Some(choice) = scheduler.choice(state) else { continue };
            moved += flow;
            for branch in process.mdp.branches(choice) {
                mass[branch.target as usize] += flow * process.mdp.bounds(*branch).lower;
            }
        }
        if moved < 1e-6 {
            break;
        }
    }
    let mut blamed = Vec::new();
    for (at, cell) in process.order.iter().enumerate() {
        let visits = visits[Process::state(at) as usize].min(1.0);
        if visits < UNLIKELY {
            continue;
        }
        let step = process.chosen(scheduler, at);
        let (spread, several) = spread(partition, *cell, step, direction);
        if several || spread > NEGLIGIBLE {
            let blame = visits * (spread + if several { AMBIGUITY } else { 0.0 });
            blamed.push(Blamed { cell: *cell, step, blame });
        }
    }
    blamed.sort_by(|a, b| b.blame.total_cmp(&a.blame).then(a.cell.cmp(&b.cell)));
    blamed
}

/// The value of a cell that a move may lead to.
pub(crate) fn value_of(partition: &Partition, target: u32, direction: Direction) -> f64 {
    let worst = if direction == Direction::Max { 1.0 } else { 0.0 };
    if target == ANYWHERE { worst } else { partition.cells[target as usize].value }
}

/// The value of a move, each outcome at its best for the scheduler (or at its worst).
pub(crate) fn move_value(partition: &Partition, cell: u32, step: &Move, direction: Direction, best: bool) -> f64 {
    let operator = &partition.programs[partition.cells[cell as usize].program].operators[step.operator];
    let upward = (direction == Direction::Max) == best;
    let outcome = |targets: &[u32]| {
        let values = targets.iter().map(|target| value_of(partition, *target, direction));
        if upward { values.fold(0.0, f64::max) } else { values.fold(1.0, f64::min) }
    };
    operator.outcomes.iter().zip(&step.targets).map(|(o, targets)| o.share * outcome(targets)).sum()
}

/// How much the behaviours of a cell differ in value; and whether it has several kinds of states: with different labels, enabled or not, to be reached or
/// not.
fn spread(partition: &Partition, id: u32, step: Option<usize>, direction: Direction) -> (f64, bool) {
    let cell = &partition.cells[id as usize];
    if cell.ranges.iter().all(|(lower, upper)| lower == upper) {
        return (0.0, false);
    }
    if cell.danger == Danger::Some {
        return (1.0, true);
    }
    let moves = cell.moves.as_deref().unwrap_or_default();
    let Some(step) = step.map(|step| &moves[step]) else { return (0.0, false) };
    let best = move_value(partition, id, step, direction, true);
    let worst = move_value(partition, id, step, direction, false);
    let mut spread = (best - worst).abs();
    let program = &partition.programs[cell.program];
    let operator = &program.operators[step.operator];
    let open_guard = operator.guard.truth(&cell.ranges).is_none();
    let Some(own) = &operator.labels else { return (spread, open_guard) };
    let others = |label: &usize| !own.contains(label) && matches!(cell.labels[*label], Label::Possible(_));
    let mut several = false;
    for label in (0..cell.labels.len()).filter(others) {
        several = true;
        let of = |step: &&Move| {
            program.operators[step.operator].labels.as_ref().is_some_and(|labels| labels.contains(&label))
        };
        let values = moves.iter().filter(of).map(|step| move_value(partition, id, step, direction, true));
        let value = match direction {
            Direction::Max => values.fold(0.0, f64::max),
            Direction::Min => values.fold(1.0, f64::min),
        };
        spread = spread.max((best - value).abs());
    }
    (spread, several || open_guard)
}
