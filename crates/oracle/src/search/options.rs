//! How branch and bound searches.

use super::region::MANY;

/// How to search.
#[derive(Debug, Clone)]
pub struct Options {
    /// Varies where the local search starts.
    pub seed: u64,
    /// Steps of local search before the first region is bounded.
    pub root_steps: usize,
    /// Regions with at most this many integer points are gone through point by point.
    pub enumerate: f64,
    /// Steps of slope optimisation per region, for networks of at least four layers: in shallow ones they cost more
    /// than the regions they save.
    pub slope_steps: usize,
    /// With real variables, or very many integer points: at most this many unstable neurons are split by phase rather than
    /// the box by variables; more where variables are many. With 0 and few variables, phases are split only where boxes are too
    /// narrow to be, which may take very long.
    pub phases: usize,
    /// How often a branch cuts the ranges of smooth neurons at most, where that is thought to gain more than splitting variables.
    pub cuts: usize,
    /// Regions of fewer integer points than two to the power of this are split by variables alone: they are soon gone through.
    pub cut_bits: f64,
    /// Regions that are bounded before anything is tried that pays in long searches only: joint bounds of scores, rounds of searches over
    /// phases, witnesses by gradients. Most questions are over by then.
    pub long_after: u64,
    /// Multiplications that a round of searches over phases may spend on a region, whatever was done before; more where more was done.
    pub phase_work: u64,
    /// Multiplications after which nodes are split in batches, which several threads can do: less than a second.
    pub together_after: u64,
    /// Threads that split nodes of a long search; they change nothing but how long it takes. They are used where one witness is asked for.
    pub threads: usize,
    /// Solve linear programs of regions with at least this many rows.
    pub program_rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            root_steps: 12,
            enumerate: 6.0,
            slope_steps: 1,
            phases: 6,
            cuts: 32,
            cut_bits: MANY,
            long_after: 64,
            phase_work: 0,
            together_after: 1 << 27,
            threads: 1,
            program_rows: 2,
        }
    }
}
