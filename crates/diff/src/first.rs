//! Many pieces of work at the same time, in an order: what the first one that settles the matter says, counts, whatever others came to before it.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use surefoot_limits::{Cancel, Stop};
use surefoot_oracle::{BranchAndBound, KeepStatistics, Limits, Options, Statistics};

/// What the pieces came to, in order, up to the first that settles the matter; and what that took.
///
/// A piece is stopped where an earlier one has settled it, never the other way round. So what is given does not depend on the number of threads.
pub(crate) fn up_to_first<T: Send>(
    count: usize,
    limits: &Limits,
    piece: impl Fn(usize, &mut BranchAndBound, &Limits) -> T + Sync,
    settles: impl Fn(&T) -> bool + Sync,
) -> (Vec<T>, Statistics) {
    let stops: Vec<Cancel> = (0..count).map(|_| limits.run.cancel.child()).collect();
    let first = AtomicUsize::new(count);
    let work = |oracle: &mut BranchAndBound, number: usize| {
        if first.load(Ordering::Relaxed) < number {
            return None;
        }
        let mut own = limits.clone();
        own.run.cancel = stops[number].clone();
        let before = oracle.statistics();
        let found = piece(number, oracle, &own);
        if settles(&found) {
            first.fetch_min(number, Ordering::Relaxed);
            stops[number + 1..].iter().for_each(|stop| stop.stop(Stop::Interrupted));
        }
        Some((found, oracle.statistics().since(&before)))
    };
    let all: Vec<Option<(T, Statistics)>> =
        (0..count).into_par_iter().map_init(|| BranchAndBound::new(Options::default()), work).collect();
    let (mut found, mut total) = (Vec::new(), Statistics::default());
    for (answer, statistics) in all.into_iter().map_while(|piece| piece) {
        total.questions += statistics.questions;
        total.nodes += statistics.nodes;
        total.points += statistics.points;
        total.programs += statistics.programs;
        let settled = settles(&answer);
        found.push(answer);
        if settled {
            break;
        }
    }
    (found, total)
}
