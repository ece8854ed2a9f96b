//! When regions are searched by the [phases](super::phases) of their neurons instead of being split, and with how much work.
//!
//! Neither way is better than the other: where variables are few and neurons many, thousands of boxes are bounded in the time that one linear program
//! of neurons takes; elsewhere one such program spares a million boxes, and mostly it is the largest box that it is best asked of. So two
//! searches take turns, both from the root: the one that splits, and *rounds* in which every region is searched by phases with a fixed amount of
//! work before it is split. A round in which that fails too often ends, and is forgotten; the next one has more to spend. Whichever
//! search comes to an end ends both.
//!
//! Failures are the price of finding out: those of a round take a [third](SHARE) of what was done before, beyond what its successes took, and the
//! next round comes when three [times](GROWTH) as much was done. Small questions are over before the first round.
//!
//! **Determinism.** Work is counted, in multiplications; the clock decides nothing.

use super::options::Options;

/// The share of all work that a round may fail with.
const SHARE: u64 = 3;

/// How many regions a round may fail with, at least.
const FAILURES: u64 = 8;

/// The next round comes when so many times as much was done.
const GROWTH: u64 = 3;

/// Witnesses are looked for by gradients when so many times the work was done that it takes,
const AFTER: u64 = 4;

/// and again when so many times as much was.
const RARELY: u64 = 3;

/// Bounding scores jointly takes a part of what a region takes; it pays where one of so many regions is refuted by it.
const JOINTLY: u64 = 12;

/// Where it does not pay, it is tried in one of so many regions, after so many trials.
const SELDOM: u64 = 8;
const TRIALS: u64 = 32;

/// About so many multiplications are one batch: threads have enough to do, and limits are noticed soon.
const BATCH: u64 = 1 << 24;

/// The fewest and the most nodes of a batch.
const FEWEST: u64 = 4;
const MOST: u64 = 1024;

/// A round under way.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// Work for the phases of one region.
    budget: u64,
    /// What failures may take.
    most: u64,
    failed: u64,
    /// What successes took.
    decided: u64,
}

/// What was done for one node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Share {
    regions: u64,
    work: u64,
    failed: u64,
    decided: u64,
    joined: u64,
    refuted: u64,
}

/// What was done in a search, and the round under way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds {
    /// Regions that are bounded before the first round, and the least work for a region in one.
    before: u64,
    least: u64,
    /// The work at which batches begin.
    together_after: u64,
    regions: u64,
    work: u64,
    /// The work at which the next round begins.
    next: u64,
    round: Option<Round>,
    /// Regions in which scores were bounded jointly, and those that were refuted by it.
    joined: u64,
    refuted: u64,
    /// Searches by gradients, and the work at which the next one is due.
    descents: u64,
    next_descent: u64,
}

impl Rounds {
    /// Nothing was done yet.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            before: options.long_after,
            least: options.phase_work,
            together_after: options.together_after,
            ..Self::default()
        }
    }

    /// A region was bounded.
    pub(crate) fn bounded(&mut self, work: u64) {
        self.regions += 1;
        self.work += work;
    }

    /// Whether the search has been going on for long enough that what costs a little may pay.
    pub(crate) fn is_long(&self) -> bool {
        self.regions >= self.before
    }

    /// Whether to bound scores jointly in a region, going by what that was good for so far.
    pub(crate) fn joins(&self, region: u64) -> bool {
        let pays = self.joined < TRIALS || JOINTLY * self.refuted >= self.joined;
        self.is_long() && (pays || region.is_multiple_of(SELDOM))
    }

    /// Scores were bounded jointly, which refuted the region or did not.
    pub(crate) fn joined(&mut self, refuted: bool) {
        self.joined += 1;
        self.refuted += u64::from(refuted);
    }

    /// Whether a round is due, where a search over the phases of the root takes so much work at least.
    pub(crate) fn is_due(&self, least: u64) -> bool {
        self.is_long() && self.work >= self.next && self.next_budget() >= least
    }

    fn next_budget(&self) -> u64 {
        (self.work / SHARE / FAILURES).max(self.least)
    }

    /// Whether to look for witnesses by gradients, where that takes so much work; how often that was done before.
    pub(crate) fn descent(&mut self, takes: u64) -> Option<u64> {
        if self.regions < self.before || self.work < self.next_descent.max(AFTER * takes) {
            return None;
        }
        self.work += takes;
        self.next_descent = RARELY * self.work;
        self.descents += 1;
        Some(self.descents - 1)
    }

    /// A round begins.
    pub(crate) fn begin(&mut self) {
        let budget = self.next_budget();
        self.round = Some(Round { budget, most: budget.saturating_mul(FAILURES), failed: 0, decided: 0 });
    }

    /// The round ends.
    pub(crate) fn end(&mut self) {
        self.round = None;
        self.next = GROWTH * self.work + 1;
    }

    /// The work for the phases of a region, in a round.
    pub(crate) fn budget(&self) -> Option<u64> {
        self.round.map(|round| round.budget)
    }

    /// Whether the round under way has failed too often.
    pub(crate) fn is_over(&self) -> bool {
        self.round.is_some_and(|round| round.failed >= round.most.saturating_add(round.decided))
    }

    /// How many nodes are split at once.
    pub(crate) fn batch(&self) -> usize {
        if self.work < self.together_after {
            return 1;
        }
        (BATCH / (self.work / self.regions.max(1)).max(1)).clamp(FEWEST, MOST) as usize
    }

    /// The same in a round, which is over soon.
    #[expect(clippy::cast_possible_truncation, reason = "it is small")]
    pub(crate) fn batch_of_round(&self) -> usize {
        if self.work < self.together_after { 1 } else { FEWEST as usize }
    }

    /// What was done since an earlier moment of the same round.
    pub(crate) fn since(&self, before: &Self) -> Share {
        let of_round = |rounds: &Self| rounds.round.map_or((0, 0), |round| (round.failed, round.decided));
        let ((failed, decided), earlier) = (of_round(self), of_round(before));
        Share {
            regions: self.regions - before.regions,
            work: self.work - before.work,
            failed: failed - earlier.0,
            decided: decided - earlier.1,
            joined: self.joined - before.joined,
            refuted: self.refuted - before.refuted,
        }
    }

    /// Adds what was done elsewhere.
    pub(crate) fn add(&mut self, share: Share) {
        self.regions += share.regions;
        self.work += share.work;
        self.joined += share.joined;
        self.refuted += share.refuted;
        if let Some(round) = &mut self.round {
            round.failed += share.failed;
            round.decided += share.decided;
        }
    }

    /// A region is split in a round without having been searched by phases: that is a failure, too, or rounds would not end.
    pub(crate) fn passed_over(&mut self, work: u64) {
        if let Some(round) = &mut self.round {
            round.failed += work.max(1);
        }
    }

    /// A search over phases took so much work, and decided its region or did not.
    pub(crate) fn searched(&mut self, work: u64, decided: bool) {
        self.work += work;
        if let Some(round) = &mut self.round {
            *if decided { &mut round.decided } else { &mut round.failed } += work;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_whatever_they_meet() {
        let mut rounds = Rounds::new(&Options { phase_work: 1000, ..Options::default() });
        rounds.begin();
        for passed in 0.. {
            if rounds.is_over() {
                break;
            }
            assert!(passed < 10_000, "regions without phases end a round, too");
            rounds.passed_over(0);
        }
        rounds.end();
        rounds.begin();
        assert!(!rounds.is_over());
        rounds.searched(5000, true);
        rounds.searched(12_999, false);
        assert!(!rounds.is_over(), "what succeeds may be followed by as much that fails");
        rounds.searched(1, false);
        assert!(rounds.is_over());
    }

    #[test]
    fn the_largest_budgets_do_not_overflow() {
        let mut rounds = Rounds::new(&Options { phase_work: u64::MAX, ..Options::default() });
        rounds.begin();
        rounds.searched(1, true);
        assert!(!rounds.is_over());
    }
}
