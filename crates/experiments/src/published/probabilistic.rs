//! Probabilities: the bounds that were derived (Table 1), and single bounds beside them (Table 2).

use crate::set::Costs::{self, Aware, Ignoring};
use crate::set::Kind::{self, Blocks, Puzzle, Transport};

use Last::{Contains, Falsifies, Verifies};

/// What the derived interval says of the last bound that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// The probability is at most the bound.
    Verifies,
    /// It is larger.
    Falsifies,
    /// It may be either: the bound lies in the interval.
    Contains,
}

/// A row of Table 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The benchmark.
    pub kind: Kind,
    /// Whether policies read costs, where there are any.
    pub costs: Option<Costs>,
    /// Neurons of each of the two hidden layers.
    pub width: u32,
    /// Whether the policy chooses among applicable labels.
    pub filter: bool,
    /// The derived interval.
    pub interval: (f64, f64),
    /// What it says of the last bound.
    pub last: Last,
    /// The last bound.
    pub bound: f64,
    /// Seconds; none where the limit was met.
    pub seconds: Option<u32>,
    /// How much of the time went into counterexamples, in percent.
    pub analysis: u32,
    /// The order of the largest set of paths, as a power of ten.
    pub paths: u32,
}

impl Row {
    /// The last bound as the table writes it.
    #[must_use]
    pub fn last_bound(&self) -> String {
        let sign = match self.last {
            Verifies => "≤",
            Falsifies => ">",
            Contains => "∋",
        };
        format!("{sign} {}", self.bound)
    }
}

/// The row of an instance.
#[must_use]
pub fn find(kind: Kind, costs: Option<Costs>, width: Option<u32>, filter: bool) -> Option<&'static Row> {
    TABLE.iter().find(|row| (row.kind, row.costs, Some(row.width), row.filter) == (kind, costs, width, filter))
}

#[expect(clippy::too_many_arguments, reason = "the columns of the table")]
const fn row(
    kind: Kind,
    costs: Option<Costs>,
    width: u32,
    filter: bool,
    interval: (f64, f64),
    last: Last,
    bound: f64,
    seconds: Option<u32>,
    analysis: u32,
    paths: u32,
) -> Row {
    Row { kind, costs, width, filter, interval, last, bound, seconds, analysis, paths }
}

/// Table 1.
#[rustfmt::skip]
pub const TABLE: [Row; 32] = [
    row(Blocks(4), Some(Ignoring), 16, false, (0.37, 0.41), Contains, 0.4, Some(18), 1, 1),
    row(Blocks(4), Some(Ignoring), 16, true, (0.41, 0.65), Contains, 0.45, None, 100, 4),
    row(Blocks(4), Some(Ignoring), 32, false, (0.25, 0.27), Falsifies, 0.25, Some(33), 1, 1),
    row(Blocks(4), Some(Ignoring), 32, true, (0.19, 1.0), Contains, 0.2, None, 99, 5),
    row(Blocks(4), Some(Ignoring), 64, false, (0.17, 0.19), Verifies, 0.2, Some(7553), 0, 0),
    row(Blocks(6), Some(Ignoring), 16, false, (0.95, 1.0), Falsifies, 0.95, Some(79), 0, 1),
    row(Blocks(6), Some(Ignoring), 16, true, (0.95, 1.0), Falsifies, 0.95, Some(321), 0, 1),
    row(Blocks(6), Some(Ignoring), 32, false, (0.27, 0.3), Verifies, 0.3, Some(14227), 0, 2),
    row(Blocks(8), Some(Ignoring), 16, false, (0.95, 1.0), Falsifies, 0.95, Some(454), 0, 1),
    row(Blocks(8), Some(Ignoring), 16, true, (0.95, 1.0), Falsifies, 0.95, Some(3396), 34, 4),
    row(Blocks(8), Some(Ignoring), 32, false, (0.95, 1.0), Falsifies, 0.95, Some(31376), 0, 1),
    row(Puzzle, Some(Ignoring), 16, false, (0.95, 1.0), Falsifies, 0.95, Some(5434), 0, 1),
    row(Puzzle, Some(Ignoring), 32, false, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Puzzle, Some(Ignoring), 32, true, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Puzzle, Some(Ignoring), 64, true, (0.95, 1.0), Falsifies, 0.95, Some(9630), 100, 5),
    row(Transport, None, 16, false, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Transport, None, 16, true, (0.1, 1.0), Contains, 0.1, None, 1, 0),
    row(Transport, None, 32, false, (0.1, 1.0), Contains, 0.1, None, 4, 0),
    row(Transport, None, 32, true, (0.1, 1.0), Contains, 0.1, None, 21, 0),
    row(Blocks(4), Some(Aware), 16, false, (0.34, 0.36), Contains, 0.35, Some(44), 3, 2),
    row(Blocks(4), Some(Aware), 16, true, (0.34, 0.42), Contains, 0.35, None, 100, 5),
    row(Blocks(4), Some(Aware), 32, false, (0.27, 0.28), Verifies, 0.3, Some(1145), 34, 3),
    row(Blocks(4), Some(Aware), 32, true, (0.17, 0.44), Contains, 0.2, None, 97, 5),
    row(Blocks(6), Some(Aware), 16, false, (0.86, 1.0), Contains, 0.9, None, 100, 5),
    row(Blocks(6), Some(Aware), 32, false, (0.95, 1.0), Falsifies, 0.95, Some(4121), 0, 1),
    row(Blocks(6), Some(Aware), 32, true, (0.95, 1.0), Falsifies, 0.95, Some(38289), 0, 1),
    row(Blocks(8), Some(Aware), 16, false, (0.99, 1.0), Falsifies, 0.95, Some(5692), 0, 0),
    row(Blocks(8), Some(Aware), 32, false, (0.84, 1.0), Contains, 0.85, None, 36, 5),
    row(Puzzle, Some(Aware), 16, false, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Puzzle, Some(Aware), 16, true, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Puzzle, Some(Aware), 32, false, (0.1, 1.0), Contains, 0.1, None, 0, 0),
    row(Puzzle, Some(Aware), 32, true, (0.1, 1.0), Contains, 0.1, None, 0, 0),
];

/// An entry of Table 2: whether the bound holds, where it was found out; seconds of a run for this bound alone; seconds after which an incremental run had decided it.
pub type Entry = (Option<bool>, Option<u32>, Option<u32>);

/// The policies of Table 2, all with 4 blocks: costs, width, filter.
pub const POLICIES: [(Costs, u32, bool); 3] = [(Ignoring, 64, false), (Aware, 32, false), (Aware, 32, true)];

/// Table 2: a bound, and the entries of the three policies.
#[rustfmt::skip]
pub const BOUNDS: [(f64, [Entry; 3]); 6] = [
    (0.0, [(Some(false), Some(7119), Some(7553)), (Some(false), Some(345), Some(375)), (Some(false), Some(901), Some(920))]),
    (0.05, [(Some(false), Some(7328), Some(7553)), (Some(false), Some(592), Some(631)), (Some(false), Some(903), Some(920))]),
    (0.1, [(Some(false), Some(7149), Some(7553)), (Some(false), Some(399), Some(631)), (Some(false), Some(906), Some(920))]),
    (0.2, [(Some(true), Some(7130), Some(7553)), (Some(false), Some(428), Some(667)), (None, None, None)]),
    (0.3, [(Some(true), Some(7258), Some(7553)), (Some(true), Some(805), Some(1145)), (None, None, None)]),
    (0.5, [(Some(true), Some(7279), Some(7553)), (Some(true), Some(399), Some(1145)), (Some(true), None, Some(2056))]),
];

/// The entry of Table 2 for an instance and a bound.
#[must_use]
pub fn bound(kind: Kind, costs: Option<Costs>, width: Option<u32>, filter: bool, bound: f64) -> Option<Entry> {
    let is = |policy: &(Costs, u32, bool)| (Some(policy.0), Some(policy.1), policy.2) == (costs, width, filter);
    let policy = POLICIES.iter().position(is).filter(|_| kind == Blocks(4))?;
    BOUNDS.iter().find(|row| row.0 == bound).map(|row| row.1[policy])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_table() {
        // As the text says: complete on 16 of 32, and on 5 of the others an interval smaller than 0.3.
        assert_eq!((TABLE.len(), TABLE.iter().filter(|row| row.seconds.is_some()).count()), (32, 16));
        let narrow = |row: &&Row| row.seconds.is_none() && row.interval.1 - row.interval.0 < 0.3;
        assert_eq!(TABLE.iter().filter(narrow).count(), 5);
        // More than half of the time for counterexamples on 6 instances, 5 of which met the limit.
        let analysed: Vec<&Row> = TABLE.iter().filter(|row| row.analysis > 50).collect();
        assert_eq!((analysed.len(), analysed.iter().filter(|row| row.seconds.is_none()).count()), (6, 5));
        // With filter: 13 instances, 9 of which met the limit.
        let filtered: Vec<&Row> = TABLE.iter().filter(|row| row.filter).collect();
        assert_eq!((filtered.len(), filtered.iter().filter(|row| row.seconds.is_none()).count()), (13, 9));
        for row in &TABLE {
            let (lower, upper) = row.interval;
            assert!(lower <= upper && upper <= 1.0, "{row:?}");
            match row.last {
                Verifies => assert!(upper <= row.bound, "{row:?}"),
                // The lower end is printed to two digits.
                Falsifies => assert!(lower + 0.005 >= row.bound, "{row:?}"),
                Contains => assert!(lower <= row.bound && row.bound <= upper, "{row:?}"),
            }
        }
        let tiles = find(Puzzle, Some(Ignoring), Some(64), true).unwrap();
        assert_eq!((tiles.interval, tiles.seconds, tiles.analysis, tiles.paths), ((0.95, 1.0), Some(9630), 100, 5));
        assert_eq!(tiles.last_bound(), "> 0.95");
        let four = find(Blocks(4), Some(Aware), Some(32), false).unwrap();
        assert_eq!((four.last_bound().as_str(), four.seconds), ("≤ 0.3", Some(1145)));
        assert!(find(Transport, Some(Aware), Some(16), false).is_none());
        assert_eq!(find(Transport, None, Some(16), false).unwrap().interval, (0.1, 1.0));
    }

    #[test]
    fn bounds_are_those_of_the_table() {
        assert_eq!(bound(Blocks(4), Some(Aware), Some(32), false, 0.5), Some((Some(true), Some(399), Some(1145))));
        assert_eq!(bound(Blocks(4), Some(Aware), Some(32), true, 0.5), Some((Some(true), None, Some(2056))));
        assert_eq!(bound(Blocks(4), Some(Ignoring), Some(64), false, 0.0), Some((Some(false), Some(7119), Some(7553))));
        assert_eq!(bound(Blocks(4), Some(Aware), Some(32), true, 0.2), Some((None, None, None)));
        assert_eq!(bound(Blocks(6), Some(Aware), Some(32), true, 0.2), None);
        // Verdicts change once, from violated to holds.
        for policy in 0..3 {
            let said: Vec<bool> = BOUNDS.iter().filter_map(|row| row.1[policy].0).collect();
            assert!(said.is_sorted(), "{said:?}");
        }
    }
}
