//! Sets of cells as few rectangles, and as conditions.

use serde_json::Value;

use super::track::Pair;
use crate::text::{all, any, eq, le};

/// A rectangle of cells, corners included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rectangle {
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
}

/// Disjoint rectangles with exactly these cells, which come in rows: runs of a row grow downwards while the row below
/// has the same run.
pub(super) fn rectangles(cells: impl IntoIterator<Item = Pair>) -> Vec<Rectangle> {
    let mut runs: Vec<Rectangle> = Vec::new();
    for (x, y) in cells {
        match runs.last_mut() {
            Some(run) if run.top == y && run.right + 1 == x => run.right = x,
            _ => runs.push(Rectangle { left: x, right: x, top: y, bottom: y }),
        }
    }
    let mut grown: Vec<Rectangle> = Vec::new();
    for run in runs {
        let above = |r: &&mut Rectangle| (r.left, r.right, r.bottom + 1) == (run.left, run.right, run.top);
        match grown.iter_mut().find(above) {
            Some(rectangle) => rectangle.bottom = run.bottom,
            None => grown.push(run),
        }
    }
    grown
}

/// That a point is in one of the rectangles.
pub(super) fn within(rectangles: &[Rectangle], x: &Value, y: &Value) -> Value {
    any(rectangles.iter().map(|r| all([between(r.left, x, r.right), between(r.top, y, r.bottom)])))
}

fn between(low: i64, value: &Value, high: i64) -> Value {
    if low == high { eq(value.clone(), low) } else { all([le(low, value.clone()), le(value.clone(), high)]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_num::Random;

    #[test]
    fn rectangles_have_exactly_the_cells() {
        let mut random = Random::new(3);
        for _ in 0..100 {
            let cells: Vec<Pair> =
                (0..6).flat_map(|y| (0..7).map(move |x| (x, y))).filter(|_| random.below(3) > 0).collect();
            let cover = rectangles(cells.iter().copied());
            let mut covered: Vec<Pair> = cover
                .iter()
                .flat_map(|r| (r.top..=r.bottom).flat_map(|y| (r.left..=r.right).map(move |x| (x, y))))
                .collect();
            covered.sort_by_key(|(x, y)| (*y, *x));
            assert_eq!(covered, cells);
        }
        assert_eq!(rectangles((0..4).flat_map(|y| (2..9).map(move |x| (x, y)))).len(), 1);
    }
}
