//! Encounters with random pilots: how often aircraft meet, and how often a system speaks.
//!
//! Encounters begin at `tau` = 40 with `COC`, at a rate of up to 2500 feet per minute, and so that the aircraft would pass within 500 feet if the rate were kept. In each
//! second the pilot takes one of the accelerations of the model, all equally likely. Every encounter has random numbers of its own, so neither their order nor threads matter.

use rayon::prelude::*;
use surefoot_limits::Limits;
use surefoot_num::Random;

use super::decision::{HORIZON, is_near, opposite};
use super::lessons::between;
use super::pilot::Pilot;
use crate::distil::Trial;

/// The largest rate at the beginning, in feet per second.
const RATE: f64 = 2500.0 / 60.0;
/// How near the aircraft would pass, in feet.
const MISS: f64 = 500.0;

/// Encounters do not ask for limits one by one.
const ASKED: u64 = 256;

/// Encounters to be flown.
pub(super) struct Encounters<'l> {
    pub(super) pilot: Pilot,
    pub(super) runs: u64,
    pub(super) seed: u64,
    /// What cuts them short.
    pub(super) limits: &'l Limits,
}

impl Encounters<'_> {
    /// Flies them under a system: what it says is a function of `tau`, the advisory issued last, and `h` and `v`.
    pub(super) fn fly<S: FnMut(usize, usize, [f64; 2]) -> usize>(
        &self,
        name: &'static str,
        system: impl Fn() -> S + Sync,
    ) -> Trial {
        let one = |number: u64| encounter(&self.pilot, &mut Random::stream(self.seed, number), system());
        let mut trial = Trial { system: name, ..Trial::default() };
        while trial.runs < self.runs && self.limits.stop().is_none() {
            let (first, last) = (trial.runs, self.runs.min(trial.runs + ASKED));
            trial = add(trial, (first..last).into_par_iter().map(one).reduce(Trial::default, add));
        }
        trial
    }
}

fn add(one: Trial, other: Trial) -> Trial {
    Trial {
        system: one.system,
        runs: one.runs + other.runs,
        unsafe_runs: one.unsafe_runs + other.unsafe_runs,
        alerted_runs: one.alerted_runs + other.alerted_runs,
        alert_steps: one.alert_steps + other.alert_steps,
        reversals: one.reversals + other.reversals,
    }
}

#[expect(clippy::cast_precision_loss, reason = "small")]
fn encounter(pilot: &Pilot, random: &mut Random, mut system: impl FnMut(usize, usize, [f64; 2]) -> usize) -> Trial {
    let v = between(random, -RATE, RATE);
    let (mut at, mut last) = ([v * HORIZON as f64 + between(random, -MISS, MISS), v], 0);
    let mut trial = Trial { runs: 1, ..Trial::default() };
    let mut possible = Vec::new();
    for tau in (1..=HORIZON).rev() {
        let advisory = system(tau, last, at);
        trial.alert_steps += u64::from(advisory != 0);
        trial.reversals += u64::from(opposite(last, advisory));
        possible.clear();
        pilot.outcomes(last, advisory, at, |next| possible.push(next));
        (at, last) = (possible[random.below(possible.len())], advisory);
    }
    trial.alerted_runs = u64::from(trial.alert_steps > 0);
    trial.unsafe_runs = u64::from(is_near(at[0]));
    trial
}
