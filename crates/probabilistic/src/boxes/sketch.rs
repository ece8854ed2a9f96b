//! The cells of an abstraction, to be looked at: boxes, what leads to what, and the bounds on their values.

use surefoot_abstraction::{AbstractState, Drawn, PredicateSet, Ranges, Sketch};
use surefoot_mdp::Direction;
use surefoot_num::FloatInterval;
use surefoot_oracle::Assignment;

use super::partition::{ANYWHERE, Danger, Partition};

/// The cells of an order. Cells that were cut since have no moves any more: these are not drawn.
pub(crate) fn drawn(partition: &Partition, order: &[u32], instances: usize, direction: Direction) -> Sketch {
    let kept: Vec<u32> = order.iter().copied().filter(|cell| partition.cells[*cell as usize].cut.is_none()).collect();
    let mut numbers = vec![None; partition.cells.len()];
    (0u32..).zip(&kept).for_each(|(number, cell)| numbers[*cell as usize] = Some(number));
    let cell = |cell: &u32| &partition.cells[*cell as usize];
    let (mut transitions, mut complete) = (Vec::new(), kept.len() == order.len());
    for (source, cell) in (0u32..).zip(kept.iter().map(cell)) {
        for step in cell.moves.iter().flatten() {
            let operator = &partition.programs[cell.program].operators[step.operator];
            for (outcome, targets) in operator.outcomes.iter().zip(&step.targets) {
                let probability = Some(FloatInterval::tightest(&outcome.probability).upper);
                let known = targets.iter().filter(|target| **target != ANYWHERE);
                complete &= targets.iter().all(|t| numbers.get(*t as usize).is_some_and(Option::is_some));
                let numbered = known.filter_map(|target| numbers.get(*target as usize).copied().flatten());
                transitions.extend(numbered.map(|target| Drawn { source, target, label: operator.label, probability }));
            }
        }
    }
    let ranges = |cell: &u32| -> Ranges { self::cell(partition, *cell).into() };
    let state = |cell: &u32| AbstractState {
        locations: self::cell(partition, *cell)[..instances]
            .iter()
            .map(|(location, _)| u32::try_from(*location).unwrap_or_default())
            .collect(),
        values: Assignment::new(std::iter::empty::<bool>()),
    };
    Sketch {
        within: Vec::new(),
        predicates: PredicateSet::default(),
        states: kept.iter().map(state).collect(),
        start: kept.iter().map(|id| cell(id).start).collect(),
        is_unsafe: kept.iter().map(|id| matches!(cell(id).danger, Danger::All | Danger::Some)).collect(),
        expanded: kept.iter().map(|id| cell(id).moves.is_some()).collect(),
        // What bounds from below is not drawn: colours say how bad a state may be.
        values: (direction == Direction::Max).then(|| kept.iter().map(|id| cell(id).value).collect()),
        boxes: Some(kept.iter().map(ranges).collect()),
        transitions,
        complete,
    }
}

fn cell(partition: &Partition, cell: u32) -> &[(i64, i64)] {
    &partition.cells[cell as usize].ranges
}
