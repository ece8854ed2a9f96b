//! Where to cut a cell.
//!
//! A cut is to tell apart two behaviours of the cell: states with another label from those with the scheduler's, states from which an outcome leads to another
//! cell, states in which the guard holds, states that are to be reached. Next to a state that runs really come to, if there is one:
//! most of what runs do is near there.

use surefoot_mdp::Direction;

use super::blame::{Blamed, value_of};
use super::partition::{ANYWHERE, Cut, Danger, Label, Move, Partition};
use super::range::Range;

/// The cut of a blamed cell; `real` is a state of it that runs come to.
pub(crate) fn choose(
    partition: &Partition,
    blamed: &Blamed,
    real: Option<&[i64]>,
    direction: Direction,
) -> Option<Cut> {
    let cell = &partition.cells[blamed.cell as usize];
    let fits = |cut: &Cut| {
        let (lower, upper) = cell.ranges[cut.slot];
        lower <= cut.at && cut.at < upper
    };
    let program = &partition.programs[cell.program];
    if cell.danger == Danger::Some {
        let mut bounds = Vec::new();
        program.reach.bounds(&mut bounds);
        if let Some(cut) = bounds.iter().map(|(slot, at)| Cut { slot: *slot as usize, at: *at }).find(fits) {
            return Some(cut);
        }
    }
    let moves = cell.moves.as_deref().unwrap_or_default();
    let step = blamed.step.map(|step| &moves[step]);
    if let Some(step) = step {
        if let Some(cut) = label_cut(partition, blamed.cell, step, real).filter(fits) {
            return Some(cut);
        }
        if let Some(cut) = target_cut(partition, blamed.cell, step, direction) {
            return Some(cut);
        }
        let mut bounds = Vec::new();
        program.operators[step.operator].guard.bounds(&mut bounds);
        if let Some(cut) = bounds.iter().map(|(slot, at)| Cut { slot: *slot as usize, at: *at }).find(fits) {
            return Some(cut);
        }
    }
    middle(&cell.ranges)
}

/// The middle of the widest range.
pub(crate) fn middle(ranges: &[Range]) -> Option<Cut> {
    let width = |slot: &usize| ranges[*slot].1.abs_diff(ranges[*slot].0);
    let slot =
        (0..ranges.len()).filter(|slot| width(slot) > 0).max_by_key(|slot| (width(slot), std::cmp::Reverse(*slot)))?;
    Some(Cut { slot, at: between(ranges[slot].0, ranges[slot].1) })
}

fn between(a: i64, b: i64) -> i64 {
    let (low, high) = (a.min(b), a.max(b));
    low + (high.abs_diff(low) / 2).cast_signed()
}

/// Between a point where the scheduler's label is chosen and one with another label.
fn label_cut(partition: &Partition, id: u32, step: &Move, real: Option<&[i64]>) -> Option<Cut> {
    let cell = &partition.cells[id as usize];
    let own = partition.programs[cell.program].operators[step.operator].labels.as_ref()?;
    let witness = |label: usize| match &cell.labels[label] {
        Label::Possible(Some(point)) => Some(&**point),
        _ => None,
    };
    let chosen = own.iter().find_map(|label| witness(*label));
    let other = (0..cell.labels.len()).filter(|label| !own.contains(label)).find_map(witness);
    let ambiguous = (0..cell.labels.len()).any(|l| !own.contains(&l) && matches!(cell.labels[l], Label::Possible(_)));
    if !ambiguous {
        return None;
    }
    let from = real.or(other)?;
    let to = chosen.filter(|chosen| *chosen != from).or(other)?;
    let relative = |slot: usize| {
        let (lower, upper) = partition.slots.domains[slot];
        #[expect(clippy::cast_precision_loss, reason = "a heuristic")]
        let share = from[slot].abs_diff(to[slot]) as f64 / (upper.abs_diff(lower) as f64 + 1.0);
        share
    };
    let slot = partition
        .slots
        .ranged()
        .filter(|slot| from[*slot] != to[*slot])
        .max_by(|a, b| relative(*a).total_cmp(&relative(*b)).then(b.cmp(a)))?;
    let at = match real {
        Some(_) if from[slot] < to[slot] => from[slot],
        Some(_) => from[slot] - 1,
        None => between(from[slot], to[slot]),
    };
    Some(Cut { slot, at })
}

/// Where an outcome comes to lead to another cell.
fn target_cut(partition: &Partition, id: u32, step: &Move, direction: Direction) -> Option<Cut> {
    let cell = &partition.cells[id as usize];
    let operator = &partition.programs[cell.program].operators[step.operator];
    let source = operator.source(&cell.ranges)?;
    let mut best: Option<(f64, Cut)> = None;
    for (outcome, targets) in operator.outcomes.iter().zip(&step.targets).filter(|(_, targets)| targets.len() > 1) {
        let value = |target: &u32| value_of(partition, *target, direction);
        for case in &outcome.cases {
            let Some(ranges) = case.source(&source) else { continue };
            for target in targets.iter().filter(|target| **target != ANYWHERE) {
                let borders = &partition.cells[*target as usize].ranges;
                // How much the others differ from this one.
                let gain = targets.iter().map(|other| (value(other) - value(target)).abs()).fold(0.0, f64::max);
                for (slot, (lower, upper)) in borders.iter().enumerate() {
                    let origin = case.origin(slot).filter(|(from, _)| *from < cell.ranges.len());
                    let Some((from, shift)) = origin else { continue };
                    for at in [lower.saturating_sub(1), *upper] {
                        let at = at.saturating_sub(shift);
                        let (low, high) = ranges[from];
                        let share = outcome.share * (gain + 1e-6);
                        if low <= at && at < high && best.is_none_or(|(known, _)| share > known) {
                            best = Some((share, Cut { slot: from, at }));
                        }
                    }
                }
            }
        }
    }
    best.map(|(_, cut)| cut)
}
