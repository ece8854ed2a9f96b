//! Refinement: the table of strategies (predicate selection for refinement, Table 1).
//!
//! Each time is a mean over ten seeds, printed as `t · i ± j`: t · 10^i seconds, with a standard deviation of the order of 10^j. A seed that met the limit of 12 hours counts as 24; a dash means that all did.
//! Iterations and predicates are means of the two strategies that the table compares, `vea-w` and `bsverix-w`.

use crate::set::Costs::{self, Aware, Ignoring};
use crate::set::Kind::{self, Blocks, Puzzle};

/// The strategies, in the order of the table, under the names that presets have here.
pub const STRATEGIES: [&str; 7] = ["vea-w", "vea-mid", "bsverix-w", "bsverix-mid", "bsverix-eps", "sens-mid", "rand"];

/// A time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// The mean: so many seconds.
    pub mean: f64,
    /// The order of the standard deviation, as a power of ten.
    pub deviation: i32,
}

/// A row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The benchmark.
    pub kind: Kind,
    /// Whether policies read costs.
    pub costs: Costs,
    /// Neurons of each of the two hidden layers.
    pub width: u32,
    /// Whether the policy is safe, where it was found out.
    pub safe: Option<bool>,
    /// Times by strategy; none where all seeds met the limit.
    pub times: [Option<Time>; 7],
    /// Means of `vea-w` and `bsverix-w`: iterations, those for the policy, predicates, those for the policy.
    pub pairs: [Option<(u32, u32)>; 4],
}

/// The row of an instance.
#[must_use]
pub fn find(kind: Kind, costs: Option<Costs>, width: Option<u32>) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.kind == kind && Some(row.costs) == costs && Some(row.width) == width)
}

impl Row {
    /// The time of a strategy.
    #[must_use]
    pub fn time(&self, strategy: &str) -> Option<Time> {
        STRATEGIES.iter().position(|name| *name == strategy).and_then(|place| self.times[place])
    }
}

const fn row(
    kind: Kind,
    costs: Costs,
    width: u32,
    safe: Option<bool>,
    times: [Option<Time>; 7],
    pairs: [Option<(u32, u32)>; 4],
) -> Row {
    Row { kind, costs, width, safe, times, pairs }
}

/// `t · i ± j`.
const fn t(digits: f64, power: i32, deviation: i32) -> Option<Time> {
    let scale = match power {
        0 => 1.0,
        1 => 10.0,
        2 => 100.0,
        3 => 1e3,
        _ => 1e4,
    };
    Some(Time { mean: digits * scale, deviation })
}

/// The table.
#[rustfmt::skip]
pub const TABLE: [Row; 18] = [
    row(Blocks(4), Ignoring, 16, Some(true), [t(5.1, 0, -1), t(4.1, 0, -1), t(6.6, 0, -1), t(8.3, 0, 0), t(6.8, 0, 0), t(8.6, 0, 0), t(6.0, 0, 0)], [Some((11, 14)), Some((3, 4)), Some((21, 20)), Some((10, 5))]),
    row(Blocks(4), Ignoring, 32, Some(true), [t(1.9, 1, 0), t(2.5, 1, 0), t(3.0, 1, 1), t(3.5, 1, 1), t(3.4, 1, 1), t(3.6, 1, 1), t(3.3, 1, 0)], [Some((11, 16)), Some((3, 4)), Some((21, 21)), Some((10, 4))]),
    row(Blocks(4), Ignoring, 64, Some(true), [t(1.6, 2, 1), t(1.6, 2, 1), t(2.8, 2, 2), t(2.6, 2, 1), t(2.8, 2, 1), t(2.6, 2, 1), t(1.8, 2, 1)], [Some((11, 14)), Some((2, 3)), Some((20, 19)), Some((6, 3))]),
    row(Blocks(6), Ignoring, 16, Some(true), [t(9.2, 1, 1), t(2.8, 3, 3), t(7.5, 1, 1), t(9.8, 1, 1), t(9.2, 1, 1), t(2.4, 2, 2), t(1.8, 2, 2)], [Some((21, 30)), Some((4, 8)), Some((38, 38)), Some((18, 10))]),
    row(Blocks(6), Ignoring, 32, Some(true), [t(1.5, 2, 1), t(1.5, 2, 1), t(1.5, 2, 1), t(1.5, 2, 1), t(1.5, 2, 1), t(1.4, 2, 1), t(1.6, 2, 1)], [Some((20, 32)), Some((6, 11)), Some((38, 39)), Some((20, 11))]),
    row(Blocks(6), Ignoring, 64, Some(true), [t(1.3, 4, 3), t(1.7, 4, 3), t(1.8, 4, 3), t(1.9, 4, 4), t(2.1, 4, 3), t(3.2, 4, 4), t(1.7, 4, 3)], [Some((21, 31)), Some((4, 8)), Some((35, 38)), Some((12, 8))]),
    row(Blocks(8), Ignoring, 16, Some(true), [t(1.3, 4, 4), t(1.4, 4, 4), t(4.2, 3, 3), t(2.3, 4, 4), t(1.3, 4, 4), t(1.3, 4, 4), t(4.0, 4, 4)], [Some((36, 52)), Some((6, 10)), Some((62, 62)), Some((27, 11))]),
    row(Blocks(8), Ignoring, 32, Some(true), [t(8.0, 4, 4), None, t(8.0, 4, 4), None, t(7.9, 4, 4), t(8.0, 4, 4), None], [Some((37, 52)), Some((6, 10)), Some((63, 65)), Some((23, 13))]),
    row(Blocks(8), Ignoring, 64, None, [None, None, None, None, None, None, None], [None, None, None, None]),
    row(Puzzle, Ignoring, 16, Some(false), [t(4.2, 1, 1), t(3.9, 1, 1), t(9.0, 1, 1), t(3.8, 1, 1), t(3.9, 1, 1), t(5.5, 1, 1), t(4.4, 1, 1)], [Some((24, 40)), Some((13, 28)), Some((48, 48)), Some((34, 31))]),
    row(Puzzle, Ignoring, 32, Some(true), [t(3.2, 4, 4), t(3.3, 4, 4), t(1.9, 4, 4), t(3.3, 4, 4), t(4.3, 4, 4), t(4.2, 4, 4), t(1.7, 4, 4)], [Some((72, 88)), Some((7, 20)), Some((126, 128)), Some((29, 28))]),
    row(Puzzle, Ignoring, 64, Some(true), [t(6.5, 4, 4), t(4.9, 4, 4), t(6.5, 4, 4), t(7.9, 4, 4), t(6.1, 4, 4), t(5.0, 4, 4), t(6.3, 4, 4)], [Some((58, 83)), Some((10, 31)), Some((116, 114)), Some((38, 35))]),
    row(Blocks(4), Aware, 16, Some(true), [t(1.5, 1, 1), t(2.0, 1, 0), t(1.7, 1, 0), t(2.2, 1, 1), t(1.5, 1, 0), t(1.2, 1, 0), t(3.8, 1, 1)], [Some((12, 18)), Some((5, 7)), Some((25, 24)), Some((14, 8))]),
    row(Blocks(4), Aware, 32, Some(true), [t(1.4, 3, 2), t(2.0, 3, 3), t(1.0, 4, 4), t(6.3, 2, 2), t(8.9, 2, 2), t(8.1, 2, 3), t(3.7, 3, 3)], [Some((13, 19)), Some((4, 10)), Some((27, 26)), Some((14, 11))]),
    row(Blocks(4), Aware, 64, Some(true), [t(6.9, 4, 4), t(7.6, 4, 4), t(6.5, 4, 4), t(8.2, 4, 4), t(8.2, 4, 4), t(8.2, 4, 4), None], [Some((9, 16)), Some((3, 8)), Some((24, 21)), Some((15, 8))]),
    row(Blocks(6), Aware, 16, Some(true), [t(9.5, 2, 3), t(1.7, 3, 3), t(1.7, 3, 3), t(2.3, 3, 3), t(1.9, 3, 3), t(7.1, 2, 3), t(3.7, 3, 3)], [Some((20, 31)), Some((6, 10)), Some((48, 45)), Some((30, 17))]),
    row(Blocks(6), Aware, 32, Some(true), [t(3.2, 4, 4), t(2.3, 4, 4), t(8.2, 3, 3), t(6.3, 3, 3), t(4.1, 3, 3), t(6.0, 3, 3), t(1.6, 4, 4)], [Some((21, 31)), Some((6, 7)), Some((46, 41)), Some((26, 10))]),
    row(Blocks(6), Aware, 64, None, [None, None, None, None, None, None, None], [None, None, None, None]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_table() {
        assert_eq!(TABLE.len(), 6 * 3);
        let solved = TABLE.iter().filter(|row| row.times.iter().any(Option::is_some)).count();
        // As the text says: on 16 of 18 instances at least one strategy ends.
        assert_eq!(solved, 16);
        assert!(TABLE.iter().all(|row| row.safe.is_some() == row.times.iter().any(Option::is_some)));
        assert_eq!(TABLE.iter().filter(|row| row.safe == Some(false)).count(), 1);
        let first = find(Blocks(4), Some(Ignoring), Some(16)).unwrap();
        assert_eq!(first.time("vea-w"), Some(Time { mean: 5.1, deviation: -1 }));
        assert_eq!((first.time("rand").map(|time| time.mean), first.pairs[0]), (Some(6.0), Some((11, 14))));
        let eight = find(Blocks(8), Some(Ignoring), Some(32)).unwrap();
        assert_eq!((eight.time("vea-mid"), eight.time("sens-mid").unwrap().mean), (None, 8e4));
        let tiles = find(Puzzle, Some(Ignoring), Some(32)).unwrap();
        assert_eq!(tiles.pairs, [Some((72, 88)), Some((7, 20)), Some((126, 128)), Some((29, 28))]);
        let last = find(Blocks(6), Some(Aware), Some(32)).unwrap();
        assert_eq!(last.time("bsverix-eps"), Some(Time { mean: 4.1e3, deviation: 3 }));
        assert!(find(Blocks(8), Some(Aware), Some(16)).is_none());
    }

    #[test]
    fn strategies_win_as_often_as_the_text_says() {
        // The text counts instances where a strategy of a group has the smallest mean: 7 for bsverix, 5 for vea, 3 for sens, 1 for rand.
        let mut wins = [0; 4];
        for row in TABLE.iter().filter(|row| row.safe.is_some()) {
            let best = row.times.iter().flatten().map(|time| time.mean).fold(f64::INFINITY, f64::min);
            let has = |names: &[&str]| names.iter().any(|name| row.time(name).is_some_and(|time| time.mean == best));
            let groups = [
                has(&["bsverix-w", "bsverix-mid", "bsverix-eps"]),
                has(&["vea-w", "vea-mid"]),
                has(&["sens-mid"]),
                has(&["rand"]),
            ];
            for (win, group) in wins.iter_mut().zip(groups) {
                *win += u32::from(group);
            }
        }
        assert_eq!(wins, [7, 5, 3, 1]);
    }
}
