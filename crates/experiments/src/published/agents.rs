//! Neural agents in bounded CTL: FrozenLake (Table 1), and what the text says of VerticalCAS.
//!
//! Machine: Intel i7-7700K at 4.2 GHz, 16 GB, Gurobi; one hour for each run. Table 2, the times of VerticalCAS, is turned by a quarter in the article, and its text cannot be put back into cells with certainty:
//! nothing is copied from it. It has times and no verdicts; those that are stated in the text are [`vertical_cas`].

/// Times of a number of steps in Table 1, in seconds; none where an hour was not enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lake {
    /// The number of steps.
    pub steps: u32,
    /// That runs are safe: by one program, by many one after the other, by many at once.
    pub safe: [Option<f64>; 3],
    /// That they are safe, and reach the goal: in the same order.
    pub successful: [Option<f64>; 3],
}

/// The verdicts of Table 1: the agent avoids holes for all numbers of steps, and is forced to the goal for none.
pub const LAKE_VERDICTS: (&str, &str) = ("holds", "violated");

/// Table 1.
#[rustfmt::skip]
pub const LAKE: [Lake; 10] = [
    lake(1,  [Some(0.04),    Some(0.03),   Some(0.04)],   [0.04, 0.06, 0.07]),
    lake(2,  [Some(0.07),    Some(0.04),   Some(0.07)],   [0.08, 0.09, 0.12]),
    lake(3,  [Some(0.53),    Some(0.14),   Some(0.12)],   [0.24, 0.17, 0.24]),
    lake(4,  [Some(1.67),    Some(0.18),   Some(0.19)],   [0.58, 0.25, 0.30]),
    lake(5,  [Some(9.50),    Some(0.41),   Some(0.43)],   [0.97, 0.26, 0.35]),
    lake(6,  [Some(241.41),  Some(1.16),   Some(1.16)],   [2.75, 0.29, 0.35]),
    lake(7,  [Some(915.34),  Some(3.37),   Some(3.41)],   [8.61, 0.32, 0.38]),
    lake(8,  [Some(3476.08), Some(10.33),  Some(10.30)],  [8.70, 0.35, 0.42]),
    lake(9,  [None,          Some(32.50),  Some(32.68)],  [5.29, 0.36, 0.46]),
    lake(10, [None,          Some(111.22), Some(112.87)], [30.97, 0.38, 0.46]),
];

const fn lake(steps: u32, safe: [Option<f64>; 3], successful: [f64; 3]) -> Lake {
    let [one, sequential, parallel] = successful;
    Lake { steps, safe, successful: [Some(one), Some(sequential), Some(parallel)] }
}

/// What the text says of VerticalCAS after so many seconds, at a climb rate: whether it is more than 100 ft away for certain.
#[must_use]
pub fn vertical_cas(climb_rate: &str, steps: u32) -> Option<bool> {
    match (climb_rate, steps) {
        ("-19.5", 1..=10) => Some(true),
        ("-22.5", 3) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_as_printed() {
        assert!(LAKE.iter().zip(1..).all(|(row, steps)| row.steps == steps));
        // From the sixth on one program takes much longer than many, as the text says.
        let slower = |row: &Lake| row.safe[0].is_none_or(|one| row.safe[1].is_some_and(|many| one > 100.0 * many));
        assert_eq!(LAKE.iter().filter(|row| slower(row)).map(|row| row.steps).collect::<Vec<_>>(), [6, 7, 8, 9, 10]);
        assert_eq!(
            (LAKE[7].safe, LAKE[9].safe),
            ([Some(3476.08), Some(10.33), Some(10.30)], [None, Some(111.22), Some(112.87)])
        );
        assert_eq!(LAKE[9].successful, [Some(30.97), Some(0.38), Some(0.46)]);
        let sum = |times: &dyn Fn(&Lake) -> Option<f64>| LAKE.iter().filter_map(times).sum::<f64>();
        assert!((sum(&|row| row.safe[0]) - 4644.64).abs() < 1e-9);
        assert!((sum(&|row| row.safe[1]) - 159.38).abs() < 1e-9);
        assert!((sum(&|row| row.successful[0]) - 58.23).abs() < 1e-9);
        let verdicts = |rate| (1..=10).map(|steps| vertical_cas(rate, steps)).collect::<Vec<_>>();
        assert_eq!(verdicts("-19.5"), [Some(true); 10]);
        assert_eq!(verdicts("-22.5").iter().flatten().collect::<Vec<_>>(), [&false]);
    }
}
